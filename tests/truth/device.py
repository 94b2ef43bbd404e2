"""A device of known speed: a loop device with a limit that the kernel keeps.

with Device(folder) as device: device.directory is a directory of an ext4 on
it, device.write_limit and device.read_limit are bytes per second, device.run()
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
    def __init__(self, folder=None, size=2 << 30, write_limit=WRITE_LIMIT,
                 read_limit=READ_LIMIT):
        self.write_limit, self.read_limit = write_limit, read_limit
        self.size = size
        self.folder = folder
        self.undo = []

    def __enter__(self):
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

    @staticmethod
    def interrupted(number, frame):
        raise KeyboardInterrupt

    def make(self):
        if os.geteuid() != 0:
            raise CannotMake("a loop device needs root")
        base = tempfile.mkdtemp(prefix="pario-truth-", dir=self.folder)
        self.undo.append(lambda: subprocess.call(["rm", "-rf", base]))
        image, self.directory = base + "/disk.img", base + "/mnt"
        os.mkdir(self.directory)
        with open(image, "wb") as file:
            file.truncate(self.size)
            # Without holes: else the first write to a block costs more.
            os.posix_fallocate(file.fileno(), 0, self.size)
        command("mkfs.ext4", "-q", "-E",
                "lazy_itable_init=0,lazy_journal_init=0", image)
        self.node = command("losetup", "-f", "--show", "--direct-io=on", image)
        self.undo.append(lambda: command("losetup", "-d", self.node))
        command("mount", self.node, self.directory)
        self.undo.append(lambda: command("umount", self.directory))
        with open("/sys/class/block/%s/dev" %
                  os.path.basename(self.node)) as file:
            self.number = file.read().strip()
        self.throttle = make_throttle()
        self.undo.append(self.throttle.remove)
        self.undo.append(lambda: self.limit(0, 0))
        self.limit(self.write_limit, self.read_limit)

    def limit(self, write, read):
        self.throttle.set(self.number, write, read)

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

    def run(self, words, **more):
        """Starts a program within the limit."""
        return subprocess.Popen(words, preexec_fn=self.throttle.join, **more)

    def sectors(self):
        """Bytes (read, written) that the device saw so far."""
        with open("/sys/dev/block/%s/stat" % self.number) as file:
            field = file.read().split()
        return int(field[2]) * 512, int(field[6]) * 512

    def __exit__(self, *_):
        while self.undo:
            try:
                self.undo.pop()()
            except CannotMake as error:
                print("cannot clean up:", error)
