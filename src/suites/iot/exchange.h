/* suites/iot/exchange.h - between scattered global numbers and equal
 * contiguous shares of the global order. */
#ifndef PARIO_IOT_EXCHANGE_H
#define PARIO_IOT_EXCHANGE_H

#include "par/mpi.h"
#include <stdint.h>

struct iot_exchange {
    MPI_Comm comm;
    int64_t first, share;         /* this process's part of the global order */
    int64_t count;                /* numbers this process holds */
    int *mine_count, *mine_place; /* by process: of the numbers held */
    int *share_count, *share_place; /* by process: of the share */
    int32_t *index; /* where in the share each value that comes goes */
    double *staging;
};

/* Collective. numbers: ascending, within 0 .. total-1. */
int iot_exchange_init(struct iot_exchange *exchange, MPI_Comm comm,
                      const int32_t *numbers, int64_t count,
                      int64_t total) PARIO_MUST_USE;
void iot_exchange_fini(struct iot_exchange *exchange);

/* Collective. Values in the order of numbers to shares, and back. */
int iot_exchange_to_shares(struct iot_exchange *exchange, const double *values,
                           double *share) PARIO_MUST_USE;
int iot_exchange_from_shares(struct iot_exchange *exchange, const double *share,
                             double *values) PARIO_MUST_USE;

#endif
