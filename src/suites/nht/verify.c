/*
 * NHT-1's post-processing program (report RND-92-016, section 2.6): reads the
 * dumps in order on one process, prints the main diagonal in F15.10, one
 * number a line, and checks every byte: against the digests of the class, or
 * where there is none the solution computed anew, and against a second file.
 * On a difference the solution computed anew says where it is.
 */
#include "apps/bt/bt.h"
#include "suites/nht/nht.h"

#include "measure/phase.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct verify {
    struct pario_run *run;
    const struct nht_options *opt;
    const struct pario_bt_class *cls;
    int file; /* the present one of run->operands */
    FILE *in, *other;
    double *dump, *second;
    size_t count;             /* doubles of a dump */
    int ndumps;               /* so far */
    int right, wrong;         /* by digest or by computing anew */
    int same, different;      /* from --compare's file */
    struct pario_phase phase; /* its time is that of reading the dumps */
    struct pario_bt *bt;      /* for computing anew; NULL: not needed yet */
    int step;                 /* that bt has reached */
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

/* How many points of the file's first plane, which is a face of the grid and
 * never changes, are those of this class: a share, since grids differ. */
static double share_on_face(const struct pario_bt_class *cls, FILE *in)
{
    int n = cls->n, right = 0;
    double have[5], exact[5];

    rewind(in);
    for (int p = 0; p < n * n; p++) {
        int i = p % n, j = p / n, m = 0;

        if (fread(have, sizeof(have[0]), 5, in) != 5)
            return 0.0;
        pario_bt_exact((double)i / (n - 1), (double)j / (n - 1), 0.0, exact);
        while (m < 5 && fabs(have[m] - exact[m]) <= 1e-12 * fabs(exact[m]))
            m++;
        right += m == 5;
    }
    return (double)right / (n * n);
}

/* The class whose dumps fill the file; where two do (W is 8 times S), the one
 * more of whose face the file begins with. */
static const struct pario_bt_class *guess_class(FILE *in, int64_t size)
{
    static const char *const names[] = {"S", "W", "A", "B", "C"};
    const struct pario_bt_class *best = NULL;
    double most = -1.0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct pario_bt_class *cls = pario_bt_class_find(names[i]);
        double share;

        if (size % pario_bt_dump_bytes(cls) != 0)
            continue;
        share = share_on_face(cls, in);
        if (share > most) {
            most = share;
            best = cls;
        }
    }
    rewind(in);
    return best;
}

static int find_class(struct verify *vf, const char *path)
{
    struct stat st;

    if (fstat(fileno(vf->in), &st) != 0)
        return pario_fail_errno(-errno, "cannot read %s", path);
    if (vf->opt->bt_class == NULL) {
        vf->cls = guess_class(vf->in, st.st_size);
    } else {
        vf->cls = pario_bt_class_find(vf->opt->bt_class);
        if (vf->cls == NULL)
            return pario_fail(PARIO_EUSAGE,
                              "unknown class '%s' (S, W, A, B or C)",
                              vf->opt->bt_class);
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

/* The solution after so many steps, computed on this process alone, in want.
 * Dumps come in order, so the solver only ever goes on. */
static int compute(struct verify *vf, int step, double *want)
{
    struct pario_bt_setup setup = {.cls = vf->cls, .kernel = -1};
    int code = 0;

    if (vf->bt == NULL) {
        code = pario_bt_create_alone(&setup, &vf->bt);
        if (code != 0)
            return pario_fail_errno(code, "cannot compute the solution");
        fprintf(stderr, "computing class %c anew to compare\n", vf->cls->name);
        pario_bt_start(vf->bt);
    }
    for (; vf->step < step && code == 0; vf->step++)
        code = pario_bt_step(vf->bt);
    if (code != 0)
        return pario_fail_errno(code, "cannot compute the solution");
    pario_bt_pack(vf->bt, want);
    return 0;
}

/* The step of the present dump: the last one of a run is always dumped. */
static int step_of(const struct verify *vf)
{
    int64_t step = (vf->ndumps + 1) * vf->opt->interval;

    return step < vf->cls->steps ? (int)step : vf->cls->steps;
}

/* Against what the benchmark computes. */
static int judge(struct verify *vf)
{
    int step = step_of(vf), code = 0, bad;
    uint64_t want = 0;

    if (step % PARIO_BT_INTERVAL == 0)
        want = pario_bt_dump_digest(vf->cls, step / PARIO_BT_INTERVAL - 1);
    bad = want != 0 && pario_bt_digest(vf->dump, vf->count, 0) != want;
    if (want == 0 || (bad && vf->wrong == 0)) {
        code = compute(vf, step, vf->second);
        if (code != 0)
            return code;
    }
    if (want == 0)
        bad = memcmp(vf->dump, vf->second, vf->count * sizeof(double)) != 0;
    if (bad && vf->wrong == 0)
        describe(vf, vf->second, "the solution");
    vf->wrong += bad;
    vf->right += !bad;
    return 0;
}

/* Against --compare's file. */
static int compare(struct verify *vf)
{
    size_t got = fread(vf->second, sizeof(double), vf->count, vf->other);

    if (got != vf->count)
        return pario_fail(PARIO_EVERIFY, "%s ends within dump %d",
                          vf->opt->compare, vf->ndumps + 1);
    if (memcmp(vf->dump, vf->second, vf->count * sizeof(double)) == 0) {
        vf->same++;
        return 0;
    }
    if (vf->different++ == 0)
        describe(vf, vf->second, vf->opt->compare);
    return 0;
}

static int read_file(struct verify *vf)
{
    const char *path = vf->run->operands[vf->file];
    int code = 0;

    while (code == 0) {
        size_t got;

        (void)pario_phase_resume(&vf->phase,
                                 !pario_phase_reads_ahead(&vf->phase));
        got = fread(vf->dump, sizeof(double), vf->count, vf->in);
        pario_phase_pause(&vf->phase); /* for all that comes after reading */
        if (got == 0 && feof(vf->in))
            break;
        if (got != vf->count)
            return pario_fail_errno(ferror(vf->in) ? -EIO : PARIO_ESHORT,
                                    "cannot read dump %d from %s",
                                    vf->ndumps + 1, path);
        print_diagonal(vf);
        code = judge(vf);
        if (code == 0 && vf->other != NULL)
            code = compare(vf);
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

/* What was found goes into the document, also when it is bad. A digest says
 * whether a dump is right: dumps are counted. */
static int record(struct verify *vf, int code)
{
    int64_t bytes = (int64_t)(vf->count * sizeof(double));
    struct pario_figures *figures = &vf->phase.figures;
    struct pario_result *result = vf->run->result;
    struct pario_measure measure = {
        .test = "verify",
        .access = "read",
        .partition = 1,
        .error = code != 0 ? pario_error_message() : NULL,
    };

    figures->bytes = bytes * vf->ndumps;
    figures->operations = vf->ndumps;
    figures->checked_bytes = bytes * (vf->right + vf->wrong);
    figures->wrong_bytes = vf->wrong + vf->different;
    snprintf(figures->wrong, sizeof(figures->wrong), "%s",
             pario_error_message());
    code = pario_phase_settle(&vf->phase);
    if (result == NULL || code != 0)
        return code;
    measure.extra = json_pack("{s:i, s:i}", "dumps_right", vf->right,
                              "dumps_wrong", vf->wrong);
    if (vf->other != NULL)
        json_object_set_new(measure.extra, "dumps_different",
                            json_integer(vf->different));
    pario_result_set(result, "summary", "dumps", json_integer(vf->ndumps));
    pario_result_set(result, "summary", "dumps_right", json_integer(vf->right));
    pario_result_set(result, "summary", "dumps_wrong", json_integer(vf->wrong));
    return pario_phase_record(&vf->phase, &measure);
}

static int conclude(struct verify *vf, int quiet)
{
    if (vf->other != NULL && fgetc(vf->other) != EOF)
        return pario_fail(PARIO_EVERIFY, "%s has more dumps than these files",
                          vf->opt->compare);
    if (fflush(stdout) != 0 || ferror(stdout))
        return pario_fail_errno(-errno, "cannot write to standard output");
    if (!quiet) {
        fprintf(stderr, "class %c%s, %d dumps: %d right, %d wrong",
                vf->cls->name, vf->opt->bt_class == NULL ? " (guessed)" : "",
                vf->ndumps, vf->right, vf->wrong);
        if (vf->other != NULL)
            fprintf(stderr, "; %d the same as in %s, %d different", vf->same,
                    vf->opt->compare, vf->different);
        fputc('\n', stderr);
    }
    if (vf->wrong > 0)
        return pario_fail(PARIO_EVERIFY,
                          "%d of %d dumps are not what the benchmark computes",
                          vf->wrong, vf->ndumps);
    if (vf->different > 0)
        return pario_fail(PARIO_EVERIFY,
                          "%d of %d dumps differ from those in %s",
                          vf->different, vf->ndumps, vf->opt->compare);
    return 0;
}

/* Standard output belongs to the numbers, and a document is only written
 * when one is asked for. */
static void quieten(struct pario_run *run)
{
    run->common.quiet = 1;
    if (run->common.output != NULL || run->result == NULL)
        return;
    pario_result_destroy(run->result);
    run->result = NULL;
}

/* The clock stands still but for reading. */
static int begin(struct verify *vf)
{
    int code;

    vf->phase = (struct pario_phase){
        .run = vf->run,
        .group = vf->run->world,
        .path = vf->run->operands[0],
        .reading = 1,
    };
    code = pario_phase_prepare(&vf->phase);
    if (code == 0)
        code = pario_phase_begin(&vf->phase);
    pario_phase_pause(&vf->phase);
    return code;
}

int pario_nht_verify(struct pario_run *run)
{
    struct verify vf = {.run = run, .opt = run->options};
    int code = 0, quiet = run->common.quiet, record_code = 0;

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
    quieten(run);
    code = begin(&vf);
    if (code == 0) {
        code = read_files(&vf);
        record_code = pario_phase_end(&vf.phase, 0);
        if (code == 0 && vf.cls != NULL)
            code = conclude(&vf, quiet);
        if (record_code == 0)
            record_code = record(&vf, code);
    }
    pario_phase_drop(&vf.phase);
    if (vf.other != NULL)
        fclose(vf.other);
    pario_bt_destroy(vf.bt);
    free(vf.dump);
    free(vf.second);
    return code != 0 ? code : record_code;
}
