/* report/compare_ratio.c - a ratio of rates with its interval. */
#include "core/stats.h"
#include "report/compare.h"
#include <errno.h>
#include <float.h>
#include <math.h>

/* Student's t, 97.5 %, for 1, 2, ... degrees of freedom. */
static const double student[] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

#define NSTUDENT (sizeof(student) / sizeof(student[0]))

double pario_student(double freedom)
{
    size_t i = freedom >= 1 ? (size_t)freedom : 1;

    return i <= NSTUDENT ? student[i - 1] : 1.96 + 2.5 / freedom;
}

/* Mean of the logarithms and the square of its standard error. */
static int logarithms(const double *values, size_t n, double *mean_p,
                      double *square_p)
{
    struct pario_moments m;
    double deviation;

    pario_moments_init(&m);
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] > 0))
            return -EDOM;
        pario_moments_add(&m, log(values[i]));
    }
    deviation = n > 1 ? pario_moments_stddev(&m) : 0;
    *mean_p = m.mean;
    *square_p = n > 1 ? deviation * deviation / (double)n : 0;
    return 0;
}

/* "The same" is said only where a larger difference is ruled out. */
#define SAME_MAX 1.25

int pario_ratio_of(const double *base, size_t nbase, const double *now,
                   size_t nnow, struct pario_ratio *ratio_p)
{
    double there, here, a, b, freedom, half;

    if (nbase == 0 || nnow == 0 || logarithms(base, nbase, &there, &a) != 0 ||
        logarithms(now, nnow, &here, &b) != 0)
        return -EDOM;
    ratio_p->ratio = fmin(exp(here - there), DBL_MAX);
    ratio_p->known = nbase > 1 && nnow > 1;
    ratio_p->low = ratio_p->high = ratio_p->ratio;
    if (!ratio_p->known || a + b <= 0)
        return 0;
    freedom = (a + b) * (a + b) /
              (a * a / (double)(nbase - 1) + b * b / (double)(nnow - 1));
    half = pario_student(freedom) * sqrt(a + b);
    ratio_p->low = exp(here - there - half);
    ratio_p->high = fmin(exp(here - there + half), DBL_MAX);
    return 0;
}

const char *pario_ratio_verdict(const struct pario_ratio *ratio)
{
    if (!ratio->known)
        return "not judged";
    if (ratio->low > 1)
        return "faster";
    if (ratio->high < 1)
        return "slower";
    return ratio->low >= 1 / SAME_MAX && ratio->high <= SAME_MAX ? "the same"
                                                                 : "too noisy";
}
