/* trace/writer.c - a trace made of calls that come from elsewhere. */
#include "trace/writer.h"
#include "trace/bytes.h"
#include "trace/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LIVES 64 /* half a MiB each */

/* A process; the block of calls that is being made is written and taken away
 * when others need the memory. */
struct member {
    struct pario_live *live;    /* NULL: none */
    uint64_t block, last, used; /* of the next one; used: when */
    char **strings;
    size_t nstrings;
    size_t *buckets; /* of strings: one more than the number */
    size_t nbuckets;
};

struct pario_trace_writer {
    FILE *out;
    struct member *members;
    size_t nmembers, nlives;
    uint64_t uses;
    uint8_t *block;
};

static int no_memory(void)
{
    return pario_fail_errno(-ENOMEM, "cannot make a trace");
}

static int put(struct pario_trace_writer *writer, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, writer->out) == len
               ? 0
               : pario_fail_errno(-EIO, "cannot write the trace");
}

static int put_chunk(struct pario_trace_writer *writer, size_t process,
                     uint32_t type, const void *contents, size_t len)
{
    uint8_t head[PARIO_CHUNK_HEAD];
    int code;

    pario_chunk_put(head, type, process + 1, contents, len);
    code = put(writer, head, sizeof(head));
    return code == 0 ? put(writer, contents, len) : code;
}

int pario_trace_writer_create(FILE *out, struct pario_trace_writer **writer_p)
{
    struct pario_trace_writer *writer = calloc(1, sizeof(*writer));
    uint8_t head[PARIO_TRACE_HEAD];
    int code;

    if (writer == NULL || (writer->block = malloc(PARIO_BLOCK_MAX)) == NULL) {
        free(writer);
        return no_memory();
    }
    writer->out = out;
    pario_trace_put_head(head);
    code = put(writer, head, sizeof(head));
    if (code == 0) {
        *writer_p = writer;
        return 0;
    }
    free(writer->block);
    free(writer);
    return code;
}

int pario_trace_writer_process(struct pario_trace_writer *writer,
                               const char *lines, size_t *process_p)
{
    size_t n = writer->nmembers;

    if ((n & (n - 1)) == 0) {
        struct member *members =
            realloc(writer->members, (n > 0 ? 2 * n : 1) * sizeof(*members));

        if (members == NULL)
            return no_memory();
        writer->members = members;
    }
    writer->members[n] = (struct member){0};
    writer->nmembers = n + 1;
    *process_p = n;
    return put_chunk(writer, n, PARIO_CHUNK_PROCESS, lines, strlen(lines));
}

static int put_string(struct pario_trace_writer *writer, size_t process,
                      size_t number, const char *text)
{
    size_t len = strlen(text);
    uint8_t *bytes = malloc(len + (size_t)2 * PARIO_VARINT_MAX), *at;
    int code;

    if (bytes == NULL)
        return no_memory();
    at = pario_put_uint(bytes, number);
    at = pario_put_uint(at, len);
    memcpy(at, text, len);
    code = put_chunk(writer, process, PARIO_CHUNK_STRINGS, bytes,
                     (size_t)(at - bytes) + len);
    free(bytes);
    return code;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash >> 20;
}

/* The bucket of a text: its string's, or an empty one. */
static size_t *find_bucket(const struct member *member, const char *text)
{
    size_t at = (size_t)hash_text(text) & (member->nbuckets - 1);

    while (member->buckets[at] != 0 &&
           strcmp(member->strings[member->buckets[at] - 1], text) != 0)
        at = (at + 1) & (member->nbuckets - 1);
    return &member->buckets[at];
}

/* Room for one more string. */
static int grow_strings(struct member *member)
{
    size_t n = member->nstrings;
    size_t room = member->nbuckets > 0 ? 2 * member->nbuckets : 16;
    char **strings;
    size_t *buckets;

    if (2 * (n + 1) <= member->nbuckets)
        return 0;
    strings = realloc(member->strings, room * sizeof(*strings));
    if (strings == NULL)
        return no_memory();
    member->strings = strings;
    buckets = calloc(room, sizeof(*buckets));
    if (buckets == NULL)
        return no_memory();
    free(member->buckets);
    member->buckets = buckets;
    member->nbuckets = room;
    for (size_t i = 0; i < n; i++)
        *find_bucket(member, strings[i]) = i + 1;
    return 0;
}

int pario_trace_writer_string(struct pario_trace_writer *writer, size_t process,
                              const char *text, int64_t *number_p)
{
    struct member *member = &writer->members[process];
    size_t *bucket;
    int code;

    *number_p = 0;
    if (text[0] == '\0')
        return 0;
    code = grow_strings(member);
    if (code != 0)
        return code;
    bucket = find_bucket(member, text);
    if (*bucket == 0) {
        member->strings[member->nstrings] = strdup(text);
        if (member->strings[member->nstrings] == NULL)
            return no_memory();
        *bucket = ++member->nstrings;
        code = put_string(writer, process, *bucket, text);
    }
    *number_p = (int64_t)*bucket;
    return code;
}

static int flush(struct pario_trace_writer *writer, size_t process)
{
    struct pario_live *live = writer->members[process].live;
    int code = 0;

    if (live != NULL && live->ncalls > 0)
        code = put_chunk(writer, process, PARIO_CHUNK_BLOCK, writer->block,
                         pario_live_encode(live, writer->block));
    if (live != NULL)
        pario_live_clear(live);
    return code;
}

/* The one that has not been used for longest gives its memory. */
static int take_live(struct pario_trace_writer *writer)
{
    struct member *oldest = NULL;
    int code;

    for (size_t i = 0; i < writer->nmembers; i++)
        if (writer->members[i].live != NULL &&
            (oldest == NULL || writer->members[i].used < oldest->used))
            oldest = &writer->members[i];
    if (oldest == NULL)
        return 0;
    code = flush(writer, (size_t)(oldest - writer->members));
    oldest->block = oldest->live->block;
    oldest->last = oldest->live->last;
    free(oldest->live);
    oldest->live = NULL;
    writer->nlives--;
    return code;
}

static int make_live(struct pario_trace_writer *writer, size_t process,
                     uint64_t begin_ns)
{
    struct member *member = &writer->members[process];
    int code = writer->nlives < MAX_LIVES ? 0 : take_live(writer);

    if (code != 0)
        return code;
    member->live = calloc(1, sizeof(*member->live));
    if (member->live == NULL)
        return no_memory();
    writer->nlives++;
    pario_live_init(member->live, process + 1, 0, 0, 1.0);
    member->live->block = member->block;
    member->live->start = member->live->last =
        member->block > 0 ? member->last : begin_ns;
    return 0;
}

int pario_trace_writer_add(struct pario_trace_writer *writer, size_t process,
                           const struct pario_call *call, uint64_t begin_ns,
                           uint64_t end_ns)
{
    struct member *member = &writer->members[process];
    int code = member->live != NULL ? 0 : make_live(writer, process, begin_ns);

    if (code != 0)
        return code;
    member->used = ++writer->uses;
    return pario_live_add(member->live, call, begin_ns, end_ns)
               ? flush(writer, process)
               : 0;
}

int pario_trace_writer_finish(struct pario_trace_writer *writer)
{
    int code = 0;

    for (size_t i = 0; i < writer->nmembers; i++) {
        if (code == 0)
            code = flush(writer, i);
        if (code == 0)
            code = put_chunk(writer, i, PARIO_CHUNK_END, "ended\n", 6);
        for (size_t k = 0; k < writer->members[i].nstrings; k++)
            free(writer->members[i].strings[k]);
        free(writer->members[i].strings);
        free(writer->members[i].buckets);
        free(writer->members[i].live);
    }
    if (code == 0 && fflush(writer->out) != 0)
        code = pario_fail_errno(-errno, "cannot write the trace");
    free(writer->members);
    free(writer->block);
    free(writer);
    return code;
}
