// Pictures in memory and in files, captions and contact sheets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "render/film/picture.h"
#include "render/film/sheet.h"

#ifdef LIMBER_WITH_JPEG
#include <jpeglib.h>
#endif

static const uint8_t* pixel(const limberi_picture* picture, uint32_t x, uint32_t y) {
    assert_true(x < picture->width && y < picture->height);
    return picture->pixels + 4 * ((size_t)y * picture->width + x);
}

static uint8_t noise(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint8_t)(*seed >> 24);
}

static void painting_over_mixes_light_and_keeps_alpha_straight(void** state) {
    (void)state;
    limberi_picture picture;
    limber_error error;
    const limberi_color white = {255, 255, 255, 255}, black = {0, 0, 0, 255}, red = {200, 0, 0, 255};
    assert_int_equal(limberi_picture_create(2, 1, &picture, &error), LIMBER_OK);
    limberi_picture_blend(&picture, 0, 0, red, 0.5f);
    assert_int_equal(pixel(&picture, 0, 0)[0], 200); // over nothing: the colour itself, half there
    assert_int_equal(pixel(&picture, 0, 0)[3], 128);
    limberi_picture_fill(&picture, black);
    limberi_picture_blend(&picture, 1, 0, white, 0.5f);
    assert_int_equal(pixel(&picture, 1, 0)[0], 188); // half the light, not half the number
    limberi_picture_blend(&picture, -1, 0, white, 1.0f);
    limberi_picture_blend(&picture, 0, 1, white, 1.0f);
    assert_int_equal(pixel(&picture, 0, 0)[0], 0);
    limberi_picture_destroy(&picture);
    limberi_picture_destroy(NULL);
}

static void cells_that_stick_out_are_cut_off(void** state) {
    (void)state;
    limberi_picture picture, cell;
    limber_error error;
    const limberi_color black = {0, 0, 0, 255}, white = {255, 255, 255, 255};
    assert_int_equal(limberi_picture_create(10, 10, &picture, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_create(6, 6, &cell, &error), LIMBER_OK);
    limberi_picture_fill(&picture, black);
    limberi_picture_fill(&cell, white);
    limberi_picture_place(&picture, &cell, -3, 7, 0.0f);
    limberi_picture_place(&picture, &cell, 7, -3, 100.0f);
    assert_int_equal(pixel(&picture, 2, 7)[0], 255);
    assert_int_equal(pixel(&picture, 3, 7)[0], 0);
    assert_int_equal(pixel(&picture, 2, 6)[0], 0);
    assert_int_equal(pixel(&picture, 9, 0)[0], 255);
    assert_int_equal(pixel(&picture, 6, 0)[0], 0);
    limberi_picture_destroy(&picture);
    limberi_picture_destroy(&cell);
}

static void png_comes_back_pixel_for_pixel(void** state) {
    (void)state;
    uint32_t seed = 3;
    for (int opaque = 0; opaque < 2; opaque++) {
        limberi_picture picture, back;
        limber_error error;
        uint8_t* bytes;
        size_t byte_count;
        assert_int_equal(limberi_picture_create(37, 19, &picture, &error), LIMBER_OK);
        for (size_t i = 0; i < 37 * 19 * 4; i++)
            picture.pixels[i] = opaque && i % 4 == 3 ? 255 : noise(&seed);
        assert_int_equal(limberi_picture_encode_png(&picture, &bytes, &byte_count, &error), LIMBER_OK);
        assert_int_equal(limberi_picture_decode(bytes, byte_count, &back, &error), LIMBER_OK);
        assert_int_equal(back.width, 37);
        assert_int_equal(back.height, 19);
        assert_memory_equal(back.pixels, picture.pixels, 37 * 19 * 4);
        for (size_t length = 0; length < byte_count; length += 7) { // cut off anywhere: an error or a picture, no crash
            limberi_picture cut;
            if (limberi_picture_decode(bytes, length, &cut, &error) == LIMBER_OK)
                limberi_picture_destroy(&cut);
        }
        free(bytes);
        limberi_picture_destroy(&picture);
        limberi_picture_destroy(&back);
    }
}

// --- pictures of others ---

typedef struct bytes {
    uint8_t data[65536];
    size_t count;
} bytes;

#ifdef LIMBER_WITH_JPEG
static void make_jpeg(bytes* b) {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char* out = b->data;
    unsigned long room = sizeof b->data;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &out, &room);
    jpeg.image_width = 24;
    jpeg.image_height = 17;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    for (uint8_t y = 0; y < 17; y++) {
        uint8_t row[24 * 3], *rows = row;
        for (uint8_t x = 0; x < 24; x++) {
            const uint8_t color[3] = {(uint8_t)(10 * x), (uint8_t)(14 * y), 60};
            memcpy(row + 3 * x, color, sizeof color);
        }
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_ptr_equal(out, b->data);
    b->count = room;
}
#else
static void make_jpeg(bytes* b) { // only so much as says what it is
    memcpy(b->data, "\xff\xd8\xff\xe0", 4);
    b->count = 4;
}
#endif

static limber_result decode_copy(const uint8_t* data, size_t count, limberi_picture* picture, limber_error* error) {
    uint8_t* copy = malloc(count + 1); // a byte too far is noticed
    memcpy(copy, data, count);
    limber_result result = limberi_picture_decode(copy, count, picture, error);
    free(copy);
    if (result != LIMBER_OK)
        assert_null(picture->pixels);
    return result;
}

static void jpeg_is_read(void** state) {
    (void)state;
    limberi_picture picture;
    limber_error error;
    bytes b;
    make_jpeg(&b);
    limber_result result = decode_copy(b.data, b.count, &picture, &error);
    if (result == LIMBER_ERROR_UNSUPPORTED) // built without libjpeg
        skip();
    assert_int_equal(result, LIMBER_OK);
    assert_int_equal(picture.width, 24);
    assert_int_equal(picture.height, 17);
    const uint8_t* far = pixel(&picture, 20, 10);
    assert_in_range(far[0], 190, 210);
    assert_in_range(far[1], 130, 150);
    assert_in_range(far[2], 50, 70);
    assert_int_equal(far[3], 255);
    limberi_picture_destroy(&picture);
}

// Each byte changed, one after the other, and the file cut anywhere: an error or a picture.
static void spoil(const bytes* b) {
    bytes bad = *b;
    limberi_picture picture;
    limber_error error;
    for (size_t i = 0; i < 2 * b->count; i++) {
        bad.data[i / 2] = (uint8_t)(b->data[i / 2] ^ (i % 2 ? 255 : 1u << (i / 2 % 8)));
        if (decode_copy(bad.data, b->count, &picture, &error) == LIMBER_OK)
            limberi_picture_destroy(&picture);
        bad.data[i / 2] = b->data[i / 2];
        if (decode_copy(bad.data, i / 2, &picture, &error) == LIMBER_OK)
            limberi_picture_destroy(&picture);
    }
}

static void bad_bytes_are_an_error_or_a_picture(void** state) {
    (void)state;
    bytes b;
    limberi_picture picture;
    limber_error error;
    uint8_t* png;
    make_jpeg(&b);
    spoil(&b);
    assert_int_equal(limberi_picture_create(9, 7, &picture, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_encode_png(&picture, &png, &b.count, &error), LIMBER_OK);
    memcpy(b.data, png, b.count);
    spoil(&b);
    free(png);
    limberi_picture_destroy(&picture);
}

// 200 codes of one bit each: the tables of some decoders have no such room.
static void a_bad_huffman_table_is_an_error(void** state) {
    (void)state;
    bytes b;
    limberi_picture picture;
    limber_error error;
    make_jpeg(&b);
    for (size_t i = 2; i + 5 < b.count; i++)
        if (b.data[i] == 0xff && b.data[i + 1] == 0xc4)
            memset(b.data + i + 5, 200, 16);
    assert_int_not_equal(decode_copy(b.data, b.count, &picture, &error), LIMBER_OK);
}

static void put_word(uint8_t* at, uint32_t word) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (24 - 8 * i));
}

static uint32_t checksum(const uint8_t* data, size_t count) {
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        sum ^= data[i];
        for (int k = 0; k < 8; k++)
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    }
    return ~sum;
}

// A tiny file that says it is large.
static limber_result decode_claim(uint32_t width, uint32_t height, uint64_t* budget, limber_error* error) {
    uint8_t* png;
    size_t count;
    limberi_picture picture;
    assert_int_equal(limberi_picture_create(1, 1, &picture, error), LIMBER_OK);
    assert_int_equal(limberi_picture_encode_png(&picture, &png, &count, error), LIMBER_OK);
    limberi_picture_destroy(&picture);
    put_word(png + 16, width);
    put_word(png + 20, height);
    put_word(png + 29, checksum(png + 12, 17));
    limber_result result = limberi_picture_decode_within(png, count, budget, &picture, error);
    assert_null(picture.pixels);
    free(png);
    return result;
}

static void pictures_take_no_more_memory_than_they_may(void** state) {
    (void)state;
    limber_error error;
    uint64_t budget = LIMBERI_PICTURES_OF_A_FILE, left = 10;
    limber_result result = decode_claim(8192, 8192, &budget, &error);
    if (result == LIMBER_ERROR_UNSUPPORTED)
        skip();
    assert_int_equal(result, LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "too few bytes for its size"));
    assert_int_not_equal(decode_claim(16385, 1, &budget, &error), LIMBER_OK);
    assert_int_not_equal(decode_claim(1000000, 1000000, &budget, &error), LIMBER_OK);
    assert_int_equal(decode_claim(20, 2, &left, &error), LIMBER_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "together"));
    assert_true(budget == LIMBERI_PICTURES_OF_A_FILE && left == 10); // what was not read costs nothing
}

static void picture_is_not_saved_where_it_cannot_be(void** state) {
    (void)state;
    limberi_picture picture;
    limber_error error = {0};
    assert_int_equal(limberi_picture_create(0, 5, &picture, &error), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limberi_picture_create(60000, 60000, &picture, &error), LIMBER_ERROR_LIMIT);
    assert_int_equal(limberi_picture_create(2, 2, &picture, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_save_png(&picture, "no/such/folder/a.png", &error), LIMBER_ERROR_FILE);
    assert_true(strlen(error.message) > 0);
    limberi_picture_destroy(&picture);
    assert_int_equal(limberi_picture_save_png(&picture, "empty.png", &error), LIMBER_ERROR_ARGUMENT);
    assert_int_not_equal(access("empty.png", F_OK), 0);
}

static uint64_t ink(const char* text) {
    limberi_picture picture;
    limber_error error;
    uint64_t sum = 0;
    const limberi_color white = {255, 255, 255, 255};
    assert_int_equal(limberi_picture_create(60, 40, &picture, &error), LIMBER_OK);
    limberi_font_draw(&picture, text, 12.0f, 28.0f, 18.0f, white);
    for (size_t i = 0; i < 60 * 40; i++)
        sum += picture.pixels[4 * i + 3] * (i % 977 + 1); // tells shapes apart, not only amounts
    limberi_picture_destroy(&picture);
    return sum;
}

static void every_letter_and_digit_has_its_own_shape(void** state) {
    (void)state;
    const char* letters = "0123456789ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz.,:-+/()%_=#?!";
    uint64_t sums[128];
    size_t count = strlen(letters);
    assert_true(ink(" ") == 0);
    for (size_t i = 0; i < count; i++) {
        const char one[2] = {letters[i], 0};
        sums[i] = ink(one);
        assert_true(sums[i] > 0);
        assert_true(sums[i] != ink("\x01")); // the box for unknown characters
        for (size_t k = 0; k < i; k++)
            assert_true(sums[i] != sums[k]);
    }
    assert_true(ink("\xc3\xa9") == ink("\x01")); // two bytes, one character, not in the font
}

static void long_captions_are_shortened_to_fit(void** state) {
    (void)state;
    char text[64];
    limberi_font_fit("short", 10, 1000, text, sizeof text);
    assert_string_equal(text, "short");
    limberi_font_fit("a rather long caption that cannot fit", 10, 80, text, sizeof text);
    assert_true(limberi_font_width(text, 10) <= 80 && strlen(text) > 5);
    assert_string_equal(text + strlen(text) - 3, "...");
    limberi_font_fit("a rather long caption", 10, 1e9f, text, 8);
    assert_string_equal(text, "a ra...");
    limberi_font_fit("x\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10, 1e9f, text, 8);
    assert_string_equal(text, "x\xc3\xa9...");
    limberi_font_fit("anything", 10, 1, text, sizeof text);
    assert_string_equal(text, "");
    assert_true(limberi_font_width("", 10) == 0);
}

static void sheet_holds_every_cell_and_its_caption(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 4, 5, 6, 8, 12, 30};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        limberi_sheet sheet;
        limberi_picture cell;
        limber_error error;
        uint32_t x = 0, y = 0;
        assert_int_equal(limberi_sheet_create(counts[i], 120, 90, "A title", false, &sheet, &error), LIMBER_OK);
        assert_true(sheet.columns * sheet.rows >= counts[i] && sheet.columns * (sheet.rows - 1) < counts[i]);
        assert_int_equal(sheet.picture.width, sheet.columns * 120 + (sheet.columns + 1) * sheet.gap);
        assert_int_equal(sheet.picture.height,
                         sheet.rows * (90 + sheet.caption_height) + sheet.gap + sheet.title_height);
        assert_int_equal(limberi_picture_create(120, 90, &cell, &error), LIMBER_OK);
        const limberi_color green = {0, 200, 0, 255};
        limberi_picture_fill(&cell, green);
        limberi_sheet_put(&sheet, counts[i] - 1, &cell, "frame 7");
        limberi_sheet_put(&sheet, counts[i], &cell, "one too many");
        limberi_sheet_place(&sheet, counts[i] - 1, &x, &y);
        assert_int_equal(pixel(&sheet.picture, x + 60, y + 45)[1], 200);
        assert_int_not_equal(pixel(&sheet.picture, x, y)[0], 0); // round corner: paper
        int dark = 0;
        for (uint32_t row = y + 90; row < sheet.picture.height; row++)
            for (uint32_t column = x; column < x + 120; column++)
                dark += pixel(&sheet.picture, column, row)[0] < 160;
        assert_true(dark > 20);
        limberi_picture_destroy(&cell);
        limberi_sheet_destroy(&sheet);
    }
    limberi_sheet sheet;
    limber_error error;
    assert_int_equal(limberi_sheet_create(0, 10, 10, NULL, false, &sheet, &error), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limberi_sheet_create(400, 8192, 8192, NULL, false, &sheet, &error), LIMBER_ERROR_LIMIT);
}

static void sheet_spreads_frames_over_the_clip(void** state) {
    (void)state;
    assert_int_equal(limberi_sheet_frame(29, false, 8, 0), 0);
    assert_int_equal(limberi_sheet_frame(29, false, 8, 7), 28);
    assert_int_equal(limberi_sheet_frame(29, true, 7, 6), 24); // the last frame of a loop is the first again
    assert_int_equal(limberi_sheet_frame(29, true, 1, 0), 0);
    assert_int_equal(limberi_sheet_frame(1, false, 1, 0), 0);
    for (uint32_t i = 1; i < 8; i++)
        assert_true(limberi_sheet_frame(9, false, 8, i) > limberi_sheet_frame(9, false, 8, i - 1));
}

static void sheet_shows_the_strongest_frames_but_spreads_them(void** state) {
    (void)state;
    enum { FRAMES = 60, CELLS = 6 };
    float strength[FRAMES];
    uint32_t frames[CELLS];
    for (uint32_t i = 0; i < FRAMES; i++)
        strength[i] = 0.01f * (float)(i % 3);
    strength[17] = 5;
    strength[19] = 4; // too close to the strongest
    strength[48] = 3;
    limberi_sheet_peaks(strength, FRAMES, false, CELLS, frames);
    bool first = false, second = false;
    for (uint32_t i = 0; i < CELLS; i++) {
        first |= frames[i] == 17;
        second |= frames[i] == 48;
        assert_int_not_equal(frames[i], 19);
        assert_true(frames[i] < FRAMES);
        if (i)
            assert_true(frames[i] >= frames[i - 1] + 5); // half of the even 10
    }
    assert_true(first && second);
}

static void sheet_has_enough_frames_whatever_the_strengths(void** state) {
    (void)state;
    float strength[40] = {0};
    uint32_t frames[40];
    for (uint32_t count = 1; count <= 40; count++)
        for (uint32_t cells = 1; cells <= count; cells++)
            for (int loops = 0; loops < 2; loops++) {
                for (uint32_t i = 0; i < count; i++)
                    strength[i] = (float)((i * 7919 + cells) % 13);
                limberi_sheet_peaks(strength, count, loops, cells, frames);
                for (uint32_t i = 1; i < cells; i++)
                    assert_true(frames[i] > frames[i - 1]);
                assert_true(frames[cells - 1] < count);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painting_over_mixes_light_and_keeps_alpha_straight),
        cmocka_unit_test(cells_that_stick_out_are_cut_off),
        cmocka_unit_test(png_comes_back_pixel_for_pixel),
        cmocka_unit_test(jpeg_is_read),
        cmocka_unit_test(bad_bytes_are_an_error_or_a_picture),
        cmocka_unit_test(a_bad_huffman_table_is_an_error),
        cmocka_unit_test(pictures_take_no_more_memory_than_they_may),
        cmocka_unit_test(picture_is_not_saved_where_it_cannot_be),
        cmocka_unit_test(every_letter_and_digit_has_its_own_shape),
        cmocka_unit_test(long_captions_are_shortened_to_fit),
        cmocka_unit_test(sheet_holds_every_cell_and_its_caption),
        cmocka_unit_test(sheet_spreads_frames_over_the_clip),
        cmocka_unit_test(sheet_shows_the_strongest_frames_but_spreads_them),
        cmocka_unit_test(sheet_has_enough_frames_whatever_the_strengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
