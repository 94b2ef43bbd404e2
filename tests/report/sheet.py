#!/usr/bin/env python3
"""The pages of all suites on one sheet, to be looked at: sheet.py PARIO WEB
OUT.png. Of each the desktop, a phone, the same in the dark, and paper."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import documents

PARIO, WEB, OUT = sys.argv[1:4]
PAGES = {"beffio": documents.beffio, "prio": documents.prio,
         "shipbench": documents.shipbench, "iot": documents.iot,
         "nht": documents.peak, "unknown suite": documents.future}

browser = next(filter(None, map(shutil.which, (
    "chromium-headless-shell", "chromium", "chromium-browser"))), None)
if browser is None or shutil.which("node") is None:
    sys.exit("sheet: needs Chromium and node")
with tempfile.TemporaryDirectory() as directory:
    d = pathlib.Path(directory)

    def page(name, *files):
        subprocess.run([PARIO, "report", *map(str, files), "-o",
                        d / f"{name}.html"], check=True, timeout=60)

    subprocess.run([PARIO, "quick", "-q", "-t", "5", "-o", d / "q.json", d],
                   timeout=120)
    page("quick", d / "q.json")
    for name, make in PAGES.items():
        page(name, documents.write(d / f"{name}.json", make()))
    documents.timings(d / "raw.out", 5000)
    page("raw timings", d / "raw.out")
    script = pathlib.Path(__file__).with_name("sheet.js")
    subprocess.run(
        ["node", str(script), directory, browser, str(pathlib.Path(OUT).resolve()),
         "quick", *PAGES, "raw timings"], check=True, timeout=300,
        env={**os.environ, "NODE_PATH": str(pathlib.Path(WEB) / "node_modules")})
print(OUT)
