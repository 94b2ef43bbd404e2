/* suites/beffio/value.c - the averages of Sect. 3, 6 and 7.3. */
#include "suites/beffio/value.h"

#include <math.h>

double beffio_access_average(const struct beffio_bandwidths *b,
                             enum beffio_access access)
{
    const double *mbps = b->mbps[access];
    double sum = mbps[BEFFIO_SCATTER];

    for (int type = 0; type < BEFFIO_TYPES; type++) {
        if (mbps[type] <= 0)
            return 0;
        sum += mbps[type];
    }
    return sum / (BEFFIO_TYPES + 1);
}

double beffio_value_1(const struct beffio_bandwidths *b)
{
    double write = beffio_access_average(b, BEFFIO_WRITE);
    double rewrite = beffio_access_average(b, BEFFIO_REWRITE);
    double read = beffio_access_average(b, BEFFIO_READ);

    if (write <= 0 || rewrite <= 0 || read <= 0)
        return 0;
    return 0.25 * write + 0.25 * rewrite + 0.5 * read;
}

double beffio_writing_average(const struct beffio_bandwidths *b)
{
    double sum = b->mbps[BEFFIO_REWRITE][BEFFIO_SCATTER];

    if (sum <= 0)
        return 0;
    for (int type = 0; type < BEFFIO_TYPES; type++) {
        if (b->mbps[BEFFIO_WRITE][type] <= 0)
            return 0;
        sum += b->mbps[BEFFIO_WRITE][type];
    }
    return sum / (BEFFIO_TYPES + 1);
}

double beffio_value_2(const struct beffio_bandwidths *b)
{
    return sqrt(beffio_writing_average(b) *
                beffio_access_average(b, BEFFIO_READ));
}

int beffio_counts(enum beffio_access access, enum beffio_type type, int release)
{
    return type < BEFFIO_TYPES &&
           (release == 1 || access != BEFFIO_REWRITE || type == BEFFIO_SCATTER);
}

double beffio_value(const struct beffio_bandwidths *b, int release)
{
    return release == 1 ? beffio_value_1(b) : beffio_value_2(b);
}

double beffio_type_average(const struct beffio_bandwidths *b,
                           enum beffio_type type)
{
    double write = b->mbps[BEFFIO_WRITE][type];
    double rewrite = b->mbps[BEFFIO_REWRITE][type];
    double read = b->mbps[BEFFIO_READ][type];

    if (write <= 0 || rewrite <= 0 || read <= 0)
        return 0;
    return ((write + rewrite) / 2 + read) / 2;
}
