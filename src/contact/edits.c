// Corrections by artists: contacts that are set, taken away or moved in time.
#include "contact/contacts_private.h"

#include <string.h>

static bool is_of_clip(const limber_contact_edit* edit, int32_t clip) {
    return edit->clip < 0 || edit->clip == clip;
}

static void mark_joints(const limberi_support* support, const limber_contact_edit* edit, uint8_t* marks) {
    for (uint32_t j = 0; j < support->model->rig.joint_count; j++)
        marks[support->fused[j]] |= edit->joints[j] != 0;
}

bool limberi_contact_edits_collect(const limberi_support* support, const limber_contact_settings* settings,
                                   int32_t clip, limberi_arena* arena, limberi_edits* edits) {
    size_t joints = support->model->rig.joint_count;
    memset(edits, 0, sizeof *edits);
    edits->joint_count = support->model->rig.joint_count;
    for (uint32_t e = 0; e < settings->edit_count; e++)
        edits->count += is_of_clip(&settings->edits[e], clip);
    if (!edits->count)
        return true;
    edits->list = LIMBERI_ALLOCATE(arena, limber_contact_edit, edits->count);
    edits->marks = LIMBERI_ALLOCATE(arena, uint8_t, joints * edits->count);
    edits->any = LIMBERI_ALLOCATE(arena, uint8_t, joints);
    if (!edits->list || !edits->marks || !edits->any)
        return false;
    edits->count = 0;
    for (uint32_t e = 0; e < settings->edit_count; e++)
        if (is_of_clip(&settings->edits[e], clip)) {
            mark_joints(support, &settings->edits[e], edits->marks + joints * edits->count);
            mark_joints(support, &settings->edits[e], edits->any);
            edits->list[edits->count++] = settings->edits[e];
        }
    return true;
}

bool limberi_edits_add(const limberi_edits* edits) {
    for (uint32_t e = 0; e < edits->count; e++)
        if (edits->list[e].shift_s == 0 && edits->list[e].amount > 0)
            return true;
    return false;
}

static bool is_within(const limberi_grid* grid, const limber_contact_edit* edit, uint32_t moment) {
    double time_s = moment * grid->step_s;
    double slack = 1e-6 * grid->step_s;
    return time_s >= edit->from_s - slack && time_s <= edit->to_s + slack;
}

static void set_contact(const limberi_grid* grid, const limber_contact_edit* edit, double* values, uint8_t* added) {
    for (uint32_t i = 0; i < grid->count; i++) {
        if (!is_within(grid, edit, i))
            continue;
        if (values[i] <= 0.5 || !(edit->amount > 0))
            added[i] = edit->amount > 0;
        values[i] = (double)edit->amount;
    }
}

// Moves the values of the range in time; the larger value stays where they meet others.
static void shift_contact(const limberi_grid* grid, const limber_contact_edit* edit, double* values, double* scratch) {
    double length = grid->count * grid->step_s;
    double by = grid->loops ? fmod(edit->shift_s, length) : edit->shift_s;
    int64_t steps = (int64_t)fmin(fmax(round(by / grid->step_s), -4e9), 4e9);
    for (uint32_t i = 0; i < grid->count; i++) {
        scratch[i] = is_within(grid, edit, i) ? values[i] : 0;
        values[i] -= scratch[i];
    }
    for (uint32_t i = 0; i < grid->count; i++) {
        int64_t to = (int64_t)i + steps;
        if (grid->loops)
            to = (to + grid->count) % grid->count;
        if (to >= 0 && to < (int64_t)grid->count)
            values[to] = fmax(values[to], scratch[i]);
    }
}

bool limberi_edits_apply(const limberi_edits* edits, const limberi_grid* grid, uint32_t joint, double* values,
                         double* scratch, uint8_t* added) {
    bool any = edits->any && edits->any[joint];
    for (uint32_t e = 0; any && e < edits->count; e++) {
        if (!edits->marks[(size_t)e * edits->joint_count + joint])
            continue;
        if (edits->list[e].shift_s != 0)
            shift_contact(grid, &edits->list[e], values, scratch);
        else
            set_contact(grid, &edits->list[e], values, added);
    }
    return any;
}
