// Thick parts that travel about their own width are stretched back to where they were; the front stays in its pose.
#include "smear/drawn.h"

#include <string.h>

static const float power = 1.4f;      // of the way from front to back
static const float max_limb = 0.45f;  // widths that the back of a limb goes at most, approached smoothly
static const float max_stubby = 1.2f; // the same of balls and heads, and where all limbs are on the move
static const float max_piece = 5;     // and of what has thin things everywhere
static const float max_body = 0.6f;   // of its size along the motion
// Travel over width from and to which what is thick is stretched, and all limbs where they are on the move together.
static const float bold_from = 0.15f;
static const float bold_to = 0.4f;
static const float ball_from = 0.1f; // the same of balls, which overlap themselves for longer
static const float ball_to = 0.25f;
// The same of one piece, in L: it has thin things everywhere.
static const float dart_from = 0.03f;
static const float dart_to = 0.06f;
// From and to which a ribbon takes over.
static const float thin_from = 1.6f;
static const float thin_to = 2.6f;

// How far back along its path something goes, in T0: all of the way at the back, nothing in front.
static float back(float ahead, float bold, float amount, float travel, float max) {
    float behind = 0.5f * (1 - limberi_clamp(ahead, -1, 1));
    float age = (bold < 1 ? powf(behind, power + (1 - power) * bold) : behind) * amount;
    float x = age * travel / fmaxf(max, 1e-9f);
    return age / sqrtf(1 + x * x);
}

// How much each station of a part is stretched, and how much of that because all limbs are on the move.
static bool find_amounts(const struct limberi_drawn* d, uint32_t part, float* amounts, float* bold) {
    const limberi_drawn_part* p = &d->parts[part];
    const limberi_drawn_state* s = &d->states[part];
    float scale = d->smearer->settings.drawn.width / 0.45f;
    bool any = false;
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        float ratio = s->ratio[k] / scale;
        float gap = s->gap[k] / scale;
        float limb = limberi_ss(0.45f, 1.1f, ratio) * (1 - limberi_ss(1.3f, 2.2f, ratio));
        float thick = limberi_ss(bold_from, bold_to, ratio);
        float lone = p->stubby ? limberi_ss(0.25f, 0.6f, ratio) : thick + (limb - thick) * p->slim;
        float thin = d->one_piece ? s->ribbon[k] : limberi_ss(thin_from, thin_to, gap) * p->slim;
        float far = limberi_ss(p->stubby ? ball_from : bold_from, p->stubby ? ball_to : bold_to, gap);
        far = d->one_piece ? limberi_ss(dart_from, dart_to, s->travel[k] / d->smearer->size) : far;
        float together = d->vigor * s->near * far * (1 - thin);
        // Nothing else covers the gap of heads and capes: they are stretched as long as they leave a wide one.
        float shown = fmaxf(s->burst, s->near * limberi_ss(bold_to, 2 * bold_to, ratio));
        float round = limberi_ss(ball_from, ball_to, ratio); // a head that does not nod
        float broad = p->stubby ? 0 : (1 - p->slim) * shown * (thick + (round - thick) * s->one);
        bold[k] = (1 - p->stiff) * fmaxf(together, broad);
        amounts[k] = fmaxf(lone * s->burst * p->fine, bold[k]) * d->smearer->settings.drawn.stretch;
        any = any || amounts[k] > 0;
    }
    return any;
}

// How much of the stretch of its part a vertex takes: none where the part begins.
static float hold_of(const struct limberi_drawn* d, uint32_t v) {
    bool whole = d->parts[d->part_of[v]].stubby || d->one_piece;
    return d->hold[v] * (whole ? 1 : limberi_ss(0, 0.35f, d->along[v] / (LIMBERI_STATIONS - 1)));
}

// Every vertex takes the step of its station, not its own: fingers cannot become whips.
static limber_vec3 part_step(const struct limberi_drawn* d, uint32_t v, limber_vec3 p, const float* amounts,
                             const float* bolds) {
    uint32_t part = d->part_of[v];
    const limberi_drawn_state* s = &d->states[part];
    bool stubby = d->parts[part].stubby;
    float hold = hold_of(d, v);
    float at = d->along[v];
    float amount = limberi_drawn_at(amounts, at);
    if (!(hold * amount > 0))
        return limberi_vec3(0, 0, 0);
    limber_vec3 center = limberi_drawn_at3(s->center, at);
    limber_vec3 way = limberi_normalize(limberi_drawn_at3(s->way, at));
    float width = limberi_drawn_at(s->width, at);
    float bold = limberi_drawn_at(bolds, at);
    float ahead = limberi_dot(limberi_sub(p, center), way) / (0.5f * width);
    if (s->one > 0) {
        float of_all = (limberi_dot(p, s->one_way) - s->one_middle) / fmaxf(s->one_half, 1e-9f * d->smearer->size);
        ahead += (of_all - ahead) * s->one;
    }
    float max = stubby ? max_stubby : max_limb + (max_stubby - max_limb) * bold;
    max = d->one_piece ? max_piece : max;
    float age = hold * back(ahead, bold, amount, limberi_drawn_at(s->travel, at), max * width);
    if (!(age > 0))
        return limberi_vec3(0, 0, 0);
    limber_vec3 step = limberi_sub(limberi_drawn_path(d, part, at, age), center);
    step.y = fmaxf(step.y, fminf(d->ground - p.y, 0));
    return step;
}

static limber_vec3 body_step(const struct limberi_drawn* d, limber_vec3 p, float amount) {
    float ahead = limberi_dot(limberi_sub(p, d->body_center), d->body_way) / (0.5f * d->body_size);
    return limberi_drawn_body_step(d, back(ahead, d->vigor, amount, d->body_travel, max_body * d->body_size));
}

typedef struct amounts {
    bool any[LIMBERI_PARTS];
    float of_part[LIMBERI_PARTS][LIMBERI_STATIONS];
    float of_body, of_stiff;                     // the latter of what is rigid: pieces that go along would come off
    float bold[LIMBERI_PARTS][LIMBERI_STATIONS]; // of a part on its own path, which that of the body is in
    // 1: goes the way of the body, 0: stands, or goes its own
    float with_body[LIMBERI_PARTS][LIMBERI_STATIONS], with_trunk[LIMBERI_TRUNK_BONES];
} amounts;

static float companion(const struct limberi_drawn* d, limber_vec3 step) {
    return limberi_ss(0.45f, 0.95f, limberi_dot(step, d->body_way) / fmaxf(d->body_travel, 1e-9f));
}

static void find_companions(const struct limberi_drawn* d, amounts* a) {
    for (uint32_t i = 0; i < d->limb_count; i++)
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++)
            a->with_body[i][k] =
                companion(d, limberi_sub(limberi_drawn_path(d, i, (float)k, 0), limberi_drawn_path(d, i, (float)k, 1)));
    for (uint32_t i = 0; i < d->trunk_count; i++)
        a->with_trunk[i] = companion(d, limberi_drawn_trunk_step(d, i));
}

// How much of the stretch of the body a vertex takes.
static float body_amount(const struct limberi_drawn* d, const amounts* a, uint32_t v) {
    uint8_t part = d->part_of[v];
    uint16_t island = d->island_of[v];
    bool stiff = island != LIMBERI_NO_ISLAND && d->island_stiff[island];
    stiff = stiff || (part != LIMBERI_PART_NONE && d->parts[part].pieces);
    float amount = stiff ? a->of_stiff : a->of_body;
    if (!(amount > 0) || !(d->areas[v] > 0))
        return 0;
    uint8_t limb = part == LIMBERI_PART_NONE ? d->limb_of[v] : part;
    uint8_t bone = d->trunk_of[v][0];
    uint8_t next = d->trunk_of[v][1];
    float of_bone = bone == LIMBERI_PART_NONE ? 1 : a->with_trunk[bone];
    of_bone += next == LIMBERI_PART_NONE ? 0 : (a->with_trunk[next] - of_bone) * d->trunk_share[v];
    float of_limb = limb == LIMBERI_PART_NONE ? of_bone : limberi_drawn_at(a->with_body[limb], d->along[v]);
    of_bone = bone == LIMBERI_PART_NONE && limb != LIMBERI_PART_NONE ? of_limb : of_bone;
    float own = part == LIMBERI_PART_NONE ? 0 : hold_of(d, v) * limberi_drawn_at(a->bold[part], d->along[v]);
    return amount * (of_bone + (of_limb - of_bone) * d->limb_share[v]) * (1 - own);
}

static limber_vec3 step_of(const struct limberi_drawn* d, const amounts* a, uint32_t v, limber_vec3 p) {
    uint8_t part = d->part_of[v];
    limber_vec3 step = limberi_vec3(0, 0, 0);
    if (part != LIMBERI_PART_NONE && a->any[part])
        step = part_step(d, v, p, a->of_part[part], a->bold[part]);
    float amount = body_amount(d, a, v);
    if (amount > 0)
        step = limberi_add(step, body_step(d, p, amount));
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

static void find_leap(const struct limberi_drawn* d, amounts* a) {
    float travel = d->body_travel / d->smearer->size;
    float body = d->limb_count < 2 && !d->trunk_count ? 0 : d->smearer->settings.drawn.body;
    a->of_stiff = body * d->body_burst * limberi_ss(0.07f, 0.15f, travel);
    a->of_body = fmaxf(a->of_stiff, body * d->vigor * limberi_ss(0.025f, 0.05f, travel));
}

void limberi_drawn_stretch(struct limberi_drawn* d, const float* now, float* positions) {
    amounts a;
    d->moved = false;
    for (uint32_t i = 0; i < d->limb_count; i++) {
        a.any[i] = find_amounts(d, i, a.of_part[i], a.bold[i]);
        d->moved = d->moved || a.any[i];
    }
    find_leap(d, &a);
    d->moved = d->moved || a.of_body > 0;
    if (!d->moved)
        return;
    if (a.of_body > 0)
        find_companions(d, &a);
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
