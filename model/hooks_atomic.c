// SPDX-License-Identifier: GPL-2.0-only
/*
 * The compiler's atomic operations under -fsanitize=thread: done for real, then reported with the
 * value that they left. The order asked for is replaced by one at least as strong.
 */
#include "hooks.h"

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

static inline void atomic(const volatile void *addr, uint32_t size, enum model_op op, uint64_t ip,
			  enum hook_kind kind, const void *value)
{
	struct door_thread *t = hooks_enter();

	if (__builtin_expect(!t, 1))
		return;
	hooks_report(t, (const void *)addr, size, op, ip, kind, value);
	door_leave(t);
}

#define FETCH(bits, type, name, value_after, kind)                                                 \
	EXPORT type __tsan_atomic##bits##_fetch_##name(volatile type *addr, type v, int order);    \
	type __tsan_atomic##bits##_fetch_##name(volatile type *addr, type v, int order)            \
	{                                                                                          \
		type old = __atomic_fetch_##name(addr, v, __ATOMIC_SEQ_CST), after = value_after;  \
                                                                                                   \
		(void)order;                                                                       \
		atomic(addr, sizeof(type), MODEL_RMW, CALLER, kind, &after);                       \
		return old;                                                                        \
	}

#define COMPARE_EXCHANGE(bits, type, name)                                                         \
	EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                  \
		volatile type *addr, type *expected, type v, int order, int fail_order);           \
	int __tsan_atomic##bits##_compare_exchange_##name(volatile type *addr, type *expected,     \
							  type v, int order, int fail_order)       \
	{                                                                                          \
		int done = __atomic_compare_exchange_n(addr, expected, v, 0, __ATOMIC_SEQ_CST,     \
						       __ATOMIC_SEQ_CST);                          \
                                                                                                   \
		(void)order, (void)fail_order;                                                     \
		atomic(addr, sizeof(type), MODEL_RMW, CALLER, HOOK_MAY_LOCK,                       \
		       done ? &v : expected);                                                      \
		return done;                                                                       \
	}

#define ATOMICS(bits, type)                                                                        \
	EXPORT type __tsan_atomic##bits##_load(const volatile type *addr, int order);              \
	EXPORT void __tsan_atomic##bits##_store(volatile type *addr, type v, int order);           \
	EXPORT type __tsan_atomic##bits##_exchange(volatile type *addr, type v, int order);        \
	EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *addr, type expected, \
							       type v, int order, int fail_order); \
	type __tsan_atomic##bits##_load(const volatile type *addr, int order)                      \
	{                                                                                          \
		type v = __atomic_load_n(addr, __ATOMIC_SEQ_CST);                                  \
                                                                                                   \
		(void)order;                                                                       \
		atomic(addr, sizeof(type), MODEL_READ, CALLER, HOOK_ATOMIC, &v);                   \
		return v;                                                                          \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile type *addr, type v, int order)                   \
	{                                                                                          \
		/* A sequentially consistent store is an exchange on x86. */                       \
		if (order == __ATOMIC_SEQ_CST)                                                     \
			__atomic_store_n(addr, v, __ATOMIC_SEQ_CST);                               \
		else                                                                               \
			__atomic_store_n(addr, v, __ATOMIC_RELEASE);                               \
		atomic(addr, sizeof(type), order == __ATOMIC_SEQ_CST ? MODEL_RMW : MODEL_WRITE,    \
		       CALLER, order == __ATOMIC_SEQ_CST ? HOOK_MAY_LOCK : HOOK_ATOMIC, &v);       \
	}                                                                                          \
	type __tsan_atomic##bits##_exchange(volatile type *addr, type v, int order)                \
	{                                                                                          \
		type old = __atomic_exchange_n(addr, v, __ATOMIC_SEQ_CST);                         \
                                                                                                   \
		(void)order;                                                                       \
		atomic(addr, sizeof(type), MODEL_RMW, CALLER, HOOK_MAY_LOCK, &v);                  \
		return old;                                                                        \
	}                                                                                          \
	FETCH(bits, type, add, (type)(old + v), HOOK_FETCH_ADD)                                    \
	FETCH(bits, type, sub, (type)(old - v), HOOK_ATOMIC)                                       \
	FETCH(bits, type, and, (type)(old & v), HOOK_ATOMIC)                                       \
	FETCH(bits, type, or, (type)(old | v), HOOK_MAY_LOCK)                                      \
	FETCH(bits, type, xor, (type)(old ^ v), HOOK_ATOMIC)                                       \
	FETCH(bits, type, nand, (type) ~(old & v), HOOK_ATOMIC)                                    \
	COMPARE_EXCHANGE(bits, type, strong)                                                       \
	COMPARE_EXCHANGE(bits, type, weak)                                                         \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *addr, type expected,        \
							type v, int order, int fail_order)         \
	{                                                                                          \
		int done = __atomic_compare_exchange_n(addr, &expected, v, 0, __ATOMIC_SEQ_CST,    \
						       __ATOMIC_SEQ_CST);                          \
                                                                                                   \
		(void)order, (void)fail_order;                                                     \
		atomic(addr, sizeof(type), MODEL_RMW, CALLER, HOOK_MAY_LOCK,                       \
		       done ? &v : &expected);                                                     \
		return expected;                                                                   \
	}

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

#ifdef __x86_64__
/* gcc calls libatomic for the builtins of this size; the older ones are a cmpxchg16b. */
typedef unsigned __int128 wide;

#define WIDE EXPORT __attribute__((target("cx16")))

static inline __attribute__((target("cx16"))) wide wide_load(const volatile wide *addr)
{
	return __sync_val_compare_and_swap((volatile wide *)(uintptr_t)addr, (wide)0, (wide)0);
}

#define WIDE_UPDATE(name, value_after)                                                             \
	WIDE wide __tsan_atomic128_##name(volatile wide *addr, wide v, int order);                 \
	wide __tsan_atomic128_##name(volatile wide *addr, wide v, int order)                       \
	{                                                                                          \
		wide old = wide_load(addr), seen, after;                                           \
                                                                                                   \
		(void)order;                                                                       \
		for (;;) {                                                                         \
			after = value_after;                                                       \
			seen = __sync_val_compare_and_swap(addr, old, after);                      \
			if (seen == old)                                                           \
				break;                                                             \
			old = seen;                                                                \
		}                                                                                  \
		atomic(addr, sizeof(wide), MODEL_RMW, CALLER, HOOK_ATOMIC, NULL);                  \
		return old;                                                                        \
	}

WIDE_UPDATE(exchange, v)
WIDE_UPDATE(fetch_add, old + v)
WIDE_UPDATE(fetch_sub, old - v)
WIDE_UPDATE(fetch_and, old &v)
WIDE_UPDATE(fetch_or, old | v)
WIDE_UPDATE(fetch_xor, old ^ v)
WIDE_UPDATE(fetch_nand, ~(old &v))

WIDE wide __tsan_atomic128_load(const volatile wide *addr, int order);
WIDE void __tsan_atomic128_store(volatile wide *addr, wide v, int order);
WIDE wide __tsan_atomic128_compare_exchange_val(volatile wide *addr, wide expected, wide v,
						int order, int fail_order);
WIDE int __tsan_atomic128_compare_exchange_strong(volatile wide *addr, wide *expected, wide v,
						  int order, int fail_order);
WIDE int __tsan_atomic128_compare_exchange_weak(volatile wide *addr, wide *expected, wide v,
						int order, int fail_order);

wide __tsan_atomic128_load(const volatile wide *addr, int order)
{
	wide v = wide_load(addr);

	(void)order;
	atomic(addr, sizeof(wide), MODEL_READ, CALLER, HOOK_ATOMIC, NULL);
	return v;
}

void __tsan_atomic128_store(volatile wide *addr, wide v, int order)
{
	wide old = wide_load(addr), seen;

	(void)order;
	while ((seen = __sync_val_compare_and_swap(addr, old, v)) != old)
		old = seen;
	atomic(addr, sizeof(wide), MODEL_WRITE, CALLER, HOOK_ATOMIC, NULL);
}

wide __tsan_atomic128_compare_exchange_val(volatile wide *addr, wide expected, wide v, int order,
					   int fail_order)
{
	wide old = __sync_val_compare_and_swap(addr, expected, v);

	(void)order, (void)fail_order;
	atomic(addr, sizeof(wide), MODEL_RMW, CALLER, HOOK_ATOMIC, NULL);
	return old;
}

static inline __attribute__((target("cx16"))) int wide_swap(volatile wide *addr, wide *expected,
							    wide v, uint64_t ip)
{
	wide old = __sync_val_compare_and_swap(addr, *expected, v);
	int done = old == *expected;

	*expected = old;
	atomic(addr, sizeof(wide), MODEL_RMW, ip, HOOK_ATOMIC, NULL);
	return done;
}

int __tsan_atomic128_compare_exchange_strong(volatile wide *addr, wide *expected, wide v, int order,
					     int fail_order)
{
	(void)order, (void)fail_order;
	return wide_swap(addr, expected, v, CALLER);
}

int __tsan_atomic128_compare_exchange_weak(volatile wide *addr, wide *expected, wide v, int order,
					   int fail_order)
{
	(void)order, (void)fail_order;
	return wide_swap(addr, expected, v, CALLER);
}
#endif

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
