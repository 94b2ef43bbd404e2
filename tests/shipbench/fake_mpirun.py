#!/usr/bin/env python3
"""A launcher for tests of `pario tune`: starts nothing, and reports passes of
known speeds. PARIO_MPIRUN="python3 fake_mpirun.py"; FAKE says what happens:
  SPEEDS[;SPEEDS...]  first that fits counts: "WORD=MBPS", WORD in the library,
                      the hints, the environment's OMPI_MCA_* or "type=N";
                      "*" fits all, "WORD&WORD" where both fit
FAKE_CONFIRM=SPEEDS   other speeds in the confirmation
FAKE_DIES=WORD        a job with such a contender dies before it begins
FAKE_CRASHES=WORD     ... while this contender is under way
FAKE_FEW=N            ... but only in jobs of at most N contenders
FAKE_READS=FACTOR     reads are so much faster than writes
FAKE_LOG=FILE         a line for each job: who began it, how many took part
"""
import os
import sys

words = sys.argv[sys.argv.index("tune-race") + 1:]
folder = words[0]
number = int(folder.rsplit(".", 1)[1])
environment = " ".join(f"{k}={v}" for k, v in os.environ.items()
                       if k.startswith("OMPI_MCA_") or k == "LD_PRELOAD")
state = number * 7919 + 1


def noise(width):  # start-up counts here: no random module
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return 1 + width * (2 * (state >> 8) / 2**23 - 1)


noise(0)
luck = noise(0.08)  # of the whole job
with open(f"{folder}/spec") as spec:
    head = spec.readline().split()
    members = [line.rstrip("\n").split(" ", 2) for line in spec]
passes, start = int(head[5]), int(head[6])
environment += f" type={head[0]}"


def fits(word, member):
    return all(w == "*" or w in " ".join(member[1:]) or w in environment
               for w in word.split("&"))


def named(variable):
    word = os.environ.get(variable)
    return [m for m in members if word and fits(word, m)]


def speed(member):
    rules = os.environ.get("FAKE", "*=100")
    if head[8] == "confirmation":
        rules = os.environ.get("FAKE_CONFIRM", rules)
    for rule in rules.split(";"):
        word, mbps = rule.rsplit("=", 1)
        if fits(word, member):
            return float(mbps) * luck * noise(0.03)
    return 100.0


few = len(members) <= int(os.environ.get("FAKE_FEW", "99"))
if os.environ.get("FAKE_LOG"):
    with open(os.environ["FAKE_LOG"], "a") as log:
        log.write(f"{members[start % len(members)][0]} {len(members)} "
                  f"[{environment}] {head[7]}\n")
if few and named("FAKE_DIES"):
    print("something is missing here\n--------")
    sys.exit(3)
with open(f"{folder}/report", "w") as report:
    for n in range(passes):
        for i in range(len(members)):
            member = members[(i + n + start) % len(members)]
            report.write(f"begin {member[0]}\n")
            if few and member in named("FAKE_CRASHES"):
                print("Segmentation fault at address nil")
                sys.exit(139)
            mbps = speed(member)
            # It writes at that speed and reads at the same, or at FAKE_READS
            # times it.
            reads = mbps * float(os.environ.get("FAKE_READS", "1"))
            # Written to the disk, read from a cache.
            bytes = int(mbps * 1e5)
            report.write(f"pass {member[0]} 0.1 {bytes} 0.1 4096 1 0 0 {bytes} "
                         f"{int(reads * 1e5)} 0.1 8192 3 1 0 0\n")
    report.write("end\n")
