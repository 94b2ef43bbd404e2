/* gpfs.c - stands in for libgpfs.so: checks the arguments of gpfs_fcntl and
 * writes what it was given to the file that STANDIN_LOG names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gpfs_fcntl(int fd, void *argument);

/* The documented layout, read field by field rather than through a struct of
 * our own, so that a wrong struct in the driver is seen. */
static int int_at(const char *argument, int offset)
{
    int value;

    memcpy(&value, argument + offset, sizeof(value));
    return value;
}

static long long long_at(const char *argument, int offset)
{
    long long value;

    memcpy(&value, argument + offset, sizeof(value));
    return value;
}

static void tell_ranges(FILE *log, const char *word, const char *ranges, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(log, " %s %lld:%d+%d%s", word, long_at(ranges, 24 * i),
                int_at(ranges, 24 * i + 8), int_at(ranges, 24 * i + 12),
                int_at(ranges, 24 * i + 16) ? "w" : "r");
}

int gpfs_fcntl(int fd, void *argument)
{
    const char *name = getenv("STANDIN_LOG");
    const char *grant = getenv("STANDIN_GRANT");
    char *arg = argument;
    FILE *log = name != NULL ? fopen(name, "ae") : NULL;
    int total = int_at(arg, 0);
    int type = int_at(arg, 20);
    int n_acc = total > 24 ? int_at(arg, 24) : 0;
    int granted = grant != NULL ? (int)strtol(grant, NULL, 10) : 8;

    if (log == NULL || fd < 0 || int_at(arg, 4) != 1 || int_at(arg, 12) != 0 ||
        int_at(arg, 16) != total - 16) {
        errno = EINVAL;
        return -1;
    }
    fprintf(log, "%d", type);
    if (type == 1003 && total == 16 + 16 + 16 * 24 && n_acc <= 8) {
        tell_ranges(log, "acc", arg + 32, n_acc);
        tell_ranges(log, "rel", arg + 32 + 192, int_at(arg, 28));
        if (granted < n_acc)
            memcpy(arg + 24, &granted, sizeof(granted));
    } else {
        fprintf(log, " wrong");
    }
    fprintf(log, "\n");
    fclose(log);
    return 0;
}
