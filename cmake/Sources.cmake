# Sources that a build does not have, and why.
if(NOT PARIO_HAVE_MPI)
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/par/mpi_[^/]*\\.c$")
else()
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/(par/alone|launch/alone_launch)\\.c$")
endif()
if(NOT PARIO_HAVE_MPIIO)
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/io/mpiio[^/]*\\.c$")
  # Suites whose seed is defined in MPI-IO calls.
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/suites/(beffio|iot|shipbench|honesty|tune|advise)/")
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/cli/cmd_(advise|shipio_run)\\.c$|src/suites/jobs\\.c$")
endif()
if(NOT PARIO_HAVE_URING)
  list(FILTER PARIO_SOURCES EXCLUDE REGEX "src/io/uring[^/]*\\.c$")
endif()
if(NOT PARIO_HAVE_LAPACKE)
  list(FILTER PARIO_SOURCES EXCLUDE REGEX
       "src/suites/iot/(lu|outofcore|residual)\\.c$")
endif()
if(NOT PARIO_HAVE_SQLITE)
  list(FILTER PARIO_SOURCES EXCLUDE REGEX
       "src/report/history(_trend)?\\.c$|src/cli/cmd_history\\.c$")
endif()
