/* io/mpiio_hints.c - hints as MPI info objects. */
#include "io/mpiio_hints.h"
#include "launch/library.h"
#include "par/group.h"

#include <stdlib.h>
#include <string.h>

int pario_hints_to_info(const struct pario_hints *hints, MPI_Info *info_p)
{
    int err = MPI_Info_create(info_p);

    for (size_t i = 0; hints != NULL && err == MPI_SUCCESS && i < hints->count;
         i++)
        err = MPI_Info_set(*info_p, hints->hint[i].key, hints->hint[i].value);
    return pario_mpi_check(err, "setting MPI hints");
}

/* Open MPI has both; its variable is the only sign of the one in use. */
enum pario_hint_library pario_hints_native_library(void)
{
    const char *io = getenv("OMPI_MCA_io");

    if (strstr(pario_par_library(), "Open MPI") != NULL)
        return io != NULL && strncmp(io, "romio", 5) == 0 ? PARIO_HINTS_ROMIO
                                                          : PARIO_HINTS_OMPIO;
    if (strstr(pario_par_library(), "MPICH") != NULL)
        return PARIO_HINTS_ROMIO;
    return PARIO_HINTS_OTHER;
}

enum pario_hint_library pario_hints_current_library(void)
{
    return pario_shipio_loaded() ? PARIO_HINTS_SHIPIO
                                 : pario_hints_native_library();
}

static int take(const char *key, const char *value,
                enum pario_hint_library library, struct pario_hints *hints)
{
    if (pario_hints_acted_on(library, key))
        return pario_hints_set(hints, key, value);
    /* shipio reports the values of the library below, too, which does not
     * serve the file. */
    if (library == PARIO_HINTS_SHIPIO &&
        pario_hints_acted_on(pario_hints_native_library(), key))
        return 0;
    return pario_hints_set(hints, key, PARIO_HINT_NOT_KNOWN);
}

int pario_hints_of_info(MPI_Info info, enum pario_hint_library library,
                        struct pario_hints *hints)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int count = 0, found = 0, code = 0;

    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; code == 0 && i < count; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        if (found)
            code = take(key, value, library, hints);
    }
    return code;
}

int pario_hints_of_calls(const struct pario_mpiio_calls *calls, MPI_File handle,
                         struct pario_hints *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    int code =
        pario_mpi_check(calls->get_info(handle, &info), "MPI_File_get_info");

    if (code != 0 || info == MPI_INFO_NULL)
        return code;
    code = pario_hints_of_info(info,
                               calls == &pario_mpiio_native
                                   ? pario_hints_native_library()
                                   : pario_hints_current_library(),
                               hints);
    MPI_Info_free(&info);
    return code;
}

int pario_hints_of_file(MPI_File handle, struct pario_hints *hints)
{
    return pario_hints_of_calls(&pario_mpiio_shipio, handle, hints);
}
