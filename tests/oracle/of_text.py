#!/usr/bin/env python3
"""of_text.py FILE <TEXT: a perf.data of one memory event with the records that TEXT names, a line each:

    comm PID NAME
    map PID START SIZE OFFSET PROT MAJOR MINOR INODE PATH
    build_id HEX                of the kernel
    note JSON                   a note of hitmap's
    kernel TEXT SIZE            the kernel's image and where its _text was
    sample PID IP ADDR [CALLER...]  locked loads that hit a modified line, 100 for each line, in turn;
                                callers: addresses that calls return to, the innermost first

The layout follows include/uapi/linux/perf_event.h and perf.data-file-format.txt (little-endian, 64 bit)."""
import struct
import sys

IP, TID, TIME, ADDR, CALLCHAIN, CPU, WEIGHT, DATA_SRC = 1, 2, 4, 8, 1 << 5, 1 << 7, 1 << 14, 1 << 15
TYPE = IP | TID | TIME | ADDR | CALLCHAIN | CPU | WEIGHT | DATA_SRC
CONTEXT_KERNEL, CONTEXT_USER = 2 ** 64 - 128, 2 ** 64 - 512
#  load; hit L3; snoop HITM; LOCKED; TLB n/a; level number L3
LOAD_HITM_LOCKED = 2 | (2 | 0x40) << 5 | 0x10 << 19 | 2 << 24 | 1 << 26 | 3 << 33
clock = 1000


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def trail(pid, cpu=0):
    """sample_id_all: TID, TIME, CPU"""
    global clock
    clock += 1000
    return struct.pack('<IIQII', pid, pid, clock, cpu, 0)


def text(s):
    b = s.encode() + b'\0'
    return b + bytes(-len(b) % 8)


def comm(f):
    pid = int(f[1])
    return record(3, 1 << 13, struct.pack('<II', pid, pid) + text(f[2]) + trail(pid))


def mapping(f):
    pid, start, size, offset = map(int, f[1:5])
    prot = sum(bit for c, bit in zip('rwx', (1, 2, 4)) if c in f[5])
    major, minor, inode = map(int, f[6:9])
    flags = 1 if 's' in f[5] else 2
    body = struct.pack('<IIQQQIIQQII', pid, pid, start, size, offset, major, minor, inode, 0, prot, flags)
    return record(10, 2 | (0 if prot & 4 else 1 << 13), body + text(' '.join(f[9:])) + trail(pid))


def kernel(f):
    start, size = (int(x, 0) for x in f[1:3])
    body = struct.pack('<IIQQQ', 0xffffffff, 0, start, size, start) + text('[kernel.kallsyms]_text')
    return record(1, 1, body + trail(0xffffffff))


def sample(cpu, pid, ip, addr, *callers):
    global clock
    clock += 1000
    chain = (CONTEXT_KERNEL if ip >> 63 else CONTEXT_USER, ip) + callers
    return record(9, 1 if ip >> 63 else 2, struct.pack('<QIIQQII', ip, pid, pid, clock, addr, cpu, 0)
                  + struct.pack('<%dQ' % (len(chain) + 1), len(chain), *chain)
                  + struct.pack('<QQ', 300, LOAD_HITM_LOCKED))


def main():
    data, samples, ids = b'', [], b''
    for line in sys.stdin:
        f = line.split()
        if f[0] == 'build_id':
            body = struct.pack('<I', 0xffffffff) + bytes.fromhex(f[1]).ljust(24, b'\0') + text('[kernel.kallsyms]')
            ids = record(0, 1, body)
        elif f[0] == 'note':
            data += record(65, 0, line[5:].strip().encode())
        elif f[0] == 'sample':
            samples.append(tuple(int(x, 0) for x in f[1:]))
        else:
            data += {'comm': comm, 'map': mapping, 'kernel': kernel}[f[0]](f)
    for _ in range(100):
        for cpu, s in enumerate(samples):
            data += sample(cpu, *s)
    #  precise_ip 2 | sample_id_all | mmap_data | mmap2 | comm | mmap
    flags = 2 << 15 | 1 << 18 | 1 << 17 | 1 << 23 | 1 << 9 | 1 << 8
    attr = struct.pack('<IIQQQQQIIQQ', 4, 128, 0x1cd, 1, TYPE, 0, flags, 0, 0, 3, 0)
    attr += bytes(128 - len(attr)) + struct.pack('<QQ', 0, 0)
    start = 104 + len(attr)
    header = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 144, 104, len(attr), start, len(data), 0, 0)
    #  bit 2 of the features: build ids; where they are stands behind the data
    features = struct.pack('<Q', 4 if ids else 0)
    section = struct.pack('<QQ', start + len(data) + 16, len(ids)) if ids else b''
    with open(sys.argv[1], 'wb') as out:
        out.write((header + features).ljust(104, b'\0') + attr + data + section + ids)


main()
