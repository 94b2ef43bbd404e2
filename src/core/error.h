/* core/error.h - the one error idiom: a negative code and one message.
 *
 * A function that can fail returns 0 or a negative code: -errno, or one of
 * the codes below. The message is made once, where the cause is known, by
 * pario_fail(); callers pass the code on. Messages are kept per thread.
 */
#ifndef PARIO_CORE_ERROR_H
#define PARIO_CORE_ERROR_H

#define PARIO_MUST_USE __attribute__((warn_unused_result))
#define PARIO_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Our own codes lie below every errno. */
enum pario_error {
    PARIO_EUSAGE = -10001,   /* wrong usage: exit status 2 */
    PARIO_EVERIFY = -10002,  /* data read is not the data written */
    PARIO_EMPI = -10003,     /* an MPI call failed; the message has its text */
    PARIO_ESHORT = -10004,   /* fewer bytes than asked for */
    PARIO_EINTR = -10005,    /* the user asked the run to stop */
    PARIO_EREMOTE = -10006,  /* another rank failed */
    PARIO_EFORMAT = -10007,  /* a file's contents are not what they must be */
    PARIO_EUNAVAIL = -10008, /* not compiled in, or not on this system */
};

/* Local. Records the message and returns code, so that
 * `return pario_fail(-ENOSPC, "cannot write %s: ...", path);` is one line. */
int pario_fail(int code, const char *fmt, ...) PARIO_PRINTF(2, 3);

/* Local. As pario_fail with strerror(-code) appended after ": ". */
int pario_fail_errno(int code, const char *fmt, ...) PARIO_PRINTF(2, 3);

/* Local. The message of the last pario_fail of this thread, "" if none. */
const char *pario_error_message(void);

/* Local. "pario: MESSAGE" on standard error; on a terminal in lines that end
 * between words. */
void pario_error_print(void);

/* Local. Replaces the message, for agreement between ranks. */
void pario_error_replace(const char *message);
void pario_error_clear(void);

/* Local. A short name of a code: strerror's text or our own. */
const char *pario_error_name(int code);

/* Exit status for a code: 0 valid, 1 failed, 2 usage, 130 interrupted. */
int pario_exit_status(int code);

#endif
