"""Odd surroundings: limits, streams, mounts, disks, memory, clocks, names."""
import csv
import errno
import json
import os
import pathlib
import resource
import subprocess
import time

from place import FAILED, GOOD, Failure, Skip, need_root


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


def no_uring(error):
    """As containers have it: the interface is left out, the rest is run."""
    def attack(p):
        helper = p.options.build / "tests" / "nouring"
        p.check(p.run([str(helper), error, *p.quick("-i", "all")]), GOOD)
        left_out_uring(p)
    return attack


def left_out_uring(p):
    document = json.loads((p.work / "r.json").read_text())
    ran = {m["parameters"]["interface"] for m in document["measures"]}
    if "uring" in ran or "posix" not in ran:
        raise Failure("measured: " + ", ".join(ran))
    if p.has_uring:
        p.must_say("left out")


def no_uring_by_sysctl(p):
    """Of the whole machine, for the time of one run."""
    need_root()
    switch = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
    if not switch.exists():
        raise Skip("this kernel has no such switch")
    before = switch.read_text()
    try:
        switch.write_text("2")
        p.check(p.run(p.quick("-i", "all")), GOOD)
    finally:
        switch.write_text(before)
    left_out_uring(p)


def odd_host(p):
    """A host whose name moves the cursor."""
    need_root()
    script = "printf '\\033[2J=x' >/proc/sys/kernel/hostname"
    if subprocess.run(["unshare", "-u", "sh", "-c", script], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no host name of its own")
    words = " ".join(p.quick(np=1))
    status = p.run(["unshare", "-u", "sh", "-c", f"{script}; exec {words}"])
    if status == 1 and "MPI_INIT" in p.said().upper():
        raise Skip("the MPI library does not begin on such a host")
    p.check(status, GOOD)
    shows_no_escape(p)


def odd_directory(p):
    """Its name has what a terminal obeys, a formula and a tag."""
    folder = p.target / "\x1b[2J=1+1<script>\xc2\x9b\n"
    folder.mkdir()
    p.check(p.run(p.quick(target=folder)), GOOD)
    if list(folder.iterdir()):
        raise Failure("files are left")
    shows_no_escape(p)


def shows_no_escape(p):
    """In no format; nor does a cell begin with a formula, or a tag appear."""
    document = str(p.work / "r.json")
    for form in ("text", "csv", "md", "html"):
        made = subprocess.run([p.pario, "report", "--format", form, document],
                              stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT)
        if made.returncode != 0:
            raise Failure(f"report as {form}: status {made.returncode}")
        marks = [b"\x1b", b"\xc2\x9b"]
        cells = csv.reader(made.stdout.decode(errors="replace").splitlines())
        if form == "csv" and any(cell[:1] in tuple("=+@\t")
                                 for row in cells for cell in row):
            raise Failure("a cell begins with a formula")
        for mark in marks + ([b"=1+1<script>"] if form == "html" else []):
            if mark in made.stdout:
                raise Failure(f"{mark} in the report as {form}")


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
        p.must_say("for lack of memory", "invalid_reasons")
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
