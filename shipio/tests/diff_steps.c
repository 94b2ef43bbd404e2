/* diff_steps.c - views, pointers, sizes and modes. */
#include "diff_native.h"

#include <stdio.h>
#include <string.h>

static bool same_view(const struct diff_part *a, const struct diff_part *b)
{
    return a->disp == b->disp &&
           !strcmp(a->filetype->text, b->filetype->text) &&
           a->filetype->nsegs == b->filetype->nsegs &&
           diff_extent(a->filetype) == diff_extent(b->filetype) &&
           (a->filetype->nsegs == 0 ||
            !memcmp(a->filetype->segs, b->filetype->segs,
                    (size_t)a->filetype->nsegs * sizeof(*a->filetype->segs)));
}

void diff_step_view(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    const struct diff_part *mine = &op->part[run->me];
    MPI_Info info = diff_make_info(&op->hint, 1, NULL);
    char problem[600];

    diff_flush(run);
    if (diff_type_check(mine->filetype, problem, sizeof(problem)))
        diff_fail(run, "%s", problem);
    diff_check_code(run,
                    MPI_File_set_view(run->fh, m->base + mine->disp,
                                      op->etype->mpi, mine->filetype->mpi,
                                      "native", info),
                    "MPI_File_set_view");
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    m->uniform_view = true;
    for (int r = 0; r < run->c->ranks; r++) {
        diff_model_set_view(m, r, m->base + op->part[r].disp, op->etype,
                            op->part[r].filetype);
        m->uniform_view &= same_view(&op->part[0], &op->part[r]) &&
                           op->part[r].filetype->size > 0;
    }
    m->shared_position = 0;
}

/* Where a seek leads, or -1 when it is not allowed or not defined. */
static int64_t seek_target(const struct diff_model *m, int r, int64_t position,
                           const struct diff_part *part)
{
    const struct diff_view *view = &m->view[r];

    if (part->whence == MPI_SEEK_SET)
        return part->offset;
    if (part->whence == MPI_SEEK_CUR)
        return position + part->offset;
    int64_t end = diff_view_end(view, m->size);
    /* An end within an etype or before the view could be counted either way. */
    if (m->size < view->disp)
        return -1;
    if (end > 0 &&
        diff_view_offset(view, end * view->etype_size - 1) >= m->size)
        return -1;
    return end + part->offset;
}

void diff_step_seek(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    bool needs_end = false;

    for (int r = 0; r < run->c->ranks; r++)
        needs_end |=
            op->part[r].takes_part && op->part[r].whence == MPI_SEEK_END;
    if (needs_end && diff_native_avoids(run, DIFF_FLAW_SEEK_END))
        return;
    if (needs_end)
        diff_end_epoch(run);
    else if (run->split_active)
        diff_flush(run);
    for (int r = 0; r < run->c->ranks; r++) {
        const struct diff_part *part = &op->part[r];
        int64_t target = seek_target(m, r, m->position[r], part);

        if (!part->takes_part || target < 0)
            continue;
        if (r == run->me)
            diff_check_code(run,
                            MPI_File_seek(run->fh, part->offset, part->whence),
                            "MPI_File_seek");
        m->position[r] = target;
    }
    /* Nobody may move the end before all have seen it. */
    if (needs_end)
        MPI_Barrier(run->comm);
}

void diff_step_seek_shared(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    const struct diff_part *part = &op->part[0];

    if (!m->uniform_view || (part->whence == MPI_SEEK_END &&
                             diff_native_avoids(run, DIFF_FLAW_SEEK_END)))
        return;
    diff_end_epoch(run);
    int64_t target = seek_target(m, 0, m->shared_position, part);
    if (target < 0)
        return;
    diff_check_code(run,
                    MPI_File_seek_shared(run->fh, part->offset, part->whence),
                    "MPI_File_seek_shared");
    m->shared_position = target;
    MPI_Barrier(run->comm);
}

void diff_step_position(struct diff_run *run)
{
    struct diff_model *m = &run->model;
    const struct diff_view *view = &m->view[run->me];
    int64_t wanted = m->position[run->me];
    MPI_Offset position = -1, bytes = -1;

    if (run->split_active)
        diff_flush(run);
    diff_check_code(run, MPI_File_get_position(run->fh, &position),
                    "MPI_File_get_position");
    if (position != wanted)
        diff_fail(run, "position is %lld, wanted %lld", (long long)position,
                  (long long)wanted);
    diff_check_code(run, MPI_File_get_byte_offset(run->fh, wanted, &bytes),
                    "MPI_File_get_byte_offset");
    if (bytes != diff_view_offset(view, wanted * view->etype_size))
        diff_fail(run, "byte offset of %lld is %lld, wanted %lld",
                  (long long)wanted, (long long)bytes,
                  (long long)diff_view_offset(view, wanted * view->etype_size));
    if (!m->uniform_view)
        return;
    diff_flush(run);
    MPI_Barrier(run->comm);
    diff_check_code(run, MPI_File_get_position_shared(run->fh, &position),
                    "MPI_File_get_position_shared");
    if (position != m->shared_position)
        diff_fail(run, "shared position is %lld, wanted %lld",
                  (long long)position, (long long)m->shared_position);
    MPI_Barrier(run->comm);
}

void diff_step_size(struct diff_run *run)
{
    MPI_Offset size = -1;

    diff_end_epoch(run);
    diff_check_code(run, MPI_File_get_size(run->fh, &size),
                    "MPI_File_get_size");
    if (size != run->model.size)
        diff_fail(run, "size is %lld, wanted %lld", (long long)size,
                  (long long)run->model.size);
    MPI_Barrier(run->comm);
}

void diff_step_resize(struct diff_run *run, const struct diff_op *op)
{
    struct diff_model *m = &run->model;
    int64_t size = m->base + op->size;

    if (run->c->amode & MPI_MODE_RDONLY)
        return;
    if (op->kind == DIFF_PREALLOCATE && m->base > 0)
        return; /* would really take the space */
    if (op->kind == DIFF_PREALLOCATE && run->c->amode & MPI_MODE_WRONLY &&
        diff_native_avoids(run, DIFF_FLAW_PREALLOCATE))
        return;
    diff_end_epoch(run);
    if (op->kind == DIFF_SET_SIZE) {
        diff_check_code(run, MPI_File_set_size(run->fh, size),
                        "MPI_File_set_size");
        diff_model_resize(m, size);
    } else {
        diff_check_code(run, MPI_File_preallocate(run->fh, size),
                        "MPI_File_preallocate");
        if (size > m->size)
            diff_model_resize(m, size);
    }
    diff_end_epoch(run);
}

void diff_step_atomicity(struct diff_run *run, const struct diff_op *op)
{
    int flag = -1;

    diff_end_epoch(run);
    diff_check_code(run, MPI_File_set_atomicity(run->fh, op->flag),
                    "MPI_File_set_atomicity");
    diff_check_code(run, MPI_File_get_atomicity(run->fh, &flag),
                    "MPI_File_get_atomicity");
    if (!flag != !op->flag)
        diff_fail(run, "atomicity is %d, wanted %d", flag, op->flag);
    run->model.atomic = op->flag;
}

void diff_step_info(struct diff_run *run, const struct diff_op *op)
{
    MPI_Info info = diff_make_info(&op->hint, 1, NULL);
    MPI_Info used = MPI_INFO_NULL;

    diff_flush(run);
    if (info == MPI_INFO_NULL)
        return;
    diff_check_code(run, MPI_File_set_info(run->fh, info), "MPI_File_set_info");
    MPI_Info_free(&info);
    diff_check_code(run, MPI_File_get_info(run->fh, &used),
                    "MPI_File_get_info");
    if (used != MPI_INFO_NULL)
        MPI_Info_free(&used);
}
