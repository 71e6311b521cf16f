// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 10, class F: 18a5daf0e497. struct dentry's lockref, changed by whoever holds the entry, lay
 * beside the short name that lookups compare. Expected: false sharing before, gone after. Fields:
 * d_lockref (aggressor), d_iname (victim).
 */
#include "corpus.h"

struct dentry_before {
	char d_iname[40];
	atomic_long d_lockref;
};

struct dentry_after {
	char d_iname[40];
	char d_fsdata[24];
	atomic_long d_lockref;
};

static struct dentry_before packed ALIGNED(LINE);
static struct dentry_after padded ALIGNED(LINE);
static volatile char *name;
static atomic_long *lockref;

static NOINLINE void dget_dput(void)
{
	for (long i = 0; i < rounds; i++) {
		atomic_fetch_add(lockref, 1);
		atomic_fetch_sub(lockref, 1);
	}
}

static NOINLINE long d_lookup(void)
{
	long sum = 0;

	for (long i = 0; i < rounds * 2; i++)
		sum += name[0] + name[8];
	return sum;
}

static void paths(int thread)
{
	if (thread)
		d_lookup();
	else
		dget_dput();
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	name = after ? padded.d_iname : packed.d_iname;
	lockref = after ? &padded.d_lockref : &packed.d_lockref;
	if (after) {
		truth("none", "d_iname", name, "d_iname:0:40:r@d_lookup");
		truth("none", "d_lockref", lockref, "d_lockref:0:8:rw@dget_dput");
	} else {
		truth("false", "dentry", name,
		      "d_iname:0:40:r@d_lookup,d_lockref:40:8:rw@dget_dput");
	}
	run(3, paths);
	return 0;
}
