// Blocks of a zlib stream (RFC 1950, RFC 1951): repetitions within a block, and Huffman codes made for each block.
#ifndef LIMBERI_DEFLATE_H
#define LIMBERI_DEFLATE_H

#include "io/png/match.h"

enum {
    LIMBERI_DEFLATE_BLOCK = LIMBERI_MATCH_BYTES,                   // bytes at most per block
    LIMBERI_DEFLATE_PACKED = 2 * LIMBERI_DEFLATE_BLOCK + (1 << 10) // no block gets longer than that
};

// Zero it, then begin.
typedef struct limberi_deflate {
    uint8_t* out; // LIMBERI_DEFLATE_PACKED bytes
    size_t used;  // how many there are now; the caller takes them and sets this to 0
    uint64_t bits;
    uint32_t bit_count;
    uint32_t sum_low, sum_high; // Adler-32
    limberi_matcher matcher;
} limberi_deflate;

bool limberi_deflate_begin(limberi_deflate* deflate); // false when memory is short
void limberi_deflate_block(limberi_deflate* deflate, const uint8_t* bytes, size_t count);
void limberi_deflate_end(limberi_deflate* deflate);
void limberi_deflate_free(limberi_deflate* deflate); // one that was never begun, or failed to, is fine

#endif
