// Films out of raw frames: the program ffmpeg, fed through its standard input.
//
//     encoder* e;
//     if (encoder_open(&order, &e)) ...
//     for (every frame) if (encoder_put(e, picture.pixels)) ...
//     status = encoder_close(e, true);
//
// The film appears complete or not at all: ffmpeg writes beside it, and only what it finished gets the film's name.
// While an encoder is open, being interrupted (SIGINT, SIGTERM, SIGHUP) ends ffmpeg and removes what it wrote. One
// encoder at a time.
#ifndef LIMBER_CLI_ENCODER_H
#define LIMBER_CLI_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum encoder_format { ENCODER_GIF, ENCODER_WEBP, ENCODER_MP4 } encoder_format;

typedef struct encoder_order {
    encoder_format format;
    const char* path;
    uint32_t width, height;
    uint32_t rate_numerator, rate_denominator; // frames per second
    bool transparent;
    // .gif has 256 colours for the whole film. They are chosen from this many frames, at least one, that are put before
    // the first and not shown. Choosing them from all frames would keep all frames in memory.
    uint32_t sample_count;
} encoder_order;

typedef struct encoder encoder;

// All print one line and return the exit status of the command when something is wrong. The first says early whether
// there is an ffmpeg at all.
int encoder_check(const char* path);
int encoder_open(const encoder_order* order, encoder** out);
int encoder_put(encoder* e, const uint8_t* pixels); // width * height RGBA, straight alpha
int encoder_close(encoder* e, bool keep);           // NULL is fine; without `keep` nothing is left

#endif
