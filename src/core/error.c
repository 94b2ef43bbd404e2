/* core/error.c - messages per thread, names of codes, exit status. */
#include "core/error.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_LEN 1024

static _Thread_local char last_message[MESSAGE_LEN];

static const struct {
    int code;
    const char *name;
} own_codes[] = {
    {PARIO_EUSAGE, "wrong usage"},
    {PARIO_EVERIFY, "data read is not the data written"},
    {PARIO_EMPI, "MPI error"},
    {PARIO_ESHORT, "fewer bytes than asked for"},
    {PARIO_EINTR, "interrupted"},
    {PARIO_EREMOTE, "another process failed"},
    {PARIO_EFORMAT, "malformed file"},
    {PARIO_EUNAVAIL, "not available"},
};

int pario_fail(int code, const char *fmt, ...)
{
    char text[MESSAGE_LEN]; /* the arguments may be the last message */
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pario_text_tame(text);
    memcpy(last_message, text, sizeof(text));
    return code;
}

int pario_fail_errno(int code, const char *fmt, ...)
{
    char text[MESSAGE_LEN];
    size_t used;
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pario_text_tame(text);
    used = strlen(text);
    snprintf(text + used, sizeof(text) - used, ": %s", pario_error_name(code));
    memcpy(last_message, text, sizeof(text));
    return code;
}

const char *pario_error_message(void)
{
    return last_message;
}

void pario_error_print(void)
{
    if (isatty(STDERR_FILENO) && strchr(last_message, '\n') == NULL)
        (void)pario_text_wrap(stderr, "pario: ", 2, last_message);
    else
        fprintf(stderr, "pario: %s\n", last_message);
}

void pario_error_replace(const char *message)
{
    snprintf(last_message, sizeof(last_message), "%s", message);
}

void pario_error_clear(void)
{
    last_message[0] = '\0';
}

const char *pario_error_name(int code)
{
    for (size_t i = 0; i < sizeof(own_codes) / sizeof(own_codes[0]); i++)
        if (own_codes[i].code == code)
            return own_codes[i].name;
    return code < 0 ? strerror(-code) : "success";
}

int pario_exit_status(int code)
{
    switch (code) {
    case 0:
        return 0;
    case PARIO_EUSAGE:
        return 2;
    case PARIO_EINTR:
        return 130;
    default:
        return 1;
    }
}
