"""A device of known speed: a loop device with a limit that the kernel keeps,
or a file system in user space that takes its time.

with make_device(kinds, folder, tree) as device: device.directory is a directory on it,
device.write_limit and device.read_limit are bytes per second, device.run()
starts a program for which the limit holds. Everything is undone at the end,
also after an exception or a signal.
"""
import os
import signal
import subprocess
import tempfile
import time

WRITE_LIMIT = 50 << 20  # 52.4 MB/s
READ_LIMIT = 100 << 20  # 104.9 MB/s
V1 = "/sys/fs/cgroup/blkio"
V2 = "/sys/fs/cgroup"


class CannotMake(Exception):
    """No such device can be made here; the text says why."""


def command(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise CannotMake("%s: %s" % (" ".join(words), done.stdout.strip()))
    return done.stdout.strip()


def put(path, text):
    with open(path, "w") as file:
        file.write(text)


class Throttle1:
    """cgroup v1: the limit of the root group holds for the writeback of
    kernel threads, too; programs are moved there."""

    def __init__(self):
        self.files = {
            "write": V1 + "/blkio.throttle.write_bps_device",
            "read": V1 + "/blkio.throttle.read_bps_device"}
        if not os.access(self.files["write"], os.W_OK):
            raise CannotMake("no throttling in " + V1)

    def set(self, number, write, read):
        put(self.files["write"], "%s %d" % (number, write))
        put(self.files["read"], "%s %d" % (number, read))

    def join(self):
        put(V1 + "/cgroup.procs", str(os.getpid()))

    def remove(self):
        pass


class Throttle2:
    """cgroup v2: a group of its own; writeback is charged to it only with the
    memory controller."""

    def __init__(self):
        self.folder = None
        try:
            with open(V2 + "/cgroup.controllers") as file:
                controllers = file.read().split()
            if "io" not in controllers or "memory" not in controllers:
                raise CannotMake("cgroup v2 without io and memory")
            put(V2 + "/cgroup.subtree_control", "+io +memory")
            self.folder = tempfile.mkdtemp(prefix="pario-truth-", dir=V2)
        except OSError as error:
            raise CannotMake("cgroup v2: %s" % error)

    def set(self, number, write, read):
        put(self.folder + "/io.max", "%s wbps=%s rbps=%s" % (
            number, write or "max", read or "max"))

    def join(self):
        put(self.folder + "/cgroup.procs", str(os.getpid()))

    def remove(self):
        for _ in range(50):  # until the last process has left it
            try:
                os.rmdir(self.folder)
                return
            except OSError:
                time.sleep(0.1)


def make_throttle():
    reasons = []
    for kind in (Throttle1, Throttle2):
        try:
            return kind()
        except CannotMake as error:
            reasons.append(str(error))
    raise CannotMake("; ".join(reasons))


class Device:
    """What both kinds have in common."""

    counts = False     # are there counters of what it saw?
    has_limit = False  # can its speed be changed meanwhile?

    def __init__(self, folder, tree, write_limit=WRITE_LIMIT,
                 read_limit=READ_LIMIT):
        self.folder, self.tree = folder, tree
        self.write_limit, self.read_limit = write_limit, read_limit
        self.undo = []

    def start(self):
        # A signal ends the script as an exception does: through __exit__.
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupted)
        try:
            self.make()
            self.check()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __enter__(self):
        return self

    @staticmethod
    def interrupted(number, frame):
        raise KeyboardInterrupt

    def make_folder(self):
        base = tempfile.mkdtemp(prefix="pario-truth-", dir=self.folder)
        self.undo.append(lambda: subprocess.call(["rm", "-rf", base]))
        self.directory = base + "/mnt"
        os.mkdir(self.directory)
        return base

    def check(self):
        """The referee is refereed: does the limit hold?"""
        seconds = 1
        path = self.directory + "/check"
        begin = time.monotonic()
        copy = self.run(["dd", "if=/dev/zero", "of=" + path, "bs=1M",
                         "count=%d" % (self.write_limit * seconds >> 20),
                         "conv=fsync"],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        status = copy.wait()
        took = time.monotonic() - begin
        if status != 0 or took < 0.8 * seconds:
            raise CannotMake("the limit of the device does not hold")
        os.unlink(path)

    def __exit__(self, *_):
        while self.undo:
            try:
                self.undo.pop()()
            except CannotMake as error:
                print("cannot clean up:", error)


class SlowFolder(Device):
    """A FUSE file system that takes its time; also for ordinary users. Nobody
    counts what it moves."""

    def make(self):
        slowfs = self.tree + "/bin/slowfs"
        if not os.access(slowfs, os.X_OK):
            raise CannotMake("no slowfs (libfuse) in " + self.tree)
        base = self.make_folder()
        os.mkdir(base + "/real")
        server = subprocess.Popen(
            [slowfs, base + "/real", "0", self.directory,
             str(self.write_limit), str(self.read_limit)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.undo.append(lambda: self.unmount(server))
        for _ in range(100):
            if os.path.ismount(self.directory):
                return
            if server.poll() is not None:
                raise CannotMake("slowfs: " + server.stderr.read().strip())
            time.sleep(0.05)
        raise CannotMake("slowfs does not mount")

    def unmount(self, server):
        for words in (["fusermount3", "-u"], ["umount"], ["umount", "-l"]):
            if not os.path.ismount(self.directory):
                break
            subprocess.call(words + [self.directory],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
        server.wait()

    def run(self, words, **more):
        return subprocess.Popen(words, **more)


class LoopDevice(Device):
    """An ext4 on a loop device."""

    counts = has_limit = True
    size = 2 << 30

    def make(self):
        if os.geteuid() != 0:
            raise CannotMake("a loop device needs root")
        image = self.make_folder() + "/disk.img"
        with open(image, "wb") as file:
            file.truncate(self.size)
            # Without holes: else the first write to a block costs more.
            os.posix_fallocate(file.fileno(), 0, self.size)
        command("mkfs.ext4", "-q", "-E",
                "lazy_itable_init=0,lazy_journal_init=0", image)
        self.node = command("losetup", "-f", "--show", "--direct-io=on", image)
        self.undo.append(lambda: command("losetup", "-d", self.node))
        command("mount", self.node, self.directory)
        self.undo.append(self.unmount)
        with open("/sys/class/block/%s/dev" %
                  os.path.basename(self.node)) as file:
            self.number = file.read().strip()
        self.throttle = make_throttle()
        self.undo.append(self.throttle.remove)
        self.undo.append(lambda: self.limit(0, 0))
        self.limit(self.write_limit, self.read_limit)

    def unmount(self):
        # A process that was just killed may still hold it: wait until it is
        # gone, and at last let go of the name at least.
        for _ in range(50):
            if subprocess.call(["umount", self.directory],
                               stderr=subprocess.DEVNULL) == 0:
                return
            time.sleep(0.1)
        command("umount", "-l", self.directory)

    def limit(self, write, read):
        self.throttle.set(self.number, write, read)

    def run(self, words, **more):
        """Starts a program within the limit."""
        return subprocess.Popen(words, preexec_fn=self.throttle.join, **more)

    def sectors(self):
        """Bytes (read, written) that the device saw so far."""
        with open("/sys/dev/block/%s/stat" % self.number) as file:
            field = file.read().split()
        return int(field[2]) * 512, int(field[6]) * 512


KINDS = {"loop": [LoopDevice], "slowfs": [SlowFolder],
         "any": [LoopDevice, SlowFolder]}


def make_device(kinds, folder, tree):
    """The first of these kinds that can be made here."""
    reasons = []
    for kind in kinds:
        try:
            return kind(folder, tree).start()
        except CannotMake as error:
            reasons.append(str(error))
    raise CannotMake("; ".join(reasons))
