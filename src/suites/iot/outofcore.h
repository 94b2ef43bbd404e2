/* suites/iot/outofcore.h - between the decomposition and its check. */
#ifndef PARIO_IOT_OUTOFCORE_H
#define PARIO_IOT_OUTOFCORE_H

#include "suites/iot/file.h"
#include "suites/iot/lu.h"

/* Local, one rank. ||PA - LU||_F / (||A||_F n eps), from the file of the
 * factors and A made again: exactly for orders up to 512, else estimated with
 * random vectors (E ||Rx||^2 = ||R||_F^2 for x of random signs). buffer holds
 * one panel. */
int iot_outofcore_residual(struct iot_context *context, struct iot_file *file,
                           const struct iot_lu *lu, double *buffer,
                           double *residual_p) PARIO_MUST_USE;

/* Above this the decomposition is wrong (LAPACK's own tests take 30). */
#define IOT_RESIDUAL_LIMIT 30

#endif
