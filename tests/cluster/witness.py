#!/usr/bin/env python3
"""One of several nodes that share a file: witness.py FILE NODE NODES SYNC.

What doctor is held to, without pario: each holds the file open, writes its
block, and reads the others' through a new descriptor: after fsync, and once
more, with other data, after close. Prints `coherent`, or what was read. SYNC:
a folder that truly is one, where the nodes wait for each other.
"""
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


try:
    witness()
except OSError as error:  # GlusterFS at times does not know what was just made
    print(f"stale: node {node}: {error}")
    for later in ("made", "open", "synced", "read", "closed"):
        with open(f"{sync}/{later}.{node}", "w", encoding="utf-8"):
            pass
