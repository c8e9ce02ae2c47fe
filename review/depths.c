// How deep a style pushes parts into others (velocity skinning, figure 14; thesis, 7.1; SMEAR, section 6 leave it open): the
// skin of one part into the capsules around the bones of others, beyond what the plain motion does. Which skin minds
// which bone is what colliders go by, so that joints that bend do not count.
#include "asset/groups.h"
#include "base/math.h"
#include "review/review_private.h"

static const float minds = 0.5f; // weight from which a vertex counts

limber_result limberi_depths_begin(limberi_review_depths* d, const limber_asset* asset, limber_error* error) {
    limber_collider_settings settings = {.automatic = true};
    return limberi_collision_create(asset, &settings, NULL, false, &d->collision, error);
}

void limberi_depths_free(limberi_review_depths* d) {
    limberi_collision_destroy(d->collision);
}

static float depth_in(const limberi_placed_collider* c, bool plane, limber_vec3 p) {
    if (plane)
        return -limberi_dot(limberi_sub(p, c->from), c->to);
    limber_vec3 along = limberi_sub(c->to, c->from);
    float square = limberi_dot(along, along);
    float part = square > 0 ? limberi_clamp(limberi_dot(limberi_sub(p, c->from), along) / square, 0, 1) : 0;
    return c->radius - limberi_distance(p, limberi_add(c->from, limberi_scale(along, part)));
}

// A collider in a frame.
typedef struct sight {
    const limber_frame *plain, *styled;
    limber_collider item;
    limberi_placed_collider before, now; // of the plain motion, and styled
    double time_s;
} sight;

static void look_at_vertex(limberi_review_depths* d, const sight* s, uint32_t vertex) {
    bool plane = s->item.shape == LIMBER_COLLIDER_PLANE;
    float is = depth_in(&s->now, plane, limberi_load3(s->styled->positions + 3 * (size_t)vertex));
    if (!(is > d->depth))
        return;
    float was = depth_in(&s->before, plane, limberi_load3(s->plain->positions + 3 * (size_t)vertex));
    float more = is - (was > 0 ? was : 0);
    if (!(more > d->depth))
        return;
    limberi_placed_collider posed = limberi_collider_place(&s->item, s->styled->pose);
    float by_pose =
        depth_in(&posed, plane, limberi_load3(s->styled->skinned + 3 * (size_t)vertex)) - (was > 0 ? was : 0);
    d->is_posed = by_pose > 0.5f * more;
    d->depth = more;
    d->vertex = vertex;
    d->into = s->item.joint;
    d->time_s = s->time_s;
}

void limberi_depths_add(limberi_review_depths* d, const limber_model* model, const limber_asset* asset, double time_s,
                        const limber_frame* plain, const limber_frame* styled) {
    if (!d->collision)
        return;
    limberi_collision_frame frame = {.pose = styled->pose, .skinned = styled->skinned};
    frame.deformed = (float*)(uintptr_t)styled->positions; // begin only reads it
    limberi_collision_begin(d->collision, &frame);
    sight s = {.plain = plain, .styled = styled, .time_s = time_s};
    for (uint32_t g = 0; g < limberi_collision_group_count(d->collision); g++) {
        limberi_collision_group at = limberi_collision_group_at(d->collision, g);
        const struct limberi_groups* groups = limberi_asset_groups(asset)[at.mesh];
        const limberi_group* group = &groups->groups[at.group];
        uint32_t count;
        const limberi_obeyed* obeyed = limberi_collision_obeyed(d->collision, g, &count);
        for (uint32_t c = 0; c < count; c++) {
            s.item = limber_collider_at(limberi_collision_colliders(d->collision), obeyed[c].collider);
            s.before = limberi_collider_place(&s.item, plain->pose);
            s.now = limberi_collision_placed(d->collision, obeyed[c].collider);
            for (uint32_t i = 0; i < group->count; i++)
                if (!obeyed[c].base || obeyed[c].base[i] >= minds)
                    look_at_vertex(d, &s, model->meshes[at.mesh].first_vertex + groups->vertices[group->first + i]);
        }
    }
}

void limberi_depths_end(const limberi_review_depths* d, const limber_model* model, double size, limberi_review* r) {
    r->depth = (double)d->depth / size;
    r->depth_is_posed = d->depth > 0 && d->is_posed;
    r->at_depth.joint = d->depth > 0 ? limberi_review_joint(model, d->vertex) : LIMBERI_NO_JOINT;
    r->at_depth.time_s = d->time_s;
    r->into = d->depth > 0 && d->into >= 0 ? (uint32_t)d->into : LIMBERI_NO_JOINT;
}
