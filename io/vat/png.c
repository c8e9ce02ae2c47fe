#include "io/vat/png.h"

#include "base/memory.h"
#include <string.h>

enum { PIXEL_BYTES = 6, FILTER_SUB = 1, FILTER_UP = 2, HEADER_BYTES = 13 };

static void fill_crc_table(uint32_t* table) {
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0);
    }
}

static uint32_t crc_add(const limberi_png* png, uint32_t crc, const uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        crc = crc >> 8 ^ png->crc_table[(crc ^ bytes[i]) & 255];
    return crc;
}

static void put_chunk(const limberi_png* png, const char* kind, const uint8_t* bytes, size_t count) {
    uint32_t crc = crc_add(png, UINT32_MAX, (const uint8_t*)kind, 4);
    limberi_out_big_endian(png->out, (uint32_t)count);
    limberi_out_bytes(png->out, kind, 4);
    if (count)
        limberi_out_bytes(png->out, bytes, count);
    limberi_out_big_endian(png->out, ~crc_add(png, crc, bytes, count));
}

static void put_header(const limberi_png* png, uint32_t width, uint32_t height) {
    uint8_t header[HEADER_BYTES] = {0};
    for (int i = 0; i < 4; i++) {
        header[i] = (uint8_t)(width >> (24 - 8 * i));
        header[4 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    header[8] = 16; // bits
    header[9] = 2;  // red, green, blue
    limberi_out_bytes(png->out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(png, "IHDR", header, sizeof header);
}

bool limberi_png_begin(limberi_png* png, limberi_out* out, uint32_t width, uint32_t height) {
    memset(png, 0, sizeof *png);
    png->out = out;
    png->row_bytes = (size_t)PIXEL_BYTES * width;
    png->row = limberi_allocate_zeroed(1, png->row_bytes);
    png->above = limberi_allocate_zeroed(1, png->row_bytes);
    for (int i = 0; i < 2; i++)
        png->candidates[i] = limberi_allocate_zeroed(1, png->row_bytes + 1);
    png->block = limberi_allocate(LIMBERI_DEFLATE_BLOCK);
    png->deflate.out = limberi_allocate(LIMBERI_DEFLATE_PACKED);
    if (!png->row || !png->above || !png->candidates[0] || !png->candidates[1] || !png->block || !png->deflate.out)
        return false;
    png->candidates[0][0] = FILTER_SUB;
    png->candidates[1][0] = FILTER_UP;
    fill_crc_table(png->crc_table);
    put_header(png, width, height);
    limberi_deflate_begin(&png->deflate);
    return true;
}

static void flush_block(limberi_png* png) {
    limberi_deflate_block(&png->deflate, png->block, png->block_used);
    put_chunk(png, "IDAT", png->deflate.out, png->deflate.used);
    png->block_used = png->deflate.used = 0;
}

static void put_filtered(limberi_png* png, const uint8_t* bytes, size_t count) {
    while (count) {
        size_t room = LIMBERI_DEFLATE_BLOCK - png->block_used, now = count < room ? count : room;
        memcpy(png->block + png->block_used, bytes, now);
        png->block_used += now;
        bytes += now;
        count -= now;
        if (png->block_used == LIMBERI_DEFLATE_BLOCK)
            flush_block(png);
    }
}

// How far the bytes are from 0, either way round.
static uint64_t cost(const uint8_t* bytes, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
    return sum;
}

void limberi_png_row(limberi_png* png, const uint16_t* values) {
    size_t count = png->row_bytes;
    for (size_t i = 0; i < count / 2; i++) {
        png->row[2 * i] = (uint8_t)(values[i] >> 8);
        png->row[2 * i + 1] = (uint8_t)values[i];
    }
    uint8_t *sub = png->candidates[0], *up = png->candidates[1];
    for (size_t i = 0; i < count; i++) {
        sub[1 + i] = (uint8_t)(png->row[i] - (i < PIXEL_BYTES ? 0 : png->row[i - PIXEL_BYTES]));
        up[1 + i] = (uint8_t)(png->row[i] - png->above[i]);
    }
    put_filtered(png, cost(sub + 1, count) < cost(up + 1, count) ? sub : up, count + 1);
    uint8_t* above = png->above;
    png->above = png->row;
    png->row = above;
}

void limberi_png_end(limberi_png* png) {
    flush_block(png);
    limberi_deflate_end(&png->deflate);
    put_chunk(png, "IDAT", png->deflate.out, png->deflate.used);
    put_chunk(png, "IEND", NULL, 0);
}

void limberi_png_free(limberi_png* png) {
    uint8_t* all[] = {png->row, png->above, png->candidates[0], png->candidates[1], png->block, png->deflate.out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        limberi_release(all[i]);
    memset(png, 0, sizeof *png);
}
