/* trace/ops.c - the table of calls. */
#include "trace/ops.h"

#include <stddef.h>

#define F PARIO_ARG_FILE
#define O PARIO_ARG_OFFSET
#define L PARIO_ARG_LENGTH
#define V PARIO_ARG_PIECES
#define C PARIO_ARG_COUNT
#define T PARIO_ARG_TYPE
#define P PARIO_ARG_PATH
#define G PARIO_ARG_GROUP
#define D PARIO_ARG_DISTANCE
#define R PARIO_ARG_REQUEST
#define FLAGS PARIO_ARG_FLAGS
#define MODE PARIO_ARG_MODE
#define INFO PARIO_ARG_INFO
#define SIZE PARIO_ARG_SIZE
const struct pario_trace_op_facts pario_trace_op_table[PARIO_OPS] = {
#define OP(op, way, ...)                                                       \
    [PARIO_OP_##                                                               \
        op] = {.name = #op, .data = PARIO_DATA_##way, .args = {__VA_ARGS__}},
    PARIO_TRACE_OPS(OP)
#undef OP
};

const char *const pario_trace_arg_names[PARIO_ARG_KINDS] = {
    [PARIO_ARG_NONE] = "",
    [PARIO_ARG_FILE] = "file",
    [PARIO_ARG_OFFSET] = "offset",
    [PARIO_ARG_LENGTH] = "length",
    [PARIO_ARG_PIECES] = "pieces",
    [PARIO_ARG_COUNT] = "count",
    [PARIO_ARG_TYPE] = "type",
    [PARIO_ARG_ETYPE] = "etype",
    [PARIO_ARG_FILETYPE] = "filetype",
    [PARIO_ARG_DATAREP] = "datarep",
    [PARIO_ARG_INFO] = "info",
    [PARIO_ARG_PATH] = "path",
    [PARIO_ARG_TO] = "to",
    [PARIO_ARG_GROUP] = "group",
    [PARIO_ARG_NAME] = "name",
    [PARIO_ARG_FLAGS] = "flags",
    [PARIO_ARG_MODE] = "mode",
    [PARIO_ARG_DISTANCE] = "distance",
    [PARIO_ARG_DISP] = "disp",
    [PARIO_ARG_SIZE] = "size",
    [PARIO_ARG_REQUEST] = "request",
    [PARIO_ARG_ON] = "on",
    [PARIO_ARG_ENTRIES] = "entries",
    [PARIO_ARG_PEER] = "rank",
    [PARIO_ARG_TAG] = "tag",
};

const char *const pario_trace_flag_names[] = {
    "read", "write", "create",    "excl",   "trunc",  "append",     "direct",
    "sync", "dsync", "directory", "delete", "unique", "sequential", NULL,
};

const char *const pario_trace_mpi_errors[] = {
#define ERROR(name, class) #name,
    PARIO_TRACE_MPI_ERRORS(ERROR)
#undef ERROR
        NULL,
};

int pario_trace_arg_is_string(enum pario_trace_arg arg)
{
    switch (arg) {
    case PARIO_ARG_TYPE:
    case PARIO_ARG_ETYPE:
    case PARIO_ARG_FILETYPE:
    case PARIO_ARG_DATAREP:
    case PARIO_ARG_INFO:
    case PARIO_ARG_PATH:
    case PARIO_ARG_TO:
    case PARIO_ARG_GROUP:
    case PARIO_ARG_NAME:
        return 1;
    default:
        return 0;
    }
}

int pario_trace_is_message(enum pario_trace_op op)
{
    return op == PARIO_OP_Send || op == PARIO_OP_Recv;
}

int pario_trace_arg_find(enum pario_trace_op op, enum pario_trace_arg arg)
{
    for (int i = 0; i < PARIO_TRACE_ARGS; i++)
        if (pario_trace_op_table[op].args[i] == arg)
            return i;
    return -1;
}
