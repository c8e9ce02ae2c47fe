// Blocks of a zlib stream (RFC 1950, RFC 1951): Huffman codes made for each block, and runs of one byte as the only
// matches. That is most of what there is to gain in filtered rows of a texture of numbers.
#ifndef LIMBERI_VAT_DEFLATE_H
#define LIMBERI_VAT_DEFLATE_H

#include <limber/base.h>

enum {
    LIMBERI_DEFLATE_BLOCK = 1 << 16,                               // bytes at most per block
    LIMBERI_DEFLATE_PACKED = 2 * LIMBERI_DEFLATE_BLOCK + (1 << 10) // no block gets longer than that
};

// Zero it, then begin.
typedef struct limberi_deflate {
    uint8_t* out; // where the bytes go; set before each call
    size_t used;  // how many there are now; the caller takes them and sets this to 0
    uint64_t bits;
    uint32_t bit_count;
    uint32_t sum_low, sum_high; // Adler-32
} limberi_deflate;

void limberi_deflate_begin(limberi_deflate* deflate);
void limberi_deflate_block(limberi_deflate* deflate, const uint8_t* bytes, size_t count);
void limberi_deflate_end(limberi_deflate* deflate);

#endif
