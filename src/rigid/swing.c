// Appendages swing (S19): each vertex of a cape or a hat is a pendulum about where the appendage is attached, driven by the
// lag of the springs of overlap behind the joint that carries it. Where it is attached nothing moves, and from 0.2 L on
// all of it. Each vertex gets a motion of its own, so that the rest of the pipeline need not know.
#include "base/math.h"
#include "base/turns.h"
#include "rigid/islands.h"
#include "rigid/rigid_private.h"

#include <string.h>

static const float attached = 0.03f;               // in L: this near to what holds it, it does not swing
static const double full_length = 0.2;             // in L, along the surface
static const float near_blur = 0.02f;              // in L: of the point that a vertex swings about
static const float short_arm = 0.05f;              // in L: nearer to that point, it turns less
static const double clearance = 0.02;              // in L: of what holds it
static const double soft_zone = 0.02;              // in scales, above the floor
static const double held_heights[] = {0.03, 0.30}; // in scales: of a planted one, what is below stays (S10)
enum { MAX_SWINGS = 2048, MAX_ROUNDS = 256, MIN_HELD = 3 };

// --- once per character ---

typedef struct swing_search {
    const limberi_islands* s;
    const uint32_t* sets;
    limber_rigid_parts* out;
    limberi_arena arena;
    float* far;        // [node] along the surface from where it is attached, in L
    uint32_t* of_node; // [node] its swing; UINT32_MAX: none
    uint32_t *nodes, count;
} swing_search;

static float limit_of_held(const swing_search* w) {
    float nearest[MIN_HELD] = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
    for (uint32_t i = 0; i < w->count; i++) {
        float gap = w->s->gap[w->nodes[i]];
        for (int k = 0; k < MIN_HELD; k++)
            if (gap < nearest[k]) {
                float swap = nearest[k];
                nearest[k] = gap;
                gap = swap;
            }
    }
    return fmaxf(attached, nearest[MIN_HELD - 1]);
}

// Shortest ways along edges.
static void find_far(swing_search* w, uint32_t island) {
    const limberi_surface* surface = &w->s->surface;
    float limit = limit_of_held(w);
    bool changed = true;
    for (uint32_t i = 0; i < w->count; i++)
        w->far[w->nodes[i]] = w->s->gap[w->nodes[i]] <= limit ? 0 : HUGE_VALF;
    for (int round = 0; changed && round < MAX_ROUNDS; round++) {
        changed = false;
        for (uint32_t t = 0; t < 3 * surface->triangle_count; t++) {
            uint32_t a = surface->triangles[t];
            uint32_t b = surface->triangles[t % 3 == 2 ? t - 2 : t + 1];
            if (w->s->of_node[a] != island)
                continue;
            float edge = limberi_length(limberi_sub(surface->positions[a], surface->positions[b]));
            if (w->far[a] + edge < w->far[b]) {
                w->far[b] = w->far[a] + edge;
                changed = true;
            } else if (w->far[b] + edge < w->far[a]) {
                w->far[a] = w->far[b] + edge;
                changed = true;
            }
        }
    }
}

// A mean of the nodes that are held, the near ones more: the middle of the ring below a cone, the edge beside a brim.
static limber_vec3 pivot_of(const swing_search* w, limber_vec3 place) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    float weights = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->far[w->nodes[i]] > 0)
            continue;
        limber_vec3 p = w->s->surface.positions[w->nodes[i]];
        float away = limberi_length(limberi_sub(p, place)) + near_blur;
        float weight = 1 / (away * away * away * away);
        sum = limberi_add(sum, limberi_scale(p, weight));
        weights += weight;
    }
    return limberi_scale(sum, 1 / weights);
}

static limber_vec3 to_world(const limber_model* model, limber_vec3 place) {
    limber_vec3 middle = limberi_scale(limberi_add(model->rest_min, model->rest_max), 0.5f);
    return limberi_add(limberi_scale(place, model->size), middle);
}

static limberi_swing swing_of(const swing_search* w, uint32_t body, uint32_t node, const limber_mat4* joint_from_rest) {
    const limberi_islands* s = w->s;
    limber_vec3 place = s->surface.positions[node];
    limber_vec3 away = limberi_normalize(limberi_sub(place, s->near[node]));
    float far = fminf(w->far[node], 1);
    limberi_swing swing = {.body = body,
                           .free = (float)limberi_smooth_step(0, full_length, (double)far),
                           .gap = s->gap[node] * s->model->size};
    swing.place = limberi_mat4_point(joint_from_rest, to_world(s->model, place));
    swing.pivot = limberi_mat4_point(joint_from_rest, to_world(s->model, pivot_of(w, place)));
    swing.away = limberi_mat4_vector(joint_from_rest, away);
    return swing;
}

static void find_root(const swing_search* w, limberi_rigid_body* body, const limber_mat4* joint_from_rest) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    float held = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (!(w->far[w->nodes[i]] > 0)) {
            sum = limberi_add(sum, w->s->surface.positions[w->nodes[i]]);
            held++;
        }
    body->root = limberi_mat4_point(joint_from_rest, to_world(w->s->model, limberi_scale(sum, 1 / fmaxf(held, 1))));
}

// A buckle swings as the node of the hat that is nearest to its middle.
static void take_along(swing_search* w, uint32_t appendage) {
    const limberi_islands* s = w->s;
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t nearest = w->nodes[0];
        float min = HUGE_VALF;
        if (s->islands[k].on != appendage)
            continue;
        for (uint32_t i = 0; i < w->count; i++) {
            limber_vec3 away = limberi_sub(s->surface.positions[w->nodes[i]], s->islands[k].middle);
            if (limberi_dot(away, away) < min) {
                min = limberi_dot(away, away);
                nearest = w->nodes[i];
            }
        }
        for (uint32_t i = 0; i < s->islands[k].count; i++)
            w->of_node[s->surface.node_of_vertex[s->vertices[s->islands[k].first + i]]] = w->of_node[nearest];
    }
}

static void find_body(swing_search* w, uint32_t index, uint32_t island) {
    const limberi_islands* s = w->s;
    limberi_rigid_body* body = &w->out->bodies[index];
    limber_mat4 joint_from_rest;
    w->count = 0;
    for (uint32_t n = 0; n < s->surface.node_count; n++)
        if (s->of_node[n] == island)
            w->nodes[w->count++] = n;
    if (!w->count || w->out->swing_count + w->count > MAX_SWINGS ||
        !limberi_mat4_inverse(&s->model->rig.world_from_joint_rest[body->joint], &joint_from_rest))
        return;
    find_far(w, island);
    find_root(w, body, &joint_from_rest);
    for (uint32_t i = 0; i < w->count; i++) {
        w->of_node[w->nodes[i]] = w->out->swing_count;
        w->out->swings[w->out->swing_count++] = swing_of(w, index, w->nodes[i], &joint_from_rest);
    }
    take_along(w, island);
}

static void list_motions(const swing_search* w) {
    limber_rigid_parts* out = w->out;
    for (uint32_t i = 0; i < out->entry_count; i++) {
        uint32_t swing = w->of_node[w->s->surface.node_of_vertex[out->vertices[i]]];
        out->motion_of[i] = swing == UINT32_MAX ? (uint32_t)out->of_vertex[out->vertices[i]] : out->count + swing;
    }
}

limber_result limberi_swings_find(const limberi_islands* s, const uint32_t* order, limber_rigid_parts* out) {
    swing_search w = {.s = s, .out = out};
    uint32_t nodes = s->surface.node_count;
    w.far = LIMBERI_ALLOCATE(&w.arena, float, nodes);
    w.nodes = LIMBERI_ALLOCATE(&w.arena, uint32_t, nodes);
    w.of_node = LIMBERI_ALLOCATE(&w.arena, uint32_t, nodes);
    out->motion_of = LIMBERI_ALLOCATE(&out->arena, uint32_t, out->entry_count);
    out->swings = LIMBERI_ALLOCATE(&out->arena, limberi_swing, nodes < MAX_SWINGS ? nodes : MAX_SWINGS);
    bool memory = !w.arena.failed && !out->arena.failed;
    if (memory)
        memset(w.of_node, 0xff, nodes * sizeof *w.of_node);
    for (uint32_t b = 0; memory && b < out->count; b++)
        if (out->bodies[b].appendage)
            find_body(&w, b, order[b]);
    if (memory)
        list_motions(&w);
    limberi_arena_free(&w.arena);
    return memory ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// --- in a frame ---

// How far the springs are behind a joint, in the world: its place, and its turn.
typedef struct joint_lag {
    limber_vec3 move, turn, place;
} joint_lag;

static joint_lag lag_of(const limberi_rigid* rigid, const limberi_rigid_frame* f, int32_t joint) {
    joint_lag lag = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (joint < 0)
        return lag;
    limber_vec3 place = limberi_mat4_translation(&f->pose->world_from_joint[joint]);
    joint_lag above = lag_of(rigid, f, rigid->model->rig.hangs_on[joint]);
    lag.move = limberi_add(above.move, limberi_cross(above.turn, limberi_sub(place, above.place)));
    lag.move = limberi_add(lag.move, f->lag_moves[joint]);
    lag.turn = limberi_add(above.turn, f->lag_turns[joint]);
    lag.place = place;
    return lag;
}

// How far a planted one may swing at a height above the ground.
static double freedom(const limberi_rigid* rigid, const limberi_rigid_frame* f, const limberi_swing* swing, double y) {
    if (!f->planted)
        return 1;
    double height = (y - (double)f->ground[rigid->parts->bodies[swing->body].joint]) / (double)f->scale;
    return 1 - (double)f->planted[swing->body] * (1 - limberi_smooth_step(held_heights[0], held_heights[1], height));
}

static limber_vec3 swing_turn(const limberi_rigid* rigid, const limberi_rigid_frame* f, const joint_lag* lag,
                              limber_vec3 arm, limber_vec3 from_root, double part) {
    limber_vec3 behind = limberi_add(lag->move, limberi_cross(lag->turn, from_root));
    float size = short_arm * rigid->model->size;
    float scale = (float)part * f->swing / (limberi_dot(arm, arm) + size * size);
    limber_vec3 turn = limberi_scale(limberi_cross(behind, arm), scale);
    float angle = limberi_length(turn) / f->swing_limit;
    return limberi_scale(turn, 1 / sqrtf(1 + angle * angle));
}

// What keeps it from going into what holds it: the one-sided clamp of S10 along the way out.
static float push_out(const limberi_rigid* rigid, const limberi_swing* swing, float away) {
    float zone = fmaxf(fminf((float)clearance * rigid->model->size, swing->gap), 1e-9f);
    float x = swing->gap + away;
    return x < zone ? zone * zone / (2 * zone - x) - x : 0;
}

static void keep_above_floor(const limberi_rigid* rigid, const limberi_rigid_frame* f, const limberi_swing* swing,
                             double plain, double y, double* move) {
    if (!f->planted)
        return;
    double low = fmin((double)f->ground[rigid->parts->bodies[swing->body].joint], plain);
    double zone = fmax(fmin(soft_zone * (double)f->scale, plain - low), 1e-9);
    double x = y - low;
    if (y < plain && x < zone)
        move[1] += zone * zone / (2 * zone - x) - x;
}

static void swing_one(const limberi_rigid* rigid, const limberi_rigid_frame* f, const joint_lag* lag, limber_vec3 root,
                      const limberi_swing* swing, limberi_rigid_motion* m) {
    const limberi_rigid_motion* by = &rigid->motions[swing->body];
    const limber_mat4* world = &f->pose->world_from_joint[rigid->parts->bodies[swing->body].joint];
    limber_vec3 place = limberi_mat4_point(world, swing->place);
    limber_vec3 pivot = limberi_mat4_point(world, swing->pivot);
    limber_vec3 arm = limberi_sub(place, pivot);
    double part = (double)swing->free * freedom(rigid, f, swing, (double)place.y);
    limber_vec3 turn = swing_turn(rigid, f, lag, arm, limberi_sub(place, root), part);
    const double vector[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    const double from[3] = {(double)arm.x, (double)arm.y, (double)arm.z};
    limber_vec3 out = limberi_normalize(limberi_mat4_vector(world, swing->away));
    double to[3], q[4];
    limberi_turn_exp(vector, 1, q);
    limberi_turn_rotate(q, from, to);
    limber_vec3 moved = limberi_vec3((float)(to[0] - from[0]), (float)(to[1] - from[1]), (float)(to[2] - from[2]));
    float push = push_out(rigid, swing, limberi_dot(moved, out));
    const double at[3] = {(double)pivot.x, (double)pivot.y, (double)pivot.z};
    const double pushed[3] = {(double)(push * out.x), (double)(push * out.y), (double)(push * out.z)};
    limberi_rigid_swing_motion(by, at, q, pushed, m);
    double end[3];
    limberi_rigid_moved(m, from, end);
    keep_above_floor(rigid, f, swing, (double)place.y, at[1] + end[1], m->move);
    m->move_f[1] = (float)m->move[1];
}

void limberi_swing_all(const limberi_rigid* rigid, const limberi_rigid_frame* f) {
    const limber_rigid_parts* parts = rigid->parts;
    joint_lag lag = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    limber_vec3 root = limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < parts->swing_count; i++) {
        const limberi_swing* swing = &parts->swings[i];
        limberi_rigid_motion* m = &rigid->motions[parts->count + i];
        if (!f->lag_moves || !(f->swing > 0) || !(f->swing_limit > 0)) {
            *m = rigid->motions[swing->body];
            continue;
        }
        if (!i || swing->body != swing[-1].body) {
            const limberi_rigid_body* body = &parts->bodies[swing->body];
            lag = lag_of(rigid, f, (int32_t)body->joint);
            root = limberi_mat4_point(&f->pose->world_from_joint[body->joint], body->root);
            lag.move = limberi_add(lag.move, limberi_cross(lag.turn, limberi_sub(root, lag.place)));
        }
        swing_one(rigid, f, &lag, root, swing, m);
    }
}
