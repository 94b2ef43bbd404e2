"""What a collective call costs, counted: three schemes, by formula.

A call of P ranks on N nodes (P/N on each): `nbytes` of each rank in pieces of
`piece` bytes that lie in turns, so that the file's `total = P * nbytes` bytes
are dense. One agent (aggregator) on each of A nodes; `stripe` is the agents'
buffer. All sizes divide each other: piece | stripe | total, and A stripes make
a round.

  two_phase   ROMIO: lists to the aggregators, then rounds of one buffer each
  every_rank  shipio up to 1.0: every rank sends to every agent in every round
  two_level   shipio: one message for each pair of nodes and round

Each gives a dictionary: `messages` between processes, of which `wire` go to
other nodes; `bytes` they carry, and `wire_bytes`; `copied`: bytes that the
library copies itself; `syscalls` on the file; `rounds`; `collectives`: steps in
which all ranks (of two_level: all leaders) take part; `incoming`: the most
messages that one process receives; `state`: bytes that a rank keeps or sends
and that grow with P or N.
"""
PARTS_HEAD = 64   # shipio's list of pieces before 1.1: the head of a message
PARTS_RUN = 16    # and one run of equal pieces
BOX_HEAD = 16     # of a message between two nodes
ROUNDS_WANTED = 4 # of a call between nodes, if its rounds are long enough
ROUND_LEN = 4 << 20
PAIR_LEN = 256 << 10
ROMIO_PAIR = 16   # offset and length of one piece


def ceil_div(a, b):
    return -(-a // b)


class Call:
    def __init__(self, ranks, nodes, nbytes, piece, stripe, agents=None):
        self.P, self.N, self.A = ranks, nodes, agents or nodes
        self.nbytes, self.piece, self.stripe = nbytes, piece, stripe
        self.total = ranks * nbytes

    def holders(self, span):
        """Ranks that have a piece in `span` contiguous bytes of the file."""
        return min(self.P, max(1, span // self.piece))

    def other_nodes(self, count):
        """Of count messages from everywhere to agents: those between nodes."""
        return count * (self.N - 1) // self.N


def two_phase(call, reading=False):
    domain = ceil_div(call.total, call.A)
    windows = ceil_div(domain, call.stripe)
    window = min(domain, call.stripe)
    lists = 2 * call.A * call.holders(domain)
    data = call.A * windows * call.holders(window)
    list_bytes = ROMIO_PAIR * (call.total // call.piece)
    return {
        "messages": lists + data,
        "wire": call.other_nodes(lists + data),
        "bytes": call.total + list_bytes,
        "wire_bytes": call.other_nodes(call.total + list_bytes),
        "copied": call.total,
        "syscalls": call.A * windows,
        "rounds": windows,
        # Extents of all twice, who asks whom, and each round who sends.
        "collectives": 3 + windows,
        "incoming": 2 * call.holders(domain) + windows * call.holders(window),
        # Two offsets of every rank, and an int for each rank and round.
        "state": 16 * call.P + 4 * call.P,
    }


def every_rank(call, reading=False):
    rounds = ceil_div(call.total, call.stripe * call.A)
    lists = call.P * call.A * rounds
    stripes = ceil_div(call.total, call.stripe)
    heads = PARTS_HEAD * lists + PARTS_RUN * stripes * call.holders(call.stripe)
    messages = lists * (2 if reading else 1)
    return {
        "messages": messages,
        "wire": call.other_nodes(messages),
        "bytes": call.total + heads,
        "wire_bytes": call.other_nodes(call.total + heads),
        "copied": 2 * call.total,
        "syscalls": stripes,
        "rounds": rounds,
        "collectives": 3 if not reading else 4,
        "incoming": call.P * rounds,
        # Two masks and, twice, room for a request and a buffer of each rank.
        "state": 16 * call.P + 2 * 16 * (call.P + call.A),
    }


def boxes(call, batch):
    """(messages between nodes, bytes in them) of two_level, exactly: in a round
    an agent hears of the nodes that have pieces in its stripes of the round."""
    each, per_stripe = call.P // call.N, call.stripe // call.piece
    stripes = ceil_div(call.total, call.stripe)
    if per_stripe % call.P == 0:
        rounds = ceil_div(ceil_div(stripes, call.A), batch)
        return (call.A * (call.N - 1) * rounds,
                call.total * (call.N - 1) // call.N)
    heard, own = set(), 0
    for stripe in range(stripes):
        agent = stripe % call.A
        begin = stripe * per_stripe
        spread = per_stripe if per_stripe < call.P else call.P
        for rank in range(begin, begin + spread, each) if \
                begin % each == 0 and per_stripe % each == 0 else \
                range(begin, begin + spread):
            node = rank % call.P // each
            if node != agent:
                heard.add((node, agent, stripe // call.A // batch))
        own += pieces_of_node(call, begin, begin + per_stripe, agent)
    return len(heard), call.total - own * call.piece


def pieces_of_node(call, begin, end, node):
    """How many of the file's pieces begin .. end - 1 a node has."""
    each = call.P // call.N

    def below(n):
        turns, rest = divmod(n, call.P)
        return turns * each + min(each, max(0, rest - node * each))
    return below(end) - below(begin)


def two_level(call, reading=False):
    stripes = ceil_div(call.total, call.stripe)
    each = ceil_div(stripes, call.A)
    most = max(call.stripe, ROUND_LEN, call.N * PAIR_LEN) // call.stripe
    batch = max(1, min(ceil_div(each, ROUNDS_WANTED), most))
    rounds = ceil_div(each, batch)
    messages, data = boxes(call, batch)
    return {
        "messages": messages,
        "wire": messages,
        "bytes": data + BOX_HEAD * messages,
        "wire_bytes": data + BOX_HEAD * messages,
        "copied": 2 * call.total,
        "syscalls": stripes,
        "rounds": rounds,
        "collectives": 2,
        "incoming": ceil_div(messages, call.A),
        "lists": call.A * (call.N - 1),  # of the first call with a view alone
        # Four requests for each node, of a leader; its ranks have none.
        "state": 4 * 8 * call.N,
    }


def one_node(call, reading=False):
    """shipio on a node: shared memory, no messages."""
    return {"messages": 0, "wire": 0, "bytes": 0, "wire_bytes": 0,
            "copied": 2 * call.total, "rounds": 0, "collectives": 2,
            "syscalls": ceil_div(call.total, call.stripe), "incoming": 0,
            "state": 0}


def by_messages(scheme):
    return lambda call, reading=False: \
        (scheme if call.N > 1 else one_node)(call, reading)


SCHEMES = {"two-phase": two_phase, "every rank": by_messages(every_rank),
           "two levels": by_messages(two_level)}
