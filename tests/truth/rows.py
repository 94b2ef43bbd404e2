"""The rows of the table: what is run on the device of known speed.

A new row is one entry; CMakeLists.txt names those that must hold with each
`make test`.
"""


MESSAGES = ("gather", "scatter", "internal")  # no I/O


class Row:
    def __init__(self, name, words, processes=1, input=None, lie=None,
                 fast_s=0, must_fail=False, tail=False, most=2.5, timeout=150,
                 unseen=None, by_section=False, only=None, whole=False, unlimited=False,
                 ordered=True, in_turn=False, before=None, uring=False,
                 program=None, must=None, beside=None, idle=False):
        self.name = name
        self.words = words          # of the command line; @DIR: on the device
        self.processes = processes
        self.input = input          # text of the file `input`
        self.lie = lie              # PARIO_FAULT
        self.fast_s = fast_s        # no limit for so long
        self.must_fail = must_fail  # the run must be invalid
        self.tail = tail            # the library writes the file once before
        self.most = most            # bytes moved / bytes claimed, at most
        self.timeout = timeout
        self.unseen = unseen        # function: does it pass by the referee?
        self.by_section = by_section
        self.only = only            # function of a measure: is it compared?
        self.whole = whole          # a figure of several patterns
        self.ordered = ordered      # the document is in the order of the run
        self.in_turn = in_turn      # one span for each measure, in order
        self.unlimited = unlimited  # as fast as the disk below: for the clock
        self.uring = uring          # needs io_uring
        self.program = program      # that must be installed
        self.idle = idle            # all processes but one have to sleep
        self.must = must            # a flag of every figure, or its beginning
        self.beside = beside        # what another program does: read or write
        self.before = before        # another command of pario, not watched

    @property
    def needs_limit(self):
        return bool(self.fast_s or self.unlimited or self.beside)

    def counts(self, measure):
        return measure["bytes"] > 0 and \
            measure["access"] not in MESSAGES and \
            (self.only is None or self.only(measure))

    def seen(self, measure):
        return self.unseen is None or not self.unseen(measure)

    def together(self, measure):
        """Measured at the same time as its neighbours."""
        return "mix" in (measure.get("parameters") or {})

    def files(self, measure):
        """Which files may be the measure's."""
        section = (measure.get("parameters") or {}).get("section")
        if self.by_section and section:
            return lambda name: name.split(".")[0].endswith(section)
        if self.words[0] == "quick":  # a file for write, rewrite and read
            file = "quick-%d" % (measure["index"] // 3)
            return lambda name: name.split(".")[0].endswith(file)
        if is_pattern(measure) or self.whole:  # of the files "...-type0..."
            return lambda name: measure["test"].split("_")[0] in name
        return lambda name: True


def quick(*more):
    return ["quick", "--time", "8s", "--cold"] + list(more) + ["@DIR"]


PRIO = ["prio", "input", "@DIR", "--cold"]
POSIX = "data 64M\nrequest 1M\nmethods posix\n"
TIMED = POSIX + "patterns write\n[single_file timed]\ntime 2s\n"
# More than the device moves in the time: a second pass would be a span of its
# own, for each ends with a sync.
MIX = POSIX.replace("64M", "192M") + """[single_file writers]
patterns write
[single_file both]
patterns random_read_write
ratio 1:1
[mix]
writers 1
both rest
time 3s
"""


def iot(test, more="", megabytes=64):
    return ("timingsfilename iot.out\nclassname Lowlevel\ntestname %s\n"
            "filename @DIR/iot.tst\nnumruns 1\nfilesize %d\nblocksize 1\n%s\n"
            % (test, megabytes, more))



def kernel(test, *lines):
    return "\n".join(("timingsfilename iot.out", "classname Kernel",
                      "testname " + test, "filename @DIR/iot.tst",
                      "preallocate false") + lines) + "\n"


def array(test, *lines):
    """33.6 MB."""
    return kernel(test, "numsizes 1", "problemsize 2048", *lines)


GRID = ("numprocgrids 1", "xproc 2", "yproc 1")

IOT = ["iot", "input", "--cold"]
BEFFIO = ["beffio", "@DIR", "--fit", "--cold"]
SHIPBENCH = ["shipbench", "@DIR", "--partitions", "2", "--repetitions", "1",
             "--scale", "0.0625", "--sync", "--fresh", "--cold"]


APP = ["nht", "app", "@DIR", "--class", "A", "--steps", "20", "--tc", "1",
       "--cold"]
PATTERN = ["pattern", "-e", "-b", "32M", "-t", "1M", "--cold", "@DIR"]
DRAWN = ["pattern", "-a", "posix", "--cold", "@DIR"]
RATE = ["-t", "64k", "-b", "32M", "--rate", "20M"]
ZIPF = RATE + ["--order", "zipf"]
REPLAY = ["replay", "trace", "@DIR", "--cold"]


META = ["meta", "@DIR", "--files", "400", "--size", "64k", "--ops",
        "read,write", "--layouts", "own", "--cold"]
FULL = ["--verify", "full"]
DROP = "op=write,drop,every=10"


def record(*program):
    return ["record", "--output", "trace", "--below", "@DIR", "--"] + \
        list(program)


def is_nonblocking(measure):
    """POSIX AIO's threads are the C library's own."""
    return not measure["access"].endswith("_blocking")


def is_mapped(measure):
    """shipio reads through a mapping where it does not ship."""
    return measure["access"] == "read" and \
        measure["parameters"]["series"] == "shipio"


def is_pattern(measure):
    return "pattern" in measure


ROWS = [
    Row("quick", quick("-i", "posix")),
    Row("quick-2", quick("-i", "posix"), processes=2),
    Row("quick-mpiio", quick("-i", "mpiio"), processes=2),
    Row("quick-uring", quick("-i", "uring"), unseen=lambda m: True,
        uring=True),
    Row("prio-write", PRIO, processes=2,
        input=POSIX + "patterns write\n[single_file]\n"),
    Row("prio-read", PRIO, processes=2,
        input=POSIX + "patterns backward_read\n[single_file]\n"),
    Row("prio-common", PRIO, processes=2,
        input="data 32M\nrequest 1M\npatterns write\n[common_file]\n"),
    Row("prio-time", PRIO, processes=2, input=TIMED),
    Row("prio-think", PRIO, input=POSIX + "patterns write\n[single_file]\n"
        "direct yes\nthink 25ms\n"),
    Row("prio-mix", PRIO, processes=2, input=MIX, by_section=True),
    Row("beffio", BEFFIO + ["-T", "12s", "--mpart", "2M"], processes=2,
        only=lambda m: is_pattern(m) and m["access"] != "read", timeout=300,
        in_turn=True),
    Row("beffio-total", BEFFIO + ["-T", "8s", "--mpart", "64M"], processes=2,
        only=lambda m: not is_pattern(m), whole=True, timeout=300),
    Row("iot-sinunix", IOT, input=iot("sinunix"), tail=True),
    Row("iot-fast", IOT, input=iot("sinunix", megabytes=600), unlimited=True,
        tail=True),
    Row("iot-fast-2", IOT, input=iot("mulunix", megabytes=600), processes=2,
        unlimited=True, tail=True),
    Row("iot-single", IOT, input=iot("single"), tail=True),
    Row("iot-idle", IOT, processes=4, input=iot("single"), tail=True,
        idle=True),
    Row("iot-mulunix", IOT, processes=2, input=iot("mulunix"), tail=True),
    Row("iot-multiple", IOT, processes=2, tail=True,
        input=iot("multiple", "collective false")),
    Row("iot-sharedfp", IOT, processes=2,
        input=kernel("sharedfp", "filesize 64", "numblocksize 1",
                     "blockmin 0.5", "blockmax 1")),
    Row("iot-async", IOT, input=iot("singleI", "tasklength 20"), tail=True,
        unseen=is_nonblocking),
    Row("iot-nonseq", IOT, processes=2, ordered=False,
        input=kernel("nonseq", "filesize 64", "numblocksize 1", "blocksize 1",
                     "numupdate 1", "update_frac 0.5")),
    Row("iot-matrix", IOT, processes=2, input=array("matrix2D", *GRID)),
    Row("iot-transpose", IOT, processes=2,
        input=array("transpose", "collective true")),
    Row("iot-gatherscat", IOT, processes=2,
        input=array("gatherscat2D", *GRID)),
    Row("iot-outofcore", IOT, processes=2,
        input=array("outofcore", "panel 64", "memory 16"),
        unseen=lambda m: True),  # it reads ahead by POSIX AIO
    Row("iot-irregular", IOT, processes=2,
        input=kernel("irregular", "problemsize 700", "nodalvars 3",
                     "elementvars 2", "collective true")),
    Row("nht-peak", ["nht", "peak", "@DIR", "--no-calibrate", "--fraction",
                     "1", "--memory", "160M", "--cold"], processes=2),
    Row("nht-network", ["nht", "network", "@DIR", "--fraction", "1",
                        "--memory", "160M", "--cold"], program="vsftpd"),
    Row("nht-app", APP + ["--mode", "posix"], processes=2),
    Row("nht-app-mpiio", APP + ["--mode", "full"], processes=2),
    Row("pattern", PATTERN + ["-a", "posix"], processes=2),
    Row("pattern-mpiio", PATTERN + ["-a", "mpiio"], processes=2),
    Row("pattern-mix", PATTERN + ["-a", "posix", "--read-share", "50"],
        processes=2),
    Row("replay-write", REPLAY,
        before=record("dd", "if=/dev/zero", "of=@DIR/recorded", "bs=1M",
                      "count=64", "conv=fsync")),
    Row("replay-read", REPLAY,
        before=record("dd", "if=@DIR/input", "of=/dev/null", "bs=1M")),
    Row("meta", META, unseen=lambda m: True),
    Row("shipbench", SHIPBENCH + ["--tests", "discontiguous"], processes=2,
        ordered=False, unseen=is_mapped),
    # Parts of pages: the device moves more than is asked for, and most of it
    # was in memory.
    Row("prio-512", PRIO, must="cache",
        input="data 4M\nrequest 512\nmethods posix\n"
              "patterns random_read_write\nratio 1:1\n[single_file]\n"),
    Row("pattern-512", DRAWN + ["-w", "-e", "-t", "512", "-b", "2M", "--order",
                                "uniform"], must="cache"),
    # Beside a program that uses the device, too: its counter proves nothing.
    Row("beside-write", DRAWN + ["-w", "-e"] + ZIPF, beside="write"),
    Row("beside-unsynced", DRAWN + ["-w"] + RATE, beside="write"),
    Row("beside-read", DRAWN + ["-r"] + ZIPF, beside="read"),
    # Liars: a sync that does nothing, writes that are reported and dropped, a
    # device that is fast for a second.
    Row("liar-sync", PRIO, lie="op=fsync,drop",
        input=POSIX + "patterns write\n[single_file]\n"),
    Row("liar-sync-quick", quick("-i", "posix"), lie="op=fsync,drop"),
    Row("liar-drop", PRIO + FULL, lie=DROP,
        must_fail=True, input=POSIX + "patterns write\n[single_file]\n"),
    Row("liar-drop-quick", quick("-i", "posix", *FULL), lie=DROP,
        must_fail=True),
    Row("liar-drop-pattern", PATTERN + ["-a", "posix", "-w"] + FULL, lie=DROP,
        must_fail=True),
    Row("liar-drop-replay", REPLAY + FULL, lie=DROP, must_fail=True,
        before=record("dd", "if=/dev/zero", "of=@DIR/recorded", "bs=1M",
                      "count=16", "conv=fsync")),
    Row("liar-drop-iot", IOT + FULL, lie=DROP, must_fail=True,
        input=iot("sinunix", megabytes=16)),
    Row("liar-drop-beffio", BEFFIO + ["-T", "4s", "--mpart", "2M"] + FULL,
        processes=2, lie=DROP, must_fail=True),
    Row("liar-drop-meta", META + FULL, lie=DROP, must_fail=True),
    Row("liar-drop-shipbench", SHIPBENCH + ["--tests", "discontiguous"] + FULL,
        processes=2, lie=DROP, must_fail=True),
    Row("liar-burst", PRIO, fast_s=1,
        input="data 400M\nrequest 1M\nmethods posix\npatterns write\n"
              "[single_file]\n"),
]
