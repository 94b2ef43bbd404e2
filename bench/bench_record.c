/* bench_record KIND FILE: ns per pwrite of 1 byte, strided or random. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALLS 1000000

int main(int argc, char **argv)
{
    int fd = argc == 3 ? open(argv[2], O_CREAT | O_RDWR, 0600) : -1;
    int random = argc == 3 && strcmp(argv[1], "random") == 0;
    struct timespec begin, end;
    unsigned x = 1;

    if (fd < 0)
        return 2;
    for (int round = 0; round < 2; round++) { /* the first one warms up */
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 0; i < CALLS; i++) {
            x = x * 1664525u + 1013904223u;
            if (pwrite(fd, "x", 1, random ? x >> 8 & 0xffff : i & 0xffff) != 1)
                return 1;
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
    }
    printf("%.1f\n", ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
                      (double)(end.tv_nsec - begin.tv_nsec)) /
                         CALLS);
    return 0;
}
