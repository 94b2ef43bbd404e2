/* Problem classes, exact solution and reference values of BT. */
#include "apps/bt/class.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* GCC contracts nothing in ISO C mode; Clang does unless told. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static const struct pario_bt_class classes[] = {
    {.name = 'S',
     .n = 12,
     .steps = 60,
     .dt = 0.01,
     .xcr = {1.7034283709541311e-01, 1.2975252070034097e-02,
             3.2527926989486055e-02, 2.6436421275166801e-02,
             1.9211784131744430e-01},
     .xce = {4.9976913345811579e-04, 4.5195666782961927e-05,
             7.3973765172921357e-05, 7.3821238632439731e-05,
             8.9269630987491446e-04},
     .xce_io = {0.1149036328945e+02, 0.9156788904727e+00, 0.2857899428614e+01,
                0.2598273346734e+01, 0.2652795397547e+02}},
    {.name = 'W',
     .n = 24,
     .steps = 200,
     .dt = 0.0008,
     .xcr = {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02,
             0.2469174937669e+02, 0.2638427874317e+03},
     .xce = {0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01,
             0.9235878729944e+00, 0.1018045837718e+02},
     .xce_io = {0.6729594398612e+02, 0.5264523081690e+01, 0.1677107142637e+02,
                0.1508721463436e+02, 0.1477018363393e+03}},
    {.name = 'A',
     .n = 64,
     .steps = 200,
     .dt = 0.0008,
     .xcr = {1.0806346714637264e+02, 1.1319730901220813e+01,
             2.5974354511582465e+01, 2.3665622544678910e+01,
             2.5278963211748344e+02},
     .xce = {4.2348416040525025e+00, 4.4390282496995698e-01,
             9.6692480136345650e-01, 8.8302063039765474e-01,
             9.7379901770829278e+00},
     .xce_io = {0.6482218724961e+02, 0.5066461714527e+01, 0.1613931961359e+02,
                0.1452010201481e+02, 0.1420099377681e+03}},
    {.name = 'B',
     .n = 102,
     .steps = 200,
     .dt = 0.0003,
     .xcr = {1.4233597229287254e+03, 9.9330522590150238e+01,
             3.5646025644535285e+02, 3.2485447959084092e+02,
             3.2707541254659363e+03},
     .xce = {5.2969847140936856e+01, 4.4632896115670668e+00,
             1.3122573342210174e+01, 1.2006925323559144e+01,
             1.2459576151035986e+02},
     .xce_io = {0.1477545106464e+03, 0.1108895555053e+02, 0.3698065590331e+02,
                0.3310505581440e+02, 0.3157928282563e+03}},
    {.name = 'C',
     .n = 162,
     .steps = 200,
     .dt = 0.0001,
     .xcr = {0.62398116551764615e+04, 0.50793239190423964e+03,
             0.15423530093013596e+04, 0.13302387929291190e+04,
             0.11604087428436455e+05},
     .xce = {0.16462008369091265e+03, 0.11497107903824313e+02,
             0.41207446207461508e+02, 0.37087651059694167e+02,
             0.36211053051841265e+03},
     .xce_io = {0.2597156483475e+03, 0.1985384289495e+02, 0.6517950485788e+02,
                0.5757235541520e+02, 0.5215668188726e+03}},
};

enum { NCLASSES = (int)(sizeof(classes) / sizeof(classes[0])) };

/* Rows: the constant, then xi, eta, zeta to the powers 1, 2, 3, 4 in turn. */
static const double ce[13][5] = {
    {2.0, 1.0, 2.0, 2.0, 5.0},      {0.0, 0.0, 2.0, 2.0, 4.0},
    {0.0, 0.0, 0.0, 0.0, 3.0},      {4.0, 0.0, 0.0, 0.0, 2.0},
    {5.0, 1.0, 0.0, 0.0, 0.1},      {3.0, 2.0, 2.0, 2.0, 0.4},
    {0.5, 3.0, 3.0, 3.0, 0.3},      {0.02, 0.01, 0.04, 0.03, 0.05},
    {0.01, 0.03, 0.03, 0.05, 0.04}, {0.03, 0.02, 0.05, 0.04, 0.03},
    {0.5, 0.4, 0.3, 0.2, 0.1},      {0.4, 0.3, 0.5, 0.1, 0.3},
    {0.3, 0.5, 0.4, 0.3, 0.2},
};

const struct pario_bt_class *pario_bt_class_find(const char *name)
{
    if (strlen(name) != 1)
        return NULL;
    for (int i = 0; i < NCLASSES; i++)
        if (classes[i].name == toupper((unsigned char)name[0]))
            return &classes[i];
    return NULL;
}

int64_t pario_bt_dump_bytes(const struct pario_bt_class *cls)
{
    int64_t n = cls->n;

    return n * n * n * PARIO_BT_VARS * (int64_t)sizeof(double);
}

double pario_bt_mops(const struct pario_bt_class *cls, int nsteps)
{
    double n = cls->n;

    return 1e-6 * nsteps * (3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n);
}

bool pario_bt_norms_match(const double value[5], const double ref[5],
                          double *worst_p)
{
    double worst = 0.0;

    for (int m = 0; m < PARIO_BT_VARS; m++) {
        double diff = fabs((value[m] - ref[m]) / ref[m]);

        if (!isfinite(diff))
            diff = INFINITY;
        worst = diff > worst ? diff : worst;
    }
    *worst_p = worst;
    return worst <= 1e-8;
}

void pario_bt_exact(double xi, double eta, double zeta, double out[5])
{
    for (int m = 0; m < PARIO_BT_VARS; m++)
        out[m] =
            ce[0][m] +
            xi * (ce[1][m] +
                  xi * (ce[4][m] + xi * (ce[7][m] + xi * ce[10][m]))) +
            eta * (ce[2][m] +
                   eta * (ce[5][m] + eta * (ce[8][m] + eta * ce[11][m]))) +
            zeta * (ce[3][m] +
                    zeta * (ce[6][m] + zeta * (ce[9][m] + zeta * ce[12][m])));
}

void pario_bt_start_value(int n, const int point[3], double out[5])
{
    double at[3], low[3][5], high[3][5];
    bool face = false;

    for (int d = 0; d < 3; d++) {
        at[d] = (double)point[d] / (n - 1);
        face = face || point[d] == 0 || point[d] == n - 1;
    }
    if (face) {
        pario_bt_exact(at[0], at[1], at[2], out);
        return;
    }
    pario_bt_exact(0.0, at[1], at[2], low[0]);
    pario_bt_exact(1.0, at[1], at[2], high[0]);
    pario_bt_exact(at[0], 0.0, at[2], low[1]);
    pario_bt_exact(at[0], 1.0, at[2], high[1]);
    pario_bt_exact(at[0], at[1], 0.0, low[2]);
    pario_bt_exact(at[0], at[1], 1.0, high[2]);
    for (int m = 0; m < PARIO_BT_VARS; m++) {
        double p[3];

        for (int d = 0; d < 3; d++)
            p[d] = at[d] * high[d][m] + (1.0 - at[d]) * low[d][m];
        out[m] = p[0] + p[1] + p[2] - p[0] * p[1] - p[0] * p[2] - p[1] * p[2] +
                 p[0] * p[1] * p[2];
    }
}

/* The finaliser of a 64-bit mixing function (shift, multiply, shift). */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

uint64_t pario_bt_digest(const double *values, size_t count, uint64_t first)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t word;

        memcpy(&word, &values[i], sizeof(word));
        sum += mix(word + (first + i + 1) * UINT64_C(0x9e3779b97f4a7c15));
    }
    return sum;
}
