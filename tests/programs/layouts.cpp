// SPDX-License-Identifier: GPL-2.0-only
/* Types whose layout -DAFTER changes; prints where their members are: TYPE PATH OFFSET. */
#include <cstddef>
#include <cstdio>

struct stats {
	long calls[3];
#ifdef AFTER
	int kind;
#endif
	struct {
		unsigned low : 3, high : 13;
	} bits;
};

struct base {
	long generation;
#ifdef AFTER
	long epoch[4];
#endif
};

namespace app
{
struct table : base {
	char name[20];
	union {
		long word;
		char byte[8];
	};
	struct stats per_cpu[4];
	long hot;
	long cold[2];
};
}

app::table table;
stats single;

#define AT(type, path) printf("%s %s %zu\n", #type, #path, __builtin_offsetof(type, path))

int main()
{
	AT(stats, calls);
	AT(stats, bits);
	AT(app::table, name);
	AT(app::table, word);
	AT(app::table, hot);
	AT(app::table, per_cpu);
	AT(app::table, per_cpu[2].calls[1]);
	AT(app::table, cold);
	return 0;
}
