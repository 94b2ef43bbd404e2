"""Sudden ends: processes that are killed, files that change meanwhile."""
import os
import shutil
import signal
import time

from place import (FAILED, GOOD, KILLED, TOLD, Failure, Skip, need_mpi,
                   processes_of)


def kill_job(number, expected):
    def attack(p):
        process = p.start(p.quick(time_s=20))
        p.has_begun(process)
        os.killpg(process.pid, number)
        p.check(p.end(process), expected)
    return attack


def kill_rank(number, which):
    def attack(p):
        need_mpi(p)
        process = p.start(p.quick("--deadline", "5s", time_s=20))
        p.has_begun(process)
        ranks, _ = processes_of(process)
        if len(ranks) < 2:
            raise Skip("no ranks are seen below the launcher")
        os.kill(ranks[which], number)
        status = p.end(process)
        if number == signal.SIGSTOP:
            for rank in ranks:
                try:
                    os.kill(rank, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        p.check(status)
        if number == signal.SIGKILL:
            p.must_say(f"rank {which} was killed" if p.is_open_mpi else
                       "was killed", "invalid_reasons")
    return attack


def kill_launcher(p):
    need_mpi(p)
    process = p.start(p.quick("--deadline", "5s", time_s=10))
    p.has_begun(process)
    os.kill(process.pid, signal.SIGKILL)
    p.check(p.end(process), KILLED)


def kill_janitors(also_ranks):
    """Whoever cleans up is gone: the run must end by itself all the same; if
    it is killed as well, what is left is only in its own directory."""
    def attack(p):
        need_mpi(p)
        process = p.start(p.quick("--deadline", "5s",
                                  time_s=20 if also_ranks else 4))
        p.has_begun(process)
        ranks, janitors = processes_of(process)
        if not janitors:
            raise Skip("no janitors are seen below the launcher")
        for pid in janitors + (ranks if also_ranks else []):
            os.kill(pid, signal.SIGKILL)
        p.check(p.end(process), FAILED if also_ranks else GOOD,
                left=not also_ranks)
    return attack


def stop_janitors(p):
    """Whoever cleans up has been stopped: nobody waits for it for ever."""
    need_mpi(p)
    process = p.start(p.quick(time_s=20))
    p.has_begun(process)
    _, janitors = processes_of(process)
    if not janitors:
        raise Skip("no janitors are seen below the launcher")
    for pid in janitors:
        os.kill(pid, signal.SIGSTOP)
    os.killpg(process.pid, signal.SIGINT)
    p.check(p.end(process), TOLD)


def remove_directory(p):
    process = p.start(p.quick(time_s=4))
    p.has_begun(process)
    for folder in p.target.glob("pario-*"):
        shutil.rmtree(folder, ignore_errors=True)
    p.check(p.end(process))


def replace_directory(interface):
    def attack(p):
        if interface == "mpiio":
            need_mpi(p)
        process = p.start(p.quick("-i", interface, "--deadline", "10s",
                                  time_s=4))
        p.has_begun(process)
        name = next(p.target.glob("pario-*"))
        name.rename(p.work / "away")
        name.symlink_to(p.stranger)
        p.check(p.end(process), left=False)
        end = time.monotonic() + 20
        while (p.work / "away").exists():
            if time.monotonic() > end:
                raise Failure("our own directory is left")
            time.sleep(0.1)
    return attack


def truncate_samples(p):
    """Whoever empties the file of a run that appends to it: the run ends in
    order, and what it says of itself is true. Emptied while a block is written,
    the file begins with nothing, and the run refuses to write to it."""
    samples = p.work / "s.out"
    process = p.start(p.quick("--samples", str(samples), time_s=4))
    p.has_begun(process)
    while process.poll() is None:
        if samples.exists() and samples.stat().st_size > 0:
            os.truncate(samples, 0)
        time.sleep(0.05)
    status = p.end(process)
    p.check(status, GOOD + FAILED)
    if status in FAILED and "holds no timings and is kept" not in p.said():
        raise Failure("it does not say why: " + p.said()[-300:])
