// test_cxx.cc - error handlers of C++ programs: exceptions where the MPI
// library throws any, functions that C++ has made, each called once.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static int failures;
static int calls;

static void check(bool good, const char *what)
{
    if (!good) {
        failures++;
        std::fprintf(stderr, "%s\n", what);
    }
}

static void on_error(MPI::File &, int *, ...)
{
    calls++;
}

static void open_nothing()
{
    MPI::File::Open(MPI::COMM_WORLD, "/nonexistent/file", MPI::MODE_RDONLY,
                    MPI::INFO_NULL);
}

// Open MPI is most often built without exceptions.
static void test_exceptions(MPI::File file)
{
#ifdef MPICH
    bool thrown = false;

    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        open_nothing();
    } catch (MPI::Exception &error) {
        thrown = error.Get_error_class() == MPI::ERR_NO_SUCH_FILE;
    }
    check(thrown, "open throws");
    thrown = false;
    file.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        file.Write_at(-1, &thrown, 1, MPI::BYTE);
    } catch (MPI::Exception &error) {
        thrown = error.Get_error_class() == MPI::ERR_ARG;
    }
    check(thrown, "write throws");
#else
    (void)file;
#endif
}

static void test_functions(MPI::File file)
{
    MPI::Errhandler handler = MPI::File::Create_errhandler(on_error);
    char byte = 0;

    file.Set_errhandler(handler);
    file.Write_at(-1, &byte, 1, MPI::BYTE);
    check(calls == 1, "a function is called for a file");
    MPI::FILE_NULL.Set_errhandler(handler);
    open_nothing();
    check(calls == 2, "a function is called for an open");
    handler.Free();
}

int main(int argc, char **argv)
{
    char path[512];
    int sum = 0;

    MPI::Init(argc, argv);
    std::snprintf(path, sizeof(path), "%s/shipio-cxx",
                  argc > 1 ? argv[1] : ".");
    MPI::File file = MPI::File::Open(MPI::COMM_WORLD, path,
                                     MPI::MODE_CREATE | MPI::MODE_RDWR |
                                         MPI::MODE_DELETE_ON_CLOSE,
                                     MPI::INFO_NULL);
    test_exceptions(file);
    test_functions(file);
    file.Set_errhandler(MPI::ERRORS_RETURN);
    file.Close();
    MPI::COMM_WORLD.Allreduce(&failures, &sum, 1, MPI::INT, MPI::SUM);
    MPI::Finalize();
    return sum > 0;
}
