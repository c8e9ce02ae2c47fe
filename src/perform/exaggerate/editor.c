// What the joints of a clip do while it is being edited, and the list of pulls on them.
#include "perform/exaggerate/editor.h"

static const double speed_reach_s = 1 / 30.0;
static const float still_turn = 5e-3f; // rad

static uint32_t frame_near(const limberi_take* take, uint32_t frame, int32_t by) {
    uint32_t segment = limberi_take_segment(take, frame);
    int64_t low = take->segments[segment];
    int64_t high = (int64_t)take->segments[segment + 1] - 1;
    int64_t at = (int64_t)frame + by;
    if (take->loops && high > 0)
        return (uint32_t)(((at % high) + high) % high);
    at = at < high ? at : high;
    return (uint32_t)(at > low ? at : low);
}

double limberi_editor_speed(const limberi_editor* e, uint32_t frame, uint32_t joint, int32_t about) {
    const limberi_take* take = &e->take;
    double reach = take->step_s > 0 ? fmax(1, round(speed_reach_s / take->step_s)) : 0;
    uint32_t a = frame_near(take, frame, -(int32_t)reach);
    uint32_t b = frame_near(take, frame, (int32_t)reach);
    double time_s = take->loops ? 2 * reach * take->step_s : (b - a) * take->step_s;
    if (!(time_s > 0) || !(e->size > 0))
        return 0;
    limber_vec3 from = *limberi_editor_at(e, e->positions, a, joint);
    limber_vec3 to = *limberi_editor_at(e, e->positions, b, joint);
    if (about >= 0) {
        from = limberi_sub(from, *limberi_editor_at(e, e->positions, a, (uint32_t)about));
        to = limberi_sub(to, *limberi_editor_at(e, e->positions, b, (uint32_t)about));
    }
    return (double)limberi_length(limberi_sub(to, from)) / (time_s * e->size);
}

bool limberi_editor_is_still(const limberi_editor* e, uint32_t joint) {
    const limberi_take* take = &e->source;
    limber_quat first = limberi_take_at(take, 0, joint)->rotation;
    for (uint32_t f = 1; f < take->frame_count; f++) {
        limber_quat q = limberi_take_at(take, f, joint)->rotation;
        float dot = q.x * first.x + q.y * first.y + q.z * first.z + q.w * first.w;
        if (!(fabsf(dot) > 1 - 0.125f * still_turn * still_turn))
            return false;
    }
    return true;
}

void limberi_editor_find_fixed(limberi_editor* e) {
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        int32_t parent = e->model->rig.parents[j];
        e->fixed[j] = e->settings->automatic && parent >= 0 && limberi_editor_is_stiff(e, j) &&
                      limberi_editor_is_stiff(e, (uint32_t)parent) && limberi_editor_is_still(e, j);
    }
}

limberi_pull* limberi_editor_new_pull(limberi_editor* e, uint32_t joint, float weight, uint32_t key_count) {
    if (e->pull_count == e->pull_room)
        return NULL;
    limberi_pull* pull = &e->pulls[e->pull_count];
    pull->joint = e->twin[joint];
    pull->weight = weight;
    pull->groups = LIMBERI_ALLOCATE(&e->arena, limberi_pull_group, key_count);
    pull->knots = LIMBERI_ALLOCATE(&e->arena, limberi_knot, 3 * (size_t)key_count); // at worst every key by itself
    if (e->arena.failed)
        return NULL;
    e->pull_count++;
    return pull;
}
