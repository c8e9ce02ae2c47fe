// JPEG by libjpeg-turbo (or any other libjpeg).
#include "render/film/picture.h"

#include "base/error.h"

#ifdef LIMBER_WITH_JPEG
#include <stdio.h> // jpeglib.h wants it
#include <stdlib.h>

#include <jpeglib.h>
#include <setjmp.h>

// A progressive picture may have any number of passes over all its pixels.
enum { MAX_SCANS = 100, MEMORY_BYTES = 1 << 30 };

typedef struct jpeg_state {
    struct jpeg_decompress_struct jpeg; // first: libjpeg hands on nothing else
    struct jpeg_error_mgr manager;
    struct jpeg_progress_mgr progress;
    limberi_picture_reader* reader;
    uint8_t* row;
    jmp_buf out;
} jpeg_state;

static void fail(j_common_ptr jpeg) {
    jpeg_state* s = (jpeg_state*)jpeg;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    if (s->reader->result == LIMBER_OK)
        s->reader->result = limberi_fail(s->reader->error, LIMBER_ERROR_DATA, "the picture is damaged (%s)", message);
    longjmp(s->out, 1);
}

static void ignore(j_common_ptr jpeg) {
    (void)jpeg;
}

static void count_scans(j_common_ptr jpeg) {
    jpeg_state* s = (jpeg_state*)jpeg;
    if (s->jpeg.input_scan_number <= MAX_SCANS)
        return;
    s->reader->result =
        limberi_fail(s->reader->error, LIMBER_ERROR_LIMIT, "the picture has more than %d scans", (int)MAX_SCANS);
    longjmp(s->out, 1);
}

static void read_rows(jpeg_state* s) {
    limberi_picture* picture = s->reader->picture;
    while (s->jpeg.output_scanline < s->jpeg.output_height) {
        uint8_t* to = picture->pixels + 4 * (size_t)s->jpeg.output_scanline * picture->width;
        JSAMPROW rows[1] = {s->row};
        if (jpeg_read_scanlines(&s->jpeg, rows, 1) != 1)
            return;
        for (uint32_t x = 0; x < picture->width; x++) {
            for (int c = 0; c < 3; c++)
                to[4 * (size_t)x + (size_t)c] = s->row[3 * (size_t)x + (size_t)c];
            to[4 * (size_t)x + 3] = 255;
        }
    }
}

static void read_header(jpeg_state* s) {
    jpeg_create_decompress(&s->jpeg);
    s->jpeg.progress = &s->progress;
    s->jpeg.mem->max_memory_to_use = MEMORY_BYTES;
    jpeg_mem_src(&s->jpeg, s->reader->bytes, (unsigned long)s->reader->byte_count);
    jpeg_read_header(&s->jpeg, TRUE);
    s->jpeg.out_color_space = JCS_RGB;
}

// Everything libjpeg may jump out of; only the heap changes in here.
static void read_guarded(jpeg_state* s) {
    if (setjmp(s->out))
        return;
    read_header(s);
    if (!limberi_picture_begin(s->reader, s->jpeg.image_width, s->jpeg.image_height))
        return;
    jpeg_start_decompress(&s->jpeg);
    s->row = calloc(s->jpeg.output_width, 3);
    if (!s->row || s->jpeg.output_width != s->reader->picture->width || s->jpeg.output_components != 3 ||
        s->jpeg.output_height != s->reader->picture->height)
        s->reader->result =
            limberi_fail(s->reader->error, LIMBER_ERROR_UNSUPPORTED, "its pixels are of an unknown kind");
    else
        read_rows(s);
}

void limberi_picture_read_jpeg(limberi_picture_reader* reader) {
    jpeg_state* s = calloc(1, sizeof *s);
    if (!s) {
        reader->result = limberi_fail_memory(reader->error);
        return;
    }
    s->reader = reader;
    s->jpeg.err = jpeg_std_error(&s->manager);
    s->manager.error_exit = fail;
    s->manager.output_message = ignore;
    s->progress.progress_monitor = count_scans;
    read_guarded(s);
    jpeg_destroy_decompress(&s->jpeg);
    free(s->row);
    free(s);
}

#else

void limberi_picture_read_jpeg(limberi_picture_reader* reader) {
    reader->result =
        limberi_fail(reader->error, LIMBER_ERROR_UNSUPPORTED,
                     "this build of limber cannot read JPEG pictures; install libjpeg62-turbo-dev and build again");
}

#endif
