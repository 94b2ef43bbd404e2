/* seal.c - BLAKE2b with a key. */
#include "seal.h"

#if SHIPIO_HAVE_SODIUM
#include <sodium.h>

bool shipio_seal_key(unsigned char key[SHIPIO_SEAL_KEY_BYTES])
{
    if (sodium_init() < 0)
        return false;
    randombytes_buf(key, SHIPIO_SEAL_KEY_BYTES);
    return true;
}

bool shipio_seal(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                 const void *data, size_t len,
                 unsigned char seal[SHIPIO_SEAL_BYTES])
{
    return crypto_generichash(seal, SHIPIO_SEAL_BYTES, data, len, key,
                              SHIPIO_SEAL_KEY_BYTES) == 0;
}

bool shipio_seal_matches(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                         const void *data, size_t len,
                         const unsigned char seal[SHIPIO_SEAL_BYTES])
{
    unsigned char right[SHIPIO_SEAL_BYTES];

    return shipio_seal(key, data, len, right) &&
           sodium_memcmp(right, seal, sizeof(right)) == 0;
}

#else

bool shipio_seal_key(unsigned char key[SHIPIO_SEAL_KEY_BYTES])
{
    (void)key;
    return false;
}

bool shipio_seal(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                 const void *data, size_t len,
                 unsigned char seal[SHIPIO_SEAL_BYTES])
{
    (void)key;
    (void)data;
    (void)len;
    (void)seal;
    return false;
}

bool shipio_seal_matches(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                         const void *data, size_t len,
                         const unsigned char seal[SHIPIO_SEAL_BYTES])
{
    (void)key;
    (void)data;
    (void)len;
    (void)seal;
    return false;
}

#endif
