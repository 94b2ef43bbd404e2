/* Gives every file named to the target, and cuts and changed bytes of it by a
 * fixed rule: a short run without a fuzzer. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((size_t)1 << 20)
#define CUTS 60
#define CHANGES 200

static uint32_t state = 1;

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void replay(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len + 1);

    if (copy == NULL)
        abort();
    (void)LLVMFuzzerTestOneInput(data, len);
    for (size_t i = 0; i < CUTS; i++)
        (void)LLVMFuzzerTestOneInput(data, len * i / CUTS);
    for (size_t i = 0; i < CHANGES && len > 0; i++) {
        memcpy(copy, data, len);
        for (uint32_t k = next() % 4 + 1; k > 0; k--)
            copy[next() % len] =
                (uint8_t)("\n 0-9aw.{}[]\"\0\xff"[next() % 16]);
        (void)LLVMFuzzerTestOneInput(copy, len);
    }
    free(copy);
}

int main(int argc, char **argv)
{
    uint8_t *data = malloc(LIMIT);

    if (data == NULL || argc < 2)
        return 2;
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        size_t len;

        if (in == NULL) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        len = fread(data, 1, LIMIT, in);
        fclose(in);
        replay(data, len);
    }
    free(data);
    printf("%d files\n", argc - 1);
    return 0;
}
