// Draws moments of a shot. The camera stands where nothing leaves the picture during any frame.
#ifndef LIMBER_CLI_DRAW_H
#define LIMBER_CLI_DRAW_H

#include "cli/pictures/shot.h"

// Opens the shot and what pictures show besides the character, and places the camera. Prints what is wrong. Close it in
// any case.
int draw_open(shot* s, const char* input, const shot_options* options);
void draw_close(shot* s);

// One moment into a picture of options.camera's size; `plain`: without the style, which only --compare has.
int draw_moment(const shot* s, bool plain, double time_s, limberi_picture* picture);

#endif
