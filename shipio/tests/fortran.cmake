# Fortran programs, where there is a compiler for them; CMake need not know it.
find_program(SHIPIO_MPIF90_${SHIPIO_MPI_NAME} mpif90.${SHIPIO_MPI_NAME})
set(shipio_mpif90 ${SHIPIO_MPIF90_${SHIPIO_MPI_NAME}})
# The wrapper may be there without its compiler.
set(shipio_no_fortran 1)
if(shipio_mpif90)
  execute_process(COMMAND ${shipio_mpif90} --version
    RESULT_VARIABLE shipio_no_fortran OUTPUT_QUIET ERROR_QUIET)
endif()

# shipio_fortran_program(NAME INTERFACE LIBRARIES...): INTERFACE is mpifh, mpi
# or f08.
function(shipio_fortran_program name interface)
  # Only mpi_f08 tells the compiler of all arguments; without, it sees that
  # calls differ.
  set(flags_mpifh -fallow-argument-mismatch -w)
  set(flags_mpi -fallow-argument-mismatch -w -DUSE_MPI)
  set(flags_f08 -Wall -DUSE_MPI_F08)
  set(source ${CMAKE_CURRENT_LIST_DIR}/mpi/test_fortran.F90)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/fortran/${name})
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${program}.mod
    COMMAND ${shipio_mpif90} -g ${flags_${interface}} -J${program}.mod
      -o ${program} ${source} ${ARGN}
    DEPENDS ${source} ${ARGN} VERBATIM)
  add_custom_target(shipio_fortran_${name} ALL DEPENDS ${program})
endfunction()

# shipio_fortran_test(TEST PROGRAM RANKS ARGUMENT ENVIRONMENT...)
function(shipio_fortran_test test program ranks argument)
  set(json ${CMAKE_CURRENT_BINARY_DIR}/fortran/${test}-${ranks}.json)
  add_test(NAME shipio-fortran-${test}-${ranks}
    COMMAND ${SHIPIO_MPIRUN} ${ranks} ${SHIPIO_TEST_WRAPPER}
      ${CMAKE_CURRENT_BINARY_DIR}/fortran/${program} ${shipio_test_dir}
      ${argument})
  set_tests_properties(shipio-fortran-${test}-${ranks} PROPERTIES
    TIMEOUT ${shipio_test_timeout} PROCESSORS 2 LABELS "shipio;mpi"
    ENVIRONMENT "SHIPIO_STATS_JSON=${json};${ARGN}")
endfunction()

# Sanitizers are no matter of Fortran compilers.
if(shipio_no_fortran EQUAL 0 AND NOT SHIPIO_LINK_TESTS AND NOT PARIO_SANITIZE)
  set(shipio_fortran_ranks 2)
  if(SHIPIO_MPI_NAME STREQUAL openmpi)
    set(shipio_fortran_ranks 3)
  endif()
  foreach(interface mpifh mpi f08)
    shipio_fortran_program(${interface} ${interface})
    foreach(ranks 1 ${shipio_fortran_ranks})
      shipio_fortran_test(${interface} ${interface} ${ranks} ""
        ${SHIPIO_TEST_PRELOAD})
    endforeach()
    shipio_fortran_test(${interface}-agents ${interface} 2 ""
      ${SHIPIO_TEST_PRELOAD} SHIPIO_NONCOLLECTIVE=1)
    shipio_fortran_test(${interface}-thread ${interface} 2 thread
      ${SHIPIO_TEST_PRELOAD} SHIPIO_NONCOLLECTIVE=1)
    # Not preloaded.
    shipio_fortran_program(${interface}-linked ${interface}
      $<TARGET_FILE:shipio_static> ${SODIUM_LINK_LIBRARIES})
    shipio_fortran_test(${interface}-linked ${interface}-linked 2 "")
  endforeach()
endif()

# No call of C may lack its Fortran names, nor Fortran be needed for C.
add_test(NAME shipio-fortran-names
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/fortran-names $<TARGET_FILE:shipio>
    ${SHIPIO_MPI_NAME})
set_tests_properties(shipio-fortran-names PROPERTIES TIMEOUT 30
  LABELS "shipio;unit")
