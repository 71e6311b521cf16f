#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program under a front door and prints what the door says: receive.py [OPTIONS] -- COMMAND

The other end of model/wire.h in a few lines, independent of hitmap's own, for tests of the doors."""
import argparse, ctypes as c, json, os, selectors, signal, socket, subprocess, sys, tempfile, time

CPUS, HOLDS, DISTANCES = 256, 3, 3
U8, U16, U32, U64 = c.c_uint8, c.c_uint16, c.c_uint32, c.c_uint64


def struct(name, *fields):
    return type(name, (c.Structure,), {"_fields_": list(fields)})


Machine = struct("Machine", ("name", c.c_char * 48), ("mhz", U32), ("line_size", U32), ("cpus", U32),
                 ("core", U16 * CPUS), ("llc", U16 * CPUS), ("node", U16 * CPUS), ("order", U16 * CPUS),
                 ("hit", U32), ("locked", U32), ("hitm", U32 * DISTANCES), ("upgrade", U32 * DISTANCES),
                 ("clean", U32 * DISTANCES), ("hitm_reader_home", U32), ("memory", U32),
                 ("jitter_percent", U32), ("hold", U32 * HOLDS))
Config = struct("Config", ("version", U32), ("size", U32), ("machine", Machine), ("quantum", U32),
                ("hit_period", U32), ("seed", U64))
Sample = struct("Sample", ("cycles", U64), ("ip", U64), ("addr", U64), ("period", U64), ("tid", U32),
                ("latency", U32), ("cpu", U16), ("size", U8), ("op", U8), ("outcome", U8),
                ("distance", U8), ("pad", U8 * 2))
Line = struct("Line", ("addr", U64), ("hitm", U64 * DISTANCES * HOLDS), ("transfers", U64 * HOLDS),
              ("accesses", U64), ("cycles", U64 * HOLDS), ("acquisitions", U64), ("releases", U64))
Thread = struct("Thread", ("tid", U32), ("cpu", U16), ("cycles", U64 * HOLDS), ("started", U64 * HOLDS),
                ("instructions", U64), ("accesses", U64))
Total = struct("Total", ("cycles", U64 * HOLDS), ("hitm", U64 * HOLDS), ("transfers", U64 * HOLDS),
               ("instructions", U64), ("accesses", U64), ("records", U64), ("lines", U64),
               ("threads", U32), ("most_threads", U32), ("forced", U64), ("breaks", U64),
               ("abandoned", U64), ("unplaced", U64))
Hello = struct("Hello", ("version", U32), ("pid", U32), ("door", c.c_char * 16), ("detail", c.c_char * 48))
Map = struct("Map", ("cycles", U64), ("start", U64), ("size", U64), ("offset", U64), ("inode", U64),
             ("pid", U32), ("major", U32), ("minor", U32), ("prot", U32), ("flags", U32), ("pad", U32))
Task = struct("Task", ("cycles", U64), ("pid", U32), ("tid", U32), ("parent_tid", U32), ("pad", U32))
HELLO, SAMPLES, MAP, COMM, TASK, EXIT, THREAD, LINE, TOTAL, REMARK = range(1, 11)


def config(args):
    f = Config(version=1, size=c.sizeof(Config), quantum=args.quantum, hit_period=64, seed=args.seed)
    m = f.machine
    m.name, m.mhz, m.line_size, m.cpus, m.hit, m.locked = b"test", 2300, 64, args.cpus, 1, 18
    for i in range(args.cpus):
        m.core[i] = m.order[i] = i
        m.llc[i] = m.node[i] = 0
    m.hitm[:], m.upgrade[:], m.clean[:] = [115] * 3, [70] * 3, [60] * 3
    m.memory, m.jitter_percent = 200, 10
    m.hold[:] = [0, 30, 120]
    return f


class Process:
    def __init__(self):
        self.buffer, self.hello = b"", None
        self.lines, self.total, self.maps, self.remarks = {}, None, [], []
        self.comms, self.tasks, self.exits, self.threads = [], set(), set(), []
        self.samples, self.sites, self.strangers, self.unordered, self.clock = 0, {}, 0, 0, {}

    def feed(self, data, reply):
        self.buffer += data
        while len(self.buffer) >= 8:
            kind, size = (int.from_bytes(self.buffer[i:i + 4], "little") for i in (0, 4))
            assert 8 <= size <= 1 << 20 and HELLO <= kind <= REMARK, "bad head: %d %d" % (kind, size)
            if len(self.buffer) < size:
                return
            self.take(kind, self.buffer[8:size], reply)
            self.buffer = self.buffer[size:]

    def take(self, kind, body, reply):
        if kind == HELLO:
            self.hello = Hello.from_buffer_copy(body)
            reply()
        elif kind == SAMPLES:
            for s in (Sample * (len(body) // c.sizeof(Sample))).from_buffer_copy(body):
                self.sample(s)
        elif kind == MAP:
            m = Map.from_buffer_copy(body)
            self.maps.append((m.start, m.start + m.size, m.offset, body[c.sizeof(Map):-1].decode()))
        elif kind in (COMM, TASK, EXIT):
            t = Task.from_buffer_copy(body)
            if kind == COMM:
                self.comms.append((t.tid, body[c.sizeof(Task):-1].decode()))
            else:
                (self.tasks if kind == TASK else self.exits).add(t.tid)
        elif kind == THREAD:
            self.threads.append(Thread.from_buffer_copy(body))
        elif kind == LINE:
            for l in (Line * (len(body) // c.sizeof(Line))).from_buffer_copy(body):
                self.lines[l.addr] = l
        elif kind == TOTAL:
            self.total = Total.from_buffer_copy(body)
        elif kind == REMARK:
            self.remarks.append(body[:-1].decode())

    def sample(self, s):
        self.samples += 1
        self.strangers += s.tid not in self.tasks
        self.unordered += self.clock.get(s.tid, 0) > s.cycles
        self.clock[s.tid] = s.cycles
        if s.outcome == 1:
            key = (s.ip, s.addr)
            self.sites[key] = self.sites.get(key, 0) + 1

    def place(self, addr):
        for start, end, offset, path in reversed(self.maps):
            if start <= addr < end:
                return path, addr - start + offset
        return "?", addr


def symbols(path):
    """(address of the first byte of the file in memory, its functions and objects), by link-time address"""
    table, load = [], 0
    try:
        heads = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True).stdout
        table = [l.split() for l in heads.splitlines() if l.strip().startswith("LOAD")]
        load = [(int(l[1], 16), int(l[2], 16), int(l[4], 16), int(l[5], 16)) for l in table]
        table = []
        for option in ("-n", "-nD"):
            for l in subprocess.run(["nm", option, "--defined-only", path], capture_output=True,
                                    text=True).stdout.splitlines():
                f = l.split()
                if len(f) == 3 and f[1] in "tTwWbBdDvVi":
                    table.append((int(f[0], 16), f[2].split("@")[0], f[1] in "bBdDvV"))
    except FileNotFoundError:
        pass
    return load, sorted(table)


class Names:
    """Symbols by file; "brief" looks into the program only."""

    def __init__(self, brief):
        self.files, self.brief = {}, brief

    def file(self, path):
        if path not in self.files:
            self.files[path] = ([], []) if self.brief and "/lib/" in path else symbols(path) if path.startswith("/") and "//" not in path else ([], [])
        return self.files[path]

    def name(self, process, addr):
        path, offset = process.place(addr)
        load, table = self.file(path)
        at = [o_v[1] + offset - o_v[0] for o_v in load if o_v[0] <= offset < o_v[0] + max(o_v[2], o_v[3])]
        best = None
        for a, n, _ in table:
            if at and a <= at[-1]:
                best = (n, at[-1] - a)
        return (best[0], best[1]) if best else (os.path.basename(path), offset)


def data_name(process, names, addr):
    """Objects of the executable: .bss lies in anonymous memory behind its last file mapping."""
    exe = [m for m in process.maps if m[3].startswith("/") and "//" not in m[3]]
    for start, end, offset, path in exe[:1]:
        load, table = names.file(path)
        base = start - (load[0][1] if load else 0)
        best = [(n, addr - base - a) for a, n, data in table if data and a <= addr - base]
        if best and best[-1][1] < 1 << 24:
            return best[-1]
    return names.name(process, addr)


def report(process, brief):
    names = Names(brief)
    out = {"pid": process.hello.pid, "door": process.hello.door.decode(), "detail":
           process.hello.detail.decode(), "samples": process.samples, "strangers": process.strangers,
           "unordered": process.unordered, "remarks": process.remarks, "comms": process.comms,
           "tasks": len(process.tasks), "exits": len(process.exits), "thread_totals": len(process.threads),
           "paths": sorted({m[3] for m in process.maps}), "complete": process.total is not None}
    if process.total:
        t = process.total
        out["total"] = {"hitm": list(t.hitm), "cycles": list(t.cycles), "accesses": t.accesses,
                        "threads": t.threads, "forced": t.forced, "breaks": t.breaks,
                        "abandoned": t.abandoned, "unplaced": t.unplaced, "lines": t.lines,
                        "records": t.records, "instructions": t.instructions}
    out["lines"] = []
    for l in sorted(process.lines.values(), key=lambda l: -sum(l.hitm[1]))[:8]:
        n, o = data_name(process, names, l.addr)
        n2, o2 = data_name(process, names, l.addr + 63)
        if o > 63 and o2 < 64:
            n, o = n2, o2 - 63
        out["lines"].append({"addr": hex(l.addr), "object": n, "offset": o, "accesses": l.accesses,
                             "hitm": [sum(h) for h in l.hitm], "acquisitions": l.acquisitions,
                             "releases": l.releases})
    top = sorted(process.sites.items(), key=lambda kv: -kv[1])[:12]
    out["sites"] = [{"function": names.name(process, ip)[0], "ip": hex(ip), "line": hex(a & ~63),
                     "offset": a & 63, "hitm": n} for (ip, a), n in top]
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--door", choices=("qemu", "hooks"), default="qemu")
    p.add_argument("--build", default="build")
    p.add_argument("--qemu", default="qemu-x86_64")
    p.add_argument("--api", default="1")
    p.add_argument("--quantum", type=int, default=8192)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cpus", type=int, default=16)
    p.add_argument("--timeout", type=float, default=60)
    p.add_argument("--interrupt", type=float, help="send SIGINT after so many seconds")
    p.add_argument("--leave", type=float, help="close the connection after so many seconds")
    p.add_argument("--brief", action="store_true", help="no symbols of libraries")
    p.add_argument("command", nargs="+")
    args = p.parse_args()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "socket")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    command, environment = args.command, dict(os.environ)
    if args.door == "qemu":
        plugin = "%s/lib/hitmap/libhitmap-qemu-api%s.so" % (args.build, args.api)
        command = [args.qemu, "-plugin", "%s,socket=%s" % (os.path.abspath(plugin), path)] + command
    else:
        environment["HITMAP_MODEL_SOCKET"] = path
    start = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    selector, processes, ended = selectors.DefaultSelector(), [], None
    selector.register(listener, selectors.EVENT_READ, None)
    while True:
        now = time.monotonic() - start
        if now > args.timeout:
            child.send_signal(signal.SIGKILL)
        if args.interrupt and now > args.interrupt:
            child.send_signal(signal.SIGINT)
            args.interrupt = None
        for key, _ in selector.select(0.02):
            if key.data is None:
                connection, _ = listener.accept()
                processes.append(Process())
                selector.register(connection, selectors.EVENT_READ, processes[-1])
                continue
            data = key.fileobj.recv(1 << 18)
            if data and not (args.leave and now > args.leave):
                key.data.feed(data, lambda k=key: k.fileobj.sendall(bytes(config(args))))
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()
        if child.poll() is not None and ended is None:
            ended = time.monotonic()
        if ended is not None and (len(selector.get_map()) == 1 or time.monotonic() - ended > 2):
            break
    os.unlink(path)
    os.rmdir(folder)
    print(json.dumps({"status": child.returncode, "seconds": round(ended - start, 3),
                      "processes": [report(q, args.brief) for q in processes if q.hello]}, indent=1))


main()
