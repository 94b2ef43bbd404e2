/* launch/library.c - finding our libraries, and starting with shipio. */
#include "launch/library.h"
#include "core/command.h"
#include "core/self.h"
#include "pario_config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if PARIO_HAVE_MPIIO
#include <mpi.h>
#endif

/* Set for the new process, so that a preload that does not work (a program
 * with special rights) is not tried for ever. */
#define TRIED "PARIO_SHIPIO_TRIED"

static const char *const folders[] = {"lib", PARIO_LIBDIR,
                                      PARIO_LIBDIR "/pario", NULL};

int pario_library_find(const char *name, const char *variable, char *path,
                       size_t len)
{
    const char *given = getenv(variable);
    char self[PATH_MAX];
    char *slash;

    if (given != NULL && given[0] != '\0') {
        snprintf(path, len, "%s", given);
        if (access(path, R_OK) == 0)
            return 0;
        return pario_fail_errno(-errno, "cannot read %s (%s)", path, variable);
    }
    pario_self_path(self, sizeof(self));
    for (int i = 0; i < 2 && (slash = strrchr(self, '/')) != NULL; i++)
        *slash = '\0';
    for (int i = 0; folders[i] != NULL; i++) {
        if ((size_t)snprintf(path, len, "%s/%s/%s", self, folders[i], name) <
                len &&
            access(path, R_OK) == 0)
            return 0;
    }
    return pario_fail(PARIO_EUNAVAIL, "%s is not in %s/%s (%s names it)", name,
                      self, folders[0], variable);
}

int pario_library_shipio(char *path, size_t len)
{
    return pario_library_find("libshipio.so", "PARIO_SHIPIO_LIBRARY", path,
                              len);
}

int pario_library_fault(char *path, size_t len)
{
    return pario_library_find("libpariofault.so", "PARIO_FAULT_LIBRARY", path,
                              len);
}

int pario_library_record(char *path, size_t len)
{
    return pario_library_find("libpariorecord.so", "PARIO_RECORD_LIBRARY", path,
                              len);
}

#if PARIO_HAVE_MPIIO
static int is_of(const void *call, const char *library)
{
    Dl_info info;

    return call != NULL && dladdr(call, &info) != 0 &&
           strstr(info.dli_fname, library) != NULL;
}

int pario_shipio_loaded(void)
{
    /* Whose is the function that a call of ours reaches, the recorder's set
     * aside, which passes it on? */
    const void *call = dlsym(RTLD_DEFAULT, "MPI_File_open");
    void *symbol = dlsym(RTLD_DEFAULT, "pariorecord_next");
    void *(*next)(const char *);

    memcpy(&next, &symbol, sizeof(next));
    if (next != NULL && is_of(call, "pariorecord"))
        call = next("MPI_File_open");
    return is_of(call, "shipio");
}

/* Where a library of ours belongs among those of LD_PRELOAD: behind the
 * recorder, which must see the program's own calls. */
static size_t find_place(const char *preload)
{
    size_t len = strcspn(preload, ": ");

    if (len < strlen("libpariorecord.so") ||
        strncmp(preload + len - strlen("libpariorecord.so"),
                "libpariorecord.so", strlen("libpariorecord.so")) != 0)
        return 0;
    return len + (preload[len] != '\0');
}

int pario_shipio_preload(int threads)
{
    char *const *argv = pario_command_typed();
    const char *preload = getenv("LD_PRELOAD");
    const char *before = preload != NULL ? preload : "";
    int first = (int)find_place(before);
    char path[PATH_MAX], self[PATH_MAX];
    char *all = NULL;
    int code;

    if (pario_shipio_loaded() || getenv(TRIED) != NULL)
        return 0;
    code = pario_library_shipio(path, sizeof(path));
    if (code != 0)
        return code;
    if (argv == NULL ||
        asprintf(&all, "%.*s%s%s%s%s", first, before,
                 first > 0 && before[first - 1] != ':' ? ":" : "", path,
                 before[first] != '\0' ? ":" : "", before + first) < 0)
        return pario_fail_errno(-ENOMEM, "cannot start");
    setenv("LD_PRELOAD", all, 1);
    setenv(TRIED, "1", 1);
    if (threads)
        setenv("SHIPIO_NONCOLLECTIVE", "true", 0);
    free(all);
    execv("/proc/self/exe", argv);
    pario_self_path(self, sizeof(self)); /* no /proc */
    execv(self, argv);
    return pario_fail_errno(-errno, "cannot start with %s", path);
}
#else
int pario_shipio_loaded(void)
{
    return 0;
}

int pario_shipio_preload(int threads)
{
    (void)threads;
    return pario_fail(PARIO_EUNAVAIL, "this build has no MPI-IO, so no shipio");
}
#endif
