// SPDX-License-Identifier: GPL-2.0-only
/* walk FILE: the least that any reader of a recording does. Reads it once, steps from record to record and
 * adds up a word of each, so that every cache line of it is looked at. Prints records and samples. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (256 << 10)
#define SAMPLE	    9 /* PERF_RECORD_SAMPLE */

static uint8_t buffer[BUFFER_SIZE];

int main(int argc, char **argv)
{
	uint64_t header[13], left, records = 0, samples = 0, sum = 0;
	size_t have = 0, at;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || read(fd, header, sizeof(header)) != sizeof(header) ||
	    memcmp(header, "PERFILE2", 8))
		return 1;
	if (lseek(fd, header[5], SEEK_SET) < 0) /* the data section: where, how long */
		return 1;
	for (left = header[6]; left;) {
		size_t want = BUFFER_SIZE - have < left ? BUFFER_SIZE - have : left;
		ssize_t got = read(fd, buffer + have, want);

		if (got <= 0)
			return 1;
		left -= got;
		have += got;
		for (at = 0; at + 8 <= have;) {
			uint16_t size;
			uint32_t type;
			uint64_t word;

			memcpy(&type, buffer + at, sizeof(type));
			memcpy(&size, buffer + at + 6, sizeof(size));
			if (size < 8)
				return 1;
			if (at + size > have)
				break;
			if (size >= 16) {
				memcpy(&word, buffer + at + size - 8, sizeof(word));
				sum += word;
			}
			records++;
			samples += type == SAMPLE;
			at += size;
		}
		memmove(buffer, buffer + at, have - at);
		have -= at;
	}
	printf("%llu records, %llu samples, sum %llx\n", (unsigned long long)records,
	       (unsigned long long)samples, (unsigned long long)sum);
	return 0;
}
