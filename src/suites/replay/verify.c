/* suites/replay/verify.c - does what was written stand in the files? */
#include "core/cleanup.h"
#include "core/storage.h"
#include "suites/replay/workload.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES 1024 /* of each stream: --verify sample */

/* The writes of one stream, once more. */
struct looking {
    const struct replay *replay;
    struct replay_sums *sums;
    const char *path; /* of the file that is open; NULL: none */
    int fd;
    int64_t step, writes; /* each step-th of them is looked for */
};

static int open_file(struct looking *looking, const char *path)
{
    char now[2 * PATH_MAX];

    if (looking->path != NULL && strcmp(looking->path, path) == 0)
        return looking->fd;
    if (looking->fd >= 0)
        close(looking->fd);
    looking->path = path;
    looking->fd =
        pario_own_open(replay_path(looking->replay, path, now, sizeof(now)),
                       O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    return looking->fd;
}

/* The first word: a stamp, or what a later write had between its stamps. What
 * was there before, or lies behind the end of the file (zeros), is neither. */
static void look(struct looking *looking, const struct pario_place *place)
{
    const struct replay *replay = looking->replay;
    struct replay_sums *sums = looking->sums;
    uint64_t word = 0;
    int fd = open_file(looking, place->path);
    int code =
        fd < 0 ? fd : pario_pread_there(fd, &word, sizeof(word), place->offset);

    sums->checked += (int64_t)sizeof(word);
    if (code == 0 &&
        replay_word_fits(replay->key, replay_file_number(replay, place->path),
                         place->offset, le64toh(word), 1))
        return;
    if (sums->wrong == 0)
        snprintf(sums->wrong_place, sizeof(sums->wrong_place),
                 "%s at offset %lld: %s", place->path, (long long)place->offset,
                 code != 0 ? "it cannot be read"
                           : "not what was written there");
    sums->wrong += (int64_t)sizeof(word);
}

/* Threads share pointers: then nobody knows where one of them wrote. */
static int can_look(const struct looking *looking,
                    const struct pario_event *event,
                    const struct pario_place *place)
{
    const struct replay *replay = looking->replay;
    const struct replay_plan *plan = replay->plan;
    size_t number = replay_plan_number(plan, place->path);

    return replay->nstreams == 1 && number < plan->count &&
           !plan->targets[number].irregular &&
           replay_plan_stays(
               &plan->targets[number], replay->process,
               replay_utc_ns(replay->trace, replay->process, event),
               pario_trace_sum(place->offset, place->bytes));
}

static int look_through(struct looking *looking, struct pario_cursor *cursor,
                        struct pario_places *places)
{
    struct pario_event event;
    struct pario_place place;
    int more;

    while ((more = pario_cursor_next(cursor, &event)) > 0) {
        int code = pario_places_next(places, &event, &place);

        if (code != 0)
            return code;
        if (pario_trace_op_table[event.op].data != PARIO_DATA_WRITE ||
            event.result < 0 || place.bytes == 0)
            continue;
        if (!can_look(looking, &event, &place))
            looking->sums->unread++;
        else if (looking->writes++ % looking->step == 0)
            look(looking, &place);
    }
    return more;
}

static int verify_stream(const struct replay *replay, size_t number,
                         int64_t writes, int full, struct replay_sums *sums)
{
    struct looking looking = {.replay = replay,
                              .sums = sums,
                              .fd = -1,
                              .step = full ? 1 : 1 + writes / SAMPLES};
    struct pario_cursor *cursor = NULL;
    struct pario_places_budget budget = pario_places_budget_of(replay->trace);
    struct pario_places *places = NULL;
    int code =
        pario_cursor_open(replay->trace, replay->process, number, &cursor);

    if (code == 0)
        code = pario_places_create(replay->trace, replay->process, &budget,
                                   &places);
    if (code == 0)
        code = look_through(&looking, cursor, places);
    if (looking.fd >= 0)
        close(looking.fd);
    pario_places_destroy(places);
    pario_cursor_close(cursor);
    return code;
}

int replay_workload_verify(const struct replay_workload *load, int full,
                           struct replay_sums *sums)
{
    int code = 0;

    if (fflush(NULL) != 0) /* streams that the program left open */
        return pario_fail_errno(-errno, "cannot write what was buffered");
    for (size_t u = 0; u < load->nunits && code == 0; u++) {
        const struct replay_unit *unit = &load->units[u];

        if (replay_mpi_is_busy(&unit->replay)) { /* who knows what is there */
            sums->unread++;
            continue;
        }
        for (size_t s = 0; s < unit->replay.nstreams && code == 0; s++)
            code = verify_stream(
                &unit->replay, s,
                unit->streams[s].sums.operations[PARIO_DATA_WRITE], full, sums);
    }
    return code;
}
