"""Hostile files: outputs that are not what they seem, inputs of any kind."""
import os
import pathlib
import resource
import shutil
import tempfile

from place import FAILED, GOOD, USAGE, Failure, Skip

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus"


def script_as_samples(p):
    script = p.stranger / "file0"
    p.check(p.run(p.quick("--samples", str(script))))


def link_as_output(p):
    link = p.work / "link.json"
    link.symlink_to(p.stranger / "file0")
    words = p.quick()
    words.remove("--force")
    words[words.index("--output") + 1] = str(link)
    p.check(p.run(words))


def hard_link_as_output(p):
    """With --force the name is replaced, and the file behind it stays."""
    os.link(p.stranger / "file0", p.work / "r.json")
    p.check(p.run(p.quick()), GOOD)


def pipe_as_output(option):
    """Nobody reads it: an error, and no hang."""
    def attack(p):
        pipe = p.work / "pipe"
        os.mkfifo(pipe)
        words = p.quick()
        if option == "--output":
            words[words.index("--output") + 1] = str(pipe)
        else:
            words += [option, str(pipe)]
        p.check(p.run(words))
    return attack


def large_input(ending, words, make, expected):
    """A file that is all of one kind: an answer within a minute, in 2 GiB."""
    def attack(p):
        name = p.work / ("large" + ending)
        with open(name, "w", encoding="ascii") as out:
            make(out)
        status = p.run(
            [p.pario, *(str(name) if w == "FILE" else w for w in words)],
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        p.check(status, expected)
        if len(p.said()) > 10000:
            raise Failure("the message is endless")
    return attack


def deep(out):
    out.write("[" * 3000000)


def wide(out):
    out.write('{"schema": "pario-result/1", "measures": [0')
    for _ in range(1000):
        out.write(",1" * 10000)
    out.write("]}")


def long_line(out):
    out.write("[section]\nname " + "x" * (64 << 20) + "\n")


def many_hints(out):
    for i in range(200000):
        out.write(f"hint_{i} = {i}\n")


def planted_plot(p):
    """Links under the very names of the plots, and beside them."""
    if shutil.which("gnuplot") is None:
        raise Skip("no gnuplot")

    def draw(folder):
        return p.run([p.pario, "report", str(p.work / "r.json"), "--plots",
                      str(folder)])

    def plant(folder, *endings):
        folder.mkdir()
        for name in names:
            for ending in endings:
                (folder / (name + ending)).symlink_to(p.stranger / "file0")

    p.run(p.quick())
    p.check(draw(p.work / "first"), GOOD)
    names = [f.name for f in (p.work / "first").iterdir()]
    if not any(name.endswith(".png") for name in names):
        raise Failure("there are no plots")
    plant(p.work / "beside", ".part", ".tmp", "~")
    p.check(draw(p.work / "beside"), GOOD)
    for name in names:
        if (p.work / "beside" / name).is_symlink():
            raise Failure(f"{name} is a link")
    plant(p.work / "over", "")
    if draw(p.work / "over") != 1:
        raise Failure("plots were drawn over links")
    p.check(0, GOOD)


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        kind = rng.randrange(6)
        at = rng.randrange(len(data) + 1)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:at + rng.randint(1, 64)]
        elif kind == 2:
            data[at:at] = data[at:at + rng.randint(1, 256)]
        elif kind == 3:
            data[at:at] = rng.choice([
                b"99999999999999999999", b"-1", b"1e999", b"\0", b"\xff",
                b"[" * 200, b"\x1b[2J", b"=cmd", b"nan", b"\n\n", b"{}",
                b"9223372036854775807", b"%s%n", b"../../x", b"'\""])
        elif kind == 4:
            data = data[:at]
        else:
            data += data[:rng.randint(0, 4096)]
    return bytes(data)


READERS = {
    "result": lambda f: [["report", f], ["report", "--format", "csv", f],
                         ["compare", f, f], ["report", "-o", "x.html",
                                             "--force", f]],
    "timings": lambda f: [["report", f], ["rawdata", f], ["distribution", f],
                          ["allav", f]],
    "prio": lambda f: [["prio", "--explain", f, "target"],
                       ["prio", "--dry-run", f, "target"]],
    "iot": lambda f: [["iot", "--dry-run", f]],
    "hints": lambda f: [["beffio", "--dry-run", "--hints", f, "target"]],
    "keywords": lambda f: [["quick", "--dry-run", "--config", f, "target"]],
    "trace": lambda f: [["trace", f], ["trace", "--format", "json", f],
                        ["replay", "--dry-run", f, "target"]],
    "history": lambda f: [["history", command, "-f", f] + more
                          for command, more in (("list", []), ("trend", []),
                                                ("show", ["2"]))] +
                         [["history", "add", "-f", f,
                           str(CORPUS / "result" / "iot")]],
}


def seeds(p, kind):
    """The files to mutate; a history is made of the results among them."""
    if kind != "history":
        return sorted(f for f in (CORPUS / kind).iterdir() if f.is_file())
    made = p.work / "seed.db"
    if not made.exists():
        results = [str(f) for f in seeds(p, "result")]
        p.run([p.pario, "history", "add", "-f", str(made)] + results)
    return [made]


def hostile_input(p, kind, rng):
    """One mutated file to one reader; the words that were run."""
    files = seeds(p, kind)
    endings = {"result": ".json", "prio": ".prio", "iot": ".in"}
    name = p.work / ("input" + endings.get(kind, ""))
    name.write_bytes(mutate(rng.choice(files).read_bytes(), rng))
    words = rng.choice(READERS[kind](str(name)))
    status = p.run([p.pario, *words], limit_s=20)
    if status < 0 or status > 2:
        keep = pathlib.Path(tempfile.mkdtemp(prefix="pario-attack-input-"))
        shutil.copy(name, keep)
        raise Failure(f"{' '.join(words)}: status {status}, see {keep}")
    if b"\x1b" in p.log.read_bytes():
        raise Failure(f"{' '.join(words)}: an escape reached the terminal")
