/* trace/strace_text.h - the words of a line of strace. */
#ifndef PARIO_TRACE_STRACE_TEXT_H
#define PARIO_TRACE_STRACE_TEXT_H

#include <stdint.h>

#define PARIO_STRACE_ARGS 8

/* One call: name(arg, arg, ...) = result <time>. Points into the line. */
struct pario_strace_call {
    char *name, *args[PARIO_STRACE_ARGS];
    int nargs;
    int64_t result;
    uint64_t start_ns, took_ns;
};

/* Local. Takes a line apart, in place. 0: it is no call that ended. */
int pario_strace_parse(char *line, struct pario_strace_call *call);
/* Local. Seconds as nanoseconds; 0: no time. */
uint64_t pario_strace_ns(const char *text, char **end_p);
/* Local. What stands between quotes, in place. */
char *pario_strace_unquote(char *text);
/* Local. The number of an argument, or AT_FDCWD; -1: it is none. */
long pario_strace_descriptor(const char *text);

#endif
