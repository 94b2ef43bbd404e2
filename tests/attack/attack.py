#!/usr/bin/env python3
"""A standing attack on pario: attack.py --build TREE [--seconds N] [--list].

A table of attacks, one line of verdict each. An attack gives the program bad
surroundings, a sudden end or hostile input, and then asks the same questions:
did it end, in time, with a status that is no lie; are files of others
untouched; is nothing of ours left; is the document that is left readable and
not taken for valid when it is not? The inputs that are mutated come from the
fuzzers' corpora and from documents that pario writes. Attacks that need what
the machine does not have (root, MPI, a launcher) say `skipped`.

The whole takes an hour: the table once, then mutated inputs. With fewer
--seconds the table is gone through in random order as far as the time allows.
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # beside the sources
from ends import (kill_janitors, kill_job, kill_launcher, kill_rank,
                  remove_directory, replace_directory, stop_janitors,
                  truncate_samples)
from files import (CORPUS, READERS, deep, hard_link_as_output, hostile_input,
                   large_input, link_as_output, long_line, many_hints,
                   pipe_as_output, planted_plot, script_as_samples, wide)
from place import FAILED, KILLED, TOLD, USAGE, Failure, Place, Skip
from surroundings import (fault, full_stdout, lazy_umount, limit, no_uring,
                          no_uring_by_sysctl, odd_clock, odd_directory,
                          odd_host, out_of_memory, own_mounts,
                          remount_read_only, small_disk, streams, surrounding)

TABLE_SHARE = 0.85  # of the time for the table, the rest for inputs

ATTACKS = {
    "interrupt (SIGINT)": kill_job(signal.SIGINT, TOLD),
    "SIGTERM to the job": kill_job(signal.SIGTERM, TOLD),
    "SIGKILL to the job": kill_job(signal.SIGKILL, KILLED),
    "SIGHUP to the job": kill_job(signal.SIGHUP, TOLD),
    "SIGKILL to rank 0": kill_rank(signal.SIGKILL, 0),
    "SIGKILL to rank 1": kill_rank(signal.SIGKILL, 1),
    "SIGSEGV to rank 1": kill_rank(signal.SIGSEGV, 1),
    "SIGSTOP to rank 1": kill_rank(signal.SIGSTOP, 1),
    "SIGKILL to the launcher": kill_launcher,
    "SIGKILL to the janitors": kill_janitors(False),
    "SIGKILL to janitors and ranks": kill_janitors(True),
    "SIGSTOP to the janitors": stop_janitors,
    "run directory removed": remove_directory,
    "run directory replaced by a link": replace_directory("posix"),
    "the same with MPI-IO": replace_directory("mpiio"),
    "samples emptied meanwhile": truncate_samples,
    "target lazily unmounted": lazy_umount,
    "target remounted read-only": remount_read_only,
    "disk full": small_disk,
    "write: ENOSPC": fault("op=write,nth=20,error=ENOSPC"),
    "write: EIO on rank 1": fault("op=write,nth=20,rank=1,error=EIO"),
    "write: lost": fault("op=write,from=3,drop"),
    "read: wrong byte": fault("op=read,from=2,flip"),
    "read: EIO": fault("op=read,nth=3,error=EIO"),
    "fsync: EIO": fault("op=fsync,error=EIO"),
    "open: EMFILE": fault("op=open,nth=1,error=EMFILE"),
    "file size limit": limit(RLIMIT_FSIZE=1 << 20, says="ulimit -f"),
    "64 descriptors": limit(RLIMIT_NOFILE=64),
    "no core, 1 MiB stack": limit(RLIMIT_CORE=0, RLIMIT_STACK=1 << 20),
    "locale tr_TR": surrounding(LC_ALL="tr_TR.UTF-8", LANG="tr_TR.UTF-8"),
    "locale de_DE": surrounding(LC_ALL="de_DE.UTF-8"),
    "no HOME, no PATH but the system's": surrounding(
        HOME="/nonexistent", PATH="/usr/bin:/bin"),
    "a time zone that is not there": surrounding(TZ="Nowhere/At_All"),
    "out of memory in the control group": out_of_memory,
    "clock 1000 times too fast": odd_clock("fast", lambda p: True),
    "clock 10 times too slow": odd_clock("slow", lambda p: True),
    "calendar in 1960": odd_clock("past", lambda p: False),
    "calendar in 2300": odd_clock("future", lambda p: False),
    # MPICH's MPI_Wtime goes by the calendar.
    "calendar goes backward": odd_clock(
        "backward", lambda p: p.mpi and not p.is_open_mpi),
    "stdin closed": streams("<&-"),
    "stdout closed": streams(">&-"),
    "stderr closed": streams("2>&-"),
    "all streams closed": streams("<&- >&- 2>&-"),
    "list to a full device": full_stdout("list"),
    "--help to a full device": full_stdout("--help"),
    "--version to a full device": full_stdout("--version"),
    "no /proc": own_mounts("mount -t tmpfs none /proc"),
    "no /dev/shm": own_mounts("mount -t tmpfs -o ro none /dev/shm"),
    "no /sys": own_mounts("mount -t tmpfs none /sys", ucx_needs_it=False),
    "io_uring forbidden (EPERM)": no_uring("EPERM"),
    "io_uring unknown (ENOSYS)": no_uring("ENOSYS"),
    "io_uring forbidden (sysctl)": no_uring_by_sysctl,
    "escapes in the host's name": odd_host,
    "escapes in the directory's name": odd_directory,
    "samples into a stranger's file": script_as_samples,
    "result through a link": link_as_output,
    "planted links for plots": planted_plot,
    "hard link as the result": hard_link_as_output,
    "unread pipe as the result": pipe_as_output("--output"),
    "unread pipe as samples": pipe_as_output("--samples"),
    "3 million brackets": large_input(
        ".json", ["report", "FILE"], deep, FAILED),
    "10 million measures": large_input(
        ".json", ["report", "FILE"], wide, FAILED),
    "a line of 64 MiB in a workload": large_input(
        ".prio", ["prio", "--dry-run", "FILE", "target"], long_line, FAILED),
    "200,000 hints": large_input(
        "", ["beffio", "--dry-run", "--hints", "FILE", "target"], many_hints,
        USAGE),
}


# Those that wait for a moment of a run.
MOMENTS = (
    "interrupt (SIGINT)", "SIGTERM to the job", "SIGKILL to the job",
    "SIGHUP to the job", "SIGKILL to rank 0", "SIGKILL to rank 1",
    "SIGSEGV to rank 1", "SIGSTOP to rank 1", "SIGKILL to the launcher",
    "SIGKILL to the janitors", "SIGKILL to janitors and ranks",
    "run directory removed", "run directory replaced by a link",
    "the same with MPI-IO", "samples emptied meanwhile",
    "target lazily unmounted", "target remounted read-only",
)
# Those that wait for real time, or change the machine: in `make attack` only;
# tests/cli/hostile.sh and tests/truth try the same in a smaller way.
UNSTEADY = MOMENTS + (
    "SIGSTOP to the janitors",
    "io_uring forbidden (EPERM)", "io_uring forbidden (sysctl)",
    "out of memory in the control group", "clock 1000 times too fast",
    "clock 10 times too slow",
)
# Those of one command, which no MPI library changes.
ALONE = (
    "list to a full device", "--help to a full device",
    "--version to a full device", "planted links for plots",
    "3 million brackets", "10 million measures",
    "a line of 64 MiB in a workload", "200,000 hints",
)


def verdict(name, attack, options):
    begin, place = time.monotonic(), Place(options)
    try:
        attack(place)
        result, why = "survived", ""
    except Skip as skip:
        result, why = "skipped", str(skip)
    except Failure as failure:
        result, why = "FAILED", str(failure)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        result, why = "FAILED", f"{type(error).__name__}: {error}"
    finally:
        place.leave()
    took = f"{time.monotonic() - begin:5.1f} s"
    ended = "" if place.status is None else f"status {place.status}"
    print(f"{result:8} {name:34} {took}  {ended:10} {why}", flush=True)
    return result


def has_history(options):
    """Is SQLite part of the build?"""
    words = [options.build / "bin" / "pario", "history", "--help"]
    return subprocess.run(words, capture_output=True).returncode == 0


def mutations(options, seconds, totals):
    """As many as --mutants says, else until the time is over."""
    rng = random.Random(options.seed)
    kinds = [k for k in READERS
             if (CORPUS / k).is_dir() or k == "history" and has_history(options)]
    counts = dict.fromkeys(kinds, 0)
    failed = dict.fromkeys(kinds, 0)
    place = Place(options)
    end = time.monotonic() + seconds
    if not place.mpi:
        kinds = [k for k in kinds if k not in ("iot", "hints")]
    while (sum(counts.values()) < options.mutants if options.mutants else
           time.monotonic() < end):
        kind = kinds[sum(counts.values()) % len(kinds)]
        counts[kind] += 1
        try:
            hostile_input(place, kind, rng)
        except Failure as failure:
            failed[kind] += 1
            print(f"FAILED   mutated {kind}: {failure}", flush=True)
    place.leave()
    for kind in kinds:
        result = "FAILED" if failed[kind] else "survived"
        totals[result] += 1
        print(f"{result:8} {counts[kind]} mutated inputs: {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=lambda t: pathlib.Path(t).resolve(),
                        required=True)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="part of an attack's name")
    parser.add_argument("--without", default="\n",
                        help="leave out those whose names have this text")
    parser.add_argument("--steady", action="store_true",
                        help="only runs, and those that hold under any load")
    parser.add_argument("--alone", action="store_true",
                        help="only those of one command, without MPI")
    parser.add_argument("--moments", action="store_true",
                        help="only those that wait for a moment of a run")
    parser.add_argument("--inputs", action="store_true",
                        help="only mutated inputs")
    parser.add_argument("--mutants", type=int, default=0,
                        help="so many mutated inputs, whatever the time")
    parser.add_argument("--patience", type=float, default=60,
                        help="seconds until a run counts as hanging")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(ATTACKS))
        return 0
    begin = time.monotonic()
    totals = {"survived": 0, "skipped": 0, "FAILED": 0}
    print(f"seed {options.seed}")
    table = [(n, a) for n, a in ATTACKS.items() if options.only in n and
             options.without not in n and not options.inputs and
             (n in MOMENTS or not options.moments) and
             (n in ALONE or not options.alone) and
             (n not in UNSTEADY + ALONE or not options.steady)]
    if options.seconds < 600:
        random.Random(options.seed).shuffle(table)
    for done, (name, attack) in enumerate(table):
        if time.monotonic() - begin > options.seconds * TABLE_SHARE:
            print(f"{len(table) - done} attacks were left out: no time")
            break
        totals[verdict(name, attack, options)] += 1
    part = options.only != "" or options.steady or options.moments or \
        options.alone
    if options.mutants or not part:
        left = options.seconds - (time.monotonic() - begin)
        mutations(options, max(left, 10), totals)
    print(", ".join(f"{count} {name}" for name, count in totals.items()))
    return totals["FAILED"] > 0


if __name__ == "__main__":
    sys.exit(main())
