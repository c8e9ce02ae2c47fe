// Bone bakes: fits, keys, targets, and files that show what the bake says they show.
#include "kit/failing_memory.h"
#include "kit/gltf_save.h"
#include "kit/models.h"

#include "bake/bones.h"
#include "base/math.h"

static const limberi_bone_places unsplit = {0, NULL};

// --- parts ---

static void pure_affine_motion_is_found_exactly(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* mesh = &model->meshes[0];
    limberi_bones bones;
    float wanted[60];
    double found[LIMBERI_BONE_FOUND * 8];
    assert_int_equal(limberi_bones_create(model, NULL, 0, NULL, &unsplit, &bones), LIMBER_OK);
    assert_int_equal(limberi_bones_factor(&bones, NULL, NULL), LIMBER_OK);
    memset(wanted, 0, sizeof wanted);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
            uint32_t k = mesh->influence_joint[i];
            limber_vec3 x =
                limberi_mat4_point(&model->skins[0].joint_from_mesh[k], limberi_load3(mesh->positions + 3 * (size_t)v));
            float joint = (float)(1 + k), w = mesh->influence_weight[i];
            wanted[3 * v] += w * joint * (0.1f * x.x - 0.2f * x.y + 0.3f);
            wanted[3 * v + 1] += w * joint * (0.05f * x.z + 0.1f * x.y);
            wanted[3 * v + 2] += w * (0.2f * x.x - joint);
        }
    assert_true(LIMBERI_BONE_FOUND * bones.column_count <= sizeof found / sizeof *found);
    limberi_bones_fit(&bones, NULL, wanted, found);
    for (int i = 0; i < 60; i++)
        assert_true(fabsf(wanted[i]) < 1e-4f);
    limberi_bones_destroy(&bones);
    limber_asset_destroy(asset);
}

// One vertex for each of so many joints; with `shared` the first joint moves all of them, too.
static limber_result fit_many(bool shared, size_t* size) {
    enum { JOINTS = 3700 };
    static float positions[3 * JOINTS], weights[2 * JOINTS];
    static uint32_t first[JOINTS + 1], joints[JOINTS];
    static uint16_t influences[2 * JOINTS];
    static limber_mat4 places[JOINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < JOINTS; i++) {
        positions[3 * i] = (float)i;
        joints[i] = i;
        places[i] = limber_mat4_identity();
        first[i] = count;
        influences[count] = (uint16_t)i;
        weights[count++] = 0.5f;
        influences[count] = 0;
        weights[count] = 0.5f;
        count += shared;
    }
    first[JOINTS] = count;
    limber_skin skin = {.joint_count = JOINTS, .joints = joints, .joint_from_mesh = places};
    limber_mesh mesh = {.vertex_count = JOINTS,
                        .positions = positions,
                        .influence_first = first,
                        .influence_joint = influences,
                        .influence_weight = weights};
    limber_model model = {.rig = {.joint_count = JOINTS, .world_from_joint_rest = places},
                          .skins = &skin,
                          .skin_count = 1,
                          .meshes = &mesh,
                          .mesh_count = 1,
                          .vertex_count = JOINTS,
                          .size = JOINTS};
    limberi_bones bones;
    limber_result result = limberi_bones_create(&model, NULL, 0, NULL, &unsplit, &bones);
    *size = bones.matrix_size / bones.column_count;
    limberi_bones_destroy(&bones);
    return result;
}

static void joints_that_share_no_vertices_cost_nothing_together(void** state) {
    (void)state;
    size_t numbers;
    assert_int_equal(fit_many(false, &numbers), LIMBER_OK);
    assert_int_equal(numbers, 10); // the lower half of 4 x 4 for each
    assert_int_equal(fit_many(true, &numbers), LIMBER_ERROR_LIMIT);
}

enum { FRAMES = 60 };

static limberi_affine sheared(uint32_t frame, double amount) {
    double s = sin(0.2 * frame), c = cos(0.13 * frame);
    limberi_affine a = {
        {1 + amount * s, amount * c, 0, 0.3 * s, 0, 1 - amount * s, amount * s, 0, amount * s * c, 0, 1, 0.1 * c}};
    return a;
}

static double largest_difference(const limberi_affine* a, const limberi_affine* b, const double* low,
                                 const double* high) {
    double max = 0;
    for (int corner = 0; corner < 8; corner++)
        for (int r = 0; r < 3; r++) {
            double d = a->m[4 * r + 3] - b->m[4 * r + 3];
            for (int c = 0; c < 3; c++)
                d += (a->m[4 * r + c] - b->m[4 * r + c]) * (corner >> c & 1 ? high[c] : low[c]);
            max = fmax(max, fabs(d));
        }
    return max;
}

// Makes keys of a motion and compares what they show with it; returns the number of keys.
static uint32_t check_keys(double amount, double tolerance, bool shears, bool rests) {
    static const double low[3] = {-0.5, 0, -0.5}, high[3] = {0.5, 2, 0.5};
    float times[FRAMES];
    limberi_affine frames[FRAMES];
    limber_bake_track track = {.frame_count = FRAMES, .times = times};
    for (uint32_t f = 0; f < FRAMES; f++) {
        times[f] = (float)f / 30;
        frames[f] = sheared(amount > 0 ? f : 0, amount);
        if (rests)
            frames[f].m[3] = frames[f].m[11] = 0;
    }
    limberi_bone_keys_job job = {.track_count = 1,
                                 .tracks = &track,
                                 .frames = frames,
                                 .stride = 1,
                                 .tolerance = tolerance,
                                 .low = low,
                                 .high = high};
    limber_bake* bake = calloc(1, sizeof *bake);
    bake->bones = calloc(1, sizeof *bake->bones);
    bake->bone_count = bake->track_count = 1;
    bool still;
    uint32_t count = 0;
    assert_int_equal(limberi_bone_keys(&job, bake->bones, &still), LIMBER_OK);
    assert_int_equal(still, rests);
    for (uint32_t f = 0; f < FRAMES && !rests; f++) {
        limberi_affine wanted = sheared(amount > 0 ? f : 0, amount);
        assert_true(largest_difference(&frames[f], &wanted, low, high) < 3 * tolerance);
    }
    assert_int_equal(bake->bones->shears, shears);
    for (int part = 0; part < LIMBER_BONE_CURVES && !rests; part++)
        count += bake->bones->curves[part].key_count;
    limber_bake_destroy(bake);
    return count;
}

static void shear_over_time_becomes_keys_that_show_it(void** state) {
    (void)state;
    uint32_t exact = check_keys(0.2, 1e-4, true, false), rough = check_keys(0.2, 4e-2, true, false);
    assert_true(rough > 4 && rough < exact);
}

static void a_constant_place_needs_one_key_and_rest_none(void** state) {
    (void)state;
    assert_int_equal(check_keys(0, 1e-3, false, false), 1);
    assert_int_equal(check_keys(0, 1e-3, false, true), 0);
}

static void targets_span_rows_of_known_rank(void** state) {
    (void)state;
    enum { ROWS = 12, WIDTH = 90, RANK = 3 };
    float rows[ROWS * WIDTH];
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < WIDTH; i++)
            rows[r * WIDTH + i] = sinf((float)r) * sinf((float)(3 * i)) + cosf((float)(2 * r)) * cosf((float)(i * i)) +
                                  sinf((float)(r * r)) * sinf((float)(5 * i + 1));
    limberi_bone_targets_job job = {ROWS, WIDTH, rows, 1e-3, UINT32_MAX, 1, NULL, NULL};
    float* targets;
    uint32_t count;
    assert_int_equal(limberi_bone_targets(&job, &count, &targets), LIMBER_OK);
    assert_int_equal(count, RANK);
    free(targets);
    job.limit = 2;
    assert_int_equal(limberi_bone_targets(&job, &count, &targets), LIMBER_OK);
    assert_int_equal(count, 2);
    free(targets);
}

// Rows that fade from term to term: the fewest targets that hold the tolerance come with the try that found them.
static void targets_that_are_returned_hold(void** state) {
    enum { ROWS = 24, WIDTH = 300, TERMS = 14 };
    static float rows[ROWS * WIDTH];
    static double products[ROWS * ROWS], weights[ROWS];
    const double tolerance = 0.02;
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < WIDTH; i++)
            for (int k = 0; k < TERMS; k++)
                rows[r * WIDTH + i] +=
                    powf(0.7f, (float)k) * sinf((float)((k + 1) * r + k)) * cosf((float)(i * (2 * k + 1)));
    limberi_bone_targets_job job = {ROWS, WIDTH, rows, tolerance, UINT32_MAX, 1, NULL, NULL};
    float* targets;
    uint32_t count;
    assert_int_equal(limberi_bone_targets(&job, &count, &targets), LIMBER_OK);
    assert_int_equal(count, 12);
    assert_int_equal(limberi_bone_products(NULL, count, WIDTH, targets, products), LIMBER_OK);
    for (int r = 0; r < ROWS; r++) {
        limberi_bone_combine(count, WIDTH, targets, products, rows + r * WIDTH, weights);
        for (int v = 0; v < WIDTH; v += 3) {
            double square = 0;
            for (int i = v; i < v + 3; i++) {
                double left = (double)rows[r * WIDTH + i];
                for (uint32_t k = 0; k < count; k++)
                    left -= weights[k] * (double)targets[k * WIDTH + (uint32_t)i];
                square += left * left;
            }
            assert_true(sqrt(square) <= 1.001 * tolerance);
        }
    }
    free(targets);
}

// Four heaps of vertices, each with motions of its own: targets of a heap move no other, and hold the tolerance there.
static void targets_of_regions_move_their_region_alone(void** state) {
    enum { ROWS = 24, HEAP = 160, HEAPS = 8, WIDTH = 3 * HEAP * HEAPS, RANK = 3 };
    static float rows[ROWS * WIDTH], places[WIDTH];
    (void)state;
    for (int i = 0; i < WIDTH; i++) {
        int heap = i / (3 * HEAP);
        places[i] = (float)(i % 3 == 0 ? 100 * heap : 0) + sinf((float)i);
        for (int r = 0; r < ROWS; r++)
            for (int k = 0; k < RANK; k++)
                rows[r * WIDTH + i] += sinf((float)(r * (RANK * heap + k + 1))) * cosf((float)(i * (k + 2)));
    }
    limberi_bone_targets_job job = {ROWS, WIDTH, rows, 1e-3, UINT32_MAX, 1, NULL, NULL};
    float* targets;
    uint32_t count;
    assert_int_equal(limberi_bone_targets_by_region(&job, places, &count, &targets), LIMBER_OK);
    assert_int_equal(count, RANK * HEAPS);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t moved = 0;
        for (int v = 0; v < WIDTH; v += 3)
            moved += targets[t * WIDTH + (uint32_t)v] != 0;
        assert_int_equal(moved, HEAP);
    }
    free(targets);
    job.limit = 2; // one region: as few as may be
    for (int r = 2; r < ROWS; r++)
        memcpy(rows + r * WIDTH, rows + WIDTH, WIDTH * sizeof *rows);
    assert_int_equal(limberi_bone_targets_by_region(&job, places, &count, &targets), LIMBER_OK);
    assert_int_equal(count, 1);
    free(targets);
}

// --- whole bakes ---

static limber_pipeline* cartoon(const limber_asset* asset) {
    limber_style* style;
    limber_pipeline* pipeline;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", NULL), LIMBER_OK);
    static const char* const acting[] = {"timing.snap", "timing.hang", "pose.exaggerate", "pose.anticipate"};
    for (int i = 0; i < 4; i++) // the file keeps its own skeleton
        assert_int_equal(limber_style_set(style, acting[i], "0", NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    return pipeline;
}

// The largest distance between what the file shows with plain skinning and the styled frames, in L.
static double played_error(const limber_gltf* file, limber_pipeline* styled, const limber_bake* bake) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(styled));
    limber_pipeline* plain;
    double worst = 0;
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(file), NULL, &plain, NULL), LIMBER_OK);
    for (uint32_t t = 0; t < bake->track_count; t++)
        for (uint32_t i = 0; i < bake->tracks[t].frame_count; i++) {
            limber_frame shown, wanted;
            double time_s = (double)bake->tracks[t].times[i];
            int32_t clip = (int32_t)bake->tracks[t].clip;
            assert_int_equal(limber_pipeline_evaluate(plain, clip, time_s, &shown), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(styled, clip, time_s, &wanted), LIMBER_OK);
            for (size_t v = 0; v < model->vertex_count; v++)
                worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(shown.positions + 3 * v),
                                                                       limberi_load3(wanted.positions + 3 * v))));
        }
    limber_pipeline_destroy(plain);
    return worst / (double)model->size;
}

static void check_bake(const char* name, double tolerance, uint32_t targets) {
    limber_asset* asset = test_built_in(name, 0.5);
    limber_pipeline* pipeline = cartoon(asset);
    const uint32_t clips[] = {1};
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_BONES;
    settings.tolerance = tolerance;
    settings.target_limit = targets;
    settings.clips = clips;
    settings.clip_count = 1;
    limber_bake* bake;
    limber_gltf* gltf;
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &bake, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    limber_gltf* again = save_and_load(gltf, &edits, "bones.glb");
    double played = played_error(again, pipeline, bake);
    assert_true(fabs(played - bake->error) < 2e-5); // rotations of the file are not normalized
    assert_true(bake->error <= tolerance || bake->meshes[0].target_count > 0 || targets == 0);
    assert_true(bake->meshes[0].target_count <= targets);
    assert_int_equal(model_of(again)->meshes[0].morph_count, bake->meshes[0].target_count);
    assert_int_equal(model_of(again)->clip_count, limber_asset_model(asset)->clip_count);
    for (uint32_t m = 0; m < bake->mesh_count; m++)
        for (size_t k = 0; k < (size_t)bake->tracks[0].frame_count * bake->meshes[m].target_count; k++)
            assert_true(bake->meshes[m].weights[0][k] >= -1e-6f && bake->meshes[m].weights[0][k] <= 1.00001f);
    limber_gltf_destroy(again);
    limber_gltf_destroy(gltf);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// Whether a channel has rotations of 16 bits.
static bool is_packed(const limber_channel* channel) {
    bool whole = channel->path == LIMBER_CHANNEL_ROTATION;
    for (size_t i = 0; whole && i < 4 * (size_t)channel->key_count; i++)
        whole = channel->values[i] == (float)(rint((double)channel->values[i] * 32767) / 32767);
    return whole;
}

// Channels of 16 bits, and those whose keys are few enough to pay for times of their own.
static uint32_t count_packed(const limber_clip* clip, uint32_t frame_count, uint32_t* fewer) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        count += is_packed(&clip->channels[i]);
        *fewer += clip->channels[i].key_count > 1 && 2 * clip->channels[i].key_count < frame_count;
    }
    return count;
}

// How far the clip of the bake puts joints from where the style has them, in L.
static double joints_off(const limber_asset* asset, limber_pipeline* styled, const limber_bake* bake) {
    const limber_model* model = limber_asset_model(asset);
    limber_pose pose;
    double worst = 0;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (uint32_t i = 0; i < bake->tracks[0].frame_count; i++) {
        limber_frame wanted;
        double time_s = (double)bake->tracks[0].times[i];
        assert_int_equal(limber_pipeline_evaluate(styled, (int32_t)bake->tracks[0].clip, time_s, &wanted), LIMBER_OK);
        limber_clip_sample(model, bake->clips[0].clip, time_s, &pose);
        limber_pose_update_world(model, &pose);
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            limber_vec3 at = limberi_mat4_translation(&pose.world_from_joint[j]);
            limber_vec3 there = limberi_mat4_translation(&wanted.pose->world_from_joint[j]);
            worst = fmax(worst, (double)limberi_distance(at, there));
        }
    }
    limber_pose_destroy(&pose);
    return worst / (double)model->size;
}

static void check_edited(const char* name, bool packs) {
    limber_asset* asset = test_built_in(name, 0.5);
    limber_style* style;
    limber_pipeline* pipeline;
    const uint32_t clips[] = {1};
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_BONES;
    settings.clips = clips;
    settings.clip_count = 1;
    settings.shares = true;
    settings.tolerance = 0.001;
    settings.packs_clips = packs;
    limber_bake* bake;
    limber_gltf* gltf;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &bake, NULL), LIMBER_OK);
    assert_int_equal(bake->clip_count, 1);
    uint32_t fewer = 0;
    uint32_t packed = count_packed(bake->clips[0].clip, bake->tracks[0].frame_count, &fewer);
    assert_true(packs ? packed > 5 && fewer > 0 : packed == 0);
    // Each joint of a chain may add its share of the tolerance.
    assert_true(joints_off(asset, pipeline, bake) < 3 * settings.tolerance);
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    limber_gltf* again = save_and_load(gltf, &edits, "bones.glb");
    assert_true(fabs(played_error(again, pipeline, bake) - bake->error) < 2e-5);
    limber_gltf_destroy(again);
    limber_gltf_destroy(gltf);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void edited_clips_are_packed_and_the_error_is_true(void** state) {
    (void)state;
    check_edited("giraffe", true); // a long neck
    check_edited("cow", false);
}

static void a_bake_holds_its_bound_when_played(void** state) {
    (void)state;
    check_bake("cow", 0.003, UINT32_MAX);
    check_bake("snail", 0.0004, UINT32_MAX); // rotations as floats
}

static void without_targets_the_error_is_true(void** state) {
    (void)state;
    check_bake("cow", 0.001, 0);
}

static void no_more_targets_than_allowed(void** state) {
    (void)state;
    check_bake("cow", 1e-6, 2);
}

// --- the smallest of all kinds ---

static size_t bytes_in_file(const limber_asset* asset, const limber_bake* bake) {
    limber_gltf* gltf;
    limber_gltf_edits edits = limber_gltf_edits_default();
    void* bytes;
    size_t count;
    edits.bake = bake;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_save_memory(gltf, &edits, &bytes, &count, NULL), LIMBER_OK);
    limber_release(bytes);
    limber_gltf_destroy(gltf);
    return count;
}

// Which kind the default is, after a comparison with all that it could have been.
static limber_bake_kind smallest(limber_pipeline* pipeline, double tolerance) {
    const limber_asset* asset = limber_pipeline_asset(pipeline);
    const uint32_t clip = 1;
    limber_bake_settings settings = limber_bake_settings_default();
    limber_bake *chosen, *other;
    settings.clips = &clip;
    settings.clip_count = 1;
    settings.tolerance = tolerance;
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &chosen, NULL), LIMBER_OK);
    assert_true(chosen->error <= (tolerance < 0 ? 0.001 : tolerance));
    size_t bytes = bytes_in_file(asset, chosen);
    for (int kind = 0; kind < 3; kind++) { // corrective with and without tolerance, bones
        settings.kind = kind < 2 ? LIMBER_BAKE_CORRECTIVE : LIMBER_BAKE_BONES;
        settings.tolerance = kind == 1 ? 0 : 0.001;
        assert_int_equal(limber_pipeline_bake(pipeline, &settings, &other, NULL), LIMBER_OK);
        if (other->error <= tolerance || tolerance < 0)
            assert_true((double)bytes <= 1.02 * (double)bytes_in_file(asset, other));
        limber_bake_destroy(other);
    }
    limber_bake_kind kind = chosen->kind;
    limber_bake_destroy(chosen);
    return kind;
}

static void the_default_is_the_smallest_within_its_tolerance(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cow", 0.5);
    limber_pipeline* pipeline = cartoon(asset);
    assert_int_equal(smallest(pipeline, -1), LIMBER_BAKE_BONES);
    assert_int_equal(smallest(pipeline, 0), LIMBER_BAKE_CORRECTIVE); // exact
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void the_estimate_of_the_smallest_is_that_of_targets(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cow", 0.5);
    limber_pipeline* pipeline = cartoon(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    limber_bake_estimate chosen, reduced, exact;
    assert_int_equal(limber_pipeline_bake_estimate(pipeline, &settings, &chosen, NULL), LIMBER_OK);
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    assert_int_equal(limber_pipeline_bake_estimate(pipeline, &settings, &exact, NULL), LIMBER_OK);
    settings.tolerance = 0.001;
    assert_int_equal(limber_pipeline_bake_estimate(pipeline, &settings, &reduced, NULL), LIMBER_OK);
    const limber_bake_estimate* smaller = exact.byte_count <= reduced.byte_count ? &exact : &reduced;
    assert_true(exact.byte_count != reduced.byte_count && exact.tolerance == 0 && reduced.tolerance == 0.001);
    assert_memory_equal(&chosen, smaller, sizeof chosen);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static limber_bake_kind chosen_by(limber_pipeline* pipeline, const limber_bake_estimate* estimate) {
    const uint32_t clip = 1;
    limber_bake_settings settings = limber_bake_settings_default();
    limber_bake* bake;
    settings.clips = &clip;
    settings.clip_count = 1;
    settings.estimate = estimate;
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &bake, NULL), LIMBER_OK);
    limber_bake_kind kind = bake->kind;
    limber_bake_destroy(bake);
    return kind;
}

static void the_default_believes_an_estimate_it_is_given(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cow", 0.5);
    limber_pipeline* pipeline = cartoon(asset);
    const limber_bake_estimate small = {.byte_count = 1, .tolerance = 0.001};
    const limber_bake_estimate large = {.byte_count = 1u << 30, .tolerance = 0.001};
    assert_int_equal(chosen_by(pipeline, &small), LIMBER_BAKE_CORRECTIVE);
    assert_int_equal(chosen_by(pipeline, &large), LIMBER_BAKE_BONES);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static limber_bake* bake_tube(limber_asset* asset, const limber_bake_settings* settings, limber_result* result,
                              limber_error* error) {
    limber_stage_settings stages;
    limber_pipeline* pipeline;
    limber_bake* bake = NULL;
    stages = limber_stage_settings_default();
    stages.skinning = LIMBER_SKINNING_DUALQUAT; // what linear skinning has to imitate
    *result = limber_pipeline_create_from_settings(asset, &stages, &pipeline, error);
    if (*result)
        return NULL;
    *result = limber_pipeline_bake(pipeline, settings, &bake, error);
    limber_pipeline_destroy(pipeline);
    return bake;
}

static void a_range_is_plain_outside(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake_settings settings = limber_bake_settings_default();
    limber_result result;
    settings.kind = LIMBER_BAKE_BONES;
    settings.range_start_s = 0.5;
    settings.range_end_s = 0.6;
    limber_bake* bake = bake_tube(asset, &settings, &result, NULL);
    assert_int_equal(result, LIMBER_OK);
    assert_int_equal(bake->tracks[0].frame_count, 6); // frames 15 to 18 and one plain frame on either side
    assert_true(bake->bone_count > 0 && bake->error < 0.001);
    for (uint32_t i = 0; i < bake->bone_count; i++) {
        const limber_bake_curve* moved = &bake->bones[i].curves[LIMBER_BONE_TRANSLATION];
        for (int c = 0; c < 3 && moved->key_count > 1; c++)
            assert_true(fabsf(moved->values[c]) < 1e-3f);
    }
    limber_bake_destroy(bake);
    limber_asset_destroy(asset);
}

static void shares_of_a_joint_add_up_to_its_weight(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    const limber_mesh* mesh = &limber_asset_model(asset)->meshes[0];
    limberi_bone_place places[6];
    for (uint32_t i = 0; i < 6; i++) {
        limber_vec3 at = limberi_load3(mesh->positions + 3 * (size_t)(i * mesh->vertex_count / 6));
        places[i] = (limberi_bone_place){0, 1, (int32_t)i - 1, at};
    }
    limberi_bone_places all = {6, places};
    uint32_t shared = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        limberi_bone_share shares[16];
        uint32_t count = limberi_bone_shares(&all, mesh, 0, v, shares);
        uint32_t influences = mesh->influence_first[v + 1] - mesh->influence_first[v];
        assert_true(count >= influences && count <= LIMBERI_BONE_PARTS);
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
            float sum = 0;
            for (uint32_t k = 0; k < count; k++) {
                assert_true(shares[k].weight >= 0 && (shares[k].helper < 0 || shares[k].bind == 1));
                sum += shares[k].bind == mesh->influence_joint[i] ? shares[k].weight : 0;
            }
            assert_true(fabsf(sum - mesh->influence_weight[i]) < 1e-6f);
        }
        shared += count > influences;
    }
    assert_true(shared > 0);
    limber_asset_destroy(asset);
}

// The weight of the farthest place that a vertex may hang on, with places at these distances.
static float last_share(const float* distances, uint32_t count) {
    static const float origin[3];
    static const uint32_t first[] = {0, 1};
    static const uint16_t joint[1];
    static const float weight[] = {1};
    const limber_mesh mesh = {.vertex_count = 1,
                              .positions = origin,
                              .influence_first = first,
                              .influence_joint = joint,
                              .influence_weight = weight};
    limberi_bone_place places[LIMBERI_BONE_PARTS + 1];
    limberi_bone_share shares[LIMBERI_BONE_PARTS];
    for (uint32_t i = 0; i < count; i++)
        places[i] = (limberi_bone_place){0, 0, (int32_t)i, {distances[i], 0, 0}};
    const limberi_bone_places all = {count, places};
    assert_int_equal(limberi_bone_shares(&all, &mesh, 0, 0, shares), LIMBERI_BONE_PARTS);
    return shares[LIMBERI_BONE_PARTS - 1].weight;
}

static void shares_fade_out_before_the_next_place_takes_over(void** state) {
    (void)state;
    float distances[LIMBERI_BONE_PARTS + 1];
    for (uint32_t i = 0; i <= LIMBERI_BONE_PARTS; i++)
        distances[i] = 1 + 0.2f * (float)i;
    float alone = last_share(distances, LIMBERI_BONE_PARTS);
    float beside = last_share(distances, LIMBERI_BONE_PARTS + 1);
    distances[LIMBERI_BONE_PARTS] = distances[LIMBERI_BONE_PARTS - 1];
    assert_true(alone > beside && beside > 0);
    assert_true(last_share(distances, LIMBERI_BONE_PARTS + 1) == 0);
}

static void few_vertices_are_smaller_as_targets(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_bake_settings settings = limber_bake_settings_default();
    limber_result result;
    limber_error error;
    limber_bake* bake = bake_tube(asset, &settings, &result, &error);
    assert_int_equal(result, LIMBER_OK);
    assert_int_equal(bake->kind, LIMBER_BAKE_CORRECTIVE);
    assert_true(bake->meshes[0].target_count > 0 && bake->error <= 0.001);
    limber_bake_destroy(bake);
    limber_asset_destroy(asset);
}

static void memory_may_run_out_anywhere(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 10, false);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_BONES;
    settings.tolerance = 1e-3;
    settings.packs_clips = 1;
    settings.shares = true;
    bool ran_out = true;
    for (long allowed = 0; ran_out; allowed++) {
        limber_result result;
        limber_error error;
        test_memory_allow(allowed);
        limber_bake* bake = bake_tube(asset, &settings, &result, &error);
        ran_out = test_memory_end();
        assert_true(ran_out ? result == LIMBER_ERROR_MEMORY : result == LIMBER_OK);
        assert_true(ran_out == (bake == NULL));
        limber_bake_destroy(bake);
    }
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_affine_motion_is_found_exactly),
        cmocka_unit_test(shear_over_time_becomes_keys_that_show_it),
        cmocka_unit_test(a_constant_place_needs_one_key_and_rest_none),
        cmocka_unit_test(targets_span_rows_of_known_rank),
        cmocka_unit_test(targets_that_are_returned_hold),
        cmocka_unit_test(targets_of_regions_move_their_region_alone),
        cmocka_unit_test(a_bake_holds_its_bound_when_played),
        cmocka_unit_test(edited_clips_are_packed_and_the_error_is_true),
        cmocka_unit_test(without_targets_the_error_is_true),
        cmocka_unit_test(no_more_targets_than_allowed),
        cmocka_unit_test(the_default_is_the_smallest_within_its_tolerance),
        cmocka_unit_test(the_estimate_of_the_smallest_is_that_of_targets),
        cmocka_unit_test(the_default_believes_an_estimate_it_is_given),
        cmocka_unit_test(a_range_is_plain_outside),
        cmocka_unit_test(joints_that_share_no_vertices_cost_nothing_together),
        cmocka_unit_test(shares_of_a_joint_add_up_to_its_weight),
        cmocka_unit_test(shares_fade_out_before_the_next_place_takes_over),
        cmocka_unit_test(few_vertices_are_smaller_as_targets),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("bones", tests, make_folder, remove_folder);
}
