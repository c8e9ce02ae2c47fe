// A fingerprint of bytes: what has the same one is taken to be the same. Not against attackers.
#ifndef LIMBER_CLI_BATCH_HASH_H
#define LIMBER_CLI_BATCH_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { BATCH_HASH_LANES = 4, BATCH_HASH_BLOCK = 8 * BATCH_HASH_LANES, BATCH_HASH_CHARS = 33 };

typedef struct batch_hash {
    uint64_t lanes[BATCH_HASH_LANES];
    uint64_t count; // bytes
    uint8_t waiting[BATCH_HASH_BLOCK];
    uint32_t waiting_count;
} batch_hash;

void batch_hash_start(batch_hash* hash);
void batch_hash_add(batch_hash* hash, const void* bytes, size_t count);
// The text and its end, so that "ab", "c" is not "a", "bc".
void batch_hash_text(batch_hash* hash, const char* text);
// 32 hexadecimal digits and the end.
void batch_hash_end(const batch_hash* hash, char out[BATCH_HASH_CHARS]);

#endif
