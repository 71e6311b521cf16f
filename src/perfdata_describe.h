/* SPDX-License-Identifier: GPL-2.0-only */
/* What a perf.data says of the machine, of its events and of itself beside the records: the bodies
 * of its features (tools/perf/Documentation/perf.data-file-format.txt). */
#ifndef HITMAP_PERFDATA_DESCRIBE_H
#define HITMAP_PERFDATA_DESCRIBE_H

#include "blob.h"

#include <linux/perf_event.h>
#include <stdbool.h>

struct perfdata_pmu {
	const char *name;
	uint32_t type;
};

/* Which blocks of physical memory are a node's: bit i of "bits" is the block i. */
struct perfdata_node {
	uint32_t node;
	uint64_t *bits;
	uint64_t words;
};

/* What the features of the file say. Strings and arrays may be NULL. All of it must live until
 * perfdata_finish(). */
struct perfdata_features {
	const char *host, *kernel, *arch, *cpu, *cpuid, *recorder;
	int argc;
	char *const *argv; /* the recording's command line */
	uint32_t cpus;
	const uint16_t *cpu_node, *cpu_core; /* by CPU; a core's number is its own on the machine */
	const uint16_t *cpu_socket;	     /* by CPU; NULL: a node is a socket */
	uint64_t memory_kb;		     /* of the machine */
	const struct perfdata_pmu *pmu;
	uint32_t pmus;
	uint64_t block_bytes; /* of physical memory */
	const struct perfdata_node *node;
	uint32_t nodes;
	const void *tracing; /* formats of tracepoints: tracing_data.h */
	size_t tracing_bytes;
};

/* An event as it was opened: "ids" are those of its instances, one for each CPU and task. */
struct perfdata_event {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	size_t id_count;
};

struct perfdata_description {
	struct perfdata_features features;
	const struct perfdata_event *event;
	uint32_t events;
	uint32_t attr_size;    /* of an attr in the file */
	struct blob build_ids; /* records of the feature */
	uint64_t first, last;  /* time of the samples, ns */
	bool pipe;	       /* it is described before any record */
};

/* The features in the order of their bits: "index" counts up from 0 until this is false. "*bit" is
 * set and the body appended; nothing is appended, and "*bit" is UINT32_MAX, when it is not known.
 */
bool perfdata_describe(const struct perfdata_description *d, size_t index, uint32_t *bit,
		       struct blob *body);

/* A record of a build id: as the feature has it, and in a pipe. */
void perfdata_describe_build_id(struct blob *b, const char *path, const uint8_t *id, uint8_t size,
				bool kernel);

/* An attr as the file has it: "size" bytes of it, which its own size says. */
void perfdata_describe_attr(struct blob *b, const struct perf_event_attr *attr, uint32_t size);

#endif
