/* stats.c - counting, and telling at close. */
#include "stats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "means.h"
#include "prefetch.h"
#include "text.h"

#define STREAM_BYTES 65536 /* more than the statistics of a file */

/* One row for each counter: the name in JSON and the words in text. */
static const struct {
    const char *key;
    const char *words;
} counters[SHIPIO_N_COUNTERS] = {
    [SHIPIO_N_CALLS] = {"calls", "data access calls"},
    [SHIPIO_N_COLLECTIVE] = {"collective_calls", "of these collective"},
    [SHIPIO_N_BYTES_WRITTEN] = {"bytes_written", "bytes written"},
    [SHIPIO_N_BYTES_READ] = {"bytes_read", "bytes read"},
    [SHIPIO_N_REQUESTS] = {"requests", "requests before combining"},
    [SHIPIO_N_FILE_REQUESTS] = {"file_requests", "requests after combining"},
    [SHIPIO_N_FILE_BYTES] = {"file_bytes", "bytes moved to or from the file"},
    [SHIPIO_N_MESSAGES] = {"messages", "messages"},
    [SHIPIO_N_BYTES_SHIPPED] = {"bytes_shipped", "bytes shipped"},
    [SHIPIO_N_MODE_SHIP] = {"accesses_shipped", "accesses shipped"},
    [SHIPIO_N_MODE_DIRECT] = {"accesses_direct", "accesses direct"},
    [SHIPIO_N_MODE_MAPPED] = {"accesses_mapped", "accesses mapped"},
    [SHIPIO_N_MODE_DELAYED] = {"accesses_delayed", "accesses delayed"},
    [SHIPIO_N_MODE_AGENT] = {"accesses_by_agent",
                             "noncollective accesses shipped"},
    [SHIPIO_N_RANGES_PREFETCHED] = {"ranges_prefetched", "ranges prefetched"},
    [SHIPIO_N_RANGES_RELEASED] = {"ranges_released", "ranges released"},
    [SHIPIO_N_ROUNDS] = {"rounds", "rounds between nodes"},
    [SHIPIO_N_LISTS] = {"lists", "lists of pieces sent"},
    [SHIPIO_N_LEADERS] = {"leaders", "ranks that may send to other nodes"},
    [SHIPIO_N_BYTES_SENT] = {"bytes_sent", "bytes sent to other nodes"},
    [SHIPIO_N_BYTES_COPIED] = {"bytes_copied", "bytes copied between nodes"},
};

static const struct {
    const char *key;
    const char *words;
} timers[SHIPIO_T_TIMERS] = {
    [SHIPIO_T_EXCHANGE] = {"exchange_seconds", "seconds in exchange"},
    [SHIPIO_T_FILE] = {"file_seconds", "seconds in file access"},
    [SHIPIO_T_WAIT] = {"wait_seconds", "seconds waiting"},
};

double shipio_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double shipio_stats_now(const struct shipio_stats *stats)
{
    return stats->timed ? shipio_clock() : 0;
}

void shipio_stats_since(struct shipio_stats *stats, enum shipio_timer timer,
                        double start)
{
    double elapsed_s;

    if (!stats->timed)
        return;
    elapsed_s = shipio_stats_now(stats) - start;
    shipio_stats_add(stats, &stats->nanoseconds[timer],
                     (int64_t)(1e9 * elapsed_s));
}

static const char *setting(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0 ? text
                                                                     : NULL;
}

bool shipio_stats_wanted(void)
{
    return setting("SHIPIO_STATS") != NULL ||
           setting("SHIPIO_STATS_JSON") != NULL;
}

/* Does it hold statistics, or nothing yet? A device takes what comes. */
static bool takes_stats(int fd)
{
    static const char *const begins[] = {"shipio: ",
                                         "{\"schema\":\"shipio-stats/"};
    char text[32] = "";
    struct stat st;

    if (fstat(fd, &st) != 0)
        return false;
    if (S_ISCHR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size == 0))
        return true;
    if (!S_ISREG(st.st_mode) || pread(fd, text, sizeof(text) - 1, 0) <= 0)
        return false;
    return strncmp(text, begins[0], strlen(begins[0])) == 0 ||
           strncmp(text, begins[1], strlen(begins[1])) == 0;
}

/* To append at once what is written until it is closed: to a file of
 * statistics or a new one, and through no symbolic link. NULL after a message.
 */
static FILE *open_stream(const char *path)
{
    int fd = open(path,
                  O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
                      O_NOCTTY | O_CLOEXEC,
                  0666);
    const char *why = fd < 0 ? strerror(errno) : NULL;
    char shown[PATH_MAX];
    FILE *stream = NULL;

    if (fd < 0 && errno == ELOOP)
        why = "it is a symbolic link, name the file itself";
    if (fd >= 0 && !takes_stats(fd))
        why = "it holds something else, and is kept";
    if (why == NULL)
        stream = fdopen(fd, "a");
    if (why == NULL && stream == NULL)
        why = strerror(errno);
    if (stream == NULL && fd >= 0)
        (void)close(fd);
    if (stream != NULL)
        (void)setvbuf(stream, NULL, _IOFBF, STREAM_BYTES);
    else
        fprintf(stderr, "shipio: cannot write statistics to %s: %s\n",
                shipio_text_tame(shown, sizeof(shown), path), why);
    return stream;
}

/* SHIPIO_STATS=1 goes to the error stream, anything else names a file. */
static FILE *text_stream(void)
{
    const char *where = setting("SHIPIO_STATS");

    if (where == NULL)
        return NULL;
    return strcmp(where, "1") == 0 ? stderr : open_stream(where);
}

static void close_stream(FILE *stream)
{
    if (stream != stderr)
        (void)fclose(stream);
}

/* What the program should know about how its file was treated. */
struct remarks {
    const char *mode;
    const char *agents;
    const char *exchange;
};

static struct remarks remarks_of(const struct shipio_file *file)
{
    static const char *const modes[] = {"auto", "ship", "direct"};
    struct remarks remarks = {.mode = modes[file->hints.mode]};

    if (file->handle.foreign)
        remarks.mode = "passed through";
    if (file->ship.agents_missing != NULL)
        remarks.agents = file->ship.agents_missing;
    else
        remarks.agents = "collective only";
    remarks.exchange = file->means->exchange->name;
    if (file->ship.window_failed)
        remarks.exchange = "none: no shared memory for buffers";
    return remarks;
}

static void print_text(const struct shipio_file *file,
                       const struct shipio_stats *sum)
{
    FILE *stream = text_stream();
    struct remarks remarks = remarks_of(file);
    char shown[PATH_MAX];

    if (stream == NULL)
        return;
    fprintf(stream,
            "shipio: %s\nshipio:   %d processes, %d nodes, %d agents (%s), "
            "mode %s, exchange by %s\n",
            shipio_text_tame(shown, sizeof(shown), file->path),
            file->team->size, file->team->nodes, file->ship.nagents,
            remarks.agents, remarks.mode, remarks.exchange);
    if (file->handle.reason != NULL)
        fprintf(stream, "shipio:   passed through: %s\n", file->handle.reason);
    for (int i = 0; i < SHIPIO_N_COUNTERS; i++)
        if (sum->count[i] != 0)
            fprintf(stream, "shipio:   %-32s %lld\n", counters[i].words,
                    (long long)sum->count[i]);
    for (int i = 0; i < SHIPIO_T_TIMERS; i++)
        fprintf(stream, "shipio:   %-32s %.6f\n", timers[i].words,
                1e-9 * (double)sum->nanoseconds[i]);
    close_stream(stream);
}

static void print_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text != '\0') {
        unsigned char c = (unsigned char)*text;
        int n = shipio_text_shown(text);

        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (n > 0)
            fprintf(stream, "%.*s", n, text);
        else /* a byte that is no UTF-8 has no other name */
            fprintf(stream, "\\u%04x", c < 0x80 ? c : 0xfffd);
        text += n > 0 ? n : 1;
    }
    fputc('"', stream);
}

/* One object on one line for each file that is closed. */
static void print_json(const struct shipio_file *file,
                       const struct shipio_stats *sum)
{
    const char *where = setting("SHIPIO_STATS_JSON");
    FILE *stream = where != NULL ? open_stream(where) : NULL;
    struct remarks remarks = remarks_of(file);

    if (stream == NULL)
        return;
    fprintf(stream, "{\"schema\":\"shipio-stats/1\",\"file\":");
    print_string(stream, file->path);
    fprintf(stream, ",\"processes\":%d,\"nodes\":%d,\"agents\":%d,\"mode\":",
            file->team->size, file->team->nodes, file->ship.nagents);
    print_string(stream, remarks.mode);
    if (file->handle.reason != NULL) {
        fprintf(stream, ",\"reason\":");
        print_string(stream, file->handle.reason);
    }
    fprintf(stream, ",\"agents_for\":");
    print_string(stream, remarks.agents);
    fprintf(stream, ",\"exchange\":");
    print_string(stream, remarks.exchange);
    fprintf(stream, ",\"prefetch_driver\":");
    print_string(stream, shipio_prefetch_name(file));
    for (int i = 0; i < SHIPIO_N_COUNTERS; i++)
        fprintf(stream, ",\"%s\":%lld", counters[i].key,
                (long long)sum->count[i]);
    for (int i = 0; i < SHIPIO_T_TIMERS; i++)
        fprintf(stream, ",\"%s\":%.9f", timers[i].key,
                1e-9 * (double)sum->nanoseconds[i]);
    fprintf(stream, "}\n");
    (void)fclose(stream);
}

void shipio_stats_print(struct shipio_file *file)
{
    struct shipio_stats sum = file->stats;

    if (!file->hints.stats)
        return;
    PMPI_Reduce(file->stats.count, sum.count, SHIPIO_N_COUNTERS, MPI_INT64_T,
                MPI_SUM, 0, file->comm);
    PMPI_Reduce(file->stats.nanoseconds, sum.nanoseconds, SHIPIO_T_TIMERS,
                MPI_INT64_T, MPI_SUM, 0, file->comm);
    if (file->team->rank != 0)
        return;
    print_text(file, &sum);
    print_json(file, &sum);
}

/* What could be counted happens in the MPI library. */
static void print_json_foreign(const char *path, const char *reason, int size)
{
    const char *where = setting("SHIPIO_STATS_JSON");
    FILE *stream = where != NULL ? open_stream(where) : NULL;

    if (stream == NULL)
        return;
    fprintf(stream, "{\"schema\":\"shipio-stats/1\",\"file\":");
    print_string(stream, path);
    fprintf(stream,
            ",\"processes\":%d,\"mode\":\"passed through\","
            "\"reason\":",
            size);
    print_string(stream, reason);
    fprintf(stream, "}\n");
    (void)fclose(stream);
}

void shipio_stats_print_foreign(MPI_Comm comm, const char *path,
                                const char *reason)
{
    char shown[PATH_MAX];
    FILE *stream;
    int rank = 0;
    int size = 1;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank != 0)
        return;
    stream = text_stream();
    if (stream != NULL) {
        fprintf(stream, "shipio: %s\nshipio:   passed through: %s\n",
                shipio_text_tame(shown, sizeof(shown), path), reason);
        close_stream(stream);
    }
    print_json_foreign(path, reason, size);
}
