/* lustre.c - stands in for liblustreapi.so, like gpfs.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int llapi_ladvise(int fd, unsigned long long flags, int n, const char *advice);
int llapi_group_lock(int fd, int group);
int llapi_group_unlock(int fd, int group);
int llapi_file_open(const char *name, int flags, int mode,
                    unsigned long long size, int start, int count, int pattern);

static FILE *log_open(void)
{
    const char *name = getenv("STANDIN_LOG");

    return name != NULL ? fopen(name, "ae") : NULL;
}

int llapi_ladvise(int fd, unsigned long long flags, int n, const char *advice)
{
    FILE *log = log_open();
    uint16_t kind;
    uint64_t start;
    uint64_t end;

    if (log == NULL || fd < 0 || flags != 1 || n != 1)
        return -1;
    memcpy(&kind, advice, sizeof(kind));
    memcpy(&start, advice + 8, sizeof(start));
    memcpy(&end, advice + 16, sizeof(end));
    fprintf(log, "%s %llu-%llu\n", kind == 1 ? "willread" : "dontneed",
            (unsigned long long)start, (unsigned long long)end);
    fclose(log);
    return 0;
}

int llapi_group_lock(int fd, int group)
{
    FILE *log = getenv("STANDIN_NO_LOCK") == NULL ? log_open() : NULL;

    if (log == NULL || fd < 0)
        return -EPERM;
    fprintf(log, "lock %d\n", group);
    fclose(log);
    return 0;
}

int llapi_group_unlock(int fd, int group)
{
    FILE *log = log_open();

    if (log == NULL || fd < 0)
        return -1;
    fprintf(log, "unlock %d\n", group);
    fclose(log);
    return 0;
}

int llapi_file_open(const char *name, int flags, int mode,
                    unsigned long long size, int start, int count, int pattern)
{
    FILE *log = log_open();

    if (log == NULL || pattern != 0)
        return -EINVAL;
    fprintf(log, "create %llu %d %d\n", size, start, count);
    fclose(log);
    return open(name, flags, mode);
}
