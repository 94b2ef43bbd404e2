/* suites/beffio/pass.c - one pattern type with one access method: from opening
 * the file to closing it. */
#include "suites/beffio/pass.h"

#include "core/clock.h"

#include <stdio.h>

static void name_file(struct beffio_pass *pass)
{
    char name[64];

    snprintf(name, sizeof(name),
             pass->type == BEFFIO_SEPARATE ? "beffio-%d-type%d.%d"
                                           : "beffio-%d-type%d",
             pass->experiment->number, (int)pass->type, pass->rank);
    pario_run_path(pass->beffio->run, name, pass->path, sizeof(pass->path));
}

void beffio_pass_init(struct beffio_pass *pass, struct beffio *beffio,
                      struct beffio_experiment *experiment,
                      enum beffio_type type, enum beffio_access access)
{
    *pass = (struct beffio_pass){
        .beffio = beffio,
        .experiment = experiment,
        .group = experiment->group,
        .type = type,
        .access = access,
        .rank = pario_group_rank(experiment->group),
        .size = pario_group_size(experiment->group),
        .mpi = experiment->mpi != NULL ? experiment->mpi : &pario_mpiio_shipio,
        .file = MPI_FILE_NULL,
    };
    pass->whole = (struct pario_phase){
        .run = beffio->run,
        .group = experiment->group,
        .path = pass->path,
        .shared = type != BEFFIO_SEPARATE,
        .writing = access != BEFFIO_READ,
        .reading = access == BEFFIO_READ,
    };
    name_file(pass);
}

int beffio_pass_begin(struct beffio_pass *pass)
{
    int code = pario_phase_prepare(&pass->whole);

    return code != 0 ? code : beffio_file_open(pass);
}

int beffio_pass_end(struct beffio_pass *pass, int code)
{
    int size_code = 0;

    if (pass->whole.begin_ns == 0)
        return code; /* not even prepared */
    if (code == 0) {
        size_code = beffio_file_check_size(pass);
        (void)pario_phase_resume(&pass->whole, 1);
        code = pario_mpi_check(pass->mpi->close(&pass->file), "MPI_File_close");
    }
    code = pario_phase_end(&pass->whole, code);
    return code != 0 ? code : size_code;
}

/* Rank 0 knows the wall clock: a run that is late gives the next patterns
 * less. The others hear of it. */
static double time_for(const struct beffio_pass *pass,
                       const struct beffio_pattern *row)
{
    struct beffio *beffio = pass->beffio;
    double scheduled = beffio_pattern_time(beffio, row->U);
    double late = pario_clock_s() - beffio->start_s - beffio->scheduled_s;
    double seconds = scheduled;

    if (late > 0)
        seconds -= late < scheduled / 2 ? late : scheduled / 2;
    beffio->scheduled_s += scheduled;
    if (pario_bcast(pass->group, &seconds, sizeof(seconds)) != 0)
        return scheduled;
    return seconds;
}

static void announce(const struct beffio_pass *pass,
                     const struct beffio_pattern *row, double seconds)
{
    char chunk[32];

    pario_run_phase(pass->beffio->run, seconds, "%s type %d %s, %s, np %d",
                    beffio_access_names[pass->access], (int)pass->type,
                    beffio_types[pass->type].name,
                    beffio_chunk_name(row->l, chunk, sizeof(chunk)),
                    pass->size);
}

static int append_samples(const struct beffio_pass *pass,
                          const struct beffio_loop *loop)
{
    char header[256];

    if (loop->samples == NULL)
        return 0;
    snprintf(header, sizeof(header),
             "suite beffio\ntestname type%d\naccess %s\nblocksize %lld\n",
             (int)pass->type, beffio_access_names[pass->access],
             (long long)loop->l);
    return pario_samples_append(pass->group, pass->beffio->run->common.samples,
                                header, loop->reading ? "r" : "w",
                                loop->samples);
}

static int run_patterns(struct beffio_pass *pass)
{
    const struct beffio_pattern *rows = beffio_patterns(pass->type);
    int code = 0;

    for (int i = 0; code == 0 && rows[i].l != 0; i++) {
        struct beffio_part part = {.index = i, .row = &rows[i]};
        double seconds = time_for(pass, &rows[i]);

        announce(pass, &rows[i], seconds);
        code = beffio_pattern_run(pass, &part, seconds);
        if (code == 0)
            code = append_samples(pass, &part.loop);
        if (code == 0)
            code = beffio_record_pattern(pass, &part);
    }
    return code;
}

int beffio_pass_run(struct beffio *beffio, struct beffio_experiment *experiment,
                    enum beffio_type type, enum beffio_access access)
{
    struct beffio_pass pass;
    int code = 0, opened, ended;

    beffio_pass_init(&pass, beffio, experiment, type, access);
    opened = beffio_pass_begin(&pass);
    if (opened == 0)
        code = run_patterns(&pass);
    ended = beffio_pass_end(&pass, opened);
    if (ended != 0) {
        pario_run_invalidate(beffio->run, "type %d %s: %s", (int)type,
                             beffio_access_names[access],
                             pario_error_message());
        pass.errors++;
    }
    if (code == 0)
        code = beffio_record_total(&pass);
    if (code == 0 && opened == 0)
        code = beffio_record_hints(&pass);
    pario_hints_fini(&pass.in_force);
    return code;
}
