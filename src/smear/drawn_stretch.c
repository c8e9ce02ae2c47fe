// Thick parts that travel about their own width are stretched back to where they were; the front stays in its pose.
#include "smear/drawn.h"

#include <string.h>

static const float power = 1.4f;      // of the way from front to back
static const float max_limb = 0.45f;  // widths that the back of a limb goes at most, approached smoothly
static const float max_stubby = 1.2f; // the same of balls and heads
static const float max_body = 0.6f;   // of its size along the motion

// How far back along its path something goes, in T0: all of the way at the back, nothing in front.
static float back(float ahead, float amount, float travel, float max) {
    float age = powf(0.5f * (1 - limberi_clamp(ahead, -1, 1)), power) * amount;
    float x = age * travel / fmaxf(max, 1e-9f);
    return age / sqrtf(1 + x * x);
}

// How much each station of a part is stretched.
static bool find_amounts(const struct limberi_drawn* d, uint32_t part, float* amounts) {
    const limberi_drawn_part* p = &d->parts[part];
    const limberi_drawn_state* s = &d->states[part];
    float width = d->smearer->settings.drawn.width;
    bool any = false;
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        float scale = width / 0.45f;
        float e = p->stubby ? limberi_ss(0.25f * scale, 0.6f * scale, s->ratio[k])
                            : limberi_ss(width, 1.1f * scale, s->ratio[k]) *
                                  (1 - limberi_ss(1.3f * scale, 2.2f * scale, s->ratio[k]));
        amounts[k] = e * s->burst * p->fine * d->smearer->settings.drawn.stretch;
        any = any || amounts[k] > 0;
    }
    return any;
}

// Every vertex takes the step of its station, not its own: fingers cannot become whips.
static limber_vec3 part_step(const struct limberi_drawn* d, uint32_t v, limber_vec3 p, const float* amounts) {
    uint32_t part = d->part_of[v];
    const limberi_drawn_state* s = &d->states[part];
    bool stubby = d->parts[part].stubby;
    float at = d->along[v];
    float hold = d->hold[v] * (stubby ? 1 : limberi_ss(0, 0.35f, at / (LIMBERI_STATIONS - 1)));
    if (!(hold > 0))
        return limberi_vec3(0, 0, 0);
    limber_vec3 center = limberi_drawn_at3(s->center, at);
    limber_vec3 way = limberi_normalize(limberi_drawn_at3(s->way, at));
    float width = limberi_drawn_at(s->width, at);
    float ahead = limberi_dot(limberi_sub(p, center), way) / (0.5f * width);
    float age = back(ahead, limberi_drawn_at(amounts, at), limberi_drawn_at(s->travel, at),
                     (stubby ? max_stubby : max_limb) * width);
    return limberi_sub(limberi_drawn_path(d, part, at, age * hold), limberi_drawn_path(d, part, at, 0));
}

static limber_vec3 body_step(const struct limberi_drawn* d, limber_vec3 p, float amount) {
    float ahead = limberi_dot(limberi_sub(p, d->body_center), d->body_way) / (0.5f * d->body_size);
    return limberi_drawn_body_step(d, back(ahead, amount, d->body_travel, max_body * d->body_size));
}

typedef struct amounts {
    bool any[LIMBERI_PARTS];
    float of_part[LIMBERI_PARTS][LIMBERI_STATIONS], of_body;
    float with_body[LIMBERI_PARTS][LIMBERI_STATIONS]; // 1: goes the way of the body, 0: stands, or goes its own
} amounts;

static void find_companions(const struct limberi_drawn* d, uint32_t part, float* with_body) {
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        limber_vec3 step =
            limberi_sub(limberi_drawn_path(d, part, (float)k, 0), limberi_drawn_path(d, part, (float)k, 1));
        with_body[k] = limberi_ss(0.2f, 0.8f, limberi_dot(step, d->body_way) / fmaxf(d->body_travel, 1e-9f));
    }
}

static limber_vec3 step_of(const struct limberi_drawn* d, const amounts* a, uint32_t v, limber_vec3 p) {
    uint8_t part = d->part_of[v];
    limber_vec3 step = limberi_vec3(0, 0, 0);
    if (part != LIMBERI_PART_NONE && a->any[part])
        step = part_step(d, v, p, a->of_part[part]);
    float with_body = part == LIMBERI_PART_NONE ? 1 : limberi_drawn_at(a->with_body[part], d->along[v]);
    if (a->of_body > 0 && d->areas[v] > 0)
        step = limberi_add(step, body_step(d, p, a->of_body * with_body));
    return limberi_scale(step, d->smearer->gains ? d->smearer->gains[v] : 1);
}

// The mean steps of what keeps its shape.
static void find_island_steps(struct limberi_drawn* d, const amounts* a, const float* now) {
    memset(d->island_steps, 0, d->island_count * sizeof *d->island_steps);
    memset(d->island_areas, 0, d->island_count * sizeof *d->island_areas);
    for (uint32_t v = 0; v < d->smearer->model->vertex_count; v++) {
        uint16_t i = d->island_of[v];
        if (i == LIMBERI_NO_ISLAND)
            continue;
        float area = d->areas[v] + 1e-30f;
        limber_vec3 step = step_of(d, a, v, limberi_load3(now + 3 * (size_t)v));
        d->island_steps[i] = limberi_add(d->island_steps[i], limberi_scale(step, area));
        d->island_areas[i] += area;
    }
    for (uint32_t i = 0; i < d->island_count; i++)
        d->island_steps[i] = limberi_scale(d->island_steps[i], 1 / fmaxf(d->island_areas[i], 1e-30f));
}

void limberi_drawn_stretch(struct limberi_drawn* d, const float* now, float* positions) {
    amounts a;
    d->moved = false;
    for (uint32_t i = 0; i < d->limb_count; i++) {
        a.any[i] = find_amounts(d, i, a.of_part[i]);
        find_companions(d, i, a.with_body[i]);
        d->moved = d->moved || a.any[i];
    }
    a.of_body = d->limb_count < 2 ? 0
                                  : d->smearer->settings.drawn.body * d->body_burst *
                                        limberi_ss(0.07f, 0.15f, d->body_travel / d->smearer->size);
    d->moved = d->moved || a.of_body > 0;
    if (!d->moved)
        return;
    find_island_steps(d, &a, now);
    for (uint32_t v = 0; v < d->smearer->model->vertex_count; v++) {
        uint16_t i = d->island_of[v];
        d->steps[v] =
            i == LIMBERI_NO_ISLAND ? step_of(d, &a, v, limberi_load3(now + 3 * (size_t)v)) : d->island_steps[i];
    }
    limberi_drawn_hold_together(d, now);
    for (uint32_t v = 0; v < d->smearer->model->vertex_count; v++) {
        limber_vec3 step = limberi_add(d->steps[v], d->changes[d->weld[v]]);
        float* p = positions + 3 * (size_t)v;
        limberi_store3(p, limberi_add(limberi_load3(p), step));
    }
}
