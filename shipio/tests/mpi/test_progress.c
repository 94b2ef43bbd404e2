/* test_progress.c - a rank that waits in a file call still takes part in what
 * MPI has under way: MPI's progress rule. In each case one rank comes to the
 * file call only when the other, which is in it, has let a message, a one-sided
 * access or a broadcast through. A second argument names the only call to try,
 * a third the only event.
 */
#include <signal.h>

#include "check.h"

#define PIECE 512
#define PIECES 64
#define LEN (PIECE * PIECES)
#define LARGE (8 << 20)

static char path[512];
static char data[LEN];
static char *large;
static MPI_Win window;
static const char *current_call = "";
static const char *current_event = "";

/* The limit of the test tool does not say where it was. */
static void on_alarm(int number)
{
    char text[200];
    int n = snprintf(text, sizeof(text), "rank %d hangs: %s, %s\n", check_rank,
                     current_call, current_event);

    (void)number;
    (void)!write(2, text, (size_t)n);
    _exit(1);
}

static void do_open(MPI_File *fh)
{
    CHECK_OK(MPI_File_close(fh));
    *fh = check_open_new(path);
}

static void do_close(MPI_File *fh)
{
    CHECK_OK(MPI_File_close(fh));
}

static void do_set_view(MPI_File *fh)
{
    check_interleave(*fh, PIECES, PIECE);
}

static void do_write_all(MPI_File *fh)
{
    CHECK_OK(MPI_File_write_all(*fh, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_write_at_all(MPI_File *fh)
{
    CHECK_OK(
        MPI_File_write_at_all(*fh, 0, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_read_all(MPI_File *fh)
{
    CHECK_OK(MPI_File_read_all(*fh, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_read_at_all(MPI_File *fh)
{
    CHECK_OK(
        MPI_File_read_at_all(*fh, 0, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_write_ordered(MPI_File *fh)
{
    CHECK_OK(
        MPI_File_write_ordered(*fh, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_read_ordered(MPI_File *fh)
{
    CHECK_OK(
        MPI_File_read_ordered(*fh, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void do_split_write(MPI_File *fh)
{
    CHECK_OK(MPI_File_write_all_begin(*fh, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_write_all_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_split_read(MPI_File *fh)
{
    CHECK_OK(MPI_File_read_at_all_begin(*fh, 0, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_read_at_all_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_split_ordered(MPI_File *fh)
{
    CHECK_OK(MPI_File_write_ordered_begin(*fh, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_write_ordered_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_iwrite_all(MPI_File *fh)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iwrite_all(*fh, data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void do_split_write_at(MPI_File *fh)
{
    CHECK_OK(MPI_File_write_at_all_begin(*fh, 0, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_write_at_all_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_split_read_all(MPI_File *fh)
{
    CHECK_OK(MPI_File_read_all_begin(*fh, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_read_all_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_split_read_ordered(MPI_File *fh)
{
    CHECK_OK(MPI_File_read_ordered_begin(*fh, data, LEN, MPI_BYTE));
    CHECK_OK(MPI_File_read_ordered_end(*fh, data, MPI_STATUS_IGNORE));
}

static void do_iwrite_at_all(MPI_File *fh)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iwrite_at_all(*fh, 0, data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void do_iread_all(MPI_File *fh)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iread_all(*fh, data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void do_iread_at_all(MPI_File *fh)
{
    MPI_Request request;

    CHECK_OK(MPI_File_iread_at_all(*fh, 0, data, LEN, MPI_BYTE, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void do_sync(MPI_File *fh)
{
    CHECK_OK(MPI_File_sync(*fh));
}

static void do_set_size(MPI_File *fh)
{
    CHECK_OK(MPI_File_set_size(*fh, LEN));
}

static void do_preallocate(MPI_File *fh)
{
    CHECK_OK(MPI_File_preallocate(*fh, LEN));
}

static void do_seek_shared(MPI_File *fh)
{
    CHECK_OK(MPI_File_seek_shared(*fh, PIECE, MPI_SEEK_SET));
}

static void do_set_atomicity(MPI_File *fh)
{
    CHECK_OK(MPI_File_set_atomicity(*fh, 1));
}

static void do_set_info(MPI_File *fh)
{
    MPI_Info info;

    MPI_Info_create(&info);
    CHECK_OK(MPI_File_set_info(*fh, info));
    MPI_Info_free(&info);
}

static const struct {
    const char *name;
    void (*run)(MPI_File *fh);
} calls[] = {
    {"open", do_open},
    {"close", do_close},
    {"set_view", do_set_view},
    {"write_all", do_write_all},
    {"write_at_all", do_write_at_all},
    {"read_all", do_read_all},
    {"read_at_all", do_read_at_all},
    {"write_ordered", do_write_ordered},
    {"read_ordered", do_read_ordered},
    {"write_all_begin", do_split_write},
    {"read_at_all_begin", do_split_read},
    {"write_ordered_begin", do_split_ordered},
    {"iwrite_all", do_iwrite_all},
    {"write_at_all_begin", do_split_write_at},
    {"read_all_begin", do_split_read_all},
    {"read_ordered_begin", do_split_read_ordered},
    {"iwrite_at_all", do_iwrite_at_all},
    {"iread_all", do_iread_all},
    {"iread_at_all", do_iread_at_all},
    {"sync", do_sync},
    {"set_size", do_set_size},
    {"preallocate", do_preallocate},
    {"seek_shared", do_seek_shared},
    {"set_atomicity", do_set_atomicity},
    {"set_info", do_set_info},
};

/* What the rank that comes late does before the call, and what the one that
 * is there does before and after it. */

static MPI_Request pending = MPI_REQUEST_NULL;

static void late_ssend(int other)
{
    MPI_Ssend(data, 1, MPI_BYTE, other, 5, MPI_COMM_WORLD);
}

static void early_ssend(int other)
{
    MPI_Irecv(large, 1, MPI_BYTE, other, 5, MPI_COMM_WORLD, &pending);
}

static void late_send(int other)
{
    MPI_Send(large, LARGE, MPI_BYTE, other, 6, MPI_COMM_WORLD);
}

static void early_send(int other)
{
    MPI_Irecv(large, LARGE, MPI_BYTE, other, 6, MPI_COMM_WORLD, &pending);
}

static void late_put(int other)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(data, LEN, MPI_BYTE, other, 0, LEN, MPI_BYTE, window);
    MPI_Win_unlock(other, window);
}

static void early_put(int other)
{
    (void)other;
}

static void late_ibcast(int other)
{
    MPI_Request request;

    MPI_Ibcast(large, LARGE, MPI_BYTE, other, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void early_ibcast(int other)
{
    (void)other;
    MPI_Ibcast(large, LARGE, MPI_BYTE, check_rank, MPI_COMM_WORLD, &pending);
}

static int is_wanted(const char *name, int argc, char **argv, int i)
{
    return argc <= i || strcmp(argv[i], name) == 0;
}

static const struct {
    const char *name;
    void (*late)(int other);
    void (*early)(int other);
} events[] = {
    {"MPI_Ssend", late_ssend, early_ssend},
    {"large MPI_Send", late_send, early_send},
    {"lock, put, unlock", late_put, early_put},
    {"MPI_Ibcast", late_ibcast, early_ibcast},
};

#define NCALLS (sizeof(calls) / sizeof(calls[0]))
#define NEVENTS (sizeof(events) / sizeof(events[0]))

/* The first and the last rank are the two; others come at once. */
static void run_case(size_t call, size_t event, int first)
{
    MPI_File fh = check_open_new(path);
    int early = first ? 0 : check_size - 1;
    int late = check_size - 1 - early;

    current_call = calls[call].name;
    current_event = events[event].name;
    check_interleave(fh, PIECES, PIECE);
    CHECK_OK(
        MPI_File_write_at_all(fh, 0, data, LEN, MPI_BYTE, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    alarm(20);
    if (check_rank == late) {
        usleep(2000); /* the other is in the call by now, most often */
        events[event].late(early);
    } else if (check_rank == early) {
        events[event].early(late);
    } else if (events[event].late == late_ibcast) {
        MPI_Ibcast(large, LARGE, MPI_BYTE, early, MPI_COMM_WORLD, &pending);
    }
    calls[call].run(&fh);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    alarm(0);
    if (fh != MPI_FILE_NULL)
        CHECK_OK(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    char *memory = calloc(1, LEN);

    large = calloc(1, LARGE);
    check_begin(&argc, &argv);
    signal(SIGALRM, on_alarm);
    check_path(path, sizeof(path), argc, argv, "progress");
    /* Memory of the program's own: an access to it needs its owner. Open MPI 4
     * has no windows over TCP. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Win_create(memory, LEN, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &window) != MPI_SUCCESS)
        window = MPI_WIN_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (size_t i = 0; i < NCALLS * NEVENTS * 2; i++) {
        size_t call = i / 2 / NEVENTS;
        size_t event = i / 2 % NEVENTS;

        if (is_wanted(calls[call].name, argc, argv, 2) &&
            is_wanted(events[event].name, argc, argv, 3) &&
            (window != MPI_WIN_NULL || events[event].late != late_put))
            run_case(call, event, (int)(i % 2));
    }
    if (window != MPI_WIN_NULL)
        MPI_Win_free(&window);
    free(memory);
    free(large);
    return check_end();
}
