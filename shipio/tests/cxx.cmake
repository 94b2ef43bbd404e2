# A C++ program, where the MPI library has the classes of MPI 2; CMake need not
# know the compiler.
find_program(SHIPIO_MPICXX_${SHIPIO_MPI_NAME} mpicxx.${SHIPIO_MPI_NAME})
set(shipio_mpicxx ${SHIPIO_MPICXX_${SHIPIO_MPI_NAME}})
set(shipio_no_cxx 1)
set(shipio_cxx_source ${CMAKE_CURRENT_LIST_DIR}/mpi/test_cxx.cc)
if(shipio_mpicxx AND NOT SHIPIO_LINK_TESTS)
  execute_process(COMMAND ${shipio_mpicxx} -w -fsyntax-only ${shipio_cxx_source}
    RESULT_VARIABLE shipio_no_cxx OUTPUT_QUIET ERROR_QUIET)
endif()
if(shipio_no_cxx EQUAL 0)
  set(shipio_cxx ${CMAKE_CURRENT_BINARY_DIR}/shipio_mpi_cxx)
  # The classes themselves have warnings.
  add_custom_command(OUTPUT ${shipio_cxx}
    COMMAND ${shipio_mpicxx} -g -w -o ${shipio_cxx} ${shipio_cxx_source}
    DEPENDS ${shipio_cxx_source} VERBATIM)
  add_custom_target(shipio_cxx_program ALL DEPENDS ${shipio_cxx})
  foreach(ranks 1 2)
    add_test(NAME shipio-cxx-${ranks} COMMAND ${SHIPIO_MPIRUN} ${ranks}
      ${SHIPIO_TEST_WRAPPER} ${shipio_cxx} ${shipio_test_dir})
    set_tests_properties(shipio-cxx-${ranks} PROPERTIES
      TIMEOUT ${shipio_test_timeout} PROCESSORS 2 LABELS "shipio;mpi"
      ENVIRONMENT "${SHIPIO_TEST_PRELOAD}" RESOURCE_LOCK shipio-cxx)
  endforeach()
endif()
