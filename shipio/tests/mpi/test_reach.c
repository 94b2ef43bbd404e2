/* test_reach.c - ranks whose datagrams are all lost find that out once, not at
 * each open: their shared pointers are the MPI library's. With LATE=1 each rank
 * reaches one address alone, and the first datagram to it goes when the next
 * one is sent. Linked with --wrap=sendto, SHIPIO_MESSAGES=1.
 */
#include <netinet/in.h>
#include <sys/socket.h>

#include "check.h"

/* Names that the linker gives. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);

ssize_t __real_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len);

static int late;
static int lost;
static struct sockaddr_in only; /* where datagrams arrive */
static char held[256];
static size_t held_len;

static int goes_there(const struct sockaddr *to)
{
    struct sockaddr_in other;

    memcpy(&other, to, sizeof(other));
    return other.sin_addr.s_addr == only.sin_addr.s_addr;
}

ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags,
                      const struct sockaddr *to, socklen_t to_len)
{
    if (late && check_rank == 0)
        return __real_sendto(fd, data, len, flags, to, to_len);
    lost++;
    if (!late)
        return (ssize_t)len;
    if (only.sin_family == 0 && len <= sizeof(held)) {
        memcpy(&only, to, sizeof(only));
        memcpy(held, data, len);
        held_len = len;
        return (ssize_t)len;
    }
    if (held_len > 0)
        (void)__real_sendto(fd, held, held_len, flags,
                            (const struct sockaddr *)&only, sizeof(only));
    held_len = 0;
    return goes_there(to) ? __real_sendto(fd, data, len, flags, to, to_len)
                          : (ssize_t)len;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void use_pointer(MPI_Comm comm, const char *path)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Offset size = 0;
    char byte = 'x';

    CHECK_OK(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_set_size(fh, 0));
    if (late) /* each rank asks rank 0 */
        CHECK_OK(
            MPI_File_write_shared(fh, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    else
        CHECK_OK(
            MPI_File_write_ordered(fh, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(fh));
    CHECK_OK(MPI_File_get_size(fh, &size));
    CHECK_EQ(size, check_size);
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    char path[512];
    MPI_Comm other;
    int first;

    check_begin(&argc, &argv);
    check_path(path, sizeof(path), argc, argv, "reach");
    late = getenv("LATE") != NULL;
    use_pointer(MPI_COMM_WORLD, path);
    first = lost;
    CHECK_EQ(first > 0, check_rank != 0);
    use_pointer(MPI_COMM_WORLD, path);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    use_pointer(other, path);
    MPI_Comm_free(&other);
    if (!late)
        CHECK_EQ(lost, first);
    if (check_rank == 0)
        unlink(path);
    return check_end();
}
