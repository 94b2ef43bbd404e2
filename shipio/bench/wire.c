/*
 * wire.c - what plain TCP moves between the nodes of tests/multinode: every
 * node sends every other one as much, all at once, by one process on each and
 * without MPI. Nothing that exchanges data between these nodes can be faster.
 *
 *   wire MIB     (bytes to each other node; one process on each node)
 *
 * Host names end in n1, n2, ... nN; NODES says how many there are. Prints a
 * line for each node: wire,SECONDS,BYTES from the moment when all are connected
 * until all has come.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 47017
#define MAX_NODES 64
#define BLOCK ((size_t)256 * 1024)

struct wire {
    int nodes;
    int index; /* of this one, from 1 on */
    int listener;
    struct pollfd peers[MAX_NODES];
    int64_t to_send[MAX_NODES];
    int64_t to_come[MAX_NODES];
};

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void listen_here(struct wire *wire)
{
    struct sockaddr_in any = {.sin_family = AF_INET,
                              .sin_port = htons(PORT),
                              .sin_addr.s_addr = htonl(INADDR_ANY)};
    int yes = 1;

    wire->listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(wire->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(wire->listener, (struct sockaddr *)&any, sizeof(any)) != 0 ||
        listen(wire->listener, MAX_NODES) != 0)
        fail("listen");
}

/* The host of another node: this one's name with its number. */
static int connect_to(const char *prefix, int node)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[300], port[16];
    int fd = -1;

    snprintf(host, sizeof(host), "%s%d", prefix, node);
    snprintf(port, sizeof(port), "%d", PORT);
    if (getaddrinfo(host, port, &wanted, &found) != 0)
        fail(host);
    /* It may not have come so far. */
    for (int tries = 0; tries < 1000; tries++) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, found->ai_addr, found->ai_addrlen) == 0)
            break;
        close(fd);
        fd = -1;
        usleep(10000);
    }
    freeaddrinfo(found);
    if (fd < 0)
        fail("connect");
    return fd;
}

/* To those before, from those after. */
static void connect_all(struct wire *wire, const char *prefix)
{
    int yes = 1;

    for (int i = 1; i < wire->index; i++) {
        wire->peers[i].fd = connect_to(prefix, i);
        if (write(wire->peers[i].fd, &wire->index, sizeof(int)) != sizeof(int))
            fail("write");
    }
    for (int i = wire->index; i < wire->nodes; i++) {
        int fd = accept(wire->listener, NULL, NULL);
        int node = 0;

        if (fd < 0 ||
            recv(fd, &node, sizeof(node), MSG_WAITALL) !=
                (ssize_t)sizeof(node) ||
            node <= wire->index || node > wire->nodes)
            fail("accept");
        wire->peers[node].fd = fd;
    }
    for (int i = 1; i <= wire->nodes; i++)
        setsockopt(wire->peers[i].fd, IPPROTO_TCP, TCP_NODELAY, &yes,
                   sizeof(yes));
}

/* Everybody is connected to everybody: a byte each way. */
static void meet(const struct wire *wire)
{
    char byte = 0;

    for (int i = 1; i <= wire->nodes; i++)
        if (i != wire->index && write(wire->peers[i].fd, &byte, 1) != 1)
            fail("write");
    for (int i = 1; i <= wire->nodes; i++)
        if (i != wire->index &&
            recv(wire->peers[i].fd, &byte, 1, MSG_WAITALL) != 1)
            fail("read");
}

static size_t next_len(int64_t left)
{
    return left < (int64_t)BLOCK ? (size_t)left : BLOCK;
}

/* What one connection has room for, and what it has. */
static void move(struct wire *wire, int i, char *out, char *in)
{
    struct pollfd *peer = &wire->peers[i];
    ssize_t n;

    if (wire->to_send[i] > 0 && (peer->revents & POLLOUT) != 0) {
        n = send(peer->fd, out, next_len(wire->to_send[i]), MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN)
            fail("send");
        wire->to_send[i] -= n > 0 ? n : 0;
    }
    if (wire->to_come[i] > 0 && (peer->revents & (POLLIN | POLLHUP)) != 0) {
        n = recv(peer->fd, in, next_len(wire->to_come[i]), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            fail("recv");
        wire->to_come[i] -= n > 0 ? n : 0;
    }
}

static bool is_under_way(struct wire *wire)
{
    bool any = false;

    for (int i = 1; i <= wire->nodes; i++) {
        wire->peers[i].events = (short)((wire->to_send[i] > 0 ? POLLOUT : 0) |
                                        (wire->to_come[i] > 0 ? POLLIN : 0));
        any = any || wire->peers[i].events != 0;
    }
    return any;
}

static double exchange(struct wire *wire, int64_t each)
{
    char *out = calloc(1, BLOCK), *in = calloc(1, BLOCK);
    double begin = now_s();

    if (out == NULL || in == NULL)
        fail("memory");
    for (int i = 1; i <= wire->nodes; i++)
        wire->to_send[i] = wire->to_come[i] = i != wire->index ? each : 0;
    while (is_under_way(wire)) {
        if (poll(&wire->peers[1], (nfds_t)wire->nodes, -1) < 0)
            fail("poll");
        for (int i = 1; i <= wire->nodes; i++)
            if (i != wire->index)
                move(wire, i, out, in);
    }
    begin = now_s() - begin;
    free(out);
    free(in);
    return begin;
}

int main(int argc, char **argv)
{
    const char *nodes = getenv("NODES");
    struct wire wire = {.nodes =
                            nodes != NULL ? (int)strtol(nodes, NULL, 10) : 0};
    int64_t each = argc > 1 ? strtoll(argv[1], NULL, 10) << 20 : 0;
    char name[256] = "";
    char *last;

    gethostname(name, sizeof(name) - 1);
    last = strrchr(name, 'n');
    if (last == NULL || each <= 0 || wire.nodes < 2 || wire.nodes >= MAX_NODES)
        return 2;
    wire.index = (int)strtol(last + 1, NULL, 10);
    last[1] = '\0';
    for (int i = 0; i < MAX_NODES; i++)
        wire.peers[i].fd = -1;
    listen_here(&wire);
    connect_all(&wire, name);
    for (int pass = 0; pass < 4; pass++) {
        double seconds;

        meet(&wire);
        seconds = exchange(&wire, each);
        printf("wire,%d,%.6f,%lld\n", pass, seconds,
               (long long)each * (wire.nodes - 1));
    }
    return 0;
}
