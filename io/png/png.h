// PNG files, row by row, without a library: 8 or 16 bits per channel, with or without alpha.
#ifndef LIMBERI_PNG_H
#define LIMBERI_PNG_H

#include "io/png/deflate.h"

enum { LIMBERI_PNG_FILTERS = 5 };

// Zero it and fill in the first part, then begin.
typedef struct limberi_png {
    void (*put)(void* user, const void* bytes, size_t count); // where the file goes
    void* user;
    uint32_t width, height;
    uint8_t bits, channels; // 8 or 16; 3 or 4

    size_t row_bytes;
    uint8_t* above;
    uint8_t* candidates[LIMBERI_PNG_FILTERS]; // the row filtered, each behind the number of its filter
    uint8_t* block;
    size_t block_used;
    limberi_deflate deflate;
    uint32_t crc_table[256];
} limberi_png;

bool limberi_png_begin(limberi_png* png);                   // false when memory is short
void limberi_png_row(limberi_png* png, const uint8_t* row); // 16 bits: the high byte first
void limberi_png_end(limberi_png* png);
void limberi_png_free(limberi_png* png); // also one that was not begun, or failed to

#endif
