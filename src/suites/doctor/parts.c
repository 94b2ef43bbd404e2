/* suites/doctor/parts.c - hints in force, and what this build or system does
 * not have. */
#include "io/backend.h"
#include "pario_config.h"
#include "suites/doctor/doctor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HINTS_MAX 6000

static void report_hints(struct pario_doctor *doctor,
                         const struct pario_hints *hints)
{
    char text[HINTS_MAX] = "";
    size_t used = 0;

    for (size_t i = 0; i < hints->count && used < sizeof text; i++) {
        int n = snprintf(text + used, sizeof text - used, "%s%s=%s",
                         i > 0 ? ", " : "", hints->hint[i].key,
                         hints->hint[i].value);

        used += n > 0 ? (size_t)n : 0;
    }
    if (hints->count == 0)
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "the library tells none for a fresh file");
    else
        doctor_report(doctor, PARIO_VERDICT_OK, "", "%zu by default: %s",
                      hints->count, text);
}

int doctor_check_hints(struct pario_doctor *doctor)
{
    const struct pario_backend *mpiio = NULL;
    struct pario_hints hints = {.count = 0};
    struct pario_file *file = NULL;
    char path[PATH_MAX + 16];
    struct pario_target target = {.path = path,
                                  .group = doctor->world,
                                  .flags = PARIO_OPEN_READ | PARIO_OPEN_WRITE |
                                           PARIO_OPEN_CREATE};
    int code = pario_backend_find("mpiio", &mpiio), close_code = 0;

    if (code != 0) { /* the same build on all ranks */
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "build with MPI and MPI-IO to measure it",
                      "MPI-IO is not compiled in");
        return 0;
    }
    if (!doctor->shared) { /* MPI libraries hang when some cannot open */
        doctor_report(doctor, PARIO_VERDICT_WARNING,
                      "see `shared directory` above",
                      "left out: no file can be opened by all");
        return 0;
    }
    snprintf(path, sizeof path, "%s/hints", doctor->scratch);
    code = mpiio->open(&target, &file);
    if (code == 0) {
        code = mpiio->hints_in_force(file, &hints);
        close_code = mpiio->close(file);
    }
    code = pario_agree(doctor->world, code != 0 ? code : close_code);
    if (code != 0)
        doctor_report(doctor, PARIO_VERDICT_ERROR,
                      "MPI-IO does not work in this directory: try another, "
                      "or another MPI library",
                      "%s", pario_error_message());
    else
        report_hints(doctor, &hints);
    pario_hints_fini(&hints);
    return 0;
}

struct part {
    const char *name;
    int there;
    const char *cost, *remedy;
};

/* Is the program in one of the folders of PATH, or where daemons are? */
static int on_path(const char *program)
{
    const char *path = getenv("PATH");
    char folders[8192], file[PATH_MAX], *save = NULL;

    snprintf(folders, sizeof folders, "%s:/usr/sbin:/usr/local/sbin:/sbin",
             path != NULL ? path : "/usr/bin:/bin");
    for (char *folder = strtok_r(folders, ":", &save); folder != NULL;
         folder = strtok_r(NULL, ":", &save)) {
        snprintf(file, sizeof file, "%s/%s", folder, program);
        if (access(file, X_OK) == 0)
            return 1;
    }
    return 0;
}

static size_t report_missing(struct pario_doctor *doctor,
                             const struct part *parts, size_t count)
{
    size_t missing = 0;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].there)
            continue;
        missing++;
        doctor_report(doctor, PARIO_VERDICT_WARNING, parts[i].remedy,
                      "no %s: %s", parts[i].name, parts[i].cost);
    }
    return missing;
}

int doctor_check_parts(struct pario_doctor *doctor)
{
    const struct part parts[] = {
        {"hwloc", PARIO_HAVE_HWLOC, "memory is known from the kernel only",
         "install hwloc's development files and build again"},
        {"libcurl", PARIO_HAVE_CURL,
         "NHT-1's network benchmark cannot transfer by FTP or SFTP",
         "install libcurl's development files and build again"},
        {"LAPACKE", PARIO_HAVE_LAPACKE,
         "kernels that solve linear systems cannot run",
         "install lapacke's development files and build again"},
        {"OTF2", PARIO_HAVE_OTF2, "traces cannot be exported as OTF2",
         "install OTF2's development files (libopen-trace-format2-dev) and "
         "build again"},
        {"SQLite", PARIO_HAVE_SQLITE, "there is no history of runs",
         "install SQLite's development files and build again"},
        {"gnuplot", on_path("gnuplot"), "reports have no publication plots",
         "install gnuplot"},
        {"npm", on_path("npm"),
         "interactive HTML reports cannot be built with uPlot", "install npm"},
        {"vsftpd", on_path("vsftpd"),
         "NHT-1's network benchmark needs a server of your own",
         "install vsftpd, or give the address of an FTP server"},
    };
    size_t count = sizeof parts / sizeof *parts;

    if (report_missing(doctor, parts, count) == 0)
        doctor_report(doctor, PARIO_VERDICT_OK, "",
                      "hwloc, libcurl, LAPACKE, OTF2, SQLite, gnuplot, npm, "
                      "vsftpd are there");
    return 0;
}
