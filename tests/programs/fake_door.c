// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose front door tells "hitmap record" made-up things: fake_door BEHAVIOUR. It is no
 * model; it tests the receiving end.
 */
#include "wire.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* By this section "hitmap record" knows that the program has hooks. */
__attribute__((section(".note.hitmap"), used, aligned(4))) static const struct {
	Elf64_Nhdr head;
	char name[8];
	uint32_t version;
} note = { { 7, 4, 1 }, "hitmap", MODEL_VERSION };

static long shared[8] __attribute__((aligned(64)));
static struct model_config config;

static void send_all(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
		_exit(90);
}

static void message(int fd, enum wire_type type, const void *body, size_t size, const char *text)
{
	size_t length = text ? strlen(text) + 1 : 0;
	struct wire_head head = { type, sizeof(head) + size + length };

	send_all(fd, &head, sizeof(head));
	if (size)
		send_all(fd, body, size);
	if (length)
		send_all(fd, text, length);
}

static int connect_door(void)
{
	const char *path = getenv(WIRE_ENVIRONMENT);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (!path || fd < 0)
		_exit(91);
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		_exit(92);
	return fd;
}

static void greet(int fd)
{
	struct wire_hello hello = {
		.version = MODEL_VERSION, .pid = getpid(), .door = "hooks", .detail = "fake"
	};

	message(fd, WIRE_HELLO, &hello, sizeof(hello), NULL);
	if (recv(fd, &config, sizeof(config), MSG_WAITALL) != (ssize_t)sizeof(config) ||
	    config.version != MODEL_VERSION || config.size != sizeof(config))
		_exit(93);
}

/* The program's mappings with a file behind them, all of them as if QEMU had made them: not
 * executable. */
static void send_maps(int fd)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], path[400], prot[5];
	unsigned long start, end, offset, inode;
	unsigned int major, minor;

	while (maps && fgets(line, sizeof(line), maps)) {
		struct wire_map m = { .cycles = 1 };

		if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %399s", &start, &end, prot, &offset,
			   &major, &minor, &inode, path) != 8 ||
		    path[0] != '/')
			continue;
		m.start = start;
		m.size = end - start;
		m.offset = offset;
		m.inode = inode;
		m.pid = getpid();
		m.major = major;
		m.minor = minor;
		m.prot = prot[1] == 'w' ? 3 : 1;
		message(fd, WIRE_MAP, &m, sizeof(m), path);
	}
	fclose(maps);
}

static void send_tasks(int fd)
{
	struct wire_task first = { .cycles = 1, .pid = getpid(), .tid = getpid() };
	struct wire_task second = {
		.cycles = 2, .pid = getpid(), .tid = getpid() + 1, .parent_tid = getpid()
	};

	message(fd, WIRE_COMM, &first, sizeof(first), "faker");
	message(fd, WIRE_TASK, &first, sizeof(first), NULL);
	message(fd, WIRE_TASK, &second, sizeof(second), NULL);
}

static void send_samples(int fd, int count, uint64_t cycles)
{
	static const uint8_t ops[] = { MODEL_READ, MODEL_WRITE, MODEL_RMW };
	struct model_sample s[3] = { 0 };

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < 3; k++) {
			s[k] = (struct model_sample){ .cycles = cycles + 300 * i + 100 * k,
						      .ip = (uintptr_t)send_samples,
						      .addr = (uintptr_t)&shared[k],
						      .period = 1,
						      .tid = getpid() + (i & 1),
						      .latency = 100 + k,
						      .cpu = i & 1,
						      .size = 8,
						      .op = ops[k],
						      .outcome = MODEL_HITM,
						      .distance = i % MODEL_DISTANCES };
		}
		message(fd, WIRE_SAMPLES, s, sizeof(s), NULL);
	}
}

static void send_totals(int fd)
{
	struct model_thread_total thread = { .tid = getpid() + 1,
					     .cpu = 1,
					     .cycles = { 100, 200, 300 },
					     .started = { 50, 50, 50 } };
	struct model_line_total line = { .addr = (uintptr_t)shared,
					 .hitm = { { 1 }, { 2 }, { 3 } },
					 .accesses = 99 };
	struct model_total total = {
		.cycles = { 1000, 2000, 3000 }, .hitm = { 10, 20, 30 }, .threads = 2, .accesses = 99
	};

	message(fd, WIRE_THREAD, &thread, sizeof(thread), NULL);
	message(fd, WIRE_LINE, &line, sizeof(line), NULL);
	message(fd, WIRE_TOTAL, &total, sizeof(total), NULL);
}

static int start(void)
{
	int fd = connect_door();

	greet(fd);
	send_maps(fd);
	send_tasks(fd);
	return fd;
}

static int good(int count)
{
	int fd = start();

	send_samples(fd, count, 1000);
	message(fd, WIRE_REMARK, NULL, 0, "a remark");
	send_totals(fd);
	close(fd);
	return 0;
}

static int do_good(void)
{
	return good(10);
}

static int do_many(void)
{
	return good(30000);
}

static int do_fail(void)
{
	good(10);
	return 7;
}

static int do_crash(void)
{
	send_samples(start(), 10, 1000);
	raise(SIGSEGV);
	return 0;
}

static int do_hang(void)
{
	send_samples(start(), 10, 1000);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (pause())
		;
	return 0;
}

static int do_silent(void)
{
	return 0;
}

static int do_fork(void)
{
	int fd = start(), status;
	pid_t child = fork();

	if (!child) {
		close(fd);
		_exit(good(5));
	}
	waitpid(child, &status, 0);
	send_samples(fd, 10, 1000);
	send_totals(fd);
	return status;
}

/* What follows the greeting is wrong; the receiver must drop the door, not fall over. */
static int wrong(enum wire_type type, uint32_t size, const void *body, size_t body_size)
{
	int fd = start();
	struct wire_head head = { type, size };

	send_samples(fd, 10, 1000);
	send_all(fd, &head, sizeof(head));
	if (body_size)
		send_all(fd, body, body_size);
	usleep(100000); /* the receiver hangs up */
	return 0;
}

static int do_bad_type(void)
{
	return wrong(77, 16, "12345678", 8);
}

static int do_bad_size(void)
{
	return wrong(WIRE_SAMPLES, UINT32_MAX, NULL, 0);
}

static int do_tiny(void)
{
	return wrong(WIRE_SAMPLES, 3, NULL, 0);
}

static int do_short(void)
{
	return wrong(WIRE_TOTAL, sizeof(struct wire_head), NULL, 0);
}

static int do_part(void)
{
	return wrong(WIRE_SAMPLES, sizeof(struct wire_head) + 8, "12345678", 8);
}

static int do_nonsense(void)
{
	struct model_sample s = { .op = 200, .cpu = 60000 };

	return wrong(WIRE_SAMPLES, sizeof(struct wire_head) + sizeof(s), &s, sizeof(s));
}

static int do_cut(void)
{
	return wrong(WIRE_SAMPLES, 4096, "1234", 4);
}

static int do_old_version(void)
{
	struct wire_hello hello = { .version = MODEL_VERSION + 1, .pid = getpid() };

	message(connect_door(), WIRE_HELLO, &hello, sizeof(hello), NULL);
	usleep(100000);
	return 0;
}

static int do_notes(void)
{
	FILE *notes = fopen(getenv("HITMAP_NOTES"), "a");

	fprintf(notes, "object %p %zu long shared words\noperation 42 thing done\nrubbish\n",
		(void *)shared, sizeof(shared));
	fclose(notes);
	return good(10);
}

static const struct {
	const char *name;
	int (*run)(void);
} behaviours[] = {
	{ "good", do_good },	     { "many", do_many },	  { "fail", do_fail },
	{ "crash", do_crash },	     { "hang", do_hang },	  { "silent", do_silent },
	{ "fork", do_fork },	     { "bad-type", do_bad_type }, { "bad-size", do_bad_size },
	{ "tiny", do_tiny },	     { "short", do_short },	  { "part", do_part },
	{ "nonsense", do_nonsense }, { "cut", do_cut },		  { "old", do_old_version },
	{ "notes", do_notes },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(behaviours) / sizeof(*behaviours); i++)
		if (!strcmp(argv[1], behaviours[i].name))
			return behaviours[i].run();
	fprintf(stderr, "usage: %s BEHAVIOUR\n", argv[0]);
	return 2;
}
