// PNG by libpng. Colors come as they are in the file: glTF ignores gamma and color profiles.
#include "render/film/picture.h"

#include "base/error.h"

#include <string.h>

#ifdef LIMBER_WITH_PNG
#include <png.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20, DEFLATE_RATIO = 1032 };

typedef struct png_state {
    limberi_picture_reader* reader;
    png_structp png;
    png_infop info;
    png_bytep* rows;
} png_state;

static void fail(png_structp png, png_const_charp message) {
    limberi_picture_reader* reader = png_get_error_ptr(png);
    if (reader->result == LIMBER_OK)
        reader->result = limberi_fail(reader->error, LIMBER_ERROR_DATA, "the picture is damaged (%s)", message);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void append_bytes(png_structp png, png_bytep out, size_t count) {
    limberi_picture_reader* reader = png_get_io_ptr(png);
    if (count > reader->byte_count - reader->at)
        png_error(png, "it ends early");
    memcpy(out, reader->bytes + reader->at, count);
    reader->at += count;
}

// 8 bits of red, green, blue and alpha, whatever the file has.
static void ask_for_rgba(png_state* s) {
    png_set_expand(s->png);
    png_set_scale_16(s->png);
    png_set_gray_to_rgb(s->png);
    png_set_add_alpha(s->png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
}

// Fewer bytes than the best compression of its pixels: no need to take memory for them.
static bool is_plausible(const png_state* s, uint64_t width, uint64_t height) {
    uint64_t bits = (uint64_t)png_get_bit_depth(s->png, s->info) * png_get_channels(s->png, s->info);
    return (width * bits + 7) / 8 * height / DEFLATE_RATIO <= s->reader->byte_count;
}

static void read_rows(png_state* s) {
    limberi_picture* picture = s->reader->picture;
    for (uint32_t y = 0; y < picture->height; y++)
        s->rows[y] = picture->pixels + 4 * (size_t)y * picture->width;
    png_read_image(s->png, s->rows);
}

// Everything libpng may jump out of; only the heap changes in here.
static void read_guarded(png_state* s) {
    if (setjmp(png_jmpbuf(s->png)))
        return;
    png_set_read_fn(s->png, s->reader, append_bytes);
    png_set_chunk_malloc_max(s->png, CHUNK_BYTES);
    png_read_info(s->png, s->info);
    png_uint_32 width = png_get_image_width(s->png, s->info);
    png_uint_32 height = png_get_image_height(s->png, s->info);
    if (!is_plausible(s, width, height))
        png_error(s->png, "it has too few bytes for its size");
    if (!limberi_picture_begin(s->reader, width, height))
        return;
    s->rows = calloc(height, sizeof *s->rows);
    if (!s->rows)
        png_error(s->png, "not enough memory");
    ask_for_rgba(s);
    if (png_get_rowbytes(s->png, s->info) != 4 * (size_t)width)
        png_error(s->png, "its pixels are of an unknown kind");
    read_rows(s);
}

void limberi_picture_read_png(limberi_picture_reader* reader) {
    png_state s = {reader, NULL, NULL, NULL};
    s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, ignore);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    if (s.info)
        read_guarded(&s);
    else
        reader->result = limberi_fail_memory(reader->error);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    free(s.rows);
}

#else

void limberi_picture_read_png(limberi_picture_reader* reader) {
    reader->result = limberi_fail(reader->error, LIMBER_ERROR_UNSUPPORTED,
                                  "this build of limber cannot read PNG pictures; install libpng-dev and build again");
}

#endif
