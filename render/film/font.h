// Captions: a small stroke font with round ends, drawn antialiased at any size.
#ifndef LIMBERI_FONT_H
#define LIMBERI_FONT_H

#include "render/film/picture.h"

// Sizes are the height of a capital letter in pixels. Text is UTF-8; characters the font lacks become boxes.
float limberi_font_width(const char* text, float size);

// `x` is where the first letter starts, `baseline` where the letters stand.
void limberi_font_draw(limberi_picture* picture, const char* text, float x, float baseline, float size,
                       limberi_color color);

// Copies `text` to `out`, shortened with "..." until it is no wider than `width`.
void limberi_font_fit(const char* text, float size, float width, char* out, size_t out_size);

#endif
