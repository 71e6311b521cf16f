// SPDX-License-Identifier: GPL-2.0-only
#include "doctor_fact.h"
#include "mem.h"
#include "sysfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENT_SOURCES "/sys/bus/event_source/devices"

/* ---- Readings */

char *doctor_fact_text(const char *root, const char *path)
{
	char *text;

	err_free(sysfs_read(root, path, &text));
	return text;
}

char *doctor_fact_line(const char *root, const char *path, const char *key)
{
	char *text = doctor_fact_text(root, path), *value = NULL;
	size_t size = strlen(key);

	for (const char *at = text; at && !value; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, size))
			continue;
		const char *colon = at + size + strspn(at + size, " \t");

		if (*colon != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		value = mem_printf("%.*s", (int)strcspn(colon, "\n"), colon);
	}
	free(text);
	return value;
}

static bool has_word(const char *text, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = text; at && (at = strstr(at, word)); at += size)
		if ((at == text || isspace((unsigned char)at[-1])) &&
		    (!at[size] || isspace((unsigned char)at[size])))
			return true;
	return false;
}

bool doctor_fact_flag(const char *root, const char *flag)
{
	static const char *const keys[] = { "flags", "Features" };
	bool has = false;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *flags = doctor_fact_line(root, "/proc/cpuinfo", keys[i]);

		has |= has_word(flags, flag);
		free(flags);
	}
	return has;
}

/* 2 is SECCOMP_MODE_FILTER. */
bool doctor_fact_filtered(const char *root)
{
	char *mode = doctor_fact_line(root, "/proc/self/status", "Seccomp");
	bool filtered = mode && !strcmp(mode, "2");

	free(mode);
	return filtered;
}

/* kptr_restrict leaves the names and makes every address 0. */
bool doctor_fact_kallsyms(const char *root)
{
	char *text = doctor_fact_text(root, "/proc/kallsyms");
	bool addresses = text && text[strspn(text, "0")] != ' ' && *text;

	free(text);
	return addresses;
}

const char *doctor_fact_tracefs(const char *root)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char *path = mem_printf("%s/available_events", folders[i]);
		bool has = sysfs_has(root, path);

		free(path);
		if (has)
			return folders[i];
	}
	return NULL;
}

/* ---- Facts: each gives its text, or NULL when it cannot be read, and may give a next step */

static char *say_cpu(const char *root, char **next)
{
	struct host h;

	host_read(root, &h);
	if (!h.cpu[0] && !h.family)
		return NULL;
	if (h.vendor == HOST_ARM)
		return mem_printf("%s%simplementer 0x%x, part 0x%x", h.cpu, h.cpu[0] ? ", " : "",
				  h.family, h.model);
	if (h.vendor == HOST_POWER)
		return mem_strdup(h.cpu);
	return mem_printf("%s, family %u, model %u", h.cpu, h.family, h.model);
}

static char *say_cpus(const char *root, char **next)
{
	struct host h;
	char *list, *text;

	host_read(root, &h);
	list = cpulist_text(&h.online);
	text = mem_printf("%u online (%s)", cpulist_count(&h.online), list);
	free(list);
	return text;
}

static char *say_microcode(const char *root, char **next)
{
	return doctor_fact_line(root, "/proc/cpuinfo", "microcode");
}

static char *say_hypervisor(const char *root, char **next)
{
	char *type = doctor_fact_text(root, "/sys/hypervisor/type");
	char *maker = doctor_fact_text(root, "/sys/class/dmi/id/sys_vendor");
	const char *name = type && *type ? type : maker;
	struct host h;
	char *text;

	host_read(root, &h);
	if (!h.hypervisor && !type)
		text = mem_strdup("none that shows itself");
	else
		text = mem_printf("yes%s%s", name && *name ? ", " : ", it does not say which",
				  name && *name ? name : "");
	free(type);
	free(maker);
	return text;
}

static char *say_container(const char *root, char **next)
{
	static const struct {
		const char *file, *name;
	} marks[] = { { "/.dockerenv", "Docker" }, { "/run/.containerenv", "Podman" } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (sysfs_has(root, marks[i].file))
			return mem_strdup(marks[i].name);
	return mem_strdup("none that shows itself");
}

static char *say_kernel(const char *root, char **next)
{
	return doctor_fact_text(root, "/proc/sys/kernel/osrelease");
}

static char *say_pmus(const char *root, char **next)
{
	struct sysfs_names names = sysfs_list(root, EVENT_SOURCES);
	char *text = names.count ? mem_strdup("") : NULL;

	for (size_t i = 0; i < names.count; i++) {
		char *longer = mem_printf("%s%s%s", text, i ? ", " : "", names.name[i]);

		free(text);
		text = longer;
	}
	if (!text)
		*next = mem_strdup("/sys is not mounted or has no event sources; in a container "
				   "mount it: -v /sys:/sys:ro");
	sysfs_names_deinit(&names);
	return text;
}

static char *say_paranoid(const char *root, char **next)
{
	static const char *const means[] = { "all but raw tracepoints", "own tasks and the kernel",
					     "own tasks, user code" };
	struct host h;

	host_read(root, &h);
	if (!h.has_paranoid)
		return NULL;
	if (h.paranoid > 0 && !h.privileged)
		*next = mem_strdup("for all tasks: sudo sysctl kernel.perf_event_paranoid=-1");
	return mem_printf("%lld (%s)%s", (long long)h.paranoid,
			  h.paranoid < 0   ? "everything"
			  : h.paranoid > 2 ? "nothing without privilege"
					   : means[h.paranoid],
			  h.privileged ? "; this user's capabilities overrule it" : "");
}

/* Bit numbers of include/uapi/linux/capability.h. */
static const struct capability {
	const char *name;
	unsigned int bit;
} capabilities[] = {
	{ "perfmon", 38 }, { "sys_admin", 21 },	 { "bpf", 39 },
	{ "syslog", 34 },  { "sys_ptrace", 19 }, { "ipc_lock", 14 },
};

static char *say_capabilities(const char *root, char **next)
{
	char *hex = doctor_fact_line(root, "/proc/self/status", "CapEff");
	uint64_t set = hex ? strtoull(hex, NULL, 16) : 0;
	char *text = hex ? mem_strdup("") : NULL;

	for (size_t i = 0; hex && i < ARRAY_SIZE(capabilities); i++) {
		char *longer;

		if (!(set >> capabilities[i].bit & 1))
			continue;
		longer = mem_printf("%s%s%s", text, *text ? ", " : "", capabilities[i].name);
		free(text);
		text = longer;
	}
	if (text && !*text) {
		free(text);
		text = mem_strdup("none of perfmon, sys_admin, bpf, syslog, sys_ptrace, ipc_lock");
	}
	free(hex);
	return text;
}

static char *say_seccomp(const char *root, char **next)
{
	char *mode = doctor_fact_line(root, "/proc/self/status", "Seccomp");

	if (!mode)
		return NULL;
	free(mode);
	if (!doctor_fact_filtered(root))
		return mem_strdup("no filter");
	*next = mem_strdup("if events are refused: docker run --cap-add PERFMON --security-opt "
			   "seccomp=FILE, with perf_event_open allowed in FILE");
	return mem_strdup("a filter is in force");
}

static char *say_lockdown(const char *root, char **next)
{
	char *text = doctor_fact_text(root, "/sys/kernel/security/lockdown");

	if (text && strstr(text, "[confidentiality]"))
		*next = mem_strdup("confidentiality forbids kernel reads: boot with "
				   "lockdown=integrity");
	return text;
}

static char *say_kptr(const char *root, char **next)
{
	return doctor_fact_text(root, "/proc/sys/kernel/kptr_restrict");
}

static char *say_kallsyms(const char *root, char **next)
{
	if (doctor_fact_kallsyms(root))
		return mem_strdup("with addresses");
	*next = mem_strdup("sudo sysctl kernel.kptr_restrict=0, or run as root: kernel code has no "
			   "names without");
	return sysfs_has(root, "/proc/kallsyms") ? mem_strdup("addresses are hidden") : NULL;
}

static char *say_btf(const char *root, char **next)
{
	if (sysfs_has(root, "/sys/kernel/btf/vmlinux"))
		return mem_strdup("/sys/kernel/btf/vmlinux");
	*next = mem_strdup("a kernel with CONFIG_DEBUG_INFO_BTF has the kernel's types");
	return NULL;
}

static char *say_kcore(const char *root, char **next)
{
	return sysfs_has(root, "/proc/kcore") ? mem_strdup("there") : NULL;
}

static char *say_tracefs(const char *root, char **next)
{
	const char *folder = doctor_fact_tracefs(root);
	char *mounts = doctor_fact_text(root, "/proc/self/mounts");
	bool mounted = mounts && strstr(mounts, " tracefs ");

	free(mounts);
	if (folder)
		return mem_strdup(folder);
	*next = mem_strdup(mounted ? "it is mounted, for root alone: run as root, or sudo chmod "
				     "-R o+rX /sys/kernel/tracing"
				   : "sudo mount -t tracefs nodev /sys/kernel/tracing");
	return NULL;
}

/* "Max open files            1024                 524288               files" */
static char *limit_in(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	char soft[24], hard[24];

	if (!at || sscanf(at + strlen(name), "%23s %23s", soft, hard) != 2)
		return NULL;
	return mem_printf("%s, at most %s", soft, hard);
}

static char *limit_of(const char *root, const char *name)
{
	char *text = doctor_fact_text(root, "/proc/self/limits");
	char *limit = text ? limit_in(text, name) : NULL;

	free(text);
	return limit;
}

static char *say_files(const char *root, char **next)
{
	return limit_of(root, "Max open files");
}

static char *say_locked(const char *root, char **next)
{
	char *limit = limit_of(root, "Max locked memory");
	char *budget = doctor_fact_text(root, "/proc/sys/kernel/perf_event_mlock_kb");
	char *text = NULL;

	if (limit && budget)
		text = mem_printf("%s bytes, and %s kB a CPU for rings", limit, budget);
	else if (limit)
		text = mem_printf("%s bytes", limit);
	free(limit);
	free(budget);
	return text;
}

static char *say_rate(const char *root, char **next)
{
	return doctor_fact_text(root, "/proc/sys/kernel/perf_event_max_sample_rate");
}

static char *say_watchdog(const char *root, char **next)
{
	char *text = doctor_fact_text(root, "/proc/sys/kernel/nmi_watchdog");

	if (text && !strcmp(text, "1"))
		*next = mem_strdup(
			"it holds a counter of each CPU; if events are busy: sudo sysctl "
			"kernel.nmi_watchdog=0");
	return text;
}

/* MSR 0x1a4, bit 1: the adjacent-line prefetcher is off (Intel SDM 4, MISC_FEATURE_CONTROL). */
#define MSR_PREFETCH 0x1a4

static char *say_prefetcher(const char *root, char **next)
{
	struct host h;
	uint64_t value = 0;
	ssize_t got;
	int fd;

	host_read(root, &h);
	if (*root || h.vendor != HOST_INTEL)
		return NULL;
	fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		*next = mem_strdup("sudo modprobe msr, and run as root");
		return NULL;
	}
	got = pread(fd, &value, sizeof(value), MSR_PREFETCH);
	close(fd);
	return got == sizeof(value)
		       ? mem_strdup(value & 2 ? "off" : "on: pairs of lines move together")
		       : NULL;
}

static char *say_smt(const char *root, char **next)
{
	return doctor_fact_text(root, "/sys/devices/system/cpu/smt/control");
}

static const struct fact_row {
	const char *key, *name;
	char *(*say)(const char *root, char **next);
} rows[] = {
	{ "cpu", "CPU", say_cpu },
	{ "cpus", "CPUs", say_cpus },
	{ "microcode", "microcode", say_microcode },
	{ "hypervisor", "hypervisor", say_hypervisor },
	{ "container", "container", say_container },
	{ "kernel", "kernel", say_kernel },
	{ "pmus", "event sources", say_pmus },
	{ "perf_event_paranoid", "perf_event_paranoid", say_paranoid },
	{ "capabilities", "capabilities", say_capabilities },
	{ "seccomp", "seccomp", say_seccomp },
	{ "lockdown", "lockdown", say_lockdown },
	{ "kptr_restrict", "kptr_restrict", say_kptr },
	{ "kallsyms", "kernel symbols", say_kallsyms },
	{ "btf", "kernel types", say_btf },
	{ "kcore", "/proc/kcore", say_kcore },
	{ "tracefs", "tracefs", say_tracefs },
	{ "open_files", "open files", say_files },
	{ "locked_memory", "locked memory", say_locked },
	{ "max_sample_rate", "samples a second", say_rate },
	{ "nmi_watchdog", "NMI watchdog", say_watchdog },
	{ "adjacent_line_prefetcher", "adjacent-line pf.", say_prefetcher },
	{ "smt", "SMT", say_smt },
};

_Static_assert(ARRAY_SIZE(rows) <= DOCTOR_FACTS, "room for every fact");

void doctor_fact_all(const char *root, struct doctor *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct doctor_fact *f = &d->fact[d->facts++];

		*f = (struct doctor_fact){ .key = rows[i].key, .name = rows[i].name };
		f->text = rows[i].say(root, &f->next);
	}
}
