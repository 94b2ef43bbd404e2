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
import errno
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent / "fuzz" / "corpus"
PRECIOUS = "precious\n"

# Exit statuses: of a run that is not harmed, of one that failed (also when its
# processes were killed: pario waits for the launcher), of one that was told to
# end, and of one that was killed itself.
GOOD, FAILED, TOLD, KILLED = (0,), (1,), (130,), (-signal.SIGKILL,)
TABLE_SHARE = 0.85  # of the time for the table, the rest for inputs


class Failure(Exception):
    pass


class Skip(Exception):
    pass


class Place:
    """A folder for one attack, with files of somebody else in it."""

    def __init__(self, options):
        self.options = options
        self.pario = str(options.build / "bin" / "pario")
        self.fault = str(options.build / "lib" / "libpariofault.so")
        version = subprocess.run([self.pario, "--version"], text=True,
                                 stdout=subprocess.PIPE, check=True).stdout
        self.mpi = "MPI: none" not in version
        self.is_open_mpi = "Open MPI" in version
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="pario-attack-"))
        self.target = self.work / "target"
        self.target.mkdir()
        self.stranger = self.work / "stranger"
        self.stranger.mkdir()
        for i in range(20):
            (self.stranger / f"file{i}").write_text(PRECIOUS)
        self.mounted = None
        self.status = None  # of the run that was attacked
        self.log = self.work / "log"

    def leave(self):
        if self.mounted is not None:
            subprocess.run(["umount", "-l", str(self.mounted)], check=False)
        shutil.rmtree(self.work, ignore_errors=True)

    def quick(self, *more, time_s=1, np=2, target=None):
        words = [self.pario] + (["-n", str(np)] if self.mpi and np > 1 else [])
        return words + ["quick", "--time", f"{time_s}s", "--size", "16M",
                        "-i", "posix", "--output", str(self.work / "r.json"),
                        "--force", *more, str(target or self.target)]

    def start(self, words, **kwargs):
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(words, stdout=open(self.log, "wb"),
                                stderr=subprocess.STDOUT, cwd=self.work,
                                start_new_session=True, **kwargs)

    def end(self, process, limit_s=None):
        """The status; a process that does not end is the worst of all."""
        limit_s = limit_s or self.options.patience
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            ranks, janitors = processes_of(process)
            os.killpg(process.pid, signal.SIGTERM)
            time.sleep(5)
            for pid in ranks + janitors:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            raise Failure(f"hangs for {limit_s} s") from None

    def run(self, words, limit_s=None, **kwargs):
        return self.end(self.start(words, **kwargs), limit_s)

    def has_begun(self, process):
        """Waits until there are test files."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if any(self.target.glob("pario-*/*")):
                return
            if process.poll() is not None:
                raise Failure("ended before it began: " + self.said()[-300:])
            time.sleep(0.02)
        raise Failure("never began")

    def said(self):
        return self.log.read_text(errors="replace")

    def must_warn(self, text):
        """The document gets it from the janitor, a moment later."""
        end = time.monotonic() + 20
        while text not in " ".join(json.loads(
                (self.work / "r.json").read_text())["warnings"]):
            if time.monotonic() > end:
                raise Failure(f"the document does not say: {text}")
            time.sleep(0.1)

    def remains(self, target):
        """Names of temporary documents, and of what is in the target."""
        return [p.name for p in [*self.work.glob("r.json?*"), *(
            self.target.glob("pario-*") if target else ())]]

    def check(self, status, expected=FAILED, *, left=True):
        """What must hold after every attack."""
        self.status = status
        if status not in expected:
            raise Failure(f"status {status}, not "
                          f"{' or '.join(map(str, expected))}: "
                          + self.said()[-300:])
        names = {p.name: p.read_text() for p in self.stranger.iterdir()}
        if len(names) != 20 or set(names.values()) != {PRECIOUS}:
            raise Failure("files of somebody else were changed")
        # A janitor may need a moment after its process was killed.
        end = time.monotonic() + 20
        while remains := self.remains(left):
            if time.monotonic() > end:
                raise Failure("files are left: " + ", ".join(remains))
            time.sleep(0.1)
        document = self.work / "r.json"
        if document.exists() and document.stat().st_size > 0:
            valid = json.loads(document.read_text())["valid"]
            if valid != (status == 0):
                raise Failure(f"status {status}, and the document says "
                              + ("valid" if valid else "not valid"))


def processes_of(process):
    """(ranks, janitors) below this one, in the order of their numbers."""
    lines = subprocess.run(["ps", "-eo", "pid,ppid,args"], text=True,
                           stdout=subprocess.PIPE, check=True).stdout
    parent, pario = {}, set()
    for line in lines.splitlines()[1:]:
        pid, above, words = line.split(None, 2)
        parent[pid] = above
        if "/pario quick" in words and "mpirun" not in words:
            pario.add(pid)

    def is_below(pid):
        while pid in parent and pid != str(process.pid):
            pid = parent[pid]
        return pid == str(process.pid)

    ours = sorted((p for p in pario if is_below(p)), key=int)
    return ([int(p) for p in ours if parent[p] not in pario],
            [int(p) for p in ours if parent[p] in pario])


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need_mpi(p):
    if not p.mpi:
        raise Skip("needs MPI")


# --- sudden ends ---------------------------------------------------------

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
            p.must_warn(f"rank {which} was killed" if p.is_open_mpi else
                        "was killed")
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


def replace_directory(p):
    process = p.start(p.quick(time_s=4))
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


# --- odd surroundings ----------------------------------------------------

def limit(says="", **limits):
    """With these limits; where it cannot run it must say why."""
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))

    def attack(p):
        p.check(p.run(p.quick(), preexec_fn=set_limits),
                FAILED if says else GOOD)
        if says not in p.said():
            raise Failure(f"does not say {says}: " + p.said()[-200:])
    return attack


def surrounding(**variables):
    def attack(p):
        p.check(p.run(p.quick(), env={**os.environ, **variables}), GOOD)
    return attack


def streams(redirections):
    def attack(p):
        words = " ".join(p.quick("--quiet"))
        p.check(p.run(["sh", "-c", f"exec {words} {redirections}"]), GOOD)
    return attack


def full_stdout(*words):
    def attack(p):
        with open("/dev/full", "wb") as full:
            p.check(subprocess.run([p.pario, *words], stdout=full,
                                   stderr=subprocess.DEVNULL,
                                   check=False).returncode)
    return attack


def own_mounts(script, ucx_needs_it=True):
    """In a mount namespace of its own, after a line of shell."""
    def attack(p):
        need_root()
        if ucx_needs_it and p.mpi and not p.is_open_mpi:
            raise Skip("UCX, below MPICH, ends MPI_Init without it")
        if subprocess.run(["unshare", "-m", "sh", "-c", script], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            raise Skip("no mounts of its own")
        words = " ".join(p.quick())
        p.check(p.run(["unshare", "-m", "sh", "-c",
                       f"{script}; exec {words}"]), GOOD)
    return attack


def mount(p, *words):
    if subprocess.run(["mount", *words, str(p.target)], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("cannot mount " + words[-1])
    p.mounted = p.target


def small_disk(p):
    need_root()
    mount(p, "-t", "tmpfs", "-o", "size=4M", "tmpfs")
    p.check(p.run(p.quick()))


def remount_read_only(p):
    """As the kernel does it after an error of the disk: files that are open
    for writing do not keep it from that."""
    need_root()
    image = p.work / "image"
    image.touch()
    os.truncate(image, 256 << 20)
    if subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mkfs.ext4")
    mount(p, "-o", "loop", str(image))
    process = p.start(p.quick("--deadline", "5s", time_s=20))
    p.has_begun(process)
    subprocess.run(["mount", "-o", "remount,abort", str(p.target)],
                   check=False, stderr=subprocess.DEVNULL)
    status = p.end(process)
    try:
        (p.target / "probe").touch()
        raise Failure("the target was not read-only")
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
    p.check(status, left=False)


def lazy_umount(p):
    need_root()
    mount(p, "-t", "tmpfs", "-o", "size=256M", "tmpfs")
    process = p.start(p.quick("--deadline", "5s", time_s=4))
    p.has_begun(process)
    subprocess.run(["umount", "-l", str(p.target)], check=True)
    p.mounted = None
    p.check(p.end(process))


def fault(rules):
    def attack(p):
        met = p.work / "met"
        status = p.run(p.quick("--deadline", "5s", "--verify", "full"), env={
            **os.environ, "LD_PRELOAD": p.fault, "PARIO_FAULT_LOG": str(met),
            "PARIO_FAULT": f"{rules},path={p.target}"})
        if not met.exists() or met.stat().st_size == 0:
            raise Failure("the fault was never met")
        p.check(status)
    return attack


def make_cgroup(limit_bytes):
    """A control group of that much memory, by either version."""
    name = f"pario-attack-{os.getpid()}"
    for folder, limit_file in (("/sys/fs/cgroup/memory",
                                "memory.limit_in_bytes"),
                               ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(folder) / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit_file).write_text(str(limit_bytes))
            return group
        except OSError:
            group.rmdir()
    raise Skip("no control group for memory can be made")


def killed_in(group):
    """How many processes the kernel has killed there for lack of memory."""
    for name in ("memory.oom_control", "memory.events"):
        if (group / name).exists():
            for line in (group / name).read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return 0


def out_of_memory(p):
    need_root()
    group = make_cgroup(40 << 20)

    def join():
        (group / "cgroup.procs").write_text(str(os.getpid()))

    try:
        words = p.quick("--deadline", "10s")
        words[words.index("--size") + 1] = "512M"
        status = p.run(words, preexec_fn=join)
        if killed_in(group) == 0:
            raise Skip("the kernel killed nobody")
        p.check(status)
        p.must_warn("for lack of memory")
    finally:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def odd_clock(kind, must_notice):
    """must_notice: the figures may be wrong, and the program must say so."""
    def attack(p):
        noticed = must_notice(p)
        library = p.options.build / "tests" / "oddclock.so"
        status = p.run(p.quick("--no-watchdog"), env={
            **os.environ, "LD_PRELOAD": str(library), "ODD_CLOCK": kind})
        p.check(status, FAILED if noticed else GOOD)
        if noticed and "clocks disagree" not in p.said():
            raise Failure("wrong times are reported without a word")
    return attack


# --- hostile files -------------------------------------------------------

def script_as_samples(p):
    script = p.stranger / "file0"
    p.check(p.run(p.quick("--samples", str(script))))


def link_as_output(p):
    link = p.work / "link.json"
    link.symlink_to(p.stranger / "file0")
    words = p.quick()
    words.remove("--force")
    words[words.index("--output") + 1] = str(link)
    p.check(p.run(words))


def planted_plot(p):
    """Links under the very names of the plots, and beside them."""
    if shutil.which("gnuplot") is None:
        raise Skip("no gnuplot")

    def draw(folder):
        return p.run([p.pario, "report", str(p.work / "r.json"), "--plots",
                      str(folder)])

    def plant(folder, *endings):
        folder.mkdir()
        for name in names:
            for ending in endings:
                (folder / (name + ending)).symlink_to(p.stranger / "file0")

    p.run(p.quick())
    p.check(draw(p.work / "first"), GOOD)
    names = [f.name for f in (p.work / "first").iterdir()]
    if not any(name.endswith(".png") for name in names):
        raise Failure("there are no plots")
    plant(p.work / "beside", ".part", ".tmp", "~")
    p.check(draw(p.work / "beside"), GOOD)
    for name in names:
        if (p.work / "beside" / name).is_symlink():
            raise Failure(f"{name} is a link")
    plant(p.work / "over", "")
    if draw(p.work / "over") != 1:
        raise Failure("plots were drawn over links")
    p.check(0, GOOD)


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        kind = rng.randrange(6)
        at = rng.randrange(len(data) + 1)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:at + rng.randint(1, 64)]
        elif kind == 2:
            data[at:at] = data[at:at + rng.randint(1, 256)]
        elif kind == 3:
            data[at:at] = rng.choice([
                b"99999999999999999999", b"-1", b"1e999", b"\0", b"\xff",
                b"[" * 200, b"\x1b[2J", b"=cmd", b"nan", b"\n\n", b"{}",
                b"9223372036854775807", b"%s%n", b"../../x", b"'\""])
        elif kind == 4:
            data = data[:at]
        else:
            data += data[:rng.randint(0, 4096)]
    return bytes(data)


READERS = {
    "result": lambda f: [["report", f], ["report", "--format", "csv", f],
                         ["compare", f, f], ["report", "-o", "x.html",
                                             "--force", f]],
    "timings": lambda f: [["report", f], ["rawdata", f], ["distribution", f],
                          ["allav", f]],
    "prio": lambda f: [["prio", "--explain", f, "target"],
                       ["prio", "--dry-run", f, "target"]],
    "iot": lambda f: [["iot", "--dry-run", f]],
    "hints": lambda f: [["beffio", "--dry-run", "--hints", f, "target"]],
    "keywords": lambda f: [["quick", "--dry-run", "--config", f, "target"]],
    "trace": lambda f: [["trace", f], ["trace", "--format", "json", f],
                        ["replay", "--dry-run", f, "target"]],
    "history": lambda f: [["history", command, "-f", f] + more
                          for command, more in (("list", []), ("trend", []),
                                                ("show", ["2"]))] +
                         [["history", "add", "-f", f,
                           str(CORPUS / "result" / "iot")]],
}


def seeds(p, kind):
    """The files to mutate; a history is made of the results among them."""
    if kind != "history":
        return sorted(f for f in (CORPUS / kind).iterdir() if f.is_file())
    made = p.work / "seed.db"
    if not made.exists():
        results = [str(f) for f in seeds(p, "result")]
        p.run([p.pario, "history", "add", "-f", str(made)] + results)
    return [made]


def hostile_input(p, kind, rng):
    """One mutated file to one reader; the words that were run."""
    files = seeds(p, kind)
    endings = {"result": ".json", "prio": ".prio", "iot": ".in"}
    name = p.work / ("input" + endings.get(kind, ""))
    name.write_bytes(mutate(rng.choice(files).read_bytes(), rng))
    words = rng.choice(READERS[kind](str(name)))
    status = p.run([p.pario, *words], limit_s=20)
    if status < 0 or status > 2:
        keep = pathlib.Path(tempfile.mkdtemp(prefix="pario-attack-input-"))
        shutil.copy(name, keep)
        raise Failure(f"{' '.join(words)}: status {status}, see {keep}")
    if b"\x1b" in p.log.read_bytes():
        raise Failure(f"{' '.join(words)}: an escape reached the terminal")


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
    "run directory replaced by a link": replace_directory,
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
    "samples into a stranger's file": script_as_samples,
    "result through a link": link_as_output,
    "planted links for plots": planted_plot,
}


# Those that wait for a moment, or for real time: a machine under load is late.
# All others are steady.
UNSTEADY = (
    "interrupt (SIGINT)", "SIGTERM to the job", "SIGKILL to the job",
    "SIGHUP to the job", "SIGKILL to rank 0", "SIGKILL to rank 1",
    "SIGSEGV to rank 1", "SIGSTOP to rank 1", "SIGKILL to the launcher",
    "SIGKILL to the janitors", "SIGKILL to janitors and ranks",
    "SIGSTOP to the janitors",
    "run directory removed", "run directory replaced by a link",
    "target lazily unmounted", "target remounted read-only",
    "out of memory in the control group", "clock 1000 times too fast",
    "clock 10 times too slow",
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
    parser.add_argument("--steady", action="store_true",
                        help="only those that hold under any load")
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
             (n not in UNSTEADY or not options.steady)]
    if options.seconds < 600:
        random.Random(options.seed).shuffle(table)
    for done, (name, attack) in enumerate(table):
        if time.monotonic() - begin > options.seconds * TABLE_SHARE:
            print(f"{len(table) - done} attacks were left out: no time")
            break
        totals[verdict(name, attack, options)] += 1
    if options.mutants or (options.only == "" and not options.steady):
        left = options.seconds - (time.monotonic() - begin)
        mutations(options, max(left, 10), totals)
    print(", ".join(f"{count} {name}" for name, count in totals.items()))
    return totals["FAILED"] > 0


if __name__ == "__main__":
    sys.exit(main())
