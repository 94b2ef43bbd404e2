/* tests/unit/test_beneath.c - files below a held directory, on a file system
 * where another node makes the file at the same moment. */
#include "core/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);

static int refusals; /* so many calls with O_CREAT find that it exists */

int __wrap_openat(int dir, const char *path, int flags, ...)
{
    va_list more;
    int mode;

    va_start(more, flags);
    mode = va_arg(more, int);
    va_end(more);
    if ((flags & O_CREAT) != 0 && refusals > 0) {
        refusals--;
        errno = EEXIST;
        return -1;
    }
    return __real_openat(dir, path, flags, mode);
}

struct place {
    char path[32];
    int dir;
};

static int make_place(void **state)
{
    static struct place place;
    int fd;

    place = (struct place){.path = "/tmp/test_beneath-XXXXXX"};
    if (mkdtemp(place.path) == NULL)
        return -1;
    place.dir = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fd = __real_openat(place.dir, "made", O_WRONLY | O_CREAT, 0600);
    if (place.dir < 0 || fd < 0 || close(fd) != 0)
        return -1;
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *place = *state;

    refusals = 0;
    unlinkat(place->dir, "made", 0);
    close(place->dir);
    return rmdir(place->path);
}

static void test_create_made_by_another_node_opens_it(void **state)
{
    const struct place *place = *state;
    int fd;

    refusals = 1;
    fd = pario_beneath_open(place->dir, "made", O_WRONLY | O_CREAT | O_CLOEXEC,
                            0600);
    assert_int_equal(refusals, 0);
    assert_true(fd >= 0);
    close(fd);
}

static void test_exclusive_create_made_by_another_node_fails(void **state)
{
    const struct place *place = *state;

    refusals = 1;
    assert_int_equal(pario_beneath_open(place->dir, "made",
                                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                        0600),
                     -1);
    assert_int_equal(errno, EEXIST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_create_made_by_another_node_opens_it, make_place,
            remove_place),
        cmocka_unit_test_setup_teardown(
            test_exclusive_create_made_by_another_node_fails, make_place,
            remove_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
