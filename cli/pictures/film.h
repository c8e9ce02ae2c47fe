// The films of `limber render`: .gif, .webp and .mp4.
#ifndef LIMBER_CLI_FILM_H
#define LIMBER_CLI_FILM_H

#include "cli/pictures/shot.h"
#include "render/film/encoder.h"

typedef struct film_kind {
    const char* ending;
    limberi_encoder_format format;
    double usual_fps;       // see shot_options
    double max_fps;         // what --fps may ask for
    uint32_t width, height; // unless --size says otherwise
    uint32_t compared_side; // the same for each of the two squares of --compare
    bool transparent;       // whether it can be
    bool repeats;           // its viewers play it over and over
} film_kind;

// By the ending of a path; NULL: no film.
const film_kind* film_kind_of(const char* path);

// Moving pictures need less smoothing than stills: large ones are drawn once per pixel, which takes a third of the
// time. Thin lines of ink would show gaps, so films with ink are drawn as stills are.
uint32_t film_supersample(const limberi_render_settings* camera);

// The frames of the shot; the last frame of a loop is left out because it is the first again.
int film_save(const shot* s);

#endif
