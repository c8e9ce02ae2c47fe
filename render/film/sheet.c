// A contact sheet: pictures in rows, each with a caption, under a title.
#include "render/film/sheet.h"
#include "base/error.h"

#include <string.h>

static const limberi_color paper = {250, 249, 247, 255};
static const limberi_color ink = {58, 60, 68, 255};
static const limberi_color faint_ink = {104, 106, 114, 255};

// The fewest rows whose sheet is at most twice as wide as high; ties go to the fuller last row.
static uint32_t choose_columns(uint32_t count, uint32_t width, uint32_t height) {
    if (count <= 5)
        return count;
    for (uint32_t rows = 2; rows < count; rows++) {
        uint32_t columns = (count + rows - 1) / rows;
        if ((uint64_t)columns * width <= 2 * (uint64_t)rows * height)
            return columns;
    }
    return 1;
}

static float text_size(const limberi_sheet* sheet) {
    return 0.28f * (float)sheet->caption_height;
}

static void measure_sheet(limberi_sheet* sheet, const char* title) {
    uint32_t shorter = sheet->cell_width < sheet->cell_height ? sheet->cell_width : sheet->cell_height;
    uint32_t text = shorter / 9;
    text = text > 24 ? text : 24;
    sheet->caption_height = text < 72 ? text : 72;
    sheet->gap = sheet->caption_height / 2;
    sheet->title_height = title ? 2 * sheet->caption_height - sheet->gap : 0;
}

static void draw_title(limberi_sheet* sheet, const char* title) {
    float size = 1.25f * text_size(sheet);
    float x = (float)sheet->gap;
    float baseline = 0.5f * (float)(sheet->gap + sheet->title_height) + 0.5f * size;
    char text[256];
    limberi_font_fit(title, size, (float)sheet->picture.width - 2.0f * x, text, sizeof text);
    limberi_font_draw(&sheet->picture, text, x + 1.0f, baseline, size, ink);
}

limber_result limberi_sheet_create(uint32_t cell_count, uint32_t cell_width, uint32_t cell_height, const char* title,
                                   bool transparent, limberi_sheet* sheet, limber_error* error) {
    uint32_t columns =
        cell_count && cell_width && cell_height ? choose_columns(cell_count, cell_width, cell_height) : 1;
    return limberi_sheet_create_columns(cell_count, columns, cell_width, cell_height, title, transparent, sheet, error);
}

limber_result limberi_sheet_create_columns(uint32_t cell_count, uint32_t columns, uint32_t cell_width,
                                           uint32_t cell_height, const char* title, bool transparent,
                                           limberi_sheet* sheet, limber_error* error) {
    memset(sheet, 0, sizeof *sheet);
    if (cell_count == 0 || columns == 0 || cell_width == 0 || cell_height == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a sheet of %u pictures of %u x %u pixels is empty",
                            cell_count, cell_width, cell_height);
    sheet->cell_count = cell_count;
    sheet->cell_width = cell_width;
    sheet->cell_height = cell_height;
    sheet->columns = columns;
    sheet->rows = (cell_count + sheet->columns - 1) / sheet->columns;
    sheet->transparent = transparent;
    measure_sheet(sheet, title);
    uint64_t width = (uint64_t)sheet->columns * (cell_width + (uint64_t)sheet->gap) + sheet->gap;
    uint64_t height =
        (uint64_t)sheet->rows * (cell_height + (uint64_t)sheet->caption_height) + sheet->gap + sheet->title_height;
    if (width > UINT16_MAX || height > UINT16_MAX)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "a sheet of %u pictures of %u x %u pixels is too large",
                            cell_count, cell_width, cell_height);
    limber_result result = limberi_picture_create((uint32_t)width, (uint32_t)height, &sheet->picture, error);
    if (result != LIMBER_OK)
        return result;
    if (!transparent)
        limberi_picture_fill(&sheet->picture, paper);
    if (title)
        draw_title(sheet, title);
    return LIMBER_OK;
}

void limberi_sheet_destroy(limberi_sheet* sheet) {
    if (sheet)
        limberi_picture_destroy(&sheet->picture);
}

void limberi_sheet_place(const limberi_sheet* sheet, uint32_t index, uint32_t* x, uint32_t* y) {
    *x = sheet->gap + index % sheet->columns * (sheet->cell_width + sheet->gap);
    *y = sheet->gap + sheet->title_height + index / sheet->columns * (sheet->cell_height + sheet->caption_height);
}

uint32_t limberi_sheet_frame(uint32_t frame_count, bool loops, uint32_t cell_count, uint32_t index) {
    if (frame_count < 2 || cell_count < 2)
        return 0;
    uint64_t span = frame_count - 1;
    uint64_t steps = loops ? cell_count : cell_count - 1;
    return (uint32_t)((2 * span * index + steps) / (2 * steps));
}

static bool is_free(uint32_t frame, const uint32_t* taken, uint32_t taken_count, uint32_t apart, uint32_t frame_count,
                    bool loops) {
    for (uint32_t i = 0; i < taken_count; i++) {
        uint32_t distance = frame > taken[i] ? frame - taken[i] : taken[i] - frame;
        if (distance < apart || (loops && frame_count - distance < apart))
            return false;
    }
    return true;
}

// The strongest free frames, one after another. False: they did not suffice.
static bool pick_peaks(const float* strength, uint32_t usable, bool loops, uint32_t apart, uint32_t cell_count,
                       uint32_t* frames) {
    for (uint32_t n = 0; n < cell_count; n++) {
        uint32_t best = usable;
        uint32_t at = n;
        for (uint32_t f = 0; f < usable; f++)
            if (is_free(f, frames, n, apart, usable, loops) && (best == usable || strength[f] > strength[best]))
                best = f;
        if (best == usable)
            return false;
        for (; at > 0 && frames[at - 1] > best; at--)
            frames[at] = frames[at - 1];
        frames[at] = best;
    }
    return true;
}

// Half as far apart as evenly spread frames always works: each choice rules out at most 2 * apart - 1 frames. Three
// quarters often do.
void limberi_sheet_peaks(const float* strength, uint32_t frame_count, bool loops, uint32_t cell_count,
                         uint32_t* frames) {
    uint32_t usable = loops && frame_count > cell_count ? frame_count - 1 : frame_count;
    uint32_t apart = cell_count ? (3 * usable + 4 * cell_count - 1) / (4 * cell_count) : 1;
    while (!pick_peaks(strength, usable, loops, apart, cell_count, frames) && apart > 1)
        apart--;
}

void limberi_sheet_put(limberi_sheet* sheet, uint32_t index, const limberi_picture* picture, const char* caption) {
    uint32_t x, y;
    if (index >= sheet->cell_count)
        return;
    limberi_sheet_place(sheet, index, &x, &y);
    float radius = sheet->transparent ? 0.0f : 0.2f * (float)sheet->caption_height;
    limberi_picture_place(&sheet->picture, picture, (int32_t)x, (int32_t)y, radius);

    float size = text_size(sheet);
    char text[128];
    limberi_font_fit(caption, size, (float)sheet->cell_width, text, sizeof text);
    float left = (float)x + 0.5f * ((float)sheet->cell_width - limberi_font_width(text, size));
    float baseline = (float)(y + sheet->cell_height) + 0.45f * (float)sheet->caption_height + 0.5f * size;
    limberi_font_draw(&sheet->picture, text, left, baseline, size, faint_ink);
}
