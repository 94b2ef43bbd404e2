#!/usr/bin/env python3
"""`pario report` as a user meets it: test_report.py PARIO MAKE_DOCUMENTS."""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

from checks import expect, finish

PARIO, MAKE_DOCUMENTS = sys.argv[1:3]


def report(*words, **kwargs):
    kwargs.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([PARIO, "report", *words], stderr=subprocess.PIPE,
                          text=True, timeout=30, **kwargs)


def test_hostile_text(d):
    """Cells start no formula, escapes reach no terminal, only the page's own
    scripts are run."""
    text = pathlib.Path(d, "valid.json").read_text()
    evil = pathlib.Path(d, "evil-text.json")
    evil.write_text(text.replace('"good"', '"=HYPERLINK(1)\\u001b[2J"', 1))
    r = report("--format=csv", str(evil))
    expect("'=HYPERLINK(1)" in r.stdout and ",=HYPERLINK" not in r.stdout
           and "\x1b" not in r.stdout, "no formula in CSV", r)
    for words in ([], ["--format", "md"]):
        r = report(*words, str(evil))
        expect("\x1b" not in r.stdout + r.stderr, "no escapes", r)
    evil.write_text(text.replace('"good"', '"a\\u202e4321\\u2066b"'))
    for form in ("text", "csv", "md", "html", "prometheus"):
        r = report("--format", form, str(evil))
        expect(r.returncode == 0 and "\u202e" not in r.stdout
               and "\u2066" not in r.stdout and "u202e" not in r.stdout,
               f"nothing turns the text after it in {form}", r)
    evil.write_text("{\x1b]0;x\x07")
    r = report(str(evil))
    expect(r.returncode != 0 and "\x1b" not in r.stderr, "nor in errors", r)
    page = pathlib.Path(d, "nonce.html")
    r = report("-o", str(page), "--force", f"{d}/valid.json")
    html = page.read_text()
    expect("unsafe-inline" not in html and html.count("'nonce-") == 2
           and "<script>" not in html and "<style>" not in html,
           "only the page's own scripts", r)


def test_formats(d):
    r = report(f"{d}/valid.json")
    expect(r.returncode == 0 and "\nVALID\n" in r.stdout and "MiB/s" in r.stdout
           and r.stderr == "", "text of a valid result", r)
    r = report("--format", "md", f"{d}/valid.json")
    expect("**VALID**" in r.stdout and "| test |" in r.stdout, "Markdown", r)
    r = report("--format=csv", f"{d}/valid.json", f"{d}/failed.json")
    rows = list(csv.DictReader(io.StringIO(r.stdout)))
    expect(len(rows) == 4 and rows[0]["test"] == "good"
           and rows[0]["flags"] == "cache-mixed"
           and abs(float(rows[0]["bandwidth_mbps"]) - 2.097152) < 1e-9
           and float(rows[0]["bandwidth_mibps"]) == 2.0
           and all("run-invalid" in row["flags"] for row in rows[1:])
           and "wrong-data" in rows[2]["flags"]
           and rows[3]["error"].startswith("the disk"),
           "CSV of two results has one header and four rows", r)


def test_unfinished(d):
    r = report(f"{d}/unfinished.json")
    expect(r.returncode == 0 and "INVALID" in r.stdout
           and "warning: the run did not finish" in r.stdout
           and "UNFINISHED" in r.stdout, "an unfinished run says so", r)


def test_bad_files(d):
    (d / "torn.json").write_bytes((d / "valid.json").read_bytes()[:300])
    (d / "empty.json").write_bytes(b"")
    r = report(f"{d}/torn.json", f"{d}/valid.json", f"{d}/empty.json",
               f"{d}/none.json")
    expect(r.returncode == 1 and r.stdout.count("\nVALID\n") == 1
           and all(r.stderr.count(name) == 1
                   for name in ("torn.json:", "empty.json:1", "none.json")),
           "the good one is reported, the bad ones named, exit 1", r)


def test_usage(d):
    expect(report().returncode == 2, "no operand", report())
    r = report("--format", "xls", f"{d}/valid.json")
    expect(r.returncode == 2 and "xls" in r.stderr, "unknown format", r)
    r = report("--fromat", "csv", f"{d}/valid.json")
    expect(r.returncode == 2 and "--format" in r.stderr, "near miss", r)
    r = report("--help")
    expect(r.returncode == 0 and "--format" in r.stdout, "help", r)


def test_output(d):
    out = d / "table.md"
    r = report("--format", "md", "-o", str(out), f"{d}/valid.json")
    expect(r.returncode == 0 and r.stdout == "" and "VALID" in out.read_text(),
           "-o FILE", r)
    for name, word in (("a.csv", "suite,started_utc"), ("a.md", "**VALID**"),
                       ("a.html", "<!DOCTYPE html>"), ("a.txt", "\nVALID\n")):
        r = report("-o", str(d / name), f"{d}/valid.json")
        expect(r.returncode == 0 and word in (d / name).read_text(),
               "the format by the name " + name, r)
    before = out.read_text()
    r = report("-o", str(out), f"{d}/failed.json")
    expect(r.returncode == 1 and "--force" in r.stderr
           and out.read_text() == before, "an existing FILE is kept", r)
    r = report("--force", "-o", str(out), f"{d}/empty.json")
    expect(r.returncode == 1 and out.read_text() == before,
           "FILE is not emptied when nothing is good", r)
    r = report("--force", "-o", str(out), f"{d}/failed.json")
    expect(r.returncode == 0 and "INVALID" in out.read_text(), "--force", r)
    with open("/dev/full", "w") as full:
        r = report(f"{d}/valid.json", stdout=full)
    expect(r.returncode == 1 and "No space left" in r.stderr,
           "a full device is an error", r)


with tempfile.TemporaryDirectory() as directory:
    subprocess.run([MAKE_DOCUMENTS, directory], check=True, timeout=60)
    for test in (test_formats, test_unfinished, test_bad_files, test_usage,
                 test_output, test_hostile_text):
        test(pathlib.Path(directory))
finish()
