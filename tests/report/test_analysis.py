#!/usr/bin/env python3
"""The page, the plots, the comparison and the analysis tools from the command
line: test_analysis.py PARIO."""
import csv
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import documents
from checks import expect, finish

PARIO = sys.argv[1]


def pario(*words, brief=False, **kwargs):
    if words[0] == "compare" and not brief:
        words += ("--verbose",)
    return subprocess.run([PARIO, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120,
                          **kwargs)


class Page(html.parser.HTMLParser):
    """All elements, all text, and the data of the page."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.text, self.data, self.where = [], [], None, None
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.where = dict(attributes).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.where = None

    def handle_data(self, data):
        if self.where == "pario-data":
            self.data = json.loads(data)
        self.text.append(data)


def test_page(d):
    base = documents.write(d / "base.json", documents.beffio())
    hints = documents.write(d / "hints.json", documents.beffio(
        1.5, hints_requested={"cb_nodes": "4"}))
    r = pario("report", base, hints, "-o", d / "page.html")
    page = Page(d / "page.html")
    text = " ".join(page.text)
    expect(r.returncode == 0 and "PRELIMINARY" in text
           and "the figures are preliminary" in text and "cb_nodes=4" in text
           and "b_eff_io_mbps" in text, "status, warnings, hints, figures", r)
    ids = [attributes.get("data-figure") for tag, attributes in page.tags
           if tag == "figure"]
    expect(len(ids) > 4, "figures", r)
    if page.data is None:  # built without uPlot: static
        expect("<svg" in (d / "page.html").read_text(), "static SVG", r)
        return
    figures = {f["title"]: f for f in page.data["figures"]}
    for access in ("write", "rewrite", "read"):
        title = f"b_eff_io: {access}, bandwidth over contiguous chunk on disk"
        f = figures.get(title)
        expect(f is not None and len(f["series"]) == 20
               and sum(len(s["x"]) for s in f["series"]) == 70, title, r)
    f = figures["b_eff_io: write, bandwidth over contiguous chunk on disk"]
    s = next(s for s in f["series"] if s["name"] == "separate base")
    want = {m["pattern"]["l_bytes"]: m["bandwidth_mbps"]
            for m in documents.beffio()["measures"]
            if m["test"] == "type2" and m["access"] == "write"
            and m["pattern"]["l_bytes"] % 1024 == 0}
    expect(dict(zip(s["x"], s["y"])) == want, "plotted values are exact", r)
    f = figures["b_eff_io: read, bandwidth over contiguous chunk on disk"]
    expect(all(set(s["flags"]) == {1 | 128} for s in f["series"]),
           "numbers from the cache are marked", r)
    several = documents.beffio()
    several["summary"].update({"np2_b_eff_io_mbps": 50.0,
                               "np4_b_eff_io_mbps": 123.4})
    name = documents.write(d / "several.json", several)
    r = pario("report", name, "-o", d / "several.html")
    f = next((f for f in Page(d / "several.html").data["figures"]
              if f["title"] == "b eff io over the number of processes"),
             None)
    expect(f is not None and f["series"][0]["x"] == [2, 4]
           and f["series"][0]["y"] == [50.0, 123.4],
           "the value over the partitions", r)
    f = figures["b_eff_io, whole types: bandwidth"]
    expect(len(f["categories"]) == 15 and len(f["series"]) == 2,
           "types and access methods of hint sets side by side", r)


def test_brief(d):
    """A long comparison fits a screen; all of it is there when asked for."""
    files = [documents.write(d / f"brief{i}.json", documents.beffio(1 + i))
             for i in range(2)]
    r = pario("compare", *files, brief=True)
    lines = r.stdout.splitlines()
    expect(len(lines) <= 24 and "figures: --verbose shows them" in lines[-2]
           and "next: pario compare" in lines[-1]
           and max(map(len, lines)) <= 80
           and "scatter" not in r.stdout, "fits a screen", r)
    expect("type0" in pario("compare", *files).stdout, "--verbose", r)


def test_hints(d):
    file = documents.write(d / "h.json", documents.hinted(
        "a.hints", {"cb_nodes": "4", "type 0: romio_cb_write": "disable"}))
    r = pario("report", file)
    expect("hints asked  cb_nodes=4 type 0: romio_cb_write=" in r.stdout
           and "cb_nodes=4(" not in r.stdout
           and "hints        cb_nodes=4 " in r.stdout
           and r.stdout.count("cb_buffer_size=16777216") == 1,
           "nested hints that are in force, each told once", r)
    odd = documents.write(d / "odd.json", documents.hinted(
        "a.hints", {"cb_nodes": "4", "no_such": "x"},
        {**{file: {"no_such": None} for file in documents.FILES},
         "type1 read np4": {"no_such": None, "cb_nodes": "1"}}))
    r = pario("report", odd)
    expect("cb_nodes=4(in force: 1 (type1 read np4))" in r.stdout
           and "no_such=x(not in force)" in r.stdout,
           "the exceptions are named", r)
    plain = documents.write(d / "plain.json", documents.hinted("defaults", {}))
    r = pario("report", plain)
    expect("hints asked" not in r.stdout and "defaults" not in r.stdout,
           "an empty set asks for nothing", r)
    r = pario("compare", plain, file)
    hints = [line for line in r.stdout.splitlines() if "warning: hint" in line]
    expect(len(hints) == 4 and
           "warning: hint asked for cb_nodes: not set -> 4" in hints
           and "warning: hint in force cb_nodes: not set -> 4" in hints,
           "one warning for a hint, not one for each file", r)
    two = documents.hinted("a.hints", {"cb_nodes": "4"})
    two["hints_requested"] = {"defaults": {}, "a.hints": {"cb_nodes": "4"}}
    two["hints_in_force"] = {
        name + file: hints for name, hints in two["hints_requested"].items()
        for file in documents.FILES}
    two = documents.write(d / "two.json", two)
    r = pario("report", two)
    expect("hints asked  a.hints: cb_nodes=4\n" in r.stdout
           and "hints        cb_nodes=4 (a.hints)\n" in r.stdout,
           "two sets are told apart", r)
    r = pario("report", two, file, "-o", d / "two.html")
    text = " ".join(Page(d / "two.html").text)
    expect("two:" in text and "two (" not in text and "h (cb_nodes=4" in text,
           "a run of several sets has no hints in its label", r)


def test_flags(d):
    doc = documents.result("quick", [
        documents.measure("shared_file", "write", 10.0 * i, cache=cache,
                          parameters={"request_bytes": 1024 << i}, short=short)
        for i, (cache, short) in enumerate(
            (("disk", False), ("unknown", False), ("disk", True)), 1)],
        {"best_mbps": 30.0, "official": False})
    file = documents.write(d / "flags.json", doc)
    r = pario("report", file, "-o", d / "flags.html")
    page = Page(d / "flags.html")
    if page.data is not None:
        f = page.data["figures"][-1]
        expect(f["series"][0]["flags"] == [128, 128 | 64, 128 | 32],
               "short, unknown and preliminary numbers are marked", r)
    text = " ".join(page.text)
    expect("preliminary (all 3)" in text and "short (1 of 3)" in text,
           "the page counts them", r)
    cached = documents.result("quick", [
        documents.measure("t", "write", 1.0, cache=c) for c in ("cache",) * 3],
        {"best_mbps": 30.0})
    file2 = documents.write(d / "cached.json", cached)
    r = pario("report", file2)
    expect("best    30.0 MB/s  best_mbps  VALID, cache\n" in r.stdout,
           "a headline figure of a cache says so", r)
    cached["measures"][0]["cache"] = "disk"
    r = pario("report", documents.write(d / "some.json", cached))
    expect("best    30.0 MB/s  best_mbps  VALID, partly cache\n" in r.stdout,
           "and one that is partly so", r)
    r = pario("report", file, "--plots", d / "flagplots")
    expect(r.returncode == 0, "plots", r)
    for script in (d / "flagplots").glob("*.gp"):
        expect("preliminary (all" in script.read_text()
               and "\n$f0 <<" in script.read_text(), "marks in " + script.name,
               r)
    for drawing in (d / "flagplots").glob("*.svg"):
        expect("preliminary" in drawing.read_text(),
               "the word is in " + drawing.name, r)


def test_suites(d):
    files = [documents.write(d / "p.json", documents.prio()),
             documents.write(d / "i.json", documents.iot()),
             documents.write(d / "n.json", documents.peak())]
    r = pario("report", *files, "-o", d / "suites.html")
    page = Page(d / "suites.html")
    expect(r.returncode == 0, "prio, iot and nht", r)
    if page.data is None:
        return
    titles = {f["title"]: f for f in page.data["figures"]}
    f = titles["prio common_file: write, bandwidth over processes"]
    s = f["series"][0]
    expect(s["x"] == [1, 2, 4] and s["y"][0] == 12 and s["low"][0] == 11
           and s["high"][0] == 13, "repetitions become median and range", r)
    expect(any("(ACL)" in t for t in titles), "ACL", r)
    f = titles["iot matrix2D: write, bandwidth over process grid"]
    expect(f["categories"] == ["1x4", "2x2", "4x1"]
           and {s["name"] for s in f["series"]} == {"collective",
                                                     "not collective"},
           "kernels over the process grid, collective against not", r)
    f = titles["iot matrix2D: write, time over process grid"]
    s = next(s for s in f["series"] if s["name"] == "not collective")
    expect(s["y"] == [m["seconds"] for m in documents.iot()["measures"]
                      if not m["parameters"]["collective"]],
           "and the time", r)
    expect("nht peak: bandwidth" in titles, "bars where nothing varies", r)


def test_future_suite(d):
    """What a suite says of itself is all that is needed."""
    r, figures = figures_of(d, documents.write(d / "future.json",
                                               documents.future()))
    if figures is None:
        return
    titles = list(figures)
    answered = documents.future()
    answered["view"]["headline"] = "Leaks cost 12 % of the water."
    answered["view"]["sentences"] = ["Leaks cost 12 % of the water.", "All was wet."]
    r = pario("report", documents.write(d / "leaks.json", answered), "-o", d / "leaks.html")
    page = (d / "leaks.html").read_text()
    expect('<h2 class="answer">Leaks cost 12 % of the water.</h2>' in page
           and page.count("Leaks cost") == 1 and "<p>All was wet.</p>" in page,
           "a sentence of the suite's own is the title", r)
    f = figures.get("plumbing fetching: get, flow over valves open")
    expect(titles[0] == "plumbing fetching: get, flow over valves open",
           "the measures lead: " + str(titles), r)
    expect(set(series_of(f)) == {"2 processes, ring", "2 processes, thread",
                                 "4 processes, ring", "4 processes, thread"}
           and series_of(f)["4 processes, ring"] == {1: 40.0, 4: 160.0,
                                                     16: 640.0},
           "details name no series", r)
    f = figures["plumbing fetching: get, wait over valves open"]
    expect(f["y"] == "wait, ms" and
           series_of(f)["2 processes, ring"] == {1: 0.009, 4: 0.036, 16: 0.144},
           "times in ms", r)
    expect("plumbing fetching: get, warmth over valves open" in figures,
           "its own value", r)
    text = " ".join(" ".join(Page(d / "f.html").text).split())
    expect("tank get 640 MB/s, p99 36.0 µs, 4 deep" in text
           and "The tank is limited by its valve." in text,
           "its answer: " + text[:600], r)
    answered["summary"]["put_mbps"] = 320.0
    answered["view"]["answer"].append({"label": "", "figures": [
        {"name": "put", "figure": "put_mbps"}]})
    r, others = figures_of(d, documents.write(d / "puts.json", answered))
    expect("headline figures, ms" in figures and "headline figures, MB/s" in others
           and "headline figures, ms" not in others, "no figure of a single bar", r)
    r, figures = figures_of(d, documents.write(d / "plain.json",
                                               documents.future(False)))
    expect("plumbing fetch: get, bandwidth over depth" in figures
           and "plumbing fetch: get, bandwidth over processes" in figures
           and any("time of a call" in t for t in figures),
           "without a description: " + str(list(figures)), r)


def figures_of(d, *files):
    r = pario("report", *files, "-o", d / "f.html", "--force")
    page = Page(d / "f.html")
    expect(r.returncode == 0, "figures", r)
    if page.data is None:
        return r, None
    return r, {f["title"]: f for f in page.data["figures"]}


def series_of(figure):
    return {s["name"]: dict(zip(s["x"], s["y"]))
            for s in (figure or {"series": []})["series"]}


def test_shipbench(d):
    file = documents.write(d / "s.json", documents.shipbench())
    r, figures = figures_of(d, file)
    if figures is None:
        return
    f = figures.get("shipbench shipping: read, bandwidth over processes")
    expect(series_of(f) == {"native": {2: 2, 4: 4, 8: 8},
                            "with shipping": {2: 10, 4: 20, 8: 40}},
           "with and without over the number of tasks", r)
    expect(f and f["series"][0]["low"][0] == 0.98 * 2, "and the interval", r)
    sparse = documents.result("shipbench", [documents.measure(
        "sparse", "read", percent * factor, 4,
        parameters={"series": f"{percent} %, {name}",
                    "sparsity_percent": percent, "file_bytes": percent})
        for percent in (1, 10, 100) for name, factor in (("native", 1),
                                                         ("shipio", 2))], {})
    r, figures = figures_of(d, documents.write(d / "sparse.json", sparse))
    f = figures.get("shipbench sparse: read, bandwidth over stripes accessed")
    expect(series_of(f) == {"native": {1: 1, 10: 10, 100: 100},
                            "shipio": {1: 2, 10: 20, 100: 200}}
           and len(figures) == 1, "over the share of the stripes", r)
    r = pario("report", d / "sparse.json", "--plots", d / "sparseplots")
    expect(r.returncode == 0, "a % is no format for gnuplot", r)


def test_several_files(d):
    """Bandwidth over processes out of several files, a curve a system."""
    def run(name, host, processes, mbps):
        doc = documents.result("beffio", [documents.measure(
            "type0_total", "write", mbps, processes)], {"b_eff_io_mbps": mbps})
        doc["system"].update(host=host, processes=processes)
        return documents.write(d / (name + ".json"), doc)

    files = [run("a2", "alpha01", 2, 10.0), run("a4", "alpha07", 4, 20.0),
             run("b2", "beta", 2, 1.0), run("b4", "beta", 4, 2.0)]
    r, figures = figures_of(d, *files)
    if figures is None:
        return
    want = [[(2, 1.0), (4, 2.0)], [(2, 10.0), (4, 20.0)]]
    f = figures.get("b eff io over the number of processes")
    expect(sorted(sorted(s.items()) for s in series_of(f).values()) == want,
           "two systems of one file system are two curves", r)
    f = figures.get("b_eff_io, whole types: write, bandwidth over processes")
    expect(sorted(sorted(s.items()) for s in series_of(f).values()) == want,
           "measures too", r)
    r, figures = figures_of(d, *files[:2])
    f = figures.get("b_eff_io, whole types: write, bandwidth over processes")
    expect(list(series_of(f).values()) == [{2: 10.0, 4: 20.0}],
           "files of one system are one curve", r)
    files += [run("again", "alpha01", 4, 30.0)]
    r, figures = figures_of(d, *files)
    f = figures.get("b eff io over the number of processes")
    expect({"a4", "again"} <= set(series_of(f)),
           "two runs of the same processes are told apart", r)
    files = [documents.write(d / f"n{n}.json", documents.nht(n))
             for n in (2, 4)]
    r, figures = figures_of(d, *files)
    f = figures.get("nht app: write, bandwidth over processes")
    expect(list(series_of(f).values()) == [{2: 40.0, 4: 80.0}], "nht", r)
    f = figures.get("r io over the number of processes")
    expect(list(series_of(f).values()) == [{2: 20.0, 4: 40.0}], "R_IO", r)


def test_partitions_and_sets(d):
    doc = documents.beffio()
    for m in documents.beffio(2)["measures"]:
        m["partition"] = 8
        doc["measures"].append(m)
    doc["measures"].append(documents.measure(
        "type0", "write", 999.0, pattern={"type": 0, "l_bytes": 1 << 20,
                                          "L_bytes": 1 << 21, "U": 4}))
    r, figures = figures_of(d, documents.write(d / "p.json", doc))
    if figures is None:
        return
    f = figures.get("b_eff_io, 4 processes: write, bandwidth over contiguous "
                    "chunk on disk")
    s = series_of(f)
    expect(len(s) == 11 and s.get("scatter, 2 MiB in memory") == {1 << 20: 999.0}
           and len(s["scatter"]) == 4
           and any(t.startswith("b_eff_io, 8 processes: read") for t in figures),
           "a diagram for each partition, two patterns of one chunk apart", r)
    sets = documents.result("beffio", [documents.measure(
        f"type{kind}_total", access, 10.0 * kind + number + 1,
        parameters={"hints": name}) for kind in range(3)
        for access in ("write", "read")
        for number, name in enumerate(("defaults", "a.hints"))], {})
    r, figures = figures_of(d, documents.write(d / "sets.json", sets))
    f = figures.get("b_eff_io, whole types: bandwidth")
    expect({s["name"]: s["y"][:2] for s in f["series"]} ==
           {"defaults": [1.0, 1.0], "a.hints": [2.0, 2.0]}
           and len(f["categories"]) == 6, "hint sets are side by side", r)
    r, figures = figures_of(d, documents.write(
        d / "prio.json", documents.prio(("/nfs", "/gfs"))))
    f = figures.get("the total of each directory over processes")
    expect(series_of(f) == {"/nfs": {1: 10, 2: 20, 4: 40},
                            "/gfs": {1: 20, 2: 40, 4: 80}},
           "the directories of prio over processes", r)


def test_cut(d):
    bars = documents.result("quick", [documents.measure(
        f"t", f"access{i}", 1.0 + i) for i in range(70)], {})
    curve = [documents.measure("t", "write", 1.0 * n, n) for n in (1, 2)]
    r, figures = figures_of(d, documents.write(d / "bars.json", bars))
    if figures is None:
        return
    text = " ".join(Page(d / "f.html").text)
    expect(len(figures["quick t: bandwidth"]["categories"]) == 64
           and "Only the first 64 measures" in text, "what is cut is said", r)
    bars["measures"] = bars["measures"][:2] + curve
    r, figures = figures_of(d, documents.write(d / "both.json", bars))
    expect("quick t: write, bandwidth over processes" in figures
           and len(figures["quick t: bandwidth"]["categories"]) == 2,
           "an access without a curve leaves the others theirs", r)


def test_injection(d):
    file = documents.write(d / "evil.json", documents.evil())
    header = "filename /tmp/<script>alert(3)</script>\n"
    documents.timings(d / "evil.out", 50, header=header +
                      "interface <img src=x onerror=alert(4)>\n")
    name = d / "<b>name<b>.json"
    shutil.copy(file, name)
    r = pario("report", file, name, d / "evil.out", "-o", d / "evil.html")
    page = Page(d / "evil.html")
    scripts = [a for tag, a in page.tags if tag == "script"]
    bad = [tag for tag, a in page.tags if tag in ("img", "b", "iframe")
           or any(k.startswith("on") for k in a)]
    expect(r.returncode == 0 and len(scripts) in (0, 3) and not bad,
           f"nothing from a file becomes markup: {bad}", r)
    expect(documents.EVIL.replace("\n", " ") in "".join(page.text),
           "the text is there as text", r)
    r = pario("report", file, d / "evil.out", "--plots", d / "evilplots")
    expect(r.returncode == 0, "gnuplot takes strange text", r)
    r = pario("compare", file, file, "--html", "-o", d / "evilcompare.html")
    page = Page(d / "evilcompare.html")
    expect(r.returncode == 0 and not any(tag == "img" for tag, a in page.tags),
           "nor in a comparison", r)


def test_bad_inputs(d):
    good = documents.write(d / "good.json", documents.peak())
    newer = documents.peak()
    newer["schema"] = "pario-result/2"
    documents.write(d / "newer.json", newer)
    (d / "binary").write_bytes(bytes(range(256)) * 100)
    (d / "empty").write_bytes(b"")
    (d / "cut.out").write_text("block pario-timings/1\nnprocs 1\ndata w s\n"
                               "rank 0\ncount 2\nw 0.1\n")
    r = pario("report", good, d / "newer.json", d / "binary", d / "empty",
              d / "cut.out", d / "none", "-o", d / "some.html")
    expect(r.returncode == 1 and (d / "some.html").exists()
           and "newer.json:1: schema is pario-result/2" in r.stderr
           and "binary:1:" in r.stderr and "empty:1:" in r.stderr
           and "cut.out:6:" in r.stderr and "none" in r.stderr,
           "the good are shown, the bad named with file and line", r)
    text = " ".join(Page(d / "some.html").text)
    expect("cut.out:6:" in text and "r_peak_bytes_per_s" in text,
           "the page says what is not in it", r)
    r = pario("report", d / "binary", "-o", d / "no.html")
    expect(r.returncode == 1 and not (d / "no.html").exists(),
           "no page of nothing", r)


def test_tools(d):
    lanes = documents.timings(d / "t.out", 1000)
    r = pario("rawdata", d / "t.out")
    expect(r.returncode == 0 and "process 1 (w)" in r.stdout
           and "two plateaus suggested" in r.stdout
           and max(map(len, r.stdout.splitlines())) < 200,
           "rawdata on a terminal", r)
    r = pario("rawdata", d / "t.out", "--proc", 1, "--range", "10:20", "-o",
              d / "raw.csv")
    rows = list(csv.reader((d / "raw.csv").open()))
    expect(r.returncode == 0 and [int(row[1]) for row in rows[1:]]
           == list(range(10, 20)) and
           [round(float(row[2]) * 1e6) for row in rows[1:]] == lanes[1][10:20],
           "the range asked for, exactly", r)
    r = pario("distribution", d / "t.out", "--skip", 200, "-o", d / "d.csv")
    rows = list(csv.DictReader((d / "d.csv").open()))
    share = sum(float(row["share of calls, %"]) for row in rows
                if row["series"] == "process 0 (w)")
    expect(r.returncode == 0 and abs(share - 100) < 1e-6
           and min(float(row["time of a call, ms"]) for row in rows) > 0.7,
           "the shares sum to one, without the startup", r)
    mean = [sum(x) / len(x) for x in lanes]
    want = sum(100000 * 1e3 / m for m in mean)
    r = pario("allav", d / "t.out", "-o", d / "a.csv")
    rows = list(csv.DictReader((d / "a.csv").open()))
    expect(r.returncode == 0 and len(rows) == 1
           and abs(float(rows[0]["rate, MB/s"]) / want - 1) < 1e-6
           and float(rows[0]["low"]) < want < float(rows[0]["high"])
           and (d / "a-growth.csv").exists(), "rate with an interval", r)
    # The parts of the growing file: averages (Sect. 7.2), or medians if asked.
    for kind, heading, words in (
            ("mean", "average rate, MB/s", []),
            ("mean", "average rate, MB/s", ["--average", "mean"]),
            ("median", "rate of the median call, MB/s",
             ["--average", "median"])):
        r = pario("allav", d / "t.out", *words, "--force", "-o", d / "a.csv")
        rows = [row for row in csv.DictReader((d / "a-growth.csv").open())
                if row["series"] == "process 0"]
        n = -(-len(lanes[0]) // 64)
        part = sorted(lanes[0][:n])
        ns = sum(part) / n if kind == "mean" else part[(n - 1) // 2]
        expect(r.returncode == 0 and
               abs(float(rows[0][heading]) / (100000 * 1e3 / ns) - 1) < 1e-4,
               f"growth by {kind}, {words}", r)
    for words in (["--range", "5"], ["--range", "9:3"], ["--proc", 7],
                  ["--block", 2], ["-o", "x.xyz"]):
        r = pario("rawdata", d / "t.out", *words)
        expect(r.returncode == 2 and str(words[1]) in r.stderr,
               f"{words} is wrong usage", r)
    r = pario("report", d / "t.out")
    expect(r.returncode == 0 and "p99.9 ms" in r.stdout and "1000" in r.stdout,
           "a table of the timings", r)
    r = pario("report", d / "t.out", "--range", "0:100")
    first = sum(lanes[0][:100]) / 100 / 1e6
    expect(r.returncode == 0 and f" {first:.3f} " in r.stdout,
           "the table of a range", r)
    text = (d / "t.out").read_text()
    r = pario("rawdata", d / "t.out", "-o", d / "all.csv")
    rows = list(csv.reader((d / "all.csv").open()))
    expect([round(float(row[2]) * 1e6) for row in rows[1:]]
           == lanes[0] + lanes[1], "CSV has every sample", r)
    documents.timings(d / "two.out", 200)
    documents.timings(d / "two.out", 400, seed=2)
    r = pario("allav", d / "two.out", "--block", 2, "-o", d / "b2.csv")
    rows = list(csv.DictReader((d / "b2.csv").open()))
    expect(r.returncode == 0 and len(rows) == 1
           and float(rows[0]["file size, bytes"]) == 400 * 100000 * 2
           and "block 97.7 KiB" in rows[0]["series"], "allav of one block", r)
    r = pario("allav", d / "two.out", "-o", d / "b.csv")
    expect(len(list(csv.DictReader((d / "b.csv").open()))) == 2, "of all", r)
    (d / "cut.out").write_text(text + text.replace("w 0.", "x 0.", 1))
    for name in ("cut.txt", "cut.md", "cut.html"):
        r = pario("report", d / "cut.out", "-o", d / name)
        expect(r.returncode == 1 and "process" in (d / name).read_text()
               and "cut.out:" in (d / name).read_text(),
               "exit 1 where a block was left out: " + name, r)
    (d / "md.out").write_text(text.replace("testname multiple",
                                           "testname a|b<i>"))
    r = pario("report", d / "md.out", "--format", "md")
    expect("<i>" not in r.stdout and "a|b" not in r.stdout,
           "the title of a block is escaped", r)
    (d / "blank.out").write_text("\n\n" + text)
    r = pario("report", d / "blank.out")
    expect(r.returncode == 0 and "p99.9 ms" in r.stdout,
           "blank lines before the first block", r)
    r = pario("report", d / "t.out", "--format", "csv")
    expect(r.returncode == 2 and "pario rawdata" in r.stderr, "no CSV rows", r)
    r = pario("rawdata", "/dev/null")
    expect(r.returncode == 1 and "regular file" in r.stderr, "a device", r)


def many_lanes(path, blocks, nprocs, samples, longest):
    """All lanes alike but for their rank; the last call takes longest s."""
    lane = "".join("w 0.%09d\n" % (i * 7919 % 9000000 + 100000)
                   for i in range(samples - 1)) + f"w {longest}\n"
    with open(path, "w") as out:
        for _ in range(blocks):
            out.write("block pario-timings/1\nnprocs %d\nsuite iot\n"
                      "block_bytes 1000\ndata w s\n" % nprocs)
            for rank in range(nprocs):
                out.write(f"rank {rank}\ncount {samples}\n{lane}")
            out.write("end\n")


def test_size(d):
    for shape in ((32, 32, 1024, 0.001), (32, 32, 1024, 5),
                  (32, 32, 1200, 0.001), (500, 2, 2000, 5), (2, 1, 10**6, 5)):
        many_lanes(d / "many.out", *shape)
        r = pario("report", d / "many.out", "-o", d / "many.html", "--force")
        size = (d / "many.html").stat().st_size
        expect(r.returncode == 0 and size < 9e6,
               f"{shape}: the page has {size} bytes", r)
        page = Page(d / "many.html")
        if page.data is None:
            continue
        lanes = [lane for block in page.data["raw"] for lane in block["lanes"]]
        exact = sum(lane["count"] for lane in lanes if lane["exact"])
        expect(len(lanes) == shape[0] * shape[1]
               and all(lane["exact"] or lane["levels"] for lane in lanes)
               and (exact > 200000) == (shape[2] < 10**6), f"{shape}: {exact} samples are exact", r)


def test_course(d):
    """Bandwidth over time and the heat map of processes and time."""
    header = "queue_depth 1\n"
    lanes = documents.timings(d / "t.out", 400, nprocs=3, header=header)
    documents.timings(d / "t.out", 400, nprocs=40, header=header, seed=2)
    documents.timings(d / "t.out", 400, header="queue_depth 4\n")
    r = pario("report", d / "t.out", "-o", d / "t.html")
    page = Page(d / "t.html")
    if page.data is not None:
        both, many, overlapping = (b["figures"] for b in page.data["raw"])
        expect([f["kind"] for f in both] == ["steps", "heat"]
               and [f["kind"] for f in many] == ["steps", "heat"], "both", r)
        expect(overlapping == [], "times of calls that overlap do not add up", r)
        for rank, s in enumerate(both[1]["series"]):
            last = max(k for k, y in enumerate(s["y"]) if y is not None) + 1
            moved = sum(y * (s["x"][k + 1] - s["x"][k])
                        for k, y in enumerate(s["y"]) if y is not None)
            expect(abs(moved / 40 - 1) < 1e-3, f"{rank} moved {moved} MB", r)
            width = s["x"][1] - s["x"][0]
            expect(abs(s["x"][last] - sum(lanes[rank]) / 1e9) < 1.01 * width,
                   f"{rank} ends with its last call", r)
        total = both[0]["series"][0]
        moved = sum(y * (b - a) for y, a, b in
                    zip(total["y"], total["x"], total["x"][1:]))
        expect(abs(moved / 120 - 1) < 1e-3, f"all moved {moved} MB", r)
        rows = [s["name"] for s in many[1]["series"]]
        expect(len(rows) == 32 and rows[0] == "0 to 1"
               and rows[-1] == "process 39", f"more processes than rows {rows}", r)
    document = documents.result("made-up", [documents.measure(
        "flow", access, 10, parameters={"depth": depth},
        over_time={"interval_s": 0.5, "bytes": [5000000, 0, 1000000]})
        for access in ("write", "read") for depth in (1, 2)], {})
    r = pario("report", documents.write(d / "o.json", document), "-o", d / "o.html")
    page = Page(d / "o.html")
    if page.data is not None:
        f = next(f for f in page.data["figures"]
                 if f["title"] == "made-up flow: read, bandwidth over time")
        expect(len(f["series"]) == 2 and f["series"][0]["x"] == [0, 0.5, 1, 1.5]
               and f["series"][0]["y"] == [10, 0, 2, 2], "over wall time", r)
        expect("How does it change over time?" in page.text, "its question", r)


def test_plots(d):
    documents.timings(d / "t.out", 300)
    file = documents.write(d / "b.json", documents.beffio())
    r = pario("report", file, d / "t.out", "--plots", d / "plots")
    scripts = sorted((d / "plots").glob("*.gp"))
    expect(r.returncode == 0 and len(scripts) > 6 and
           any("rawdata" in s.name for s in scripts) and
           any("processes-over-time" in s.name for s in scripts), "scripts", r)
    if shutil.which("gnuplot"):
        for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"),
                              ("pdf", b"%PDF")):
            drawn = sorted((d / "plots").glob("*." + ending))
            expect(len(drawn) == len(scripts) and all(
                p.read_bytes().startswith(magic) for p in drawn),
                ending + " of each", r)
        r = pario("report", file, "--plots", d / "plots")
        expect(r.returncode == 1 and "--force" in r.stderr, "kept", r)
        bad = d / "bin"
        bad.mkdir()
        (bad / "gnuplot").write_text('#!/bin/sh\necho half; exit 1\n')
        (bad / "gnuplot").chmod(0o755)
        tmp = d / "tmp"
        tmp.mkdir()
        env = {**os.environ, "PATH": f"{bad}:{os.environ['PATH']}",
               "TMPDIR": str(tmp)}
        r = pario("rawdata", d / "t.out", "-o", d / "half.png", env=env)
        expect(r.returncode == 1 and not list(d.glob("half*"))
               and not list(tmp.iterdir()),
               "a failure of gnuplot leaves nothing", r)
        (d / "victim").write_text("precious")
        for name in ("link.png.part", "link.png"):
            (d / "link.png").unlink(missing_ok=True)
            (d / name).symlink_to(d / "victim")
            r = pario("rawdata", d / "t.out", "-o", d / "link.png")
            expect((d / "victim").read_text() == "precious",
                   "no planted link is written through", r)
        expect(r.returncode == 1 and "is kept" in r.stderr, "a link is kept", r)
    r = pario("report", file, "--plots", d / "scripts",
              env={**os.environ, "PATH": "/nowhere"})
    expect(r.returncode == 0 and "no gnuplot" in r.stderr
           and list((d / "scripts").glob("*.gp")), "without gnuplot", r)


def repeated(scale, spread):
    return documents.result("quick", [documents.measure(
        "shared_file", "write", scale * size / 1024 * (1 + spread * (i - 3)),
        parameters={"request_bytes": size, "repetition": i})
        for size in (4096, 65536) for i in range(7)],
        {"best_mbps": scale * 64})


def test_compare(d):
    base = documents.write(d / "base.json", repeated(1, 0.01))
    slow = documents.write(d / "slow.json", repeated(0.8, 0.01))
    same = documents.write(d / "same.json", repeated(1.01, 0.05))
    other = repeated(1.2, 0.001)
    other["system"]["mpi"] = "Open MPI 4.1.4"
    other["hints_requested"] = {"cb_nodes": "2"}
    other["options"]["time"] = "90 s"
    other["measures"][0]["cache"] = "cache"
    other = documents.write(d / "other.json", other)
    r = pario("compare", base, slow)
    expect(r.returncode == 0 and
           "\nslow against base\nnew is faster in 0 of 2 measures, slower in "
           "2, the same in 0" in r.stdout
           and r.stdout.count("   slower: shared_file") == 2
           and "x 0.8 (" in r.stdout
           and "overall: ratio 0.8 " in r.stdout, "slower is shown first", r)
    expect("Missing: several runs of each side" in " ".join(r.stdout.split()),
           "what is missing for a verdict over runs", r)
    r = pario("compare", base, slow, "--fail-below", 0.95)
    expect(r.returncode == 1 and "0.800" in r.stderr
           and "shared_file, request 4 KiB: ratio 0.800 is below 0.95"
           in r.stderr and r.stdout.count(": ratio 0.800 is below 0.95") == 4,
           "the gate closes and names what failed", r)
    r = pario("compare", base, slow, "--fail-below", 0.7)
    expect(r.returncode == 0, "and opens", r)
    r = pario("compare", base, same)
    expect(r.returncode == 0 and "the same in 2 " in r.stdout,
           "scatter is no difference", r)
    r = pario("compare", base, other)
    first = r.stdout.index("overall")
    expect("faster in 2 of 2" in r.stdout.split(" against ")[1].split("\n")[1],
           "the answer", r)
    for word in ("Open MPI", "cb_nodes", "90 s", "cache verdict"):
        expect(-1 < r.stdout.find(word) < first,
               f"{word} is told before the table", r)
    r = pario("compare", base, slow, other, "--html", "-o", d / "c.html")
    text = " ".join(Page(d / "c.html").text)
    expect(r.returncode == 0 and "slow against base" in text
           and "other" in text, "several side by side", r)
    bad = repeated(1, 0.01)
    bad["valid"] = False
    bad = documents.write(d / "bad.json", bad)
    r = pario("compare", base, bad)
    expect(r.returncode == 2 and "--allow-invalid" in r.stderr
           and r.stdout == "", "invalid against valid is refused", r)
    r = pario("compare", base, bad, "--allow-invalid")
    expect(r.returncode == 0, "unless told", r)
    r = pario("compare", base, documents.write(d / "n.json", documents.nht()))
    expect(r.returncode == 2 and "nht" in r.stderr, "two suites", r)
    r = pario("compare", base)
    expect(r.returncode == 2, "one operand", r)


def test_compare_validity(d):
    base = documents.write(d / "base.json", repeated(1, 0.01))
    bad = repeated(1, 0.01)
    bad.update(valid=False, invalid_reasons=["the disk burned"])
    bad["measures"][0]["short"] = True
    bad["measures"][7]["verify"]["off"] = True
    bad = documents.write(d / "bad.json", bad)
    r = pario("compare", base, bad, "--allow-invalid")
    first = r.stdout.find("overall")
    expect(0 < r.stdout.find("base: base: VALID\n") < first and
           0 < r.stdout.find("new: bad: INVALID: the disk burned\n") < first,
           "the status of both runs is told before any figure", r)
    flags = [line for line in r.stdout.splitlines() if "new: " in line]
    expect(any("base: none, new: run not valid, short" in line for line in flags)
           and any("new: unverified, run not valid" in line for line in flags)
           and any(line.startswith("best ") for line in flags),
           "each row says what speaks against it", r)
    soon = repeated(1, 0.01)
    soon["summary"]["official"] = False
    soon = documents.write(d / "soon.json", soon)
    r = pario("compare", base, soon)
    expect("new: soon: PRELIMINARY" in r.stdout
           and r.stdout.count("base: none, new: preliminary") == 3,
           "preliminary", r)


def test_gate(d):
    base = documents.write(d / "base.json", repeated(1, 0.01))
    fast = documents.write(d / "fast.json", repeated(1.5, 0.01))
    r = pario("compare", base, fast, "--fail-below", 1.2)
    expect(r.returncode == 0, "a gate above 1 can be passed", r)
    r = pario("compare", base, fast, "--fail-below", 1.6)
    expect(r.returncode == 1 and "1.500 is below 1.6" in r.stderr,
           "and be closed", r)
    less = repeated(1, 0.01)
    less["measures"] = less["measures"][:7]
    less = documents.write(d / "less.json", less)
    r = pario("compare", base, less, "--fail-below", 0.9)
    expect(r.returncode == 1 and "1 figure is not good enough" in r.stderr
           and "request 64 KiB: missing in the new" in r.stderr,
           "the gate closes where measures are missing", r)
    r = pario("compare", base, less)
    expect(r.returncode == 0 and "not compared: 1 only in the base, 0 only"
           in r.stdout, "which is told without a gate too", r)
    r = pario("compare", less, base, "--fail-below", 0.9)
    expect(r.returncode == 0, "more measures than the base has are fine", r)
    gone = repeated(1, 0.01)
    gone["summary"] = {}
    gone = documents.write(d / "gone.json", gone)
    r = pario("compare", base, gone, "--fail-below", 0.9)
    expect(r.returncode == 1 and "headline: best: missing" in r.stderr,
           "so it does for a headline figure", r)


def test_matching(d):
    here = documents.write(d / "here.json", documents.prio(("/a", "/b")))
    there = documents.write(d / "there.json", documents.prio(("/c", "/d")))
    r = pario("compare", here, there, "--fail-below", 0.99)
    expect(r.returncode == 0 and "geometric mean of 24 measures" in r.stdout
           and "not compared" not in r.stdout, "directories match by place", r)
    expect("warning: directory 1: /a -> /c" in r.stdout
           and "warning: directory 2: /b -> /d" in r.stdout,
           "and are told as settings", r)
    base = documents.write(d / "ship.json", documents.shipbench())
    fast = documents.shipbench(1.3)
    for m in fast["measures"]:
        m["parameters"]["hints"] = {"shipio_mode": "auto"}
    fast = documents.write(d / "fast.json", fast)
    r = pario("compare", base, fast)
    expect(r.stdout.count(" 3/3 ") == 12 and "faster in 12 of 12" in r.stdout,
           "the passes of a measure give its interval", r)


def one_run(d, name, scale, noise, system=None):
    """A run of two single measures and a headline rate and time."""
    result = documents.result("made-up", [
        documents.measure("alpha", "write", scale * (100 + noise)),
        documents.measure("alpha", "read", 200 + noise),
        documents.measure("files", "create", 1, parameters={"tree": 1},
                          bytes=0, seconds=1.0, bandwidth_mbps=0,
                          operations=int(scale * (10000 + 100 * noise)))],
        {"big_mbps": scale * (300 + noise), "p99_ns": 1e6 / scale + noise})
    result["system"].update(system or {})
    result["view"] = {"answer": [{"label": "large files", "figures": [
        {"name": "write", "figure": "big_mbps"},
        {"name": "p99", "figure": "p99_ns"}], "note": "shared"}]}
    return documents.write(d / name, result)


def test_sides(d):
    """Several runs of a side are repetitions."""
    old = [one_run(d, f"old{i}.json", 1, i % 3) for i in range(5)]
    new = [one_run(d, f"new{i}.json", 0.8, i % 3) for i in range(5)]
    r = pario("compare", *old, "--", *new, "--fail-below", 0.9)
    lines = r.stdout.split("\nnew0, ")[1].splitlines()
    expect(r.returncode == 1 and " ".join((lines[1] + lines[2]).split()) ==
           "new is faster in 0 of 3 measures, slower in 2, the same in 1 "
           "(95 % intervals, 5 runs each)"
           and lines[3].startswith("   slower: ")
           and "  files create" in r.stdout, "a verdict from runs", r)
    expect("files create" in lines[3] + lines[4]
           and "/s   x 0.8" in lines[3] + lines[4], "operations count", r)
    expect("large files, write, shared" in r.stdout
           and "large files, write, p99, shared: ratio 0.8" in r.stderr
           and "Missing" not in r.stdout and " 5/5 " in r.stdout,
           "headlines by their plain names", r)
    r = pario("compare", *new, "--", *old, "--fail-below", 0.9)
    expect(r.returncode == 0 and "faster in 2 of 3" in r.stdout, "faster", r)
    r = pario("compare", old[0], new[0])
    expect(r.returncode == 0 and "3 measures compared, none judged"
           in r.stdout and "Missing: several runs of each side" in r.stdout
           and "lowest ratio: " in r.stdout, "single values", r)
    other = one_run(d, "odd.json", 1, 0, {"kernel": "9.9"})
    r = pario("compare", old[0], other, "--", *new)
    expect("the base is not one set of repetitions" in r.stdout
           and "9.9" in r.stdout, "repetitions that differ say so", r)
    r = pario("compare", "--", *new)
    expect(r.returncode == 2, "a side without runs", r)


def test_compare_formats(d):
    old = [one_run(d, f"old{i}.json", 1, i % 3) for i in range(4)]
    new = [one_run(d, f"new{i}.json", 0.8, i % 3) for i in range(4)]
    sides = (*old, "--", *new, "--fail-below", 0.9)
    r = pario("compare", *sides, "-o", d / "c.json")
    found = json.loads((d / "c.json").read_text())
    one = found["comparisons"][0]
    expect(r.returncode == 1 and found["schema"] == "pario-compare/1"
           and one["slower"] == 2 and one["same"] == 1
           and len(one["measures"]) == 3 and len(one["failed"]) == 5
           and 0.78 < one["overall"]["ratio"] < 0.9, "JSON", r)
    r = pario("compare", *sides, "-o", d / "c.csv")
    rows = list(csv.DictReader((d / "c.csv").open()))
    expect(len(rows) == 5 and {row["kind"] for row in rows}
           == {"headline", "measure"}
           and abs(float(rows[-1]["ratio"])
                   - one["measures"][-1]["ratio"]) < 1e-12, "CSV", r)
    r = pario("compare", *sides, "-o", d / "c.md")
    text = (d / "c.md").read_text()
    expect("**new is faster in 0 of 3" in text and "| measure |" in text,
           "Markdown", r)
    r = pario("compare", *sides, "-o", d / "c.xml")
    root = xml.etree.ElementTree.parse(d / "c.xml").getroot()
    expect(r.returncode == 1 and root.tag == "testsuites"
           and root[0].get("tests") == "6" and root[0].get("failures") == "5"
           and len(root.findall(".//failure")) == 5
           and len(root.findall(".//testcase")) == 6, "JUnit", r)
    r = pario("compare", *sides, "-o", d / "c.html")
    page = Page(d / "c.html")
    text = " ".join(page.text)
    expect("new is faster in 0 of 3" in text and text.index("new is faster")
           < text.index("base: old0,") and any(tag == "svg" for tag, _ in page.tags), "a page", r)
    for command in (("compare", old[0], new[0]), ("report", old[0])):
        r = pario(*command, "-o", d / "c.xls")
        expect(r.returncode == 2 and ".xls" in r.stderr and ".csv" in r.stderr
               and not (d / "c.xls").exists(), "an unknown ending", r)
    evil = documents.result("made-up", [documents.measure(
        documents.EVIL + "\uffff\u001b", "write", 100)], {})
    evil = documents.write(d / "evil.json", evil)
    r = pario("compare", evil, evil, "-o", d / "e.xml")
    xml.etree.ElementTree.parse(d / "e.xml")
    r = pario("compare", evil, evil, "-o", d / "e.html")
    expect("<img" not in (d / "e.html").read_text(), "no element of others", r)


for test in (test_sides, test_compare_formats, test_compare_validity, test_gate, test_matching, test_page, test_brief, test_hints, test_flags, test_suites, test_future_suite, test_injection, test_bad_inputs,
             test_shipbench, test_several_files, test_partitions_and_sets,
             test_cut, test_tools, test_course, test_size, test_plots, test_compare):
    with tempfile.TemporaryDirectory() as directory:
        test(pathlib.Path(directory))
finish()
