#!/usr/bin/env python3
"""Holds documents that pario wrote against the JSON Schema, and shows that
the schema refuses what it must: validate.py SCHEMA MAKE_DOCUMENTS."""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: script/setup installs it")

KINDS = ["valid", "unfinished", "failed", "nothing", "resumed"]


def measure(document):
    return document["measures"][0]


# What is done to a valid document, and must be refused.
SPOILERS = {
    "no schema": lambda d: d.pop("schema"),
    "newer schema": lambda d: d.update(schema="pario-result/2"),
    "no measures member": lambda d: d.pop("measures"),
    "valid without measures": lambda d: d.update(measures=[]),
    "valid is a word": lambda d: d.update(valid="yes"),
    "valid but unfinished": lambda d: d.update(finished_utc=None),
    "valid with a failed measure": lambda d: measure(d).update(error="x"),
    "valid with wrong data": lambda d: measure(d)["verify"].update(errors=1),
    "valid with a reason against it":
        lambda d: d.update(invalid_reasons=["because"]),
    "negative bytes": lambda d: measure(d).update(bytes=-1),
    "bandwidth as text": lambda d: measure(d).update(bandwidth_mbps="4"),
    "unknown cache verdict": lambda d: measure(d).update(cache="tape"),
    "no verification": lambda d: measure(d).pop("verify"),
    "a percentile missing": lambda d: measure(d)["latency_ns"].pop("p999"),
    "nested summary": lambda d: d["summary"].update(x={"y": 1}),
    "local time": lambda d: d.update(started_utc="2026-01-31 12:00:00"),
}


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def main(schema_path, make_documents):
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = 0
    documents = {}
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([make_documents, directory], check=True, timeout=60)
        for kind in KINDS:
            text = (pathlib.Path(directory) / f"{kind}.json").read_text("utf-8")
            documents[kind] = json.loads(text, parse_constant=refuse_constant)
    manual = (pathlib.Path(schema_path).parent / "result-format.md").read_text()
    documents["example of result-format.md"] = json.loads(
        re.search(r"```json\n(.*?)```", manual, re.S).group(1))
    for kind, document in documents.items():
        for error in validator.iter_errors(document):
            print(f"{kind}: {error.json_path}: {error.message}")
            failures += 1
    for kind, expected in [("valid", True), ("unfinished", False),
                           ("failed", False), ("nothing", False),
                           ("resumed", True)]:
        if documents[kind]["valid"] is not expected:
            print(f"{kind}: valid should be {expected}")
            failures += 1
    for name, spoil in SPOILERS.items():
        spoiled = copy.deepcopy(documents["valid"])
        spoil(spoiled)
        if validator.is_valid(spoiled):
            print(f"not refused: {name}")
            failures += 1
    return failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
