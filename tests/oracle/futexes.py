#!/usr/bin/env python3
"""futexes.py WANT >TEXT: samples of futex buckets, as of_text.py reads them, and what a report must say of them.

Process 10 has a table of its own, 20 and 40 are in the global one; of 30 nothing is known. The hash is jhash2 of
include/linux/jhash.h, over the words of a futex key (kernel/futex/core.c), written down here once more."""
import json
import struct
import sys

KERNEL = 0xffffffff81000000
WAIT, COPY = KERNEL + 0x1010, KERNEL + 0x2010
OWN, OWN_BUCKETS = 0xffff888000100000, 16
ALL, ALL_BUCKETS = 0xffff888000200000, 256
MM = {20: 0xffff888000301000, 40: 0xffff888000302000}
SHARED = 0x700000000000


def rol(x, n):
    return (x << n | x >> 32 - n) & 0xffffffff


def jhash2(words, initial):
    m = 0xffffffff
    a = b = c = 0xdeadbeef + (len(words) << 2) + initial & m
    while len(words) > 3:
        a, b, c = a + words[0] & m, b + words[1] & m, c + words[2] & m
        a = (a - c & m) ^ rol(c, 4); c = c + b & m
        b = (b - a & m) ^ rol(a, 6); a = a + c & m
        c = (c - b & m) ^ rol(b, 8); b = b + a & m
        a = (a - c & m) ^ rol(c, 16); c = c + b & m
        b = (b - a & m) ^ rol(a, 19); a = a + c & m
        c = (c - b & m) ^ rol(b, 4); b = b + a & m
        words = words[3:]
    if words:
        w = list(words) + [0, 0]
        a, b, c = a + w[0] & m, b + w[1] & m, c + w[2] & m
        c = (c ^ b) - rol(b, 14) & m
        a = (a ^ c) - rol(c, 11) & m
        b = (b ^ a) - rol(a, 25) & m
        c = (c ^ b) - rol(b, 16) & m
        a = (a ^ c) - rol(c, 4) & m
        b = (b ^ a) - rol(a, 14) & m
        c = (c ^ b) - rol(b, 24) & m
    return c


def own_bucket(addr):
    return jhash2(struct.unpack('<2I', struct.pack('<Q', addr & ~4095)), addr & 4095) % OWN_BUCKETS


def all_bucket(pid, addr):
    key = struct.unpack('<4I', struct.pack('<QQ', MM[pid], addr & ~4095))
    return jhash2(key, addr & 4095) % ALL_BUCKETS


def note(pid, addr, size, kind, name):
    print('note', json.dumps({'note': 'object', 'pid': pid, 'addr': addr, 'size': size, 'type': kind, 'name': name}))


def first(addresses, wanted):
    return next(a for a in addresses if wanted(a))


def main():
    heap = range(0x602000, 0x612000, 64)
    a = heap[0]
    b = first(heap[1:], lambda x: own_bucket(x) == own_bucket(a))
    alone = first(heap, lambda x: own_bucket(x) != own_bucket(a))
    met = first(heap, lambda x: all_bucket(40, x) == all_bucket(20, a))
    empty = first(range(ALL_BUCKETS), lambda n: n not in (all_bucket(20, a), all_bucket(40, a + 0x20000)))
    own, all_ = 'futex_hash_bucket of pid 10 (one)', 'futex_hash_bucket of global'

    for pid, name in ((10, 'one'), (11, 'more'), (20, 'two'), (30, 'three'), (40, 'four')):
        print('comm', pid, name)
    print('map 20 %d 4096 0 rw-s 0 1 77 /dev/shm/queue' % SHARED)
    print('kernel %#x 0x2000000' % KERNEL)
    note(10, OWN, 64 * OWN_BUCKETS, 'struct futex_hash_bucket[%d]' % OWN_BUCKETS, own)
    note(0, ALL, 64 * ALL_BUCKETS, 'struct futex_hash_bucket[%d]' % ALL_BUCKETS, all_)
    for pid, mm in MM.items():
        note(pid, mm, 1024, 'struct mm_struct', 'mm_struct of pid %d' % pid)
    note(10, a - 8, 64, '', 'queue')

    #  Buckets that two threads fight over, at the lock.
    hot = [OWN + 64 * own_bucket(a), OWN + 64 * own_bucket(alone), ALL + 64 * all_bucket(20, a), ALL + 64 * empty]
    for where in hot:
        for pid in (10, 11):
            print('sample %d %#x %#x' % (pid, WAIT, where + 4))
    #  Words that the kernel reads for them; what other code of it touches is no futex.
    for pid, ip, addr in ((10, WAIT, a), (10, WAIT, b), (10, WAIT, alone), (20, WAIT, a), (40, WAIT, met),
                          (30, WAIT, a), (20, WAIT, SHARED), (10, COPY, a + 0x100000)):
        print('sample %d %#x %#x' % (pid, ip, addr))

    with open(sys.argv[1], 'w') as want:
        def row(table, number, cause, *futexes):
            print('%s %d +4 lower: %s: %s' % (table, number, cause, ', '.join(sorted(futexes))), file=want)
        print('futexes 7 unplaced 2', file=want)
        row(own, own_bucket(a), 'hash collision', '10 %#x queue+8' % a, '10 %#x -' % b)
        row(own, own_bucket(alone), 'one futex', '10 %#x -' % alone)
        row(all_, all_bucket(20, a), 'hash collision', '20 %#x -' % a, '40 %#x -' % met)
        row(all_, empty, '-')


main()
