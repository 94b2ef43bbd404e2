#!/usr/bin/env python3
"""One of several nodes that share a file: witness.py FILE NODE NODES SYNC
[remade|kept|unsynced N].

What doctor is held to, without pario: each holds the file open, writes its
block, and reads the others' through a new descriptor: after fsync, and once
more, with other data, after close. Prints `coherent`, or what was read. SYNC:
a folder that truly is one, where the nodes wait for each other.

With `remade` the file is removed and made again N times, each time by the
first node, and all the others open and read it. With `kept` all hold it open,
and in each of N rounds one of them writes into it, and one or each lets it grow;
they sync, and read by the descriptor that they have. `unsynced` is `kept` where
nobody syncs. Prints what they met, and how often.
"""
import collections
import errno
import os
import sys
import time

BLOCK = 4096
path, sync = sys.argv[1], sys.argv[4]
node, nodes = int(sys.argv[2]), int(sys.argv[3])


def all_at(moment):
    with open(f"{sync}/{moment}.{node}", "w", encoding="utf-8"):
        pass
    while not all(os.path.exists(f"{sync}/{moment}.{i}") for i in range(nodes)):
        time.sleep(0.01)


def block_of(writer, letter):
    return bytes([ord(letter) + writer]) * BLOCK


def wrong(letter):
    """The nodes whose blocks are not as they were written."""
    fd = os.open(path, os.O_RDONLY)
    found = [i for i in range(nodes)
             if os.pread(fd, BLOCK, i * BLOCK) != block_of(i, letter)]
    os.close(fd)
    return found


def witness():
    if node == 0:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    all_at("made")
    mine = os.open(path, os.O_RDWR)
    all_at("open")
    os.pwrite(mine, block_of(node, "A"), node * BLOCK)
    os.fsync(mine)
    all_at("synced")
    while_open = wrong("A")
    all_at("read")
    os.pwrite(mine, block_of(node, "a"), node * BLOCK)
    os.close(mine)
    all_at("closed")
    after_close = wrong("a")
    if after_close:
        print(f"stale: node {node} does not see what {after_close} closed")
    elif while_open:
        print(f"late: node {node} does not see what {while_open} synced")
    else:
        print("coherent")


def remade_once(i):
    """What this node meets: the errno's name, or what it read."""
    letter = chr(ord("A") + i % 26)
    try:
        if node == 0:
            if i > 0:
                os.unlink(path)
            made = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600)
            os.pwrite(made, block_of(0, letter), 0)
            os.close(made)
    finally:
        all_at(f"made{i}")
    fd = os.open(path, os.O_RDWR)
    met = os.pread(fd, BLOCK + 1, 0)
    os.close(fd)
    return "as made" if met == block_of(0, letter) else f"{len(met)} old bytes"


def kept_once(fd, i):
    """One node writes pieces of the first block. The file grows by as many
    blocks as there are nodes: each adds one, or, in turns, that node all."""
    size, letter = BLOCK // nodes, chr(ord("A") + i % 20)
    begin, writer = (1 + i * nodes) * BLOCK, i % nodes == node
    try:
        if writer:
            for piece in range(nodes):
                os.pwrite(fd, letter.encode() * (size // 2), piece * size)
        for k in range(nodes):
            if writer if i % 2 else k == node:
                os.pwrite(fd, block_of(k, letter), begin + k * BLOCK)
        if what == "kept":
            os.fsync(fd)
    finally:
        all_at(f"written{i}")
    if os.fstat(fd).st_size != begin + nodes * BLOCK:
        return "wrong size"
    met = {bytes(os.pread(fd, size // 2, piece * size))
           for piece in range(nodes)}
    grown = os.pread(fd, nodes * BLOCK, begin)
    new = b"".join(block_of(k, letter) for k in range(nodes))
    return "new" if met == {letter.encode() * (size // 2)} and grown == new \
        else "old data"


def count(name, times, once):
    met = collections.Counter()
    for i in range(times):
        try:
            met[once(i)] += 1
        except OSError as error:
            met[errno.errorcode.get(error.errno, str(error))] += 1
        all_at(f"met{i}")
    print(f"{name}: node {node}:",
          ", ".join(f"{n} {what}" for what, n in sorted(met.items())))


def kept(times):
    if node == 0:
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.pwrite(made, b"." * BLOCK, 0)
        os.close(made)
    all_at("made")
    fd = os.open(path, os.O_RDWR)
    all_at("open")
    count(what, times, lambda i: kept_once(fd, i))
    os.close(fd)


if len(sys.argv) > 5:
    what = sys.argv[5]
    if what == "remade":
        count(what, int(sys.argv[6]), remade_once)
    else:
        kept(int(sys.argv[6]))
    sys.exit()
try:
    witness()
except OSError as error:  # GlusterFS at times does not know what was just made
    print(f"stale: node {node}: {error}")
    for later in ("made", "open", "synced", "read", "closed"):
        with open(f"{sync}/{later}.{node}", "w", encoding="utf-8"):
            pass
