/* par/watchdog.c - the thread that ends a run that would hang. */
#include "par/watchdog.h"

#include "core/cleanup.h"
#include "core/clock.h"
#include "par/internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS 100000000 /* how often the thread looks */
#define LAST_LIMIT_S 10   /* for its words and for removing files */

/* One a rank, in memory that the ranks of a node share. */
struct slot {
    _Atomic int64_t offset;   /* of the last call */
    _Atomic int64_t phase_ns; /* when the phase began */
    _Atomic int fired;        /* used in the node's first slot only */
    int rank;
    char phase[160];
};

static struct slot private_slot; /* before start and after stop */
static struct pario_node_slots slots;
static struct slot *mine = &private_slot;
static _Atomic int64_t deadline_ns;      /* 0: none */
static _Atomic int64_t waiting_since_ns; /* in agree, with an error; 0: no */
static _Atomic int stop_asked;
static _Atomic int64_t grace_ns = INT64_C(10000000000);
static char waiting_message[512]; /* the error this rank waits with */
static pthread_t thread;
static int running;

_Atomic int64_t *pario_position = &private_slot.offset;

static pthread_mutex_t follow_lock = PTHREAD_MUTEX_INITIALIZER;
static const _Atomic int64_t *followed; /* of a loop; NULL: none */

static const struct slot *slot_of(int i)
{
    return (const struct slot *)(const void *)(slots.base +
                                               (size_t)i * slots.len);
}

/* "rank 2: write type 0, call at offset 1048576, 31 s in this phase". */
static void print_positions(void)
{
    int64_t now = pario_clock_ns();

    for (int i = 0; i < slots.visible; i++) {
        const struct slot *slot = slot_of(i);

        fprintf(stderr,
                "pario:   rank %d: %s, last call at offset %lld, %.0f s in "
                "this phase\n",
                slot->rank, slot->phase[0] != '\0' ? slot->phase : "starting",
                (long long)atomic_load(&slot->offset),
                (double)(now - atomic_load(&slot->phase_ns)) * 1e-9);
    }
}

/* Nothing that follows may keep the process: a launcher that does not read its
 * messages, a lock that the thread which hangs has in its hands, slow storage.
 * The janitor goes on by itself. */
static void set_last_limit(void)
{
    sigset_t alarm_set;

    signal(SIGALRM, SIG_DFL);
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    alarm(LAST_LIMIT_S);
}

static void fire(const char *why)
{
    struct slot *first = (struct slot *)(void *)slots.base;

    set_last_limit();
    pario_cleanup_reason(why);
    /* The first rank of the node to fire speaks for the node. */
    if (atomic_exchange(&first->fired, 1) == 0) {
        fprintf(stderr, "pario: watchdog of rank %d: %s\n", mine->rank, why);
        if (atomic_load(&waiting_since_ns) != 0)
            fprintf(stderr, "pario: its error: %s\n", waiting_message);
        print_positions();
        fprintf(stderr,
                "pario: ending the job; the results so far are on disk, the "
                "test files are removed.\n"
                "pario: remedy: look at the storage and the MPI library "
                "(`pario doctor`); --deadline gives slow storage more time.\n");
        fflush(stderr);
    }
    pario_cleanup_finish();
    _exit(1);
}

static void copy_offset(void)
{
    if (followed != NULL)
        atomic_store(&mine->offset, atomic_load(followed));
}

void pario_watchdog_follow(const _Atomic int64_t *offset)
{
    pthread_mutex_lock(&follow_lock);
    copy_offset();
    followed = offset;
    pthread_mutex_unlock(&follow_lock);
}

static void *watch(void *unused)
{
    struct timespec tick = {.tv_nsec = TICK_NS};

    (void)unused;
    while (!atomic_load(&stop_asked)) {
        int64_t now, deadline, waiting;

        nanosleep(&tick, NULL);
        pthread_mutex_lock(&follow_lock);
        copy_offset();
        pthread_mutex_unlock(&follow_lock);
        now = pario_clock_ns();
        deadline = atomic_load(&deadline_ns);
        waiting = atomic_load(&waiting_since_ns);
        if (waiting != 0 && now - waiting > atomic_load(&grace_ns))
            fire("this rank failed and the others did not come to agree on "
                 "it: they hang in a call");
        if (deadline != 0 && now > deadline)
            fire("the deadline of this phase has passed");
    }
    return NULL;
}

int pario_watchdog_start(const struct pario_group *world)
{
    int code = pario_node_slots_create(world, sizeof(struct slot), &slots);

    if (code != 0)
        return code;
    mine = (struct slot *)(void *)(slots.base + (size_t)slots.mine * slots.len);
    mine->rank = pario_group_rank(world);
    pario_position = &mine->offset;
    atomic_store(&stop_asked, 0);
    code = -pthread_create(&thread, NULL, watch, NULL);
    running = code == 0;
    if (code != 0)
        code = pario_fail_errno(code, "cannot start the watchdog thread");
    /* All have one or none: stopping it is collective. */
    code = pario_agree(world, code);
    if (code != 0)
        pario_watchdog_stop();
    return code;
}

void pario_watchdog_stop(void)
{
    if (slots.base == NULL)
        return;
    atomic_store(&stop_asked, 1);
    if (running)
        pthread_join(thread, NULL);
    running = 0;
    mine = &private_slot;
    pario_position = &private_slot.offset;
    pario_node_slots_destroy(&slots);
}

void pario_watchdog_phase(double seconds, double grace_s, const char *fmt, ...)
{
    int64_t now = pario_clock_ns();
    va_list args;

    va_start(args, fmt);
    vsnprintf(mine->phase, sizeof(mine->phase), fmt, args);
    va_end(args);
    atomic_store(&mine->phase_ns, now);
    atomic_store(&grace_ns, (int64_t)(grace_s * 1e9));
    atomic_store(&mine->offset, 0);
    atomic_store(&deadline_ns,
                 seconds > 0 ? now + (int64_t)(seconds * 1e9) : 0);
}

void pario_watchdog_waiting(int failed)
{
    if (failed)
        snprintf(waiting_message, sizeof(waiting_message), "%s",
                 pario_error_message());
    /* The grace time runs from the first sign of the error. */
    if (!failed || atomic_load(&waiting_since_ns) == 0)
        atomic_store(&waiting_since_ns, failed ? pario_clock_ns() : 0);
}

void pario_watchdog_error(void)
{
    pario_watchdog_waiting(1);
}
