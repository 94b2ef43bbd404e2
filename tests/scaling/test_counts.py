"""The formulas of bench/scaling_counts.py against counting piece by piece, and
the fit of bench/scaling against costs that are known. test_counts.py BENCH"""
import importlib.machinery
import importlib.util
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import scaling_counts as counts  # noqa: E402


def pieces(call):
    """(rank, node, offset) of every piece of the file."""
    for i in range(call.total // call.piece):
        rank = i % call.P
        yield rank, rank // (call.P // call.N), i * call.piece


def distinct(call, window, who):
    """(who, window of the file) that have a piece in common."""
    return {((rank, node)[who], offset // window)
            for rank, node, offset in pieces(call)}


def brute_two_phase(call):
    domain = call.total // call.A
    lists = len(distinct(call, domain, 0))
    found = {(rank, offset // domain, offset % domain // call.stripe)
             for rank, _, offset in pieces(call)}
    listed = sum(counts.ROMIO_PAIR for _ in pieces(call))
    return {"messages": 2 * lists + len(found), "bytes": call.total + listed,
            "syscalls": len({key[1:] for key in found})}


def brute_every_rank(call):
    used = distinct(call, call.stripe, 0)
    rounds = -(-call.total // (call.stripe * call.A))
    return {"messages": call.P * call.A * rounds,
            "bytes": call.total + counts.PARTS_HEAD * call.P * call.A * rounds +
            counts.PARTS_RUN * len(used), "syscalls": len({s for _, s in used})}


def brute_two_level(call):
    stripes = call.total // call.stripe
    each = -(-stripes // call.A)
    batch = -(-each // counts.ROUNDS_WANTED)
    boxes = {}
    for _, node, offset in pieces(call):
        stripe = offset // call.stripe
        agent, turn = stripe % call.A, stripe // call.A // batch
        if node != agent:  # agent a is on node a
            key = node, agent, turn
            boxes[key] = boxes.get(key, 0) + call.piece
    return {"messages": len(boxes),
            "bytes": sum(boxes.values()) + counts.BOX_HEAD * len(boxes),
            "syscalls": stripes}


def same(name, call, want, have):
    for key in want:
        if want[key] != have[key]:
            sys.exit(f"{name}, {call.P} ranks on {call.N} nodes: {key} is "
                     f"{want[key]}, the formula says {have[key]}")


def test_formulas():
    for nodes, each, size, piece, stripe in (
            (2, 1, 1 << 14, 256, 1024), (2, 2, 1 << 14, 256, 4096),
            (4, 2, 1 << 14, 1024, 4096), (4, 4, 1 << 13, 256, 4096),
            (8, 2, 1 << 13, 512, 1024), (8, 8, 1 << 12, 64, 2048),
            (16, 2, 1 << 12, 1024, 1024)):
        call = counts.Call(nodes * each, nodes, size, piece, stripe)
        same("two_phase", call, brute_two_phase(call), counts.two_phase(call))
        same("every_rank", call, brute_every_rank(call),
             counts.every_rank(call))
        same("two_level", call, brute_two_level(call), counts.two_level(call))


def test_bound():
    """At most two messages for each pair of nodes and round."""
    for nodes in (2, 4, 16, 1563):
        call = counts.Call(64 * nodes, nodes, 1 << 20, 1 << 16, 4 << 20)
        count = counts.two_level(call)
        pairs = nodes * (nodes - 1) // 2
        if count["messages"] > 2 * pairs * count["rounds"]:
            sys.exit(f"{nodes} nodes: {count['messages']} messages")


def test_fit():
    loader = importlib.machinery.SourceFileLoader("scaling",
                                                  f"{sys.argv[1]}/scaling")
    scaling = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("scaling", loader))
    loader.exec_module(scaling)
    rows = [[1, x, x * y] for x in (1, 2, 5, 9) for y in (1, 3, 4)]
    found = scaling.fit(rows, [3 * a + 0.5 * b + 0.25 * c for a, b, c in rows])
    if any(abs(f - w) > 1e-3 * w for f, w in zip(found, (3, 0.5, 0.25))):
        sys.exit(f"the fit found {found}")
    # What costs nothing stays at zero, not below.
    found = scaling.fit(rows, [max(0.1, a - 0.01 * b) for a, b, _ in rows])
    if min(found) < 0:
        sys.exit(f"the fit found {found}")


test_formulas()
test_bound()
test_fit()
