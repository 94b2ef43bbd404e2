/* trace/system_folders.h - files there are the system's, and no program's data:
 * they are recorded only when asked for. */
#ifndef PARIO_TRACE_SYSTEM_FOLDERS_H
#define PARIO_TRACE_SYSTEM_FOLDERS_H

#include <stddef.h>

static const char *const pario_system_folders[] = {
    "/proc", "/sys",     "/dev",       "/etc", "/usr",
    "/lib",  "/lib32",   "/lib64",     "/bin", "/sbin",
    "/run",  "/var/lib", "/var/cache", "/opt", NULL};

#endif
