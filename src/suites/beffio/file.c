/* suites/beffio/file.c - the file(s) of a type: opened with hints, seen through
 * a view for each pattern. */
#include "core/cleanup.h"
#include "io/mpiio_hints.h"
#include "measure/striping.h"
#include "suites/beffio/pass.h"

#include <stdio.h>

int beffio_uses_shared_pointer(const struct beffio_pass *pass)
{
    return pass->type == BEFFIO_SHARED && !pass->beffio->options->no_shared;
}

int beffio_reads_everything(const struct beffio_pass *pass)
{
    return pass->type == BEFFIO_SAMEDATA && pass->access == BEFFIO_READ;
}

/* Collective, timed: the call itself, and its agreement where each process has
 * a file of its own. */
static int open_timed(struct beffio_pass *pass, MPI_Info info)
{
    int separate = pass->type == BEFFIO_SEPARATE;
    MPI_Comm comm = separate ? MPI_COMM_SELF : pario_group_comm(pass->group);
    /* Shared pointers and data sieving writes need reading too. */
    int mode = pass->access == BEFFIO_READ ? MPI_MODE_RDONLY
               : pass->access == BEFFIO_WRITE
                   ? MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR
                   : MPI_MODE_RDWR;
    int own = pario_mpi_check(
        pass->mpi->open(comm, pass->path, mode, info, &pass->file), pass->path);
    int checked = own == 0 ? pario_own_check(pass->path) : 0;
    int code = pario_agree(pass->group, own != 0 ? own : checked);

    if (code != 0 && own == 0 && separate)
        pass->mpi->close(&pass->file); /* beside one that failed */
    return code;
}

int beffio_file_open(struct beffio_pass *pass)
{
    struct pario_hints hints = {0};
    MPI_Info info = MPI_INFO_NULL;
    int code = beffio_hintset_open(pass->experiment->hints, pass->type,
                                   pass->access, &hints);
    int begin_code;

    if (code == 0)
        code = pario_hints_to_info(&hints, &info);
    code = pario_agree(pass->group, code);
    begin_code = pario_phase_begin(&pass->whole);
    if (code == 0)
        code = begin_code;
    if (code == 0)
        code = open_timed(pass, info);
    pario_phase_pause(&pass->whole);
    if (code == 0)
        pario_striping_check(pass->beffio->run, &hints, pass->path);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    pario_hints_fini(&hints);
    if (code != 0)
        return code;
    return pario_agree(pass->group, pario_hints_of_calls(pass->mpi, pass->file,
                                                         &pass->in_force));
}

/* What became of the hints that a view asked for, by chunk size. */
static int note_chunk_hints(struct beffio_pass *pass,
                            const struct beffio_pattern *row,
                            const struct pario_hints *requested)
{
    struct pario_hints now = {0};
    char chunk[32], name[256];
    int code = pario_hints_of_calls(pass->mpi, pass->file, &now);

    for (size_t i = 0; code == 0 && i < requested->count; i++) {
        const char *value = pario_hints_get(&now, requested->hint[i].key);

        snprintf(name, sizeof(name), "chunk %s: %s",
                 beffio_chunk_name(row->l, chunk, sizeof(chunk)),
                 requested->hint[i].key);
        code = pario_hints_set(&pass->in_force, name,
                               value != NULL ? value : "(not taken)");
    }
    pario_hints_fini(&now);
    return code;
}

/* Chunk-size hints go with the view (Sect. 7.1). Once one chunk size has hints
 * of its own, each view sets them all: what one switched the next must switch
 * back. */
static int find_hints(const struct beffio_pass *pass,
                      const struct beffio_pattern *row,
                      struct pario_hints *hints, MPI_Info *info_p)
{
    const struct beffio_hintset *set = pass->experiment->hints;
    int found = 0;
    int code = beffio_hintset_open(set, pass->type, pass->access, hints);

    if (code == 0)
        code = beffio_hintset_chunk(set, pass->type, pass->access, row->l,
                                    hints, &found);
    if (code == 0 && beffio_hintset_has_chunks(set, pass->type, pass->access))
        code = pario_hints_to_info(hints, info_p);
    return code;
}

/* The view begins where the pattern does. */
int beffio_file_view(struct beffio_pass *pass, struct beffio_part *part)
{
    struct beffio_loop *loop = &part->loop;
    struct pario_hints hints = {0};
    MPI_Info info = MPI_INFO_NULL;
    MPI_Datatype filetype = MPI_BYTE;
    int scattered = beffio_types[pass->type].strided &&
                    !beffio_uses_shared_pointer(pass) &&
                    !beffio_reads_everything(pass);
    int code = find_hints(pass, part->row, &hints, &info);

    if (code == 0 && scattered)
        code = pario_mpi_strided_type(loop->l, loop->stride, &filetype);
    code = pario_agree(pass->group, code);
    if (code == 0) {
        loop->view =
            beffio_uses_shared_pointer(pass) ? pass->begin : loop->first;
        (void)pario_phase_resume(&pass->whole, 1);
        code = pario_mpi_check(pass->mpi->set_view(pass->file, loop->view,
                                                   MPI_BYTE, filetype, "native",
                                                   info),
                               "MPI_File_set_view");
        pario_phase_pause(&pass->whole);
    }
    if (code == 0 && info != MPI_INFO_NULL)
        code = note_chunk_hints(pass, part->row, &hints);
    if (filetype != MPI_BYTE)
        MPI_Type_free(&filetype);
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    pario_hints_fini(&hints);
    return pario_agree(pass->group, code);
}

int beffio_file_check_size(const struct beffio_pass *pass)
{
    int64_t end = pass->begin;
    MPI_Offset size = 0;
    int code = 0;

    if (pass->access != BEFFIO_WRITE || pass->type == BEFFIO_RANDOM)
        return 0; /* a random order may leave the end of its file unwritten */
    if (beffio_types[pass->type].segmented)
        end = pass->begin > 0
                  ? pass->experiment->segment * pass->rank + pass->begin
                  : 0;
    if (pass->type != BEFFIO_SEPARATE)
        code = pario_reduce_i64(pass->group, PARIO_MAX, &end, 1);
    if (code == 0)
        code = pario_mpi_check(pass->mpi->get_size(pass->file, &size),
                               "MPI_File_get_size");
    if (code == 0 && size < end)
        code = pario_fail(PARIO_EVERIFY,
                          "%s has %lld bytes after writing %lld: success was "
                          "reported for data that was not written",
                          pass->path, (long long)size, (long long)end);
    return pario_agree(pass->group, code);
}
