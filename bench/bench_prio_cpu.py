#!/usr/bin/env python3
"""CPU time of one request: pario prio against fio (psync, 4 KiB, tmpfs).

    bench/bench_prio_cpu.py PARIO [TMPFS_DIR] [ROUNDS]

Bandwidth on a busy machine says more about its other users; CPU time does
not. Each tool runs for 0.2 s and for 1.2 s; the difference leaves start-up
and preparation out. Status 1 if pario needs more than fio.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

WORKLOAD = """[single_file]
data 64M
request 4k
methods posix
patterns {pattern}
ratio 1:0
sync none
buffer reuse
time {seconds}s
"""


def cpu_seconds(command, where):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=where, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime
            - before.ru_utime - before.ru_stime)


def run_pario(pario, where, pattern, seconds):
    with open(os.path.join(where, "w.prio"), "w") as out:
        out.write(WORKLOAD.format(pattern=pattern, seconds=seconds))
    cpu = cpu_seconds([pario, "prio", "w.prio", ".", "-q", "-o", "out.json",
                       "--force"], where)
    with open(os.path.join(where, "out.json")) as result:
        return cpu, json.load(result)["measures"][0]["operations"]


def run_fio(where, access, seconds):
    cpu = cpu_seconds(
        ["fio", "--name=bench", "--filename=fio.file", "--ioengine=psync",
         "--bs=4k", "--rw=" + access, "--size=64M", "--time_based",
         "--runtime=%dms" % round(seconds * 1000), "--thread",
         "--output-format=json", "--output=fio.json"], where)
    with open(os.path.join(where, "fio.json")) as result:
        return cpu, json.load(result)["jobs"][0]["read"]["total_ios"]


def per_request_ns(run):
    short_cpu, short_count = run(0.2)
    long_cpu, long_count = run(1.2)
    return 1e9 * (long_cpu - short_cpu) / max(1, long_count - short_count)


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    pario = os.path.realpath(sys.argv[1])
    target = sys.argv[2] if len(sys.argv) > 2 else "/dev/shm"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    worse = 0
    print("| access, 4 KiB | fio ns | pario ns | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=target) as where:
        for access, pattern in (("read", "read_write"),
                                ("randread", "random_read_write")):
            theirs, ours = [], []
            for _ in range(rounds):
                theirs.append(per_request_ns(
                    lambda s: run_fio(where, access, s)))
                ours.append(per_request_ns(
                    lambda s: run_pario(pario, where, pattern, s)))
            a, b = median(theirs), median(ours)
            worse |= b > a
            print("| %s | %.0f | %.0f | %.2f |" % (access, a, b, b / a))
    return worse


if __name__ == "__main__":
    sys.exit(main())
