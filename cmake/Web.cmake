# The scripts and styles of the HTML report, embedded. uPlot lies in web/uplot
# of a release, else it comes from npm (`npm ci` in web/, which script/setup
# does); without it the page has static SVG in place of interactive plots.
set(pario_web ${CMAKE_SOURCE_DIR}/web)
set(pario_uplot ${pario_web}/uplot)
if(NOT EXISTS ${pario_uplot}/uPlot.iife.min.js)
  set(pario_uplot ${pario_web}/node_modules/uplot/dist)
endif()
set(pario_web_files
  pario_web_page_js=${pario_web}/page.js
  pario_web_page_css=${pario_web}/page.css
  pario_web_uplot_js=${pario_uplot}/uPlot.iife.min.js
  pario_web_uplot_css=${pario_uplot}/uPlot.min.css)
set(pario_web_inputs ${pario_web}/page.js ${pario_web}/page.css
    ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake)
if(EXISTS ${pario_uplot}/uPlot.iife.min.js)
  list(APPEND pario_web_inputs ${pario_uplot}/uPlot.iife.min.js
       ${pario_uplot}/uPlot.min.css)
else()
  message(STATUS "pario: uPlot not found (npm ci in web/): static HTML report")
endif()
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/embedded.c
  COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/embedded.c
          -DHEADER=report/embedded.h "-DFILES=${pario_web_files}"
          -P ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
  DEPENDS ${pario_web_inputs} VERBATIM)
list(APPEND PARIO_SOURCES ${CMAKE_BINARY_DIR}/embedded.c)
