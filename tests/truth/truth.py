#!/usr/bin/env python3
"""Holds pario's figures against a referee who does not know pario.

    truth.py --tree BUILD [--rows NAME,NAME] [--list] [--folder DIR]

runs each row (a suite, an access, a liar) on a device of known speed and
compares every measure of the result document with what libreferee.so saw of
the program's calls and with what the device counted. README.md has the rules.
Exit status: 0 all figures agree or say why not, 1 some do not, 77 no such
device can be made here.
"""
import argparse
import ctypes
import errno
import json
import mmap
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from device import KINDS, CannotMake, make_device
from rows import ROWS

TOLERANCE = 0.05
# The kernel's throttle lets this much time's worth of bytes through at once,
# at the beginning and after each time in which nothing was asked of it.
BURST_S = 0.15
FASTER = 6  # times the limit, while a device is fast at first
# So many are allowed where the calls cannot be seen: with posix the same work of
# quick, in 0.4 s, went at 77 MB/s by the referee's own clock.
UNSEEN_BURSTS = 2
# Metadata, read-ahead, journal: what a device sees beside the data.
BESIDE_BYTES = 1 << 20
# Flags that take back the whole figure.
BROKEN = ("error", "wrong-data", "run-invalid")
# pario's own words for a short time and for one with pauses, and how far the
# time of a short figure may be off.
SHORT_S = 0.1
UNSEEN_SHARE = 0.01
SHORT_SLACK_S = 0.05
# A process may wait for a core before its first call and after its last.
WAITING_S = 0.01
OPEN_CLOSE_S = 0.1
READS, WRITES = ("read",), ("write",)


def directions_of(measure):
    """By its name (write_blocking, panel_read, update), or by its bytes."""
    words = measure["access"].split("_")
    reads = "read" in words
    writes = bool({"write", "rewrite", "create"} & set(words)) or \
        words == ["update"]
    if reads != writes:
        return READS if reads else WRITES
    if measure.get("written_bytes") == 0:
        return READS
    if measure.get("written_bytes") == measure["bytes"]:
        return WRITES
    return READS + WRITES


class Neighbour(threading.Thread):
    """Another program that uses the device, past the page cache, and keeps
    book: what it moved is not what the run moved."""

    BLOCK = 1 << 20
    BLOCKS = 32
    REST_S = 0.01

    def __init__(self, path, direction):
        super().__init__(daemon=True)
        self.direction, self.ended = direction, threading.Event()
        self.log = []  # when a call was over
        self.buffer = mmap.mmap(-1, self.BLOCK)
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
        for block in range(self.BLOCKS):
            os.pwritev(self.fd, [self.buffer], block * self.BLOCK)
        os.fsync(self.fd)

    def run(self):
        call = os.pwritev if self.direction == "write" else os.preadv
        while not self.ended.wait(self.REST_S):
            call(self.fd, [self.buffer],
                 len(self.log) % self.BLOCKS * self.BLOCK)
            self.log.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))

    def end(self):
        self.ended.set()
        self.join()
        os.close(self.fd)

    def bytes(self, span):
        """That it moved while the span lasted."""
        if self.direction not in span.directions:
            return 0
        return sum(span.begin <= at <= span.end
                   for at in self.log) * self.BLOCK


class NoDocument(Exception):
    """A run that gave nothing to compare; the text says why."""


def bytes_seen(spans):
    """By the device, in all of their windows; what two of them cover (files
    that stay open while another process has its turn) counts once. None: it
    has no counters."""
    total = 0
    for direction in spans.directions:
        end = None
        for first, last in sorted(spans.windows(direction)):
            if first < 0:
                return None
            if end is None or first > end:
                end = first
            total += max(last - end, 0)
            end = max(last, end)
    return total


class Span:
    """What all processes did between two pauses: times in ns, bytes."""

    def __init__(self, stretch, directions):
        self.directions = directions
        self.stretches = []
        self.begin, self.end = None, None
        self.add(stretch)

    @staticmethod
    def limits(stretch, directions):
        parts = [stretch[d] for d in directions if stretch[d]["calls"] > 0]
        begin = min(p["begin_ns"] for p in parts)
        end = max(p["end_ns"] for p in parts)
        if "write" in directions:  # to durable, else to closed
            end = max(end, stretch["sync_end_ns"] if stretch["syncs"] > 0
                      else stretch["next_ns"])
        return begin, end

    def add(self, stretch):
        begin, end = self.limits(stretch, self.directions)
        self.stretches.append(stretch)
        self.begin = begin if self.begin is None else min(self.begin, begin)
        self.end = end if self.end is None else max(self.end, end)

    def is_complete(self):
        """A measure that reads and writes does both."""
        return all(any(s[d]["calls"] > 0 for s in self.stretches)
                   for d in self.directions)

    def only_reads(self):
        return all(s["write"]["calls"] == 0 for s in self.stretches)

    def bytes(self):
        return sum(s[d]["bytes"] for s in self.stretches
                   for d in self.directions)

    def distinct_bytes(self):
        return sum(s[d]["distinct_bytes"] for s in self.stretches
                   for d in self.directions)

    def passes(self):
        """How often it went over the same data: it may pause in between."""
        return -(-self.bytes() // max(self.distinct_bytes(), 1))

    def windows(self, direction):
        """What the device's counter went through: [first, last], one."""
        key = "device_read" if direction == "read" else "device_written"
        return [[min(s[key][0] for s in self.stretches),
                 max(s[key][1] for s in self.stretches)]]

    def device_bytes(self):
        return bytes_seen(self)

    def last_bytes_begin(self, count):
        """When the last `count` bytes began (after a library's own work on
        the file, such as writing it once to reserve its space)."""
        surplus = self.bytes() - count
        for s in sorted(self.stretches, key=lambda s: s["write"]["begin_ns"]):
            part = s[self.directions[0]]
            if surplus <= 0 or part["unit"] == 0:
                break
            if part["bytes"] <= surplus:
                surplus -= part["bytes"]
                continue
            mark = min(-(-surplus // part["unit"]), len(part["marks"]) - 1)
            return part["marks"][mark]
        return self.begin

    def inner_s(self, begin=None):
        return (self.end - (begin or self.begin)) / 1e9

    def outer_s(self):
        """From the end of what was before on these files to the begin of what
        came after: a library's own work lies there."""
        return (max(s["next_ns"] for s in self.stretches) -
                min(s["free_ns"] for s in self.stretches)) / 1e9


def waited_s(log, begin, end):
    """For a core, of all processes, from the end of their last stretch before
    to the beginning of their first one after."""
    total = 0
    for pid in {s["pid"] for s in log}:
        mine = [s for s in log if s["pid"] == pid]
        before = [s["waited_ns"][1] for s in mine if s["next_ns"] <= begin] \
            or [min(s["waited_ns"][0] for s in mine)]
        after = [s["waited_ns"][0] for s in mine if s["free_ns"] >= end] \
            or [max(s["waited_ns"][1] for s in mine)]
        total += max(min(after) - max(before), 0)
    return total / 1e9


class Whole:
    """Spans one after the other that make a figure together: b_eff_io's time
    from open to close. What pario reads back between them is not its time."""

    def __init__(self, spans, others, log):
        self.spans = spans
        self.log = log
        self.begin, self.end = spans[0].begin, spans[-1].end
        self.others_s = sum(o.inner_s() for o in others
                            if o.begin >= self.begin and o.end <= self.end)

    def bytes(self):
        return sum(s.bytes() for s in self.spans)

    def passes(self):
        return sum(s.passes() for s in self.spans)

    @property
    def directions(self):
        return self.spans[0].directions

    def windows(self, direction):
        return [w for s in self.spans for w in s.windows(direction)]

    def device_bytes(self):
        return bytes_seen(self)

    def last_bytes_begin(self, count):
        return self.begin

    def inner_s(self, begin=None):
        return sum(s.inner_s() for s in self.spans)

    def outer_s(self):
        last = max(s["next_ns"] for s in self.spans[-1].stretches)
        first = min(s["free_ns"] for s in self.spans[0].stretches)
        return (last - first) / 1e9 - self.others_s + \
            waited_s(self.log, first, last)


def spans_of(log, directions, files):
    """Overlapping stretches are one span."""
    wanted = [s for s in log if any(s[d]["calls"] > 0 for d in directions) and
              files(os.path.basename(s["file"]))]
    spans = []
    for stretch in sorted(wanted, key=lambda s: Span.limits(s, directions)):
        begin, _ = Span.limits(stretch, directions)
        if spans and begin < spans[-1].end:
            spans[-1].add(stretch)
        else:
            spans.append(Span(stretch, directions))
    return spans


def taken_s(measure):
    """By its clock and with its pauses (a cold read evicts between passes): the
    clock of the referee does not stop."""
    return measure["seconds"] + (measure.get("pause_s") or 0)


def unseen_s(measure):
    """What it says was off its clock while the device worked for it."""
    return measure.get("unseen_s") or 0


def time_limits(span, measure, row):
    """Between these its seconds must lie."""
    begin = span.last_bytes_begin(measure["bytes"]) if row.tail else None
    inner = span.inner_s(begin)
    return inner * (1 - TOLERANCE), \
        max(inner, span.outer_s()) * (1 + TOLERANCE)


def find_span(log, measure, after, row):
    """Of the next spans that moved as many bytes as the measure claims, the
    first that took its time, else the nearest. Files are also prepared and
    checked; libraries that read around the holes of a view move more."""
    spans = [s for s in spans_of(log, directions_of(measure),
                                 row.files(measure))
             if after(s) and s.is_complete() and
             0.98 * measure["bytes"] <= s.bytes() <=
             row.most * measure["bytes"]][:4]
    if row.in_turn:  # nothing else writes these files: the next it must be
        exact = [s for s in spans if s.bytes() <= 1.005 * measure["bytes"]]
        return (exact or [find_whole(log, measure, after, row)])[0] or \
            (spans or [None])[0]
    if row.tail and directions_of(measure) == WRITES:
        # The file was written once before: the last span before it is read.
        reads = [r.begin for r in spans_of(log, READS, row.files(measure))
                 if after(r)]
        spans = [s for s in spans if not reads or s.begin < reads[0]][-1:]
    # Passes with a sync after each are several spans.
    return nearest(spans, measure, row) or \
        find_whole(log, measure, after, row)


def nearest(spans, measure, row):
    """The first that took its time, else the one that differs least."""
    def far(span):
        low, high = time_limits(span, measure, row)
        return max(low - taken_s(measure), taken_s(measure) - high, 0)

    return min(spans, key=far) if spans else None


def find_whole(log, measure, after, row):
    """The next spans, in a row, whose bytes are those of the measure."""
    directions = directions_of(measure)
    files = row.files(measure)
    spans = [s for s in spans_of(log, directions, files) if after(s)]
    if row.whole and directions == READS:  # not what is read back in between
        spans = [s for s in spans if s.only_reads()]
    others = spans_of(log, READS if directions == WRITES else WRITES, files)
    found = []
    for first in range(len(spans)):
        count = 0
        for last in range(first, len(spans)):
            count += spans[last].bytes()
            if count > 1.1 * measure["bytes"]:
                break
            if count >= 0.98 * measure["bytes"]:
                found.append(Whole(spans[first:last + 1], others, log))
                break
    if row.in_turn:  # processes one after the other, on a busy machine
        return found[0] if found else None
    return nearest(found, measure, row)


def figure_flags(measure):
    flags = []
    if measure.get("cache") != "disk":
        flags.append("cache" if measure.get("cache") == "cache" else
                     "cache-" + str(measure.get("cache")))
    if measure.get("short"):
        flags.append("short")
    if measure.get("error"):
        flags.append("error")
    if measure["verify"]["errors"]:
        flags.append("wrong-data")
    return flags + [f for f in measure.get("flags", []) if f not in flags]


class Verdict:
    def __init__(self, measure, span, row, run_is_valid, loopback=None,
                 beside=None):
        self.measure, self.span, self.row = measure, span, row
        self.beside = beside  # another program
        self.loopback = loopback  # bytes that went through it meanwhile
        self.flags = figure_flags(measure)
        if not run_is_valid:
            self.flags.append("run-invalid")
        self.wrong = []
        self.excused = []

    def object_to(self, text, excuses=BROKEN):
        """A fault of the figure, unless one of these flags says it."""
        said = [f for f in self.flags if f.startswith(excuses)]
        (self.excused if said else self.wrong).append(text)

    def taken_s(self):
        """Pauses are believed where the device is slow enough to contradict
        them (judge_bound); elsewhere there must be none."""
        return self.measure["seconds"] if self.row.unlimited else \
            taken_s(self.measure)

    def parted(self):
        """Is it a row of spans that syncs part? That leaves the pauses out."""
        return isinstance(self.span, Whole) and \
            directions_of(self.measure) == WRITES

    def referee_s(self):
        """The referee's time for the same work, without pario's pauses."""
        seconds = time_limits(self.span, self.measure, self.row)[0] / \
            (1 - TOLERANCE)
        return seconds if self.parted() else \
            seconds - (self.measure.get("pause_s") or 0)

    def limits(self):
        """Between these its seconds must lie. Of a short time the first and
        the last call are a large part."""
        low, high = time_limits(self.span, self.measure, self.row)
        slack = SHORT_SLACK_S if "short" in self.flags else WAITING_S
        # The time of a type of b_eff_io has MPI's open and close in it.
        return low - slack, high + slack + self.row.whole * OPEN_CLOSE_S

    def judge_clock(self):
        seconds = most = self.measure["seconds"]
        if not self.parted():
            seconds = self.taken_s()
        if "paused" in self.flags:  # as far as it says itself, and no further
            most += unseen_s(self.measure)
        low, high = self.limits()
        if max(seconds, most) < low:
            self.object_to("%.3f s, the calls took %.3f s" %
                           (max(seconds, most), low / (1 - TOLERANCE)))
        elif seconds > high:
            self.object_to("%.3f s, the file was in use %.3f s" %
                           (seconds, high / (1 + TOLERANCE)))

    def judge_flags(self, device):
        """What speaks against a figure must be true, and be said."""
        seconds = self.measure["seconds"]
        if ("short" in self.flags) != (seconds < SHORT_S):
            self.object_to("%sshort at %.3f s" % (
                "" if "short" in self.flags else "not ", seconds))
        if ("paused" in self.flags) != (unseen_s(self.measure) >
                                        UNSEEN_SHARE * seconds):
            self.object_to("%spaused with %.4f of %.4f s unseen" % (
                "" if "paused" in self.flags else "not ",
                unseen_s(self.measure), seconds))
        if (self.measure["error"] or "wrong-data" in self.flags) and \
                not self.row.must_fail:
            self.wrong.append("failed: %s" % self.measure["error"])
        if self.row.must and \
                not any(f.startswith(self.row.must) for f in self.flags):
            self.wrong.append("it is not said that it is %s" % self.row.must)
        if ("cache-unknown" in self.flags) != (not device.counts):
            self.object_to("the device can%s be seen" %
                           ("" if device.counts else "not"))

    def judge_device(self):
        claimed, seen = self.measure["bytes"], self.span.device_bytes()
        told = self.measure.get("device_bytes")

        if seen is None:
            return
        if told is None:
            self.object_to("no device_bytes")
        elif not self.row.together(self.measure) and \
                abs(told - seen) > self.device_tolerance() * seen + \
                BESIDE_BYTES:
            self.object_to("device_bytes %d, the device saw %d" % (told, seen))
        if self.beside is not None:
            seen = max(seen - self.beside.bytes(self.span), 0)
        if seen >= claimed * (1 - TOLERANCE):
            self.judge_excuse(seen)
        else:
            self.object_to("the device saw %.1f of %.1f MB" %
                           (seen / 1e6, claimed / 1e6), ("cache",) + BROKEN)

    def device_tolerance(self):
        """What was read ahead while its clock stood still it does not claim."""
        if "paused" not in self.flags:
            return TOLERANCE
        return TOLERANCE + unseen_s(self.measure) / self.measure["seconds"]

    def judge_excuse(self, seen):
        """A write that the device saw is no cached one."""
        said = [f for f in self.flags if f.startswith("cache")]
        if said and directions_of(self.measure) == WRITES and \
                not self.row.together(self.measure) and \
                seen >= self.measure["bytes"] + BESIDE_BYTES:
            self.object_to("%s, but the device saw all of it" % said[0])

    def leaves_time_out(self):
        return max(self.measure.get("pause_s") or 0,
                   unseen_s(self.measure)) > \
            UNSEEN_SHARE * self.measure["seconds"]

    def judge_bound(self, device):
        """No device is faster than its limit, whatever it counted: time that a
        figure leaves out as a pause does not make it slower."""
        limit = {WRITES: device.write_limit, READS: device.read_limit}.get(
            directions_of(self.measure))
        # When the limit of a device that is fast at first comes is not exact.
        if limit is None or self.row.unlimited or self.row.fast_s:
            return
        # The clock has judged all of its time: a device that was idle, or a
        # machine that was busy, lets more through at once than BURST_S.
        if self.span and not self.leaves_time_out():
            return
        seconds = self.measure["seconds"] + \
            BURST_S * (self.span.passes() if self.span else UNSEEN_BURSTS)
        if "paused" in self.flags:
            seconds += unseen_s(self.measure)
        if self.measure["bytes"] > limit * (1 + TOLERANCE) * seconds:
            # Where no calls are seen nobody knows in how many bursts a short
            # time fell.
            short = () if self.span else ("short",)
            self.object_to("faster than the device (%.1f MB/s)" % (limit / 1e6),
                           ("cache",) + short + BROKEN)

    def judge_loopback(self):
        """What is said to have gone through the loopback interface must have:
        not less than the data, nor more than it counted (others use it)."""
        told = (self.measure.get("evidence") or {}).get(
            "loopback_interface_bytes")
        if told is None or self.loopback is None:
            return
        if not self.measure["bytes"] <= told <= self.loopback:
            self.object_to("%d bytes through the loopback interface, it "
                           "counted %d" % (told, self.loopback))

    def judge(self, device):
        if self.measure["seconds"] is None or self.measure["error"]:
            if not self.row.must_fail:
                self.wrong.append("failed: %s" % self.measure["error"])
            return self
        self.judge_flags(device)
        if self.span is None and self.row.seen(self.measure):
            self.object_to("no calls moved these bytes")
        if self.span is not None:
            self.judge_clock()
            self.judge_device()
        self.judge_bound(device)
        self.judge_loopback()
        return self

    def word(self):
        return "WRONG" if self.wrong else \
            "flagged" if self.flags else "agrees"


def describe(measure):
    p = measure.get("parameters") or {}
    words = [measure["test"], str(measure["access"])]
    words += [str(p[k]) for k in ("section", "series", "interface", "method",
                                  "order") if k in p]
    for key in ("request_bytes", "block_bytes"):
        if key in p:
            words.append("%g KiB" % (p[key] / 1024))
    if "pattern" in measure:
        words.append("l=%d" % measure["pattern"]["l_bytes"])
    return " ".join(words)


def rate(count, seconds):
    return count / seconds / 1e6 if seconds > 0 else 0.0


def print_rows(row, tree, verdicts):
    for v in verdicts:
        m = v.measure
        seen = v.span.device_bytes() if v.span else None
        print("%-16s %-7s %-44.44s %9.1f %9s %9s  %-18s %s" % (
            row.name, tree, describe(m), m["bandwidth_mbps"] or 0,
            "%.1f" % rate(m["bytes"], v.referee_s()) if v.span else "-",
            "%.1f" % (100 * seen / m["bytes"])
            if seen is not None and m["bytes"] else "-",
            v.word() + (" " + ",".join(v.flags) if v.flags else ""),
            "; ".join(v.wrong)))


HEADING = "%-16s %-7s %-44s %9s %9s %9s  %s" % (
    "row", "build", "figure", "MB/s", "referee", "device %", "verdict")


def limit_later(device, seconds):
    """A device that is fast until some time after its first write."""
    device.limit(FASTER * device.write_limit, FASTER * device.read_limit)
    _, before = device.sectors()

    def wait():
        while device.sectors()[1] < before + BESIDE_BYTES:
            time.sleep(0.01)
        time.sleep(seconds)
        device.limit(device.write_limit, device.read_limit)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()


def run_before(row, tree, device, work):
    """What the row needs: a file to read, a trace to replay."""
    with open(device.directory + "/input", "wb") as file:
        file.write(os.urandom(64 << 20))
    words = [tree + "/bin/pario"]
    words += [w.replace("@DIR", device.directory) for w in row.before]
    done = subprocess.run(words, cwd=work, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, timeout=row.timeout)
    if done.returncode != 0:
        raise NoDocument("%s: %s" % (" ".join(row.before), done.stderr))


def loopback_bytes():
    """Sent through the interface lo so far; None: it cannot be seen."""
    try:
        with open("/proc/net/dev") as file:
            for line in file:
                name, _, counts = line.partition(":")
                if name.strip() == "lo":
                    return int(counts.split()[8])
    except OSError:
        pass
    return None


def cpu_s():
    """Of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_row(row, tree, device, folder, memory):
    """Returns the program's exit status, its document, the referee's log,
    which is kept in memory (a line is written while the program waits), and the
    other program, or None."""
    work = tempfile.mkdtemp(dir=folder)
    out, log = work + "/out.json", memory + "/referee.log"
    preload = [tree + "/lib/libreferee.so"]
    env = dict(os.environ, REFEREE_DIR=device.directory, REFEREE_LOG=log,
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1")
    if row.lie:
        preload.append(tree + "/lib/libpariofault.so")
        env["PARIO_FAULT"] = row.lie + ",path=" + device.directory
    env["LD_PRELOAD"] = ":".join(preload)
    if row.input:
        with open(work + "/input", "w") as file:
            file.write(row.input.replace("@DIR", device.directory))
    if row.before:
        run_before(row, tree, device, work)
    words = [tree + "/bin/pario"]
    words += ["-n", str(row.processes)] if row.processes > 1 else []
    words += [w.replace("@DIR", device.directory) for w in row.words]
    words += ["--quiet", "--output", out]
    if row.fast_s:
        limit_later(device, row.fast_s)
    if row.unlimited:
        device.limit(0, 0)
    loopback = loopback_bytes()
    used, begin = cpu_s(), time.monotonic()
    beside = None
    if row.beside:
        beside = Neighbour(device.directory + "/beside", row.beside)
        beside.start()
    job = device.run(words, env=env, cwd=work, stdin=subprocess.DEVNULL,
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                     text=True)
    try:
        _, messages = job.communicate(timeout=row.timeout)
    except subprocess.TimeoutExpired:
        job.terminate()
        job.communicate()
        raise NoDocument("still running after %d s" % row.timeout)
    except BaseException:  # a signal: nobody may use the device any more
        job.terminate()
        job.communicate()
        raise
    finally:
        if beside is not None:
            beside.end()
    used, took = cpu_s() - used, time.monotonic() - begin
    if not os.path.exists(out):
        raise NoDocument("no document (status %d): %s" %
                         (job.returncode, messages))
    with open(out) as file:
        document = json.load(file)
    # MPICH's processes spin while they begin and agree; on two cores all that
    # wait would use twice the time.
    if row.idle and used > 1.5 * took:
        document["warnings"].append("%.1f s of the processors in %.1f s" %
                                    (used, took))
        document["referee_busy"] = True
    if loopback is not None:
        document["referee_loopback"] = loopback_bytes() - loopback
    stretches = []
    if os.path.exists(log):
        with open(log) as file:
            stretches = [json.loads(line) for line in file]
    return job.returncode, document, stretches, beside


def judge(row, document, log, device, beside=None):
    verdicts, last, used = [], 0, set()

    def after(span):
        return span.begin not in used and (not row.ordered or
                                           span.begin > last)

    for index, measure in enumerate(document["measures"]):
        measure["index"] = index
        if not row.counts(measure):
            continue
        find = find_whole if row.whole else find_span
        span = find(log, measure, after, row) if row.seen(measure) else None
        if span is not None and not row.together(measure):
            last = span.begin
            used.add(span.begin)
        verdicts.append(Verdict(measure, span, row, document["valid"],
                                document.get("referee_loopback"), beside)
                        .judge(device))
    judge_together([v for v in verdicts if row.together(v.measure)])
    return verdicts


def judge_together(verdicts):
    """Measures of one time share what the device saw, each by its bytes."""
    spans = [v.span for v in verdicts if v.span is not None]
    told = [v.measure.get("device_bytes") for v in verdicts]
    if not spans or None in told:
        return
    whole = Span(spans[0].stretches[0], READS + WRITES)
    for stretch in (s for span in spans for s in span.stretches):
        whole.add(stretch)
    seen = whole.device_bytes()
    if seen is not None and \
            abs(sum(told) - seen) > TOLERANCE * seen + BESIDE_BYTES:
        verdicts[0].object_to("device_bytes of all %d, the device saw %d" %
                              (sum(told), seen))


def has_uring(tree):
    """Is it built in, and may it be used here? The call gets no address."""
    setup = 425
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(setup), ctypes.c_uint(1), None) < 0 and \
            ctypes.get_errno() != errno.EFAULT:
        return False
    done = subprocess.run([tree + "/bin/pario", "list"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return "Linux io_uring" in done.stdout


def missing(row, tree):
    """What the row needs and is not there, or None."""
    if row.uring and not has_uring(tree):
        return "io_uring"
    if row.program and not shutil.which(
            row.program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        return row.program
    return None


def memory_folder():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def table_line(row, tree, verdicts):
    """For docs/measuring.md."""
    words = [v.word() for v in verdicts]
    ratios = [v.referee_s() / v.measure["seconds"] for v in verdicts
              if v.word() == "agrees" and v.span is not None]
    return "| %s | %s | %d | %d | %d | %s |" % (
        row.name, {"openmpi": "Open MPI", "mpich": "MPICH"}.get(tree, tree),
        len(words), words.count("agrees"), words.count("flagged"),
        "%.2f to %.2f" % (min(ratios), max(ratios)) if ratios else "–")


def check_row(row, tree, device, folder, table=None):
    try:
        with tempfile.TemporaryDirectory(prefix="pario-truth-",
                                         dir=memory_folder()) as memory:
            status, document, log, beside = run_row(row, tree, device, folder,
                                                    memory)
    except NoDocument as error:
        print("%-16s %s" % (row.name, error))
        return 1
    verdicts = judge(row, document, log, device, beside)
    print_rows(row, os.path.basename(tree), verdicts)
    if table:
        with open(table, "a") as file:
            print(table_line(row, os.path.basename(tree), verdicts), file=file)
    problems = sum(v.word() == "WRONG" for v in verdicts)
    if row.must_fail and (status != 1 or document["valid"]):
        print("%-16s the run must be invalid: status %d, valid %s" %
              (row.name, status, document["valid"]))
        problems += 1
    if not row.must_fail and status != 0:
        print("%-16s status %d: %s" % (row.name, status,
                                       "; ".join(document["warnings"])))
        problems += 1
    if document.get("referee_busy"):
        print("%-16s those who wait do not sleep: %s" %
              (row.name, document["warnings"][-1]))
        problems += 1
    # A liar may be found out before the first figure: then there is none.
    if not verdicts and not row.must_fail:
        print("%-16s has no measures" % row.name)
        problems += 1
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", default="build/openmpi")
    parser.add_argument("--rows", help="names, separated by commas")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--folder", help="where the device's image lies")
    parser.add_argument("--device", choices=sorted(KINDS),
                        default="any", help="any: slowfs where no limit can "
                        "be set on a loop device")
    parser.add_argument("--table", help="a line for each row goes to the end "
                        "of this file: the table of docs/measuring.md")
    parser.add_argument("--time", help="that quick gets, instead of 8s")
    args = parser.parse_args()
    names = args.rows.split(",") if args.rows else [r.name for r in ROWS]
    unknown = set(names) - {r.name for r in ROWS}
    if unknown:
        parser.error("no such row: " + ", ".join(sorted(unknown)))
    if args.list:
        print("\n".join(r.name for r in ROWS))
        return 0
    tree = os.path.abspath(args.tree)
    folder = os.path.abspath(args.folder or tempfile.gettempdir())
    problems = 0
    print(HEADING)
    for row in (r for r in ROWS if r.name in names):
        if args.time and row.words[0] == "quick":
            row.words[row.words.index("--time") + 1] = args.time
        lacks = missing(row, tree)
        if lacks:
            print("%-16s skipped: no %s here" % (row.name, lacks))
            if len(names) == 1:
                return 77
            continue
        kinds = [k for k in KINDS[args.device]
                 if k.has_limit or not row.needs_limit]
        try:
            with tempfile.TemporaryDirectory(prefix="pario-truth-") as work, \
                    make_device(kinds, folder, tree) as device:
                problems += check_row(row, tree, device, work, args.table)
        except CannotMake as error:
            print("skipped: no device of known speed here:", error)
            return 77
        sys.stdout.flush()
    print("%d figures do not agree and do not say why" % problems
          if problems else "all figures agree or say why not")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
