/* trace/reader_index.c - the processes, strings and streams of a trace. */
#include "trace/bytes.h"
#include "trace/reader_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOLES ((uint64_t)1 << 20) /* strings that lost chunks had */

static int no_memory(const struct pario_trace *trace)
{
    return pario_fail_errno(-ENOMEM, "cannot read %s", trace->path);
}

static int by_process(const void *a, const void *b)
{
    const struct pario_trace_member *left = a, *right = b;
    const struct pario_trace_process *x = &left->facts, *y = &right->facts;

    if (x->id == y->id)
        return 0;
    return x->id < y->id ? -1 : 1;
}

static struct pario_trace_member *find_member(const struct pario_trace *trace,
                                              uint64_t id)
{
    struct pario_trace_member like = {.facts.id = id};

    return trace->nmembers == 0
               ? NULL
               : bsearch(&like, trace->members, trace->nmembers, sizeof(like),
                         by_process);
}

/* One member for each id that occurs, ordered by id. */
static int add_members(struct pario_trace *trace)
{
    size_t used = 0;

    for (size_t i = 0; i < trace->nparts; i++) {
        struct pario_trace_member *member;

        if (trace->parts[i].chunk.type == PARIO_CHUNK_JOB)
            continue;
        /* The chunks of a process mostly follow each other. */
        if (trace->nmembers > 0 &&
            trace->members[trace->nmembers - 1].facts.id ==
                trace->parts[i].chunk.process)
            continue;
        member = pario_trace_grow(&trace->members, &trace->nmembers,
                                  sizeof(*member));
        if (member == NULL)
            return no_memory(trace);
        member->facts.id = trace->parts[i].chunk.process;
        member->facts.rank = -1;
        member->facts.host = member->facts.program = "";
        member->facts.limits = "";
    }
    if (trace->nmembers == 0)
        return 0;
    qsort(trace->members, trace->nmembers, sizeof(trace->members[0]),
          by_process);
    for (size_t i = 0; i < trace->nmembers; i++)
        if (used == 0 ||
            trace->members[used - 1].facts.id != trace->members[i].facts.id)
            trace->members[used++] = trace->members[i];
    trace->nmembers = used;
    return 0;
}

static int64_t number(const char *lines, const char *key, int64_t fallback)
{
    char text[32];

    return pario_trace_line(lines, key, text, sizeof(text))
               ? strtoll(text, NULL, 10)
               : fallback;
}

/* A value of the lines, in text from *used on. */
static const char *keep(const char *lines, const char *key, char *text,
                        size_t len, size_t *used)
{
    const char *kept = text + *used;

    pario_trace_line(lines, key, text + *used, len - *used);
    *used += strlen(kept) + 1;
    return kept;
}

static int take_process(struct pario_trace *trace,
                        struct pario_trace_member *member, const char *lines)
{
    struct pario_trace_process *facts = &member->facts;
    size_t used = 0, len = strlen(lines) + 8;
    char *text = malloc(len);

    if (text == NULL)
        return no_memory(trace);
    free(member->text);
    member->text = text;
    facts->host = keep(lines, "host", text, len, &used);
    facts->program = keep(lines, "program", text, len, &used);
    facts->limits = keep(lines, "limits", text, len, &used);
    facts->rank = (int)number(lines, "rank", -1);
    facts->size = (int)number(lines, "size", 0);
    facts->pid = number(lines, "pid", 0);
    facts->clock_ns = number(lines, "clock_ns", 0);
    facts->utc_ns = number(lines, "utc_ns", 0);
    return 0;
}

static int take_strings(struct pario_trace *trace,
                        struct pario_trace_member *member,
                        const uint8_t *contents, size_t len)
{
    struct pario_bytes bytes = {contents, contents + len, 0};

    while (bytes.at < bytes.end && !bytes.bad) {
        uint64_t id = pario_get_uint(&bytes);
        size_t n = pario_get_count(&bytes);
        const uint8_t *text = pario_get_bytes(&bytes, n);
        uint64_t hole = id > member->nstrings ? id - member->nstrings : 0;

        /* They are numbered as they come; a hole is a lost chunk. */
        if (bytes.bad || hole > MAX_HOLES - trace->holes) {
            bytes.bad = 1;
            break;
        }
        trace->holes += hole;
        while (member->nstrings <= id)
            if (pario_trace_grow(&member->strings, &member->nstrings,
                                 sizeof(char *)) == NULL)
                return no_memory(trace);
        free(member->strings[id]);
        member->strings[id] = strndup((const char *)text, n);
        if (member->strings[id] == NULL)
            return no_memory(trace);
    }
    if (bytes.bad)
        pario_trace_note(trace, "strings are damaged");
    return 0;
}

static void take_lost(struct pario_trace_member *member, int64_t lost)
{
    if (lost > member->facts.lost_calls)
        member->facts.lost_calls = lost;
}

static int take_part(struct pario_trace *trace, size_t i)
{
    struct pario_trace_part *part = &trace->parts[i];
    struct pario_trace_member *member = find_member(trace, part->chunk.process);
    uint8_t *contents = NULL;
    size_t len = (size_t)part->chunk.len;
    struct pario_bytes bytes;
    int code = pario_trace_load(trace, part, &contents);

    if (code == PARIO_EFORMAT) {
        pario_trace_note(trace, "%s", pario_error_message());
        part->chunk.type = 0; /* is not there */
        return 0;
    }
    if (code != 0)
        return code;
    switch (part->chunk.type) {
    case PARIO_CHUNK_JOB:
        free(trace->job);
        trace->job = strndup((const char *)contents, len);
        break;
    case PARIO_CHUNK_PROCESS:
        code = take_process(trace, member, (const char *)contents);
        break;
    case PARIO_CHUNK_STRINGS:
        code = take_strings(trace, member, contents, len);
        break;
    case PARIO_CHUNK_BLOCK:
        bytes = (struct pario_bytes){contents, contents + len, 0};
        part->thread = pario_get_uint(&bytes);
        part->block = pario_get_uint(&bytes);
        (void)pario_get_uint(&bytes); /* when it began */
        take_lost(member, (int64_t)pario_get_uint(&bytes));
        break;
    case PARIO_CHUNK_END:
        member->facts.ended = 1;
        take_lost(member, number((const char *)contents, "lost_calls", 0));
        break;
    default: /* of a later program: nothing that this one needs */
        break;
    }
    free(contents);
    return code;
}

static const struct pario_trace *ordered; /* qsort takes no context */

/* Blocks by process, thread and number. */
static int by_block(const void *a, const void *b)
{
    const struct pario_trace_part *x, *y;
    size_t i, k;

    memcpy(&i, a, sizeof(i));
    memcpy(&k, b, sizeof(k));
    x = &ordered->parts[i];
    y = &ordered->parts[k];
    if (x->chunk.process != y->chunk.process)
        return x->chunk.process < y->chunk.process ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static int add_block(struct pario_trace *trace, size_t part)
{
    const struct pario_trace_part *block = &trace->parts[part];
    struct pario_trace_member *member =
        find_member(trace, block->chunk.process);
    size_t n = member->facts.nstreams;
    struct pario_trace_stream *stream = n > 0 ? &member->streams[n - 1] : NULL;
    size_t *added;

    if (stream == NULL || stream->thread != block->thread) {
        stream = pario_trace_grow(&member->streams, &member->facts.nstreams,
                                  sizeof(*stream));
        if (stream == NULL)
            return no_memory(trace);
        stream->thread = block->thread;
    }
    added = pario_trace_grow(&stream->parts, &stream->nparts, sizeof(*added));
    if (added == NULL)
        return no_memory(trace);
    *added = part;
    return 0;
}

/* The threads of each process and their blocks, each in order. */
static int add_streams(struct pario_trace *trace)
{
    size_t *blocks = calloc(trace->nparts + 1, sizeof(*blocks));
    size_t count = 0;
    int code = 0;

    if (blocks == NULL)
        return no_memory(trace);
    for (size_t i = 0; i < trace->nparts; i++)
        if (trace->parts[i].chunk.type == PARIO_CHUNK_BLOCK)
            blocks[count++] = i;
    ordered = trace;
    qsort(blocks, count, sizeof(*blocks), by_block);
    /* What was joined and not yet removed is there twice. */
    for (size_t i = 0; i < count && code == 0; i++)
        if (i == 0 || by_block(&blocks[i - 1], &blocks[i]) != 0)
            code = add_block(trace, blocks[i]);
    free(blocks);
    return code;
}

static int by_rank(const void *a, const void *b)
{
    const struct pario_trace_member *left = a, *right = b;
    const struct pario_trace_process *x = &left->facts, *y = &right->facts;
    unsigned int x_rank = (unsigned int)x->rank, y_rank = (unsigned int)y->rank;

    if (x_rank != y_rank)
        return x_rank < y_rank ? -1 : 1;
    if (x->utc_ns != y->utc_ns)
        return x->utc_ns < y->utc_ns ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Processes without any call say nothing: shells, launchers. */
static void drop_silent(struct pario_trace *trace)
{
    size_t used = 0;

    for (size_t i = 0; i < trace->nmembers; i++) {
        struct pario_trace_member *member = &trace->members[i];

        if (member->facts.nstreams > 0 || member->facts.rank >= 0) {
            trace->members[used++] = *member;
            continue;
        }
        free(member->text);
        for (size_t k = 0; k < member->nstrings; k++)
            free(member->strings[k]);
        free(member->strings);
        free(member->streams);
    }
    trace->nmembers = used;
}

static void say_what_is_missing(struct pario_trace *trace)
{
    size_t open = 0;
    int64_t lost = 0;

    for (size_t i = 0; i < trace->nmembers; i++) {
        const struct pario_trace_process *facts = &trace->members[i].facts;

        open += !facts->ended;
        lost += facts->lost_calls;
        if (facts->limits[0] != '\0')
            pario_trace_note(trace, "%s", facts->limits);
    }
    if (open > 0)
        pario_trace_note(trace,
                         "%zu of %zu processes did not end in order: their "
                         "last call may be missing",
                         open, trace->nmembers);
    if (lost > 0)
        pario_trace_note(trace,
                         "%lld calls are missing: no room to record them",
                         (long long)lost);
}

int pario_trace_index(struct pario_trace *trace)
{
    int code = add_members(trace);

    for (size_t i = 0; i < trace->nparts && code == 0; i++)
        code = take_part(trace, i);
    if (code == 0)
        code = add_streams(trace);
    if (code != 0)
        return code;
    drop_silent(trace);
    if (trace->nmembers > 0)
        qsort(trace->members, trace->nmembers, sizeof(trace->members[0]),
              by_rank);
    say_what_is_missing(trace);
    return 0;
}

size_t pario_trace_processes(const struct pario_trace *trace)
{
    return trace->nmembers;
}

const struct pario_trace_process *
pario_trace_process_of(const struct pario_trace *trace, size_t process)
{
    return &trace->members[process].facts;
}

const char *pario_trace_notes(const struct pario_trace *trace)
{
    return trace->notes != NULL ? trace->notes : "";
}

const char *pario_trace_job(const struct pario_trace *trace, const char *key)
{
    static _Thread_local char value[4096];

    return pario_trace_line(trace->job, key, value, sizeof(value)) ? value
                                                                   : NULL;
}

size_t pario_trace_strings(const struct pario_trace *trace, size_t process)
{
    return trace->members[process].nstrings;
}

const char *pario_trace_string(const struct pario_trace *trace, size_t process,
                               int64_t id)
{
    const struct pario_trace_member *member = &trace->members[process];

    if (id < 0 || (uint64_t)id >= member->nstrings ||
        member->strings[id] == NULL)
        return "";
    return member->strings[id];
}

const char *pario_trace_text(const struct pario_trace *trace, size_t process,
                             const struct pario_event *event,
                             enum pario_trace_arg arg)
{
    return pario_trace_string(trace, process, pario_trace_value(event, arg, 0));
}

int64_t pario_trace_value(const struct pario_event *event,
                          enum pario_trace_arg arg, int64_t fallback)
{
    int at = pario_trace_arg_find(event->op, arg);

    return at >= 0 ? event->args[at] : fallback;
}
