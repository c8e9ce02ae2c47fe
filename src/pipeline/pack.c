// limber/pack.h over src/gpu: the pipeline knows the pose, the palettes and the deformer.
#include "base/build.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "gpu/packing.h"
#include "pipeline/ground_track.h"
#include "pipeline/probes.h"
#include <limber/pack.h>

#include <string.h>

_Static_assert(LIMBER_PACK_SETTINGS == LIMBERI_PACK_SETTINGS, "the header names the number of settings");

struct limber_pack {
    limberi_pack pack;
    limber_pipeline* pipeline;
    limberi_probes probes;       // vertices that what comes after the effects is read from,
    limberi_probes still;        // vertices whose positions before the effects are enough,
    limberi_probes points;       // and support points, which are read where they are low
    limberi_probe_places places; // of all of them
    limberi_arena arena;
    uint32_t anchor_count, entry_count;
    uint32_t* anchors;                  // the vertices of these that colliders go along with, each once
    uint32_t* entries;                  // of rigid parts that these are
    const limberi_ground_track* ground; // NULL: what comes after the effects is found
    float* numbers;                     // [limberi_pack_ground_numbers] of a frame of it
    bool stored, stored_lifts;          // this frame has them, and those of lifts
    const uint32_t* rings;              // NULL: nobody asked
    size_t ring_count;
    char defines[LIMBERI_PACK_DEFINES_SIZE], dynamic_defines[LIMBERI_PACK_DEFINES_SIZE];
};

// The vertices that colliders go along with, and which of them belong to rigid parts.
static bool list_anchors(limber_pack* pack, const uint32_t* vertices, uint32_t count) {
    const limber_pipeline* p = pack->pipeline;
    uint32_t entries = p->rigid ? limberi_rigid_entry_count(p->rigid) : 0;
    uint8_t* is_anchor = limberi_allocate_zeroed(p->model->vertex_count + (size_t)1, sizeof *is_anchor);
    pack->anchors = LIMBERI_ALLOCATE(&pack->arena, uint32_t, count);
    pack->entries = LIMBERI_ALLOCATE(&pack->arena, uint32_t, count);
    bool memory = is_anchor && !pack->arena.failed;
    for (uint32_t i = 0; memory && i < count; i++) {
        if (!is_anchor[vertices[i]])
            pack->anchors[pack->anchor_count++] = vertices[i];
        is_anchor[vertices[i]] = 1;
    }
    for (uint32_t i = 0; memory && i < entries; i++)
        if (is_anchor[limberi_rigid_parts_of(p->rigid)->vertices[i]])
            pack->entries[pack->entry_count++] = i;
    limberi_release(is_anchor);
    return memory;
}

// Vertices that the ground and colliders always read; of them `colliding` that colliders go along with.
typedef struct probe_lists {
    uint32_t* moved;
    uint32_t* still;
    uint32_t moved_count, still_count, colliding;
} probe_lists;

static bool list_probes(const limber_pipeline* p, limberi_arena* arena, probe_lists* lists) {
    uint32_t grounded = p->ground ? limberi_contact_stage_probes(p->ground, true, NULL) : 0;
    lists->still_count = p->ground ? limberi_contact_stage_probes(p->ground, false, NULL) : 0;
    lists->colliding = p->collision ? limberi_collision_probes(p->collision, NULL) : 0;
    lists->moved_count = grounded + lists->colliding;
    lists->moved = LIMBERI_ALLOCATE(arena, uint32_t, lists->moved_count);
    lists->still = LIMBERI_ALLOCATE(arena, uint32_t, lists->still_count);
    if (arena->failed)
        return false;
    if (grounded)
        limberi_contact_stage_probes(p->ground, true, lists->moved);
    if (lists->still_count)
        limberi_contact_stage_probes(p->ground, false, lists->still);
    if (lists->colliding)
        limberi_collision_probes(p->collision, lists->moved + grounded);
    return true;
}

static limber_result create_probes(limber_pack* pack, const probe_lists* lists) {
    const limber_pipeline* p = pack->pipeline;
    const struct limberi_groups* const* points = p->ground ? limberi_contact_stage_points(p->ground) : NULL;
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    if (lists->moved_count || lists->still_count || points) {
        pack->places.skinned = LIMBERI_ALLOCATE(&pack->arena, float, numbers);
        pack->places.deformed = LIMBERI_ALLOCATE(&pack->arena, float, numbers);
    }
    if (pack->arena.failed)
        return LIMBER_ERROR_MEMORY;
    pack->numbers = LIMBERI_ALLOCATE(&pack->arena, float, limberi_pack_ground_numbers(pack));
    limber_result result = pack->numbers
                               ? limberi_probes_create(p, lists->moved, lists->moved_count, pack->places, &pack->probes)
                               : LIMBER_ERROR_MEMORY;
    if (!result)
        result = limberi_probes_create(p, lists->still, lists->still_count, pack->places, &pack->still);
    return result ? result : limberi_probes_create_of(p, points, pack->places, &pack->points);
}

static limber_result find_probes(limber_pack* pack) {
    limberi_arena scratch = {NULL, false};
    probe_lists lists;
    limber_result result = list_probes(pack->pipeline, &scratch, &lists) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result)
        result = create_probes(pack, &lists);
    if (!result && !list_anchors(pack, lists.moved + lists.moved_count - lists.colliding, lists.colliding))
        result = LIMBER_ERROR_MEMORY;
    limberi_arena_free(&scratch);
    return result;
}

static limber_result open_pack(limber_pack* made, bool normals, limber_error* error) {
    const limber_pipeline* p = made->pipeline;
    limberi_pack_stages stages = {p->rigid, p->ground, p->collision};
    limber_result result = limberi_pack_create(p->asset, p->deformer, stages, p->settings.skinning, &made->pack, error);
    if (result)
        return result;
    made->pack.normals = normals;
    limberi_pack_defines(&made->pack, made->defines);
    limberi_pack_dynamic_defines(&made->pack, made->dynamic_defines);
    bool failed = LIMBERI_HAS_VERTICES && find_probes(made) != LIMBER_OK;
    return failed ? limberi_fail_memory(error) : LIMBER_OK;
}

limber_result limber_pack_create(limber_pipeline* pipeline, bool normals, limber_pack** pack, limber_error* error) {
    *pack = NULL;
    limber_pack* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->pipeline = pipeline;
    limber_result result = open_pack(made, normals, error);
    if (result)
        limber_pack_destroy(made);
    else
        *pack = made;
    return result;
}

void limber_pack_destroy(limber_pack* pack) {
    if (!pack)
        return;
    if (LIMBERI_HAS_VERTICES) {
        limberi_probes_destroy(&pack->probes);
        limberi_probes_destroy(&pack->still);
        limberi_probes_destroy(&pack->points);
    }
    limberi_pack_destroy(&pack->pack);
    limberi_arena_free(&pack->arena);
    limberi_release(pack);
}

limber_pack_layout limber_pack_get_layout(const limber_pack* pack) {
    const limberi_pack* p = &pack->pack;
    limber_pack_layout layout = {p->influences,
                                 (uint32_t)limberi_pack_joint_bytes(p),
                                 limberi_pack_column_count(p),
                                 (uint32_t)limberi_pack_column_bytes(p),
                                 p->columns_change,
                                 p->texel_limit,
                                 p->obeyed_texels};
    return layout;
}

const char* limber_pack_defines(const limber_pack* pack) {
    return pack->defines;
}

const char* limber_pack_dynamic_defines(const limber_pack* pack) {
    return pack->dynamic_defines;
}

void limber_pack_write_settings(const limber_pack* pack, int32_t* settings) {
    limberi_pack_settings(&pack->pack, settings);
}

void limber_pack_write_joints(const limber_pack* pack, void* joints) {
    limberi_pack_joints(&pack->pack, joints);
}

void limber_pack_write_obeyed(const limber_pack* pack, float* texels) {
    if (pack->pack.obeyed_texels)
        memcpy(texels, pack->pack.obeyed, 16 * (size_t)pack->pack.obeyed_texels);
}

limber_result limber_pack_rings(limber_pack* pack, const uint32_t** words, size_t* count, limber_error* error) {
    if (!pack->rings)
        pack->rings = limberi_pack_make_rings(pack->pipeline->asset, &pack->arena, &pack->ring_count);
    *words = pack->rings;
    *count = pack->ring_count;
    return pack->rings ? LIMBER_OK : limberi_fail_memory(error);
}

void limber_pack_surface(const limber_pack* pack, uint32_t mesh, const float** positions, const float** normals) {
    const limber_mesh* m = &pack->pipeline->model->meshes[mesh];
    *positions = m->morph_count ? limberi_pipeline_late_positions(pack->pipeline, m) : m->positions;
    *normals = m->morph_count ? limberi_pipeline_morphed_normals(pack->pipeline, m) : m->normals;
}

// What the ground and rigid parts make of the vertices that colliders go along with.
static void settle_anchors(limber_pack* pack, const limberi_contact_stage_frame* frame) {
    const limber_pipeline* p = pack->pipeline;
    for (uint32_t i = 0; i < pack->anchor_count; i++) {
        size_t at = 3 * (size_t)pack->anchors[i];
        limber_vec3 moved = limberi_contact_stage_settled(p->ground, frame, pack->anchors[i]);
        limberi_store3(frame->deformed + at, limberi_add(limberi_load3(frame->skinned + at), moved));
    }
    limberi_rigid_frame rigid = {.pose = &p->pose, .skinned = frame->skinned, .deformed = frame->deformed};
    for (uint32_t i = 0; i < pack->entry_count; i++)
        limberi_rigid_run(p->rigid, &rigid, pack->entries[i], pack->entries[i] + 1);
}

static bool reach_of_points(void* user, uint32_t mesh, uint32_t group, const limberi_floor_box* box, float reach[3]) {
    return limberi_probes_reach(user, mesh, group, box->middle, box->half, reach);
}

static void show_points(void* user, uint32_t mesh, uint32_t group, bool moved) {
    limberi_probes_show(user, mesh, group, moved);
}

// What comes after the effects, from where they put a few vertices.
static void begin_stages(limber_pack* pack, const limber_deform_job* job, limberi_pack_frame* f) {
    const limber_pipeline* p = pack->pipeline;
    bool moves = limberi_pack_moves(&pack->pack);
    bool has_ground = limberi_pipeline_has_ground(p, moves);
    f->colliding = p->collision && (moves || p->is_late || has_ground);
    if (!has_ground && !p->collision)
        return;
    const limberi_points_wanted wanted = {&pack->points, reach_of_points, show_points};
    limberi_contact_stage_frame frame = limberi_pipeline_ground_frame(p, job);
    frame.stored = pack->stored ? pack->numbers : NULL;
    frame.stored_lifts = pack->stored_lifts;
    if (!frame.stored) {
        limberi_probes_begin(p, moves, &pack->probes);
        limberi_probes_begin(p, moves, &pack->still);
        limberi_probes_show_all(&pack->still, false);
        limberi_probes_show_all(&pack->probes, true);
    }
    if (!frame.stored_lifts)
        limberi_probes_begin(p, moves, &pack->points);
    frame.skinned = pack->places.skinned;
    frame.deformed = pack->places.deformed;
    frame.wanted = &wanted;
    frame.boxed = p->settings.skinning == LIMBER_SKINNING_LINEAR && !frame.stored_lifts;
    f->grounded = has_ground && limberi_contact_stage_begin(p->ground, &frame);
    if (!p->collision)
        return;
    if (f->grounded)
        settle_anchors(pack, &frame);
    limberi_collision_frame colliding = {.pose = &p->pose,
                                         .skinned = frame.skinned,
                                         .deformed = frame.deformed,
                                         .ground = has_ground ? p->ground : NULL};
    limberi_collision_begin(p->collision, &colliding);
}

static limberi_pack_frame frame_of(const limber_pipeline* p, const limber_deform_job* job) {
    limberi_pack_frame frame = {
        .job = job, .palettes = p->palettes, .dualquats = p->dualquats, .lift_normals = p->lift_normals};
    if (p->model->morph_count)
        frame.positions = p->is_late ? p->late_positions : p->morphed_positions;
    return frame;
}

// What a track has of the current frame.
static void look_up(limber_pack* pack) {
    pack->stored = pack->stored_lifts = false;
    if (LIMBERI_HAS_VERTICES && pack->ground)
        pack->stored =
            limberi_ground_track_at(pack->ground, pack->pipeline->posed_time_s, pack->numbers, &pack->stored_lifts);
}

limber_result limber_pack_evaluate(limber_pack* pack, float* texels, uint32_t* texel_count, int16_t* columns,
                                   limber_error* error) {
    const limber_pipeline* p = pack->pipeline;
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pack_frame frame = frame_of(p, &job);
    look_up(pack);
    frame.no_probes = pack->stored && pack->stored_lifts;
    if (!columns && pack->pack.columns_change)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "columns change with every frame: give memory for them");
    if (limberi_pack_begin(&pack->pack, &frame))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "the shader needs a pose, and one motion for effects with the same filters");
    if (columns && LIMBERI_HAS_VERTICES) {
        limberi_probes_repaint(&pack->probes);
        limberi_probes_repaint(&pack->points);
    }
    if (LIMBERI_HAS_VERTICES)
        begin_stages(pack, &job, &frame);
    if (columns && limberi_pack_column_count(&pack->pack))
        limberi_pack_columns(&pack->pack, &frame, columns);
    *texel_count = limberi_pack_texels(&pack->pack, &frame, texels);
    return LIMBER_OK;
}

// --- what is stored of a clip ---

uint32_t limberi_pack_ground_numbers(const limber_pack* pack) {
    const limber_pipeline* p = pack->pipeline;
    bool stored = p->ground && !p->collision && !pack->pack.columns_change;
    return stored ? limberi_contact_stage_numbers(p->ground) : 0;
}

void limberi_pack_set_ground(limber_pack* pack, const limberi_ground_track* track) {
    pack->ground = track;
}

bool limberi_pack_find_ground(limber_pack* pack, int32_t clip, double time_s, float* numbers) {
    limber_pipeline* p = pack->pipeline;
    pack->ground = NULL;
    look_up(pack);
    if (limberi_pipeline_evaluate_joints_at(p, clip, time_s) != LIMBER_OK)
        return false;
    limber_deform_job job = limberi_pipeline_job(p);
    limberi_pack_frame frame = frame_of(p, &job);
    if (limberi_pack_begin(&pack->pack, &frame))
        return false;
    begin_stages(pack, &job, &frame);
    if (frame.grounded)
        limberi_contact_stage_store(p->ground, &p->pose, numbers);
    return frame.grounded;
}

limberi_stored_errors limberi_pack_compare_ground(const limber_pack* pack, const float* found, const float* stored) {
    const limber_pipeline* p = pack->pipeline;
    limberi_stored_errors errors =
        limberi_contact_stage_compare(p->ground, &p->pose, pack->places.skinned, found, stored);
    errors.whole /= p->model->size;
    errors.lifts /= p->model->size;
    return errors;
}
