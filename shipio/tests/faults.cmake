# Storage that fails under one agent: include() after the target shipio exists;
# needs the target pariofault or PARIOFAULT_LIBRARY (fault).
include(${CMAKE_CURRENT_LIST_DIR}/launch.cmake)

if(TARGET pariofault)
  set(shipio_fault_library $<TARGET_FILE:pariofault>)
elseif(PARIOFAULT_LIBRARY)
  set(shipio_fault_library ${PARIOFAULT_LIBRARY})
elseif(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../../fault/CMakeLists.txt)
  add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../../fault
    ${CMAKE_CURRENT_BINARY_DIR}/fault)
  set(shipio_fault_library $<TARGET_FILE:pariofault>)
endif()
if(NOT shipio_fault_library OR NOT TARGET shipio)
  return()
endif()

add_executable(shipio_faults ${CMAKE_CURRENT_LIST_DIR}/faults_main.c)
set_target_properties(shipio_faults PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
target_compile_definitions(shipio_faults PRIVATE _GNU_SOURCE)
target_compile_options(shipio_faults PRIVATE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -Wcast-qual)
shipio_test_links(shipio_faults)
set(shipio_fault_preload "${shipio_fault_library} $<TARGET_FILE:shipio>")
if(SHIPIO_LINK_TESTS)
  set(shipio_fault_preload ${shipio_fault_library})
endif()

set(shipio_fault_ranks 4)
if(SHIPIO_MPI_NAME STREQUAL mpich)
  set(shipio_fault_ranks 2) # it spins when there are more ranks than cores
endif()

set(shipio_fault_limit 30)
set(shipio_fault_timeout 60)
if(SHIPIO_TEST_WRAPPER OR SHIPIO_SANITIZE)
  set(shipio_fault_limit 150)
  set(shipio_fault_timeout 200)
endif()

# shipio_add_fault(NAME FAULT CALL EXPECT WHEN HINTS...)
function(shipio_add_fault name fault)
  # Rules are separated by semicolons, which CMake takes for its own.
  string(REPLACE "+" ";" fault "${fault}")
  set(environment)
  if(IS_DIRECTORY /dev/shm)
    set(environment SHIPIO_TEST_DIR=/dev/shm)
  endif()
  if(name MATCHES "^disk-")
    set(environment SHIPIO_TEST_DIR=${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(name MATCHES "^messages-") # as between nodes
    list(APPEND environment SHIPIO_MESSAGES=1)
  endif()
  if(name MATCHES "^threads-") # the program itself does not ask for them
    list(APPEND environment SHIPIO_MODE=ship)
  endif()
  add_test(NAME shipio-fault-${name}
    COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/faults-run
      "${shipio_fault_preload}" "${fault}" ${shipio_fault_limit}
      ${SHIPIO_MPIRUN} ${shipio_fault_ranks} ${SHIPIO_TEST_WRAPPER}
      $<TARGET_FILE:shipio_faults>
      -- ${ARGN})
  set_tests_properties(shipio-fault-${name} PROPERTIES
    TIMEOUT ${shipio_fault_timeout} PROCESSORS 2)
  set_tests_properties(shipio-fault-${name} PROPERTIES
    ENVIRONMENT "${environment}" LABELS "shipio;fault")
endfunction()

set(on path=/hit/)
set(ship shipio_mode=ship IBM_io_buffer_size=4096 shipio_map=false)
set(direct shipio_mode=direct shipio_map=false)
set(remote shipio_storage=remote)
set(sieve ${remote} shipio_sieve=true)
set(strict ${direct} shipio_agree=strict)

# One agent's writes fail: all ranks of the collective learn it from the call.
shipio_add_fault(ship-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${ship})
shipio_add_fault(ship-late-eio op=write,rank=1,nth=3,error=EIO,${on}
  write_all io call ${ship})
shipio_add_fault(ship-rank0-quota op=write,rank=0,error=EDQUOT,${on}
  write_all quota call ${ship})
shipio_add_fault(ship-single op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${ship} shipio_double_buffer=false)
shipio_add_fault(ship-split op=write,rank=1,error=ENOSPC,${on}
  write_all_begin no_space call ${ship})
shipio_add_fault(ship-sparse op=write,rank=1,error=EIO,${on}
  write_all io call ${ship} IBM_sparse_access=true)
shipio_add_fault(strict-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${strict})
shipio_add_fault(strict-late op=write,rank=1,nth=40,error=EIO,${on}
  write_all io call ${strict})
# Direct writes, without a hint: all ranks learn it from the call when it writes
# much, or where the file has no blocks yet.
math(EXPR last "${shipio_fault_ranks} - 1")
shipio_add_fault(direct-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${direct})
shipio_add_fault(direct-late op=write,rank=${last},nth=60,error=ENOSPC,${on}
  write_all no_space call ${direct})
shipio_add_fault(direct-slow-late
  op=write,rank=${last},delay=2,${on}+op=write,rank=${last},nth=60,error=ENOSPC,${on}
  write_all no_space call ${direct})
shipio_add_fault(auto-enospc op=write,error=ENOSPC,${on}
  write_all no_space call)
foreach(kind append hole)
  shipio_add_fault(ordered-${kind}
    op=write,rank=${last},delay=2,${on}+op=write,rank=${last},nth=60,error=ENOSPC,${on}
    ${kind}_ordered no_space call)
endforeach()
# Two ranks fail, each in its own way: still one error.
foreach(mode direct strict)
  shipio_add_fault(${mode}-two-errors
    op=write,rank=0,error=ENOSPC,${on}+op=write,rank=1,error=EIO,${on}
    write_all no_space call ${${mode}})
endforeach()
# Small ones over blocks that are there: a rank may go ahead, but not past its
# next collective call, sync and close.
shipio_add_fault(deferred-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space close ${direct} shipio_agree=deferred)
shipio_add_fault(ship-iwrite op=write,rank=1,error=EIO,${on}
  iwrite_at_all io close ${ship})
shipio_add_fault(ordered-enospc op=write,rank=1,from=5,error=ENOSPC,${on}
  write_ordered no_space close)
# The same on the file system of the build, which most often is a disk's: there
# the file's blocks decide who waits.
foreach(kind append hole)
  shipio_add_fault(disk-ordered-${kind}
    op=write,rank=${last},delay=2,${on}+op=write,rank=${last},nth=60,error=ENOSPC,${on}
    ${kind}_ordered no_space call)
endforeach()
shipio_add_fault(disk-ordered-enospc op=write,rank=1,from=5,error=ENOSPC,${on}
  write_ordered no_space close)
shipio_add_fault(disk-direct-late op=write,rank=${last},nth=60,error=ENOSPC,${on}
  write_all no_space call ${direct})
shipio_add_fault(disk-ship-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${ship})
shipio_add_fault(disk-short op=write,short,${on} write_all success call)
shipio_add_fault(independent-eio op=write,rank=1,error=EIO,${on}
  write_at io some ${direct})
shipio_add_fault(independent-iwrite op=write,rank=1,error=ENOSPC,${on}
  iwrite_at no_space some ${direct})
shipio_add_fault(agents-eio op=write,rank=1,error=EIO,${on}
  write_at io some ${ship} shipio_noncollective=true)

# Everything shipped: one agent's failure hits the noncollective writes of all.
shipio_add_fault(threads-largeblock op=write,rank=1,error=EIO,${on}
  write_at io call IBM_largeblock_io=false IBM_io_buffer_size=4096)

# Requests under way in threads, and windows that are read and written back.
shipio_add_fault(remote-enospc op=write,error=ENOSPC,${on}
  write_all no_space call ${remote})
shipio_add_fault(remote-eio op=write,rank=1,error=EIO,${on}
  write_all io call ${remote} IBM_io_buffer_size=4096)
shipio_add_fault(remote-read-eio op=read,rank=1,error=EIO,${on}
  read_all io call ${remote} IBM_io_buffer_size=4096)
shipio_add_fault(remote-short op=write,short,${on}+op=read,short,${on}
  write_all success call ${remote})
shipio_add_fault(sieve-enospc op=write,rank=1,error=ENOSPC,${on}
  write_at no_space some ${sieve})
shipio_add_fault(sieve-read-eio op=read,rank=1,error=EIO,${on}
  write_at io some ${sieve})
shipio_add_fault(sieve-short op=write,short,${on}+op=read,short,${on}
  write_at success some ${sieve})
shipio_add_fault(sieve-eintr op=write,rank=1,eintr,${on}
  write_at success some ${sieve})

# Writes that wait: every rank knows at the latest from sync or close.
set(behind shipio_write_behind=true IBM_io_buffer_size=4096)
shipio_add_fault(behind-enospc op=write,error=ENOSPC,${on}
  write_at no_space close ${behind})
shipio_add_fault(behind-one-eio op=write,nth=3,error=EIO,${on}
  write_at io close ${behind})
shipio_add_fault(behind-remote-eio op=write,error=EIO,${on}
  write_at io close ${behind} ${sieve})
shipio_add_fault(behind-short op=write,short,${on}
  write_at success close ${behind})
shipio_add_fault(behind-eintr op=write,eintr,${on}
  write_at success close ${behind})
shipio_add_fault(behind-kill op=write,kill,${on}
  write_at success close ${behind})

# A process that dies while the others wait for its agent.
shipio_add_fault(ship-kill op=write,rank=1,kill,${on}
  write_all success call ${ship})

# By messages, as between nodes.
shipio_add_fault(messages-enospc op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${ship})
shipio_add_fault(messages-late-eio op=write,rank=1,nth=3,error=EIO,${on}
  write_all io call ${ship})
shipio_add_fault(messages-sparse op=write,rank=1,error=EIO,${on}
  write_all io call ${ship} IBM_sparse_access=true)
shipio_add_fault(messages-direct op=write,rank=1,error=ENOSPC,${on}
  write_all no_space call ${direct})
shipio_add_fault(messages-read-direct op=read,rank=1,nth=60,error=EIO,${on}
  read_all io call ${direct})
shipio_add_fault(messages-iwrite op=write,rank=1,error=EIO,${on}
  iwrite_at_all io close ${ship})
shipio_add_fault(messages-iwrite-again op=write,rank=1,nth=1,error=EIO,${on}
  iwrite_then_all io call ${ship})
shipio_add_fault(messages-read op=read,rank=1,error=EIO,${on}
  read_all io call ${ship})
shipio_add_fault(messages-short op=write,short,${on}+op=read,short,${on}
  write_all success call ${ship})
shipio_add_fault(messages-agents op=write,rank=1,error=EIO,${on}
  write_at io some ${ship} shipio_noncollective=true)

# Reads.
shipio_add_fault(read-ship-eio op=read,rank=1,error=EIO,${on}
  read_all io call ${ship})
shipio_add_fault(read-strict-eio op=read,rank=1,nth=7,error=EIO,${on}
  read_all io call ${strict})
shipio_add_fault(read-deferred op=read,rank=${last},nth=60,error=EIO,${on}
  read_all io close ${direct})
shipio_add_fault(read-independent op=read,rank=1,error=EIO,${on}
  read_at io some ${direct})

# What a careful layer overcomes.
foreach(mode ship direct)
  shipio_add_fault(${mode}-short op=write,short,${on}
    write_all success call ${${mode}})
  shipio_add_fault(${mode}-eintr op=write,rank=1,eintr,${on}
    write_all success call ${${mode}})
  shipio_add_fault(${mode}-slow op=write,rank=1,nth=2,delay=400,${on}
    write_all success call ${${mode}})
  shipio_add_fault(${mode}-read-short op=read,short,${on}
    read_all success call ${${mode}})
  shipio_add_fault(${mode}-read-eintr op=read,rank=1,eintr,${on}
    read_all success call ${${mode}})
  shipio_add_fault(${mode}-read-slow op=read,rank=1,nth=1,delay=400,${on}
    read_all success call ${${mode}})
endforeach()

# Everything beside reading and writing.
shipio_add_fault(sync-eio op=fsync,error=EIO,${on} sync io call)
shipio_add_fault(sync-rank0-eio op=fsync,rank=0,error=EIO,${on} sync io call)
shipio_add_fault(sync-enospc op=fsync,error=ENOSPC,${on} sync no_space call)
shipio_add_fault(close-eio op=close,rank=1,error=EIO,${on} close io call)
shipio_add_fault(open-eacces op=open,rank=1,error=EACCES,${on}
  open access call)
shipio_add_fault(open-rank0-eio op=open,rank=0,error=EIO,${on} open io call)
shipio_add_fault(set-size op=ftruncate,error=ENOSPC,${on}
  set_size no_space call)
shipio_add_fault(preallocate
  op=fallocate,error=ENOSPC,${on}+op=write,error=ENOSPC,${on}
  preallocate no_space call)

shipio_add_fault(preallocate-wronly op=fallocate,nth=1,error=EBADF,${on}
  preallocate_wronly success call)
shipio_add_fault(sync-eintr op=fsync,eintr,${on} sync success call)
shipio_add_fault(set-size-eintr op=ftruncate,eintr,${on} set_size success call)
shipio_add_fault(preallocate-eintr op=fallocate,eintr,${on}
  preallocate success call)
# Shared memory is reserved all the same: its head and its window.
foreach(nth 1 2)
  add_test(NAME shipio-fault-shm-eintr-${nth}
    COMMAND ${SHIPIO_MPIRUN} 2 $<TARGET_FILE:shipio_mpi_stats>
      ${shipio_test_dir})
  set_tests_properties(shipio-fault-shm-eintr-${nth} PROPERTIES
    TIMEOUT 60 PROCESSORS 2 LABELS "shipio;fault" ENVIRONMENT
    "LD_PRELOAD=${shipio_fault_preload};PARIO_FAULT=op=fallocate,rank=0,nth=${nth},error=EINTR,path=/dev/shm/shipio-")
endforeach()

# A neighbour is late between two ordered calls: its own calls on the shared
# pointer still find bytes that nobody else has.
foreach(ranks 2 4)
  add_test(NAME shipio-fault-pointers-slow-${ranks}
    COMMAND ${SHIPIO_MPIRUN} ${ranks} $<TARGET_FILE:shipio_mpi_pointers>
      ${shipio_test_dir})
  set_tests_properties(shipio-fault-pointers-slow-${ranks} PROPERTIES
    TIMEOUT 60 PROCESSORS 2 LABELS "shipio;fault" ENVIRONMENT
    "LD_PRELOAD=${shipio_fault_preload};PARIO_FAULT=op=write,rank=1,delay=2,path=/shipio-pointers")
endforeach()

# The MPI library's own open, after shipio's, fails on one rank only.
add_library(shipio_standin_open SHARED
  ${CMAKE_CURRENT_LIST_DIR}/standin/open.c)
set_target_properties(shipio_standin_open PROPERTIES C_STANDARD 11
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/standin)
target_compile_definitions(shipio_standin_open PRIVATE _GNU_SOURCE)
target_compile_options(shipio_standin_open PRIVATE ${shipio_test_flags})
target_link_libraries(shipio_standin_open PRIVATE MPI::MPI_C ${CMAKE_DL_LIBS})
add_test(NAME shipio-fault-open-native
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/faults-run
    "$<TARGET_FILE:shipio> $<TARGET_FILE:shipio_standin_open>" "" 30
    ${SHIPIO_MPIRUN} 2 $<TARGET_FILE:shipio_faults> -- open no_space call)
set_tests_properties(shipio-fault-open-native PROPERTIES TIMEOUT 60 PROCESSORS 2
  LABELS "shipio;fault" ENVIRONMENT "STANDIN_RANK=1")
