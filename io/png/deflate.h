// Blocks of a zlib stream (RFC 1950, RFC 1951): repetitions within a block, and Huffman codes made for each block.
#ifndef LIMBERI_DEFLATE_H
#define LIMBERI_DEFLATE_H

#include <limber/base.h>

// --- what repeats in a block of bytes (Lempel and Ziv's way, with a table of where three bytes stood last) ---

enum { LIMBERI_MATCH_BYTES = 1 << 17, LIMBERI_MATCH_SHORTEST = 3, LIMBERI_MATCH_LONGEST = 258 };

// A byte, or as many bytes as stood `distance` before.
typedef struct limberi_token {
    uint16_t length;   // 1: the byte
    uint16_t distance; // or the byte
} limberi_token;

typedef struct limberi_matcher {
    limberi_token* tokens; // of the block, no more than it has bytes
    uint32_t count;
    int32_t *newest, *before; // places by hash, and the place before each with the same hash; -1: none
} limberi_matcher;

bool limberi_matcher_begin(limberi_matcher* matcher); // false when memory is short
void limberi_matcher_block(limberi_matcher* matcher, const uint8_t* bytes, size_t count);
void limberi_matcher_free(limberi_matcher* matcher);

// --- the stream ---

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
