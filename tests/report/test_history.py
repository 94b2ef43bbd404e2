#!/usr/bin/env python3
"""`pario history` as an administrator meets it: test_history.py PARIO [RUNS].
With RUNS it makes a history of so many and prints how long a trend takes."""
import datetime
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

import documents
from checks import expect, finish

PARIO = sys.argv[1]


def history(d, *words, file="h.db"):
    return subprocess.run([PARIO, "history", *map(str, words), "-f",
                           str(d / file)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, timeout=300)


def run(d, day, mbps, name=None, **system):
    start = datetime.datetime(2026, 1, 1, 3) + datetime.timedelta(days=day)
    result = documents.result(
        "quick", [documents.measure("shared_file", "write", mbps)],
        {"shared_mbps": mbps, "p99_ns": 1e9 / mbps, "other_mbps": 1.0},
        started_utc=start.strftime("%Y-%m-%dT%H:%M:%SZ"))
    result["view"] = {"answer": [{"label": "large files", "figures": [
        {"name": "write", "figure": "shared_mbps"},
        {"name": "p99", "figure": "p99_ns"}], "note": "shared"}]}
    result["system"].update({"host": "n1", "kernel": "6.1.0-13",
                             "filesystem_details": {
                                 "target": "/scratch",
                                 "free_bytes": random.randrange(1 << 40)}})
    result["system"].update(system)
    return documents.write(d / (name or f"run{day:03}.json"), result)


def fill(d):
    """Forty nights; on the thirtieth comes another kernel."""
    random.seed(5)
    return [run(d, day, random.gauss(1000 if day < 30 else 830, 10),
                kernel="6.1.0-13" if day < 30 else "6.1.0-14")
            for day in range(40)]


def test_trend(d):
    runs = fill(d)
    r = history(d, "add", *runs)
    expect(r.returncode == 0 and r.stdout.count(": run ") == 40, "add", r)
    r = history(d, "add", runs[3])
    expect(r.returncode == 0 and "is there already" in r.stdout, "once", r)
    r = history(d, "list", "--last", 2)
    expect(r.stdout.count("VALID") == 2 and "run039.json" in r.stdout, "list",
           r)
    r = history(d, "show", 40)
    expect("pario quick" in r.stdout and "2026-02-09" in r.stdout, "show", r)
    r = history(d, "trend")
    expect(r.returncode == 0 and "shared_mbps" in r.stdout
           and "2026-01-31: -17 %" in r.stdout
           and max(map(len, r.stdout.splitlines())) <= 80
           and "next: pario history trend shared_mbps" in r.stdout
           and "other_mbps" not in r.stdout, "all headline figures", r)
    r = history(d, "trend", "--format", "md")
    expect("large files, write, p99, shared" in r.stdout, "plain names", r)
    r = history(d, "trend", "shared_mbps")
    # The answer is the last thing on the screen, below the picture.
    lines = r.stdout.splitlines()[-14:]
    while lines and lines[0] != "quick, /scratch (ext4) on n1, 4 processes, MPICH":
        lines.pop(0)
    expect(r.returncode == 0 and len(lines) > 1
           and all(len(line) <= 80 for line in lines)
           and lines[1].startswith("large files, write, shared: 83")
           and "since 2026-01-31 (-17 %)" in lines[1]
           and "kernel: 6.1.0-13 -> 6.1.0-14" in r.stdout
           and r.stdout.count("between 2026") == 1, "one figure", r)
    r = history(d, "trend", "shared_mbps", "-o", d / "t.html")
    page = (d / "t.html").read_text()
    expect(r.returncode == 0 and "6.1.0-14" in page and "single runs" in page
           and 'class="answer"' in page, "a page", r)
    r = history(d, "trend", "-o", d / "all.html")
    page = (d / "all.html").read_text()
    expect(0 < page.find("figures changed") < page.find('id="figures"')
           < page.find('id="rest"'), "the answer, the pictures, the levels", r)
    r = history(d, "trend", "shared_mbps", "-o", d / "t.csv")
    expect((d / "t.csv").read_text().count("single runs") == 40, "CSV", r)
    r = history(d, "trend", "nothing_mbps")
    expect(r.returncode == 2 and "nothing_mbps" in r.stderr, "no figure", r)


def test_lines(d):
    """Other work, another place, another size: never on one line."""
    same = [run(d, day, 100, f"a{day}.json") for day in range(3)]
    same.append(run(d, 3, 100, "mpi.json", mpi="MPICH 4.0.3"))
    others = [run(d, 4, 50, "host.json", host="n2"),
              run(d, 5, 50, "np.json", processes=8),
              run(d, 6, 50, "fs.json", filesystem="xfs"),
              run(d, 7, 50, "mpi2.json", mpi="Open MPI 4.1.4"),
              run(d, 8, 50, "dir.json",
                  filesystem_details={"target": "/home"})]
    work = json.loads(pathlib.Path(same[0]).read_text())
    work["options"]["time"] = "90 s"
    others.append(documents.write(d / "work.json", work))
    bad = json.loads(pathlib.Path(same[0]).read_text())
    bad.update(valid=False, started_utc="2026-01-10T03:00:00Z")
    bad["summary"]["shared_mbps"] = 1
    r = history(d, "add", *same, *others, documents.write(d / "bad.json", bad))
    expect(r.returncode == 0, "add", r)
    r = history(d, "trend")
    expect("none of 14 figures has changed its level" in r.stdout
           and len(r.stdout.splitlines()) <= 24, "many figures in short", r)
    r = history(d, "trend", "--verbose")
    rows = [line.split() for line in r.stdout.splitlines()
            if "shared_mbps" in line]
    rows = [row for row in rows if row[0] != "next:"]
    expect(len(rows) == 7, "seven lines", r)
    r = history(d, "trend", "--format", "md")
    expect("| shared_mbps | 4 |" in r.stdout, "four runs on the first", r)
    r = history(d, "trend", "shared_mbps", "--line", 1)
    expect("4 runs from 2026-01-01" in r.stdout
           and "1 that is not valid left out" in r.stdout, "left out", r)


def test_hostile(d):
    good = run(d, 0, 100)
    (d / "text.db").write_text("This is no database, whatever its name is.\n")
    with sqlite3.connect(d / "other.db") as db:
        db.execute("CREATE TABLE runs (a)")
    history(d, "add", good, file="newer.db")
    with sqlite3.connect(d / "newer.db") as db:
        db.execute("PRAGMA user_version = 2")
    for name in ("view.db", "trigger.db", "column.db", "table.db"):
        history(d, "add", good, file=name)
    with sqlite3.connect(d / "column.db") as db:
        db.execute("ALTER TABLE runs ADD COLUMN big AS (zeroblob(9999999))")
    with sqlite3.connect(d / "table.db") as db:
        db.execute("CREATE TABLE more (a CHECK (a > zeroblob(9999999)))")
    with sqlite3.connect(d / "view.db") as db:
        db.execute("ALTER TABLE runs RENAME TO old")
        columns = ", ".join(f"n AS {c[1]}" for c in
                            db.execute("PRAGMA table_info(old)"))
        db.execute("CREATE VIEW runs AS WITH RECURSIVE e(n) AS (SELECT 1 "
                   f"UNION ALL SELECT n + 1 FROM e) SELECT {columns} FROM e")
    with sqlite3.connect(d / "trigger.db") as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON runs "
                   "BEGIN DELETE FROM runs; END")
    (d / "empty.db").write_bytes(b"")
    for name, words in (("text.db", "no SQLite file"),
                        ("other.db", "another program"),
                        ("newer.db", "a newer pario"),
                        ("view.db", "views, triggers"),
                        ("trigger.db", "views, triggers"),
                        ("column.db", "views, triggers"),
                        ("table.db", "views, triggers"),
                        ("none/x.db", "cannot ")):
        before = (d / name).read_bytes() if (d / name).exists() else None
        for command in (("add", good), ("list",), ("trend",), ("show", 1)):
            r = history(d, *command, file=name)
            expect(r.returncode == 1 and words in r.stderr, name, r)
        expect(before is None or (d / name).read_bytes() == before,
               "left alone: " + name, r)
    for ending in ("-journal", "-wal"):
        history(d, "add", good, file="j.db")
        (d / ("j.db" + ending)).write_text("precious diary\n")
        r = history(d, "add", run(d, 1, 100), file="j.db")
        expect(r.returncode == 1 and "taken for a journal" in r.stderr
               and (d / ("j.db" + ending)).read_text() == "precious diary\n",
               "a file beside it", r)
        (d / ("j.db" + ending)).unlink()
    (d / "real.db").write_bytes(b"")
    (d / "link.db").symlink_to("real.db")
    os.mkfifo(d / "pipe.db")
    for name, words in (("link.db", "symbolic link"),
                        ("pipe.db", "not a regular file")):
        r = history(d, "add", good, file=name)
        expect(r.returncode == 1 and words in r.stderr, name, r)
    expect((d / "real.db").read_bytes() == b"", "written through a link", r)
    r = history(d, "trend", file="empty.db")
    expect(r.returncode == 1 and "history add" in r.stderr, "empty", r)
    history(d, "add", good, file="damaged.db")
    raw = bytearray((d / "damaged.db").read_bytes())
    raw[4096:] = bytes(random.Random(1).randbytes(len(raw) - 4096))
    (d / "damaged.db").write_bytes(raw)
    for command in (("list",), ("trend",), ("trend", "shared_mbps"),
                    ("show", 1), ("add", run(d, 1, 5))):
        r = history(d, *command, file="damaged.db")
        expect(r.returncode in (1, 2) and r.stderr, "damaged", r)
    large = documents.result("quick", [documents.measure(
        "t", "write", 5, parameters={"x": "y" * (65 << 20)})], {"a_mbps": 1})
    r = history(d, "add", documents.write(d / "large.json", large), good)
    expect(r.returncode == 1 and "too large for the history" in r.stderr
           and "run000.json: run 1" in r.stdout, "the good one is added", r)
    with sqlite3.connect(d / "h.db") as db:
        db.execute("UPDATE documents SET text = '{\"schema\": 1}'")
        db.execute("UPDATE facts SET text = '[['")
        db.execute("UPDATE lines SET name = ?", (documents.EVIL + "\x1b[2J",))
        db.execute("UPDATE names SET name = ?", (documents.EVIL,))
    r = history(d, "show", 1)
    expect(r.returncode == 1 and "not a pario result" in r.stderr, "show", r)
    r = history(d, "trend", "shared_mbps")
    expect(r.returncode == 0 and "\x1b" not in r.stdout, "no escapes", r)
    r = history(d, "trend", "-o", d / "evil.html")
    expect("<img" not in (d / "evil.html").read_text(), "no elements", r)


def measure(d, count):
    random.seed(1)
    runs = [run(d, day, random.gauss(1000 - day // 2000 * 50, 10))
            for day in range(count)]
    for i in range(0, count, 500):
        history(d, "add", *runs[i:i + 500])
    for words in (("trend", "shared_mbps"), ("trend",), ("list",),
                  ("trend", "shared_mbps", "-o", d / "t.html")):
        start = time.monotonic()
        r = history(d, *words)
        print(f"{count} runs, {words[:2]}: {time.monotonic() - start:.3f} s, "
              f"status {r.returncode}")


with tempfile.TemporaryDirectory() as directory:
    if len(sys.argv) > 2:
        measure(pathlib.Path(directory), int(sys.argv[2]))
        sys.exit()
for test in (test_trend, test_lines, test_hostile):
    with tempfile.TemporaryDirectory() as directory:
        test(pathlib.Path(directory))
finish()
