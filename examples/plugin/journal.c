/* A sub-benchmark that moves data: each process appends records to a journal
 * of its own, every one of them durable before the next, as a database does.
 * Afterwards the journals are read back and checked.
 *
 *   cc -shared -fPIC $(pkg-config --cflags pario) -o journal.so journal.c
 *   pario -n 4 prio --plugin ./journal.so journal.prio /scratch/me
 */
#include <pario.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct journal {
    int64_t records, record_bytes;
};

static const struct journal defaults = {.records = 200, .record_bytes = 4096};

static const struct pario_plugin_keyword keywords[] = {
    {.name = "records",
     .type = PARIO_PLUGIN_INT,
     .offset = offsetof(struct journal, records),
     .min = 1,
     .max = 1e9,
     .help = "records of each process"},
    {.name = "record",
     .type = PARIO_PLUGIN_SIZE,
     .offset = offsetof(struct journal, record_bytes),
     .min = 8,
     .max = 1 << 26,
     .help = "size of a record"},
    {.name = NULL},
};

struct part {
    const struct pario_plugin_job *job;
    const struct journal *values;
    char path[4200];
    unsigned char *record;
    int fd;
};

/* Files of different processes hold different bytes. */
static unsigned number(const struct part *part)
{
    return (unsigned)pario_plugin_rank(part->job);
}

static int open_journal(void *arg)
{
    struct part *part = arg;

    part->fd = open(part->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (part->fd < 0)
        return pario_plugin_fail(-errno, "cannot make %s", part->path);
    return 0;
}

static int loop(void *arg, struct pario_plugin_meter *meter)
{
    struct part *part = arg;
    int64_t len = part->values->record_bytes, begin_ns;

    for (int64_t i = 0; i < part->values->records; i++) {
        pario_plugin_fill(part->job, number(part), i * len, part->record,
                          (size_t)len);
        begin_ns = pario_plugin_now_ns();
        errno = EIO; /* of a write that is short and says nothing more */
        if (pwrite(part->fd, part->record, (size_t)len, i * len) != len ||
            fdatasync(part->fd) != 0)
            return pario_plugin_fail(-errno, "cannot append to %s", part->path);
        pario_plugin_done(meter, 0, len, pario_plugin_now_ns() - begin_ns);
    }
    return 0;
}

static int close_journal(void *arg)
{
    struct part *part = arg;

    if (part->fd >= 0 && close(part->fd) != 0)
        return pario_plugin_fail(-errno, "cannot close %s", part->path);
    part->fd = -1;
    return 0;
}

static int verify(void *arg, struct pario_plugin_meter *meter)
{
    struct part *part = arg;
    int64_t len = part->values->record_bytes;
    int fd = open(part->path, O_RDONLY | O_CLOEXEC), code = 0;

    if (fd < 0)
        return pario_plugin_fail(-errno, "cannot open %s", part->path);
    for (int64_t i = 0; code == 0 && i < part->values->records; i++) {
        if (pread(fd, part->record, (size_t)len, i * len) != len)
            code = pario_plugin_fail(-EIO, "%s is too short", part->path);
        else
            pario_plugin_verify(meter, number(part), i * len, part->record,
                                (size_t)len);
    }
    close(fd);
    return code;
}

static int run(struct pario_plugin_job *job)
{
    struct part part = {.job = job, .values = pario_plugin_values(job)};
    struct pario_plugin_work work = {
        .size = sizeof(work),
        .path = part.path,
        .writing = 1,
        .open = open_journal,
        .loop = loop,
        .close = close_journal,
        .verify = verify,
    };
    int code = 0;

    part.fd = -1;
    snprintf(part.path, sizeof(part.path), "%s/journal.%d",
             pario_plugin_directory(job), pario_plugin_rank(job));
    part.record = malloc((size_t)part.values->record_bytes);
    if (part.record == NULL)
        code = pario_plugin_fail(-ENOMEM, "no room for a record");
    /* Also after an error: the others are waiting there. */
    code = pario_plugin_measure(job, code, &work, &part);
    unlink(part.path); /* the next repetition begins anew */
    free(part.record);
    return code;
}

extern const struct pario_plugin pario_plugin;
const struct pario_plugin pario_plugin = {
    .abi = PARIO_PLUGIN_ABI,
    .name = "journal",
    .summary = "appends records, each durable before the next",
    .keywords = keywords,
    .values_size = sizeof(struct journal),
    .defaults = &defaults,
    .run = run,
};
