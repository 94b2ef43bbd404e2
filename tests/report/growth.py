#!/usr/bin/env python3
"""No input costs more than it is worth: growth.py PARIO [KIND]...

Each kind of input is made once and four times as large; time and memory of
the processor may grow with it, not with its square, and a byte of input may
cost only so many bytes of memory (not of a trace, which is packed). CPU time:
linear is 4, quadratic 16. What seems too much is tried again, and the least
counts, so that the load of the machine does not matter.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import documents

PARIO = os.path.abspath(sys.argv[1])
FACTOR, MOST_TIME, MOST_MEMORY, MOST_PER_BYTE = 4, 9, 8, 400
BASE_S, BASE_KIB = 0.02, 4096  # of a process that reads nothing
TRIES = 3


def document(measures=(), **members):
    d = documents.beffio()
    like = d["measures"][0]
    d["measures"] = [{**like, **m} for m in measures] or [like]
    return json.dumps({**d, **members})


def pattern(i):
    return {"type": 0, "l_bytes": 1024 + i, "L_bytes": 1 << 20, "U": 2}


KINDS = {
    "sets of hints": (1500, "json", lambda n: document(
        hints_requested={f"s{i}": {"cb": "1"} for i in range(n)},
        hints_in_force={f"s{i} x": {"cb": str(i), f"h{i}": "1"}
                        for i in range(n)})),
    "hints of files": (1500, "json", lambda n: document(
        hints_requested={f"h{i}": "1" for i in range(n)},
        hints_in_force={f"f{i}": {f"h{i}": "2"} for i in range(n)})),
    "measures": (1500, "json", lambda n: document(
        [{"pattern": pattern(i)} for i in range(n)])),
    "tests": (1500, "json", lambda n: document(
        [{"test": f"t{i}"} for i in range(n)])),
    "parameters": (1500, "json", lambda n: document(
        [{"pattern": {f"p{i}": i}} for i in range(n)])),
    "wide measures": (1500, "json", lambda n: document(
        [{"parameters": {f"p{i}": i for i in range(n)}}]
        + [{"parameters": {"p": i}} for i in range(n)])),
    "values and axes": (150, "json", lambda n: document(
        [{"test": "t", "parameters": {f"p{k}": i + k for k in range(100)}}
         for i in range(n)],
        view={"values": [{"key": "bandwidth_mbps", "name": f"v{i}"}
                         for i in range(n)],
              "axes": [{"key": f"p{k % 100}"} for k in range(n)]})),
    "warnings": (4000, "json", lambda n: document(
        warnings=[f"w{i}" for i in range(n)])),
    "options": (4000, "json", lambda n: document(
        options={f"o{i}": "1" for i in range(n)})),
    "sub-headers": (5000, "out", lambda n: "class a\n" + "".join(
        f"k{i % 100} 1\nw 1\n" for i in range(n))),
    "header lines": (20000, "out", lambda n: "class a\n" + "".join(
        f"k{i} 1\n" for i in range(n)) + "w 1\n"),
    "blocks": (5000, "out", lambda n: "".join(
        f"class a{i}\nblocksize {i}\nw 1\nw 2\n" for i in range(n))),
    "samples": (50000, "out", lambda n: (
        f"block pario-timings/1\nnprocs 1\ndata w s\nrank 0\ncount {n}\n"
        + "w 0.5\n" * n + "end\n")),
    "ranks": (5000, "out", lambda n: (
        f"block pario-timings/1\nnprocs {n}\ndata w s\n" + "".join(
            f"rank {i}\ncount 1\nw 0.5\n" for i in range(n)) + "end\n")),
    "idle ranks": (15000, "out", lambda n: (
        f"block pario-timings/1\nnprocs {n}\ndata w s\n" + "".join(
            f"rank {i}\ncount 0\n" for i in range(n)) + "end\n")),
}


# More than the limit, or not what it should be: with a message and status.
REFUSED = {"header lines": 1, "wide measures": 1, "strace numbers": 1,
           "iot keywords": 2, "resumed reasons": 2, "resumed measures": 2}


def strace(calls):
    """Text of strace: one process, a call each 10 microseconds."""
    return "".join(f"12 {1700000000 + i * 1e-5:.6f} {call} <0.000005>\n"
                   for i, call in enumerate(calls))


def one_file(n):
    yield 'openat(AT_FDCWD, "/d/x", O_RDWR|O_CREAT, 0644) = 3'
    for i in range(n):
        yield f'pwrite64(3, "a"..., 4096, {i * 7919 % n * 4096}) = 4096'


def many_files(n):
    for i in range(n):
        yield f'openat(AT_FDCWD, "/d/x{i}", O_RDWR|O_CREAT, 0644) = 3'
        yield 'write(3, "a"..., 100) = 100'
        yield "close(3) = 0"


def many_processes(n, step=1):
    return "".join(
        f'{i * step} 1700000000.{i:06d} unlink("/d/x{i}") = 0 <0.000005>\n'
        for i in range(n))


def compared(n):
    """A document with as many directories, tests and parameters."""
    return document([{"test": f"t{i}", "directory": f"/d{i}",
                      "parameters": {"p": i, "q": 1}} for i in range(n)])


def dxt(n):
    """Text of Darshan's: as many files and calls."""
    return "".join(
        f"# DXT, file_id: {i}, file_name: /d/x{i}\n"
        f"# DXT, rank: {i % 64}, hostname: n1\n"
        f" X_POSIX {i % 64} write 0 {i * 4096} 4096 {i * 1e-3:.4f} "
        f"{i * 1e-3 + 5e-4:.4f}\n" for i in range(n))


def history(path, n):
    """A history of n runs of one workload, a day after the other."""
    pathlib.Path("one.json").write_text(document())
    subprocess.run([PARIO, "history", "add", "-f", str(path), "one.json"],
                   check=True, stdout=subprocess.DEVNULL)
    days = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
            f"WHERE i < {n}) ")
    with sqlite3.connect(path) as db:
        db.execute(days + "INSERT INTO runs SELECT id + i, line, started + "
                   "86400 * i, started_utc, suite, status, file, facts, "
                   "key || i FROM runs, n")
        db.execute(days + "INSERT INTO figures SELECT line, figure, started + "
                   "86400 * i, run + i, value, flags, valid FROM figures, n")
        db.execute(days + "INSERT INTO documents SELECT run + i, text "
                   "FROM documents, n")
    db.close()


PRIO = [["prio", "--dry-run"]]
FIO = [["pattern", "--dry-run", "--fio"]]
IOR = [["pattern", "--dry-run", "-f"]]
RESUME = [["quick", "--resume"]]  # refused: other options
HISTORY = [["history", "list", "--last", "0", "-f"],
           ["history", "trend", "-f"]]
FROM_DXT = [["trace", "--from", "darshan-dxt-text"]]
COMPARE = [["compare"]]  # with itself
ANALYSIS = [[tool, "--force", "-o", f"x.{ending}"]
            for tool in ("rawdata", "distribution") for ending in ("gp", "csv")]
ALLAV = [["allav", "--force", "-o", "x.gp"]]
IOT = [["iot", "--dry-run"]]
HINTS = [["beffio", "--dry-run", "--any-hint", "--hints"]]
QUICK = [["quick", "--dry-run", "--config"]]
FROM_STRACE = [["trace", "--from", "strace"],
               ["trace", "--from", "strace", "--to", "trace", "--force", "-o",
                "x.trace"]]
TRACE = [["trace"], ["trace", "--format", "json"], ["replay", "--dry-run"]]

# Inputs of other commands: how many, how, and the commands, which must end
# with 0. A trace is made of strace's text.
OTHERS = {
    "workload lines": (100000, lambda n: "[single_file]\n" +
                       "# x\n\n" * n, PRIO),
    "workload globals": (100000, lambda n: "seed 1\n" * n +
                         "[single_file]\n", PRIO),
    "keyword lines": (100000, lambda n: "size 16M\n" * n, QUICK),
    "keyword sections": (100000, lambda n: "".join(
        f"[{s}]\n" for s in ("beffio", "quick") for _ in range(n)), QUICK),
    "hint lines": (20000, lambda n: "".join(
        f"h{i} 1\n" for i in range(n)), HINTS),
    "hint sections": (20000, lambda n: "".join(
        f"[type {i % 5} chunk 1k]\nh{i} 1\n" for i in range(n)), HINTS),
    "drawn ranks": (2000, KINDS["ranks"][2], ANALYSIS),
    "drawn blocks": (2000, KINDS["blocks"][2], ALLAV),
    "compared measures": (1000, compared, COMPARE),
    "iot keywords": (20000, lambda n: (
        "classname Lowlevel\ntestname single\nfilename f\nnumruns 1\n"
        "filesize 1\nblocksize 0.1\n") + "filename f\n" * n, IOT),
    "iot tests": (2000, lambda n: "".join(
        f"classname Lowlevel\ntestname single\nfilename f{i}\nnumruns 1\n"
        "filesize 1\nblocksize 0.1\n" for i in range(n)), IOT),
    "iot comments": (100000, lambda n: "# x\n" * n + (
        "classname Lowlevel\ntestname single\nfilename f\nnumruns 1\n"
        "filesize 1\nblocksize 0.1\n"), IOT),
    "fio jobs": (4000, lambda n: "[global]\nsize=1M\n" + "".join(
        f"[j{i}]\nstonewall\nrw=read\nbs=4k\n" for i in range(n)), FIO),
    "fio lines": (20000, lambda n: "[j]\n" + "size=1M\n" * n, FIO),
    "IOR tests": (5000, lambda n: "IOR START\n" +
                  "blockSize=1m\nRUN\n" * n + "IOR STOP\n", IOR),
    "resumed reasons": (8000, lambda n: document(
        invalid_reasons=[f"r{i}" for i in range(n)],
        warnings=[f"w{i}" for i in range(n)], valid=False, suite="quick"),
        RESUME),
    "resumed measures": (2000, lambda n: document(
        [{"pattern": pattern(i)} for i in range(n)], suite="quick"), RESUME),
    "history runs": (2000, lambda n: n, HISTORY),
    "DXT calls": (5000, dxt, FROM_DXT),
    "strace calls": (20000, lambda n: strace(one_file(n)), FROM_STRACE),
    "strace files": (5000, lambda n: strace(many_files(n)), FROM_STRACE),
    "strace processes": (500, many_processes, FROM_STRACE),
    "strace numbers": (500, lambda n: many_processes(n, 1 << 32),
                       FROM_STRACE[:1]),
    "trace calls": (20000, lambda n: strace(one_file(n)), TRACE),
    "trace files": (5000, lambda n: strace(many_files(n)), TRACE),
    "trace processes": (500, many_processes, TRACE),
}


def cost(words, expected):
    """CPU seconds and KiB of one run, which must end with that status."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        os.execv(PARIO, [PARIO, *words])
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != expected:
        raise RuntimeError(f"{' '.join(words)}: status "
                           f"{os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def run(words, expected=0):
    if words[0] == "compare":
        words = [*words, words[-1]]
    return cost(words, expected)


class Growth:
    """What a command costs for a small and a large input."""

    def __init__(self, idle, words, files, expected):
        self.idle, self.words, self.files = idle, words, files
        self.expected = expected
        self.costs = [(float("inf"),) * 2] * 2
        self.again()

    def again(self):
        """Each once more: the least counts."""
        self.costs = [tuple(map(min, old, run([*self.words, str(file)],
                                              self.expected)))
                      for old, file in zip(self.costs, self.files)]

    def ratios(self):
        """Times, memory, and bytes of memory for a byte of input."""
        (a_s, a_kib), (b_s, b_kib) = self.costs
        idle_s, idle_kib = self.idle
        more_kib = b_kib - idle_kib - BASE_KIB
        return ((b_s - idle_s + BASE_S) / (a_s - idle_s + BASE_S),
                (b_kib - idle_kib + BASE_KIB) / (a_kib - idle_kib + BASE_KIB),
                max(more_kib, 0) * 1024 / self.files[1].stat().st_size)

    def is_too_much(self):
        time, memory, per_byte = self.ratios()
        packed = self.files[1].suffix == ".trace"
        return (time > MOST_TIME or memory > MOST_MEMORY
                or per_byte > MOST_PER_BYTE and not packed)


def inputs():
    """(name, n, make, commands): what is tried."""
    for name, (n, ending, make) in KINDS.items():
        yield name, n, make, ending, [["report"],
                                      ["report", "-o", "x.html", "--force"]]
    known = subprocess.run([PARIO, "--help"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split()
    for name, (n, make, commands) in OTHERS.items():
        if commands[0][0] in known:
            yield name, n, make, ("trace" if commands is TRACE else
                                  "db" if commands is HISTORY else
                                  ""), commands


def write(path, text):
    if path.suffix == ".db":
        return history(path, text)
    path.write_text(text)
    if path.suffix == ".trace":
        path = path.rename(path.with_suffix(".strace"))
        subprocess.run([PARIO, "trace", "--from", "strace", "--to", "trace",
                        "--force", "-o", str(path.with_suffix(".trace")),
                        str(path)], check=True, stdout=subprocess.DEVNULL)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        idle = tuple(map(min, run(["--version"]), run(["--version"])))
        for name, n, make, ending, commands in inputs():
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            files = [pathlib.Path(f"{size}.{ending}".rstrip("."))
                     for size in ("small", "large")]
            write(files[0], make(n))
            write(files[1], make(FACTOR * n))
            for words in commands:
                growth = Growth(idle, words, files, REFUSED.get(name, 0))
                for _ in range(TRIES - 1):
                    if growth.is_too_much():
                        growth.again()
                bad = growth.is_too_much()
                failures += bad
                time, memory, per_byte = growth.ratios()
                print(f"{'FAILED' if bad else 'ok':6} {name:16} "
                      f"{' '.join(words):40.40}  time x {time:.1f}"
                      f" ({growth.costs[1][0]:.2f} s)  memory x {memory:.1f}, "
                      f"{per_byte:.0f} bytes a byte", flush=True)
    return failures > 0


sys.exit(main())
