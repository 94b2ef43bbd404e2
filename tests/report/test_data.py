#!/usr/bin/env python3
"""Results for other programs: tidy CSV (with pandas where it is installed),
Prometheus (with promtool where it is installed): test_data.py PARIO DOCS."""
import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import documents
from checks import expect, finish

PARIO, DOCS = sys.argv[1:3]


def pario(*words):
    return subprocess.run([PARIO, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)


def two_runs(d):
    first = documents.prio()
    first["system"].update(host="n1", filesystem_details={"mount": "/scratch"})
    second = documents.result("made-up", [documents.measure(
        "t", "read", 5.5, parameters={
            "bytes": 7, "queue_depth": 8, "direct": True, "order": "random",
            "hints": {"a": "b"}}, cache="cache")],
        {"big_mbps": 812.5, "p99_ns": 1900000, "made_iops": 18200,
         "create_per_s": 9.1, "share": 0.5, "official": True,
         "space_bytes": 4096, "took_s": 2.5, "nothing_mbps": None})
    second["system"]["host"] = 'n"2\\\n\x1b'
    return (documents.write(d / "first.json", first),
            documents.write(d / "second.json", second))


def test_tidy(d):
    first, second = two_runs(d)
    r = pario("report", first, second, "-o", d / "runs.csv")
    rows = list(csv.DictReader((d / "runs.csv").open(newline="")))
    one, last = rows[0], rows[-1]
    expect(r.returncode == 0 and len(rows) == 37, "a row per measure", r)
    expect(one["result"] == "first" and one["host"] == "n1"
           and one["filesystem"] == "ext4" and one["mount"] == "/scratch"
           and one["mpi"] == "MPICH 4.0.2" and one["processes"] == "4"
           and one["flags"] == "" and last["flags"] == "cache",
           "run, host, file system, MPI, flags", r)
    expect(one["request_bytes"] == "4096" and one["repetition"] == "1"
           and one["interface"] == "posix" and one["queue_depth"] == ""
           and last["queue_depth"] == "8" and last["request_bytes"] == ""
           and last["parameter_bytes"] == "7" and last["direct"] == "true"
           and last["order"] == "random" and last["hints"] == "a=b"
           and last["bytes"] == str(1 << 26), "a column per parameter", r)
    many = documents.write(d / "many.json", documents.result("made-up", [
        documents.measure("t", "read", 5.5, parameters={f"p{i}": i})
        for i in range(3000)], {}))
    r = pario("report", many, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(r.stdout)))
    expect(len(rows) == 3000 and len(rows[0]) < 260
           and rows[2999]["parameters"] == "p2999=2999",
           "a hostile number of parameters makes no hostile table", r)


def example(language):
    text = pathlib.Path(DOCS, "result-format.md").read_text()
    return re.search(rf"```{language}\n(.*?)```", text, re.S).group(1)


def with_pandas():
    """A Python that has it: the one that runs this, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if pathlib.Path(python).exists() and subprocess.run(
                [python, "-c", "import pandas"], capture_output=True,
                timeout=60).returncode == 0:
            return python
    return None


def test_pandas(d):
    python = with_pandas()
    if python is None:
        print("pandas is not installed: its example is not run")
        return
    first, second = two_runs(d)
    pario("report", first, second, "-o", d / "runs.csv")
    code = example("python")
    r = subprocess.run([python, "-c", code], cwd=d, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(r.returncode == 0 and len(code.splitlines()) == 3
           and re.search(r"ext4\s+async\s+write\s+22\.", r.stdout),
           "the example of the documentation", r)


def test_r(d):
    if shutil.which("Rscript") is None:
        print("R is not installed: its example is not run")
        return
    first, second = two_runs(d)
    pario("report", first, second, "-o", d / "runs.csv")
    r = subprocess.run(["Rscript", "-e", example("r")], cwd=d, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(r.returncode == 0 and "async" in r.stdout, "R's example", r)


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = rf'{NAME}="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})\{{{LABEL}(?:,{LABEL})*\}} "
                    r"(-?[0-9][0-9.e+-]*)$")


def test_prometheus(d):
    first, second = two_runs(d)
    r = pario("report", second, "-o", d / "pario.prom")
    text = (d / "pario.prom").read_text()
    families, series = [], set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            families.append(line.split()[2])
        elif line.startswith("# TYPE "):
            expect(line.split()[2:] == [families[-1], "gauge"], line, r)
        else:
            match = SAMPLE.match(line)
            expect(match and match.group(1) == families[-1], line, r)
            series.add(line.rsplit(" ", 1)[0])
    expect(len(families) == len(set(families)) == 7, f"{families}", r)
    expect(len(series) == 9, "no series twice", r)
    labels = ('{suite="made-up",host="n\\"2\\\\  ",filesystem="ext4",'
              'mpi="MPICH 4.0.2",processes="4"')
    for line in (
            "pario_bandwidth_bytes_per_second" + labels
            + ',figure="big",flags="cache"} 812500000',
            "pario_duration_seconds" + labels
            + ',figure="p99",flags="cache"} 0.0019',
            "pario_run_valid" + labels + "} 1"):
        expect(line in text.splitlines(), line, r)
    r = pario("report", first, second, "--format", "prometheus")
    expect(r.returncode == 0 and 'result="first"' in r.stdout
           and 'result="second"' in r.stdout, "several runs", r)
    if shutil.which("promtool") is None:
        print("promtool is not installed: only the grammar is checked")
        return
    for made in (text, r.stdout):
        r = subprocess.run(["promtool", "check", "metrics"], input=made,
                           text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
        expect(r.returncode == 0 and r.stdout + r.stderr == "", "promtool", r)


for test in (test_tidy, test_pandas, test_r, test_prometheus):
    with tempfile.TemporaryDirectory() as directory:
        test(pathlib.Path(directory))
finish()
