// The stage of rigid parts: which joints and props it has, and how it moves the vertices of parts in a frame.
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "rigid/rigid_private.h"

// The plain parts of a character are found once and kept with it; those of a selection or a painted layer are found per
// pipeline.
static limber_result choose_parts(limberi_rigid* rigid, const limber_asset* asset,
                                  const limber_rigid_settings* settings) {
    bool plain = !settings->only_count && !settings->except_count && !settings->mass_count && !settings->prop_count &&
                 !settings->appendage_count;
    if (plain && !limberi_rigid_is_painted(limber_asset_model(asset)))
        rigid->parts = limberi_asset_rigid_parts(asset);
    else if (!limber_rigid_parts_find(asset, settings, &rigid->own, NULL))
        rigid->parts = rigid->own;
    return rigid->parts ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static const double min_share = 1e-3;    // of a joint's skin: less that is rigid does not make it stiff
static const double whole_share = 0.999; // of a joint's skin: this much rigid is all of it
static const double robot_share = 0.8;   // of all but props: a character this rigid is made of rigid parts (S11)

// Of each joint how much skin it has and how much of that is rigid; and the same of all but props in `total`.
static void weigh_joints(const limber_rigid_parts* parts, const limber_model* model, double* all, double* rigid,
                         double total[2]) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const uint32_t* joints = model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                double w = (double)mesh->influence_weight[i];
                int32_t part = parts->of_vertex[mesh->first_vertex + u];
                double counts = part < 0 || parts->parts[part].kind != LIMBER_RIGID_PROP ? w : 0;
                all[joints[mesh->influence_joint[i]]] += w;
                rigid[joints[mesh->influence_joint[i]]] += part >= 0 ? w : 0;
                total[0] += counts;
                total[1] += part >= 0 ? counts : 0;
            }
    }
}

static limber_result find_stiff(limberi_rigid* made, const limber_model* model) {
    uint32_t joints = model->rig.joint_count;
    double* weights = limberi_allocate_zeroed(2 * (size_t)joints + 1, sizeof *weights);
    made->stiff = limberi_allocate_zeroed((size_t)joints + 1, sizeof *made->stiff);
    made->props = limberi_allocate_zeroed((size_t)joints + 1, sizeof *made->props);
    if (!weights || !made->stiff || !made->props) {
        limberi_release(weights);
        return LIMBER_ERROR_MEMORY;
    }
    double total[2] = {0, 0};
    weigh_joints(made->parts, model, weights, weights + joints, total);
    for (uint32_t j = 0; j < joints; j++) {
        made->stiff[j] = weights[joints + j] > min_share * weights[j];
        made->props[j] =
            made->stiff[j] && total[1] < robot_share * total[0] && weights[joints + j] > whole_share * weights[j];
    }
    limberi_release(weights);
    return LIMBER_OK;
}

limber_result limberi_rigid_create(const limber_asset* asset, const limber_rigid_settings* settings,
                                   limberi_rigid** rigid, limber_error* error) {
    *rigid = NULL;
    if (settings->mode == LIMBER_RIGID_OFF)
        return LIMBER_OK;
    limberi_rigid* made = limberi_allocate_zeroed(1, sizeof *made);
    limber_result result = made ? choose_parts(made, asset, settings) : LIMBER_ERROR_MEMORY;
    if (!result && made->parts->count) {
        made->model = limber_asset_model(asset);
        made->motions = limberi_allocate_zeroed(limberi_rigid_motion_count(made), sizeof *made->motions);
        result = made->motions ? find_stiff(made, limber_asset_model(asset)) : LIMBER_ERROR_MEMORY;
    }
    if (result || !made->parts->count)
        limberi_rigid_destroy(made);
    else
        *rigid = made;
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

void limberi_rigid_destroy(limberi_rigid* rigid) {
    if (!rigid)
        return;
    limber_rigid_parts_destroy(rigid->own);
    limberi_release(rigid->motions);
    limberi_release(rigid->stiff);
    limberi_release(rigid->props);
    limberi_release(rigid);
}

const limber_rigid_parts* limberi_rigid_parts_of(const limberi_rigid* rigid) {
    return rigid->parts;
}

const bool* limberi_rigid_stiff_joints(const limberi_rigid* rigid) {
    return rigid->stiff;
}

const bool* limberi_rigid_props(const limberi_rigid* rigid) {
    return rigid->props;
}

uint32_t limberi_rigid_motion_count(const limberi_rigid* rigid) {
    return rigid->parts->count + rigid->parts->swing_count;
}

uint32_t limberi_rigid_numbers(const limberi_rigid* rigid) {
    return LIMBERI_RIGID_NUMBERS * rigid->parts->count;
}

uint32_t limberi_rigid_entry_count(const limberi_rigid* rigid) {
    return rigid->parts->entry_count;
}

// --- in a frame ---

void limberi_rigid_begin(limberi_rigid* rigid, const limberi_rigid_frame* frame) {
    for (uint32_t b = 0; b < rigid->parts->count; b++) // what carries comes before what is carried
        if (frame->stored)
            limberi_rigid_recall_body(rigid, b, frame->pose, frame->stored + LIMBERI_RIGID_NUMBERS * (size_t)b);
        else
            limberi_rigid_move_body(rigid, b, frame);
    limberi_swing_all(rigid, frame);
}

// The motion is a displacement of the skinned vertex, so that an unmoved part keeps its exact place.
void limberi_rigid_run(const limberi_rigid* rigid, const limberi_rigid_frame* frame, uint32_t first, uint32_t end) {
    const limber_rigid_parts* parts = rigid->parts;
    for (uint32_t i = first; i < end; i++) {
        size_t at = 3 * (size_t)parts->vertices[i];
        const limberi_rigid_motion* m = &rigid->motions[parts->motion_of[i]];
        float hold = parts->holds[i];
        limber_vec3 p = limberi_load3(frame->skinned + at);
        limber_vec3 away = limberi_sub(p, limberi_load3(m->pivot_f));
        limber_vec3 moved = limberi_add(limberi_mat3_vector(m->matrix, away), limberi_load3(m->move_f));
        if (hold < 1)
            moved = limberi_lerp(limberi_sub(limberi_load3(frame->deformed + at), p), moved, hold);
        limberi_store3(frame->deformed + at, limberi_add(p, moved));
        if (!frame->normals)
            continue;
        limber_vec3 n = limberi_load3(frame->skinned_normals + at);
        limber_vec3 turned = limberi_normalize(limberi_add(n, limberi_mat3_vector(m->normals, n)));
        limber_vec3 mixed = turned;
        if (hold < 1)
            mixed = limberi_normalize(limberi_lerp(limberi_load3(frame->normals + at), turned, hold));
        limberi_store3(frame->normals + at, limberi_is_zero(mixed) ? turned : mixed);
    }
}
