/* cell.c - datagrams to rank 0, each carried out once. */
#include "cell.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "iothread.h"
#include "seal.h"

/* A datagram that got no answer is sent again after this, and given up after
 * so many times; at the opening nobody is busy yet. */
#define RESEND_MS 100
#define SENDS 600
#define SENDS_OPENING 20
#define SENDS_TRYING 3
#define MAX_ADDRESSES 16

enum kind { REQUEST = 1, ANSWER = 2 };

/* A request, and with the number before the answer to it. */
struct message {
    struct {
        int64_t kind;
        int64_t rank;
        int64_t turn; /* counts the requests of a rank: none counts twice */
        int64_t value;
    } is;
    unsigned char seal[SHIPIO_SEAL_BYTES]; /* of what it is */
};

/* Where rank 0 listens; the key is new for each number. */
struct place {
    unsigned char key[SHIPIO_SEAL_KEY_BYTES];
    int64_t count; /* of addresses; 0: rank 0 has no place */
    int64_t bound; /* to one address: answers come from there only */
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

static bool is_ours(const struct shipio_cell *cell,
                    const struct message *message, enum kind kind)
{
    return message->is.kind == kind &&
           shipio_seal_matches(cell->place.key, &message->is,
                               sizeof(message->is), message->seal);
}

static bool seal(const struct shipio_cell *cell, struct message *message)
{
    return shipio_seal(cell->place.key, &message->is, sizeof(message->is),
                       message->seal);
}

/* Carries a request out, unless that has been done; makes it the answer. */
static bool answer(struct shipio_cell *cell, struct message *message)
{
    struct seen *seen;

    if (!is_ours(cell, message, REQUEST) || message->is.rank < 0 ||
        message->is.rank >= cell->size)
        return false;
    seen = &cell->seen[message->is.rank];
    if (message->is.turn < seen->turn)
        return false;
    if (message->is.turn > seen->turn) {
        seen->turn = message->is.turn;
        seen->before = atomic_fetch_add(&cell->number, message->is.value);
    }
    message->is.kind = ANSWER;
    message->is.value = seen->before;
    return seal(cell, message);
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

static int listen_at(struct shipio_cell *cell, uint32_t address)
{
    struct place *place = &cell->place;
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr.s_addr = address};
    socklen_t len = sizeof(here);

    cell->seen = calloc((size_t)cell->size, sizeof(*cell->seen));
    cell->stop = eventfd(0, EFD_CLOEXEC);
    if (cell->seen == NULL || cell->stop < 0 || !shipio_seal_key(place->key) ||
        bind(cell->socket, (struct sockaddr *)&here, sizeof(here)) != 0 ||
        getsockname(cell->socket, (struct sockaddr *)&here, &len) != 0)
        return -EIO;
    place->port = here.sin_port;
    place->bound = address != htonl(INADDR_ANY);
    cell->serving = shipio_thread_create(&cell->thread, serve, cell) == 0;
    return cell->serving ? 0 : -EAGAIN;
}

/* Rank 0 listens at this address, or everywhere and says where that is. */
static struct shipio_cell *cell_new(MPI_Comm comm, uint32_t address)
{
    struct shipio_cell *cell = calloc(1, sizeof(*cell));

    if (cell == NULL)
        return NULL;
    PMPI_Comm_rank(comm, &cell->rank);
    PMPI_Comm_size(comm, &cell->size);
    pthread_mutex_init(&cell->lock, NULL);
    cell->stop = -1;
    cell->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (cell->socket < 0 || cell->rank != 0 || listen_at(cell, address) != 0)
        return cell;
    if (cell->place.bound)
        cell->place.addresses[cell->place.count++].s_addr = address;
    else
        note_addresses(&cell->place);
    return cell;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Waits for the answer to a request of this turn or a later one; older answers
 * and strangers' datagrams pass. */
static bool await_answer(struct shipio_cell *cell, int64_t first_turn,
                         struct message *got)
{
    struct pollfd wait = {.fd = cell->socket, .events = POLLIN};
    double end = now_ms() + RESEND_MS;

    for (;;) {
        double left = end - now_ms();

        if (left < 0 || poll(&wait, 1, (int)left + 1) == 0)
            return false;
        if (recv(cell->socket, got, sizeof(*got), MSG_DONTWAIT) ==
                (ssize_t)sizeof(*got) &&
            is_ours(cell, got, ANSWER) && got->is.rank == cell->rank &&
            got->is.turn >= first_turn)
            return true;
    }
}

static void send_to(struct shipio_cell *cell, int address,
                    const struct message *request)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = cell->place.port,
                             .sin_addr = cell->place.addresses[address]};

    (void)sendto(cell->socket, request, sizeof(*request), 0,
                 (struct sockaddr *)&to, sizeof(to));
}

static int ask(struct shipio_cell *cell, int64_t value, int sends,
               int64_t *before_p)
{
    struct message request = {.is = {.kind = REQUEST,
                                     .rank = cell->rank,
                                     .turn = ++cell->turn,
                                     .value = value}};
    struct message got;

    if (!seal(cell, &request))
        return -EIO;
    for (int i = 0; i < sends; i++) {
        send_to(cell, cell->address, &request);
        if (await_answer(cell, request.is.turn, &got)) {
            *before_p = got.is.value;
            return 0;
        }
    }
    return -EIO;
}

/* Any address may be the right one. Each is asked in turns of its own: an
 * answer that is late, as over a link that was down for a while, is that of the
 * address that it comes for, not of the one that was asked last. */
static bool find_address(struct shipio_cell *cell)
{
    int64_t first = cell->turn + 1;
    struct message got;

    for (int i = 0; i < SENDS_OPENING; i++) {
        struct message request = {
            .is = {.kind = REQUEST, .rank = cell->rank, .turn = ++cell->turn}};

        if (!seal(cell, &request))
            return false;
        send_to(cell, i % (int)cell->place.count, &request);
        if (await_answer(cell, first, &got)) {
            cell->address = (int)((got.is.turn - first) % cell->place.count);
            return true;
        }
    }
    return false;
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

/* Collective: what rank 0 says, once its thread listens. Whether this rank
 * has all it needs to ask. */
static bool learn_place(MPI_Comm comm, struct shipio_cell *cell, bool wanted)
{
    struct place place = {.count = 0};

    if (cell != NULL && wanted)
        place = cell->place;
    PMPI_Bcast(&place, (int)sizeof(place), MPI_BYTE, 0, comm);
    /* Rank 0 has it, and a thread that reads it. */
    if (cell != NULL && cell->rank != 0)
        cell->place = place;
    return place.count > 0 && cell != NULL && cell->socket >= 0;
}

/* Collective: the largest of all ranks'. */
static int most(MPI_Comm comm, int mine)
{
    int all = mine;

    if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
        all = INT_MAX;
    return all;
}

/* Collective. Ranks on rank 0's node reach all its addresses, others perhaps
 * one of the last: is there one that serves all? Sets where this rank reaches
 * rank 0, and on rank 0 where it listens. */
static void choose_address(MPI_Comm comm, struct shipio_cell *cell,
                           struct shipio_reach *reach)
{
    int own = cell->address;
    int last = most(comm, cell->rank == 0 ? -1 : own);
    int64_t before;
    bool serves = true;

    if (last < 0) { /* there is no other rank */
        reach->address = htonl(INADDR_LOOPBACK);
        return;
    }
    if (cell->rank != 0 && last != own) {
        cell->address = last;
        serves = ask(cell, 0, SENDS_TRYING, &before) == 0;
    }
    if (most(comm, !serves) == 0)
        reach->address = cell->place.addresses[last].s_addr;
    else if (cell->rank == 0)
        reach->address = htonl(INADDR_ANY);
    else
        reach->address = cell->place.addresses[own].s_addr;
}

/* Collective. A first number, of which nothing is wanted but an answer. */
static void find_reach(MPI_Comm comm, struct shipio_reach *reach,
                       _Atomic bool *failed)
{
    struct shipio_cell *cell = cell_new(comm, htonl(INADDR_ANY));
    bool good = learn_place(comm, cell, !atomic_load(failed));

    if (good && cell->rank != 0)
        good = find_address(cell);
    reach->known = true;
    reach->good = most(comm, !good) == 0;
    if (reach->good)
        choose_address(comm, cell, reach);
    else
        atomic_store(failed, true);
    shipio_cell_close(cell);
}

/* A socket that is connected takes datagrams of rank 0 alone. */
static bool approach(struct shipio_cell *cell, uint32_t address)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = address,
                             .sin_port = cell->place.port};

    if (cell->rank == 0)
        return true;
    cell->place.addresses[0].s_addr = address;
    cell->place.count = 1;
    return !cell->place.bound ||
           connect(cell->socket, (struct sockaddr *)&to, sizeof(to)) == 0;
}

struct shipio_cell *shipio_cell_open(MPI_Comm comm, struct shipio_reach *reach,
                                     int64_t start)
{
    static _Atomic bool failed; /* rank 0 tells the others of the past */
    struct shipio_cell *cell;
    bool good;

    if (!reach->known)
        find_reach(comm, reach, &failed);
    if (!reach->good)
        return NULL;
    cell = cell_new(comm, reach->address);
    /* Others ask as soon as they know the place. */
    if (cell != NULL)
        atomic_store(&cell->number, start);
    good = learn_place(comm, cell, true) && approach(cell, reach->address);
    reach->good = most(comm, !good) == 0;
    if (reach->good)
        return cell;
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
