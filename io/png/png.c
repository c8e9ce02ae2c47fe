// PNG files, row by row, without a library: 8 or 16 bits per channel, with or without alpha.
#include "io/png/png.h"
#include "base/crc.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { NONE, SUB, UP, AVERAGE, PAETH, HEADER_BYTES = 13 };

static void store_word(uint8_t* at, uint32_t word) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (24 - 8 * i));
}

static void put_word(const limberi_png* png, uint32_t word) {
    uint8_t bytes[4];
    store_word(bytes, word);
    png->put(png->user, bytes, sizeof bytes);
}

static void put_chunk(const limberi_png* png, const char* kind, const uint8_t* bytes, size_t count) {
    uint32_t crc = limberi_crc_add(png->crc_table, UINT32_MAX, (const uint8_t*)kind, 4);
    put_word(png, (uint32_t)count);
    png->put(png->user, kind, 4);
    if (count)
        png->put(png->user, bytes, count);
    put_word(png, ~limberi_crc_add(png->crc_table, crc, bytes, count));
}

bool limberi_png_begin(limberi_png* png) {
    bool room = true;
    png->row_bytes = (size_t)png->bits / 8 * png->channels * png->width;
    png->above = limberi_allocate_zeroed(1, png->row_bytes);
    png->block = limberi_allocate(LIMBERI_DEFLATE_BLOCK);
    for (int i = 0; i < LIMBERI_PNG_FILTERS; i++) {
        png->candidates[i] = limberi_allocate_zeroed(1, png->row_bytes + 1);
        room = room && png->candidates[i];
    }
    if (!limberi_deflate_begin(&png->deflate) || !room || !png->above || !png->block)
        return false;
    for (int i = 0; i < LIMBERI_PNG_FILTERS; i++)
        png->candidates[i][0] = (uint8_t)i;
    limberi_crc_begin(png->crc_table);
    uint8_t header[HEADER_BYTES] = {0};
    store_word(header, png->width);
    store_word(header + 4, png->height);
    header[8] = png->bits;
    header[9] = png->channels == 4 ? 6 : 2; // red, green, blue, and alpha
    png->put(png->user, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(png, "IHDR", header, sizeof header);
    return true;
}

static void flush_block(limberi_png* png) {
    limberi_deflate_block(&png->deflate, png->block, png->block_used);
    put_chunk(png, "IDAT", png->deflate.out, png->deflate.used);
    png->block_used = png->deflate.used = 0;
}

static void put_filtered(limberi_png* png, const uint8_t* bytes, size_t count) {
    while (count) {
        size_t room = LIMBERI_DEFLATE_BLOCK - png->block_used;
        size_t now = count < room ? count : room;
        memcpy(png->block + png->block_used, bytes, now);
        png->block_used += now;
        bytes += now;
        count -= now;
        if (png->block_used == LIMBERI_DEFLATE_BLOCK)
            flush_block(png);
    }
}

// The one of the three that is closest to left + above - before (PNG specification, 9.4).
static int paeth(int left, int above, int before) {
    int to_left = abs(above - before);
    int to_above = abs(left - before);
    int to_before = abs(left + above - 2 * before);
    if (to_left <= to_above && to_left <= to_before)
        return left;
    return to_above <= to_before ? above : before;
}

// A row as its differences to the pixel at the left, above, both.
static void filter(const limberi_png* png, const uint8_t* row) {
    uint8_t* const* to = png->candidates;
    size_t pixel = (size_t)png->bits / 8 * png->channels;
    memcpy(to[NONE] + 1, row, png->row_bytes);
    for (size_t i = 0; i < png->row_bytes; i++) {
        int left = i < pixel ? 0 : row[i - pixel];
        int above = png->above[i];
        int before = i < pixel ? 0 : png->above[i - pixel];
        to[SUB][1 + i] = (uint8_t)(row[i] - left);
        to[UP][1 + i] = (uint8_t)(row[i] - above);
        to[AVERAGE][1 + i] = (uint8_t)(row[i] - (left + above) / 2);
        to[PAETH][1 + i] = (uint8_t)(row[i] - paeth(left, above, before));
    }
}

// How far the bytes are from 0, either way round.
static uint64_t cost(const uint8_t* bytes, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
    return sum;
}

void limberi_png_row(limberi_png* png, const uint8_t* row) {
    uint64_t min = UINT64_MAX;
    int best = NONE;
    filter(png, row);
    for (int i = 0; i < LIMBERI_PNG_FILTERS; i++) {
        uint64_t of_this = cost(png->candidates[i] + 1, png->row_bytes);
        if (of_this < min) {
            min = of_this;
            best = i;
        }
    }
    put_filtered(png, png->candidates[best], png->row_bytes + 1);
    memcpy(png->above, row, png->row_bytes);
}

void limberi_png_end(limberi_png* png) {
    flush_block(png);
    limberi_deflate_end(&png->deflate);
    put_chunk(png, "IDAT", png->deflate.out, png->deflate.used);
    put_chunk(png, "IEND", NULL, 0);
}

void limberi_png_free(limberi_png* png) {
    limberi_release(png->above);
    limberi_release(png->block);
    for (int i = 0; i < LIMBERI_PNG_FILTERS; i++)
        limberi_release(png->candidates[i]);
    limberi_deflate_free(&png->deflate);
    memset(png, 0, sizeof *png);
}
