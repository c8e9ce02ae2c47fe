// A PNG of 16 bits per channel, red, green and blue, row by row.
#ifndef LIMBERI_VAT_PNG_H
#define LIMBERI_VAT_PNG_H

#include "io/out.h"
#include "io/vat/deflate.h"

typedef struct limberi_png {
    limberi_out* out; // open
    size_t row_bytes;
    uint8_t *row, *above, *candidates[2]; // a candidate starts with the number of its filter
    uint8_t* block;
    size_t block_used;
    limberi_deflate deflate;
    uint32_t crc_table[256];
} limberi_png;

// False when memory is short.
bool limberi_png_begin(limberi_png* png, limberi_out* out, uint32_t width, uint32_t height);
void limberi_png_row(limberi_png* png, const uint16_t* values); // 3 per pixel
void limberi_png_end(limberi_png* png);
void limberi_png_free(limberi_png* png);

#endif
