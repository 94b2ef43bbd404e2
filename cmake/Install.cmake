install(TARGETS pario RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What `pario honesty` preloads.
install(TARGETS pariofault LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pario)
# What other programs read traces with.
install(TARGETS pariotrace ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header trace/trace.h trace/ops.h trace/live.h trace/type.h
        trace/profile.h core/error.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pario/${folder})
endforeach()
# What `pario tune` preloads where MPICH has more processes than cores.
if(TARGET mpiyield)
  install(TARGETS mpiyield LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pario)
endif()
file(GLOB PARIO_MAN_PAGES CONFIGURE_DEPENDS man/*.1)
install(FILES ${PARIO_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# A page for each command of this build, from its own tables of options.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "execute_process(
    COMMAND ${CMAKE_SOURCE_DIR}/script/man-pages $<TARGET_FILE:pario>
      ${CMAKE_SOURCE_DIR}/man
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1
    RESULT_VARIABLE pario_man)
    if(pario_man)
      message(FATAL_ERROR \"the man pages could not be made\")
    endif()")
endif()
# What a plug-in of `pario prio` is built against; pkg-config knows where.
install(FILES include/pario.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# From LIBDIR/pkgconfig back to the prefix.
file(RELATIVE_PATH PARIO_PC_UP /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
foreach(pc pario pariotrace)
  configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${pc}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
include(CMakePackageConfigHelpers)
configure_file(cmake/pario-config.cmake.in pario-config.cmake @ONLY)
write_basic_package_version_file(pario-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pario-config.cmake
        ${CMAKE_BINARY_DIR}/pario-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pario)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pario/examples
        USE_SOURCE_PERMISSIONS)
install(FILES script/completion.bash RENAME pario
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES script/completion.zsh RENAME _pario
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES script/completion.fish RENAME pario.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# The names that users of the originals know.
foreach(link IN LISTS PARIO_LINKS)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E create_symlink pario
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${link})")
endforeach()
