/* suites/replay/play.c - streams: order, time, files between threads, data. */
#include "suites/replay/play.h"
#include "core/clock.h"
#include "par/watchdog.h"
#include "suites/replay/prepare.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BUFFER ((int64_t)8 << 30)
#define MAX_SLOTS 65536
#define LEAST_WORK ((int64_t)1 << 20) /* for the datatypes of a stream */
#define LEAST_SEGMENTS ((size_t)1 << 13)
#define SLEEP_NS 60000 /* shorter waits are added up, and no sleep */

/* A trace may come from anybody: no path of it leads out of the directory. */
static void stay_below(char *path)
{
    for (char *up = strstr(path, "/.."); up != NULL; up = strstr(up + 1, "/.."))
        if (up[3] == '/' || up[3] == '\0')
            up[1] = up[2] = '_';
}

static char *put_below(const struct replay *replay, const char *directory,
                       const char *path, char *text, size_t len)
{
    size_t skip = strlen(replay->folder);

    /* A path that does not begin with the folder is the folder itself. */
    snprintf(text, len, "%s/%s", directory,
             strncmp(path, replay->folder, skip) == 0 ? path + skip : "");
    stay_below(text + strlen(directory));
    return text;
}

char *replay_path(const struct replay *replay, const char *path, char *text,
                  size_t len)
{
    return put_below(replay, replay->directory, path, text, len);
}

char *replay_name(const struct replay *replay, const char *path, char *text,
                  size_t len)
{
    return put_below(replay, replay->below, path, text, len);
}

uint64_t replay_file_number(const struct replay *replay, const char *path)
{
    return replay_plan_number(replay->plan, path) % REPLAY_FILES;
}

void replay_file_describe(const struct replay *replay, const char *path,
                          struct replay_file *file)
{
    file->data = (struct pario_data){.key = replay->key,
                                     .file = replay_file_number(replay, path)};
    file->checked = replay->check && replay_plan_is_regular(replay->plan, path);
}

static int is_open_call(enum pario_trace_op op)
{
    return op == PARIO_OP_open || op == PARIO_OP_fopen ||
           op == PARIO_OP_inherit || op == PARIO_OP_File_open;
}

static int is_close_call(enum pario_trace_op op)
{
    return op == PARIO_OP_close || op == PARIO_OP_fclose ||
           op == PARIO_OP_File_close;
}

/* An opening as it is found in the trace. */
struct opening {
    int64_t slot, begin_ns;
    size_t stream, order; /* in the stream */
};

struct openings {
    struct opening *items;
    size_t count;
};

static int add_opening(struct openings *all, int64_t slot, int64_t begin_ns,
                       size_t stream, size_t order)
{
    if ((all->count & (all->count - 1)) == 0) {
        struct opening *items = realloc(
            all->items, (all->count > 0 ? 2 * all->count : 1) * sizeof(*items));

        if (items == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read the trace");
        all->items = items;
    }
    all->items[all->count++] = (struct opening){slot, begin_ns, stream, order};
    return 0;
}

static int is_mpi(enum pario_trace_op op)
{
    return strncmp(pario_trace_op_table[op].name, "File_", 5) == 0 ||
           op == PARIO_OP_Wait || op == PARIO_OP_collective ||
           pario_trace_is_message(op);
}

/* The memory that a call's data takes, with all gaps. */
static int find_memory(struct replay *replay, const struct pario_event *event,
                       struct replay_memory *memory_p)
{
    int64_t len = pario_trace_value(event, PARIO_ARG_LENGTH, 0);
    int code = 0;

    *memory_p = (struct replay_memory){0, len};
    if (pario_trace_op_table[event->op].data == PARIO_DATA_NONE)
        *memory_p = (struct replay_memory){0, 0};
    else if (pario_trace_arg_find(event->op, PARIO_ARG_COUNT) >= 0)
        code = replay_mpi_memory(replay, event, memory_p);
    if (code == 0 && (memory_p->len < 0 || memory_p->len > MAX_BUFFER))
        code = pario_fail(PARIO_EFORMAT,
                          "%s of the trace needs %lld bytes of memory; a "
                          "replay has at most %lld",
                          pario_trace_op_table[event->op].name,
                          (long long)memory_p->len, (long long)MAX_BUFFER);
    return code;
}

/* What was wrong when it was recorded and has no place in memory is not made
 * again. */
static int scan_event(struct replay *replay, struct replay_stream *stream,
                      struct openings *openings,
                      const struct pario_event *event)
{
    struct replay_memory memory;
    int code = 0;

    if (stream->first_ns == 0)
        stream->first_ns = event->begin_ns;
    stream->last_ns = event->end_ns;
    stream->mpi |= is_mpi(event->op);
    if (is_open_call(event->op) && event->result == 0)
        code = add_opening(
            openings,
            PARIO_FILE_SLOT(pario_trace_value(event, PARIO_ARG_FILE, 0)),
            event->begin_ns, stream->number, stream->nopened++);
    if (code != 0)
        return code;
    code = find_memory(replay, event, &memory);
    if (code != 0)
        return event->result < 0 ? 0 : code;
    if ((size_t)memory.len > stream->room)
        stream->room = (size_t)memory.len;
    return 0;
}

static int scan_stream(struct replay *replay, struct replay_stream *stream,
                       struct openings *openings)
{
    struct pario_cursor *cursor = NULL;
    struct pario_event event;
    int more = pario_cursor_open(replay->trace, replay->process, stream->number,
                                 &cursor);

    if (more != 0)
        return more;
    while ((more = pario_cursor_next(cursor, &event)) > 0) {
        more = scan_event(replay, stream, openings, &event);
        if (more != 0)
            break;
    }
    pario_cursor_close(cursor);
    return more;
}

static int by_slot_and_time(const void *a, const void *b)
{
    const struct opening *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The first, second ... opening of each slot, as the recorder counted them. */
static int number_openings(struct replay *replay, struct replay_stream *streams,
                           struct openings *all)
{
    int64_t last_slot = -1, opening = 0;

    replay->files = calloc(all->count + 1, sizeof(struct replay_file *));
    for (size_t s = 0; s < replay->nstreams; s++) {
        streams[s].opened = calloc(streams[s].nopened + 1, sizeof(int64_t));
        if (streams[s].opened == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read the trace");
    }
    if (replay->files == NULL)
        return pario_fail_errno(-ENOMEM, "cannot read the trace");
    if (all->count > 0)
        qsort(all->items, all->count, sizeof(all->items[0]), by_slot_and_time);
    for (size_t i = 0; i < all->count; i++) {
        const struct opening *item = &all->items[i];
        struct replay_file *file = calloc(1, sizeof(*file));

        if (file == NULL)
            return pario_fail_errno(-ENOMEM, "cannot read the trace");
        opening = item->slot == last_slot ? opening + 1 : 1;
        last_slot = item->slot;
        file->slot = item->slot;
        file->opening = opening;
        file->fd = -1;
        replay->files[replay->nfiles++] = file;
        streams[item->stream].opened[item->order] = (int64_t)i;
    }
    return 0;
}

/* Sorted by slot and opening. */
static struct replay_file *find_opening(const struct replay *replay,
                                        int64_t slot, int64_t opening)
{
    size_t low = 0, high = replay->nfiles;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct replay_file *file = replay->files[middle];

        if (file->slot == slot && file->opening == opening)
            return replay->files[middle];
        if (file->slot < slot ||
            (file->slot == slot && file->opening < opening))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static struct replay_file **own_file(struct replay_stream *stream, int64_t slot)
{
    if (slot < 0 || slot >= MAX_SLOTS)
        return NULL;
    if ((size_t)slot >= stream->nown) {
        struct replay_file **own = realloc(
            stream->own, ((size_t)slot + 1) * sizeof(struct replay_file *));

        if (own == NULL)
            return NULL;
        memset(own + stream->nown, 0,
               ((size_t)slot + 1 - stream->nown) *
                   sizeof(struct replay_file *));
        stream->own = own;
        stream->nown = (size_t)slot + 1;
    }
    return &stream->own[slot];
}

/* The file that a call is about; for an open call the next one of the stream.
 * NULL: a call that has none, or whose opening is not in the trace. */
static struct replay_file *file_of(struct replay_stream *stream,
                                   const struct pario_event *event)
{
    int64_t arg = pario_trace_value(event, PARIO_ARG_FILE, -1);
    struct replay_file **own;

    if (arg < 0)
        return NULL;
    if (is_open_call(event->op)) {
        own = own_file(stream, PARIO_FILE_SLOT(arg));
        if (event->result != 0 || own == NULL ||
            stream->next_opened >= stream->nopened)
            return NULL;
        *own = stream->replay->files[stream->opened[stream->next_opened++]];
        return *own;
    }
    if (PARIO_FILE_OPENING(arg) > 0)
        return find_opening(stream->replay, PARIO_FILE_SLOT(arg),
                            PARIO_FILE_OPENING(arg));
    own = own_file(stream, PARIO_FILE_SLOT(arg));
    return own != NULL ? *own : NULL;
}

/* How often each opening is used, for processes of several streams. */
static int count_uses(struct replay *replay, struct replay_stream *streams)
{
    for (size_t s = 0; s < replay->nstreams; s++) {
        struct pario_cursor *cursor = NULL;
        struct pario_event event;
        int more =
            pario_cursor_open(replay->trace, replay->process, s, &cursor);

        if (more != 0)
            return more;
        while ((more = pario_cursor_next(cursor, &event)) > 0) {
            struct replay_file *file = file_of(&streams[s], &event);

            if (file != NULL)
                file->uses++;
        }
        pario_cursor_close(cursor);
        streams[s].next_opened = 0;
        if (more != 0)
            return more;
        if (streams[s].own != NULL)
            memset(streams[s].own, 0,
                   streams[s].nown * sizeof(struct replay_file *));
    }
    return 0;
}

struct pario_places_budget replay_budget_of(const struct pario_trace *trace)
{
    struct pario_places_budget budget = pario_places_budget_of(trace);
    size_t nprocesses = pario_trace_processes(trace);

    budget.work /= (int64_t)nprocesses;
    budget.segments /= nprocesses;
    if (budget.work < LEAST_WORK)
        budget.work = LEAST_WORK;
    if (budget.segments < LEAST_SEGMENTS)
        budget.segments = LEAST_SEGMENTS;
    return budget;
}

static int stream_init(struct replay_stream *stream)
{
    struct replay *replay = stream->replay;
    struct pario_data base = {.key = replay->key, .file = REPLAY_BASE};
    int code = pario_cursor_open(replay->trace, replay->process, stream->number,
                                 &stream->cursor);

    stream->budget = replay_budget_of(replay->trace);
    if (code == 0)
        code = pario_places_create(replay->trace, replay->process,
                                   &stream->budget, &stream->places);
    if (code != 0)
        return code;
    /* Aligned, also for O_DIRECT. */
    stream->room = (stream->room + 8191) / 4096 * 4096;
    for (int i = 0; i < 2; i++) {
        void *buffer = NULL;

        if (posix_memalign(&buffer, 4096, stream->room) != 0)
            return pario_fail_errno(-ENOMEM, "cannot have %zu bytes of memory",
                                    stream->room);
        stream->buffers[i] = buffer;
    }
    pario_data_fill(&base, 0, stream->buffers[0], stream->room);
    return 0;
}

int replay_init(struct replay *replay, struct replay_stream *streams)
{
    struct openings openings = {0};
    int code;

    pthread_mutex_init(&replay->lock, NULL);
    pthread_cond_init(&replay->changed, NULL);
    replay->nstrings = pario_trace_strings(replay->trace, replay->process);
    code = replay_mpi_init(replay);
    for (size_t s = 0; s < replay->nstreams && code == 0; s++) {
        streams[s].replay = replay;
        streams[s].number = s;
        code = scan_stream(replay, &streams[s], &openings);
    }
    if (code == 0)
        code = number_openings(replay, streams, &openings);
    free(openings.items);
    if (code == 0 && replay->nstreams > 1)
        code = count_uses(replay, streams);
    for (size_t s = 0; s < replay->nstreams && code == 0; s++)
        code = stream_init(&streams[s]);
    return code;
}

void replay_fini(struct replay *replay, struct replay_stream *streams)
{
    int busy = replay_mpi_is_busy(replay);

    for (size_t s = 0; s < replay->nstreams; s++) {
        pario_cursor_close(streams[s].cursor);
        pario_places_destroy(streams[s].places);
        free(streams[s].own);
        free(streams[s].opened);
        for (int i = 0; i < 2 && !busy; i++)
            free(streams[s].buffers[i]);
    }
    for (size_t i = 0; i < replay->nfiles; i++) {
        if (replay->files[i]->through != NULL) /* left open by the program */
            (void)replay->through->close(replay->files[i]->through);
        (void)replay_posix_close(replay->files[i]);
        free(replay->files[i]);
    }
    free(replay->files);
    replay_mpi_fini(replay);
    pthread_mutex_destroy(&replay->lock);
    pthread_cond_destroy(&replay->changed);
}

/* A file that another thread opens, or still uses. */
static int wait_for(struct replay *replay, const struct replay_file *file,
                    int closing)
{
    int stopped;

    pthread_mutex_lock(&replay->lock);
    while (!replay->stop &&
           (closing ? file->done < file->uses - 1 : !file->is_open))
        pthread_cond_wait(&replay->changed, &replay->lock);
    stopped = replay->stop;
    pthread_mutex_unlock(&replay->lock);
    return stopped ? PARIO_EINTR : 0;
}

static void note_use(struct replay *replay, struct replay_file *file,
                     enum pario_trace_op op)
{
    pthread_mutex_lock(&replay->lock);
    file->done++;
    if (is_open_call(op))
        file->is_open = 1;
    pthread_cond_broadcast(&replay->changed);
    pthread_mutex_unlock(&replay->lock);
}

/* Sleeps, and looks at the clock for the end of it: a thread is woken late, and
 * the other processes would wait for that, too. */
static void pay(struct replay_stream *stream)
{
    int64_t begin_ns = pario_clock_ns(), now_ns = begin_ns;
    int64_t sleep_ns = stream->debt_ns - SLEEP_NS;
    struct timespec time = {.tv_sec = sleep_ns / 1000000000,
                            .tv_nsec = sleep_ns % 1000000000};

    while (sleep_ns > 0 && nanosleep(&time, &time) != 0 && errno == EINTR)
        continue; /* a signal: the rest of it */
    while (now_ns - begin_ns < stream->debt_ns)
        now_ns = pario_clock_ns();
    stream->debt_ns -= now_ns - begin_ns;
}

/* The program computed in between, or was in calls of MPI that are not
 * replayed: both take as long as they did, and what the replay did meanwhile is
 * a part of it, such as waiting for a thread. What it waited for others in
 * collective calls and receives it waits for again. */
static void sleep_between(struct replay_stream *stream,
                          const struct pario_event *event, int64_t last_end_ns)
{
    int64_t gap = event->begin_ns - last_end_ns;
    int64_t owed = gap <= 0 ? 0
                            : (int64_t)((double)gap * stream->replay->scale) -
                                  (pario_clock_ns() - stream->done_ns);

    if (owed > 0)
        stream->debt_ns += owed;
    /* Others may wait for a call of MPI. */
    if (stream->debt_ns > SLEEP_NS ||
        (stream->debt_ns > 0 && is_mpi(event->op)))
        pay(stream);
}

/* The buffer holds no stamps of calls before. */
static void clear_stamps(struct replay_stream *stream)
{
    struct pario_data base = {.key = stream->replay->key, .file = REPLAY_BASE};

    pario_data_stamp(&base, 0, stream->buffer, stream->stamped);
    stream->stamped = 0;
}

/* Before a write: words that say where they belong, and that none of the
 * stream's last writes had. What lies in pieces, or anywhere, has at most one:
 * a device that finds duplicates may write less of it. */
static void stamp(struct replay_stream *stream, const struct replay_file *file,
                  const struct pario_place *place)
{
    struct pario_data stamps =
        pario_data_of_pass(&file->data, REPLAY_FILES,
                           1 + stream->nstamped++ % (REPLAY_PASSES - 1));
    int whole = place->piece >= place->bytes;
    int exact = place->offset >= 0 && place->offset % 8 == 0;
    size_t len = whole ? (size_t)place->bytes : 8;

    if (!exact || !whole || place->bytes < 8) {
        clear_stamps(stream);
        stream->sums.unstamped++;
    }
    if (!exact || place->piece < 8 || len > stream->room)
        return;
    pario_data_stamp(&stamps, place->offset, stream->buffer, len);
    stream->stamped = len > stream->stamped ? len : stream->stamped;
}

/* file NULL: the library has its memory to itself for a while. */
static void prepare_write(struct replay_stream *stream,
                          const struct replay_file *file,
                          const struct pario_place *place)
{
    if (file != NULL && file->checked) {
        stamp(stream, file, place);
        return;
    }
    clear_stamps(stream);
    stream->sums.unstamped++;
}

static void note_read(struct replay_stream *stream, struct replay_file *file,
                      const struct pario_place *place)
{
    int64_t next = __atomic_exchange_n(
        &file->next_read, place->offset + place->bytes, __ATOMIC_RELAXED);

    stream->sums.jumps += place->offset >= 0 && place->offset != next;
}

int replay_word_fits(uint64_t key, uint64_t file, int64_t offset, uint64_t word,
                     int64_t least)
{
    uint64_t number;
    int64_t belongs;

    if (!pario_data_locate(key, REPLAY_BASE + 1, word, &number, &belongs))
        return 0;
    return number == REPLAY_BASE ||
           (number % REPLAY_FILES == file && belongs == offset &&
            (int64_t)(number / REPLAY_FILES) >= least);
}

/* A word of another place of any file is wrong; one that is between stamps, or
 * was never written, cannot be known. */
static void check(struct replay_stream *stream, const struct replay_file *file,
                  const struct pario_place *place)
{
    uint64_t word;

    if (place->offset < 0 || place->offset % 8 != 0 || place->piece < 8)
        return;
    stream->sums.checked += 8;
    memcpy(&word, stream->buffer, 8);
    word = le64toh(word);
    if (word == 0 || replay_word_fits(stream->replay->key, file->data.file,
                                      place->offset, word, 0))
        return;
    if (stream->sums.wrong == 0)
        snprintf(stream->sums.wrong_place, sizeof(stream->sums.wrong_place),
                 "%s at offset %lld: not the bytes that belong there",
                 place->path, (long long)place->offset);
    stream->sums.wrong += 8;
}

static void compare(struct replay_stream *stream,
                    const struct pario_event *event, int64_t result)
{
    struct replay_sums *sums = &stream->sums;

    if (result == event->result)
        return;
    if (sums->otherwise == 0)
        snprintf(sums->first_otherwise, sizeof(sums->first_otherwise),
                 "%s number %lld: result %lld, recorded %lld",
                 pario_trace_op_table[event->op].name, (long long)sums->calls,
                 (long long)result, (long long)event->result);
    sums->otherwise++;
}

/* The interface that made it, or the one that is wanted. */
static int make_by_interface(struct replay_stream *stream,
                             const struct pario_event *event,
                             const struct pario_place *place,
                             struct replay_file *file, int64_t *result_p)
{
    if (replay_through_has(stream->replay, event, file))
        return replay_through(stream, event, place, file, result_p);
    return is_mpi(event->op)
               ? replay_mpi(stream, event, place, file, result_p)
               : replay_posix(stream, event, place, file, result_p);
}

static int make_call(struct replay_stream *stream,
                     const struct pario_event *event,
                     const struct pario_place *place, struct replay_file *file)
{
    const struct pario_trace_op_facts *facts = &pario_trace_op_table[event->op];
    struct replay_sums *sums = &stream->sums;
    int64_t result = 0, begin_ns, end_ns;
    int nonblocking = pario_trace_arg_find(event->op, PARIO_ARG_REQUEST) >= 0;
    int code = find_memory(stream->replay, event, &stream->memory);

    sums->calls++;
    if (code != 0 || (size_t)stream->memory.len > stream->room)
        return event->result < 0 ? 0 : code; /* a mistake, not made again */
    stream->buffer = stream->buffers[facts->data == PARIO_DATA_READ];
    if (facts->data == PARIO_DATA_WRITE)
        prepare_write(stream, nonblocking ? NULL : file, place);
    begin_ns = pario_clock_ns();
    code = make_by_interface(stream, event, place, file, &result);
    end_ns = pario_clock_ns();
    if (code != 0)
        return code;
    sums->operations[facts->data]++;
    if (facts->data != PARIO_DATA_NONE) {
        pario_hist_add(&sums->latency, end_ns - begin_ns);
        sums->bytes[facts->data] += result > 0    ? result - 1
                                    : result == 0 ? place->bytes
                                                  : 0;
    }
    if (facts->data == PARIO_DATA_READ && file != NULL)
        note_read(stream, file, place);
    if (facts->data == PARIO_DATA_READ && result == 0 && file != NULL &&
        !nonblocking && file->checked && strstr(facts->name, "_begin") == NULL)
        check(stream, file, place);
    compare(stream, event, result);
    return 0;
}

/* The lock is held, or nothing runs yet. */
static void find_first_end(struct replay *replay,
                           const struct replay_stream *streams)
{
    replay->first_end_ns = INT64_MAX;
    for (size_t s = 0; s < replay->nstreams; s++)
        if (!streams[s].finished && streams[s].last_ns < replay->first_end_ns)
            replay->first_end_ns = streams[s].last_ns;
}

/* The lock is held. Is a stream still under way that was over when this call
 * began? */
static int is_too_early(const struct replay_stream *stream, int64_t begin_ns)
{
    int64_t first_end_ns = stream->replay->first_end_ns;

    return first_end_ns <= begin_ns && first_end_ns < stream->last_ns;
}

/* What came after the end of a thread comes after it again: a thread that was
 * started later, or the one that waited for it. */
static void wait_for_ended(struct replay_stream *stream, int64_t begin_ns)
{
    struct replay *replay = stream->replay;

    pthread_mutex_lock(&replay->lock);
    while (!replay->stop && is_too_early(stream, begin_ns))
        pthread_cond_wait(&replay->changed, &replay->lock);
    pthread_mutex_unlock(&replay->lock);
}

static int play(struct replay_stream *stream)
{
    struct replay *replay = stream->replay;
    struct pario_event event;
    struct pario_place place;
    int64_t last_end_ns = -1;
    int threads = replay->nstreams > 1, more;

    while ((more = pario_cursor_next(stream->cursor, &event)) > 0) {
        struct replay_file *file = file_of(stream, &event);
        int code = pario_places_next(stream->places, &event, &place);

        if (threads)
            wait_for_ended(stream, event.begin_ns);
        if (__atomic_load_n(&replay->stop, __ATOMIC_RELAXED))
            return 0;
        if (code == 0 && file != NULL && threads && !is_open_call(event.op))
            code = wait_for(replay, file, is_close_call(event.op));
        if (code == PARIO_EINTR)
            return 0;
        if (code == 0 && replay->scale > 0 && last_end_ns >= 0)
            sleep_between(stream, &event, last_end_ns);
        last_end_ns = event.end_ns;
        pario_position_at(stream->sums.calls);
        if (code == 0)
            code = make_call(stream, &event, &place, file);
        if (code != 0)
            return code;
        if (replay->scale > 0)
            stream->done_ns = pario_clock_ns();
        if (file != NULL && threads)
            note_use(replay, file, event.op);
    }
    return more;
}

static void *play_thread(void *argument)
{
    struct replay_stream *stream = argument;
    struct replay *replay = stream->replay;

    stream->code = play(stream);
    if (stream->code != 0)
        snprintf(stream->message, sizeof(stream->message), "%s",
                 pario_error_message());
    pthread_mutex_lock(&replay->lock);
    stream->finished = 1;
    find_first_end(replay, stream - stream->number);
    replay->stop |= stream->code != 0;
    pthread_cond_broadcast(&replay->changed);
    pthread_mutex_unlock(&replay->lock);
    return NULL;
}

/* Where only one stream calls MPI, it does so in the thread that MPI knows. */
static size_t find_first(const struct replay *replay,
                         const struct replay_stream *streams)
{
    for (size_t s = 0; s < replay->nstreams; s++)
        if (streams[s].mpi)
            return s;
    return 0;
}

int replay_run(struct replay *replay, struct replay_stream *streams)
{
    size_t started = 0, here = find_first(replay, streams);
    pthread_t *threads = calloc(replay->nstreams + 1, sizeof(*threads));
    int code = 0;

    if (threads == NULL)
        return pario_fail_errno(-ENOMEM, "cannot replay");
    find_first_end(replay, streams);
    for (; started < replay->nstreams && code == 0; started += code == 0)
        if (started != here)
            code = -pthread_create(&threads[started], NULL, play_thread,
                                   &streams[started]);
    if (code != 0) {
        pthread_mutex_lock(&replay->lock);
        replay->stop = 1;
        pthread_cond_broadcast(&replay->changed);
        pthread_mutex_unlock(&replay->lock);
    } else if (replay->nstreams > 0) {
        play_thread(&streams[here]);
    }
    for (size_t s = 0; s < started; s++)
        if (s != here)
            pthread_join(threads[s], NULL);
    free(threads);
    if (code != 0)
        return pario_fail_errno(code, "cannot start a thread");
    for (size_t s = 0; s < replay->nstreams; s++)
        if (streams[s].code != 0)
            return pario_fail(streams[s].code, "%s", streams[s].message);
    return 0;
}
