#!/usr/bin/env python3
"""Reports in a real browser: browser.py PARIO WEB [SHOTS]. Skips (77) where
there is no Chromium, node or playwright-core, or pario has no uPlot."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import documents

PARIO, WEB = sys.argv[1:3]
SHOTS = sys.argv[3:]


def skip(why):
    print("skipped:", why)
    sys.exit(77)


browser = next(filter(None, map(shutil.which, (
    "chromium-headless-shell", "chromium", "chromium-browser"))), None)
if browser is None:
    skip("no chromium")
if shutil.which("node") is None:
    skip("no node")
if not (pathlib.Path(WEB) / "node_modules/playwright-core").exists():
    skip("no playwright-core (npm ci in web/)")

with tempfile.TemporaryDirectory() as directory:
    d = pathlib.Path(directory)

    def pario(*words):
        subprocess.run([PARIO, *map(str, words)], check=True, timeout=120)

    base = documents.write(d / "base.json", documents.beffio())
    fast = documents.write(d / "fast.json", documents.beffio(
        1.3, hints_requested={"cb_nodes": "4"}))
    prio = documents.write(d / "prio.json", documents.prio())
    pario("report", base, prio, "-o", d / "runs.html")
    if "uPlot" not in (d / "runs.html").read_text():
        skip("pario was built without uPlot")
    pario("compare", base, fast, "--html", "-o", d / "compare.html")
    # A real run, with real samples.
    pario("quick", "-q", "-i", "all", "-t", "1", "-s", "16MiB", "-o", d / "real.json",
          "--samples", d / "real.out", d)
    pario("report", d / "real.json", d / "real.out", "-o", d / "real.html")
    lanes = documents.timings(d / "raw.out", 500000)
    (d / "raw.json").write_text(json.dumps(lanes))
    pario("report", d / "raw.out", "-o", d / "raw.html")
    size = (d / "raw.html").stat().st_size
    print(f"raw.html: {size / 1e6:.1f} MB")
    if size > 6e6:
        print("FAILED: the page of 10^6 samples is larger than 6 MB")
        sys.exit(1)
    script = pathlib.Path(__file__).with_name("browser.js")
    done = subprocess.run(
        ["node", str(script), directory, browser, *SHOTS], timeout=170,
        env={**os.environ, "NODE_PATH": str(pathlib.Path(WEB) / "node_modules")})
    sys.exit(done.returncode)
