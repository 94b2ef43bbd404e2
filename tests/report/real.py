#!/usr/bin/env python3
"""Reports of short real runs: real.py PARIO. What the suites write must be
what the report takes it for."""
import json
import pathlib
import subprocess
import sys
import tempfile

from checks import expect, finish

PARIO = sys.argv[1]


def pario(*words):
    return subprocess.run([PARIO, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100)


def figures(d, *files):
    """Titles of the figures and their series, from the page's own data."""
    r = pario("report", *files, "-o", d / "page.html", "--force")
    text = (d / "page.html").read_text()
    mark = '<script type="application/json" id="pario-data">'
    if mark not in text:
        return r, None  # built without uPlot
    data = json.loads(text.split(mark)[1].split("</script>")[0])
    return r, {f["title"]: f["series"] for f in data["figures"]}


def test_beffio(d):
    (d / "a.hints").write_text("romio_cb_write disable\n")
    r = pario("-n", 2, "beffio", "-T", "1", "--fit", "-q", "--hints",
              d / "a.hints", "-o", d / "a.json", d)
    expect((d / "a.json").exists(), "b_eff_io with hints", r)
    document = json.loads((d / "a.json").read_text())
    in_force = document["hints_in_force"]
    r = pario("report", d / "a.json")
    line = next((x for x in r.stdout.splitlines()
                 if x.startswith("hints asked")), "")
    taken = all(f.get("romio_cb_write") == "disable" for f in in_force.values())
    expect(line.endswith("romio_cb_write=disable") == taken
           and "romio_cb_write=disable" in line, f"hints told as: {line}", r)
    r, found = figures(d, d / "a.json")
    if found is None:
        return
    title = "b_eff_io: write, bandwidth over contiguous chunk on disk"
    points = {(s["name"].split()[0], x): y for s in found[title]
              for x, y in zip(s["x"], s["y"]) if "in memory" not in s["name"]}
    types = ("scatter", "shared", "separate", "segmented", "seg-coll",
             "random", "same-data")
    for m in document["measures"]:
        p = m.get("pattern")
        if p and m["access"] == "write" and m["bandwidth_mbps"] and \
                not (p["l_bytes"] == 1 << 20 and p["L_bytes"] == 1 << 21):
            expect(points.get((types[p["type"]], p["l_bytes"]))
                   == m["bandwidth_mbps"], f"{m['test']} {p}", r)


def test_shipbench(d):
    r = pario("-n", 2, "shipbench", "--tests", "shipping,sparse",
              "--partitions", "1,2", "--scale", "0.001", "-q", "-o",
              d / "s.json", d)
    expect((d / "s.json").exists(), "shipbench", r)
    r, found = figures(d, d / "s.json")
    if found is None:
        return
    curves = found.get("shipbench shipping: read, bandwidth over processes", [])
    expect({"with shipping", "without shipping"} <= {s["name"] for s in curves}
           and all(s["x"] == [1, 2] and "low" in s for s in curves),
           f"with and without over tasks: {curves}", r)
    r = pario("compare", d / "s.json", d / "s.json", "--fail-below", "0.99",
              "--verbose")
    expect(r.returncode == 0 and " 3/3 " in r.stdout, "its passes", r)


def test_prio(d):
    (d / "w.prio").write_text("processes 1-all\nrepetitions 2\nratio 1/1\n"
                              "sync none\n[single_file]\ndata 256k\n"
                              "request 16k\nmethods posix\n")
    for name in ("one", "two"):
        (d / name).mkdir()
        r = pario("-n", 2, "prio", d / "w.prio", d / name, "-q", "-o",
                  d / (name + ".json"))
        expect((d / (name + ".json")).exists(), "prio", r)
    r = pario("compare", d / "one.json", d / "two.json")
    expect("warning: directory 1: " in r.stdout
           and "not compared" not in r.stdout, "directories by place", r)
    r, found = figures(d, d / "one.json")
    if found is not None:
        title = "the total of each directory over processes"
        expect(title in found and found[title][0]["x"] == [1, 2], title, r)


suites = pario("list").stdout
for name, test in (("beffio", test_beffio), ("shipbench", test_shipbench),
                   ("prio", test_prio)):
    if f" {name} " in suites:
        with tempfile.TemporaryDirectory() as directory:
            test(pathlib.Path(directory))
finish()
