// SPDX-License-Identifier: GPL-2.0-only
#include "collect_limit.h"
#include "sysfs.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGES	     128 /* of a ring, where nothing limits them: 512 kB of pages of 4 kB */
#define MLOCK_KB     516 /* perf_event_mlock_kb by default */
#define FILES_BESIDE 32	 /* descriptors that are no events */

void collect_limit_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int64_t mlock_kb(void)
{
	int64_t kb = MLOCK_KB;
	bool there;

	err_free(sysfs_number("", "/proc/sys/kernel/perf_event_mlock_kb", &kb, &there));
	return there && kb >= 0 ? kb : MLOCK_KB;
}

static uint64_t memlock_bytes(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) ? 0 : limit.rlim_cur;
}

uint32_t collect_limit_power(uint64_t pages)
{
	uint32_t power = 1;

	while (power < 1u << 30 && 2ull * power <= pages)
		power *= 2;
	return power;
}

/* The budget is a user's, for all CPUs together; what is above it counts as the process's locked
 * memory. A ring has a page more than its data: perf_mmap() in the kernel. */
uint32_t collect_limit_pages(const struct event_plan *plan, const struct collect_target *target)
{
	uint64_t page = getpagesize(), pages = PAGES * 4096ull / page, cpus, budget;
	uint64_t memlock = memlock_bytes();

	cpus = cpulist_count(target->cpus ? target->cpus : &plan->host.online);
	if (plan->host.privileged || memlock == RLIM_INFINITY || !cpus)
		return collect_limit_power(pages);
	budget = mlock_kb() * 1024ull * cpulist_count(&plan->host.online) + memlock;
	if (budget / cpus / page <= pages)
		pages = budget / cpus / page - (budget / cpus / page > 0);
	return collect_limit_power(pages);
}

struct err *collect_limit_ring_refused(uint32_t rings, uint32_t pages, int error)
{
	struct err *e = err_errno(ERR_FAILED, error, "mmap: %u rings of %u kB", rings,
				  pages * (getpagesize() / 1024));

	if (error == EPERM)
		return err_next(e,
				"the budget for locked memory is perf_event_mlock_kb (%lld a CPU) "
				"and %llu kB of the process: a smaller -m, or raise them with "
				"sysctl and ulimit -l",
				(long long)mlock_kb(), (unsigned long long)memlock_bytes() / 1024);
	return err_next(e, "a smaller -m, or fewer CPUs with -C");
}

struct err *collect_limit_files_refused(const struct event_plan *plan,
					const struct collect_target *target, int error)
{
	uint64_t need = FILES_BESIDE;
	struct rlimit limit = { 0 };
	struct err *e;

	for (size_t i = 0; i < plan->count; i++)
		if (!plan->event[i].left_out)
			need += (uint64_t)cpulist_count(target->cpus ? target->cpus
								     : &plan->event[i].cpus) *
				(target->task ? target->tasks : 1);
	getrlimit(RLIMIT_NOFILE, &limit);
	e = err_errno(ERR_FAILED, error,
		      "perf_event_open: %llu descriptors are needed, and %llu allowed",
		      (unsigned long long)need, (unsigned long long)limit.rlim_cur);
	return err_next(e,
			"raise the hard limit to %llu (ulimit -Hn, as root), or name fewer CPUs "
			"or tasks",
			(unsigned long long)need);
}
