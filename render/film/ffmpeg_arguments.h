// What ffmpeg is asked to do for a film.
#ifndef LIMBERI_FFMPEG_ARGUMENTS_H
#define LIMBERI_FFMPEG_ARGUMENTS_H

#include "render/film/encoder.h"

enum { LIMBERI_FFMPEG_ARGUMENTS = 48 };

// Frames come in through standard input.
typedef struct limberi_ffmpeg_arguments {
    const char* items[LIMBERI_FFMPEG_ARGUMENTS]; // NULL ends them
    size_t count;
    char size[32], rate[32], filter[512];
    char* output;
} limberi_ffmpeg_arguments;

// LIMBER_OK or LIMBER_ERROR_MEMORY. It points into itself: do not copy it.
LIMBER_MUST_USE limber_result limberi_ffmpeg_arguments_make(const limberi_encoder_order* order, const char* output,
                                                            limberi_ffmpeg_arguments* arguments);
void limberi_ffmpeg_arguments_free(limberi_ffmpeg_arguments* arguments);

#endif
