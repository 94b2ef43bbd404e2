/* seal.h - a keyed hash over a datagram, from libsodium: strangers can neither
 * make one nor change one. */
#ifndef SHIPIO_SEAL_H
#define SHIPIO_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#define SHIPIO_SEAL_KEY_BYTES 32
#define SHIPIO_SEAL_BYTES 16

/* Local. A new random key; false where shipio was built without libsodium. */
bool shipio_seal_key(unsigned char key[SHIPIO_SEAL_KEY_BYTES]);
/* Local. False where shipio was built without libsodium. */
bool shipio_seal(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                 const void *data, size_t len,
                 unsigned char seal[SHIPIO_SEAL_BYTES]);
/* Local. In a time that tells nothing. */
bool shipio_seal_matches(const unsigned char key[SHIPIO_SEAL_KEY_BYTES],
                         const void *data, size_t len,
                         const unsigned char seal[SHIPIO_SEAL_BYTES]);

#endif
