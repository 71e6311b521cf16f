// SPDX-License-Identifier: GPL-2.0-only
// Names that only C++ has: bases, namespaces, templates, class and function statics.
#include <atomic>

namespace app {
struct Base {
	std::atomic<long> gen{0};
};
template <class T> struct alignas(64) Derived : Base {
	T cache{7};
	struct Inner {
		T a, b;
	} inner{};
};
Derived<int> shared;

struct Config {
	static long hits;
	static inline int limit = 5;
};
long Config::hits = 3;

__attribute__((noinline)) long lookup(long n)
{
	static Derived<char> memo;

	memo.cache += n;
	memo.gen++;
	return memo.cache + shared.cache + Config::hits + *(volatile int *)&Config::limit;
}

template <class T> __attribute__((noinline)) T twice(T x)
{
	return x + *(volatile T *)&shared.cache;
}
} // namespace app

int main(int argc, char **)
{
	app::shared.gen.fetch_add(argc);
	return app::lookup(argc) + app::twice<int>(argc);
}
