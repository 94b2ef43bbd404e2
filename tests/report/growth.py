#!/usr/bin/env python3
"""No input costs more than it is worth: growth.py PARIO.

Each kind of input is made once and four times as large; time and memory of
the processor may grow with it, not with its square. CPU time, the least of
two runs, so that the load of the machine does not matter: linear is 4,
quadratic 16.
"""
import json
import os
import pathlib
import sys
import tempfile

import documents

PARIO = sys.argv[1]
FACTOR, MOST_TIME, MOST_MEMORY = 4, 9, 8
BASE_S, BASE_KIB = 0.02, 4096  # of a process that reads nothing


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
}


def cost(words):
    """CPU seconds and KiB of one run."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        os.execv(PARIO, [PARIO, *words])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def least(words):
    runs = [cost(words) for _ in range(2)]
    return min(r[0] for r in runs), min(r[1] for r in runs)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        d = pathlib.Path(directory)
        idle_s, idle_kib = least(["report", str(d / "absent.json")])
        for name, (n, ending, make) in KINDS.items():
            small, large = d / f"small.{ending}", d / f"large.{ending}"
            small.write_text(make(n))
            large.write_text(make(FACTOR * n))
            for words in (["report"],
                          ["report", "-o", str(d / "x.html"), "--force"]):
                a, b = least([*words, str(small)]), least([*words, str(large)])
                time = (b[0] - idle_s + BASE_S) / (a[0] - idle_s + BASE_S)
                memory = ((b[1] - idle_kib + BASE_KIB)
                          / (a[1] - idle_kib + BASE_KIB))
                bad = time > MOST_TIME or memory > MOST_MEMORY
                failures += bad
                print(f"{'FAILED' if bad else 'ok':6} {name:15} "
                      f"{'page' if '-o' in words else 'text'}  time x {time:.1f}"
                      f" ({b[0]:.2f} s)  memory x {memory:.1f}")
    return failures > 0


sys.exit(main())
