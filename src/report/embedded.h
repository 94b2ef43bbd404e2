/* report/embedded.h - files of web/ that are in the program (cmake/Embed.cmake
 * makes them). Each ends with a 0 that is not counted. The two of uPlot have
 * length 0 in a build without npm. Private to src/report. */
#ifndef PARIO_REPORT_EMBEDDED_H
#define PARIO_REPORT_EMBEDDED_H

#include <stddef.h>

extern const unsigned char pario_web_page_js[], pario_web_page_css[];
extern const unsigned char pario_web_uplot_js[], pario_web_uplot_css[];
extern const size_t pario_web_page_js_len, pario_web_page_css_len;
extern const size_t pario_web_uplot_js_len, pario_web_uplot_css_len;

#endif
