"""What a result says, read by a program: the fastest write and read of each
test, with the flags that speak against it.

    pario -n 4 quick -o r.json /scratch/me
    python3 fastest.py r.json
"""
import json
import sys

result = json.load(open(sys.argv[1]))
assert result["schema"] == "pario-result/1", "another format"
if not result["valid"]:
    print("not valid:", "; ".join(result["invalid_reasons"]))

best = {}
for measure in result["measures"]:
    name = measure["test"], measure["access"]
    if measure.get("bandwidth_mbps", 0) > best.get(name, measure).get(
        "bandwidth_mbps", -1
    ):
        best[name] = measure
    best.setdefault(name, measure)
for (test, access), measure in sorted(best.items()):
    flags = ", ".join(measure.get("flags", []))
    print(f"{test:20} {access:12} {measure.get('bandwidth_mbps', 0):10.1f} MB/s"
          f"  {flags}")
