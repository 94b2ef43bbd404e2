/* test_threads.c - threads of one task use the same file, the same datatype
 * and the same mapping at the same time. Best seen by ThreadSanitizer.
 */
#include "check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define THREADS 2
#define ROUNDS 20
#define PIECES 40
#define PIECE 16

static atomic_int attributes_set;
static pthread_barrier_t meeting;

static void pause_briefly(void)
{
    struct timespec pause = {.tv_nsec = 2000000};

    nanosleep(&pause, NULL);
}

/* Stands before the MPI library's: both threads have come so far before either
 * goes on, when nothing keeps the second from it. */
int PMPI_Type_set_attr(MPI_Datatype datatype, int key, void *value)
{
    void *found = dlsym(RTLD_NEXT, "PMPI_Type_set_attr");
    int (*next)(MPI_Datatype, int, void *) = NULL;

    memcpy(&next, &found, sizeof(next));
    atomic_fetch_add(&attributes_set, 1);
    pause_briefly();
    return next(datatype, key, value);
}

/* What a thread is given. */
struct job {
    MPI_File fh;
    MPI_Datatype type;
    int number; /* of the thread, over all ranks */
    int wrong;
};

static void run_threads(struct job *jobs, void *(*body)(void *))
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = check_rank * THREADS + i;
        jobs[i].wrong = 0;
        CHECK_EQ(pthread_create(&threads[i], NULL, body, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(jobs[i].wrong, 0);
    }
}

static void *use_type(void *argument)
{
    struct job *job = argument;
    unsigned char memory[2 * PIECES];
    MPI_Offset at = (MPI_Offset)PIECES * job->number;

    memset(memory, 1 + job->number, sizeof(memory));
    pthread_barrier_wait(&meeting);
    job->wrong += MPI_File_write_at(job->fh, at, memory, 1, job->type,
                                    MPI_STATUS_IGNORE) != MPI_SUCCESS;
    memset(memory, 0, sizeof(memory));
    job->wrong += MPI_File_read_at(job->fh, at, memory, 1, job->type,
                                   MPI_STATUS_IGNORE) != MPI_SUCCESS;
    for (int i = 0; i < PIECES; i++)
        job->wrong += memory[2 * i] != 1 + job->number;
    return NULL;
}

/* The first use of a datatype, by two threads: it is looked into once. */
static void test_type_is_shared(const char *path)
{
    struct job jobs[THREADS];
    MPI_File fh = check_open_new(path);

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype type;

        MPI_Type_vector(PIECES, 1, 2, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (struct job){.fh = fh, .type = type};
        atomic_store(&attributes_set, 0);
        run_threads(jobs, use_type);
        CHECK_EQ(atomic_load(&attributes_set), 1);
        MPI_Type_free(&type);
    }
    CHECK_OK(MPI_File_close(&fh));
}

/* All threads of all ranks write the same pieces; whoever reads finds those of
 * one. */
static void *write_atomically(void *argument)
{
    struct job *job = argument;
    unsigned char out[PIECES];
    unsigned char in[PIECES];

    memset(out, 1 + job->number, sizeof(out));
    for (int round = 0; round < 10 * ROUNDS; round++) {
        job->wrong += MPI_File_write_at(job->fh, 0, out, PIECES, MPI_BYTE,
                                        MPI_STATUS_IGNORE) != MPI_SUCCESS;
        job->wrong += MPI_File_read_at(job->fh, 0, in, PIECES, MPI_BYTE,
                                       MPI_STATUS_IGNORE) != MPI_SUCCESS;
        for (int i = 1; i < PIECES; i++)
            job->wrong += in[i] != in[0];
    }
    return NULL;
}

static void test_atomic_mode(const char *path)
{
    struct job jobs[THREADS];
    MPI_File fh = check_open_new(path);
    MPI_Datatype view;

    MPI_Type_vector(PIECES, 1, 3, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    CHECK_OK(MPI_File_set_atomicity(fh, 1));
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, view, "native", MPI_INFO_NULL));
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (struct job){.fh = fh};
    run_threads(jobs, write_atomically);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&view);
}

static atomic_int sizes_done;

/* Small pieces: through a mapping where the file system allows it. */
static void *read_pieces(void *argument)
{
    struct job *job = argument;
    int len = PIECES * PIECE * 100;
    unsigned char *in = malloc((size_t)len);

    while (in != NULL && atomic_load(&sizes_done) == 0) {
        MPI_Status status;

        job->wrong += MPI_File_read_at(job->fh, 0, in, len, MPI_BYTE,
                                       &status) != MPI_SUCCESS;
        job->wrong += check_count(&status) != len;
        /* The lock is not given in turns. */
        sched_yield();
    }
    free(in);
    return NULL;
}

/* Setting the size drops the mapping that another thread reads through. */
static void test_size_changes_below_reader(const char *path)
{
    MPI_File fh = check_open_new(path);
    struct job job = {.fh = fh};
    MPI_Offset size = (MPI_Offset)PIECES * PIECE * 200;
    MPI_Datatype piece;
    MPI_Datatype view;
    pthread_t thread;

    MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, 2 * PIECE, &view);
    MPI_Type_commit(&view);
    CHECK_OK(MPI_File_set_view(fh, 0, MPI_BYTE, view, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_set_size(fh, size));
    atomic_store(&sizes_done, 0);
    CHECK_EQ(pthread_create(&thread, NULL, read_pieces, &job), 0);
    for (int round = 0; round < 20 * ROUNDS; round++)
        CHECK_OK(MPI_File_set_size(fh, size + round));
    atomic_store(&sizes_done, 1);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(job.wrong, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_close(&fh));
    MPI_Type_free(&piece);
    MPI_Type_free(&view);
}

#define LATER (64 * 1024)

static void *write_later(void *argument)
{
    struct job *job = argument;
    unsigned char *data = malloc(LATER);
    MPI_Offset at = (MPI_Offset)LATER * job->number;
    MPI_Request request = MPI_REQUEST_NULL;

    memset(data, 1 + job->number, LATER);
    pthread_barrier_wait(&meeting);
    job->wrong += MPI_File_iwrite_at(job->fh, at, data, LATER, MPI_BYTE,
                                     &request) != MPI_SUCCESS;
    /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    job->wrong += MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    free(data);
    return NULL;
}

static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;

    while (tasks != NULL && readdir(tasks) != NULL)
        n++;
    if (tasks != NULL)
        closedir(tasks);
    return n;
}

/* The first nonblocking calls of a file, by two threads: one more thread moves
 * their data, and it ends with the file. */
static void test_first_nonblocking_calls(const char *path)
{
    struct job jobs[THREADS];
    int before = count_threads();

    for (int round = 0; round < 2 * ROUNDS; round++) {
        MPI_File fh = check_open_new(path);

        for (int i = 0; i < THREADS; i++)
            jobs[i] = (struct job){.fh = fh};
        run_threads(jobs, write_later);
        CHECK_OK(MPI_File_close(&fh));
    }
    /* Threads of the MPI library come once. */
    CHECK_EQ(count_threads() <= before + 4, 1);
}

int main(int argc, char **argv)
{
    char path[512];
    int provided = MPI_THREAD_SINGLE;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    check_path(path, sizeof(path), argc, argv, "threads");
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_barrier_init(&meeting, NULL, THREADS);
        test_type_is_shared(path);
        test_atomic_mode(path);
        test_size_changes_below_reader(path);
        test_first_nonblocking_calls(path);
        pthread_barrier_destroy(&meeting);
    }
    return check_end();
}
