// A contact sheet: pictures in rows, each with a caption, under a title.
//
//     limberi_sheet sheet;
//     if (limberi_sheet_create(8, 320, 320, "Fox  Run", false, &sheet, &error) != LIMBER_OK) ...
//     for (uint32_t i = 0; i < 8; i++) limberi_sheet_put(&sheet, i, &picture, "frame 12");
//     ... limberi_picture_save_png(&sheet.picture, "run.png", &error) ...
//     limberi_sheet_destroy(&sheet);
#ifndef LIMBERI_SHEET_H
#define LIMBERI_SHEET_H

#include "render/film/picture.h"

typedef struct limberi_sheet {
    limberi_picture picture;
    uint32_t cell_count, columns, rows;
    uint32_t cell_width, cell_height;
    uint32_t gap, caption_height, title_height; // pixels
    bool transparent;                           // no paper behind the pictures
} limberi_sheet;

// Up to five pictures stand in one row; more go into as few rows as keep the sheet about as wide as a screen. Sizes are
// of one picture. `title` may be NULL.
LIMBER_MUST_USE limber_result limberi_sheet_create(uint32_t cell_count, uint32_t cell_width, uint32_t cell_height,
                                                   const char* title, bool transparent, limberi_sheet* sheet,
                                                   limber_error* error);
// The same with a given number of pictures in a row.
LIMBER_MUST_USE limber_result limberi_sheet_create_columns(uint32_t cell_count, uint32_t columns, uint32_t cell_width,
                                                           uint32_t cell_height, const char* title, bool transparent,
                                                           limberi_sheet* sheet, limber_error* error);
void limberi_sheet_destroy(limberi_sheet* sheet);

// Where cell `index` has its upper left corner.
void limberi_sheet_place(const limberi_sheet* sheet, uint32_t index, uint32_t* x, uint32_t* y);

// Which frame of a clip cell `index` shows: spread evenly from the first to the last, where the last frame of a loop is
// left out because it is the first again.
uint32_t limberi_sheet_frame(uint32_t frame_count, bool loops, uint32_t cell_count, uint32_t index);

// The frames of `cell_count` cells where `strength` (per frame) is largest, in the order of time. Two of them are at least
// half as far apart as evenly spread ones, so that every part of the clip has its moment. There must not be more cells
// than frames; the last frame of a loop is left out when it can be.
void limberi_sheet_peaks(const float* strength, uint32_t frame_count, bool loops, uint32_t cell_count,
                         uint32_t* frames);

// Copies a picture of the cell's size into its place; `caption` stands below it.
void limberi_sheet_put(limberi_sheet* sheet, uint32_t index, const limberi_picture* picture, const char* caption);

// --- font ---
// Captions: a small stroke font with round ends, drawn antialiased at any size.

// Sizes are the height of a capital letter in pixels. Text is UTF-8; characters the font lacks become boxes.
float limberi_font_width(const char* text, float size);

// `x` is where the first letter starts, `baseline` where the letters stand.
void limberi_font_draw(limberi_picture* picture, const char* text, float x, float baseline, float size,
                       limberi_color color);

// Copies `text` to `out`, shortened with "..." until it is no wider than `width`.
void limberi_font_fit(const char* text, float size, float width, char* out, size_t out_size);

#endif
