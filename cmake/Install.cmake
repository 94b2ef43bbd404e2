install(TARGETS pario RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What `pario honesty` preloads.
install(TARGETS pariofault LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pario)
# What `pario tune` preloads where MPICH has more processes than cores.
if(TARGET mpiyield)
  install(TARGETS mpiyield LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pario)
endif()
file(GLOB PARIO_MAN_PAGES CONFIGURE_DEPENDS man/*.1)
install(FILES ${PARIO_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pario/examples
        USE_SOURCE_PERMISSIONS)
install(FILES script/completion.bash RENAME pario
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# The names that users of the originals know.
foreach(link IN LISTS PARIO_LINKS)
  install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E create_symlink pario
    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${link})")
endforeach()
