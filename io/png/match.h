// Finds what repeats in a block of bytes (Lempel and Ziv's way, with a table of where three bytes stood last).
#ifndef LIMBERI_MATCH_H
#define LIMBERI_MATCH_H

#include <limber/base.h>

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

#endif
