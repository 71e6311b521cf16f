// SPDX-License-Identifier: GPL-2.0-only
/*
 * What hitmap asks of a running kernel: where its tasks are, and the bytes at an address. All else
 * (which fields lead where) is done outside with the kernel's own BTF, so that nothing here depends
 * on a kernel's version. An iterator is used for reading, too: it works where probes are refused.
 */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>

#include "../src/kernel_read.h"

#define BPF_MAP_TYPE_ARRAY 2

struct seq_file;
struct task_struct;
struct bpf_map;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_read_request);
} request SEC(".maps");

SEC("iter/task")
int list_tasks(struct bpf_iter__task *ctx)
{
	__u64 task = (__u64)ctx->task;

	if (task)
		bpf_seq_write(ctx->meta->seq, &task, sizeof(task));
	return 0;
}

/* Called for each BPF map; the first one is as good as any to be called at all. */
SEC("iter/bpf_map")
int read_memory(struct bpf_iter__bpf_map *ctx)
{
	__u32 key = 0;
	struct kernel_read_request *r = bpf_map_lookup_elem(&request, &key);

	if (!r || !ctx->map || ctx->meta->seq_num)
		return 0;
	for (int i = 0; i < KERNEL_READ_CHUNKS; i++) {
		r->chunk_read[i] = !bpf_probe_read_kernel(r->bytes + i * KERNEL_READ_CHUNK,
							  KERNEL_READ_CHUNK,
							  (void *)(r->addr + i * KERNEL_READ_CHUNK));
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
