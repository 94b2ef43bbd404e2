"""Results and timings as the suites write them, for the tests of reports."""
import json
import random

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\n|"


def measure(test, access, mbps, partition=4, pattern=None, parameters=None,
            cache="disk", **extra):
    nbytes = 1 << 26
    m = {"test": test, "access": access, "partition": partition,
         "bytes": nbytes, "seconds": nbytes / mbps / 1e6,
         "bandwidth_mbps": mbps, "operations": 64,
         "verify": {"checked_bytes": 4096, "errors": 0, "off": False},
         "cache": cache, "error": None}
    if pattern is not None:
        m["pattern"] = pattern
    if parameters is not None:
        m["parameters"] = parameters
    m.update(extra)
    return m


def result(suite, measures, summary, **extra):
    d = {"schema": "pario-result/1", "suite": suite, "valid": True,
         "invalid_reasons": [], "warnings": [],
         "tool": {"name": "pario", "version": "0.1.0", "commit": "0"},
         "command": ["pario", suite], "started_utc": "2026-01-31T12:00:00Z",
         "finished_utc": "2026-01-31T12:30:00Z", "options": {"time": "60 s"},
         "system": {"nodes": 1, "processes": 4, "mpi": "MPICH 4.0.2",
                    "filesystem": "ext4", "memory_per_node_bytes": 1 << 34},
         "hints_requested": {}, "hints_in_force": {}, "summary": summary,
         "measures": measures}
    d.update(extra)
    return d


def beffio(scale=1.0, **extra):
    sizes = (1024, 1032, 32768, 32776, 1 << 20, (1 << 20) + 8, 1 << 21)
    measures, summary = [], {}
    for access in ("write", "rewrite", "read"):
        for kind in range(5):
            for l in sizes:
                mbps = scale * 100 * (kind + 1) * l / (l + 30000)
                if l % 1024:
                    mbps *= 0.6
                measures.append(measure(
                    f"type{kind}", access, mbps,
                    pattern={"type": kind, "l_bytes": l, "L_bytes": 1 << 20,
                             "U": 1},
                    cache="cache" if access == "read" else "disk"))
            total = scale * 80.0 * (kind + 1)
            measures.append(measure(f"type{kind}_total", access, total))
            summary[f"type{kind}_{access}_mbps"] = total
    summary["b_eff_io_mbps"] = scale * 123.4
    summary["official"] = False
    return result("beffio", measures, summary,
                  warnings=["the figures are preliminary"], **extra)


FILES = [f"type{kind} {access} np4" for access in ("write", "read")
         for kind in range(5)]


def hinted(name, hints, in_force=None, scale=1.0):
    """A run of b_eff_io with one set of hints, in force as asked for unless
    {file: {hint: value}} says otherwise."""
    files = {file: dict(hints, cb_buffer_size="16777216") for file in FILES}
    for file, values in (in_force or {}).items():
        files[file].update(values)
    files = {file: {k: v for k, v in values.items() if v is not None}
             for file, values in files.items()}
    return beffio(scale, hints_requested={name: hints}, hints_in_force=files)


def prio(directories=("/scratch",), **extra):
    measures = [m for directory in directories
                for m in prio_measures(directory)]
    points = [{"series": directory, "x": n, "y": 10.0 * n * (i + 1),
               "flags": []}
              for i, directory in enumerate(directories) for n in (1, 2, 4)]
    view = {"title": "PRIOmark", "question": "How fast?",
            "values": [{"key": "bandwidth_mbps", "name": "bandwidth"},
                       {"key": "acl",
                        "name": "asynchronous computing loss (ACL)"}],
            "beside": ["directory"], "details": ["parts"],
            "pictures": [{"title": "the total of each directory over processes",
                          "x": "processes", "y": "bandwidth, MB/s",
                          "points": points}]}
    return result("prio", measures, {"priomark_total_mbps": 42.0}, view=view,
                  **extra)


def prio_measures(directory):
    measures = []
    for partition in (1, 2, 4):
        for size in (4096, 65536):
            for rep in (1, 2, 3):
                p = {"directory": directory, "interface": "posix",
                     "request_bytes": size, "repetition": rep}
                measures.append(measure("common_file", "write",
                                        10.0 * partition + rep, partition,
                                        parameters=p))
                measures.append(measure("async", "write", 20.0 + rep, partition,
                                        parameters=p, acl=0.1 * rep, abl=0.2))
    return measures


def shipbench(scale=1.0, **extra):
    """With and without shipping over the number of tasks, three passes."""
    measures = []
    for partition in (2, 4, 8):
        for name, library, factor in (("native", "native", 1),
                                      ("with shipping", "shipio", 5)):
            hints = {} if library == "native" else {"shipio_mode": "always"}
            for access in ("rewrite", "read"):
                mbps = scale * factor * partition
                measures.append(measure(
                    "shipping", access, mbps, partition,
                    parameters={"series": name, "library": library,
                                "hints": hints, "block_bytes": 4096,
                                "blocks_per_task": 100,
                                "file_bytes": 409600 * partition},
                    passes_mbps=[0.98 * mbps, mbps, 1.02 * mbps],
                    interval_mbps=[0.98 * mbps, 1.02 * mbps]))
    return result("shipbench", measures, {}, **extra)


def iot():
    measures = []
    for grid in ((1, 4), (2, 2), (4, 1)):
        for collective in (False, True):
            measures.append(measure(
                "matrix2D", "write", 50.0 * grid[0] * (2 if collective else 1),
                parameters={"set": 1, "line": 3, "xsize": 512, "ysize": 512,
                            "xproc": grid[0], "yproc": grid[1],
                            "collective": collective}))
    return result("iot", measures, {})


def nht(processes=4):
    d = result("nht", [
        measure("app", "compute", 1.0, processes, bandwidth_mbps=0),
        measure("app", "write", 20.0 * processes, processes,
                parameters={"grid": 12, "parts": [processes],
                            "scheme": "block" if processes == 2 else "multi"})],
               {"r_io_bytes_per_s": 1e7 * processes, "official": True})
    d["system"]["processes"] = processes
    return d


def peak():
    return result("nht", [measure("peak", "write", 300.0),
                          measure("peak", "read", 500.0)],
                  {"r_peak_bytes_per_s": 4e8, "official": True})


def future(described=True):
    """A document of a suite that this pario does not know."""
    measures = []
    for partition in (2, 4):
        for depth in (1, 4, 16):
            for way in ("ring", "thread"):
                measures.append(measure(
                    "fetch", "get", 10.0 * depth * partition, partition,
                    parameters={"tank_bytes": 4096, "depth": depth, "way": way,
                                **({"serial": depth * partition}
                                   if described else {})},
                    warmth=0.5 / depth,
                    latency_ns={"p50": 1000 * depth, "p90": 5000 * depth,
                                "p99": 9000 * depth, "p999": 9500 * depth,
                                "max": 9900 * depth}))
    view = {"title": "fetching from the tank",
            "question": "How fast is the tank?",
            "answer": [{"label": "tank", "figures": [
                {"name": "get", "figure": "get_mbps"},
                {"name": "p99", "figure": "get_p99_ns"}],
                "note": "4 deep"}],
            "sentences": ["The tank is limited by its valve."],
            "lead": "measures",
            "axes": [{"key": "depth", "name": "valves open"}],
            "values": [{"key": "bandwidth_mbps", "name": "flow"},
                       {"key": "latency_ns.p99", "name": "wait"},
                       {"key": "warmth", "name": "warmth"}],
            "tests": [{"key": "fetch", "name": "fetching"}],
            "details": ["serial", "tank_bytes"]}
    return result("plumbing", measures,
                  {"get_mbps": 640.0, "get_p99_ns": 36000},
                  **({"view": view} if described else {}))


def evil():
    d = result("quick", [measure(EVIL, "write", 5.0,
                                 parameters={EVIL: EVIL, "request_bytes": n})
                         for n in (1024, 2048)],
               {EVIL: EVIL, "best_mbps": 1.0},
               warnings=[EVIL], command=["pario", EVIL],
               hints_requested={EVIL: EVIL}, hints_in_force={EVIL: "x"})
    d["system"]["filesystem"] = EVIL
    d["options"][EVIL] = EVIL
    return d


def write(path, document):
    path.write_text(json.dumps(document))
    return str(path)


def timings(path, samples, nprocs=2, header="", seed=1):
    """A block of lognormal times with a startup; returns them in ns."""
    rng = random.Random(seed)
    lanes = []
    with open(path, "a") as out:
        out.write("block pario-timings/1\ntimestamp 2026-01-31T12:00:00Z\n"
                  f"nprocs {nprocs}\nsuite iot\nclassname Lowlevel\n"
                  f"testname multiple\n{header}block_bytes 100000\n"
                  f"file_bytes {samples * 100000 * nprocs}\ndata w s\n")
        for rank in range(nprocs):
            ns = [int(rng.lognormvariate(0, 0.2) *
                      (400000 if i < samples // 5 else 2000000))
                  for i in range(samples)]
            out.write(f"rank {rank}\ncount {samples}\n")
            out.write("".join("w %d.%09d\n" % divmod(t, 10**9) for t in ns))
            lanes.append(ns)
        out.write("end\n")
    return lanes
