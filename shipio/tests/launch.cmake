# How to start MPI programs in tests: SHIPIO_MPIRUN, a list to be followed by
# the number of processes and the program; SHIPIO_MPI_NAME, openmpi or mpich.
if(NOT SHIPIO_MPIRUN)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_c_source_compiles("#include <mpi.h>
#ifndef OPEN_MPI
#error other
#endif
int main(void) { return 0; }" SHIPIO_MPI_IS_OPENMPI)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(SHIPIO_MPI_IS_OPENMPI)
    set(SHIPIO_MPI_NAME openmpi)
  else()
    set(SHIPIO_MPI_NAME mpich)
  endif()
  # Where both are installed, plain mpiexec may belong to the other one.
  find_program(SHIPIO_MPIRUN_${SHIPIO_MPI_NAME}
    NAMES mpirun.${SHIPIO_MPI_NAME} mpiexec.${SHIPIO_MPI_NAME})
  set(SHIPIO_MPIRUN ${SHIPIO_MPIRUN_${SHIPIO_MPI_NAME}})
  if(NOT SHIPIO_MPIRUN)
    set(SHIPIO_MPIRUN ${MPIEXEC_EXECUTABLE})
  endif()
  if(SHIPIO_MPI_IS_OPENMPI)
    list(APPEND SHIPIO_MPIRUN --allow-run-as-root --oversubscribe
      --mca mpi_yield_when_idle 1)
  endif()
  list(APPEND SHIPIO_MPIRUN -n)
endif()

# Tests preload shipio, or have it linked in: then there is nothing to preload.
set(SHIPIO_TEST_PRELOAD "LD_PRELOAD=$<TARGET_FILE:shipio>")
if(SHIPIO_LINK_TESTS)
  set(SHIPIO_TEST_PRELOAD SHIPIO_LINKED=1)
endif()
function(shipio_test_links program)
  if(SHIPIO_LINK_TESTS)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:shipio_objects>)
    target_link_libraries(${program} PRIVATE Threads::Threads rt
      ${CMAKE_DL_LIBS} ${SHIPIO_SODIUM})
  endif()
  target_link_libraries(${program} PRIVATE MPI::MPI_C)
endfunction()
