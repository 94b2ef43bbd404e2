/* streams.h - what the calls on streams share. */
#ifndef STREAMS_H
#define STREAMS_H

#include "recorder.h"

#include <stdio.h>

/* Local. As rec_begin_file, for the descriptor of a stream. */
struct rec_file *rec_begin_stream(FILE *stream, struct rec_span *span);

#endif
