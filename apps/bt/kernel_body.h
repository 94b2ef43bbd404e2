/*
 * The body of the BT kernels, included once for each instruction set with
 * BT_LANES, BT_TARGET, BT_TABLE and BT_TABLE_NAME defined.
 *
 * Blocks are indexed [row][column] with components 0..4; n is the component
 * of momentum along the line (direction + 1). Loops over components have
 * constant bounds and unroll; conditions on n, row and column fold away.
 */
#include "apps/bt/kernel.h"

#include <string.h>

/* GCC contracts nothing in ISO C mode; Clang does unless told. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

typedef double vec __attribute__((vector_size(8 * BT_LANES)));
/* The same anywhere in an array of double. */
typedef double vec_mem
    __attribute__((vector_size(8 * BT_LANES), aligned(8), may_alias));

#define BT_INLINE BT_TARGET static inline __attribute__((always_inline))
#define LOAD(p) (*(const vec_mem *)(p))
#define STORE(p, v) (*(vec_mem *)(p) = (v))
/* Vector number i of an array of vectors. */
#define AT(p, i) ((p) + (ptrdiff_t)(i)*BT_LANES)
#define UNROLL _Pragma("GCC unroll 8")

static const double c1 = 1.4, c2 = 0.4;
static const double kappa = 0.1, heat = 0.196; /* c3 c4, c1 c3 c4 c5 */
static const double four_thirds = 4.0 / 3.0;

/* What the Jacobians need of U at one point. */
struct point {
    vec rho; /* 1 / density */
    vec v[3];
    vec s, e;
};

BT_INLINE void point_load(const double *u, ptrdiff_t comp, struct point *q)
{
    vec u1 = LOAD(u);

    q->rho = 1.0 / u1;
    q->v[0] = LOAD(u + comp) * q->rho;
    q->v[1] = LOAD(u + 2 * comp) * q->rho;
    q->v[2] = LOAD(u + 3 * comp) * q->rho;
    q->e = LOAD(u + 4 * comp) * q->rho;
    q->s = 0.5 * (q->v[0] * q->v[0] + q->v[1] * q->v[1] + q->v[2] * q->v[2]);
}

/* Can entry (r, c) of a flux Jacobian (plus a diagonal) differ from 0? */
#define NONZERO(n, r, c)                                                       \
    ((r) == (n) || (r) == 4 || (c) == (n) || (c) == (r) ||                     \
     ((c) == 0 && (r) != 0))

/* block = k2 * J(q) + k1 * M(q) + diag * I, only entries NONZERO. */
BT_INLINE void block_flux(const struct point *q, const int n, double k2,
                          double k1, double diag, vec block[5][5])
{
    vec vd = q->v[n - 1];
    vec flow = k2 * vd;
    vec visc = k1 * kappa * q->rho;
    vec cond = k1 * heat * q->rho;
    vec normal = four_thirds * visc - cond;
    vec energy = cond * q->e + normal * (vd * vd);
    vec zero = {0.0};

    block[0][0] = zero + diag;
    block[0][n] = zero + k2;
    UNROLL
    for (int m = 1; m < 4; m++) {
        vec v = q->v[m - 1];

        if (m == n)
            continue;
        block[m][0] = -v * (flow + visc);
        block[m][n] = k2 * v;
        block[m][m] = flow + visc + diag;
        block[n][m] = -(k2 * c2) * v;
        block[4][m] = v * (visc - cond - c2 * flow);
        energy += (visc - cond) * (v * v);
    }
    block[n][0] = k2 * (c2 * q->s - vd * vd) - four_thirds * visc * vd;
    block[n][n] = (2.0 - c2) * flow + four_thirds * visc + diag;
    block[n][4] = zero + k2 * c2;
    block[4][0] = flow * (2.0 * c2 * q->s - c1 * q->e) - energy;
    block[4][n] = k2 * (c1 * q->e - c2 * (q->s + vd * vd)) + normal * vd;
    block[4][4] = c1 * flow + cond + diag;
}

/* block = k1 * M(q) + diag * I, all 25 entries. */
BT_INLINE void block_viscous(const struct point *q, const int n, double k1,
                             double diag, vec block[5][5])
{
    vec visc = k1 * kappa * q->rho;
    vec cond = k1 * heat * q->rho;
    vec energy = cond * q->e;
    vec zero = {0.0};

    UNROLL
    for (int r = 0; r < 5; r++)
        UNROLL
    for (int c = 0; c < 5; c++)
        block[r][c] = r == c ? zero + diag : zero;
    UNROLL
    for (int m = 1; m < 4; m++) {
        vec v = q->v[m - 1];
        vec g = m == n ? four_thirds * visc : visc;

        block[m][0] = -g * v;
        block[m][m] = g + diag;
        block[4][m] = (g - cond) * v;
        energy += (g - cond) * (v * v);
    }
    block[4][0] = -energy;
    block[4][4] = cond + diag;
}

/* b <- LU factors, with reciprocals of the pivots on the diagonal. */
BT_INLINE void block_factor(vec b[5][5])
{
    UNROLL
    for (int p = 0; p < 5; p++) {
        b[p][p] = 1.0 / b[p][p];
        UNROLL
        for (int r = p + 1; r < 5; r++) {
            b[r][p] *= b[p][p];
            UNROLL
            for (int c = p + 1; c < 5; c++)
                b[r][c] -= b[r][p] * b[p][c];
        }
    }
}

/* x <- B^-1 x for factored b; x[0..first-1] are known to be 0. */
BT_INLINE void block_solve(vec b[5][5], vec x[5], const int first)
{
    UNROLL
    for (int r = 1; r < 5; r++)
        UNROLL
    for (int c = 0; c < r; c++)
        if (c >= first)
            x[r] -= b[r][c] * x[c];
    UNROLL
    for (int r = 4; r >= 0; r--) {
        UNROLL
        for (int c = 4; c > r; c--)
            x[r] -= b[r][c] * x[c];
        x[r] *= b[r][r];
    }
}

/* First row of column c of C that can differ from 0. */
#define FIRST_ROW(n, c)                                                        \
    ((c) == 0 || (c) == (n) ? 0 : ((c) == 4 || (c) > (n) ? (n) : (c)))

/* out <- B^-1 [C r], as columns of C and then r. */
BT_INLINE void row_finish(vec b[5][5], vec c_block[5][5], const vec rhs[5],
                          const int n, double *out)
{
    vec x[5], zero = {0.0};

    UNROLL
    for (int c = 0; c < 5; c++) {
        UNROLL
        for (int r = 0; r < 5; r++)
            x[r] = NONZERO(n, r, c) ? c_block[r][c] : zero;
        block_solve(b, x, FIRST_ROW(n, c));
        UNROLL
        for (int r = 0; r < 5; r++)
            STORE(AT(out, c * 5 + r), x[r]);
    }
    UNROLL
    for (int r = 0; r < 5; r++)
        x[r] = rhs[r];
    block_solve(b, x, 0);
    UNROLL
    for (int r = 0; r < 5; r++)
        STORE(AT(out, 25 + r), x[r]);
}

/* b <- b - A C_prev; rhs <- rhs - A r_prev. */
BT_INLINE void row_subtract(vec a[5][5], const double *prev, const int n,
                            vec b[5][5], vec rhs[5])
{
    UNROLL
    for (int c = 0; c < 6; c++) {
        vec p[5];

        UNROLL
        for (int k = 0; k < 5; k++)
            p[k] = LOAD(AT(prev, c * 5 + k));
        UNROLL
        for (int r = 0; r < 5; r++) {
            vec sum = c < 5 ? b[r][c < 5 ? c : 0] : rhs[r];

            UNROLL
            for (int k = 0; k < 5; k++)
                if (NONZERO(n, r, k))
                    sum -= a[r][k] * p[k];
            if (c < 5)
                b[r][c < 5 ? c : 0] = sum;
            else
                rhs[r] = sum;
        }
    }
}

BT_INLINE void forward(const struct pario_bt_batch *batch,
                       const struct pario_bt_coef *coef, const int n)
{
    static const double none[PARIO_BT_STATE * BT_LANES];
    const double k1 = coef->dt * coef->t1, k2 = coef->dt * coef->t2;
    const double diff = k1 * coef->diff[n - 1];
    const double *prev = batch->in != NULL ? batch->in : none;
    const double *u = batch->u + 2 * batch->u_step;
    const double *r = batch->rhs;
    double *out = batch->blocks;
    struct point q[3];

    point_load(batch->u, batch->u_comp, &q[0]);
    point_load(batch->u + batch->u_step, batch->u_comp, &q[1]);
    for (int row = 0; row < batch->rows; row++) {
        vec a[5][5], b[5][5], c[5][5], rhs[5];

        block_flux(&q[0], n, -k2, -k1, -diff, a);
        block_viscous(&q[1], n, 2.0 * k1, 1.0 + 2.0 * diff, b);
        UNROLL
        for (int m = 0; m < 5; m++)
            rhs[m] = LOAD(r + m * batch->r_comp);
        row_subtract(a, prev, n, b, rhs);
        block_factor(b);
        point_load(u, batch->u_comp, &q[2]);
        block_flux(&q[2], n, k2, -k1, -diff, c);
        row_finish(b, c, rhs, n, out);
        q[0] = q[1];
        q[1] = q[2];
        prev = out;
        out = AT(out, PARIO_BT_STATE);
        u += batch->u_step;
        r += batch->r_step;
    }
    if (batch->out != NULL)
        memcpy(batch->out, prev, sizeof(none));
}

BT_TARGET static void forward_x(const struct pario_bt_batch *batch,
                                const struct pario_bt_coef *coef)
{
    forward(batch, coef, 1);
}

BT_TARGET static void forward_y(const struct pario_bt_batch *batch,
                                const struct pario_bt_coef *coef)
{
    forward(batch, coef, 2);
}

BT_TARGET static void forward_z(const struct pario_bt_batch *batch,
                                const struct pario_bt_coef *coef)
{
    forward(batch, coef, 3);
}

BT_TARGET static void backward(const struct pario_bt_batch *batch)
{
    static const double none[5 * BT_LANES];
    const double *next = batch->in != NULL ? batch->in : none;
    vec x[5];

    UNROLL
    for (int m = 0; m < 5; m++)
        x[m] = LOAD(AT(next, m));
    for (int row = batch->rows - 1; row >= 0; row--) {
        const double *block =
            AT(batch->blocks, (ptrdiff_t)row * PARIO_BT_STATE);
        vec y[5];

        UNROLL
        for (int r = 0; r < 5; r++) {
            y[r] = LOAD(AT(block, 25 + r));
            UNROLL
            for (int c = 0; c < 5; c++)
                y[r] -= LOAD(AT(block, c * 5 + r)) * x[c];
        }
        UNROLL
        for (int m = 0; m < 5; m++) {
            x[m] = y[m];
            if (batch->add != NULL) {
                double *u =
                    batch->add + row * batch->u_step + m * batch->u_comp;

                STORE(u, LOAD(u) + y[m]);
            } else {
                STORE(batch->rhs + row * batch->r_step + m * batch->r_comp,
                      y[m]);
            }
        }
    }
    if (batch->out != NULL)
        UNROLL
    for (int m = 0; m < 5; m++)
        STORE(AT(batch->out, m), x[m]);
}

/* Derived values of one line of U, from x = -lanes on: v1 v2 v3 q s e. */
BT_INLINE void derive_line(const double *u, ptrdiff_t row, double *out)
{
    for (ptrdiff_t i = 0; i < row; i += BT_LANES) {
        vec rho = 1.0 / LOAD(u + i);
        vec u2 = LOAD(u + row + i);
        vec u3 = LOAD(u + 2 * row + i);
        vec u4 = LOAD(u + 3 * row + i);
        vec q = 0.5 * (u2 * u2 + u3 * u3 + u4 * u4) * rho;

        STORE(out + i, u2 * rho);
        STORE(out + row + i, u3 * rho);
        STORE(out + 2 * row + i, u4 * rho);
        STORE(out + 3 * row + i, q);
        STORE(out + 4 * row + i, q * rho);
        STORE(out + 5 * row + i, LOAD(u + 4 * row + i) * rho);
    }
}

/* One direction's part of the spatial operator, as seen from one point. */
struct stencil {
    const double *u; /* U at the point, component 0 */
    ptrdiff_t row;   /* doubles between components, U and derived alike */
    ptrdiff_t step;  /* doubles to the next point */
    const double *dm, *d0, *dp; /* derived values before, at, after */
};

BT_INLINE vec delta2(const struct stencil *st, const int which)
{
    const ptrdiff_t o = which * st->row;

    return LOAD(st->dp + o) - 2.0 * LOAD(st->d0 + o) + LOAD(st->dm + o);
}

/* sum += viscous terms and central differences of the flux (n: momentum). */
BT_INLINE void add_flux(const struct stencil *st, const int n,
                        const struct pario_bt_coef *coef, vec sum[5])
{
    const double *up = st->u + st->step, *um = st->u - st->step;
    const ptrdiff_t row = st->row;
    vec vp = LOAD(st->dp + (n - 1) * row), vm = LOAD(st->dm + (n - 1) * row);
    vec v0 = LOAD(st->d0 + (n - 1) * row);
    vec qp = LOAD(st->dp + 3 * row), qm = LOAD(st->dm + 3 * row);
    vec ep = LOAD(up + 4 * row), em = LOAD(um + 4 * row);

    sum[0] -= coef->t2 * (LOAD(up + n * row) - LOAD(um + n * row));
    UNROLL
    for (int m = 1; m < 4; m++) {
        vec flux = LOAD(up + m * row) * vp - LOAD(um + m * row) * vm;

        if (m == n)
            flux += c2 * ((ep - qp) - (em - qm));
        sum[m] += (m == n ? coef->con1 : coef->con2) * delta2(st, m - 1) -
                  coef->t2 * flux;
    }
    sum[4] += coef->con3 * delta2(st, 4) +
              coef->con4 * (vp * vp - 2.0 * v0 * v0 + vm * vm) +
              coef->con5 * delta2(st, 5) -
              coef->t2 * ((c1 * ep - c2 * qp) * vp - (c1 * em - c2 * qm) * vm);
}

/* sum += added diffusion and fourth-difference dissipation. */
BT_INLINE void add_diffusion(const struct stencil *st, double diff, double dssp,
                             const vec d4[5], vec sum[5])
{
    UNROLL
    for (int m = 0; m < 5; m++) {
        const double *u = st->u + m * st->row;
        vec u0 = LOAD(u);
        vec up = LOAD(u + st->step), um = LOAD(u - st->step);

        sum[m] += diff * (up - 2.0 * u0 + um);
        sum[m] -=
            dssp * (d4[0] * LOAD(u - 2 * st->step) + d4[1] * um + d4[2] * u0 +
                    d4[3] * up + d4[4] * LOAD(u + 2 * st->step));
    }
}

/* The lines of derived values around the line in hand. */
struct around {
    const double *mid, *y_minus, *y_plus, *z_minus, *z_plus;
};

BT_INLINE void rhs_line(const struct pario_bt_cell *cell,
                        const struct pario_bt_coef *coef, int j, int k,
                        const struct around *at)
{
    const double *u = pario_bt_u_at(cell, 0, j, k);
    const ptrdiff_t out = pario_bt_r_offset(cell, 0, j, k);
    double d4y[5], d4z[5];

    pario_bt_d4(coef->n, cell->lo[1] + j, d4y);
    pario_bt_d4(coef->n, cell->lo[2] + k, d4z);
    for (ptrdiff_t i = 0; i < cell->r_row; i += BT_LANES) {
        struct stencil st = {.u = u + i, .row = cell->u_row};
        vec sum[5], d4[5], scale = coef->dt * LOAD(cell->mask + i);
        vec zero = {0.0};

        UNROLL
        for (int m = 0; m < 5; m++) {
            sum[m] = LOAD(cell->forcing + out + m * cell->r_row + i);
            d4[m] = LOAD(cell->d4x + m * cell->r_row + i);
        }
        st.d0 = at->mid + i;
        st.step = 1;
        st.dm = at->mid + i - 1;
        st.dp = at->mid + i + 1;
        add_flux(&st, 1, coef, sum);
        add_diffusion(&st, coef->diff[0] * coef->t1, coef->dssp, d4, sum);
        st.step = cell->u_line;
        st.dm = at->y_minus + i;
        st.dp = at->y_plus + i;
        UNROLL
        for (int m = 0; m < 5; m++)
            d4[m] = zero + d4y[m];
        add_flux(&st, 2, coef, sum);
        add_diffusion(&st, coef->diff[1] * coef->t1, coef->dssp, d4, sum);
        st.step = cell->u_plane;
        st.dm = at->z_minus + i;
        st.dp = at->z_plus + i;
        UNROLL
        for (int m = 0; m < 5; m++)
            d4[m] = zero + d4z[m];
        add_flux(&st, 3, coef, sum);
        add_diffusion(&st, coef->diff[2] * coef->t1, coef->dssp, d4, sum);
        UNROLL
        for (int m = 0; m < 5; m++)
            STORE(cell->rhs + out + m * cell->r_row + i, scale * sum[m]);
    }
}

/* Ring slot of plane k; lines j = -1 .. PARIO_BT_TILE of the tile in it. */
BT_INLINE double *ring_line(const struct pario_bt_cell *cell, double *ring,
                            int j, int k)
{
    ptrdiff_t line = PARIO_BT_DERIVED * cell->u_row;

    return ring + ((k + 3) % 3 * (PARIO_BT_TILE + 2) + j + 1) * line +
           PARIO_BT_LANES;
}

/* Lines [from, to) of all planes: a tile that stays in the cache from one
 * plane to the next. */
BT_INLINE void rhs_tile(const struct pario_bt_cell *cell,
                        const struct pario_bt_coef *coef, double *ring,
                        int from, int to)
{
    for (int k = cell->in0[2] - 1; k <= cell->in1[2]; k++) {
        for (int j = from - 1; j <= to; j++)
            derive_line(pario_bt_u_at(cell, -PARIO_BT_LANES, j, k), cell->u_row,
                        ring_line(cell, ring, j - from, k) - PARIO_BT_LANES);
        if (k < cell->in0[2] + 1)
            continue;
        for (int j = from; j < to; j++) {
            struct around at = {
                .mid = ring_line(cell, ring, j - from, k - 1),
                .y_minus = ring_line(cell, ring, j - from - 1, k - 1),
                .y_plus = ring_line(cell, ring, j - from + 1, k - 1),
                .z_minus = ring_line(cell, ring, j - from, k - 2),
                .z_plus = ring_line(cell, ring, j - from, k),
            };

            rhs_line(cell, coef, j, k - 1, &at);
        }
    }
}

BT_TARGET static void rhs(const struct pario_bt_cell *cell,
                          const struct pario_bt_coef *coef, double *ring)
{
    int end = cell->in1[1];

    for (int from = cell->in0[1]; from < end; from += PARIO_BT_TILE)
        rhs_tile(cell, coef, ring, from,
                 from + PARIO_BT_TILE < end ? from + PARIO_BT_TILE : end);
}

const struct pario_bt_kernel BT_TABLE = {
    .name = BT_TABLE_NAME,
    .lanes = BT_LANES,
    .rhs = rhs,
    .forward = {forward_x, forward_y, forward_z},
    .backward = backward,
};
