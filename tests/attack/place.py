"""Where an attack takes place, and what is asked after it."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

PRECIOUS = "precious\n"
# What a terminal obeys: ESC, and C1 in UTF-8 or as it is.
ESCAPE = re.compile(rb"\x1b|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\x9f]")

# Exit statuses: of a run that is not harmed, of one that failed (also when its
# processes were killed: pario waits for the launcher), of one that was told to
# end, and of one that was killed itself.
GOOD, FAILED, USAGE = (0,), (1,), (2,)
TOLD, KILLED = (130,), (-signal.SIGKILL,)


class Failure(Exception):
    pass


class Skip(Exception):
    pass


class Place:
    """A folder for one attack, with files of somebody else in it."""

    def __init__(self, options):
        self.options = options
        self.measures = False  # a document is expected
        self.pario = str(options.build / "bin" / "pario")
        self.fault = str(options.build / "lib" / "libpariofault.so")
        version = subprocess.run([self.pario, "--version"], text=True,
                                 stdout=subprocess.PIPE, check=True).stdout
        self.mpi = "MPI: none" not in version
        self.is_open_mpi = "Open MPI" in version
        self.has_uring = "io_uring: yes" in version
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
        self.measures = "--output" not in more and "--dry-run" not in more
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

    def must_say(self, text, where="warnings"):
        """The document gets it from the janitor, a moment later."""
        end = time.monotonic() + 20
        while text not in " ".join(json.loads(
                (self.work / "r.json").read_text())[where]):
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
        if self.log.exists() and ESCAPE.search(self.log.read_bytes()):
            raise Failure("an escape reached the terminal")
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
        if status == 0 and self.measures and not document.exists():
            raise Failure("status 0, and there is no document")
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
