#!/usr/bin/env python3
"""Time and memory of `pario report`: bench_report.py PARIO FOLDER. Leaves
FOLDER/1000000.html. The processor's time is what is judged: it is one thread
that reads from memory, and the machine may have other work."""
import os
import pathlib
import statistics
import sys
import time

PARIO, folder = sys.argv[1], pathlib.Path(sys.argv[2])
REPEAT = 3


def make(path, samples, nprocs=2):
    """Times of a cache that fills and a disk behind it, with some scatter."""
    count = samples // nprocs
    with open(path, "w") as out:
        out.write("block pario-timings/1\ntimestamp 2026-01-31T12:00:00Z\n"
                  f"nprocs {nprocs}\nsuite iot\nclassname Lowlevel\n"
                  "testname multiple\nblock_bytes 100000\ndata w s\n")
        for rank in range(nprocs):
            out.write(f"rank {rank}\ncount {count}\n")
            state = rank + 1
            for begin in range(0, count, 10000):
                lines = []
                for i in range(begin, min(count, begin + 10000)):
                    state = (state * 1103515245 + 12345) & 0x7fffffff
                    base = 400000 if i < count // 5 else 2000000
                    lines.append("w 0.%09d\n" % (base + state % base))
                out.write("".join(lines))
        out.write("end\n")


def run(*words):
    begin = time.monotonic()
    pid = os.posix_spawn(PARIO, [PARIO, *map(str, words)], os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit("pario " + " ".join(map(str, words)) + " failed")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024)


missed = False
for samples in (10**5, 10**6, 10**7):
    timings = folder / f"{samples}.out"
    page = folder / f"{samples}.html"
    make(timings, samples)
    runs = [run("report", timings, "-o", page, "--force")
            for _ in range(REPEAT)]
    seconds = statistics.median(wall for wall, _, _ in runs)
    cpu = statistics.median(cpu for _, cpu, _ in runs)
    mib = max(m for _, _, m in runs)
    size = page.stat().st_size / 1e6
    bad = size > 6 or (samples == 10**7 and (cpu > 3 or mib > 300))
    missed |= bad
    print(f"{samples:>8} samples, {timings.stat().st_size / 1e6:.1f} MB: "
          f"{seconds:.2f} s (processor {cpu:.2f} s), {mib:.0f} MiB, page {size:.1f} MB"
          f"{' MISSED' if bad else ''}", flush=True)
    timings.unlink()
sys.exit(missed)
