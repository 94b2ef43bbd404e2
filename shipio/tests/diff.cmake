# Differential test against a model: include() after the target shipio exists
# (without it only the model itself is tested, on the MPI library's own MPI-IO).
include(${CMAKE_CURRENT_LIST_DIR}/launch.cmake)

add_executable(shipio_diff
  ${CMAKE_CURRENT_LIST_DIR}/diff_access.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_buffer.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_calls.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_case.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_main.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_model.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_native.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_run.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_steps.c
  ${CMAKE_CURRENT_LIST_DIR}/diff_type.c)
set_target_properties(shipio_diff PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
target_compile_definitions(shipio_diff PRIVATE _GNU_SOURCE)
target_compile_options(shipio_diff PRIVATE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -Wcast-qual)
shipio_test_links(shipio_diff)

# Every case synchronises its file: memory is kinder than a disk.
set(shipio_diff_dir /tmp)
if(IS_DIRECTORY /dev/shm)
  set(shipio_diff_dir /dev/shm)
endif()

set(shipio_diff_timeout 120)
if(SHIPIO_TEST_WRAPPER OR SHIPIO_SANITIZE)
  set(shipio_diff_timeout 600)
endif()

# shipio_add_diff(NAME RANKS ARGS...)
function(shipio_add_diff name ranks)
  add_test(NAME ${name}
    COMMAND ${SHIPIO_MPIRUN} ${ranks} ${SHIPIO_TEST_WRAPPER}
      $<TARGET_FILE:shipio_diff> --dir ${shipio_diff_dir} ${ARGN})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${shipio_diff_timeout} PROCESSORS 2
    LABELS "shipio;diff")
  # A waiting process of MPICH spins and keeps the others from the processor;
  # that shipio itself does not is seen in the other tests.
  if(SHIPIO_MPI_NAME STREQUAL mpich AND NOT SHIPIO_LINK_TESTS)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION
      "LD_PRELOAD=path_list_append:$<TARGET_FILE:mpiyield>")
  endif()
endfunction()

# What the MPI library itself does, to find errors of the model.
if(NOT SHIPIO_LINK_TESTS)
  shipio_add_diff(shipio-diff-native-1 1 --native --cases 300)
endif()
if(NOT SHIPIO_LINK_TESTS AND SHIPIO_MPI_NAME STREQUAL openmpi)
  shipio_add_diff(shipio-diff-native-2 2 --native --cases 300)
endif()

if(TARGET shipio)
  foreach(line "1 500" "2 700" "3 300" "4 300" "7 100" "9 60")
    string(REPLACE " " ";" line ${line})
    list(GET line 0 ranks)
    list(GET line 1 cases)
    if(SHIPIO_TEST_WRAPPER) # slow, and the code is the same in every case
      math(EXPR cases "${cases} / 20")
    elseif(SHIPIO_SANITIZE)
      math(EXPR cases "${cases} / 3")
    endif()
    shipio_add_diff(shipio-diff-${ranks} ${ranks} --cases ${cases})
    set_tests_properties(shipio-diff-${ranks} PROPERTIES
      ENVIRONMENT "${SHIPIO_TEST_PRELOAD}")
  endforeach()
  # Large sizes; by messages, as between nodes; every agent its own thread.
  shipio_add_diff(shipio-diff-large 2 --large --cases 60 --seed 7)
  set_tests_properties(shipio-diff-large PROPERTIES
    ENVIRONMENT "${SHIPIO_TEST_PRELOAD}")
  shipio_add_diff(shipio-diff-messages 2 --cases 250 --seed 8)
  set_tests_properties(shipio-diff-messages PROPERTIES
    ENVIRONMENT "${SHIPIO_TEST_PRELOAD};SHIPIO_MESSAGES=1")
  shipio_add_diff(shipio-diff-nodes 4 --cases 60 --seed 13)
  set_tests_properties(shipio-diff-nodes PROPERTIES
    ENVIRONMENT "${SHIPIO_TEST_PRELOAD};SHIPIO_NODES=2")
  # A node has one leader, or more than it has ranks.
  foreach(leaders 1 8)
    shipio_add_diff(shipio-diff-leaders-${leaders} 7 --cases 40 --seed 15)
    set_tests_properties(shipio-diff-leaders-${leaders} PROPERTIES ENVIRONMENT
      "${SHIPIO_TEST_PRELOAD};SHIPIO_NODES=2;SHIPIO_LEADERS=${leaders}")
  endforeach()
  shipio_add_diff(shipio-diff-lock 3 --cases 150 --seed 10)
  set_tests_properties(shipio-diff-lock PROPERTIES
    ENVIRONMENT "${SHIPIO_TEST_PRELOAD};SHIPIO_MESSAGES=1;SHIPIO_LOCK=true")
  # Requests that are dear, in files that nobody else writes to.
  shipio_add_diff(shipio-diff-remote 3 --cases 250 --seed 11)
  set_tests_properties(shipio-diff-remote PROPERTIES ENVIRONMENT
    "${SHIPIO_TEST_PRELOAD};SHIPIO_STORAGE=remote;SHIPIO_SIEVE=true;SHIPIO_STRIPE=64k")
  # Independent writes wait for each other, in small stripes.
  shipio_add_diff(shipio-diff-behind 3 --cases 250 --seed 12)
  set_tests_properties(shipio-diff-behind PROPERTIES ENVIRONMENT
    "${SHIPIO_TEST_PRELOAD};SHIPIO_WRITE_BEHIND=true;SHIPIO_STRIPE=4096")
  shipio_add_diff(shipio-diff-agents 2 --cases 250 --seed 9)
  set_tests_properties(shipio-diff-agents PROPERTIES ENVIRONMENT
    "${SHIPIO_TEST_PRELOAD};SHIPIO_NONCOLLECTIVE=1;SHIPIO_STRIPE=4096")
endif()
