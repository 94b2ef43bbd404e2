# Each library for what it is best at; all but jansson and threads are
# optional, and `pario doctor` says what a missing one costs. One that is there
# and not wanted: -DPARIO_WITHOUT_CURL=ON and so on.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
set(PARIO_LIBRARIES Threads::Threads PkgConfig::JANSSON m ${CMAKE_DL_LIBS})

macro(pario_optional NAME MODULE)
  if(NOT PARIO_WITHOUT_${NAME})
    pkg_check_modules(${NAME} QUIET IMPORTED_TARGET ${MODULE})
  endif()
  if(${NAME}_FOUND AND NOT PARIO_WITHOUT_${NAME})
    set(PARIO_HAVE_${NAME} 1)
    list(APPEND PARIO_LIBRARIES PkgConfig::${NAME})
  else()
    set(PARIO_HAVE_${NAME} 0)
    message(STATUS "pario: built without ${MODULE}")
  endif()
endmacro()
pario_optional(URING liburing>=2.3)
pario_optional(HWLOC hwloc)
pario_optional(CURL libcurl)
pario_optional(SQLITE sqlite3>=3.34)
pario_optional(OTF2 otf2>=3.0)
pario_optional(LAPACKE lapacke)
pario_optional(CBLAS openblas)
if(NOT PARIO_HAVE_CBLAS) # the out-of-core kernel needs both
  set(PARIO_HAVE_LAPACKE 0)
endif()

set(PARIO_HAVE_MPI 0)
set(PARIO_HAVE_MPIIO 0)
set(PARIO_MPI_ROOT_FLAGS "")
set(PARIO_MPI_SLOT_FLAGS "")
set(PARIO_MPI_QUIET_FLAGS "")
set(PARIO_MPIRUN "")
if(PARIO_MPI)
  # mpicc of the path or of a module, MPI_HOME, or a compiler that knows MPI
  # by itself (CC=cc on a Cray).
  find_package(MPI COMPONENTS C)
  if(NOT MPI_C_FOUND)
    message(FATAL_ERROR "pario: no MPI library found. Load its module, or say "
      "where it is: -DMPI_HOME=FOLDER, -DMPI_C_COMPILER=.../mpicc or CC=cc. "
      "Without MPI pario measures one machine: -DPARIO_MPI=OFF.")
  endif()
  set(PARIO_HAVE_MPI 1)
  if(PARIO_MPIIO)
    set(PARIO_HAVE_MPIIO 1)
  endif()
  list(APPEND PARIO_LIBRARIES MPI::MPI_C)
  if(NOT MPIEXEC_EXECUTABLE) # where the scheduler alone starts jobs
    find_program(PARIO_SRUN NAMES srun flux aprun)
    set(MPIEXEC_EXECUTABLE ${PARIO_SRUN})
  endif()
  if(NOT MPIEXEC_EXECUTABLE)
    set(MPIEXEC_EXECUTABLE mpirun)
    message(STATUS "pario: no launcher found; -n will try mpirun, or what "
      "PARIO_MPIRUN names")
  endif()
  set(PARIO_MPIRUN ${MPIEXEC_EXECUTABLE})
  # What the library's own launcher needs: Open MPI refuses root and counts
  # slots; MPICH's hydra does neither. src/launch/launcher.c knows the others.
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version
                  OUTPUT_VARIABLE pario_mpirun_version ERROR_QUIET)
  if(pario_mpirun_version MATCHES "Open MPI|OpenRTE|PRRTE")
    set(PARIO_MPI_ROOT_FLAGS "--allow-run-as-root")
    set(PARIO_MPI_SLOT_FLAGS "--oversubscribe")
    set(PARIO_MPI_QUIET_FLAGS "--quiet")
  endif()
endif()
