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
# What a plug-in of `pario prio` is built against; pkg-config knows where.
set(PARIO_PLUGIN_HEADERS
  core/clock.h core/data.h core/error.h core/keyfile.h core/options.h
  core/progress.h core/rng.h core/stats.h core/units.h par/group.h
  measure/figures.h measure/kernels.h measure/phase.h measure/rate.h measure/residency.h measure/run.h
  measure/surroundings.h measure/verdict.h result/flags.h result/result.h
  result/samples.h suites/prio/plugin.h
  sys/cache.h sys/device.h sys/fs.h sys/node.h sys/noise.h)
foreach(header IN LISTS PARIO_PLUGIN_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pario/${folder})
endforeach()
# From LIBDIR/pkgconfig back to the prefix.
file(RELATIVE_PATH PARIO_PC_UP /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/pario.pc.in pario.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pario.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pario/examples
        USE_SOURCE_PERMISSIONS)
install(FILES script/completion.bash RENAME pario
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# The names that users of the originals know.
foreach(link IN LISTS PARIO_LINKS)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E create_symlink pario
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${link})")
endforeach()
