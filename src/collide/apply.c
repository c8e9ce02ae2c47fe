// A frame of the stage: where the colliders are, and which of them are near a group of vertices.
#include "base/lanes.h"
#include "collide/colliders_private.h"

// --- where the colliders are ---

limberi_placed_collider limberi_collider_place(const limber_collider* c, const limber_pose* pose) {
    limberi_placed_collider placed = {c->from, c->to, c->radius};
    if (c->joint >= 0) {
        const limber_mat4* m = &pose->world_from_joint[c->joint];
        float scale = 0;
        for (int i = 0; i < 3; i++)
            scale = fmaxf(scale, limberi_length(limberi_mat4_column(m, i)));
        placed.from = limberi_mat4_point(m, c->from);
        placed.to = c->shape == LIMBER_COLLIDER_PLANE ? limberi_mat4_vector(m, c->to) : limberi_mat4_point(m, c->to);
        placed.radius *= scale;
    }
    if (c->shape == LIMBER_COLLIDER_PLANE)
        placed.to = limberi_normalize(placed.to);
    return placed;
}

static limber_vec3 mean_move(const limberi_collision_frame* f, const uint32_t* vertices, uint32_t count) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = 3 * (size_t)vertices[i];
        sum = limberi_add(sum, limberi_sub(limberi_load3(f->deformed + at), limberi_load3(f->skinned + at)));
    }
    return count ? limberi_scale(sum, 1 / (float)count) : sum;
}

void limberi_collision_begin(limberi_collision* s, const limberi_collision_frame* frame) {
    s->floor_reach = frame->ground ? limberi_contact_stage_reach(frame->ground) : -HUGE_VALF;
    for (uint32_t c = 0; c < s->colliders->count; c++) {
        const limber_collider* item = &s->colliders->items[c];
        const limberi_collider_anchors* anchors = &s->anchors[c];
        limberi_placed_collider placed = limberi_collider_place(item, frame->pose);
        limberi_moving_collider* m = &s->moving[c];
        m->shape = item->shape;
        m->from = placed.from;
        m->radius = placed.radius;
        m->along = item->shape == LIMBER_COLLIDER_SPHERE ? limberi_vec3(0, 0, 0) : placed.to;
        if (item->shape == LIMBER_COLLIDER_CAPSULE)
            m->along = limberi_sub(placed.to, placed.from);
        m->per_square = limberi_per_square(m->along);
        for (int end = 0; end < 2; end++)
            m->move[end] = mean_move(frame, anchors->vertices[end], anchors->count[end]);
        m->fastest = fmaxf(limberi_length(m->move[0]), limberi_length(m->move[1]));
        m->middle = limberi_add(m->from, limberi_scale(m->along, 0.5f));
        m->reach = m->radius + 0.5f * limberi_length(m->along);
        if (m->shape == LIMBER_COLLIDER_PLANE)
            m->reach = HUGE_VALF;
    }
}

limberi_placed_collider limberi_collision_placed(const limberi_collision* s, uint32_t index) {
    const limberi_moving_collider* m = &s->moving[index];
    limberi_placed_collider placed = {limberi_add(m->from, m->move[0]), m->along, m->radius};
    if (m->shape != LIMBER_COLLIDER_PLANE)
        placed.to = limberi_add(limberi_add(m->from, m->along), m->move[1]);
    return placed;
}

// --- groups of vertices ---

// A sphere around the plain places of a group, and one around its displacements.
typedef struct bounds {
    limber_vec3 middle, move;
    float reach, spread, fastest;
} bounds;

static void bounding_sphere(const limberi_block3* block, uint32_t width, limber_vec3* middle, float* reach) {
    float low[3], high[3];
    for (int c = 0; c < 3; c++) {
        limberi_lanes min = limberi_lanes_load(block->v[c]);
        limberi_lanes max = min;
        for (uint32_t i = LIMBERI_LANE_COUNT; i < width; i += LIMBERI_LANE_COUNT) {
            limberi_lanes x = limberi_lanes_load(block->v[c] + i);
            min = limberi_lanes_min(min, x);
            max = limberi_lanes_max(max, x);
        }
        low[c] = limberi_lanes_min_of(min);
        high[c] = limberi_lanes_greatest(max);
    }
    limber_vec3 a = limberi_load3(low);
    limber_vec3 b = limberi_load3(high);
    *middle = limberi_lerp(a, b, 0.5f);
    *reach = 0.5f * limberi_length(limberi_sub(b, a));
}

// Whether a collider can touch some vertex of the group. Most pairs are farther apart than all of their motion, so the
// bounding spheres are compared first.
static bool is_near(const limberi_collision* s, const limberi_moving_collider* m, const bounds* b) {
    float zone = limberi_collider_soft * s->length;
    float far = m->reach + b->reach + zone + m->fastest + b->fastest;
    limber_vec3 between = limberi_sub(b->middle, m->middle);
    if (limberi_dot(between, between) > far * far)
        return false;
    limber_vec3 first = limberi_sub(b->move, m->move[0]);
    limber_vec3 last = limberi_sub(b->move, m->move[1]);
    float closing = sqrtf(fmaxf(limberi_dot(first, first), limberi_dot(last, last))) + b->spread;
    if (!(closing > 0))
        return false;
    float room = closing + zone;
    if (m->shape == LIMBER_COLLIDER_PLANE)
        return limberi_dot(limberi_sub(b->middle, m->from), m->along) - b->reach <= room;
    float max = m->radius + b->reach + room;
    return limberi_axis_nearest(m->from, m->along, m->per_square, b->middle).square <= max * max;
}

static uint32_t list_near(const limberi_collision* s, const limberi_obeying* o, const limberi_push_block* block,
                          limberi_near_collider* near) {
    bounds b;
    uint32_t count = 0;
    bounding_sphere(&block->plain, block->width, &b.middle, &b.reach);
    bounding_sphere(&block->moved, block->width, &b.move, &b.spread);
    b.fastest = limberi_length(b.move) + b.spread;
    for (uint32_t k = 0; k < o->count; k++) {
        const limberi_obeyed* obeyed = &o->obeyed[k];
        limberi_near_collider one = {&s->moving[obeyed->collider], obeyed->painted ? obeyed->painted : obeyed->base, 0};
        near[count] = one;
        count += is_near(s, one.moving, &b);
    }
    return count;
}

bool limberi_collision_run(const limberi_collision* s, const limberi_collision_frame* f, uint32_t index) {
    const limberi_obeying* o = &s->groups[index];
    const struct limberi_groups* groups = limberi_asset_groups(s->asset)[o->at.mesh];
    const limberi_group* group = &groups->groups[o->at.group];
    uint32_t first = s->model->meshes[o->at.mesh].first_vertex;
    limberi_near_collider near[LIMBER_COLLIDER_LIMIT];
    limberi_push_block block;
    block.frame = f;
    block.first_vertex = first;
    block.vertices = groups->vertices + group->first;
    block.width = group->width;
    block.length = s->length;
    block.floor_reach = s->floor_reach;
    limberi_group_gather(groups, group, f->skinned + 3 * (size_t)first, &block.plain);
    limberi_group_gather(groups, group, f->deformed + 3 * (size_t)first, &block.deformed);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < block.width; i++)
            block.moved.v[c][i] = block.deformed.v[c][i] - block.plain.v[c][i];
    uint32_t count = list_near(s, o, &block, near);
    return count && limberi_push_out(&block, near, count);
}
