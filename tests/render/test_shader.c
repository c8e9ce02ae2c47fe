// The shader against the scalar CPU kernels: every character, every effect alone and together, both ways of skinning.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "deform/deformer.h"
#include "kit/looks.h"
#include "kit/models.h"
#include "pipeline/state.h"
#include "render/gl/deform_gpu.h"
#include "render/gl/target.h"

static const double tolerance = 2e-4; // of L
static const double sideways = 3;     // degrees; normals of surfaces that are nearly crushed may be anything

static limberi_gpu* gpu;

// One character, one style.
typedef struct stage {
    const char* name;
    const char* look;
    limber_compose compose;
    limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    limberi_gpu_path path;
    limber_normals normals;
    bool dynamic;  // one program for all styles
    uint32_t turn; // which way of skinning the first look has
    float *skinned, *skinned_normals, *lift_normals, *want, *got, *got_normals;
} stage;

typedef struct tally {
    uint64_t vertices, normals, turned;
    uint32_t frames, refused;
    double apart, moved;
} tally;

static tally all;

static bool have_gpu(void) {
    limber_error error;
    if (gpu)
        return true;
    if (limberi_gpu_create(&gpu, &error) == LIMBER_OK) {
        print_message("on %s\n", limberi_gpu_device(gpu));
        return true;
    }
    print_message("skipped: %s\n", error.message);
    return false;
}

// Every vertex is computed alike, so a quarter of them say as much: all of them with --long.
static limber_asset* load(uint32_t index, limber_gltf** gltf) {
    bool coarse = test_character_step() > 1 && index < limberi_character_common_count();
    *gltf = NULL;
    return coarse ? test_built_in(test_character_name(index), 0.5) : test_character_load(index, gltf);
}

// --- one frame ---

static void skin(const stage* s) {
    limberi_pipeline_state parts = limberi_pipeline_state_of(s->pipeline);
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.skinning = parts.skinning;
        job.palette = parts.palettes[mesh->skin];
        job.dualquats = parts.dualquats[mesh->skin];
        job.palette_count = s->model->skins[mesh->skin].joint_count;
        job.positions = limberi_pipeline_morphed_positions(s->pipeline, mesh);
        job.normals = limberi_pipeline_morphed_normals(s->pipeline, mesh);
        job.out_positions = s->skinned + 3 * (size_t)mesh->first_vertex;
        job.out_normals = s->skinned_normals + 3 * (size_t)mesh->first_vertex;
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    }
}

// Lift along the mesh goes along these.
static void skin_lift_normals(const stage* s) {
    limberi_pipeline_state parts = limberi_pipeline_state_of(s->pipeline);
    for (uint32_t m = 0; parts.lift_normals && m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.skinning = parts.skinning;
        job.palette = parts.palettes[mesh->skin];
        job.dualquats = parts.dualquats[mesh->skin];
        job.palette_count = s->model->skins[mesh->skin].joint_count;
        job.normals = parts.lift_normals + 3 * (size_t)mesh->first_vertex;
        job.out_positions = s->got + 3 * (size_t)mesh->first_vertex; // not needed
        job.out_normals = s->lift_normals + 3 * (size_t)mesh->first_vertex;
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    }
}

static double distance(const float* a, const float* b) {
    return (double)limberi_length(limberi_sub(limberi_load3(a), limberi_load3(b)));
}

static void compare_positions(const stage* s, double time_s) {
    bool linear = limberi_pipeline_state_of(s->pipeline).skinning == LIMBER_SKINNING_LINEAR;
    double size = (double)s->model->size;
    double allowed = strstr(s->look, "negative") ? 3 * tolerance : tolerance; // where a squash is held at a tenth
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        double apart = distance(s->want + 3 * u, s->got + 3 * u) / size;
        if (!(apart <= allowed))
            fail_msg("%s, %s%s, %s skinning, %g s: vertex %zu is %.2g of L away from where the CPU puts it", s->name,
                     s->look, s->compose == LIMBER_COMPOSE_CHAIN ? ", chain" : "",
                     linear ? "linear" : "dual quaternion", time_s, u, apart);
        all.apart = fmax(all.apart, apart);
        all.moved = fmax(all.moved, distance(s->want + 3 * u, s->skinned + 3 * u) / size);
    }
    all.vertices += s->model->vertex_count;
    all.frames++;
}

static void compare_normals(const stage* s, const float* normals) {
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        limber_vec3 a = limberi_load3(normals + 3 * u), b = limberi_load3(s->got_normals + 3 * u);
        double cosine = (double)limberi_dot(limberi_normalize(a), limberi_normalize(b));
        all.normals++;
        all.turned += !(cosine > cos(sideways * 3.14159265 / 180));
    }
}

// The reference is run with what the pipeline hands to its own kernels, so that the shader has to agree with both.
static void compare_frame(const stage* s, int32_t clip, double time_s) {
    limber_frame frame;
    limber_error error;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, clip, time_s, &frame), LIMBER_OK);
    skin(s);
    memcpy(s->want, s->skinned, 3 * (size_t)s->model->vertex_count * sizeof(float));
    limber_deformer* deformer = limberi_pipeline_state_of(s->pipeline).deformer;
    limber_deform_job job = deformer->frame.job;
    job.positions = s->skinned;
    job.normals = s->skinned_normals;
    job.lift_normals = limberi_pipeline_state_of(s->pipeline).lift_normals ? s->lift_normals : NULL;
    job.out_positions = s->want;
    skin_lift_normals(s);
    if (deformer->active)
        assert_int_equal(limberi_deformer_run_reference(deformer, &job), LIMBER_OK);
    if (limberi_gpu_character_pose(s->character, 0, &error) != LIMBER_OK ||
        limberi_gpu_character_run(s->character, s->path, &error) != LIMBER_OK ||
        limberi_gpu_character_read(s->character, 0, s->got, s->got_normals, &error) != LIMBER_OK)
        fail_msg("%s: %s", s->name, error.message);
    compare_positions(s, time_s);
    compare_normals(s, frame.normals);
}

// --- one character, one style ---

// What grows with the distance from a joint, as lift does, grows from joint to joint of a chain: strong styles explode.
static void calm_down(limber_deform_settings* s) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        s->effects[e].linear.value *= 0.2f;
        s->effects[e].angular.value *= 0.2f;
    }
}

static bool open_stage(stage* s, const test_look* look, limber_skinning skinning) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_error error;
    settings.skinning = skinning;
    settings.deform.normals = s->normals;
    const limber_mesh* mesh = &s->model->meshes[0];
    uint32_t joint = mesh->vertex_count ? s->model->skins[mesh->skin].joints[mesh->influence_joint[0]] : 0;
    look->set(&settings.deform, &(test_look_target){s->model, joint, NULL, NULL});
    s->look = look->name;
    settings.deform.compose = s->compose;
    if (s->compose == LIMBER_COMPOSE_CHAIN)
        calm_down(&settings.deform);
    if (limber_pipeline_create_from_settings(s->asset, &settings, &s->pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", s->name, look->name, error.message);
    limberi_pipeline_use(s->pipeline, LIMBERI_VARIANT_PLAIN);
    const limberi_gpu_settings wanted = {.instances = 1, .dynamic = s->dynamic};
    limber_result result = limberi_gpu_character_create(gpu, s->pipeline, &wanted, &s->character, &error);
    if (result == LIMBER_OK)
        return true;
    print_message("%s, %s: %s %s\n", s->name, look->name, error.place, error.message);
    assert_int_equal(result, LIMBER_ERROR_UNSUPPORTED);
    limber_pipeline_destroy(s->pipeline);
    return false;
}

static void close_stage(stage* s) {
    limberi_gpu_character_destroy(s->character);
    limber_pipeline_destroy(s->pipeline);
}

// Several times of each clip, or one that is another for each look. Of many clips every look takes some others.
static void compare_clips(const stage* s, uint32_t look) {
    uint32_t times = test_looks[look].uses & TEST_LOOK_OFTEN ? 3 : 1;
    uint32_t stride = (s->model->clip_count + 3) / 4;
    for (uint32_t clip = stride ? look % stride : 0; clip < s->model->clip_count; clip += stride) {
        const limber_clip* c = &s->model->clips[clip];
        for (uint32_t i = 0; i < times; i++) {
            double share = times > 1 ? 0.15 + 0.35 * i : fmod(0.12 + 0.31 * look + 0.17 * clip, 1);
            compare_frame(s, (int32_t)clip, c->start_s + share * (c->end_s - c->start_s));
        }
    }
    if (!s->model->clip_count)
        compare_frame(s, -1, 0);
}

// The two ways of skinning take turns, from look to look and from character to character.
static void compare_look_composed(stage* s, uint32_t look) {
    if (!open_stage(s, &test_looks[look], (s->turn + look) % 2 ? LIMBER_SKINNING_DUALQUAT : LIMBER_SKINNING_LINEAR)) {
        all.refused++;
        return;
    }
    limberi_gpu_memory bytes = limberi_gpu_character_bytes(s->character);
    if (!strstr(test_looks[look].name, "formula"))
        assert_true(4 * bytes.all <= 5 * bytes.plain);
    compare_clips(s, look);
    close_stage(s);
}

static void compare_look(stage* s, uint32_t look) {
    for (int compose = 0; compose < (test_looks[look].uses & TEST_LOOK_CHAIN ? 2 : 1); compose++) {
        s->compose = (limber_compose)compose;
        compare_look_composed(s, look);
    }
    s->compose = LIMBER_COMPOSE_SUM;
}

static void open_character(stage* s, limber_asset* asset, const char* name) {
    memset(s, 0, sizeof *s);
    s->name = name;
    s->asset = asset;
    s->model = limber_asset_model(asset);
    s->normals = LIMBER_NORMALS_JACOBIAN;
    size_t bytes = (3 * (size_t)s->model->vertex_count + 1) * sizeof(float);
    float** arrays[6] = {&s->skinned, &s->skinned_normals, &s->lift_normals, &s->want, &s->got, &s->got_normals};
    for (int i = 0; i < 6; i++)
        assert_non_null(*arrays[i] = malloc(bytes));
}

static void close_character(stage* s) {
    free(s->skinned);
    free(s->skinned_normals);
    free(s->lift_normals);
    free(s->want);
    free(s->got);
    free(s->got_normals);
}

// Every `step`th look: software compiles a program for each.
static void compare_character(limber_asset* asset, const char* name, uint32_t turn, uint32_t step) {
    stage s;
    open_character(&s, asset, name);
    s.turn = turn;
    for (uint32_t look = turn % step; look < test_look_count; look += step)
        if (test_looks[look].uses & TEST_LOOK_SHADER)
            compare_look(&s, look);
    close_character(&s);
}

static void report(void) {
    print_message("%u frames, %.3g vertices: at most %.2g of L apart, moved by up to %.2g of L; "
                  "%.3f %% of the normals more than %g degrees apart; %u refused\n",
                  all.frames, (double)all.vertices, all.apart, all.moved,
                  100.0 * (double)all.turned / (double)(all.normals ? all.normals : 1), sideways, all.refused);
}

static void shader_deforms_every_character_as_the_cpu_does(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    memset(&all, 0, sizeof all);
    for (uint32_t i = 0; i < test_character_count(); i += test_character_step()) {
        // The three runners are rigged alike: the dog stands for them.
        if (strcmp(test_character_name(i), "toon") == 0 || strcmp(test_character_name(i), "hero") == 0)
            continue;
        tally before = all;
        limber_gltf* gltf;
        limber_asset* asset = load(i, &gltf);
        // Most looks of the first ones, some of the others'; one program has shown all of them.
        uint32_t step = i < 3 ? 1 : 3;
        compare_character(asset, test_character_name(i), i, test_character_step() > 1 ? step + 2 : step);
        test_character_free(asset, gltf);
        print_message("%s: %u frames, %u refused, %llu normals turned\n", test_character_name(i),
                      all.frames - before.frames, all.refused - before.refused,
                      (unsigned long long)(all.turned - before.turned));
    }
    report();
    assert_int_equal(all.refused, 0);
    assert_true(all.moved > 0.05);
    assert_true(all.turned * 200 < all.normals);
}

// --- characters that are made for it ---

static limber_asset* with_influences(const limber_model* given, uint32_t count) {
    static uint32_t first[20000];
    static uint16_t joints[20000 * 9];
    static float weights[20000 * 9];
    limber_model model = *given;
    limber_mesh mesh = given->meshes[0];
    uint32_t joint_count = given->skins[mesh.skin].joint_count;
    assert_true(mesh.vertex_count < 20000);
    for (uint32_t u = 0; u < mesh.vertex_count; u++) {
        first[u + 1] = (u + 1) * count;
        for (uint32_t i = 0; i < count; i++) {
            joints[u * count + i] = (uint16_t)((u / 7 + 5 * i) % joint_count);
            weights[u * count + i] = 1 + (float)((u + 3 * i) % 5);
        }
    }
    mesh.influence_first = first;
    mesh.influence_joint = joints;
    mesh.influence_weight = weights;
    model.mesh_count = 1;
    model.meshes = &mesh;
    model.clip_count = 1;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

static limber_asset* first_character(limber_gltf** gltf) {
    return load(1, gltf);
}

static void shader_without_normals_puts_vertices_at_the_same_places(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* asset = first_character(&gltf);
    limber_error error;
    stage s;
    open_character(&s, asset, "without normals");
    assert_true(open_stage(&s, test_look_named("gains of joints"), LIMBER_SKINNING_LINEAR));
    size_t bytes = 3 * (size_t)s.model->vertex_count * sizeof(float);
    for (int normals = 1; normals >= 0; normals--) {
        const limberi_gpu_settings settings = {.instances = 1, .skinned_normals = !normals};
        limberi_gpu_character_destroy(s.character);
        assert_int_equal(limberi_gpu_character_create(gpu, s.pipeline, &settings, &s.character, &error), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, 0, 0.4), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_pose(s.character, 0, &error), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_run(s.character, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_read(s.character, 0, normals ? s.want : s.got,
                                                    normals ? s.got_normals : NULL, &error),
                         LIMBER_OK);
    }
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        assert_true(fabsf(s.want[i] - s.got[i]) <= 1e-5f * s.model->size);
    skin(&s);
    bool turned = false;
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        turned = turned || fabsf(s.got_normals[i] - s.skinned_normals[i]) > 0.05f;
    assert_true(turned);
    close_stage(&s);
    close_character(&s);
    test_character_free(asset, gltf);
}

// Looks of one character by another way than transform feedback with a program for each.
static void compare_another_way(uint32_t character, limberi_gpu_path path, limber_normals normals, bool dynamic) {
    limber_gltf* gltf;
    limber_asset* asset = load(character, &gltf);
    stage s;
    memset(&all, 0, sizeof all);
    open_character(&s, asset, test_character_name(character));
    s.path = path;
    s.normals = normals;
    s.dynamic = dynamic;
    uint32_t step = dynamic || test_character_step() == 1 ? 1 : 12; // a program each, which takes long to compile
    for (uint32_t look = 0; look < test_look_count; look += step)
        if (test_looks[look].uses & TEST_LOOK_SHADER)
            compare_look(&s, look);
    close_character(&s);
    test_character_free(asset, gltf);
    report();
    assert_int_equal(all.refused, 0);
    assert_true(all.moved > 0.05);
}

static void one_program_shows_every_style(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    compare_another_way(1, LIMBERI_GPU_FEEDBACK, LIMBER_NORMALS_JACOBIAN, true);
}

static void compute_shader_deforms_as_the_cpu_does(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    if (limberi_gpu_can(gpu, LIMBERI_GPU_COMPUTE))
        compare_another_way(1, LIMBERI_GPU_COMPUTE, LIMBER_NORMALS_JACOBIAN, false);
    else
        print_message("skipped: the driver has no compute shaders\n");
}

static void compute_shader_averages_normals_as_the_cpu_does(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    if (limberi_gpu_can(gpu, LIMBERI_GPU_COMPUTE)) {
        compare_another_way(5, LIMBERI_GPU_COMPUTE, LIMBER_NORMALS_AVERAGED, false);
        assert_true(all.turned * 10000 < all.normals);
    } else {
        print_message("skipped: the driver has no compute shaders\n");
    }
}

// Each at its own time of the first clip.
enum { CROWD = 5 };

static double crowd_time_s(uint32_t i) {
    return 0.1 * (CROWD - i);
}

static limberi_gpu_character* open_crowd(const stage* s, uint32_t portion) {
    const limberi_gpu_settings wanted = {.instances = CROWD, .portion = portion};
    limberi_gpu_character* crowd;
    limber_error error;
    assert_int_equal(limberi_gpu_character_create(gpu, s->pipeline, &wanted, &crowd, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(limber_pipeline_evaluate_joints(s->pipeline, 0, crowd_time_s(i)), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_pose(crowd, i, &error), LIMBER_OK);
    }
    return crowd;
}

static void characters_of_a_crowd_move_one_by_one(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* asset = load(1, &gltf);
    limber_error error;
    stage s;
    open_character(&s, asset, "crowd");
    assert_true(open_stage(&s, test_look_named("gains of joints"), LIMBER_SKINNING_LINEAR));
    size_t numbers = 3 * (size_t)s.model->vertex_count;
    limberi_gpu_character* crowd = open_crowd(&s, 0);
    for (int path = LIMBERI_GPU_FEEDBACK; path <= LIMBERI_GPU_COMPUTE; path++) {
        if (!limberi_gpu_can(gpu, (limberi_gpu_path)path))
            continue;
        assert_int_equal(limberi_gpu_character_run(crowd, (limberi_gpu_path)path, &error), LIMBER_OK);
        for (uint32_t i = 0; i < CROWD; i++) {
            assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, 0, crowd_time_s(i)), LIMBER_OK);
            assert_int_equal(limberi_gpu_character_pose(s.character, 0, &error), LIMBER_OK);
            assert_int_equal(limberi_gpu_character_run(s.character, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
            assert_int_equal(limberi_gpu_character_read(s.character, 0, s.want, NULL, &error), LIMBER_OK);
            assert_int_equal(limberi_gpu_character_read(crowd, i, s.got, NULL, &error), LIMBER_OK);
            for (size_t k = 0; k < numbers; k++)
                assert_true(fabsf(s.want[k] - s.got[k]) <= 1e-5f * s.model->size);
        }
    }
    limberi_gpu_character_destroy(crowd);
    close_stage(&s);
    close_character(&s);
    test_character_free(asset, gltf);
}

static void read_crowd(limberi_gpu_character* crowd, float* out, size_t numbers) {
    limber_error error;
    assert_int_equal(limberi_gpu_character_run(crowd, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++)
        assert_int_equal(limberi_gpu_character_read(crowd, i, out + i * numbers, NULL, &error), LIMBER_OK);
}

// In the opposite order, and poses that come later count again.
static void texels_in_memory_of_the_card_show_the_same(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* asset = load(1, &gltf);
    limber_error error;
    stage s;
    open_character(&s, asset, "crowd");
    assert_true(open_stage(&s, test_look_named("gains of joints"), LIMBER_SKINNING_LINEAR));
    size_t numbers = 3 * (size_t)s.model->vertex_count;
    float* plain = calloc(2 * CROWD * numbers, sizeof *plain);
    assert_non_null(plain);
    float* turned = plain + CROWD * numbers;
    limberi_gpu_character* crowd = open_crowd(&s, 0);
    read_crowd(crowd, plain, numbers);
    float* lent = limberi_gpu_character_lend(crowd);
    assert_non_null(lent);
    size_t stride = (size_t)(limberi_gpu_character_room(crowd, 1) - limberi_gpu_character_room(crowd, 0));
    for (uint32_t i = 0; i < CROWD; i++)
        memcpy(lent + i * stride, limberi_gpu_character_room(crowd, CROWD - 1 - i), stride * sizeof *lent);
    read_crowd(crowd, turned, numbers);
    for (uint32_t i = 0; i < CROWD; i++)
        assert_memory_equal(turned + i * numbers, plain + (CROWD - 1 - i) * numbers, numbers * sizeof *plain);
    assert_memory_not_equal(turned, plain, numbers * sizeof *plain);
    assert_int_equal(limberi_gpu_character_pose(crowd, 0, &error), LIMBER_OK);
    read_crowd(crowd, turned, numbers);
    assert_memory_equal(turned + numbers, plain + numbers, (CROWD - 1) * numbers * sizeof *plain);
    limberi_gpu_character_destroy(crowd);
    free(plain);
    close_stage(&s);
    close_character(&s);
    test_character_free(asset, gltf);
}

// Three portions, the last of them smaller.
static void normals_of_a_crowd_are_averaged_portion_by_portion(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    if (!limberi_gpu_can(gpu, LIMBERI_GPU_COMPUTE)) {
        print_message("skipped: the driver has no compute shaders\n");
        skip();
    }
    limber_gltf* gltf;
    limber_asset* asset = load(1, &gltf);
    limber_error error;
    stage s;
    open_character(&s, asset, "crowd");
    s.normals = LIMBER_NORMALS_AVERAGED;
    assert_true(open_stage(&s, test_look_named("gains of joints"), LIMBER_SKINNING_LINEAR));
    limberi_gpu_character* crowd = open_crowd(&s, 2);
    assert_int_equal(limberi_gpu_character_run(crowd, LIMBERI_GPU_COMPUTE, &error), LIMBER_OK);
    memset(&all, 0, sizeof all);
    for (uint32_t i = 0; i < CROWD; i++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, 0, crowd_time_s(i), &frame), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_read(crowd, i, s.got, s.got_normals, &error), LIMBER_OK);
        for (size_t k = 0; k < 3 * (size_t)s.model->vertex_count; k++)
            assert_true(fabsf(frame.positions[k] - s.got[k]) <= 1e-4f * s.model->size);
        compare_normals(&s, frame.normals);
    }
    assert_true(all.turned * 10000 < all.normals);
    limberi_gpu_character_destroy(crowd);
    close_stage(&s);
    close_character(&s);
    test_character_free(asset, gltf);
}

// What limberi_gpu_character_run draws, [PICTURE][PICTURE][4].
enum { PICTURE = 96 };

static void draw_one(limberi_gpu_character* character, const limberi_target* target, limberi_gpu_path path,
                     uint8_t* pixels) {
    limber_error error;
    limberi_target_begin(target, 0);
    target->gl->Enable(GL_DEPTH_TEST);
    assert_int_equal(limberi_gpu_character_run(character, path, &error), LIMBER_OK);
    limberi_target_read(target, 0, pixels);
}

static uint32_t pixels_apart(const uint8_t* a, const uint8_t* b) {
    uint32_t apart = 0;
    for (size_t i = 0; i < (size_t)4 * PICTURE * PICTURE; i++)
        apart += abs(a[i] - b[i]) > 3;
    return apart;
}

static void what_compute_left_is_drawn_as_the_vertex_shader_draws(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* asset = load(1, &gltf);
    limber_error error;
    stage s;
    open_character(&s, asset, "drawn twice");
    assert_true(open_stage(&s, test_look_named("gains of joints"), LIMBER_SKINNING_LINEAR));
    const limberi_context* context = limberi_gpu_context(gpu);
    limberi_target target;
    static uint8_t drawn[4 * PICTURE * PICTURE], plain[4 * PICTURE * PICTURE], redrawn[4 * PICTURE * PICTURE];
    assert_int_equal(limberi_context_use(context, &error), LIMBER_OK);
    assert_int_equal(limberi_target_create(&context->gl, PICTURE, PICTURE, 1, &target, &error), LIMBER_OK);
    float k = 1 / s.model->size;
    limberi_gpu_camera camera = {.clip_from_world = {k, 0, 0, 0, 0, k, 0, 0, 0, 0, -k, 0, 0, -0.5f, 0, 1}};
    limberi_gpu_character_camera(s.character, &camera);
    if (!limberi_gpu_can(gpu, LIMBERI_GPU_REDRAW)) {
        print_message("skipped: the driver's vertex shaders read no buffers\n");
        skip();
    }
    assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, 0, 0.1), LIMBER_OK);
    assert_int_equal(limberi_gpu_character_pose(s.character, 0, &error), LIMBER_OK);
    draw_one(s.character, &target, LIMBERI_GPU_DRAW, drawn);
    assert_int_equal(limberi_gpu_character_run(s.character, LIMBERI_GPU_COMPUTE, &error), LIMBER_OK);
    draw_one(s.character, &target, LIMBERI_GPU_REDRAW, redrawn);
    assert_true(pixels_apart(drawn, plain) > PICTURE); // there is something
    assert_true(pixels_apart(drawn, redrawn) < PICTURE / 8);
    limberi_target_destroy(&target);
    close_stage(&s);
    close_character(&s);
    test_character_free(asset, gltf);
}

static void six_values_per_vertex_cost_a_quarter_of_plain_skinning(void** state) {
    static const char* const texts[LIMBER_EFFECT_OVERLAP] = {"x", "y", "z", "height", "rand", "nx"};
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* asset = first_character(&gltf);
    limber_expression* formulas[LIMBER_EFFECT_OVERLAP];
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    limber_error error;
    for (int e = 0; e < LIMBER_EFFECT_OVERLAP; e++) {
        assert_int_equal(limber_expression_create(texts[e], NULL, &formulas[e], &error), LIMBER_OK);
        settings.deform.effects[e].angular.expression = formulas[e];
    }
    settings.deform.lift_cones.cone = (limber_cone){0, {0, 0, 0}, {0, 1, 0}, 0.5f, 0};
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limberi_gpu_character_create(gpu, pipeline, NULL, &character, &error), LIMBER_OK);
    limberi_gpu_memory bytes = limberi_gpu_character_bytes(character);
    assert_int_equal(bytes.plain, 48);
    assert_int_equal(bytes.all, 60);
    limberi_gpu_character_destroy(character);
    limber_pipeline_destroy(pipeline);
    for (int e = 0; e < LIMBER_EFFECT_OVERLAP; e++)
        limber_expression_destroy(formulas[e]);
    test_character_free(asset, gltf);
}

static void shader_takes_eight_joints_per_vertex(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* given = first_character(&gltf);
    limber_asset* asset = with_influences(limber_asset_model(given), 8);
    memset(&all, 0, sizeof all);
    compare_character(asset, "eight joints per vertex", 0, test_character_step() > 1 ? 7 : 1);
    report();
    assert_int_equal(all.refused, 0);
    limber_asset_destroy(asset);
    test_character_free(given, gltf);
}

static void on_the_skirt(limber_deform_settings* s, const test_look_target* target) {
    (void)target;
    s->effects[LIMBER_EFFECT_STRETCH].angular.value = 0.02f;
    s->effects[LIMBER_EFFECT_STRETCH].layer = "skirt";
    s->effects[LIMBER_EFFECT_LIFT].angular.value = 0.05f;
    limber_effect_number(s, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
    s->effects[LIMBER_EFFECT_LIFT].layer = "skirt";
}

// A layer that nobody painted is in the columns as if somebody had.
static void shader_sees_the_skirt_that_was_found(void** state) {
    static const test_look look = {"a skirt that was found", on_the_skirt, TEST_LOOK_SHADER, 1};
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* dancer = test_built_in("dancer", 1);
    limber_model bare = *limber_asset_model(dancer);
    limber_mesh mesh = bare.meshes[0];
    assert_int_equal(bare.mesh_count, 1);
    mesh.layer_count = 0;
    bare.meshes = &mesh;
    limber_asset* asset;
    limber_error error;
    assert_int_equal(limber_asset_create(&bare, &asset, &error), LIMBER_OK);
    stage s;
    open_character(&s, asset, "dancer");
    assert_true(open_stage(&s, &look, LIMBER_SKINNING_LINEAR));
    memset(&all, 0, sizeof all);
    compare_frame(&s, limber_model_find_clip(s.model, "spin"), 0.4);
    uint32_t moved = 0;
    for (size_t u = 0; u < s.model->vertex_count; u++)
        moved += distance(s.got + 3 * u, s.skinned + 3 * u) > 1e-3 * (double)s.model->size;
    assert_true(all.moved > 0.01 && moved > 1000 && moved < s.model->vertex_count / 2);
    close_stage(&s);
    close_character(&s);
    limber_asset_destroy(asset);
    limber_asset_destroy(dancer);
}

static void refuse(limber_asset* asset, const limber_stage_settings* settings, const char* text) {
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    limber_error error;
    assert_int_equal(limber_pipeline_create_from_settings(asset, settings, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limberi_gpu_character_create(gpu, pipeline, NULL, &character, &error), LIMBER_ERROR_UNSUPPORTED);
    assert_null(character);
    if (!strstr(error.message, text))
        fail_msg("'%s' does not say '%s'", error.message, text);
    limber_pipeline_destroy(pipeline);
}

static void do_nothing(const limber_effect_block* block) {
    (void)block;
}

static void shader_says_what_it_cannot_do(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_gltf* gltf;
    limber_asset* given = first_character(&gltf);
    limber_asset* nine = with_influences(limber_asset_model(given), 9);
    limber_stage_settings settings = limber_stage_settings_default();
    refuse(nine, &settings, "has 9 joints");
    limber_expression* height;
    limber_error error;
    assert_int_equal(limber_expression_create("height", NULL, &height, &error), LIMBER_OK);
    settings.deform.effects[LIMBER_EFFECT_DRAG].angular.value = 1;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_DRAG, "turn")->expression = height;
    refuse(given, &settings, "drag: 'turn'");
    limber_effect_number(&settings.deform, LIMBER_EFFECT_DRAG, "turn")->expression = NULL;
    settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 1;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_SQUASH, "max")->expression = height;
    refuse(given, &settings, "squash: 'max'");
    limber_effect_number(&settings.deform, LIMBER_EFFECT_SQUASH, "max")->expression = NULL;
    settings.deform.effects[LIMBER_EFFECT_DERIVATIVE].angular.value = 1;
    refuse(given, &settings, "cannot do 'derivative'");
    settings.deform.effects[LIMBER_EFFECT_DERIVATIVE].angular.value = 0;
    limber_effect_settings* lift = &settings.deform.effects[LIMBER_EFFECT_LIFT];
    const limber_lift_part part = {0, -1};
    lift->angular.value = 1;
    settings.deform.lift_cones.parts = &part;
    settings.deform.lift_cones.part_count = 1;
    refuse(given, &settings, "several cones");
    lift->angular.value = 0;
    limber_custom_effect own = {"own", do_nothing, NULL, limber_effect_settings_default(LIMBER_EFFECT_FLOPPY)};
    settings.deform.custom_count = 1;
    settings.deform.custom[0] = own;
    refuse(given, &settings, "effect 'own'");
    limber_expression_destroy(height);
    limber_asset_destroy(nine);
    test_character_free(given, gltf);
}

// --- a machine without EGL ---

static bool no_libraries;

void* __real_dlopen(const char* name, int flags);
void* __wrap_dlopen(const char* name, int flags);

void* __wrap_dlopen(const char* name, int flags) {
    return no_libraries ? NULL : __real_dlopen(name, flags);
}

static void without_egl_the_packages_are_named(void** state) {
    (void)state;
    limberi_gpu* none;
    limber_error error;
    no_libraries = true;
    limber_result result = limberi_gpu_create(&none, &error);
    no_libraries = false;
    assert_int_equal(result, LIMBER_ERROR_UNSUPPORTED);
    assert_null(none);
    assert_non_null(strstr(error.message, "libegl1"));
    assert_non_null(strstr(error.message, "libgl1-mesa-dri"));
}

static int close_gpu(void** state) {
    (void)state;
    limberi_gpu_destroy(gpu);
    test_looks_free();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_egl_the_packages_are_named),
        cmocka_unit_test(shader_says_what_it_cannot_do),
        cmocka_unit_test(shader_without_normals_puts_vertices_at_the_same_places),
        cmocka_unit_test(six_values_per_vertex_cost_a_quarter_of_plain_skinning),
        cmocka_unit_test(shader_takes_eight_joints_per_vertex),
        cmocka_unit_test(shader_sees_the_skirt_that_was_found),
        cmocka_unit_test(one_program_shows_every_style),
        cmocka_unit_test(compute_shader_deforms_as_the_cpu_does),
        cmocka_unit_test(compute_shader_averages_normals_as_the_cpu_does),
        cmocka_unit_test(characters_of_a_crowd_move_one_by_one),
        cmocka_unit_test(texels_in_memory_of_the_card_show_the_same),
        cmocka_unit_test(normals_of_a_crowd_are_averaged_portion_by_portion),
        cmocka_unit_test(what_compute_left_is_drawn_as_the_vertex_shader_draws),
        cmocka_unit_test(shader_deforms_every_character_as_the_cpu_does),
    };
    return cmocka_run_group_tests(tests, NULL, close_gpu);
}
