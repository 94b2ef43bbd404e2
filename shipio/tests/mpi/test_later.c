/* test_later.c - nonblocking accesses and split collective calls go on while
 * the program does: the file's system calls stand at a gate that the program
 * opens after the call has returned. Linked with --wrap=pwrite,pread.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

#define LEN (1 << 20)
#define N 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int gate_is_open = 1;
static int fails;        /* with ENOSPC */
static const char *sign; /* the gate opens when this file is there, too */

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
ssize_t __real_pwrite(int fd, const void *buf, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t offset);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t offset);

static int pass_gate(void)
{
    int failed;

    pthread_mutex_lock(&lock);
    while (!gate_is_open && (sign == NULL || access(sign, F_OK) != 0)) {
        struct timespec limit;

        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_nsec = limit.tv_nsec < 999000000 ? limit.tv_nsec + 1000000 : 0;
        limit.tv_sec += limit.tv_nsec == 0;
        pthread_cond_timedwait(&opened, &lock, &limit);
    }
    failed = fails;
    pthread_mutex_unlock(&lock);
    errno = ENOSPC;
    return failed;
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t offset)
{
    return pass_gate() ? -1 : __real_pwrite(fd, buf, len, offset);
}

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t offset)
{
    return pass_gate() ? -1 : __real_pread(fd, buf, len, offset);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void set_gate(int open, int failing)
{
    pthread_mutex_lock(&lock);
    gate_is_open = open;
    fails = failing;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

static unsigned char *out[N];
static unsigned char *in;

static MPI_Offset place(int i)
{
    return (MPI_Offset)LEN * (check_rank * N + i);
}

static void check_file(const char *path)
{
    int fd = open(path, O_RDONLY);

    for (int i = 0; i < N; i++) {
        CHECK_EQ(__real_pread(fd, in, LEN, place(i)), LEN);
        CHECK_EQ(memcmp(in, out[i], LEN), 0);
    }
    close(fd);
}

static void refill(int salt)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < LEN; k++)
            out[i][k] = check_byte(k + place(i), salt);
}

/* Each way to complete requests; the class of what it returns, and the worst of
 * the statuses. */

static int by_wait(MPI_Request *requests, MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    for (int i = 0; i < N; i++) {
        int rc = check_class(MPI_Wait(&requests[i], &statuses[i]));

        class = rc != MPI_SUCCESS ? rc : class;
    }
    return class;
}

static int by_test(MPI_Request *requests, MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    for (int i = 0; i < N; i++) {
        int flag = 0;

        while (!flag) {
            int rc = check_class(MPI_Test(&requests[i], &flag, &statuses[i]));

            class = rc != MPI_SUCCESS ? rc : class;
            if (rc != MPI_SUCCESS)
                break;
        }
    }
    return class;
}

static int by_get_status(MPI_Request *requests, MPI_Status *statuses)
{
    for (int i = 0; i < N; i++) {
        int flag = 0;

        while (!flag)
            CHECK_OK(MPI_Request_get_status(requests[i], &flag, &statuses[i]));
    }
    return by_wait(requests, statuses);
}

static int by_waitany(MPI_Request *requests, MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    for (int i = 0; i < N; i++) {
        MPI_Status status;
        int index = -1;
        int rc = check_class(MPI_Waitany(N, requests, &index, &status));

        CHECK_EQ(index >= 0 && index < N, 1);
        statuses[index < 0 || index >= N ? 0 : index] = status;
        class = rc != MPI_SUCCESS ? rc : class;
    }
    return class;
}

static int by_testany(MPI_Request *requests, MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    for (int done = 0; done < N;) {
        MPI_Status status;
        int index = -1;
        int flag = 0;
        int rc = check_class(MPI_Testany(N, requests, &index, &flag, &status));

        class = rc != MPI_SUCCESS ? rc : class;
        if (!flag)
            continue;
        done++;
        statuses[index < 0 || index >= N ? 0 : index] = status;
    }
    return class;
}

/* MPI_ERR_IN_STATUS becomes what the statuses say. */
static int from_statuses(int rc, const MPI_Status *statuses, int count)
{
    if (check_class(rc) != MPI_ERR_IN_STATUS)
        return check_class(rc);
    for (int i = 0; i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS)
            return check_class(statuses[i].MPI_ERROR);
    return MPI_ERR_OTHER;
}

static int by_waitall(MPI_Request *requests, MPI_Status *statuses)
{
    return from_statuses(MPI_Waitall(N, requests, statuses), statuses, N);
}

static int by_testall(MPI_Request *requests, MPI_Status *statuses)
{
    int flag = 0;
    int rc = MPI_SUCCESS;

    while (!flag && rc == MPI_SUCCESS)
        rc = MPI_Testall(N, requests, &flag, statuses);
    return from_statuses(rc, statuses, N);
}

static int by_some(MPI_Request *requests, MPI_Status *statuses, int waits)
{
    int class = MPI_SUCCESS;

    for (int done = 0; done < N;) {
        MPI_Status some[N];
        int indices[N];
        int count = 0;
        int rc = waits ? MPI_Waitsome(N, requests, &count, indices, some)
                       : MPI_Testsome(N, requests, &count, indices, some);

        rc = from_statuses(rc, some, count);
        class = rc != MPI_SUCCESS ? rc : class;
        for (int k = 0; k < count; k++)
            statuses[indices[k]] = some[k];
        done += count;
    }
    return class;
}

static int by_waitsome(MPI_Request *requests, MPI_Status *statuses)
{
    return by_some(requests, statuses, 1);
}

static int by_testsome(MPI_Request *requests, MPI_Status *statuses)
{
    return by_some(requests, statuses, 0);
}

typedef int completion(MPI_Request *requests, MPI_Status *statuses);

static completion *const completions[] = {
    by_wait,    by_test,    by_get_status, by_waitany,  by_testany,
    by_waitall, by_testall, by_waitsome,   by_testsome,
};

#define NCOMPLETIONS (sizeof(completions) / sizeof(completions[0]))

static void start_writes(MPI_File fh, MPI_Request *requests, int collective)
{
    for (int i = 0; i < N; i++)
        CHECK_OK(collective ? MPI_File_iwrite_at_all(fh, place(i), out[i], LEN,
                                                     MPI_BYTE, &requests[i])
                            : MPI_File_iwrite_at(fh, place(i), out[i], LEN,
                                                 MPI_BYTE, &requests[i]));
}

/* With the gate closed the calls return all the same. */
static void test_goes_on(MPI_File fh, const char *path, size_t how,
                         int collective)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];
    int flag = 1;

    refill((int)how);
    set_gate(0, 0);
    start_writes(fh, requests, collective);
    CHECK_OK(MPI_Testall(N, requests, &flag, statuses));
    CHECK_EQ(flag, 0);
    set_gate(1, 0);
    CHECK_EQ(completions[how](requests, statuses), MPI_SUCCESS);
    for (int i = 0; i < N; i++) {
        CHECK_EQ(requests[i] == MPI_REQUEST_NULL, 1);
        CHECK_EQ(check_count(&statuses[i]), LEN);
    }
    check_file(path);
}

static void test_error(MPI_File fh, size_t how, int collective)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];

    set_gate(0, 1);
    start_writes(fh, requests, collective);
    set_gate(1, 1);
    CHECK_EQ(completions[how](requests, statuses), MPI_ERR_NO_SPACE);
    for (int i = 0; i < N; i++)
        CHECK_EQ(requests[i] == MPI_REQUEST_NULL, 1);
    set_gate(1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    /* What other ranks' errors were to this one is of no interest here. */
    (void)MPI_File_sync(fh);
}

/* A request of the program's own, which fails. */
static int on_query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_ERR_QUOTA;
}

static int on_free(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int on_cancel(void *extra, int done)
{
    (void)extra;
    (void)done;
    return MPI_SUCCESS;
}

#define BESIDE 3 /* an access, a request of the program's, an access */

/* The errors of accesses come beside those of other requests, whichever way
 * they are waited for. */
static void test_error_beside_others(MPI_File fh, size_t how)
{
    MPI_Request requests[BESIDE];
    MPI_Status statuses[BESIDE];
    int done = 0;

    set_gate(0, 1);
    CHECK_OK(
        MPI_File_iwrite_at(fh, place(0), out[0], LEN, MPI_BYTE, &requests[0]));
    CHECK_OK(
        MPI_File_iwrite_at(fh, place(1), out[1], LEN, MPI_BYTE, &requests[2]));
    MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &requests[1]);
    MPI_Grequest_complete(requests[1]);
    set_gate(1, 1);
    /* What is left when one has failed is waited for again. */
    for (int round = 0; round < 1000000 && done < BESIDE; round++) {
        MPI_Status some[BESIDE];
        int indices[BESIDE] = {0, 1, 2};
        int before[BESIDE];
        int count = BESIDE;
        int flag = 1;
        int rc = 0;

        for (int i = 0; i < BESIDE; i++)
            before[i] = requests[i] != MPI_REQUEST_NULL;
        switch (how) {
        case 0:
            rc = MPI_Waitall(BESIDE, requests, some);
            break;
        case 1:
            rc = MPI_Testall(BESIDE, requests, &flag, some);
            break;
        case 2:
            rc = MPI_Waitsome(BESIDE, requests, &count, indices, some);
            break;
        default:
            rc = MPI_Testsome(BESIDE, requests, &count, indices, some);
        }
        if (rc == MPI_SUCCESS)
            continue;
        CHECK_EQ(check_class(rc), MPI_ERR_IN_STATUS);
        for (int k = 0; k < count; k++) {
            int i = indices[k];

            if (!before[i] || requests[i] != MPI_REQUEST_NULL)
                continue;
            statuses[i] = some[k];
            done++;
        }
    }
    CHECK_EQ(done, BESIDE);
    CHECK_EQ(check_class(statuses[0].MPI_ERROR), MPI_ERR_NO_SPACE);
    CHECK_EQ(statuses[1].MPI_ERROR != MPI_SUCCESS, 1);
    CHECK_EQ(check_class(statuses[2].MPI_ERROR), MPI_ERR_NO_SPACE);
    set_gate(1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    (void)MPI_File_sync(fh);
}

/* The error of a request that the program gave up comes with a later call. */
static void test_error_of_freed_request(MPI_File fh)
{
    MPI_Request requests[N];

    for (int early = 0; early < 2; early++) {
        set_gate(!early, 1);
        start_writes(fh, requests, 0);
        for (int i = 0; i < N; i++)
            CHECK_OK(MPI_Request_free(&requests[i]));
        set_gate(1, 1);
        CHECK_EQ(check_class(MPI_File_sync(fh)), MPI_ERR_NO_SPACE);
        set_gate(1, 0);
        CHECK_OK(MPI_File_sync(fh));
    }
}

static void *open_gate_later(void *argument)
{
    (void)argument;
    usleep(20000);
    set_gate(1, 0);
    return NULL;
}

/* Calls that change what accesses go by, or that need the file's length, come
 * after those under way. */
static void test_calls_come_after(MPI_File fh, const char *path)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];
    MPI_Info info;
    pthread_t thread;

    MPI_Info_create(&info);
    for (int which = 0; which < 3; which++) {
        refill(80 + which);
        set_gate(0, 0);
        start_writes(fh, requests, 0);
        CHECK_EQ(pthread_create(&thread, NULL, open_gate_later, NULL), 0);
        if (which == 0)
            CHECK_OK(MPI_File_set_info(fh, info));
        else if (which == 1)
            CHECK_OK(MPI_File_seek_shared(fh, 0, MPI_SEEK_END));
        else
            CHECK_OK(MPI_File_preallocate(fh, LEN));
        check_file(path);
        pthread_join(thread, NULL);
        CHECK_OK(MPI_Waitall(N, requests, statuses));
    }
    MPI_Info_free(&info);
}

/* Who waits for an access takes part in what MPI has under way. The gate opens
 * when rank 1 has sent its message. */
static void test_progress(MPI_File fh, const char *path, size_t how)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];
    MPI_Request message = MPI_REQUEST_NULL;
    char name[600];
    char *data = calloc(1, 8 * LEN);

    snprintf(name, sizeof(name), "%s-sign", path);
    alarm(30);
    if (check_rank == 0) {
        unlink(name);
        sign = name;
        set_gate(0, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(data, 8 * LEN, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &message);
        start_writes(fh, requests, 0);
        CHECK_EQ(completions[how](requests, statuses), MPI_SUCCESS);
        CHECK_OK(MPI_Wait(&message, MPI_STATUS_IGNORE));
        set_gate(1, 0);
        sign = NULL;
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (check_rank == 1) {
        MPI_Ssend(data, 8 * LEN, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    alarm(0);
    if (check_rank == 0)
        unlink(name);
    free(data);
}

static void test_split(MPI_File fh, const char *path)
{
    MPI_Status status;

    refill(50);
    for (int i = 0; i < N; i++) {
        set_gate(0, 0);
        CHECK_OK(
            MPI_File_write_at_all_begin(fh, place(i), out[i], LEN, MPI_BYTE));
        set_gate(1, 0);
        CHECK_OK(MPI_File_write_at_all_end(fh, out[i], &status));
        CHECK_EQ(check_count(&status), LEN);
    }
    check_file(path);
    set_gate(0, 0);
    CHECK_OK(MPI_File_read_at_all_begin(fh, place(1), in, LEN, MPI_BYTE));
    set_gate(1, 0);
    CHECK_OK(MPI_File_read_at_all_end(fh, in, &status));
    CHECK_EQ(memcmp(in, out[1], LEN), 0);
    set_gate(0, 1);
    CHECK_OK(MPI_File_write_at_all_begin(fh, place(0), out[0], LEN, MPI_BYTE));
    set_gate(1, 1);
    CHECK_EQ(check_class(MPI_File_write_at_all_end(fh, out[0], &status)),
             MPI_ERR_NO_SPACE);
    MPI_Barrier(MPI_COMM_WORLD);
    set_gate(1, 0);
}

/* Pointers move on at once; the type may be freed while data moves. */
static void test_pointer_and_type(MPI_File fh, const char *path)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];
    MPI_Datatype type;
    MPI_Offset pos = -1;

    refill(60);
    CHECK_OK(MPI_File_seek(fh, place(0), MPI_SEEK_SET));
    set_gate(0, 0);
    for (int i = 0; i < N; i++) {
        MPI_Type_contiguous(LEN, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        CHECK_OK(MPI_File_iwrite(fh, out[i], 1, type, &requests[i]));
        MPI_Type_free(&type);
    }
    CHECK_OK(MPI_File_get_position(fh, &pos));
    CHECK_EQ(pos, place(N));
    set_gate(1, 0);
    CHECK_OK(MPI_Waitall(N, requests, statuses));
    check_file(path);
}

/* Closing, and syncing, complete what is under way. */
static void test_close(const char *path)
{
    MPI_Request requests[N];
    MPI_Status statuses[N];
    MPI_Request small;
    MPI_File fh = MPI_FILE_NULL;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh));
    CHECK_OK(MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN));
    refill(70);
    start_writes(fh, requests, 0);
    CHECK_OK(MPI_File_sync(fh));
    check_file(path);
    CHECK_OK(MPI_Waitall(N, requests, statuses));
    refill(71);
    start_writes(fh, requests, 0);
    /* One that is done at once, too. */
    CHECK_OK(MPI_File_iwrite_at(fh, place(0), out[0], 10, MPI_BYTE, &small));
    CHECK_OK(MPI_File_close(&fh));
    check_file(path);
    CHECK_OK(MPI_Waitall(N, requests, statuses));
    CHECK_OK(MPI_Wait(&small, statuses));
    CHECK_EQ(check_count(statuses), 10);
}

/* The same where no thread was ever started for the file. */
static void test_close_after_quick(const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Request small;
    MPI_Status status;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh));
    CHECK_OK(MPI_File_iwrite_at(fh, place(0), out[0], 10, MPI_BYTE, &small));
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_Wait(&small, &status));
    CHECK_EQ(check_count(&status), 10);
}

int main(int argc, char **argv)
{
    char path[512];
    MPI_File fh = MPI_FILE_NULL;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "later");
    for (int i = 0; i < N; i++)
        out[i] = malloc(LEN);
    in = malloc(LEN);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path,
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &fh));
    for (size_t how = 0; how < NCOMPLETIONS; how++)
        for (int collective = 0; collective < 2; collective++) {
            test_goes_on(fh, path, how, collective);
            test_error(fh, how, collective);
        }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t how = 0; how < 4; how++)
        test_error_beside_others(fh, how);
    test_error_of_freed_request(fh);
    test_calls_come_after(fh, path);
    for (size_t how = 0; check_size > 1 && how < NCOMPLETIONS; how++)
        test_progress(fh, path, how);
    test_split(fh, path);
    test_pointer_and_type(fh, path);
    CHECK_OK(MPI_File_close(&fh));
    test_close(path);
    test_close_after_quick(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(path);
    for (int i = 0; i < N; i++)
        free(out[i]);
    free(in);
    return check_end();
}
