#!/usr/bin/env python3
"""b_eff_io keeps its schedule where the page cache is much faster than the
disk, judged from outside: by what the device had to write, which at its speed
takes a time of its own, and by the clock on the wall.

Of T writing has two thirds. A program that writes to the cache for that time
leaves the device work for a multiple of T; a loaded machine makes that less,
not more. The wall also sees the start of the processes and other people's
load, so its limit is wide.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from device import KINDS, CannotMake, make_device

MAX_WORK = 1.0  # of T, for the device
MAX_WALL = 3.0  # times T, and ...
START_S = 15     # ... for starting, checking and removing


def run(tree, device, seconds, folder):
    """Returns how long it took and what the device wrote meanwhile."""
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1")
    words = [tree + "/bin/pario", "-n", "2", "beffio", "-T", "%gs" % seconds,
             "--mpart", "2M", "--fit", "--quiet", "--output",
             folder + "/out.json", device.directory]
    before, begin = device.sectors()[1], time.monotonic()
    job = device.run(words, env=env, stdin=subprocess.DEVNULL)
    try:
        status = job.wait(timeout=20 * seconds + 60)
    except BaseException:  # nobody may use the device any more
        job.terminate()
        job.wait()
        raise
    took, written = time.monotonic() - begin, device.sectors()[1] - before
    if status != 0:
        raise SystemExit("status %d" % status)
    return took, written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", default="build/openmpi")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--time", type=float, default=6)
    args = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="pario-truth-") as work, \
                make_device(KINDS["loop"], os.path.abspath(args.folder),
                            os.path.abspath(args.tree)) as device:
            took, written = run(os.path.abspath(args.tree), device, args.time,
                                work)
            work_s = written / device.write_limit
    except CannotMake as error:
        print("skipped: no device of known speed here:", error)
        return 77
    print("T = %g s: took %.1f s; the device wrote %.0f MB, %.1f s of work" %
          (args.time, took, written / 1e6, work_s))
    if work_s > MAX_WORK * args.time:
        print("more than T gives to writing")
        return 1
    if took > MAX_WALL * args.time + START_S:
        print("more than the schedule gives")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
