/* core/clock.c - what the inline readings of clock.h do not give. */
#include "core/clock.h"

#define READINGS 1000

int64_t pario_clock_resolution_ns(void)
{
    int64_t smallest = INT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        int64_t before = pario_clock_ns();
        int64_t after;

        do
            after = pario_clock_ns();
        while (after == before);
        if (after - before < smallest)
            smallest = after - before;
    }
    return smallest;
}

void pario_clock_utc(char text[PARIO_UTC_LEN], int compact)
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    if (strftime(text, PARIO_UTC_LEN,
                 compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
}
