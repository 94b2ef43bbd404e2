/* suites/honesty/worker.c - one case inside the job. Each rank writes what it
 * does and what it gets to a file of its own, so that the driver knows it
 * also when the job hangs. */
#include "core/cleanup.h"
#include "suites/honesty/honesty.h"

#include "par/mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct worker {
    struct honesty_case sized;
    const struct honesty_case *kase; /* sized */
    int rank, size;
    int report; /* file descriptor */
    struct pario_data data;
    char path[4096];
    char *buffer;
    MPI_File file;
};

static int alarm_fd = -1;

static void on_alarm(int signo)
{
    (void)signo;
    (void)!write(alarm_fd, "alarm\n", 6);
    _exit(1);
}

/* "WORD NUMBER TEXT" in one write, so that it is there when the job dies. */
static void say(const struct worker *worker, const char *word, int64_t number,
                const char *text)
{
    char line[128];
    int len = snprintf(line, sizeof(line), "%s %lld %s\n", word,
                       (long long)number, text);

    (void)!write(worker->report, line, (size_t)len);
}

static const struct {
    int class;
    const char *name;
} classes[] = {
    {MPI_ERR_IO, "MPI_ERR_IO"},
    {MPI_ERR_NO_SPACE, "MPI_ERR_NO_SPACE"},
    {MPI_ERR_QUOTA, "MPI_ERR_QUOTA"},
    {MPI_ERR_ACCESS, "MPI_ERR_ACCESS"},
    {MPI_ERR_READ_ONLY, "MPI_ERR_READ_ONLY"},
    {MPI_ERR_NO_SUCH_FILE, "MPI_ERR_NO_SUCH_FILE"},
    {MPI_ERR_FILE, "MPI_ERR_FILE"},
    {MPI_ERR_OTHER, "MPI_ERR_OTHER"},
    {MPI_ERR_INTERN, "MPI_ERR_INTERN"},
    {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
};

static const char *class_name(int err)
{
    int class = err;

    if (err == MPI_SUCCESS)
        return "-";
    MPI_Error_class(err, &class);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].class == class)
            return classes[i].name;
    return "another_class";
}

static void begin(const struct worker *worker, int step)
{
    say(worker, "begin", step, "");
}

static void end(const struct worker *worker, int step, int err)
{
    say(worker, "end", step, class_name(err));
}

static int set_view(struct worker *worker)
{
    MPI_Datatype block = MPI_DATATYPE_NULL, view = MPI_DATATYPE_NULL;
    int err;

    if (!honesty_is_collective(worker->kase->call))
        return MPI_SUCCESS;
    MPI_Type_contiguous(HONESTY_BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)HONESTY_BLOCK * worker->size,
                            &view);
    MPI_Type_commit(&view);
    err = MPI_File_set_view(worker->file,
                            (MPI_Offset)worker->rank * HONESTY_BLOCK, MPI_BYTE,
                            view, "native", MPI_INFO_NULL);
    MPI_Type_free(&view);
    MPI_Type_free(&block);
    return err;
}

static int do_access(struct worker *worker, MPI_Status *status)
{
    const struct honesty_case *kase = worker->kase;
    int len = (int)honesty_rank_bytes(kase);
    MPI_Offset at = worker->rank * honesty_rank_bytes(kase);

    switch (kase->call) {
    case HONESTY_WRITE_AT:
        return MPI_File_write_at(worker->file, at, worker->buffer, len,
                                 MPI_BYTE, status);
    case HONESTY_READ_ALL:
        return MPI_File_read_all(worker->file, worker->buffer, len, MPI_BYTE,
                                 status);
    case HONESTY_READ_AT:
        return MPI_File_read_at(worker->file, at, worker->buffer, len, MPI_BYTE,
                                status);
    case HONESTY_WRITE_ALL:
    case HONESTY_SYNC:
        break;
    }
    return MPI_File_write_all(worker->file, worker->buffer, len, MPI_BYTE,
                              status);
}

static void fill(struct worker *worker)
{
    for (int64_t i = 0; i < honesty_rank_bytes(worker->kase);
         i += HONESTY_BLOCK)
        pario_data_fill(
            &worker->data,
            honesty_offset(worker->kase, worker->rank, worker->size, i),
            worker->buffer + i, HONESTY_BLOCK);
}

/* Wrong bytes in what the library says it has read. */
static int64_t wrong_bytes(const struct worker *worker, int64_t count)
{
    int64_t wrong = 0;

    for (int64_t i = 0; i < count; i += HONESTY_BLOCK) {
        size_t len =
            (size_t)(count - i < HONESTY_BLOCK ? count - i : HONESTY_BLOCK);
        struct pario_data_error error;

        if (pario_data_check(
                &worker->data,
                honesty_offset(worker->kase, worker->rank, worker->size, i),
                worker->buffer + i, len, &error) != 0)
            wrong += error.wrong_bytes;
    }
    return wrong;
}

static void say_what_was_read(const struct worker *worker, int64_t count)
{
    int64_t there =
        honesty_true_count(worker->kase, worker->rank, worker->size);

    say(worker, "wrong", wrong_bytes(worker, count), "");
    if (count > there)
        say(worker, "gap",
            honesty_gap_of(&worker->data, worker->buffer, there, count), "");
}

static void access_file(struct worker *worker)
{
    const struct honesty_case *kase = worker->kase;
    int64_t bytes = honesty_rank_bytes(kase);
    MPI_Status status;
    int count = -1, err;

    memset(&status, 0, sizeof(status));
    if (honesty_is_read(kase->call))
        memset(worker->buffer, HONESTY_UNTOUCHED, (size_t)bytes);
    else
        fill(worker);
    begin(worker, HONESTY_ACCESS);
    err = do_access(worker, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    say(worker, "count", count, "");
    if (honesty_is_read(kase->call) && err == MPI_SUCCESS && count > 0)
        say_what_was_read(worker, count < bytes ? count : bytes);
    end(worker, HONESTY_ACCESS, err);
}

/* The file gets shorter, once the library knows it well. */
static void cut_file(struct worker *worker)
{
    const struct honesty_case *kase = worker->kase;
    int64_t whole = honesty_rank_bytes(kase) * worker->size;
    MPI_Status status;

    if (kase->again) {
        (void)do_access(worker, &status);
        (void)MPI_File_seek(worker->file, 0, MPI_SEEK_SET);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (worker->rank == 0)
        (void)!pario_own_truncate(worker->path,
                                  whole * kase->file_percent / 100);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_case(struct worker *worker)
{
    const struct honesty_case *kase = worker->kase;
    int err;

    begin(worker, HONESTY_OPEN);
    err = MPI_File_open(MPI_COMM_WORLD, worker->path,
                        honesty_is_read(kase->call) ? MPI_MODE_RDONLY
                                                    : MPI_MODE_RDWR,
                        MPI_INFO_NULL, &worker->file);
    end(worker, HONESTY_OPEN, err);
    if (err != MPI_SUCCESS)
        return;
    /* The others may be anywhere: a collective way out could hang. */
    if (pario_own_check(worker->path) != 0) {
        pario_error_print();
        _exit(EXIT_FAILURE);
    }
    err = set_view(worker);
    if (kase->truncate)
        cut_file(worker);
    if (err == MPI_SUCCESS) {
        access_file(worker);
    } else { /* it was reported, so it counts */
        begin(worker, HONESTY_ACCESS);
        end(worker, HONESTY_ACCESS, err);
    }
    begin(worker, HONESTY_FLUSH);
    end(worker, HONESTY_FLUSH,
        honesty_is_read(kase->call) ? MPI_SUCCESS
                                    : MPI_File_sync(worker->file));
    begin(worker, HONESTY_CLOSE);
    end(worker, HONESTY_CLOSE, MPI_File_close(&worker->file));
}

static int start(struct worker *worker, char **argv)
{
    struct sigaction action = {.sa_handler = on_alarm};
    const char *slash = strrchr(argv[2], '/');
    char path[4096];

    if (honesty_case_find(argv[1]) == NULL)
        return pario_fail(PARIO_EUSAGE, "no case %s", argv[1]);
    if (pario_cleanup_hold_tree(argv[2]) != 0)
        return pario_fail_errno(-ENOENT, "cannot use %s", argv[2]);
    worker->sized = *honesty_case_find(argv[1]);
    worker->sized.blocks = (int)strtol(argv[5], NULL, 10);
    worker->kase = &worker->sized;
    worker->data.key = strtoull(argv[3], NULL, 16);
    worker->data.file = 1;
    snprintf(path, sizeof(path), "%s/report.%d", argv[2], worker->rank);
    worker->report =
        pario_own_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    worker->buffer = malloc((size_t)honesty_rank_bytes(worker->kase));
    if (worker->report < 0 || worker->buffer == NULL)
        return pario_fail_errno(-errno, "cannot write %s", path);
    snprintf(worker->path, sizeof(worker->path), "%s/hit/%s", argv[2],
             slash != NULL ? slash + 1 : argv[2]);
    alarm_fd = worker->report;
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned)strtoul(argv[4], NULL, 10));
    return 0;
}

int honesty_worker(const struct pario_group *world, int argc, char **argv)
{
    struct worker worker = {.rank = pario_group_rank(world),
                            .size = pario_group_size(world),
                            .report = -1,
                            .file = MPI_FILE_NULL};
    int code = argc < 6 ? pario_fail(PARIO_EUSAGE, "not to be called by hand")
                        : start(&worker, argv);

    code = pario_agree(world, code);
    if (code == 0 && worker.kase != NULL) {
        say(&worker, "nodes", pario_group_nodes(world), "");
        run_case(&worker);
        say(&worker, "done", 0, "");
    }
    /* What hangs in the end of MPI is not the library's file access. */
    alarm(0);
    if (worker.report >= 0)
        close(worker.report);
    free(worker.buffer);
    return code;
}
