// SPDX-License-Identifier: GPL-2.0-only
/*
 * Library calls that wait, wake or make threads, defined over the C library's own. They report what
 * the QEMU door sees glibc do to the lock words: at the address of the real function, so that both
 * doors name the same symbol, in the same order. Real locks are tried first: whoever gets in is
 * reported after the real operation, whoever gives up before it.
 */
#include "hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The C library's function of this name. dlsym() alone may give the condition variables of 1999. */
static void *real_find(const char *name)
{
	void *p = NULL;

#ifdef __x86_64__
	if (!strncmp(name, "pthread_cond_", 13))
		p = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
	return p ? p : dlsym(RTLD_NEXT, name);
}

/* A pointer cached in the calling function; looking it up twice does no harm. */
#define REAL(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&name) cached;                                                   \
		__typeof__(&name) f = __atomic_load_n(&cached, __ATOMIC_RELAXED);                  \
                                                                                                   \
		if (!f) {                                                                          \
			f = (__typeof__(&name))real_find(#name);                                   \
			__atomic_store_n(&cached, f, __ATOMIC_RELAXED);                            \
		}                                                                                  \
		f;                                                                                 \
	})
#define IP(name) ((uint64_t)(uintptr_t)REAL(name))

/* ---- Waiting and waking */

/* Waiters by hash of their key: a wake without one costs nothing. Counted before the real wait. */
static uint32_t waiters[4096];

static uint32_t *waiters_of(uint64_t key)
{
	return &waiters[(key * 0x9e3779b97f4a7c15ULL) >> 52];
}

static bool wait_begin(uint64_t key)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return false;
	__atomic_add_fetch(waiters_of(key), 1, __ATOMIC_SEQ_CST);
	model_wait(t->model, key);
	door_flush_old(hooks_door());
	door_leave_for_call(t);
	return true;
}

static void wait_end(uint64_t key, bool woken)
{
	struct door_thread *t;
	int saved = errno;

	door_leave(hooks_self);
	t = hooks_enter();
	__atomic_sub_fetch(waiters_of(key), 1, __ATOMIC_SEQ_CST);
	if (t) {
		model_resume(t->model, woken);
		door_leave(t);
	}
	errno = saved;
}

static void wake(struct door_thread *t, uint64_t key, uint32_t n)
{
	if (__atomic_load_n(waiters_of(key), __ATOMIC_SEQ_CST))
		model_wake(t->model, key, n);
}

static uint64_t key_of(const volatile void *object)
{
	return (uint64_t)(uintptr_t)object;
}

/* Runs "call" with the thread waiting for "key". */
#define WAITING(key, call, woken)                                                                  \
	({                                                                                         \
		bool waits = wait_begin(key);                                                      \
		__typeof__(call) waited = call;                                                    \
                                                                                                   \
		if (waits)                                                                         \
			wait_end(key, woken);                                                      \
		waited;                                                                            \
	})

/* ---- Mutexes, as glibc keeps them: kind, lock word, owner, users */

static const int unlocked_word, locked_word = 1;

static void mutex_kind(struct door_thread *t, pthread_mutex_t *m, uint64_t ip)
{
	hooks_report(t, &m->__data.__kind, 4, MODEL_READ, ip, HOOK_PLAIN, &m->__data.__kind);
}

static void mutex_take(struct door_thread *t, pthread_mutex_t *m, uint64_t ip)
{
	hooks_report(t, &m->__data.__lock, 4, MODEL_RMW, ip, HOOK_MAY_LOCK, &locked_word);
}

static void mutex_owner(struct door_thread *t, pthread_mutex_t *m, uint64_t ip)
{
	hooks_report(t, &m->__data.__owner, 4, MODEL_WRITE, ip + 1, HOOK_PLAIN, &m->__data.__owner);
	hooks_report(t, &m->__data.__nusers, 4, MODEL_READ, ip + 1, HOOK_PLAIN, NULL);
	hooks_report(t, &m->__data.__nusers, 4, MODEL_WRITE, ip + 2, HOOK_PLAIN, NULL);
}

static void mutex_taken(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	mutex_take(t, m, ip);
	mutex_owner(t, m, ip);
	door_leave(t);
}

static void mutex_missed(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	mutex_take(t, m, ip);
	door_leave(t);
}

/* What precedes the release: these are the mutex's last accesses while it is still ours. */
static void mutex_leave(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	mutex_kind(t, m, ip);
	mutex_owner(t, m, ip);
	door_leave(t);
}

/*
 * The release itself. It is reported when it is done: the model may stop a thread at any access,
 * and one that was stopped with the mutex still taken would keep the others from what it waits for.
 * Of the mutex, which may be gone by now, only the address is used.
 */
static void mutex_given(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	hooks_report(t, &m->__data.__lock, 4, MODEL_RMW, ip, HOOK_MAY_LOCK, &unlocked_word);
	wake(t, key_of(m), 1);
	door_leave(t);
}

/* The same where the release comes later, in a call that waits: no stop now. */
static void mutex_lend(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();
	struct model_fast *f;
	uint64_t limit;

	if (!t)
		return;
	f = (struct model_fast *)t->model;
	limit = f->limit;
	f->limit = UINT64_MAX;
	mutex_kind(t, m, ip);
	mutex_owner(t, m, ip);
	hooks_report(t, &m->__data.__lock, 4, MODEL_RMW, ip, HOOK_MAY_LOCK, &unlocked_word);
	wake(t, key_of(m), 1);
	f->limit = limit;
	door_leave(t);
}

static void mutex_look(pthread_mutex_t *m, uint64_t ip)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	mutex_kind(t, m, ip);
	door_leave(t);
}

static bool inert(void)
{
	struct door_thread *t = hooks_self;

	return !t || t->inside || !t->on;
}

/* "real_wait" has got "result" after the real lock was found taken. */
static int mutex_waited(pthread_mutex_t *m, int result, uint64_t ip)
{
	if (!result)
		mutex_taken(m, ip);
	return result;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	int result;

	if (inert())
		return REAL(pthread_mutex_lock)(m);
	mutex_look(m, IP(pthread_mutex_lock));
	result = REAL(pthread_mutex_trylock)(m);
	if (result == EBUSY) {
		mutex_missed(m, IP(pthread_mutex_lock));
		result = WAITING(key_of(m), REAL(pthread_mutex_lock)(m), !waited);
	}
	return mutex_waited(m, result, IP(pthread_mutex_lock));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	int result;

	if (inert())
		return REAL(pthread_mutex_timedlock)(m, until);
	mutex_look(m, IP(pthread_mutex_timedlock));
	result = REAL(pthread_mutex_trylock)(m);
	if (result == EBUSY) {
		mutex_missed(m, IP(pthread_mutex_timedlock));
		result = WAITING(key_of(m), REAL(pthread_mutex_timedlock)(m, until), !waited);
	}
	return mutex_waited(m, result, IP(pthread_mutex_timedlock));
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int result = REAL(pthread_mutex_trylock)(m);

	if (inert())
		return result;
	mutex_look(m, IP(pthread_mutex_trylock));
	if (result)
		mutex_missed(m, IP(pthread_mutex_trylock));
	else
		mutex_taken(m, IP(pthread_mutex_trylock));
	return result;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int result;

	if (inert())
		return REAL(pthread_mutex_unlock)(m);
	mutex_leave(m, IP(pthread_mutex_unlock));
	result = REAL(pthread_mutex_unlock)(m);
	if (!result)
		mutex_given(m, IP(pthread_mutex_unlock));
	return result;
}

/* ---- Condition variables: the mutex is given away, waited for and taken again */

static void touch(const volatile void *object, uint32_t size, uint64_t ip, enum hook_kind kind,
		  const void *value, uint64_t wakes)
{
	struct door_thread *t = hooks_enter();

	if (!t)
		return;
	hooks_report(t, (const void *)object, size, MODEL_RMW, ip, kind, value);
	if (wakes)
		wake(t, key_of(object), (uint32_t)wakes);
	door_leave(t);
}

#define COND_WAIT(name, c, m, call)                                                                \
	({                                                                                         \
		int outcome;                                                                       \
                                                                                                   \
		if (inert()) {                                                                     \
			outcome = call;                                                            \
		} else {                                                                           \
			touch(c, 8, IP(name), HOOK_ATOMIC, NULL, 0);                               \
			mutex_lend(m, IP(pthread_mutex_unlock));                                   \
			outcome = WAITING(key_of(c), call, !waited);                               \
			mutex_taken(m, IP(pthread_mutex_lock));                                    \
		}                                                                                  \
		outcome;                                                                           \
	})

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return COND_WAIT(pthread_cond_wait, c, m, REAL(pthread_cond_wait)(c, m));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *until)
{
	return COND_WAIT(pthread_cond_timedwait, c, m, REAL(pthread_cond_timedwait)(c, m, until));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				  const struct timespec *until)
{
	return COND_WAIT(pthread_cond_clockwait, c, m,
			 REAL(pthread_cond_clockwait)(c, m, clock, until));
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	if (!inert())
		touch(c, 8, IP(pthread_cond_signal), HOOK_ATOMIC, NULL, 1);
	return REAL(pthread_cond_signal)(c);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!inert())
		touch(c, 8, IP(pthread_cond_broadcast), HOOK_ATOMIC, NULL, INT_MAX);
	return REAL(pthread_cond_broadcast)(c);
}

/* ---- Spin locks, reader-writer locks, semaphores, barriers */

EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
	int result;

	if (inert())
		return REAL(pthread_spin_lock)(s);
	result = REAL(pthread_spin_trylock)(s);
	if (result) {
		touch(s, 4, IP(pthread_spin_lock), HOOK_MAY_LOCK, &locked_word, 0);
		result = WAITING(key_of(s), REAL(pthread_spin_lock)(s), true);
	}
	touch(s, 4, IP(pthread_spin_lock), HOOK_MAY_LOCK, &locked_word, 0);
	return result;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
	int result = REAL(pthread_spin_trylock)(s);

	if (!inert())
		touch(s, 4, IP(pthread_spin_trylock), HOOK_MAY_LOCK, &locked_word, 0);
	return result;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
	int result = REAL(pthread_spin_unlock)(s);
	struct door_thread *t = hooks_enter();

	if (t) {
		hooks_report(t, (const void *)s, 4, MODEL_WRITE, IP(pthread_spin_unlock),
			     HOOK_PLAIN, &unlocked_word);
		wake(t, key_of(s), INT_MAX);
		door_leave(t);
	}
	return result;
}

#define RWLOCK(name, try, args, ...)                                                               \
	EXPORT int name args                                                                       \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		if (inert())                                                                       \
			return REAL(name)(__VA_ARGS__);                                            \
		touch(l, 4, IP(name), HOOK_ATOMIC, NULL, 0);                                       \
		result = REAL(try)(l);                                                             \
		if (result != EBUSY)                                                               \
			return result;                                                             \
		return WAITING(key_of(l), REAL(name)(__VA_ARGS__), !waited);                       \
	}

RWLOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), l)
RWLOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), l)
RWLOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
       (pthread_rwlock_t * l, const struct timespec *until), l, until)
RWLOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
       (pthread_rwlock_t * l, const struct timespec *until), l, until)

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	int result = REAL(pthread_rwlock_unlock)(l);

	if (!inert())
		touch(l, 4, IP(pthread_rwlock_unlock), HOOK_ATOMIC, NULL, INT_MAX);
	return result;
}

EXPORT int sem_wait(sem_t *s)
{
	if (inert())
		return REAL(sem_wait)(s);
	touch(s, 8, IP(sem_wait), HOOK_ATOMIC, NULL, 0);
	if (!REAL(sem_trywait)(s))
		return 0;
	return WAITING(key_of(s), REAL(sem_wait)(s), !waited);
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	if (inert())
		return REAL(sem_timedwait)(s, until);
	touch(s, 8, IP(sem_timedwait), HOOK_ATOMIC, NULL, 0);
	if (!REAL(sem_trywait)(s))
		return 0;
	return WAITING(key_of(s), REAL(sem_timedwait)(s, until), !waited);
}

EXPORT int sem_post(sem_t *s)
{
	if (!inert())
		touch(s, 8, IP(sem_post), HOOK_ATOMIC, NULL, 1);
	return REAL(sem_post)(s);
}

/* Arrivals, by hash of the barrier: the last one wakes the others and does not wait. A collision
 * makes one wait that would not; the real barrier decides. */
static uint32_t arrivals[256];

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	uint32_t *arrived = &arrivals[(key_of(b) * 0x9e3779b97f4a7c15ULL) >> 56];
	uint32_t needed, in; /* glibc: in, current round, count */

	if (inert())
		return REAL(pthread_barrier_wait)(b);
	memcpy(&needed, (const char *)b + 8, sizeof(needed));
	in = __atomic_add_fetch(arrived, 1, __ATOMIC_SEQ_CST);
	if (in < needed) {
		touch(b, 4, IP(pthread_barrier_wait), HOOK_ATOMIC, NULL, 0);
		return WAITING(key_of(b), REAL(pthread_barrier_wait)(b), true);
	}
	__atomic_sub_fetch(arrived, needed, __ATOMIC_SEQ_CST);
	touch(b, 4, IP(pthread_barrier_wait), HOOK_ATOMIC, NULL, INT_MAX);
	return REAL(pthread_barrier_wait)(b);
}

/* ---- Threads */

struct start {
	void *(*body)(void *);
	void *arg;
	struct door_thread *thread;
};

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused)
{
	struct door_thread *t;

	(void)unused;
	if (hooks_self && hooks_self->inside == DOOR_IN_CALL) /* it was cancelled there */
		door_leave(hooks_self);
	t = hooks_enter();
	if (t) {
		wake(t, (uint64_t)pthread_self(), INT_MAX);
		door_leave(t);
	}
	hooks_thread_end();
}

static void end_key_make(void)
{
	pthread_key_create(&end_key, thread_ended);
}

/* The stack was mapped behind our back; the thread's own variables are in it, too. */
static void stack_tell(void)
{
	struct door_region r = { .prot = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE, .path = "" };
	pthread_attr_t attr;
	size_t size = 0;
	void *start;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &start, &size) && size) {
		r.start = (uint64_t)(uintptr_t)start;
		r.end = r.start + size;
		door_map(hooks_door(), &r);
	}
	pthread_attr_destroy(&attr);
}

static void *thread_main(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	pthread_setspecific(end_key, start.thread);
	stack_tell();
	hooks_thread_run(start.thread);
	return start.body(start.arg);
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*body)(void *),
			  void *arg)
{
	struct door_thread *t = hooks_door() ? hooks_thread_new() : NULL;
	struct start *start = t ? malloc(sizeof(*start)) : NULL;
	int result;

	pthread_once(&end_once, end_key_make);
	/* The main thread, which has not begun in thread_main(), may end by pthread_exit(). */
	if (hooks_self && !pthread_getspecific(end_key))
		pthread_setspecific(end_key, hooks_self);
	if (!start) {
		if (t)
			hooks_thread_cancel(t);
		return REAL(pthread_create)(id, attr, body, arg);
	}
	*start = (struct start){ body, arg, t };
	result = REAL(pthread_create)(id, attr, thread_main, start);
	if (result) {
		hooks_thread_cancel(t);
		free(start);
	}
	return result;
}

EXPORT int pthread_join(pthread_t id, void **value)
{
	int result;

	if (inert())
		return REAL(pthread_join)(id, value);
	result = REAL(pthread_tryjoin_np)(id, value);
	if (result != EBUSY)
		return result;
	return WAITING((uint64_t)id, REAL(pthread_join)(id, value), true);
}

EXPORT int sched_yield(void)
{
	struct door_thread *t = hooks_enter();

	if (t) {
		model_yield(t->model);
		door_leave(t);
	}
	return REAL(sched_yield)();
}

/* ---- Calls that wait for something outside of the program, or for a pipe */

#define WAITS(type, name, args, ...)                                                               \
	EXPORT type name args                                                                      \
	{                                                                                          \
		return WAITING(0, REAL(name)(__VA_ARGS__), waited >= 0);                           \
	}

WAITS(int, usleep, (useconds_t us), us)
WAITS(int, nanosleep, (const struct timespec *t, struct timespec *left), t, left)
WAITS(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *t, struct timespec *left), clock, flags,
      t, left)
WAITS(int, poll, (struct pollfd * p, nfds_t n, int ms), p, n, ms)
WAITS(int, ppoll, (struct pollfd * p, nfds_t n, const struct timespec *t, const sigset_t *mask), p,
      n, t, mask)
WAITS(int, select, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t), n, r, w, e, t)
WAITS(int, epoll_wait, (int fd, struct epoll_event *e, int n, int ms), fd, e, n, ms)
WAITS(int, accept, (int fd, struct sockaddr *a, socklen_t *n), fd, a, n)
WAITS(int, connect, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
WAITS(pid_t, wait, (int *status), status)
WAITS(pid_t, waitpid, (pid_t pid, int *status, int options), pid, status, options)
WAITS(int, sigwait, (const sigset_t *set, int *sig), set, sig)
WAITS(int, pause, (void))

EXPORT unsigned int sleep(unsigned int seconds)
{
	return WAITING(0, REAL(sleep)(seconds), false);
}

/* What is ready does not wait; of a pipe, the other end is woken. */
#define TRANSFER(name, reads, args, ...)                                                           \
	EXPORT ssize_t name args                                                                   \
	{                                                                                          \
		struct door_file file;                                                             \
		ssize_t n;                                                                         \
                                                                                                   \
		if (inert())                                                                       \
			return REAL(name)(__VA_ARGS__);                                            \
		door_file(fd, reads, &file);                                                       \
		if (!(reads))                                                                      \
			pipe_wake(file.other);                                                     \
		if (file.blocks)                                                                   \
			n = WAITING(file.key, REAL(name)(__VA_ARGS__), waited >= 0);               \
		else                                                                               \
			n = REAL(name)(__VA_ARGS__);                                               \
		if ((reads) && n > 0)                                                              \
			pipe_wake(file.other);                                                     \
		return n;                                                                          \
	}

static void pipe_wake(uint64_t key)
{
	struct door_thread *t = key ? hooks_enter() : NULL;

	if (!t)
		return;
	wake(t, key, 1);
	door_leave(t);
}

TRANSFER(read, true, (int fd, void *to, size_t n_), fd, to, n_)
TRANSFER(write, false, (int fd, const void *from, size_t n_), fd, from, n_)
TRANSFER(recv, true, (int fd, void *to, size_t n_, int flags), fd, to, n_, flags)
TRANSFER(send, false, (int fd, const void *from, size_t n_, int flags), fd, from, n_, flags)
TRANSFER(recvmsg, true, (int fd, struct msghdr *m, int flags), fd, m, flags)
TRANSFER(sendmsg, false, (int fd, const struct msghdr *m, int flags), fd, m, flags)

/* The door's own descriptor is not the program's to close. */
EXPORT int close(int fd)
{
	if (hooks_door() && fd == door_descriptor(hooks_door())) {
		errno = EBADF;
		return -1;
	}
	return REAL(close)(fd);
}

EXPORT void *dlopen(const char *path, int flags)
{
	void *library = REAL(dlopen)(path, flags);

	if (library && hooks_door() && hooks_self)
		door_maps_send(hooks_door());
	return library;
}
