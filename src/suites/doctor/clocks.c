/* suites/doctor/clocks.c - resolution of the clocks and skew between ranks. */
#include "core/clock.h"
#include "core/units.h"
#include "suites/doctor/doctor.h"
#include <math.h>
#include <stdlib.h>

#define COARSEST_TICK_S 0.010
#define SKEW_LIMIT_S 0.010
#define PARTNERS 16 /* most ranks that rank 0 compares its clock with */
#define TRIPS 20

int doctor_check_clock(struct pario_doctor *doctor)
{
    double step[2] = {pario_par_tick_s(),
                      (double)pario_clock_resolution_ns() * 1e-9};
    char tick[PARIO_UNITS_LEN], own[PARIO_UNITS_LEN];
    int code = pario_reduce_f64(doctor->world, PARIO_MAX, step, 2);
    int coarse = step[0] >= COARSEST_TICK_S || step[1] >= COARSEST_TICK_S;

    if (code != 0)
        return code;
    doctor_report(doctor, coarse ? PARIO_VERDICT_ERROR : PARIO_VERDICT_OK,
                  coarse ? "use a finer clock source (clocksource=tsc or hpet "
                           "on the kernel's command line)"
                         : "",
                  "resolution %s (MPI_Wtick), %s (CLOCK_MONOTONIC); must be "
                  "finer than 10 ms",
                  pario_time_print(step[0], tick),
                  pario_time_print(step[1], own));
    return 0;
}

/* Wall-clock time: what the nodes should have in common. */
static double wall_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Collective over pair (rank 0 and one other). How far the other's clock is
 * ahead, from the fastest of several round trips; the error is at most half
 * of that trip. Set on pair rank 0. */
static int pair_offset(const struct pario_group *pair, double *offset_s,
                       double *trip_s)
{
    int first = pario_group_rank(pair) == 0;

    *trip_s = HUGE_VAL;
    for (int i = 0; i < TRIPS; i++) {
        double both[2] = {0, 0}, ping = 0, begin = wall_s(), mine, end;
        int code = pario_bcast(pair, &ping, sizeof ping);

        mine = wall_s();
        if (code == 0)
            code = pario_gather(pair, &mine, sizeof mine, first ? both : NULL);
        end = wall_s();
        if (code != 0)
            return code;
        if (end - begin < *trip_s) {
            *trip_s = end - begin;
            *offset_s = both[1] - (begin + end) / 2;
        }
    }
    return 0;
}

/* Collective over world; one partner of rank 0. Keeps the offset that is
 * largest beyond doubt, that is beyond its own error. */
static int compare_with(const struct pario_doctor *doctor, int partner,
                        double *worst_s, double *worst_trip_s)
{
    int rank = pario_group_rank(doctor->world);
    int in_pair = rank == 0 || rank == partner;
    double offset_s = 0, trip_s = 0;
    struct pario_group *group = NULL;
    int code = pario_agree(doctor->world,
                           pario_group_split(doctor->world, in_pair, &group));

    if (code != 0)
        return code;
    if (in_pair)
        code = pair_offset(group, &offset_s, &trip_s);
    pario_group_destroy(group);
    if (rank == 0 &&
        fabs(offset_s) - trip_s / 2 >= fabs(*worst_s) - *worst_trip_s / 2) {
        *worst_s = offset_s;
        *worst_trip_s = trip_s;
    }
    return pario_agree(doctor->world, code);
}

int doctor_check_skew(struct pario_doctor *doctor)
{
    int others = pario_group_size(doctor->world) - 1;
    int partners = others < PARTNERS ? others : PARTNERS;
    char offset[PARIO_UNITS_LEN], error[PARIO_UNITS_LEN];
    double worst_s = 0, trip_s = HUGE_VAL;
    int skewed;

    if (others == 0) {
        doctor_report(doctor, PARIO_VERDICT_OK, "", "one process: none");
        return 0;
    }
    for (int i = 1; i <= partners; i++) {
        int partner = (int)((int64_t)others * i / partners);
        int code = compare_with(doctor, partner, &worst_s, &trip_s);

        if (code != 0)
            return code;
    }
    skewed = fabs(worst_s) - trip_s / 2 > SKEW_LIMIT_S;
    doctor_report(doctor, skewed ? PARIO_VERDICT_WARNING : PARIO_VERDICT_OK,
                  skewed ? "run chrony or ntpd on all nodes: time stamps of "
                           "different nodes cannot be compared"
                         : "",
                  "at most %s against rank 0 (error of the estimate %s; %d of "
                  "%d ranks asked)",
                  pario_time_print(fabs(worst_s), offset),
                  pario_time_print(trip_s / 2, error), partners, others);
    return 0;
}
