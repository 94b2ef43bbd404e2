/* suites/pattern/files.h - the files of a pattern: in the run's own directory
 * beside the name of -o, to which a file that is kept is moved in the end. */
#ifndef PARIO_PATTERN_FILES_H
#define PARIO_PATTERN_FILES_H

#include "suites/pattern/pattern.h"

/* Local. Below which directory? That of -o, the operand, or here. */
int pattern_files_directory(const struct pario_run *run,
                            const struct pattern_options *options, char *dir,
                            size_t len) PARIO_MUST_USE;
/* Local. Most disk space that a case needs. */
int64_t pattern_files_bytes(const struct pattern_cases *cases, int processes);
/* Collective. Nothing that exists is in the way. */
int pattern_files_check(const struct pario_run *run,
                        const struct pattern_cases *cases) PARIO_MUST_USE;

/* Collective. Sets the rank whose data this process reads. */
int pattern_files_reader(struct pattern_part *part) PARIO_MUST_USE;
/* Collective. Sets paths; a file of -o that is only read must be there. */
int pattern_files_find(struct pattern_part *part) PARIO_MUST_USE;
/* Collective, after a repetition: removes the files; the last ones go to the
 * name of -o where they are kept. */
int pattern_files_end(struct pattern_part *part, int last) PARIO_MUST_USE;

#endif
