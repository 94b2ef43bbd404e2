/* io/mpiio_hints.c - hints as MPI info objects. */
#include "io/mpiio_hints.h"

int pario_hints_to_info(const struct pario_hints *hints, MPI_Info *info_p)
{
    int err = MPI_Info_create(info_p);

    for (size_t i = 0; hints != NULL && err == MPI_SUCCESS && i < hints->count;
         i++)
        err = MPI_Info_set(*info_p, hints->hint[i].key, hints->hint[i].value);
    return pario_mpi_check(err, "setting MPI hints");
}

int pario_hints_of_info(MPI_Info info, struct pario_hints *hints)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int count = 0, found = 0, code = 0;

    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; code == 0 && i < count; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        if (found)
            code = pario_hints_set(hints, key, value);
    }
    return code;
}

int pario_hints_of_file(MPI_File handle, struct pario_hints *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    int code =
        pario_mpi_check(MPI_File_get_info(handle, &info), "MPI_File_get_info");

    if (code != 0 || info == MPI_INFO_NULL)
        return code;
    code = pario_hints_of_info(info, hints);
    MPI_Info_free(&info);
    return code;
}
