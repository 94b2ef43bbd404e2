/* fuzz.h - what the fuzz targets share. */
#ifndef PARIO_FUZZ_FUZZ_H
#define PARIO_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The bytes as a file in memory; a name that is valid until the next call. */
const char *pario_fuzz_file(const uint8_t *data, size_t len);

#endif
