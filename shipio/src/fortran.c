/* fortran.c - Fortran calls that go round the C names.
 *
 * Those are all of Open MPI, and of MPICH those of the module mpi_f08 that
 * move no data: they call PMPI_File_*, and without these names here shipio
 * would see a file's accesses but not its opening. What MPICH's Fortran does by
 * the C names is left to it, also its start, which notes the addresses of
 * Fortran's constants. No library of Fortran is linked: handles and statuses
 * are converted by the MPI library's C calls. Each routine has two names: that
 * of mpif.h and the module mpi, and that of mpi_f08, whose handles are one
 * INTEGER each and whose ierror may be missing; otherwise the arguments are the
 * same. The first is there with MPICH, too: by it a linker finds that a program
 * needs the archive.
 */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

/* From release 6 on Open MPI passes buffers of mpi_f08 by descriptors: such
 * programs are left to it as a whole. */
#if !defined(OPEN_MPI) || OMPI_MAJOR_VERSION < 6
#include <limits.h>
#include <stddef.h>
#include <string.h>

/* Without the blanks around, and as a C string. What does not fit in len is
 * cut off. */
static const char *string(char *to, size_t len, const char *text, int text_len)
{
    while (text_len > 0 && text[text_len - 1] == ' ')
        text_len--;
    for (; text_len > 0 && *text == ' '; text++)
        text_len--;
    if ((size_t)text_len < len)
        len = (size_t)text_len + 1;
    memcpy(to, text, len - 1);
    to[len - 1] = '\0';
    return to;
}

static void give_string(char *to, int to_len, const char *text)
{
    size_t len = strnlen(text, (size_t)to_len);

    memcpy(to, text, len);
    memset(to + len, ' ', (size_t)to_len - len);
}

static void give_code(MPI_Fint *ierr, int code)
{
    if (ierr != NULL)
        *ierr = (MPI_Fint)code;
}

#pragma GCC visibility push(default)
/* Names and lists of parameters cannot be put in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size) */
#define F08(name, ...)                                                         \
    void mpi_##name##_f08_(__VA_ARGS__);                                       \
    void mpi_##name##_f08_(__VA_ARGS__)
#define FORTRAN(name, ...)                                                     \
    void mpi_##name##_(__VA_ARGS__)                                            \
        __attribute__((alias("mpi_" #name "_f08_")));                          \
    F08(name, __VA_ARGS__)

/* Parameters as Fortran has them, arguments as C wants them. */
#define IN const MPI_Fint *
#define OUT MPI_Fint *
#define FH IN fh
#define C_FH PMPI_File_f2c(*fh)
#define FH_AT FH, const MPI_Offset *offset
#define C_FH_AT C_FH, *offset
#define IERR OUT ierr

/* Calls whose arguments need no room in between; c_arguments with their
 * parentheses. */
#define PLAIN(name, c_arguments, ...)                                          \
    FORTRAN(file_##name, __VA_ARGS__, IERR)                                    \
    {                                                                          \
        give_code(ierr, MPI_File_##name c_arguments);                          \
    }

PLAIN(get_byte_offset, (C_FH_AT, disp), FH_AT, MPI_Offset *disp)
PLAIN(get_position, (C_FH, offset), FH, MPI_Offset *offset)
PLAIN(get_position_shared, (C_FH, offset), FH, MPI_Offset *offset)
PLAIN(get_size, (C_FH, size), FH, MPI_Offset *size)
PLAIN(preallocate, (C_FH, *size), FH, const MPI_Offset *size)
PLAIN(seek, (C_FH_AT, (int)*whence), FH_AT, IN whence)
PLAIN(seek_shared, (C_FH_AT, (int)*whence), FH_AT, IN whence)
PLAIN(set_atomicity, (C_FH, *flag != 0), FH, IN flag)
PLAIN(set_info, (C_FH, PMPI_Info_f2c(*info)), FH, IN info)
PLAIN(set_size, (C_FH, *size), FH, const MPI_Offset *size)
PLAIN(sync, (C_FH), FH)

FORTRAN(file_get_amode, FH, OUT amode, IERR)
{
    int value = 0;
    int rc = MPI_File_get_amode(C_FH, &value);

    if (rc == MPI_SUCCESS)
        *amode = (MPI_Fint)value;
    give_code(ierr, rc);
}

/* 1 is true to all compilers, whatever else they may store for it. */
FORTRAN(file_get_atomicity, FH, OUT flag, IERR)
{
    int value = 0;
    int rc = MPI_File_get_atomicity(C_FH, &value);

    if (rc == MPI_SUCCESS)
        *flag = value != 0;
    give_code(ierr, rc);
}

FORTRAN(file_get_info, FH, OUT info, IERR)
{
    MPI_Info used = MPI_INFO_NULL;

    give_code(ierr, MPI_File_get_info(C_FH, &used));
    *info = PMPI_Info_c2f(used);
}

/* A name that is cut off is too long for every file system, also without a
 * prefix for the MPI library. */
FORTRAN(file_open, IN comm, const char *filename, IN amode, IN info, OUT fh,
        IERR, int len)
{
    MPI_File opened = MPI_FILE_NULL;
    char path[2 * PATH_MAX];

    give_code(ierr, MPI_File_open(PMPI_Comm_f2c(*comm),
                                  string(path, sizeof(path), filename, len),
                                  (int)*amode, PMPI_Info_f2c(*info), &opened));
    *fh = PMPI_File_c2f(opened);
}

FORTRAN(file_close, OUT fh, IERR)
{
    MPI_File file = C_FH;

    give_code(ierr, MPI_File_close(&file));
    *fh = PMPI_File_c2f(file);
}

FORTRAN(file_set_view, FH, const MPI_Offset *disp, IN etype, IN filetype,
        const char *datarep, IN info, IERR, int len)
{
    char name[MPI_MAX_DATAREP_STRING + 1];

    give_code(ierr, MPI_File_set_view(C_FH, *disp, PMPI_Type_f2c(*etype),
                                      PMPI_Type_f2c(*filetype),
                                      string(name, sizeof(name), datarep, len),
                                      PMPI_Info_f2c(*info)));
}

FORTRAN(file_get_view, FH, MPI_Offset *disp, OUT etype, OUT filetype,
        char *datarep, IERR, int len)
{
    char name[MPI_MAX_DATAREP_STRING + 1] = "";
    MPI_Datatype c_etype = MPI_DATATYPE_NULL;
    MPI_Datatype c_filetype = MPI_DATATYPE_NULL;
    int rc = MPI_File_get_view(C_FH, disp, &c_etype, &c_filetype, name);

    if (rc == MPI_SUCCESS) {
        *etype = PMPI_Type_c2f(c_etype);
        *filetype = PMPI_Type_c2f(c_filetype);
        give_string(datarep, len, name);
    }
    give_code(ierr, rc);
}

/* MPICH's own start of mpif.h programs does more. */
#ifdef OPEN_MPI
#define START FORTRAN
#else
#define START F08
#endif

START(init, IERR)
{
    give_code(ierr, MPI_Init(NULL, NULL));
}

START(finalize, IERR)
{
    give_code(ierr, MPI_Finalize());
}

START(init_thread, IN required, OUT provided, IERR)
{
    int level = MPI_THREAD_SINGLE;

    give_code(ierr, MPI_Init_thread(NULL, NULL, (int)*required, &level));
    *provided = (MPI_Fint)level;
}

#ifdef OPEN_MPI
PLAIN(get_type_extent, (C_FH, PMPI_Type_f2c(*datatype), extent), FH,
      IN datatype, MPI_Aint *extent)
PLAIN(set_errhandler, (C_FH, PMPI_Errhandler_f2c(*handler)), FH, IN handler)
PLAIN(call_errhandler, (C_FH, (int)*code), FH, IN code)

FORTRAN(file_get_errhandler, FH, OUT handler, IERR)
{
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    int rc = MPI_File_get_errhandler(C_FH, &found);

    if (rc == MPI_SUCCESS)
        *handler = PMPI_Errhandler_c2f(found);
    give_code(ierr, rc);
}

FORTRAN(file_get_group, FH, OUT group, IERR)
{
    MPI_Group found = MPI_GROUP_NULL;

    give_code(ierr, MPI_File_get_group(C_FH, &found));
    *group = PMPI_Group_c2f(found);
}

/* Fortran's MPI_BOTTOM; an Open MPI without Fortran has none. */
extern char mpi_fortran_bottom_ __attribute__((weak));

static void *buffer(void *buf)
{
    return buf == &mpi_fortran_bottom_ ? MPI_BOTTOM : buf;
}

static void give_status(MPI_Fint *to, const MPI_Status *status)
{
    if (to != MPI_F_STATUS_IGNORE)
        PMPI_Status_c2f(status, to);
}

#define DATA void *buf, IN count, IN datatype
#define C_DATA buffer(buf), (int)*count, PMPI_Type_f2c(*datatype)

#define BLOCKING(name, at, c_at)                                               \
    FORTRAN(file_##name, at, DATA, OUT status, IERR)                           \
    {                                                                          \
        MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};                          \
                                                                               \
        give_code(ierr, MPI_File_##name(c_at, C_DATA, &done));                 \
        give_status(status, &done);                                            \
    }

#define NONBLOCKING(name, at, c_at)                                            \
    FORTRAN(file_##name, at, DATA, OUT request, IERR)                          \
    {                                                                          \
        MPI_Request started = MPI_REQUEST_NULL;                                \
                                                                               \
        give_code(ierr, MPI_File_##name(c_at, C_DATA, &started));              \
        *request = PMPI_Request_c2f(started);                                  \
    }

#define SPLIT(name, at, c_at)                                                  \
    FORTRAN(file_##name##_begin, at, DATA, IERR)                               \
    {                                                                          \
        give_code(ierr, MPI_File_##name##_begin(c_at, C_DATA));                \
    }                                                                          \
    FORTRAN(file_##name##_end, FH, void *buf, OUT status, IERR)                \
    {                                                                          \
        MPI_Status done = {.MPI_ERROR = MPI_SUCCESS};                          \
                                                                               \
        give_code(ierr, MPI_File_##name##_end(C_FH, buffer(buf), &done));      \
        give_status(status, &done);                                            \
    }

BLOCKING(read, FH, C_FH)
BLOCKING(read_all, FH, C_FH)
BLOCKING(read_at, FH_AT, C_FH_AT)
BLOCKING(read_at_all, FH_AT, C_FH_AT)
BLOCKING(read_ordered, FH, C_FH)
BLOCKING(read_shared, FH, C_FH)
BLOCKING(write, FH, C_FH)
BLOCKING(write_all, FH, C_FH)
BLOCKING(write_at, FH_AT, C_FH_AT)
BLOCKING(write_at_all, FH_AT, C_FH_AT)
BLOCKING(write_ordered, FH, C_FH)
BLOCKING(write_shared, FH, C_FH)

NONBLOCKING(iread, FH, C_FH)
NONBLOCKING(iread_all, FH, C_FH)
NONBLOCKING(iread_at, FH_AT, C_FH_AT)
NONBLOCKING(iread_at_all, FH_AT, C_FH_AT)
NONBLOCKING(iread_shared, FH, C_FH)
NONBLOCKING(iwrite, FH, C_FH)
NONBLOCKING(iwrite_all, FH, C_FH)
NONBLOCKING(iwrite_at, FH_AT, C_FH_AT)
NONBLOCKING(iwrite_at_all, FH_AT, C_FH_AT)
NONBLOCKING(iwrite_shared, FH, C_FH)

SPLIT(read_all, FH, C_FH)
SPLIT(read_at_all, FH_AT, C_FH_AT)
SPLIT(read_ordered, FH, C_FH)
SPLIT(write_all, FH, C_FH)
SPLIT(write_at_all, FH_AT, C_FH_AT)
SPLIT(write_ordered, FH, C_FH)
#endif
/* NOLINTEND(bugprone-macro-parentheses,readability-function-size) */
#pragma GCC visibility pop
#endif
