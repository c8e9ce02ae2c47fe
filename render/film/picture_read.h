// render/film/picture_read.h: the two decoders behind limberi_picture_decode.
#ifndef LIMBERI_PICTURE_READ_H
#define LIMBERI_PICTURE_READ_H

#include "render/film/picture.h"

// Compressed bytes on their way in, and the picture they become. Both decoders ask limberi_picture_begin for memory,
// which checks the size they found first.
typedef struct limberi_picture_reader {
    const uint8_t* bytes;
    size_t byte_count, at;
    limberi_picture* picture;
    uint64_t pixel_limit;
    limber_result result;
    limber_error* error;
} limberi_picture_reader;

// False when the size is over a limit, or memory is short.
bool limberi_picture_begin(limberi_picture_reader* reader, uint64_t width, uint64_t height);

// What is wrong stands in reader->result and reader->error.
void limberi_picture_read_png(limberi_picture_reader* reader);
void limberi_picture_read_jpeg(limberi_picture_reader* reader);

#endif
