/* cell.c - datagrams to rank 0, each carried out once. */
#include "cell.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "iothread.h"

/* A datagram that got no answer is sent again after this, and given up after
 * so many times; at the opening nobody is busy yet. */
#define RESEND_MS 100
#define SENDS 600
#define SENDS_OPENING 20
#define MAX_ADDRESSES 16

struct key {
    uint64_t half[2];
};

/* A request, and with the number before the answer to it. */
struct message {
    struct key key; /* strangers do not know it */
    int64_t rank;
    int64_t turn; /* counts the requests of a rank */
    int64_t value;
};

/* Where rank 0 listens. */
struct place {
    struct key key;
    int64_t count; /* of addresses; 0: rank 0 has no place */
    in_port_t port;
    struct in_addr addresses[MAX_ADDRESSES];
};

/* The last request of a rank: its answer may have been lost. */
struct seen {
    int64_t turn;
    int64_t before;
};

struct shipio_cell {
    int rank;
    int size;
    int socket;
    struct place place;
    int address; /* the one that answers */
    int64_t turn;
    pthread_mutex_t lock; /* of threads that ask */
    /* Rank 0: */
    _Atomic int64_t number;
    struct seen *seen;
    pthread_t thread;
    bool serving;
    int stop; /* eventfd */
};

static bool same_key(const struct key *a, const struct key *b)
{
    return a->half[0] == b->half[0] && a->half[1] == b->half[1];
}

/* Carries a request out, unless that has been done; makes it the answer. */
static bool answer(struct shipio_cell *cell, struct message *message)
{
    struct seen *seen;

    if (!same_key(&message->key, &cell->place.key) || message->rank < 0 ||
        message->rank >= cell->size)
        return false;
    seen = &cell->seen[message->rank];
    if (message->turn < seen->turn)
        return false;
    if (message->turn > seen->turn) {
        seen->turn = message->turn;
        seen->before = atomic_fetch_add(&cell->number, message->value);
    }
    message->value = seen->before;
    return true;
}

static void *serve(void *argument)
{
    struct shipio_cell *cell = argument;
    struct pollfd waits[2] = {{.fd = cell->socket, .events = POLLIN},
                              {.fd = cell->stop, .events = POLLIN}};

    while (poll(waits, 2, -1) >= 0 && waits[1].revents == 0) {
        struct sockaddr_in from;
        socklen_t len = sizeof(from);
        struct message message;
        ssize_t n = recvfrom(cell->socket, &message, sizeof(message),
                             MSG_DONTWAIT, (struct sockaddr *)&from, &len);

        if (n == (ssize_t)sizeof(message) && answer(cell, &message))
            (void)sendto(cell->socket, &message, sizeof(message), 0,
                         (struct sockaddr *)&from, len);
    }
    return NULL;
}

/* The node's own addresses, those that only it can reach at the end. */
static void note_addresses(struct place *place)
{
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list) != 0)
        return;
    for (int local = 0; local <= 1; local++)
        for (struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
            struct sockaddr_in address;

            if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
                (i->ifa_flags & IFF_UP) == 0 ||
                ((i->ifa_flags & IFF_LOOPBACK) != 0) != local ||
                place->count == MAX_ADDRESSES)
                continue;
            memcpy(&address, i->ifa_addr, sizeof(address));
            place->addresses[place->count++] = address.sin_addr;
        }
    freeifaddrs(list);
}

static int listen_here(struct shipio_cell *cell)
{
    struct place *place = &cell->place;
    struct sockaddr_in any = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t len = sizeof(any);

    cell->seen = calloc((size_t)cell->size, sizeof(*cell->seen));
    cell->stop = eventfd(0, EFD_CLOEXEC);
    if (cell->seen == NULL || cell->stop < 0 ||
        getrandom(&place->key, sizeof(place->key), 0) !=
            (ssize_t)sizeof(place->key) ||
        bind(cell->socket, (struct sockaddr *)&any, sizeof(any)) != 0 ||
        getsockname(cell->socket, (struct sockaddr *)&any, &len) != 0)
        return -EIO;
    place->port = any.sin_port;
    cell->serving = shipio_thread_create(&cell->thread, serve, cell) == 0;
    return cell->serving ? 0 : -EAGAIN;
}

static struct shipio_cell *cell_new(MPI_Comm comm)
{
    struct shipio_cell *cell = calloc(1, sizeof(*cell));

    if (cell == NULL)
        return NULL;
    PMPI_Comm_rank(comm, &cell->rank);
    PMPI_Comm_size(comm, &cell->size);
    pthread_mutex_init(&cell->lock, NULL);
    cell->stop = -1;
    cell->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (cell->socket >= 0 && cell->rank == 0 && listen_here(cell) == 0)
        note_addresses(&cell->place);
    return cell;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Waits for the answer to this request; old answers and strangers' datagrams
 * pass. */
static bool await_answer(struct shipio_cell *cell,
                         const struct message *request, int64_t *before_p)
{
    struct pollfd wait = {.fd = cell->socket, .events = POLLIN};
    double end = now_ms() + RESEND_MS;
    struct message got;

    for (;;) {
        double left = end - now_ms();

        if (left < 0 || poll(&wait, 1, (int)left + 1) == 0)
            return false;
        if (recv(cell->socket, &got, sizeof(got), MSG_DONTWAIT) ==
                (ssize_t)sizeof(got) &&
            same_key(&got.key, &request->key) && got.turn == request->turn) {
            *before_p = got.value;
            return true;
        }
    }
}

static int ask(struct shipio_cell *cell, int64_t value, int sends,
               int64_t *before_p)
{
    struct message request = {.key = cell->place.key,
                              .rank = cell->rank,
                              .turn = ++cell->turn,
                              .value = value};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = cell->place.port};

    for (int i = 0; i < sends; i++) {
        to.sin_addr = cell->place.addresses[cell->address];
        (void)sendto(cell->socket, &request, sizeof(request), 0,
                     (struct sockaddr *)&to, sizeof(to));
        if (await_answer(cell, &request, before_p))
            return 0;
        /* Until it has answered once, any address may be the right one. */
        if (cell->turn == 1)
            cell->address = (cell->address + 1) % (int)cell->place.count;
    }
    return -EIO;
}

int shipio_cell_add(struct shipio_cell *cell, int64_t value, int64_t *before_p)
{
    int rc;

    if (cell->rank == 0) {
        *before_p = atomic_fetch_add(&cell->number, value);
        return 0;
    }
    pthread_mutex_lock(&cell->lock);
    rc = ask(cell, value, SENDS, before_p);
    pthread_mutex_unlock(&cell->lock);
    return rc;
}

void shipio_cell_set(struct shipio_cell *cell, int64_t value)
{
    atomic_store(&cell->number, value);
}

/* The first request shows which address answers. */
static bool reaches(struct shipio_cell *cell, const struct shipio_reach *reach)
{
    int64_t before;

    if (cell == NULL || cell->socket < 0 || cell->place.count == 0)
        return false;
    if (!reach->known)
        return cell->rank == 0 || ask(cell, 0, SENDS_OPENING, &before) == 0;
    cell->address = reach->address;
    return true;
}

struct shipio_cell *shipio_cell_open(MPI_Comm comm, struct shipio_reach *reach,
                                     int64_t start)
{
    static _Atomic bool failed; /* rank 0 tells the others of the past */
    struct shipio_cell *cell;
    struct place place = {.count = 0};
    int mine;
    int least = 0;

    if (reach->known && !reach->good)
        return NULL;
    cell = cell_new(comm);
    /* Others ask as soon as they know the place. */
    if (cell != NULL)
        atomic_store(&cell->number, start);
    if (cell != NULL && !atomic_load(&failed))
        place = cell->place;
    PMPI_Bcast(&place, (int)sizeof(place), MPI_BYTE, 0, comm);
    /* Rank 0 has it, and a thread that reads it. */
    if (cell != NULL && cell->rank != 0)
        cell->place = place;
    mine = place.count > 0 && reaches(cell, reach);
    if (PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        least = 0;
    reach->known = true;
    reach->good = least != 0;
    if (reach->good) {
        reach->address = cell->address;
        return cell;
    }
    atomic_store(&failed, true);
    shipio_cell_close(cell);
    return NULL;
}

void shipio_cell_close(struct shipio_cell *cell)
{
    uint64_t one = 1;

    if (cell == NULL)
        return;
    if (cell->serving && write(cell->stop, &one, sizeof(one)) > 0)
        pthread_join(cell->thread, NULL);
    if (cell->socket >= 0)
        close(cell->socket);
    if (cell->stop >= 0)
        close(cell->stop);
    pthread_mutex_destroy(&cell->lock);
    free(cell->seen);
    free(cell);
}
