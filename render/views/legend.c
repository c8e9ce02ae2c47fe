// What the colours mean, written into the picture.
#include "render/film/picture.h"
#include "render/film/sheet.h"
#include "render/views/views_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct legend_line {
    const uint8_t* colors[3]; // one swatch, or three: a scale from the first over the second to the third
    char text[96];
} legend_line;

typedef struct legend {
    legend_line lines[12];
    uint32_t count;
} legend;

static void add_line(legend* l, const uint8_t* color, const char* text) {
    legend_line* line = &l->lines[l->count++];
    memset(line, 0, sizeof *line);
    line->colors[0] = color;
    snprintf(line->text, sizeof line->text, "%s", text);
}

static void add_scale(legend* l, const uint8_t* low, const uint8_t* high, const char* text) {
    add_line(l, low, text);
    l->lines[l->count - 1].colors[1] = limberi_view_neutral;
    l->lines[l->count - 1].colors[2] = high;
}

static legend make_legend(const limberi_views* v) {
    legend l;
    char text[96];
    l.count = 0;
    if (v->settings.joints)
        add_line(&l, limberi_view_bone, "bones");
    if (v->settings.velocity) {
        add_line(&l, limberi_view_velocity, "moves in 0.1 s");
        add_line(&l, limberi_view_spin, "turns in 0.1 s");
    }
    if (v->settings.acceleration) {
        add_line(&l, limberi_view_acceleration, "speeds up in 0.1 s");
        add_line(&l, limberi_view_spin_up, "spins up in 0.1 s");
    }
    if (v->settings.trajectories) {
        snprintf(text, sizeof text, "%.2g s before", v->trails.span_s);
        add_line(&l, limberi_view_past, text);
        snprintf(text, sizeof text, "%.2g s after", v->trails.span_s);
        add_line(&l, limberi_view_future, text);
        if (v->trails.styled_differs)
            add_line(&l, limberi_view_plain, "without the style");
    }
    if (v->settings.offsets)
        add_scale(&l, limberi_view_trailing, limberi_view_leading, "trailing to leading");
    if (v->settings.rigid) {
        snprintf(text, sizeof text, "%u rigid part%s", v->part_count, v->part_count == 1 ? "" : "s, a color each");
        add_line(&l, limberi_view_part, text);
        add_line(&l, limberi_view_skin, "skin");
    }
    if (v->settings.colliders) {
        uint32_t count = v->colliders ? limber_collider_count(v->colliders) : 0;
        snprintf(text, sizeof text, "%u collider%s", count, count == 1 ? "" : "s");
        add_line(&l, limberi_view_collider, text);
    }
    if (v->settings.contacts) {
        uint32_t levels = v->contacts ? limber_contacts_level_count(v->contacts) : 0;
        add_scale(&l, limberi_view_neutral, limberi_view_held, "free to held");
        snprintf(text, sizeof text, levels == 1 ? "floor at %.3f" : "%.0f levels of the floor",
                 levels == 1 ? limber_contacts_level(v->contacts, 0) : (double)levels);
        add_line(&l, limberi_view_level, levels ? text : "no floor");
    }
    if (v->settings.layers) {
        snprintf(text, sizeof text, "%s, -1 to 1", v->settings.layer);
        add_scale(&l, limberi_view_less, limberi_view_more, text);
    }
    return l;
}

static uint8_t between(uint8_t a, uint8_t b, float t) {
    return (uint8_t)((float)a + t * ((float)b - (float)a) + 0.5f);
}

static limberi_color scale_color(const legend_line* line, float t) {
    const uint8_t* first = line->colors[0];
    if (!line->colors[1])
        return (limberi_color){first[0], first[1], first[2], 255};
    const uint8_t* from = line->colors[t < 0.5f ? 0 : 1];
    const uint8_t* to = line->colors[t < 0.5f ? 1 : 2];
    float u = t < 0.5f ? 2.0f * t : 2.0f * t - 1.0f;
    const limberi_color color = {between(from[0], to[0], u), between(from[1], to[1], u), between(from[2], to[2], u),
                                 255};
    return color;
}

static void fill_box(limberi_picture* picture, int32_t x, int32_t y, int32_t width, int32_t height,
                     const legend_line* line) {
    for (int32_t row = 0; row < height; row++)
        for (int32_t column = 0; column < width; column++)
            limberi_picture_blend(picture, x + column, y + row,
                                  scale_color(line, ((float)column + 0.5f) / (float)width), 1.0f);
}

static void fill_paper(limberi_picture* picture, int32_t x, int32_t y, int32_t width, int32_t height) {
    const limberi_color paper = {252, 251, 249, 205};
    const float radius = 0.25f * (float)(height < width ? height : width);
    limberi_picture sheet = {(uint32_t)width, (uint32_t)height, NULL};
    limber_error error;
    if (limberi_picture_create(sheet.width, sheet.height, &sheet, &error) != LIMBER_OK)
        return; // the words can be read without it
    limberi_picture_fill(&sheet, paper);
    limberi_picture_place(picture, &sheet, x, y, radius < 10.0f ? radius : 10.0f);
    limberi_picture_destroy(&sheet);
}

void limberi_views_legend(const limberi_views* v, limberi_picture* picture) {
    const limberi_color ink = {58, 60, 68, 255};
    legend l = make_legend(v);
    float shorter = (float)(picture->width < picture->height ? picture->width : picture->height);
    float size = shorter / 52.0f < 6.0f ? 6.0f : shorter / 52.0f;
    float row = 2.1f * size;
    float swatch = 3.2f * size;
    float pad = 1.1f * size;
    float text = 0.0f;
    for (uint32_t i = 0; i < l.count; i++)
        text = fmaxf(text, limberi_font_width(l.lines[i].text, size));
    float width = swatch + text + 3.0f * pad;
    float height = row * (float)l.count + 1.2f * pad;
    float left = 0.7f * row;
    float top = (float)picture->height - height - left;
    // Better none than one that covers the character.
    if (!l.count || width > 0.45f * (float)picture->width || height > 0.4f * (float)picture->height)
        return;
    fill_paper(picture, (int32_t)left, (int32_t)top, (int32_t)width, (int32_t)height);
    for (uint32_t i = 0; i < l.count; i++) {
        float middle = top + 0.6f * pad + row * ((float)i + 0.5f);
        fill_box(picture, (int32_t)(left + pad), (int32_t)(middle - 0.45f * size), (int32_t)swatch,
                 (int32_t)(0.9f * size + 0.5f), &l.lines[i]);
        limberi_font_draw(picture, l.lines[i].text, left + 2.0f * pad + swatch, middle + 0.5f * size, size, ink);
    }
}
