// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

/* False when the program gave an address that is not its own. */
static bool guest_read(const struct guest *g, uint64_t addr, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)(addr + g->base), size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static uint32_t guest_word(const struct guest *g, uint64_t addr)
{
	uint32_t word = 0;

	guest_read(g, addr, &word, sizeof(word));
	return word;
}

/* ---- Waiting and waking */

static void wait_begin(struct guest_thread *t, uint64_t key)
{
	if (!door_enter(&t->door))
		return;
	model_wait(t->door.model, key);
	t->waiting = true;
	door_leave(&t->door);
}

static void wait_end(struct guest_thread *t, bool woken)
{
	if (!t->waiting)
		return;
	t->waiting = false;
	if (!door_enter(&t->door))
		return;
	model_resume(t->door.model, woken);
	door_leave(&t->door);
}

static void wake(struct guest_thread *t, uint64_t key, uint32_t n)
{
	if (!n || !door_enter(&t->door))
		return;
	model_wake(t->door.model, key, n);
	door_leave(&t->door);
}

static void call_block(struct guest *g, struct guest_thread *t)
{
	(void)g;
	wait_begin(t, 0);
}

static void call_resume(struct guest *g, struct guest_thread *t, int64_t result)
{
	(void)g;
	wait_end(t, result >= 0);
}

static void call_yield(struct guest *g, struct guest_thread *t)
{
	(void)g;
	if (!door_enter(&t->door))
		return;
	model_yield(t->door.model);
	door_leave(&t->door);
}

/* ---- Files */

/* A pipe's other end is woken before the call when it writes, after it when it reads: then there is
 * room. */
static void call_transfer(struct guest_thread *t, bool reads)
{
	struct door_file file;

	t->wake_after = 0;
	if (!t->door.on)
		return;
	door_file((int)t->args[0], reads, &file);
	if (reads)
		t->wake_after = file.other;
	else if (file.other)
		wake(t, file.other, 1);
	if (file.blocks)
		wait_begin(t, file.key);
}

static void call_reads(struct guest *g, struct guest_thread *t)
{
	(void)g;
	call_transfer(t, true);
}

static void call_writes(struct guest *g, struct guest_thread *t)
{
	(void)g;
	call_transfer(t, false);
}

static void call_transferred(struct guest *g, struct guest_thread *t, int64_t result)
{
	(void)g;
	wait_end(t, result >= 0);
	if (t->wake_after && result > 0)
		wake(t, t->wake_after, 1);
	t->wake_after = 0;
}

static void call_fcntl(struct guest *g, struct guest_thread *t)
{
	(void)g;
	if (t->args[1] == F_SETLKW)
		wait_begin(t, 0);
}

/* The program closes or replaces a descriptor number that the door has taken. */
static void call_close(struct guest *g, struct guest_thread *t)
{
	if ((int)t->args[0] == door_descriptor(g->door))
		door_move(g->door);
}

static void call_dup(struct guest *g, struct guest_thread *t)
{
	if ((int)t->args[1] == door_descriptor(g->door))
		door_move(g->door);
}

static void call_close_range(struct guest *g, struct guest_thread *t)
{
	int fd = door_descriptor(g->door);

	if (fd < 0 || (uint32_t)fd < (uint32_t)t->args[0] || (uint32_t)fd > (uint32_t)t->args[1])
		return;
	door_remark(g->door, "process %d closed all its descriptors: not modelled from there on",
		    getpid());
	door_finish(g->door);
}

/* ---- Futexes */

static void guest_lock(struct guest *g)
{
	while (__atomic_exchange_n(&g->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void guest_unlock(struct guest *g)
{
	__atomic_store_n(&g->lock, 0, __ATOMIC_RELEASE);
}

/* A word's own waiters first, then those moved to it. */
static void futex_wake(struct guest *g, struct guest_thread *t, uint64_t addr, uint64_t n)
{
	n &= 0x7fffffff;
	wake(t, addr, (uint32_t)n);
	guest_lock(g);
	for (size_t i = 0; i < sizeof(g->requeues) / sizeof(g->requeues[0]); i++) {
		struct guest_requeue *r = &g->requeues[i];
		uint64_t moved = r->count < n ? r->count : n;

		if (r->to != addr || !moved)
			continue;
		wake(t, r->from, (uint32_t)moved);
		r->count -= moved;
		n -= moved;
	}
	guest_unlock(g);
}

/* How many really move is the kernel's knowledge: an upper bound only makes later wakes find
 * nobody. */
static void futex_requeue(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	struct guest_requeue *slot = NULL;

	futex_wake(g, t, addr, t->args[2]);
	guest_lock(g);
	for (size_t i = 0; i < sizeof(g->requeues) / sizeof(g->requeues[0]); i++) {
		struct guest_requeue *r = &g->requeues[i];

		if ((r->from == addr && r->to == t->args[4]) || (!slot && !r->count))
			slot = r;
	}
	if (slot && !(slot->from == addr && slot->to == t->args[4]))
		*slot = (struct guest_requeue){ .from = addr, .to = t->args[4] };
	if (slot)
		slot->count = (slot->count + t->args[3]) & 0x7fffffff;
	guest_unlock(g);
}

/* The comparison of FUTEX_WAKE_OP, with the value that the second word has now. */
static bool wake_op_compares(uint32_t encoded, uint32_t old)
{
	uint32_t arg = encoded & 0xfff;
	const bool results[] = {
		old == arg, old != arg,
		(int32_t)old<(int32_t)arg, (int32_t)old <= (int32_t)arg, (int32_t)old>(int32_t) arg,
		(int32_t)old >= (int32_t)arg
	};
	uint32_t cmp = encoded >> 24 & 0xf;

	return cmp < sizeof(results) / sizeof(results[0]) && results[cmp];
}

static void futex_wake_op(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	bool second = wake_op_compares((uint32_t)t->args[5], guest_word(g, t->args[4]));

	futex_wake(g, t, addr, t->args[2]);
	if (second)
		futex_wake(g, t, t->args[4], t->args[3]);
}

/* A wait for a value that is gone already returns at once. */
static void futex_wait(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	if (guest_word(g, addr) == (uint32_t)t->args[2])
		wait_begin(t, addr);
}

static void futex_lock_pi(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	if (guest_word(g, addr) & FUTEX_TID_MASK)
		wait_begin(t, addr);
}

static void futex_unlock_pi(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	futex_wake(g, t, addr, 1);
}

static void futex_wakes(struct guest *g, struct guest_thread *t, uint64_t addr)
{
	futex_wake(g, t, addr, t->args[2]);
}

static void call_futex(struct guest *g, struct guest_thread *t)
{
	static void (*const ops[])(struct guest *, struct guest_thread *, uint64_t) = {
		[FUTEX_WAIT] = futex_wait,
		[FUTEX_WAKE] = futex_wakes,
		[FUTEX_REQUEUE] = futex_requeue,
		[FUTEX_CMP_REQUEUE] = futex_requeue,
		[FUTEX_WAKE_OP] = futex_wake_op,
		[FUTEX_LOCK_PI] = futex_lock_pi,
		[FUTEX_UNLOCK_PI] = futex_unlock_pi,
		[FUTEX_WAIT_BITSET] = futex_wait,
		[FUTEX_WAKE_BITSET] = futex_wakes,
		[FUTEX_WAIT_REQUEUE_PI] = futex_wait,
		[FUTEX_CMP_REQUEUE_PI] = futex_requeue,
		[13] = futex_lock_pi, /* FUTEX_LOCK_PI2, Linux 5.14 */
	};
	uint64_t op = t->args[1] & 127;

	if (op < sizeof(ops) / sizeof(ops[0]) && ops[op])
		ops[op](g, t, t->args[0]);
}

static void call_futex_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	(void)g;
	wait_end(t, result == 0);
}

/* ---- Memory */

/*
 * A shared mapping switches QEMU to translation for several threads, as the first clone does.
 * Blocks made from then on live on into the multi-threaded part of the run, so they need the
 * callbacks.
 */
static void guest_parallel(struct guest *g)
{
	__atomic_store_n(&g->parallel, true, __ATOMIC_RELAXED);
}

static void call_mmap(struct guest *g, struct guest_thread *t)
{
	if (t->args[3] & MAP_SHARED)
		guest_parallel(g);
}

static void call_shmat(struct guest *g, struct guest_thread *t)
{
	(void)t;
	guest_parallel(g);
}

static void map_anonymous(struct guest *g, uint64_t start, uint64_t size, uint32_t prot,
			  const char *name)
{
	struct door_region r = { .start = start,
				 .end = start + size,
				 .prot = prot,
				 .flags = MAP_PRIVATE,
				 .path = name };

	door_map(g->door, &r);
}

static void map_file(struct guest *g, const struct guest_thread *t, uint64_t start)
{
	char link[64], path[WIRE_TEXT];
	struct door_region r = { .start = start,
				 .end = start + t->args[1],
				 .offset = t->args[5],
				 .prot = (uint32_t)t->args[2],
				 .flags = (uint32_t)t->args[3] & MAP_TYPE,
				 .path = path };
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)t->args[4]);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || fstat((int)t->args[4], &st))
		return;
	path[n] = 0;
	r.inode = st.st_ino;
	r.major = major(st.st_dev);
	r.minor = minor(st.st_dev);
	door_map(g->door, &r);
}

static bool is_address(int64_t result)
{
	return result < -4095 || result > 0;
}

static void call_mmap_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	if (!is_address(result) || t->args[2] == PROT_NONE)
		return;
	if (t->args[3] & MAP_ANONYMOUS)
		map_anonymous(g, (uint64_t)result, t->args[1], (uint32_t)t->args[2], "//anon");
	else
		map_file(g, t, (uint64_t)result);
}

/* glibc reserves thread stacks and heaps without access, and then opens what it uses. */
static void call_mprotect_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	if (!result && t->args[2] & PROT_WRITE)
		map_anonymous(g, t->args[0], t->args[1], (uint32_t)t->args[2], "//anon");
}

static void call_mremap_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	if (is_address(result))
		map_anonymous(g, (uint64_t)result, t->args[2], PROT_READ | PROT_WRITE, "//anon");
}

static void call_brk_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	uint64_t end = (uint64_t)result;

	(void)t;
	if (!g->heap_start)
		g->heap_start = g->heap_end = end;
	if (end <= g->heap_end)
		return;
	g->heap_end = end;
	map_anonymous(g, g->heap_start, end - g->heap_start, PROT_READ | PROT_WRITE, "[heap]");
}

/* ---- Processes and threads */

static void call_clone(struct guest *g, struct guest_thread *t)
{
	(void)g;
	t->child = NULL;
	t->child_clear_tid = t->args[0] & CLONE_CHILD_CLEARTID ? t->args[3] : 0;
}

static void call_clone3(struct guest *g, struct guest_thread *t)
{
	struct {
		uint64_t flags, pidfd, child_tid;
	} args;

	t->child = NULL;
	t->child_clear_tid = 0;
	if (guest_read(g, t->args[0], &args, sizeof(args)) && args.flags & CLONE_CHILD_CLEARTID)
		t->child_clear_tid = args.child_tid;
}

static void child_forget(struct guest *g, struct guest_thread *t)
{
	door_forked(g->door);
	g->maps_sent = false;
	g->lock = 0;
	memset(g->requeues, 0, sizeof(g->requeues));
	t->waiting = false;
	t->door.tid = 0;
}

static void call_clone_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	if (result == 0 && door_is_forked(g->door))
		child_forget(g, t);
	else if (result < 0 && t->child)
		door_thread_end(g->door, &t->child->door);
	t->child = NULL;
}

static void call_set_tid_address(struct guest *g, struct guest_thread *t)
{
	(void)g;
	t->clear_tid = t->args[0];
}

/* pthread_join() waits for this word; the kernel, here QEMU, wakes it without a system call. */
static void call_exit(struct guest *g, struct guest_thread *t)
{
	if (!t->door.number)
		return;
	if (t->clear_tid)
		futex_wake(g, t, t->clear_tid, INT32_MAX);
	door_thread_end(g->door, &t->door);
}

static void exec_path(struct guest *g, int folder, uint64_t addr)
{
	char path[256] = "";

	for (size_t i = 0; i + 1 < sizeof(path); i++)
		if (!guest_read(g, addr + i, &path[i], 1) || !path[i])
			break;
	if (path[0] && faccessat(folder, path, X_OK, 0))
		return; /* the search along PATH goes on */
	if (!door_reach(g->door))
		return;
	door_remark(g->door, "process %d ran %s natively: not modelled", getpid(), path);
	door_finish(g->door);
}

static void call_execve(struct guest *g, struct guest_thread *t)
{
	exec_path(g, AT_FDCWD, t->args[0]);
}

static void call_execveat(struct guest *g, struct guest_thread *t)
{
	exec_path(g, (int)t->args[0], t->args[1]);
}

static void call_prctl_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	char name[17] = "";

	if (t->args[0] != PR_SET_NAME || result || prctl(PR_GET_NAME, name, 0, 0, 0))
		return;
	door_comm(g->door, (uint32_t)gettid(), name);
}

/* ---- Signals */

static void call_sigaction_return(struct guest *g, struct guest_thread *t, int64_t result)
{
	uint64_t handler;

	if (result || t->args[0] > 63 || !t->args[1] ||
	    !guest_read(g, t->args[1], &handler, sizeof(handler)))
		return;
	if (handler)
		__atomic_or_fetch(&g->handled, 1ULL << t->args[0], __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&g->handled, ~(1ULL << t->args[0]), __ATOMIC_RELAXED);
}

/* abort() and the like: QEMU ends the process without telling its plugins. */
static void signal_self(struct guest *g, uint64_t sig)
{
	static const uint64_t harmless = 1ULL << SIGCHLD | 1ULL << SIGCONT | 1ULL << SIGSTOP |
					 1ULL << SIGTSTP | 1ULL << SIGTTIN | 1ULL << SIGTTOU |
					 1ULL << SIGURG | 1ULL << SIGWINCH;

	/* 32, 33: the C library's own */
	if (sig && sig < 32 && !((harmless | g->handled) >> sig & 1) && !door_is_forked(g->door))
		door_finish(g->door);
}

static void call_kill(struct guest *g, struct guest_thread *t)
{
	if ((int)t->args[0] == getpid())
		signal_self(g, t->args[1]);
}

static void call_tgkill(struct guest *g, struct guest_thread *t)
{
	if ((int)t->args[0] == getpid())
		signal_self(g, t->args[2]);
}

static void call_tkill(struct guest *g, struct guest_thread *t)
{
	signal_self(g, t->args[1]);
}

/* ---- The table, by number of the system call; guest and host are both x86-64. */

struct call {
	void (*enter)(struct guest *g, struct guest_thread *t);
	void (*leave)(struct guest *g, struct guest_thread *t, int64_t result);
};

#define BLOCKS                                                                                     \
	{                                                                                          \
		call_block, call_resume                                                            \
	}
#define READS                                                                                      \
	{                                                                                          \
		call_reads, call_transferred                                                       \
	}
#define WRITES                                                                                     \
	{                                                                                          \
		call_writes, call_transferred                                                      \
	}

static const struct call calls[] = {
	[SYS_read] = READS,
	[SYS_readv] = READS,
	[SYS_pread64] = READS,
	[SYS_recvfrom] = READS,
	[SYS_recvmsg] = READS,
	[SYS_write] = WRITES,
	[SYS_writev] = WRITES,
	[SYS_sendto] = WRITES,
	[SYS_sendmsg] = WRITES,
	[SYS_accept] = BLOCKS,
	[SYS_accept4] = BLOCKS,
	[SYS_clock_nanosleep] = BLOCKS,
	[SYS_connect] = BLOCKS,
	[SYS_epoll_pwait] = BLOCKS,
	[SYS_epoll_wait] = BLOCKS,
	[SYS_flock] = BLOCKS,
	[SYS_fdatasync] = BLOCKS,
	[SYS_fsync] = BLOCKS,
	[SYS_io_getevents] = BLOCKS,
	[SYS_io_uring_enter] = BLOCKS,
	[SYS_mq_timedreceive] = BLOCKS,
	[SYS_mq_timedsend] = BLOCKS,
	[SYS_msgrcv] = BLOCKS,
	[SYS_msgsnd] = BLOCKS,
	[SYS_nanosleep] = BLOCKS,
	[SYS_pause] = BLOCKS,
	[SYS_poll] = BLOCKS,
	[SYS_ppoll] = BLOCKS,
	[SYS_pselect6] = BLOCKS,
	[SYS_recvmmsg] = BLOCKS,
	[SYS_rt_sigsuspend] = BLOCKS,
	[SYS_rt_sigtimedwait] = BLOCKS,
	[SYS_select] = BLOCKS,
	[SYS_semop] = BLOCKS,
	[SYS_semtimedop] = BLOCKS,
	[SYS_splice] = BLOCKS,
	[SYS_wait4] = BLOCKS,
	[SYS_waitid] = BLOCKS,
	[SYS_fcntl] = { call_fcntl, call_resume },
	[SYS_futex] = { call_futex, call_futex_return },
	[SYS_sched_yield] = { call_yield, NULL },
	[SYS_mmap] = { call_mmap, call_mmap_return },
	[SYS_mprotect] = { NULL, call_mprotect_return },
	[SYS_mremap] = { NULL, call_mremap_return },
	[SYS_shmat] = { call_shmat, NULL },
	[SYS_brk] = { NULL, call_brk_return },
	[SYS_close] = { call_close, NULL },
	[436] = { call_close_range, NULL },
	[SYS_dup2] = { call_dup, NULL },
	[SYS_dup3] = { call_dup, NULL },
	[SYS_clone] = { call_clone, call_clone_return },
	[435] = { call_clone3, call_clone_return },
	[SYS_fork] = { NULL, call_clone_return },
	[SYS_vfork] = { NULL, call_clone_return },
	[SYS_set_tid_address] = { call_set_tid_address, NULL },
	[SYS_exit] = { call_exit, NULL },
	[SYS_execve] = { call_execve, NULL },
	[SYS_execveat] = { call_execveat, NULL },
	[SYS_prctl] = { NULL, call_prctl_return },
	[SYS_rt_sigaction] = { NULL, call_sigaction_return },
	[SYS_kill] = { call_kill, NULL },
	[SYS_tkill] = { call_tkill, NULL },
	[SYS_tgkill] = { call_tgkill, NULL },
};

static const struct call *call_of(int64_t number)
{
	static const struct call none;

	return number >= 0 && number < (int64_t)(sizeof(calls) / sizeof(calls[0])) ? &calls[number]
										   : &none;
}

void guest_introduce(struct guest *g)
{
	const char *path = g->program(), *slash = path ? strrchr(path, '/') : NULL;

	if (g->maps_sent || door_descriptor(g->door) < 0)
		return;
	g->maps_sent = true;
	if (path)
		door_comm(g->door, (uint32_t)getpid(), slash ? slash + 1 : path);
	door_maps_send(g->door);
}

void guest_call(struct guest *g, struct guest_thread *t, int64_t number, const uint64_t args[6])
{
	const struct call *c = call_of(number);

	if (!g->maps_sent)
		guest_introduce(g);
	memcpy(t->args, args, sizeof(t->args));
	if (c->enter)
		c->enter(g, t);
	door_flush_old(g->door);
}

void guest_call_return(struct guest *g, struct guest_thread *t, int64_t number, int64_t result)
{
	const struct call *c = call_of(number);

	if (c->leave)
		c->leave(g, t, result);
}
