#!/usr/bin/env python3
"""The last screen of every command: screens.py PARIO. Each runs on a terminal of
80 x 24; what is seen at its end must be the answer: where it was measured, few
figures with their units, each warning once, and the command to go on with."""
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import fcntl
import tempfile
import termios

PARIO = os.path.abspath(sys.argv[1])
ROWS, COLUMNS = 24, 80
TIMEOUT_S = 150
MAX_FIGURES = 9  # lines of quick; the others have fewer

WORKLOAD = """processes all
[single_file]
data 256k
request 16k
patterns all
methods posix
"""
IOT = """classname Lowlevel
testname single
filename target/low.tst
numfilesize 2
filesize 0.1 0.2
numblocksize 1
blocksize 0.01
"""

# What is run ({n}: two processes where there is MPI), what the screen must show
# at its beginning, and a headline. Suites that a build lacks are left out.
WHERE = r"^target: \w+"
ROWS_OF = [
    ("quick", "{n} quick -t 1 --size 16M target", WHERE, r"write +[0-9.]+ [MG]B/s"),
    ("beffio", "{n} beffio -T 1 --mpart 2M --fit target", WHERE, r"b_eff_io +[0-9.]+ [kMG]?B/s"),
    ("nht", "{n} nht app --class S --steps 5 --tc 1 target", WHERE, r"Checkpoints (make|cost)"),
    ("nht", "{n} nht peak --memory 4M target", WHERE, r"peak disk +rate +[0-9.]+ [MG]B/s"),
    ("iot", "{n} iot low.in", r"process", r"[0-9.]+ [kMG]B/s"),
    ("prio", "{n} prio w.prio target", WHERE, r"priomark total +[0-9.]+ [MG]B/s"),
    ("shipbench", "{n} shipbench --tests shipping --scale 0.001 --repetitions 1 target",
     WHERE, r"[0-9.]+ x"),
    ("tune", "tune --rounds 1 --mpiio shipio --pass 0.01 --size 64k --processes 2 target",
     WHERE, r"Fastest: "),
    ("honesty", "honesty --processes 2 --mpiio shipio --cases control-read_at target",
     WHERE, r"shipio: every one of 1 cases"),
    ("doctor", "{n} doctor target", r"^[0-9]+ findings|^warning", r"[0-9]+ findings: "),
    ("meta", "{n} meta --files 50 target", WHERE, r"own, 0 B +create +[0-9.]+ ?k?/s"),
    ("pattern", "{n} pattern -b 64k -t 16k -i 2 target", WHERE, r"write +[0-9.]+ [kMG]B/s"),
    ("beffio", "{n} beffio -T 1 --mpart 2M --fit --repeat 2 compare-hints defaults a.hints target",
     WHERE, r"^  a\.hints +[0-9.]+ [kMG]?B/s"),
    ("nht", "nht network --via scp --memory 4M target", WHERE, r"[0-9.]+ [kMG]B/s"),
    ("advise", "advise -q --time 1 --no-settings t.trace target", r"^nothing|^I/O", r"helps|faster"),
    ("replay", "replay t.trace target", WHERE, r"replay +[0-9.]+ [kMG]?B/s"),
    ("trace", "trace t.trace", r"process", r"in I/O"),
    ("compare", "compare one.json two.json", r"^two against one", r"faster|the same|compared"),
    ("history", "history trend -f h.db", r"^line 1: ", r"[MG]B/s"),
]

failures = []


class Screen:
    """What a terminal shows: lines that are rewritten, wrapped and scrolled."""

    def __init__(self):
        self.lines, self.column = [[]], 0

    def feed(self, text):
        for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r|\n|\t)", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.lines.append([])
                self.column = 0
            elif part.startswith("\x1b[") and part.endswith("K"):
                del self.lines[-1][self.column:]
            elif not part.startswith("\x1b"):
                for letter in part:
                    self.put(letter)

    def put(self, letter):
        if self.column == COLUMNS:
            self.wrapped = True
            self.lines.append([])
            self.column = 0
        line = self.lines[-1]
        line.extend(" " * (self.column + 1 - len(line)))
        line[self.column] = letter
        self.column += 1

    wrapped = False

    def last(self):
        rows = ["".join(line).rstrip() for line in self.lines]
        while rows and not rows[-1]:
            rows.pop()
        return rows[-ROWS:]


def on_terminal(words):
    """The screen at the end, and the exit status."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(PARIO, [PARIO, *words])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(TIMEOUT_S)
    text = b""
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:  # what a terminal says when it is left
            break
        if not got:
            break
        text += got
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    signal.alarm(0)
    os.close(fd)
    screen = Screen()
    screen.feed(text.decode(errors="replace"))
    return screen, status


def check(name, screen, status, first, headline):
    rows = screen.last()
    text = "\n".join(rows)

    def expect(condition, what):
        if not condition:
            failures.append(name)
            print(f"FAILED: {name}: {what} (status {status})\n{text}\n")

    expect(status == 0, "it failed")
    expect(not screen.wrapped, "a line is wider than the terminal")
    expect(re.search(first, text, re.M), f"its beginning has left the screen: {first}")
    expect(re.search(headline, text, re.M), f"no headline: {headline}")
    expect(rows and any("next: pario " in row for row in rows[-2:]),
           "no command to go on with at the end")
    warnings = [row for row in rows if row.lstrip().startswith("! ")]
    expect(len(set(warnings)) == len(warnings), "a warning stands there twice")
    blocks = text.split("\n\n")
    figures = [row for row in (blocks[1].split("\n") if len(blocks) > 1 else [])]
    expect(len(figures) <= MAX_FIGURES, f"{len(figures)} lines of figures")


def prepare():
    os.mkdir("target")
    pathlib.Path("a.hints").write_text("cb_buffer_size 65536\n")
    pathlib.Path("w.prio").write_text(WORKLOAD)
    pathlib.Path("low.in").write_text(IOT)
    for name in ("one.json", "two.json"):
        subprocess.run([PARIO, "pattern", "-b", "64k", "-t", "16k", "-q", "--output", name,
                        "target"], check=True, timeout=TIMEOUT_S, stderr=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as plain:  # memory's files are not recorded
        subprocess.run([PARIO, "record", "-o", "t.trace", "--", "dd", "if=/dev/zero",
                        f"of={plain}/x", "bs=4k", "count=20"], timeout=TIMEOUT_S,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([PARIO, "history", "add", "-f", "h.db", "one.json", "two.json"],
                   timeout=TIMEOUT_S, stdout=subprocess.DEVNULL)


def check_help(command):
    """Its help fits the terminal."""
    screen, status = on_terminal([command, "--help"])
    if status != 0 or screen.wrapped:
        failures.append(command)
        print(f"FAILED: {command} --help: status {status}, or a line is wider than the terminal")


def main():
    listed = subprocess.run([PARIO, "list", "--commands"], capture_output=True,
                            text=True, timeout=TIMEOUT_S).stdout.split()
    mpi = "beffio" in listed
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    directory = tempfile.mkdtemp(prefix="pario-screens.", dir=place)
    only = sys.argv[2:]
    try:
        os.chdir(directory)
        prepare()
        for command in listed if not only else []:
            check_help(command)
        for name, words, first, headline in ROWS_OF:
            if only and name not in only:
                continue
            if name not in listed:
                continue
            if "network" in words and not os.access("/usr/sbin/sshd", os.X_OK):
                print("no sshd: the network benchmark is not shown")
                continue
            if name in ("trace", "replay", "advise") and not os.path.exists("t.trace"):
                continue
            if name == "history" and not os.path.exists("h.db"):
                continue
            screen, status = on_terminal(
                words.replace("{n}", "-n 2" if mpi else "").split())
            check(name, screen, status, first, headline)
            if only:
                print("\n".join(screen.last()))
    finally:
        os.chdir("/")
        shutil.rmtree(directory)
    sys.exit(bool(failures))


main()
