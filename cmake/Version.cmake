# Version and commit; a release has no git but a file that names it.
set(PARIO_COMMIT "unknown")
if(EXISTS ${CMAKE_SOURCE_DIR}/COMMIT)
  file(READ ${CMAKE_SOURCE_DIR}/COMMIT PARIO_COMMIT)
  string(STRIP "${PARIO_COMMIT}" PARIO_COMMIT)
endif()
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${CMAKE_SOURCE_DIR}/.git)
  # A new commit configures anew.
  foreach(file HEAD logs/HEAD)
    if(EXISTS ${CMAKE_SOURCE_DIR}/.git/${file})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                   ${CMAKE_SOURCE_DIR}/.git/${file})
    endif()
  endforeach()
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                  OUTPUT_VARIABLE PARIO_COMMIT
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
