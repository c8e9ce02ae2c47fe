// Feet that stood still go back to where they stood, whatever the edits did, with their descendants. The correction
// fades in and out, so that the foot does not jump.
#include "exaggerate/editor.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const double still = 0.12;      // L per second: slower than this is standing
static const double low = 0.12;        // of L, above its lowest place: higher is a foot in the air
static const double shortest_s = 0.08; // shorter is a turning point
static const double fade_s = 0.15;     // about three frames of film
static const float grip = 1e4f;        // weight: within a ten-thousandth of the way

typedef struct planter {
    limberi_editor* e;
    limber_vec3* stood; // [frame][joint] of the source
    uint32_t count;
    uint32_t* joints;   // planted ones and what hangs on them
    uint32_t* owners;   // [joint of the rig]: the planted joint it hangs on, as an index of `joints`; UINT32_MAX: none
    float* holds;       // [frame][count]: 1 while it stands, 0 when it is free
    limber_vec3* pulls; // [count]
} planter;

static void find_joints(planter* p) {
    limberi_editor* e = p->e;
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        int32_t parent = limberi_graph_parent(&e->graph, j);
        uint32_t above = parent < 0 ? UINT32_MAX : p->owners[parent];
        bool own = e->settings->plant[j] && limberi_graph_has(&e->graph, j) && !e->pinned[j];
        p->owners[j] = above != UINT32_MAX ? above : own ? p->count : UINT32_MAX;
        if (p->owners[j] != UINT32_MAX)
            p->joints[p->count++] = j;
    }
}

// --- when it stands ---

static float lowest(const planter* p, uint32_t joint, uint32_t first, uint32_t end) {
    float y = limberi_editor_at(p->e, p->stood, first, joint)->y;
    for (uint32_t f = first; f < end; f++)
        y = fminf(y, limberi_editor_at(p->e, p->stood, f, joint)->y);
    return y;
}

static void mark_standing(const planter* p, uint32_t joint, uint32_t first, uint32_t end, bool* stands) {
    limberi_editor source = *p->e;
    source.positions = p->stood;
    double floor_y = (double)lowest(p, joint, first, end);
    for (uint32_t f = first; f < end; f++)
        stands[f] = limberi_editor_speed(&source, f, joint, -1) < still &&
                    (double)limberi_editor_at(p->e, p->stood, f, joint)->y - floor_y < low * p->e->size;
    double shortest = p->e->take.step_s > 0 ? shortest_s / p->e->take.step_s : 0;
    for (uint32_t f = first; f < end;) {
        uint32_t run = f;
        while (run < end && stands[run] == stands[f])
            run++;
        bool edge = f == first || run == end; // it may have stood for longer
        if (stands[f] && run - f < shortest && !edge)
            memset(stands + f, 0, run - f);
        f = run;
    }
}

static float ease(double part) {
    double x = fmin(fmax(part, 0), 1);
    return (float)(x * x * (3 - 2 * x));
}

// How firmly it is held: 1 while it stands, fading within a moment before and after.
static void fade_holds(const planter* p, uint32_t slot, uint32_t first, uint32_t end, const bool* stands) {
    double step_s = p->e->take.step_s, since = HUGE_VAL;
    bool loops = p->e->take.loops;
    uint32_t count = end - first, rounds = loops ? 2 * count : count;
    for (int way = 0; way < 2; way++) {
        since = HUGE_VAL;
        for (uint32_t i = 0; i < rounds; i++) {
            uint32_t at = i % count, f = way ? end - 1 - at : first + at;
            since = stands[f] ? 0 : since + step_s;
            float* hold = &p->holds[(size_t)f * p->count + slot];
            *hold = fmaxf(*hold, ease(1 - since / fade_s));
        }
    }
}

static bool find_holds(planter* p) {
    const limberi_take* take = &p->e->take;
    bool* stands = limberi_allocate_zeroed((size_t)take->frame_count + 1, sizeof *stands);
    for (uint32_t i = 0; stands && i < p->count; i++)
        for (uint32_t s = 0; p->owners[p->joints[i]] == i && s < take->segment_count; s++) {
            mark_standing(p, p->joints[i], take->segments[s], take->segments[s + 1], stands);
            fade_holds(p, i, take->segments[s], take->segments[s + 1], stands);
        }
    limberi_release(stands);
    return stands != NULL;
}

// --- back to where it stood ---

static void hold_frame(const planter* p, const limber_bone_solver* solver, uint32_t frame, limber_vec3* answer) {
    limberi_editor* e = p->e;
    bool any = false;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t j = p->joints[i];
        float hold = p->holds[(size_t)frame * p->count + p->owners[j]];
        limber_vec3 now =
            limberi_add(*limberi_editor_at(e, e->positions, frame, j), *limberi_editor_at(e, e->moved, frame, j));
        p->pulls[i] = limberi_scale(limberi_sub(*limberi_editor_at(e, p->stood, frame, j), now), hold);
        any = any || hold > 0;
    }
    if (!any)
        return;
    limberi_bone_solver_displace(solver, p->pulls, answer);
    limberi_editor_follow_twins(e, answer);
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        limber_vec3* moved = limberi_editor_at(e, e->moved, frame, j);
        *moved = limberi_add(*moved, answer[j]);
    }
}

static limber_result hold_frames(planter* p, limberi_arena* scratch) {
    limberi_editor* e = p->e;
    limber_bone_solver* solver;
    float* weights = LIMBERI_ALLOCATE(scratch, float, p->count);
    limber_vec3* answer = LIMBERI_ALLOCATE(scratch, limber_vec3, e->take.joint_count);
    if (scratch->failed)
        return limberi_fail_memory(e->error);
    for (uint32_t i = 0; i < p->count; i++)
        weights[i] = grip;
    limber_result result =
        limber_bone_solver_create(&e->graph, p->count, p->joints, weights, e->settings->pin_root, &solver, e->error);
    if (result)
        return result;
    for (uint32_t f = 0; f < e->take.frame_count; f++)
        hold_frame(p, solver, f, answer);
    limber_bone_solver_destroy(solver);
    return LIMBER_OK;
}

limber_result limberi_editor_plant(limberi_editor* e) {
    limberi_arena scratch = {NULL, false};
    size_t joints = e->take.joint_count, frames = e->take.frame_count;
    planter p;
    memset(&p, 0, sizeof p);
    p.e = e;
    p.stood = LIMBERI_ALLOCATE(&scratch, limber_vec3, frames * joints);
    p.joints = LIMBERI_ALLOCATE(&scratch, uint32_t, joints);
    p.owners = LIMBERI_ALLOCATE(&scratch, uint32_t, joints);
    limber_mat4* world = LIMBERI_ALLOCATE(&scratch, limber_mat4, joints);
    limber_result result = LIMBER_OK;
    if (!scratch.failed) {
        limberi_take_positions(&e->source, &e->model->rig, world, p.stood);
        find_joints(&p);
        p.holds = LIMBERI_ALLOCATE(&scratch, float, frames* p.count);
        p.pulls = LIMBERI_ALLOCATE(&scratch, limber_vec3, p.count);
    }
    if (scratch.failed || !find_holds(&p))
        result = limberi_fail_memory(e->error);
    else if (p.count)
        result = hold_frames(&p, &scratch);
    limberi_arena_free(&scratch);
    return result;
}
