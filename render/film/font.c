// Captions: a small stroke font with round ends, drawn antialiased at any size.
#include "base/math.h"
#include "render/film/font_glyphs.h"
#include "render/film/sheet.h"

#include <stdlib.h>
#include <string.h>

#define CAP_HEIGHT 7.0f
#define PEN_RADIUS 0.46f
#define LETTER_GAP 1.75f
#define SEGMENT_LIMIT 128

typedef struct segment {
    float x0, y0, x1, y1;
} segment;

// A glyph taken apart into straight pieces, in font units.
typedef struct outline {
    segment segments[SEGMENT_LIMIT];
    uint32_t count;
    float x, y; // the pen
} outline;

static void line_to(outline* o, float x, float y) {
    if (o->count < SEGMENT_LIMIT) {
        const segment s = {o->x, o->y, x, y};
        o->segments[o->count++] = s;
    }
    o->x = x;
    o->y = y;
}

static void curve_to(outline* o, const float p[4]) {
    enum { STEPS = 8 };
    float x = o->x;
    float y = o->y;
    for (int i = 1; i <= STEPS; i++) {
        float t = (float)i / STEPS;
        float u = 1.0f - t;
        line_to(o, u * u * x + 2.0f * u * t * p[0] + t * t * p[2], u * u * y + 2.0f * u * t * p[1] + t * t * p[3]);
    }
}

static void arc(outline* o, const float p[6], bool lift) {
    int steps = (int)(fabsf(p[5] - p[4]) / 15.0f) + 1;
    for (int i = 0; i <= steps; i++) {
        float angle = (p[4] + (p[5] - p[4]) * (float)i / (float)steps) * (float)(LIMBERI_PI / 180.0);
        float x = p[0] + p[2] * cosf(angle);
        float y = p[1] + p[3] * sinf(angle);
        if (i == 0 && lift) {
            o->x = x;
            o->y = y;
        } else {
            line_to(o, x, y);
        }
    }
}

static const char* read_numbers(const char* text, float* out, int count) {
    for (int i = 0; i < count; i++) {
        char* end;
        out[i] = strtof(text, &end);
        text = end;
    }
    return text;
}

static void trace(const char* strokes, outline* o) {
    o->count = 0;
    o->x = o->y = 0.0f;
    for (const char* p = strokes; *p;) {
        char command = *p++;
        float n[6];
        if (command == 'M') {
            p = read_numbers(p, n, 2);
            o->x = n[0];
            o->y = n[1];
        } else if (command == 'L') {
            p = read_numbers(p, n, 2);
            line_to(o, n[0], n[1]);
        } else if (command == 'Q') {
            p = read_numbers(p, n, 4);
            curve_to(o, n);
        } else if (command == 'O' || command == 'A') {
            p = read_numbers(p, n, 6);
            arc(o, n, command == 'O');
        }
    }
}

// The next character's glyph; a UTF-8 sequence counts as one character.
static const glyph* next_glyph(const char** text) {
    char letter = *(*text)++;
    while ((**text & 0xC0) == 0x80)
        (*text)++;
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].letter == letter)
            return &glyphs[i];
    return &missing_glyph;
}

float limberi_font_width(const char* text, float size) {
    float width = 0.0f;
    while (*text)
        width += next_glyph(&text)->width + LETTER_GAP;
    return width > 0.0f ? (width - LETTER_GAP) * size / CAP_HEIGHT : 0.0f;
}

static float distance_to(const segment* s, float x, float y) {
    float dx = s->x1 - s->x0;
    float dy = s->y1 - s->y0;
    float length2 = dx * dx + dy * dy;
    float t = length2 > 0.0f ? ((x - s->x0) * dx + (y - s->y0) * dy) / length2 : 0.0f;
    t = fminf(fmaxf(t, 0), 1);
    float ex = x - s->x0 - t * dx;
    float ey = y - s->y0 - t * dy;
    return sqrtf(ex * ex + ey * ey);
}

static float nearest(const outline* o, float x, float y) {
    float best = 1e9f;
    for (uint32_t i = 0; i < o->count; i++) {
        float d = distance_to(&o->segments[i], x, y);
        best = d < best ? d : best;
    }
    return best;
}

static void draw_glyph(limberi_picture* picture, const glyph* g, float x, float baseline, float scale,
                       limberi_color color) {
    outline o;
    trace(g->strokes, &o);
    int32_t left = (int32_t)floorf(x - scale);
    int32_t right = (int32_t)ceilf(x + (g->width + 1.0f) * scale);
    int32_t top = (int32_t)floorf(baseline - 8.5f * scale);
    int32_t bottom = (int32_t)ceilf(baseline + 3.0f * scale);
    for (int32_t row = top; row <= bottom; row++) {
        for (int32_t column = left; column <= right; column++) {
            float u = ((float)column + 0.5f - x) / scale;
            float v = ((float)row + 0.5f - baseline) / scale + CAP_HEIGHT;
            float coverage = (PEN_RADIUS - nearest(&o, u, v)) * scale + 0.5f;
            if (coverage > 0.0f)
                limberi_picture_blend(picture, column, row, color, coverage);
        }
    }
}

void limberi_font_draw(limberi_picture* picture, const char* text, float x, float baseline, float size,
                       limberi_color color) {
    float scale = size / CAP_HEIGHT;
    if (!(scale > 0.01f))
        return;
    while (*text && x < (float)picture->width) {
        const glyph* g = next_glyph(&text);
        draw_glyph(picture, g, x, baseline, scale, color);
        x += (g->width + LETTER_GAP) * scale;
    }
}

void limberi_font_fit(const char* text, float size, float width, char* out, size_t out_size) {
    size_t length = strlen(text);
    if (out_size == 0)
        return;
    if (length < out_size && limberi_font_width(text, size) <= width) {
        memcpy(out, text, length + 1);
        return;
    }
    length = length < out_size ? length : out_size - 1;
    for (;; length--) {
        while (length > 0 && (text[length] & 0xC0) == 0x80)
            length--; // never cut a character in two
        if (length + 4 <= out_size) {
            memcpy(out, text, length);
            memcpy(out + length, "...", 4);
            if (limberi_font_width(out, size) <= width)
                return;
        }
        if (length == 0)
            break;
    }
    out[0] = 0;
}
