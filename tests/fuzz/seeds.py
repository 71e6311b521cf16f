#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""seeds.py OUT: small recordings to start fuzzing from.

Files come from tests/oracle/gen_perfdata.py and gen_spe.py with different options; each is also turned into the pipe
form: the 16-byte header, a HEADER_ATTR record an event, the features as records, the same records. Of each
there is one with compressed records (zstd program), one of the other byte order as far as its header, and
one with the magic number of old perf. Text is that of perf script, a few lines of several kinds.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATOR = os.path.join(HERE, '..', 'oracle', 'gen_perfdata.py')
SPE_GENERATOR = os.path.join(HERE, '..', 'oracle', 'gen_spe.py')
OPTIONS = (
    [], ['--callchain'], ['--phys'], ['--order', 'cpu'], ['--nodes', '1', '--cpus', '1'],
    ['--mix', 'lhitm=1,rhitm_skx=1,amd_hitm=1,lpeer=1,st_l1=1,bad=1'],
)
SPE_OPTIONS = (
    [], ['--old-info', '--no-context', '--phys'], ['--no-clock', '--cpu', 'hip12'], ['--no-time', '--cut', '2'],
)
NOTES = (b'{"note": "model", "machine": "small", "hold": [0, 1, 4], "complete": true}',
         b'{"note": "line", "pid": 1000, "addr": 4198400, "hitm": [1, 2, 3]}',
         b'{"note": "remark", "text": "caf\\u00e9"}')


TEXT = (
    ' perf 10/11 [003] 1.000001:  7 cpu/mem-loads/P: ffff8801 68100142 |OP LOAD|LVL L1 hit|SNP None| 7 81404\n'
    '   ls 12 2.5: mem: 7f00 5080144 |OP STORE|BLK  N/A   0 7f81 main+0x4 (/bin/ls)\n',
    'memstress  3603 [020]   122.463754:  1  l1d-miss:  8688000842 |OP LOAD|SNP Peer|BLK  N/A  aac17c3e88 [u] (/x)\n',
)


def record(kind, body):
    body += b'\0' * (-len(body) % 8)
    return struct.pack('<IHH', kind, 0, 8 + len(body)) + body


def notes():
    return b''.join(record(65, n) for n in NOTES)


def to_pipe(data):
    stride, attrs, attrs_size, start, size = struct.unpack_from('<QQQQQ', data, 16)
    bits = struct.unpack_from('<Q', data, 72)[0]
    out = [struct.pack('<8sQ', b'PERFILE2', 16)]
    for at in range(attrs, attrs + attrs_size, stride):
        ids, ids_size = struct.unpack_from('<QQ', data, at + stride - 16)
        out.append(record(64, data[at:at + stride - 16] + data[ids:ids + ids_size]))
    table = start + size
    for bit in range(64):
        if bits >> bit & 1:
            at, length = struct.unpack_from('<QQ', data, table)
            table += 16
            if length < 60000:
                out.append(record(80, struct.pack('<Q', bit) + data[at:at + length]))
    return b''.join(out) + data[start:start + size] + notes()


def to_compressed(data, kind):
    """A pipe recording, records from MMAP to the end in pieces of one zstd stream."""
    at = 16
    while struct.unpack_from('<I', data, at)[0] >= 64:
        at += struct.unpack_from('<H', data, at + 6)[0]
    packed = subprocess.run(['zstd', '-c'], input=data[at:], stdout=subprocess.PIPE, check=True).stdout
    out = data[:at]
    for start in range(0, len(packed), 400):
        piece = packed[start:start + 400]
        out += record(kind, piece if kind == 81 else struct.pack('<Q', len(piece)) + piece)
    return out


def compressed(pipe):
    if not shutil.which('zstd'):
        return []
    return [(f'compressed{kind}', to_compressed(pipe, kind)) for kind in (81, 83)]


def swap_header(data):
    size = struct.unpack_from('<Q', data, 8)[0]
    words = struct.unpack_from(f'<{size // 8}Q', data)
    return struct.pack(f'>{size // 8}Q', *words) + data[size:]


def forms(data):
    """The same recording in all of its forms."""
    pipe = to_pipe(data)
    return (('file', data), ('pipe', pipe), ('old', b'PERFFILE' + data[8:]), ('swapped', swap_header(data)),
            ('swapped_pipe', swap_header(pipe)))


def write(out, name, content):
    with open(os.path.join(out, name), 'wb') as f:
        f.write(content)


def generate(path, generator, *options):
    subprocess.run([sys.executable, generator, '-o', path, '-n', '40', '--lines', '4', *options],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, 'rb') as f:
        return f.read()


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for i, text in enumerate(TEXT):
        write(out, f'{i}.text', text.encode())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'seed')
        subprocess.run([sys.executable, GENERATOR, '--build-target', folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for i, options in enumerate(OPTIONS):
            data = generate(path, GENERATOR, '--target', os.path.join(folder, 'target'), '--cpus', '4', *options)
            for name, content in (*forms(data), *compressed(to_pipe(data))):
                write(out, f'{i}.{name}', content)
        for i, options in enumerate(SPE_OPTIONS):
            data = generate(path, SPE_GENERATOR, '--buffer', '10', *options)
            for name, content in forms(data):
                write(out, f'spe{i}.{name}', content)


main()
