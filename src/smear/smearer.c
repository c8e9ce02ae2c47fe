// Smears of a frame: checks the job and runs offsets, elongation, copies and lines in order.
#include "smear/smear_private.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include <string.h>

static limber_number number(float value) {
    limber_number n = {value, NULL};
    return n;
}

void limber_smear_settings_init(limber_smear_settings* given, size_t size) {
    limber_smear_settings s;
    memset(&s, 0, sizeof s);
    s.struct_size = sizeof s;
    s.offsets.skeleton = true;
    s.offsets.smooth = 2; // as in the paper
    s.offsets.camera = -1;
    s.motion.joint = -1;
    s.elongate.past = s.elongate.future = number(1);
    s.elongate.tear = 0.02f;
    s.multiples.overlap = 1;
    s.multiples.standard_opacity = true;
    s.lines.standard_length = true;
    s.lines.radius = number(0.004f);
    s.lines.taper = s.lines.opacity = number(1);
    s.lines.min_speed = 0.02f;
    s.lines.seed = 1;
    s.step = 1;
    s.drawn.ribbon_age = 1.35f;
    s.drawn.width = 0.45f;
    s.drawn.frames = 1.6f;
    s.line_tint.end = number(1);
    limberi_settings_write(given, size, &s, sizeof s);
}

limber_result limberi_smear_read(limber_smear_settings* out, const limber_smear_settings* given, limber_error* error) {
    *out = limber_smear_settings_default();
    limber_result result = limberi_settings_read(out, sizeof *out, given, "limber_smear_settings", error);
    if (!result && out->of_mesh_count) // the next one is where this version ends
        result = limberi_settings_check(given->struct_size, sizeof *out, "limber_smear_settings", error);
    return result;
}

static bool elongates(const limber_smear_settings* s) {
    bool any = limberi_number_is_on(s->elongate.amount) &&
               (limberi_number_is_on(s->elongate.past) || limberi_number_is_on(s->elongate.future));
    for (uint32_t m = 0; s->of_mesh && m < s->of_mesh_count; m++)
        any = any || elongates(&s->of_mesh[m]);
    return any;
}

bool limber_smear_is_on(const limber_smear_settings* s) {
    return elongates(s) || s->multiples.past || s->multiples.future || s->lines.count || s->step > 1 ||
           limberi_smear_draws(s);
}

bool limber_smear_adds_meshes(const limber_smear_settings* s) {
    return s->multiples.past || s->multiples.future || s->lines.count || s->drawn.ribbon > 0 || s->drawn.strokes;
}

bool limberi_smear_reads_offsets(const limber_smear_settings* s) {
    return elongates(s) || s->multiples.past || s->multiples.future || s->lines.count;
}

static limber_result check(const limber_model* model, const limber_smear_settings* s, limber_error* error) {
    if (s->offsets.smooth > LIMBER_SMEAR_SMOOTH)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "offsets.smooth is too large (max %u frames)",
                            LIMBER_SMEAR_SMOOTH);
    if (s->multiples.past > LIMBER_SMEAR_COPIES || s->multiples.future > LIMBER_SMEAR_COPIES)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many in-between copies (max %u on either side)",
                            LIMBER_SMEAR_COPIES);
    if (s->drawn.strokes > LIMBER_SMEAR_STROKES)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many strokes (max %u for each part)", LIMBER_SMEAR_STROKES);
    if (s->lines.count > LIMBER_SMEAR_LINES)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many motion lines (max %u)", LIMBER_SMEAR_LINES);
    if ((s->motion.part != LIMBER_SMEAR_MOTION_ALL && s->motion.joint < 0) ||
        s->motion.joint >= (int32_t)model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "smears of one joint's motion need that joint");
    if (s->step == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "step must be at least one frame");
    return LIMBER_OK;
}

static limber_result prepare(limber_smearer* s) {
    size_t vertices = s->model->vertex_count;
    s->elongates = elongates(&s->settings);
    s->speeds = LIMBERI_ALLOCATE(&s->arena, float, vertices);
    s->amounts = LIMBERI_ALLOCATE(&s->arena, float, vertices);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    limber_result result = limberi_smear_prepare_bones(s);
    if (!result)
        result = limberi_smear_prepare_motion(s);
    if (!result)
        result = limberi_smear_prepare_offsets(s);
    if (!result)
        result = limberi_smear_prepare_names(s);
    if (!result)
        result = limberi_smear_prepare_multiples(s);
    if (!result)
        result = limberi_smear_prepare_lines(s);
    return result ? result : limberi_smear_prepare_drawn(s);
}

limber_result limber_smearer_create(const limber_asset* asset, const limber_smear_settings* settings,
                                    limber_smearer** smearer, limber_error* error) {
    *smearer = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "smears need a character");
    limber_smear_settings chosen = limber_smear_settings_default();
    limber_result result = settings ? limberi_smear_read(&chosen, settings, error) : LIMBER_OK;
    if (!result)
        result = check(limber_asset_model(asset), &chosen, error);
    if (result)
        return result;
    limber_smearer* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->model = limber_asset_model(asset);
    made->settings = chosen;
    made->max_past = chosen.multiples.past;
    made->max_future = chosen.multiples.future;
    made->size = chosen.size > 0 ? chosen.size : made->model->size;
    if (prepare(made)) {
        limber_smearer_destroy(made);
        return limberi_fail_memory(error);
    }
    *smearer = made;
    return LIMBER_OK;
}

void limber_smearer_destroy(limber_smearer* smearer) {
    if (!smearer)
        return;
    limberi_arena_free(&smearer->arena);
    limberi_release(smearer);
}

void limber_smear_job_init(limber_smear_job* given, size_t size) {
    limber_smear_job job;
    memset(&job, 0, sizeof job);
    job.struct_size = sizeof job;
    limberi_settings_write(given, size, &job, sizeof job);
}

// --- a frame ---

static void reach_frames(limber_smear_reach* reach, int32_t first, int32_t last) {
    reach->first = first < reach->first ? first : reach->first;
    reach->last = last > reach->last ? last : reach->last;
}

// A spline needs a frame before and two after; exactly on a frame it needs only that one.
static void reach_copy(limber_smear_reach* reach, float amount) {
    int32_t frame = (int32_t)floorf(amount);
    if ((float)frame == amount)
        reach_frames(reach, frame, frame);
    else
        reach_frames(reach, frame - 1, frame + 2);
}

static limber_smear_reach reach_of(const limber_smearer* s, float min, float max) {
    const limber_smear_multiple_settings* copies = &s->settings.multiples;
    float spacing = limberi_smear_spacing(&s->settings);
    limber_smear_reach reach = {0, 0};
    if (min < 0 || max > 0)
        reach_frames(&reach, (int32_t)floorf(min) - 1, (int32_t)floorf(max) + 2);
    for (uint32_t m = 1; m <= copies->past; m++)
        reach_copy(&reach, -(float)m * spacing);
    for (uint32_t m = 1; m <= copies->future; m++)
        reach_copy(&reach, (float)m * spacing);
    return reach;
}

static limber_result read_job(const limber_smear_job* given, limber_smear_job* job) {
    *job = limber_smear_job_default();
    return limberi_settings_read(job, sizeof *job, given, "limber_smear_job", NULL);
}

limber_result limber_smearer_plan(limber_smearer* s, const limber_smear_job* given, limber_smear_reach* reach) {
    limber_smear_job job;
    limber_result result = read_job(given, &job);
    if (result)
        return result;
    limberi_smear_change(s, &job);
    if (limberi_smear_reads_offsets(&s->settings))
        limberi_smear_speeds(s, &job);
    s->min = s->max = 0;
    if (s->elongates)
        limberi_smear_amounts(s, &job);
    float min = s->min;
    float max = s->max;
    limberi_smear_plan_lines(s, &job, &min, &max);
    *reach = s->reach = reach_of(s, min, max);
    return LIMBER_OK;
}

static void move_points(const limber_mat4* by, float* points, size_t count) {
    for (size_t i = 0; i < count; i++)
        limberi_store3(points + 3 * i, limberi_mat4_point(by, limberi_load3(points + 3 * i)));
}

static void turn_normals(const limber_mat4* by, float* normals, size_t count) {
    for (size_t i = 0; i < count; i++)
        limberi_store3(normals + 3 * i, limberi_normalize(limberi_mat4_vector(by, limberi_load3(normals + 3 * i))));
}

// Brings everything from the space of a camera to the world.
static void to_world(limber_smearer* s, const limber_mat4* world_from_space, float* positions) {
    size_t copies = 0;
    size_t lines = 0;
    for (uint32_t i = 0; i < s->multiple_count; i++)
        copies += s->meshes[i].vertex_count;
    if (s->lines)
        lines = s->meshes[s->multiple_count].vertex_count;
    move_points(world_from_space, positions, s->model->vertex_count);
    move_points(world_from_space, s->copy_positions, copies);
    turn_normals(world_from_space, s->copy_normals, copies);
    move_points(world_from_space, s->line_positions, lines);
    turn_normals(world_from_space, s->line_normals, lines);
}

limber_result limber_smearer_evaluate(limber_smearer* s, const limber_smear_job* given, float* positions) {
    int32_t first;
    limber_smear_job job;
    limber_result result = read_job(given, &job);
    if (result)
        return result;
    const limber_smear_frame* frames = limberi_smear_see(s, &job, &first);
    s->moved = s->elongates && (s->min != 0 || s->max != 0);
    if (s->moved)
        limberi_smear_move(s, frames, first, positions);
    else
        memcpy(positions, job.now->positions, 3 * (size_t)s->model->vertex_count * sizeof *positions);
    limberi_smear_multiples(s, &job, frames, first);
    limberi_smear_lines(s, frames, first);
    if (job.world_from_space)
        to_world(s, job.world_from_space, positions);
    return LIMBER_OK;
}

bool limber_smearer_moved(const limber_smearer* s) {
    return s->moved;
}

uint32_t limber_smearer_mesh_count(const limber_smearer* s) {
    return s->mesh_count;
}

const limber_smear_mesh* limber_smearer_mesh(const limber_smearer* s, uint32_t index) {
    return index < s->mesh_count ? &s->meshes[index] : NULL;
}
