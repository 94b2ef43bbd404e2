#!/usr/bin/env python3
"""The pages of all suites on one sheet, to be looked at: sheet.py PARIO WEB
OUT.png. Of each the desktop, a phone, the same in the dark, and paper. The runs
are short and real; what a build or a machine lacks is left out."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import documents

PARIO, WEB, OUT = map(os.path.abspath, sys.argv[1:4])
IOT = """classname Lowlevel
testname multiple
filename low.tst
collective true
numfilesize 3
filesize 0.4 0.8 1.6
numblocksize 3
blocksize 0.01 0.02 0.04
"""
WORKLOAD = """processes all
[common_file]
data 1M
request 4k 16k 64k
patterns all
methods posix
"""
# Name, what is run, and whether its samples are shown, too.
RUNS = [
    ("quick", "-n 2 quick -t 5", False),
    ("beffio", "-n 2 beffio -T 2 --mpart 2M --fit", False),
    ("compare-hints", "-n 2 beffio -T 1 --mpart 2M --fit --repeat 2 compare-hints "
     "defaults a.hints", False),
    ("iot", "-n 2 iot low.in", True),
    ("nht app", "-n 4 nht app --class S --steps 5 --tc 1", False),
    ("nht peak", "nht peak --memory 16M", False),
    ("prio", "-n 2 prio w.prio", False),
    ("shipbench", "-n 2 shipbench --tests shipping --scale 0.01", False),
    ("tune", "tune --rounds 2 --mpiio shipio --pass 0.05 --size 256k --processes 2", False),
    ("meta", "-n 2 meta --files 200", False),
    ("pattern", "-n 4 pattern -b 4M -t 64k -s 4 --over-time 0.005", True),
    ("io500", "-n 2 io500 -D 0.2 --easy-size 8M --hard-segments 40 --easy-files 300 "
     "--hard-files 300", False),
    ("honesty", "honesty --processes 2 --mpiio shipio --cases control-read_at", False),
]

browser = next(filter(None, map(shutil.which, (
    "chromium-headless-shell", "chromium", "chromium-browser"))), None)
if browser is None or shutil.which("node") is None:
    sys.exit("sheet: needs Chromium and node")
with tempfile.TemporaryDirectory() as directory:
    d = pathlib.Path(directory)
    (d / "target").mkdir()
    (d / "a.hints").write_text("cb_buffer_size 65536\n")
    (d / "low.in").write_text(IOT)
    (d / "w.prio").write_text(WORKLOAD)
    shown = []

    def pario(*words):
        return subprocess.run([PARIO, *map(str, words)], cwd=d, timeout=180,
                              stdout=subprocess.DEVNULL).returncode

    def page(name, command, *files):
        if pario(command, *files, "-o", f"{name}.html") != 0:
            sys.exit(f"sheet: no page of {name}")
        shown.append(name)

    for name, words, samples in RUNS:
        words = words.split()
        extra = ["-q", "--force", "--output", f"{name}.json"]
        if samples:
            extra += ["--samples", f"{name}.out"]
        at = 3 if words[0] == "-n" else 1
        where = [] if name == "iot" else ["target"]
        pario(*words[:at], *extra, *words[at:], *where)
        if not (d / f"{name}.json").exists():
            print(f"sheet: {name} is left out")
            continue
        page(name, "report", f"{name}.json", *([f"{name}.out"] if samples else []))
    old = [documents.write(d / f"old{i}.json", documents.beffio(1 + i / 50)) for i in range(3)]
    new = [documents.write(d / f"new{i}.json", documents.beffio(1.2 + i / 50)) for i in range(3)]
    page("compare", "compare", *old, "--", *new)
    page("unknown suite", "report", documents.write(d / "u.json", documents.future()))
    documents.timings(d / "raw.out", 5000, nprocs=16)
    page("raw timings", "report", "raw.out")
    if pario("history", "add", "-f", "h.db", *old, *new) == 0:
        page("history", "history", "trend", "-f", "h.db")
    script = pathlib.Path(__file__).with_name("sheet.js")
    subprocess.run(
        ["node", str(script), directory, browser, OUT, *shown], check=True, timeout=300,
        env={**os.environ, "NODE_PATH": str(pathlib.Path(WEB) / "node_modules")})
print(OUT)
