// Films out of raw frames: the program ffmpeg, fed through its standard input.
//
//     limberi_encoder* encoder;
//     if (limberi_encoder_open(&order, &encoder, &error) != LIMBER_OK) ...
//     bool going = true;
//     for (every frame, while going) going = limberi_encoder_put(encoder, picture.pixels);
//     if (limberi_encoder_close(encoder, true, &error) != LIMBER_OK) ...
//
// The film appears complete or not at all: ffmpeg writes beside it, and only what it finished gets the film's name.
// While an encoder is open, being interrupted (SIGINT, SIGTERM, SIGHUP) ends ffmpeg and removes what it wrote. One
// encoder at a time.
#ifndef LIMBERI_ENCODER_H
#define LIMBERI_ENCODER_H

#include <limber/base.h>

typedef enum limberi_encoder_format {
    LIMBERI_ENCODER_GIF,
    LIMBERI_ENCODER_WEBP,
    LIMBERI_ENCODER_MP4
} limberi_encoder_format;

typedef struct limberi_encoder_order {
    limberi_encoder_format format;
    const char* path;
    uint32_t width, height;
    double fps; // 29.97 is taken for 30000/1001
    bool transparent;
    // .gif has 256 colours for the whole film. They are chosen from this many frames, at least one, that are put before
    // the first and not shown. Choosing them from all frames would keep all frames in memory.
    uint32_t sample_count;
} limberi_encoder_order;

typedef struct limberi_encoder limberi_encoder;

// Says early whether there is an ffmpeg at all.
LIMBER_MUST_USE limber_result limberi_encoder_check(limber_error* error);
LIMBER_MUST_USE limber_result limberi_encoder_open(const limberi_encoder_order* order, limberi_encoder** out,
                                                   limber_error* error);
// width * height RGBA, straight alpha. False: ffmpeg reads no more; limberi_encoder_close knows why.
bool limberi_encoder_put(limberi_encoder* encoder, const uint8_t* pixels);
// NULL is fine; without `keep` nothing is left. Fails when ffmpeg did, even without `keep`.
LIMBER_MUST_USE limber_result limberi_encoder_close(limberi_encoder* encoder, bool keep, limber_error* error);

// --- ffmpeg arguments ---
// What ffmpeg is asked to do for a film.

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
