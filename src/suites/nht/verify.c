/*
 * NHT-1's post-processing program (report RND-92-016, section 2.6): reads the
 * dumps in order on one process, prints the main diagonal in F15.10, one
 * number a line, and checks every byte: against the digests of the class,
 * against a second file, and on a difference against the solution computed
 * anew, to say where it is.
 */
#include "suites/nht/bt.h"
#include "suites/nht/nht.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct verify {
    struct pario_run *run;
    const struct nht_options *opt;
    const struct pario_bt_class *cls;
    int file; /* the present one of run->operands */
    FILE *in, *other;
    double *dump, *second;
    size_t count; /* doubles of a dump */
    int ndumps;   /* so far */
    int right, wrong, unknown;
};

/* FORTRAN 77 F15.10: a number that does not fit is printed as asterisks. */
static void print_f15_10(double value)
{
    char text[512];
    int len = snprintf(text, sizeof(text), "%15.10f", value);

    puts(len > 15 ? "***************" : text);
}

static void print_diagonal(const struct verify *vf)
{
    size_t n = (size_t)vf->cls->n;

    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < 5; m++)
            print_f15_10(vf->dump[5 * (i + n * (i + n * i)) + m]);
}

/* Is the second point of the file on the face of a grid of this class? */
static int fits(const struct pario_bt_class *cls, const double *start)
{
    double exact[5];

    pario_bt_exact(1.0 / (cls->n - 1), 0.0, 0.0, exact);
    for (int m = 0; m < 5; m++)
        if (!(fabs(start[5 + m] - exact[m]) <= 1e-12 * fabs(exact[m])))
            return 0;
    return 1;
}

/* The class whose dumps fill the file; where two do (W is 8 times S), the one
 * whose face the file begins with. */
static int find_class(struct verify *vf, const char *path)
{
    static const char *const names[] = {"S", "W", "A", "B", "C"};
    double start[10] = {0};
    struct stat st;

    if (fstat(fileno(vf->in), &st) != 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    if (vf->opt->bt_class != NULL) {
        vf->cls = pario_bt_class_find(vf->opt->bt_class);
        if (vf->cls == NULL)
            return pario_fail(PARIO_EUSAGE,
                              "unknown class '%s' (S, W, A, B or C)",
                              vf->opt->bt_class);
    } else {
        size_t got = fread(start, sizeof(start[0]), 10, vf->in);

        rewind(vf->in);
        for (size_t i = 0; i < 5; i++) {
            const struct pario_bt_class *cls = pario_bt_class_find(names[i]);

            if (st.st_size % pario_bt_dump_bytes(cls) == 0 &&
                (vf->cls == NULL || (got == 10 && fits(cls, start))))
                vf->cls = cls;
        }
    }
    if (vf->cls == NULL || st.st_size == 0 ||
        st.st_size % pario_bt_dump_bytes(vf->cls) != 0)
        return pario_fail(PARIO_EFORMAT,
                          "%s has %lld bytes: no whole number of solution "
                          "vectors of %s (truncated?)",
                          path, (long long)st.st_size,
                          vf->opt->bt_class != NULL ? "this class"
                                                    : "any class");
    return 0;
}

static int open_next(struct verify *vf)
{
    const char *path = vf->run->operands[vf->file];

    vf->in = fopen(path, "rb");
    if (vf->in == NULL)
        return pario_fail_errno(-errno, "cannot open %s", path);
    return 0;
}

static void where(size_t word, const struct verify *vf, char *text, size_t len)
{
    size_t n = (size_t)vf->cls->n, point = word / 5;

    snprintf(text, len,
             "byte %llu of the dump: point (%zu, %zu, %zu), component %zu",
             (unsigned long long)word * 8, point % n, point / n % n,
             point / (n * n), word % 5 + 1);
}

static uint64_t bits(double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    return word;
}

/* Says where dump and want differ first. */
static void describe(const struct verify *vf, const double *want,
                     const char *than)
{
    size_t first = vf->count, ndiff = 0;
    uint64_t a, b;
    char text[160];

    for (size_t i = 0; i < vf->count; i++) {
        if (bits(vf->dump[i]) == bits(want[i]))
            continue;
        ndiff++;
        if (first == vf->count)
            first = i;
    }
    if (ndiff == 0)
        return;
    a = bits(vf->dump[first]);
    b = bits(want[first]);
    where(first, vf, text, sizeof(text));
    fprintf(stderr,
            "%s, dump %d: %zu values differ from %s; the first at %s is %.17g "
            "(%016llx) instead of %.17g (%016llx)\n",
            vf->run->operands[vf->file], vf->ndumps + 1, ndiff, than, text,
            vf->dump[first], (unsigned long long)a, want[first],
            (unsigned long long)b);
}

/* The dump computed anew, on this process alone. */
static int locate(struct verify *vf, int step)
{
    struct pario_bt_setup setup = {.cls = vf->cls, .kernel = -1};
    struct pario_bt *bt = NULL;
    int code = pario_bt_create_alone(&setup, &bt);

    if (code != 0)
        return pario_fail_errno(code, "cannot compute the solution");
    fprintf(stderr, "computing step %d of class %c to find the place\n", step,
            vf->cls->name);
    pario_bt_start(bt);
    for (int s = 0; s < step && code == 0; s++)
        code = pario_bt_step(bt);
    if (code == 0) {
        pario_bt_pack(bt, vf->second);
        describe(vf, vf->second, "the solution");
    }
    pario_bt_destroy(bt);
    return code;
}

static int judge(struct verify *vf)
{
    int step = (vf->ndumps + 1) * (int)vf->opt->interval;
    uint64_t want = 0;
    int code = 0;

    if (step % PARIO_BT_INTERVAL == 0)
        want = pario_bt_dump_digest(vf->cls, step / PARIO_BT_INTERVAL - 1);
    if (want == 0)
        vf->unknown++;
    else if (pario_bt_digest(vf->dump, vf->count, 0) == want)
        vf->right++;
    else if (vf->wrong++ == 0 && vf->other == NULL)
        code = locate(vf, step);
    if (vf->other != NULL) {
        size_t got = fread(vf->second, sizeof(double), vf->count, vf->other);

        if (got != vf->count)
            return pario_fail(PARIO_EVERIFY, "%s ends within dump %d",
                              vf->opt->compare, vf->ndumps + 1);
        if (memcmp(vf->dump, vf->second, vf->count * sizeof(double)) != 0) {
            vf->wrong += vf->wrong == 0;
            describe(vf, vf->second, vf->opt->compare);
        }
    }
    return code;
}

static int read_file(struct verify *vf)
{
    const char *path = vf->run->operands[vf->file];
    int code = 0;

    while (code == 0) {
        size_t got = fread(vf->dump, sizeof(double), vf->count, vf->in);

        if (got == 0 && feof(vf->in))
            break;
        if (got != vf->count)
            return pario_fail_errno(ferror(vf->in) ? -EIO : PARIO_ESHORT,
                                    "cannot read dump %d from %s",
                                    vf->ndumps + 1, path);
        print_diagonal(vf);
        code = judge(vf);
        vf->ndumps++;
    }
    return code;
}

static int read_files(struct verify *vf)
{
    int code = 0;

    for (; vf->file < vf->run->noperands && code == 0; vf->file++) {
        const struct pario_bt_class *before = vf->cls;

        code = open_next(vf);
        if (code == 0)
            code = find_class(vf, vf->run->operands[vf->file]);
        if (code == 0 && before != NULL && before != vf->cls)
            code = pario_fail(PARIO_EFORMAT, "%s is of another class",
                              vf->run->operands[vf->file]);
        if (code == 0 && vf->dump == NULL) {
            vf->count = (size_t)pario_bt_dump_bytes(vf->cls) / sizeof(double);
            vf->dump = malloc(vf->count * sizeof(double));
            vf->second = malloc(vf->count * sizeof(double));
            if (vf->dump == NULL || vf->second == NULL)
                code = pario_fail_errno(-ENOMEM, "cannot hold a dump");
        }
        if (code == 0)
            code = read_file(vf);
        if (vf->in != NULL)
            fclose(vf->in);
        vf->in = NULL;
    }
    return code;
}

static int conclude(struct verify *vf)
{
    if (vf->other != NULL && fgetc(vf->other) != EOF)
        return pario_fail(PARIO_EVERIFY, "%s has more dumps than these files",
                          vf->opt->compare);
    if (fflush(stdout) != 0 || ferror(stdout))
        return pario_fail_errno(-errno, "cannot write to standard output");
    if (!vf->run->common.quiet)
        fprintf(stderr, "class %c, %d dumps: %d right, %d wrong%s\n",
                vf->cls->name, vf->ndumps, vf->right, vf->wrong,
                vf->unknown > 0 ? ", the others have no reference" : "");
    if (vf->run->result != NULL) {
        pario_result_set(vf->run->result, "summary", "dumps",
                         json_integer(vf->ndumps));
        pario_result_set(vf->run->result, "summary", "dumps_right",
                         json_integer(vf->right));
        pario_result_set(vf->run->result, "summary", "dumps_wrong",
                         json_integer(vf->wrong));
    }
    if (vf->wrong > 0)
        return pario_fail(PARIO_EVERIFY,
                          "%d of %d dumps are not what the benchmark computes",
                          vf->wrong, vf->ndumps);
    return 0;
}

/* Standard output belongs to the numbers, and a document is only written
 * when one is asked for. */
static void quieten(struct pario_run *run)
{
    run->common.quiet = 1;
    if (run->common.output != NULL || run->result == NULL)
        return;
    unlink(pario_result_path(run->result));
    pario_result_destroy(run->result);
    run->result = NULL;
}

int pario_nht_verify(struct pario_run *run)
{
    struct verify vf = {.run = run, .opt = run->options};
    int code = 0;

    if (pario_group_size(run->world) != 1)
        return pario_fail(PARIO_EUSAGE,
                          "nht verify runs on one process (NHT-1, 2.6)");
    if (run->noperands < 1)
        return pario_fail(PARIO_EUSAGE, "nht verify needs the file(s) to read");
    if (vf.opt->compare != NULL) {
        vf.other = fopen(vf.opt->compare, "rb");
        if (vf.other == NULL)
            return pario_fail_errno(-errno, "cannot open %s", vf.opt->compare);
    }
    code = read_files(&vf);
    if (code == 0 && vf.cls != NULL)
        code = conclude(&vf);
    quieten(run);
    if (vf.other != NULL)
        fclose(vf.other);
    free(vf.dump);
    free(vf.second);
    return code;
}
