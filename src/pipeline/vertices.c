// The middle of the pipeline for one frame: skin a group of vertices, deform it while it is in the cache, write it out.
// Nothing but the results goes through memory.
#include "base/build.h"
#include "base/parallel.h"
#include "pipeline/pipeline_private.h"

#include "skin/blend_group.h"

#include <string.h>

enum { GROUPS_PER_TASK = 4, CHUNKS_PER_TASK = 1, RIGID_PER_TASK = 2048, COLLIDING_PER_TASK = 4 };

void limber_pipeline_set_outputs(limber_pipeline* pipeline, uint32_t outputs) {
    pipeline->outputs = outputs;
}

void limberi_pipeline_use(limber_pipeline* pipeline, limberi_variant variant) {
    pipeline->variant = variant;
    limberi_deform_use(pipeline->deformer, variant);
}

// Averaged normals change where parts moved, even if no effect acts on them.
static void mark_rigid_groups(limber_pipeline* p) {
    const int32_t* part = limber_rigid_part_of_vertex(limberi_rigid_parts_of(p->rigid));
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const struct limberi_groups* groups = p->groups[m];
        for (uint32_t g = 0; g < groups->group_count; g++)
            for (uint32_t i = 0; i < groups->groups[g].count; i++) {
                uint32_t u = groups->vertices[groups->groups[g].first + i];
                p->rigid_group[p->first_group[m] + g] |= part[p->model->meshes[m].first_vertex + u] >= 0;
            }
    }
}

static void keep_lift_normals(limber_pipeline* p) {
    p->lift_kept = LIMBERI_ALLOCATE(&p->arena, const float*, 3 * (size_t)p->model->mesh_count);
    for (uint32_t m = 0; !p->arena.failed && m < p->model->mesh_count; m++)
        for (size_t c = 0; c < 3; c++) {
            const struct limberi_groups* groups = p->groups[m];
            const float* normals = p->lift_normals + 3 * (size_t)p->model->meshes[m].first_vertex + c;
            float* kept = LIMBERI_ALLOCATE(&p->arena, float, groups->width);
            for (uint32_t v = 0; kept && v < groups->width; v++)
                kept[v] = normals[3 * (size_t)groups->vertices[v]];
            p->lift_kept[3 * m + c] = kept;
        }
}

limber_result limberi_pipeline_allocate_groups(limber_pipeline* p) {
    const limber_model* model = p->model;
    p->outputs = LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED;
    p->variant = limberi_variant_best();
    p->first_group = LIMBERI_ALLOCATE(&p->arena, uint32_t, (size_t)model->mesh_count + 1);
    p->groups = limberi_asset_groups(p->asset);
    for (uint32_t m = 0; p->first_group && m < model->mesh_count; m++)
        p->first_group[m + 1] = p->first_group[m] + p->groups[m]->group_count;
    if (p->rigid && !p->arena.failed)
        p->rigid_group = LIMBERI_ALLOCATE(&p->arena, uint8_t, p->first_group[model->mesh_count]);
    if (p->rigid_group)
        mark_rigid_groups(p);
    if (p->lift_normals && !model->morph_count && !p->arena.failed)
        keep_lift_normals(p);
    return p->arena.failed ? LIMBER_ERROR_MEMORY : limber_pipeline_set_parallel(p, NULL);
}

limber_result limber_pipeline_set_parallel(limber_pipeline* p, const limber_parallel* parallel) {
    uint32_t workers = parallel && parallel->run ? parallel->worker_count : 1;
    limberi_arena arena = {NULL, false};
    limberi_deform_scratch* scratch = LIMBERI_ALLOCATE(&arena, limberi_deform_scratch, workers);
    for (uint32_t w = 0; scratch && w < workers; w++)
        limberi_scratch_allocate(&arena, p->deformer, &scratch[w]);
    if (!workers || arena.failed) {
        limberi_arena_free(&arena);
        return workers ? LIMBER_ERROR_MEMORY : LIMBER_ERROR_ARGUMENT;
    }
    limberi_arena_free(&p->worker_arena);
    p->worker_arena = arena;
    p->scratch = scratch;
    memset(&p->parallel, 0, sizeof p->parallel);
    if (workers > 1)
        p->parallel = *parallel;
    return LIMBER_OK;
}

void limberi_pipeline_for(const limber_pipeline* p, uint32_t count, uint32_t step, limber_task task, void* user) {
    limberi_parallel_for(&p->parallel, count, step, task, user);
}

// --- one frame ---

// Probes have other groups than the pipeline.
static void gather_lift_normals(const limberi_group_work* w, uint32_t m, limberi_skin_group_job* job,
                                limberi_block3* along) {
    const limber_pipeline* p = w->p;
    bool kept = p->lift_kept && w->groups == p->groups;
    job->normals = kept ? NULL : p->lift_normals + 3 * (size_t)p->model->meshes[m].first_vertex;
    job->kept_normals = kept ? p->lift_kept + 3 * (size_t)m : NULL;
    job->out_normals = along;
}

static void skin_lift_normals(const limberi_group_work* w, uint32_t m, limberi_skin_group_job job,
                              limberi_block3* along) {
    limberi_block3 position;
    gather_lift_normals(w, m, &job, along);
    job.out_positions = &position;
    limberi_skin_group(w->p->variant, &job);
}

static limberi_skin_group_job job_of(const limberi_group_work* w, uint32_t m, const limberi_group* group) {
    const limber_pipeline* p = w->p;
    const limber_mesh* mesh = &p->model->meshes[m];
    limberi_skin_group_job job;
    job.groups = w->groups[m];
    job.group = group;
    job.skinning = p->settings.skinning;
    job.palette = p->palettes[mesh->skin];
    job.dualquats = p->dualquats[mesh->skin];
    job.positions = mesh->morph_count ? limberi_pipeline_morphed_positions(p, mesh) : NULL;
    job.normals = mesh->morph_count ? limberi_pipeline_morphed_normals(p, mesh) : NULL;
    job.kept_normals = NULL;
    return job;
}

void limberi_pipeline_skin_group(const limberi_group_work* w, uint32_t m, uint32_t index) {
    const struct limberi_groups* groups = w->groups[m];
    const limberi_group* group = &groups->groups[index];
    limberi_block3 position;
    limberi_skin_group_job job = job_of(w, m, group);
    job.out_positions = &position;
    job.out_normals = NULL;
    limberi_skin_group(w->p->variant, &job);
    limberi_group_scatter(groups, group, &position, w->skinned + 3 * (size_t)w->p->model->meshes[m].first_vertex);
}

bool limberi_pipeline_run_group(const limberi_group_work* w, uint32_t m, uint32_t index,
                                limberi_deform_scratch* scratch) {
    const limber_pipeline* p = w->p;
    const struct limberi_groups* groups = w->groups[m];
    const limberi_group* group = &groups->groups[index];
    size_t at = 3 * (size_t)p->model->meshes[m].first_vertex;
    bool own = w->own_normals;
    bool lift = w->moves && p->lift_normals;
    bool late = p->is_late && p->mesh_is_late[m];
    bool both = w->skinned && w->normals && !w->jacobian; // effects leave the normals as they are
    limberi_block3 position, normal, along;
    limberi_skin_group_job job = job_of(w, m, group);
    job.out_positions = &position;
    job.out_normals = own ? &normal : NULL;
    if (lift && !own) // in one go with the positions
        gather_lift_normals(w, m, &job, &along);
    limberi_skin_group(p->variant, &job);
    if (both)
        limberi_group_scatter_both(groups, group, &position, w->skinned + at, &normal, w->normals + at);
    else if (w->skinned)
        limberi_group_scatter(groups, group, &position, w->skinned + at);
    if (late) {
        job.positions = limberi_pipeline_late_positions(p, &p->model->meshes[m]);
        limberi_skin_group(p->variant, &job);
    }
    if (own && lift)
        skin_lift_normals(w, m, job, &along);
    if (w->skinned_normals)
        limberi_group_scatter(groups, group, &normal, w->skinned_normals + at);
    bool moved = w->moves && limberi_deform_group(w->deformer, m, index, scratch, &position, own ? &normal : NULL,
                                                  lift ? &along : NULL, w->jacobian);
    limberi_group_scatter(groups, group, &position, w->deformed + at);
    if (w->normals && !both)
        limberi_group_scatter(groups, group, &normal, w->normals + at);
    return moved || late;
}

typedef struct frame_work {
    limber_pipeline* p;
    limberi_group_work groups;
    limberi_average_job average;
    limberi_contact_stage_frame ground;
    limberi_rigid_frame rigid;
    limberi_collision_frame collision;
    bool averaged, has_ground, has_rigid;
} frame_work;

// The last mesh that begins at this group or before.
static uint32_t mesh_of_group(const limber_pipeline* p, uint32_t group) {
    uint32_t low = 0;
    uint32_t high = p->model->mesh_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->first_group[middle] <= group)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void run_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const frame_work* w = user;
    const limber_pipeline* p = w->p;
    uint32_t m = mesh_of_group(p, first);
    for (uint32_t i = first; i < end; i++) {
        while (i >= p->first_group[m + 1])
            m++;
        uint32_t index = i - p->first_group[m];
        bool moved = limberi_pipeline_run_group(&w->groups, m, index, &p->scratch[worker]) || p->roots;
        if (w->averaged)
            limberi_averager_mark(limberi_deformer_averager(p->deformer), m, index,
                                  moved || (w->has_rigid && p->rigid_group[i]));
    }
}

static void average_normals(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const frame_work* w = user;
    (void)worker;
    limberi_averager_run(limberi_deformer_averager(w->p->deformer), &w->average, first, end);
}

static void run_rigid(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const frame_work* w = user;
    (void)worker;
    limberi_rigid_run(w->p->rigid, &w->rigid, first, end);
}

static void run_ground(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const frame_work* w = user;
    const limber_pipeline* p = w->p;
    uint32_t m = mesh_of_group(p, first);
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        while (i >= p->first_group[m + 1])
            m++;
        bool moved = limberi_contact_stage_group(p->ground, &w->ground, m, i - p->first_group[m]);
        if (moved && w->averaged)
            limberi_averager_mark(limberi_deformer_averager(p->deformer), m, i - p->first_group[m], true);
    }
}

// Appendages swing by the springs that follow the joints: in full with the gain and the limit of the preset "cartoon".
static void drive_swings(const limber_pipeline* p, limberi_contact_stage_frame* frame) {
    static const float full_swing = 0.5f; // of the lag: with more, a hat's tip whips from one side to the other
    static const float full_gain = 3;
    static const float of_limit = 2.2f;
    static const float full_limit = 45 * (float)LIMBERI_PI / 180; // S19
    for (uint32_t slot = 0; slot < limberi_slot_count(&p->settings.deform) && !frame->lag_moves; slot++) {
        const limber_effect_settings* effect = &p->settings.deform.effects[slot];
        uint32_t at = p->filter_of_slot[slot];
        if (at == UINT32_MAX || !(effect->filters.follower.frequency_hz > 0) ||
            !(p->posed_filtered || p->posed_what_if))
            continue;
        float limit = of_limit * limberi_number_of(effect, LIMBERI_VALUE_MAX_BEND).value;
        frame->lag_moves = p->filtered[at].acceleration;
        frame->lag_turns = p->filtered[at].angular_acceleration;
        frame->swing = frame->strength * full_swing * fminf(1, fmaxf(0, effect->angular.value / full_gain));
        frame->swing_limit = limit > 0 ? fminf(limit, full_limit) : full_limit;
    }
}

limberi_contact_stage_frame limberi_pipeline_ground_frame(const limber_pipeline* p, const limber_deform_job* job) {
    limberi_contact_stage_frame frame = {.contacts = p->contacts,
                                         .live = p->live_contacts,
                                         .time_s = limberi_pipeline_posed_source_s(p),
                                         .strength = limberi_deform_strength(p->deformer, job),
                                         .edited = p->edited != NULL || limberi_pipeline_is_posed(p),
                                         .pose = &p->pose,
                                         .palettes = p->palettes};
    frame.shaped = limberi_pipeline_body(p, &frame.body);
    drive_swings(p, &frame);
    return frame;
}

// What stands on the ground, and parts that keep their shape. Both follow from a few vertices that effects moved, so
// they come after all groups.
static void run_after_groups(frame_work* w, const limber_deform_job* job) {
    limber_pipeline* p = w->p;
    const limberi_group_work* g = &w->groups;
    w->ground = limberi_pipeline_ground_frame(p, job);
    w->ground.skinned = g->skinned;
    w->ground.deformed = g->deformed;
    w->ground.skinned_normals = g->skinned_normals;
    w->ground.normals = g->skinned_normals ? g->normals : NULL;
    if (!limberi_contact_stage_begin(p->ground, &w->ground))
        return;
    limberi_pipeline_for(p, p->first_group[p->model->mesh_count], GROUPS_PER_TASK, run_ground, w);
    limberi_rigid_frame rigid = {.pose = &p->pose,
                                 .skinned = g->skinned,
                                 .deformed = g->deformed,
                                 .skinned_normals = g->skinned_normals,
                                 .normals = w->ground.normals};
    w->rigid = rigid;
    if (w->has_rigid)
        limberi_pipeline_for(p, limberi_rigid_entry_count(p->rigid), RIGID_PER_TASK, run_rigid, w);
}

static void run_collision(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const frame_work* w = user;
    const limber_pipeline* p = w->p;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        limberi_collision_group at = limberi_collision_group_at(p->collision, i);
        if (limberi_collision_run(p->collision, &w->collision, i) && w->averaged)
            limberi_averager_mark(limberi_deformer_averager(p->deformer), at.mesh, at.group, true);
    }
}

// Colliders go along with the skin of their bones, wherever effects and rigid parts took it.
static void collide(frame_work* w) {
    const limber_pipeline* p = w->p;
    limberi_collision_frame frame = {.pose = &p->pose,
                                     .skinned = p->skinned,
                                     .deformed = p->deformed,
                                     .normals = w->groups.jacobian ? p->normals : NULL,
                                     .ground = w->has_ground ? p->ground : NULL};
    w->collision = frame;
    limberi_collision_begin(p->collision, &w->collision);
    if (!w->groups.moves && !p->is_late && !w->has_ground)
        return;
    limberi_pipeline_for(p, limberi_collision_group_count(p->collision), COLLIDING_PER_TASK, run_collision, w);
}

bool limberi_pipeline_has_ground(const limber_pipeline* p, bool moves) {
    return p->ground && (moves || p->is_late || p->edited || limberi_pipeline_has_body(p) ||
                         ((p->contacts || p->live_contacts) && p->settings.impact.gain > 0));
}

static limberi_group_work prepare_groups(limber_pipeline* p, const limber_deform_job* job) {
    bool moves = limberi_deform_begin(p->deformer, job);
    bool normals = (p->outputs & LIMBER_OUTPUT_NORMALS) != 0;
    bool jacobian = normals && p->settings.deform.normals == LIMBER_NORMALS_JACOBIAN;
    bool ground = limberi_pipeline_has_ground(p, moves);
    // Something after the effects reads what was before.
    bool later = ground || p->collision || p->roots || ((moves || p->is_late) && normals && !jacobian);
    limberi_group_work w = {.p = p, .groups = p->groups, .deformer = p->deformer, .deformed = p->deformed};
    w.moves = moves;
    w.jacobian = jacobian && moves;
    w.skinned = later || (p->outputs & LIMBER_OUTPUT_SKINNED) ? p->skinned : NULL;
    w.normals = normals ? p->normals : NULL;
    w.skinned_normals = jacobian && ground ? p->skinned_normals : NULL;
    w.own_normals = normals || (moves && limberi_deform_reads_normals(p->deformer, p->lift_normals != NULL));
    return w;
}

void limberi_pipeline_run_groups(limber_pipeline* p, const limber_deform_job* job) {
    frame_work w;
    w.p = p;
    w.groups = prepare_groups(p, job);
    w.has_ground = limberi_pipeline_has_ground(p, w.groups.moves);
    w.has_rigid = w.has_ground && p->rigid;
    w.averaged = (w.groups.moves || p->is_late || w.has_ground) && w.groups.normals &&
                 p->settings.deform.normals != LIMBER_NORMALS_JACOBIAN;
    limberi_pipeline_for(p, p->first_group[p->model->mesh_count], GROUPS_PER_TASK, run_some, &w);
    if (LIMBERI_HAS_CONTACTS && p->roots && w.groups.moves)
        limberi_roots_run(p, job);
    if (w.has_ground)
        run_after_groups(&w, job);
    if (p->collision)
        collide(&w);
    if (!w.averaged)
        return;
    limberi_average_job average = {p->skinned, p->normals, p->deformed, p->normals, p->variant};
    w.average = average;
    limberi_pipeline_for(p, limberi_averager_chunks(limberi_deformer_averager(p->deformer)), CHUNKS_PER_TASK,
                         average_normals, &w);
}
