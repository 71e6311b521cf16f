// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "door.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The other end: one thread that takes one connection and counts messages by type. */

struct peer {
	char folder[32], path[64];
	int listener;
	pthread_t thread;
	struct wire_hello hello;
	unsigned int seen[WIRE_REMARK + 1];
	struct model_total total;
	bool hang_up; /* right after the configuration */
};

static struct model_config config(void)
{
	struct model_config c = { .version = MODEL_VERSION, .size = sizeof(c), .quantum = 4096,
				  .hit_period = 64, .seed = 1 };
	struct model_machine *m = &c.machine;

	m->mhz = 1000;
	m->line_size = 64;
	m->cpus = 4;
	m->hit = 1;
	m->locked = 18;
	for (uint16_t i = 0; i < 4; i++)
		m->core[i] = m->order[i] = i;
	for (int d = 0; d < MODEL_DISTANCES; d++)
		m->hitm[d] = m->upgrade[d] = m->clean[d] = 100;
	m->memory = 200;
	return c;
}

static bool read_exactly(int fd, void *to, size_t size)
{
	char *p = to;
	ssize_t n;

	for (; size; p += n, size -= (size_t)n)
		if ((n = read(fd, p, size)) <= 0)
			return false;
	return true;
}

static void take(struct peer *p, const struct wire_head *head, const void *body)
{
	p->seen[head->type]++;
	if (head->type == WIRE_HELLO)
		memcpy(&p->hello, body, sizeof(p->hello));
	if (head->type == WIRE_TOTAL)
		memcpy(&p->total, body, sizeof(p->total));
}

static void *peer_main(void *arg)
{
	static char body[WIRE_MESSAGE];
	struct model_config reply = config();
	struct peer *p = arg;
	int fd = accept(p->listener, NULL, NULL);
	struct wire_head head;

	while (read_exactly(fd, &head, sizeof(head)) && head.size >= sizeof(head) &&
	       head.size <= WIRE_MESSAGE && head.type && head.type <= WIRE_REMARK &&
	       read_exactly(fd, body, head.size - sizeof(head))) {
		take(p, &head, body);
		if (head.type == WIRE_HELLO && write(fd, &reply, sizeof(reply)) < 0)
			break;
		if (p->hang_up)
			break;
	}
	close(fd);
	return NULL;
}

static void peer_open(struct peer *p)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(p->folder, "/tmp/hitmap-door-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->path, sizeof(p->path), "%s/s", p->folder);
	strcpy(address.sun_path, p->path);
	p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(p->listener, 4), 0);
	assert_int_equal(pthread_create(&p->thread, NULL, peer_main, p), 0);
}

static void peer_close(struct peer *p)
{
	pthread_join(p->thread, NULL);
	close(p->listener);
	unlink(p->path);
	rmdir(p->folder);
}

/* ---- Tests */

static void two_threads_on_a_line_are_told_to_the_other_end(void **state)
{
	static struct door_thread first, second;
	struct model_site site = { .ip = 0x1000, .cost = 3 };
	struct peer p = { 0 };
	struct door *d;

	peer_open(&p);
	d = door_open(p.path, "test", "a test");
	assert_non_null(d);
	assert_true(door_begin(d));
	door_thread_start(d, &first, NULL);
	door_thread_run(d, &first);
	door_thread_start(d, &second, &first);
	door_thread_run(d, &second);
	for (int i = 0; i < 100; i++) {
		struct door_thread *t = i & 1 ? &second : &first;

		assert_true(door_enter(t));
		assert_false(door_enter(t)); /* a signal handler in between */
		model_access(t->model, 0x4000, 8, MODEL_RMW, &site, NULL);
		door_leave(t);
	}
	door_comm(d, (uint32_t)getpid(), "name");
	door_thread_end(d, &second);
	door_finish(d);
	assert_false(door_enter(&first));
	peer_close(&p);
	assert_string_equal(p.hello.door, "test");
	assert_int_equal(p.hello.pid, getpid());
	assert_int_equal(p.seen[WIRE_TASK], 2);
	assert_int_equal(p.seen[WIRE_EXIT], 1);
	assert_int_equal(p.seen[WIRE_COMM], 1);
	assert_int_equal(p.seen[WIRE_THREAD], 2);
	assert_int_equal(p.seen[WIRE_TOTAL], 1);
	assert_true(p.seen[WIRE_SAMPLES] >= 1);
	assert_true(p.seen[WIRE_MAP] > 3);
	assert_int_equal(p.total.accesses, 100);
}

static void a_program_runs_on_when_the_other_end_is_gone(void **state)
{
	static struct door_thread first;
	struct peer p = { .hang_up = true };
	struct door *d;

	peer_open(&p);
	d = door_open(p.path, "test", "");
	assert_non_null(d);
	peer_close(&p);
	assert_true(door_begin(d));
	door_thread_start(d, &first, NULL);
	door_thread_run(d, &first); /* sends: the connection is found broken */
	assert_false(door_enter(&first));
	door_remark(d, "nobody hears this");
	door_finish(d);
}

static void without_another_end_there_is_no_door(void **state)
{
	char long_path[300];

	assert_null(door_open("/nonexistent/socket", "test", ""));
	assert_int_equal(errno, ENOENT);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = 0;
	assert_null(door_open(long_path, "test", ""));
	assert_int_equal(errno, ENAMETOOLONG);
}

static void a_child_forgets_its_parents_model_and_connection(void **state)
{
	static struct door_thread first;
	struct peer p = { 0 };
	struct door *d;
	int status = 0;
	pid_t pid;

	peer_open(&p);
	d = door_open(p.path, "test", "");
	assert_non_null(d);
	assert_true(door_begin(d));
	door_thread_start(d, &first, NULL);
	door_thread_run(d, &first);
	assert_false(door_is_forked(d));
	pid = fork();
	if (!pid) {
		bool seen = door_is_forked(d);

		door_forked(d);
		_exit(!(seen && !door_is_forked(d) && door_descriptor(d) < 0 && !door_enter(&first)));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(door_enter(&first)); /* the parent's goes on */
	door_leave(&first);
	door_finish(d);
	peer_close(&p);
	assert_int_equal(p.seen[WIRE_TOTAL], 1);
}

static void map_lines_are_read(void **state)
{
	char file[] = "7f0a1000-7f0a3000 r-xp 0001f000 fd:01 1234567      /usr/lib/a b.so";
	char anonymous[] = "00400000-00401000 rw-s 00000000 00:00 0 ";
	struct door_region r;

	assert_true(door_region_parse(file, &r));
	assert_int_equal(r.start, 0x7f0a1000);
	assert_int_equal(r.end, 0x7f0a3000);
	assert_int_equal(r.offset, 0x1f000);
	assert_int_equal(r.major, 0xfd);
	assert_int_equal(r.minor, 1);
	assert_int_equal(r.inode, 1234567);
	assert_int_equal(r.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(r.flags, MAP_PRIVATE);
	assert_string_equal(r.path, "/usr/lib/a b.so");
	assert_true(door_region_parse(anonymous, &r));
	assert_string_equal(r.path, "");
	assert_int_equal(r.flags, MAP_SHARED);
}

static void other_lines_are_no_maps(void **state)
{
	static const char *const lines[] = { "", "-", "12", "12-", "12-10 rw-p 0 0:0 0", "12-20 rw",
					     "zz-20 rw-p 0 0:0 0", "12-20 rw-p 0 0 0" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct door_region r;
		char text[64];

		strcpy(text, lines[i]);
		assert_false(door_region_parse(text, &r));
	}
}

static void a_pipe_waits_until_it_has_data(void **state)
{
	struct door_file reader, writer, disk;
	int ends[2], fd = fileno(tmpfile());

	assert_int_equal(pipe(ends), 0);
	door_file(ends[0], true, &reader);
	door_file(ends[1], false, &writer);
	assert_true(reader.blocks);
	assert_false(writer.blocks);
	assert_true(reader.key && reader.key == writer.other);
	assert_true(writer.key && writer.key == reader.other);
	assert_int_equal(write(ends[1], "x", 1), 1);
	door_file(ends[0], true, &reader);
	assert_false(reader.blocks);
	door_file(fd, true, &disk);
	assert_false(disk.blocks);
	assert_int_equal(disk.key, 0);
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_on_a_line_are_told_to_the_other_end),
		cmocka_unit_test(a_program_runs_on_when_the_other_end_is_gone),
		cmocka_unit_test(without_another_end_there_is_no_door),
		cmocka_unit_test(a_child_forgets_its_parents_model_and_connection),
		cmocka_unit_test(map_lines_are_read),
		cmocka_unit_test(other_lines_are_no_maps),
		cmocka_unit_test(a_pipe_waits_until_it_has_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
