#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""gen_spe.py - write a perf.data file with Arm SPE data, as perf c2c record makes it on Arm.

Independent of hitmap and of perf: packets from the tables of the Arm Architecture Reference Manual
(DDI 0487, sample record specification), records from include/uapi/linux/perf_event.h and
tools/perf/Documentation/perf.data-file-format.txt. Same arguments, same bytes.

    gen_spe.py -o FILE --truth JSON [-n RECORDS] [--collide N] [--full N] [--cut N] [--no-context] ...

Two threads of one process, one a CPU, share LINES lines: CPU 0 loads them, CPU 1 stores to them; both
load lines of their own. A few operations are atomic, a few are branches.
"""
import argparse
import json
import random
import struct
from collections import Counter

SPE_PMU = 9
ATTR_SIZE = 128
# IP, TID, TIME, ADDR, CPU, WEIGHT, DATA_SRC, IDENTIFIER
SAMPLE_TYPE = 1 | 2 | 4 | 8 | 1 << 7 | 1 << 14 | 1 << 15 | 1 << 16
MMAP, COMM, FORK, AUX, SWITCH_WIDE, MMAP2, ATTR, ROUND, INFO, AUXTRACE, TIME_CONV = (
    1, 3, 7, 11, 15, 10, 64, 68, 70, 71, 79)
PID, THREADS = 3600, (3600, 3601)
TEXT, HEAP, HEAP_SIZE = 0x400000, 0x10000000, 0x100000
# 25 MHz counter: ns = zero + cycles * 40
SHIFT, MULT, ZERO = 1, 80, 1_000_000_000
PERIOD = 1024

MIDR = {'n1': 0x413fd0c1, 'ampere': 0xc00fac40, 'hip12': 0x480fd060, 'unknown': 0x610f0230}
# name -> (code by CPU, events of the load, latency)
L1, REFILL, TLB, LLC, LLC_MISS = 4, 8, 0x10, 0x100, 0x200
LOADS = {
    'l1': ({'n1': 0, 'ampere': 8, 'hip12': 18}, L1 | TLB, 5),
    'l2': ({'n1': 8, 'ampere': 9, 'hip12': 16}, L1 | REFILL | TLB, 14),
    'peer': ({'n1': 0xa, 'ampere': 0, 'hip12': 0}, L1 | REFILL | TLB | LLC | LLC_MISS, 200),
    'remote': ({'n1': 0xd, 'ampere': 5, 'hip12': 6}, L1 | REFILL | TLB | LLC | LLC_MISS, 400),
    'dram': ({'n1': 0xe, 'ampere': 7, 'hip12': 8}, L1 | REFILL | TLB | LLC | LLC_MISS, 300),
}


def rec(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def pad8(text):
    return text + b'\0' * (8 - len(text) % 8)


def address(index, value, top=0):
    return struct.pack('<BQ', 0xb0 | index, value & ((1 << 56) - 1) | top << 56)


class Packets:
    """One record of the hardware, 64 bytes as a Neoverse N1 writes it."""

    def __init__(self, a):
        self.a = a

    def record(self, tid, ip, addr, op, events, latency, code, cycles):
        out = address(0, ip, 0x80)                      # EL0, non-secure
        if not self.a.no_context:
            out += struct.pack('<BI', 0x64, tid)
        out += bytes(op)
        out += struct.pack('<BH', 0x52, events | 2)     # retired
        out += struct.pack('<BH', 0x99, 2)
        out += struct.pack('<BH', 0x98, latency)
        if addr is not None:
            out += address(2, addr)
            out += struct.pack('<BH', 0x9a, 1)
            if self.a.phys:
                out += address(3, 0x80000000 + addr, 0x80)
        if code is not None:
            out += struct.pack('<BB', 0x43, code)
        if self.a.no_time:
            out += b'\x01'
        else:
            out += struct.pack('<BQ', 0x71, cycles)
        return out + b'\0' * (-len(out) % 64)


class Writer:
    def __init__(self, a):
        self.a = a
        self.rng = random.Random(a.seed)
        self.packets = Packets(a)
        self.truth = Counter()
        self.buffers = [[], []]
        self.t = 2_000_000_000

    def attr(self, event):
        kind, config, period = ((SPE_PMU, 0x700010001, PERIOD), (1, 9, 0))[event]
        flags = 1 << 1 | 1 << 18 | (1 << 8 | 1 << 9 | 1 << 13 | 1 << 23 | 1 << 26 if event else 0)
        b = struct.pack('<IIQQQQQ', kind, ATTR_SIZE, config, period, SAMPLE_TYPE, 4, flags)
        return b + b'\0' * (ATTR_SIZE - len(b))

    def trailer(self, tid, t, cpu, event=1):
        return struct.pack('<IIQIIQ', PID, tid, t, cpu, 0, 100 * (event + 1) + cpu)

    def cycles(self, t):
        return (t - ZERO) // 40

    def one(self, i):
        """The next operation: of which CPU, and its bytes."""
        cpu = i % 2
        tid, kind = THREADS[cpu], self.rng.random()
        self.t += 40 * self.rng.randrange(1, 50)
        line = HEAP + 64 * self.rng.randrange(self.a.lines)
        own = HEAP + 0x80000 + 0x4000 * cpu + 64 * self.rng.randrange(16)
        ip = TEXT + 0x100 * (1 + cpu)
        if kind < 0.05 and not self.a.plain:
            self.truth['other'] += 1
            return cpu, self.packets.record(tid, ip, None, (0x4a, 1), 0, 3, None,
                                            self.cycles(self.t))
        if kind < 0.10 and not self.a.plain:
            self.truth['atomic'] += 1
            return cpu, self.load(tid, ip + 4, line + 8, 'peer', (0x49, 0x16))
        if kind < 0.5:
            return cpu, self.load(tid, ip + 8, own, self.rng.choice(('l1', 'l2', 'dram')),
                                  (0x49, 0))
        if cpu == 0:
            return cpu, self.load(tid, ip + 12, line, self.rng.choice(('peer', 'peer', 'remote')),
                                  (0x49, 0))
        self.truth['store'] += 1
        return cpu, self.packets.record(tid, ip + 16, line, (0x49, 1), L1 | TLB, 8, None,
                                        self.cycles(self.t))

    def load(self, tid, ip, addr, name, op):
        codes, events, latency = LOADS[name]
        self.truth[name] += 1
        return self.packets.record(tid, ip, addr, op, events, latency,
                                   codes.get(self.a.cpu), self.cycles(self.t))

    def fill(self):
        for i in range(self.a.records):
            cpu, data = self.one(i)
            self.buffers[cpu].append((self.t, data))
        self.truth['records'] = self.a.records

    def prologue(self):
        t = 1_500_000_000
        head = struct.pack('<II', 4, 0)
        if self.a.old_info:
            head += struct.pack('<QQ', SPE_PMU, 1)
        else:
            head += struct.pack('<QQQQ', 2, 2, SPE_PMU, 2)
            for cpu in range(2):
                head += struct.pack('<QQQQQQ', 0x1010101010101010, cpu, 3, MIDR[self.a.cpu], SPE_PMU,
                                    1024)
        out = []
        if not self.a.no_clock:
            out.append(rec(TIME_CONV, 0, struct.pack('<QQQQQBB6x', SHIFT, MULT, ZERO, 0, 0, 1, 0)))
        out.append(rec(INFO, 0, head))
        out.append(rec(COMM, 1 << 13, struct.pack('<II', PID, PID) + pad8(b'memstress')
                       + self.trailer(PID, t, 0)))
        for start, size, prot, name in ((TEXT, 0x10000, 5, b'/usr/bin/memstress'),
                                        (HEAP, HEAP_SIZE, 3, b'[heap]')):
            out.append(rec(MMAP2, 2 | (0 if prot & 4 else 1 << 13),
                           struct.pack('<IIQQQIIQQII', PID, PID, start, size, 0, 0, 0, 0, 0, prot, 2)
                           + pad8(name) + self.trailer(PID, t + 10, 0)))
        out.append(rec(FORK, 0, struct.pack('<IIIIQ', PID, PID, THREADS[1], PID, t + 20)
                       + self.trailer(PID, t + 20, 0)))
        for cpu in range(2):
            out.append(rec(SWITCH_WIDE, 0, struct.pack('<II', 0, 0)
                           + self.trailer(THREADS[cpu], t + 30, cpu)))
        out.append(rec(ROUND, 0, b''))
        return b''.join(out)

    def damage(self, cpu, i, data):
        """Cuts the data of a buffer's last record short."""
        if cpu == 0 and i < self.a.cut:
            self.truth['cut'] += 1
            return data[:-64] + data[-64:-44]
        return data

    def traces(self):
        """Each CPU's buffer is emptied every so many records: AUX in the ring, AUXTRACE in the file."""
        out, flags_left = [], [self.a.collide, self.a.full]
        position = [0, 0]
        step = self.a.buffer
        rounds = (max(map(len, self.buffers)) + step - 1) // step
        for i in range(rounds):
            for cpu in range(2):
                part = self.buffers[cpu][i * step:(i + 1) * step]
                if not part:
                    continue
                data = self.damage(cpu, i, b''.join(d for _, d in part))
                flags = 0
                if flags_left[0]:
                    flags, flags_left[0] = flags | 8, flags_left[0] - 1
                if flags_left[1]:
                    flags, flags_left[1] = flags | 1, flags_left[1] - 1
                out.append(rec(AUX, 0, struct.pack('<QQQ', position[cpu], len(data), flags)
                               + self.trailer(THREADS[cpu], part[-1][0] + 10, cpu, 0)))
                out.append(rec(AUXTRACE, 0, struct.pack('<QQQIIII', len(data), position[cpu], 0, cpu,
                                                        0xffffffff, cpu, 0)) + data)
                position[cpu] += (len(data) + 63) // 64 * 64
            out.append(rec(ROUND, 0, b''))
        self.truth['collisions'] = self.a.collide - flags_left[0]
        self.truth['full'] = self.a.full - flags_left[1]
        return b''.join(out)

    @staticmethod
    def s(text):
        b = text.encode() + b'\0'
        b += b'\0' * (-len(b) % 64)
        return struct.pack('<I', len(b)) + b

    def features(self):
        s = self.s
        ids = [[100 * (e + 1) + c for c in range(2)] for e in range(2)]
        names = ('arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30/',
                 'dummy:u')
        return {
            3: s('synthetic'), 4: s('6.12.0'), 5: s('6.12'), 6: s('aarch64'),
            7: struct.pack('<II', 2, 2), 8: s('Synthetic'), 9: s('0x%016x' % MIDR[self.a.cpu]),
            11: struct.pack('<I', 3) + s('perf') + s('c2c') + s('record'),
            12: struct.pack('<II', 2, ATTR_SIZE) + b''.join(
                self.attr(e) + struct.pack('<I', 2) + s(names[e]) + struct.pack('<QQ', *ids[e])
                for e in range(2)),
            14: struct.pack('<I', 1) + struct.pack('<IQQ', 0, 2 << 20, 1 << 20) + s('0-1'),
            16: struct.pack('<I', 2) + struct.pack('<I', SPE_PMU) + s('arm_spe_0')
                + struct.pack('<I', 1) + s('software'),
            22: struct.pack('<QQQQQQQ', 1, 1 << 27, 1, 0, 32, 32, (1 << 32) - 1),
        }

    def write(self):
        self.fill()
        data = self.prologue() + self.traces()
        ids = b''.join(struct.pack('<QQ', *(100 * (e + 1) + c for c in range(2))) for e in range(2))
        start = 104
        attrs = b''.join(self.attr(e) + struct.pack('<QQ', start + 16 * e, 16) for e in range(2))
        attr_at, data_at = start + len(ids), start + len(ids) + len(attrs)
        feats = self.features()
        at, table, body, mask = data_at + len(data) + 16 * len(feats), b'', b'', 0
        for bit, value in sorted(feats.items()):
            table += struct.pack('<QQ', at + len(body), len(value))
            body += value
            mask |= 1 << bit
        with open(self.a.output, 'wb') as f:
            f.write(b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, ATTR_SIZE + 16, attr_at, len(attrs),
                                              data_at, len(data), 0, 0) + mask.to_bytes(32, 'little'))
            f.write(ids + attrs + data + table + body)
        if self.a.truth:
            with open(self.a.truth, 'w') as f:
                json.dump(self.truth, f, indent=1, sort_keys=True)


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('-o', '--output', required=True)
    p.add_argument('--truth', metavar='JSON')
    p.add_argument('-n', '--records', type=int, default=2000)
    p.add_argument('--lines', type=int, default=4)
    p.add_argument('--buffer', type=int, default=300, help='records a buffer')
    p.add_argument('--cpu', choices=MIDR, default='n1')
    p.add_argument('--collide', type=int, default=0, help='buffers with the collision flag')
    p.add_argument('--full', type=int, default=0, help='buffers with the truncated flag')
    p.add_argument('--cut', type=int, default=0, help='buffers whose last record is cut off')
    p.add_argument('--no-context', action='store_true', help='threads are told by SWITCH records')
    p.add_argument('--no-time', action='store_true', help='records without a timestamp')
    p.add_argument('--no-clock', action='store_true', help='no TIME_CONV')
    p.add_argument('--old-info', action='store_true', help='AUXTRACE_INFO of perf before 6.13')
    p.add_argument('--plain', action='store_true',
                   help='no branches, which perf leaves out, and no atomics, which it takes for loads')
    p.add_argument('--phys', action='store_true')
    p.add_argument('--seed', type=int, default=1)
    Writer(p.parse_args()).write()


main()
