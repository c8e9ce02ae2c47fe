// Times that limber aims for and that no set of effects shows: reading, building, dragging. Prints a row for each, with
// "missed" where this machine does not get there; `./dev bench` runs it. No test depends on any of them.
#include "base/buffer.h"
#include "bench/bench.h"
#include "characters/characters.h"
#include "text/json.h"

#include <limber/stages/retarget.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(limber_result result, const limber_error* error) {
    if (result == LIMBER_OK)
        return;
    fprintf(stderr, "limber_aims: %s\n", error->message);
    exit(1);
}

static int missed;

static void print_row(const char* what, double value, const char* unit, double aim, bool more_is_better) {
    bool reached = more_is_better ? value >= aim : value <= aim;
    missed += !reached;
    printf("%-58s %9.3g %-5s %s %5g  %s\n", what, value, unit, more_is_better ? ">" : "<", aim,
           reached ? "" : "missed");
    fflush(stdout);
}

// --- work on a character ---

static void smear_offsets(void) {
    limber_asset* asset;
    limber_error error;
    uint32_t rounds;
    uint32_t vertices = 14267; // as the largest of Basset et al., table 1, where it took 70 ms
    check(bench_rig(65, vertices, true, &asset, &error), &error);
    bench_case cases[2] = {{.set = BENCH_SKIN}, {.set = BENCH_SMEAR}};
    check(bench_measure(asset, cases, 2, 1, &rounds, &error), &error);
    print_row("motion offsets of 14,267 vertices on 65 joints", 1e-6 * cases[1].best_ns * vertices, "ms", 0.5, false);
    limber_asset_destroy(asset);
}

static limber_pipeline* performing(const limber_asset* asset, bool on) {
    limber_stage_settings settings = bench_settings(BENCH_VELOCITY);
    limber_pipeline* pipeline;
    limber_error error;
    settings.motion.derivatives = LIMBER_DERIVATIVES_DIFFERENCES; // as performed clips have them
    settings.perform.snap = on ? 0.75 : 0;
    settings.perform.hang = settings.perform.squash = on;
    settings.perform.exaggerate = on ? 0.8 : 0;
    settings.perform.anticipate = on ? 0.45 : 0;
    settings.perform.step = !on;
    check(limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error), &error);
    return pipeline;
}

// Joints of a frame, the best of several turns.
static double joints_s(limber_pipeline* pipeline, int32_t clip, double length_s) {
    enum { ROUNDS = 30, FRAMES = 200 };
    limber_error error = {.message = "a frame fails"};
    double best_s = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start_s = now_s();
        for (int i = 0; i < FRAMES; i++)
            check(limber_pipeline_evaluate_joints(pipeline, clip, i * length_s / FRAMES), &error);
        double took_s = (now_s() - start_s) / FRAMES;
        best_s = took_s < best_s ? took_s : best_s;
    }
    return best_s;
}

static bool level(void* user, float x, float z, float* height) {
    (void)user;
    (void)x;
    (void)z;
    *height = 0;
    return true;
}

// A live pose, the best of several turns.
static double push_s(const limber_asset* asset, int32_t clip, bool acts) {
    enum { ROUNDS = 30, FRAMES = 200 };
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* c = &model->clips[clip];
    limber_stage_settings settings = bench_settings(BENCH_VELOCITY);
    limber_pipeline* pipeline;
    limber_live* live;
    limber_pose pose;
    limber_error error = {.message = "a live pose fails"};
    double best_s = 1e9;
    settings.contacts.strength = 1;
    settings.perform.exaggerate = acts ? 0.9 : 0;
    settings.perform.squash = settings.perform.bend = acts ? 0.6 : 0;
    check(limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error), &error);
    check(limber_live_create(pipeline, NULL, &live, &error), &error);
    check(limber_pose_create(model, &pose), &error);
    limber_live_set_ground(live, level, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        double took_s = 0;
        for (int i = 0; i < FRAMES; i++) {
            double time_s = (round * FRAMES + i) / 60.0;
            limber_clip_sample(model, c, limber_clip_wrap(c, true, c->start_s + time_s), &pose);
            double start_s = now_s();
            check(limber_live_push(live, pose.local, NULL, time_s), &error);
            took_s += (now_s() - start_s) / FRAMES;
        }
        best_s = took_s < best_s ? took_s : best_s;
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    limber_pipeline_destroy(pipeline);
    return best_s;
}

// Once per clip, after the first one found out about the character; and in each frame.
static void performances(const char* name, int32_t clip) {
    char what[96];
    limber_asset* asset;
    limber_error error;
    check(limberi_character_create(name, 1, &asset, &error), &error);
    const limber_clip* c = &limber_asset_model(asset)->clips[clip];
    double length_s = c->end_s - c->start_s;
    double best_s = 1e9;
    for (int round = 0; round < 20; round++) {
        limber_pipeline* pipeline = performing(asset, true);
        double start_s = now_s();
        limber_edited_clip edited;
        if (!limber_pipeline_edited_clip(pipeline, (uint32_t)clip, &edited))
            exit(1);
        double took_s = now_s() - start_s;
        best_s = round && took_s < best_s ? took_s : best_s; // the first is about the character, too
        limber_pipeline_destroy(pipeline);
    }
    snprintf(what, sizeof what, "performing %s %s (%u joints), per second of it", name, c->name,
             limber_asset_model(asset)->rig.joint_count);
    print_row(what, 1000 * best_s / length_s, "ms", 20, false);
    limber_pipeline* plain = performing(asset, false);
    limber_pipeline* performed = performing(asset, true);
    double added_s = joints_s(performed, clip, length_s) - joints_s(plain, clip, length_s);
    snprintf(what, sizeof what, "what that adds to a frame of %s", name);
    print_row(what, 1e6 * added_s, "us", 10, false);
    snprintf(what, sizeof what, "what acting adds to a live pose of %s", name);
    print_row(what, 1e6 * (push_s(asset, clip, true) - push_s(asset, clip, false)), "us", 10, false);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(performed);
    limber_asset_destroy(asset);
}

static void solver_moves(void) {
    enum { JOINTS = 100, MOVES = 10 };
    const uint32_t joints[] = {99, 40, 70};
    const float weights[] = {1, 1, 1};
    int32_t parents[JOINTS];
    limber_vec3 positions[JOINTS];
    limber_bone_solver* solver;
    limber_error error;
    for (int j = 0; j < JOINTS; j++) {
        parents[j] = j - 1;
        positions[j] = (limber_vec3){0.1f * (float)(j % 3), (float)j, 0};
    }
    limber_bone_graph graph = {JOINTS, parents, NULL};
    check(limber_bone_solver_create(&graph, 3, joints, weights, true, &solver, &error), &error);
    limber_bone_solver_pose(solver, positions);
    double best_s = 1e9;
    for (int round = 0; round < 200; round++) {
        double start_s = now_s();
        for (int i = 0; i < MOVES; i++)
            limber_bone_solver_move(solver, 0, (limber_vec3){(float)i, (float)round, 0});
        double took_s = (now_s() - start_s) / MOVES;
        best_s = took_s < best_s ? took_s : best_s;
    }
    print_row("moving one target of a skeleton of 100 joints", 1e6 * best_s, "us", 20, false);
    limber_bone_solver_destroy(solver);
}

static void enormous_rig(bool bush) {
    limber_asset* asset;
    limber_error error;
    double start_s = now_s();
    check(bench_rig(10000, 20000, bush, &asset, &error), &error);
    print_row(bush ? "preparing 10,000 joints in a bush" : "preparing 10,000 joints in a chain", now_s() - start_s, "s",
              1, false);
    limber_asset_destroy(asset);
}

static void large_character(const char* name, double detail) {
    char what[64];
    limber_asset* asset;
    limber_error error;
    double start_s = now_s();
    check(limberi_character_create(name, detail, &asset, &error), &error);
    snprintf(what, sizeof what, "building a %s of %u vertices", name, limber_asset_model(asset)->vertex_count);
    print_row(what, now_s() - start_s, "s", 15, false);
    limber_asset_destroy(asset);
}

static limber_pipeline* styled(const limber_asset* asset, const char* colliders) {
    limber_error error;
    limber_style* style;
    limber_pipeline* pipeline;
    check(limber_style_create(&style, &error), &error);
    check(limber_style_read_preset(style, "cartoon", &error), &error);
    check(limber_style_set(style, "colliders", colliders, &error), &error);
    check(limber_pipeline_create(asset, style, &pipeline, &error), &error);
    limber_style_destroy(style);
    return pipeline;
}

static double play_s(limber_pipeline* pipeline, int32_t clip, double end_s) {
    enum { FRAMES = 40 };
    double start_s = now_s();
    for (int i = 0; i < FRAMES; i++) {
        limber_frame frame;
        limber_error error = {.message = "a frame fails"};
        check(limber_pipeline_evaluate(pipeline, clip, i * end_s / FRAMES, &frame), &error);
    }
    return now_s() - start_s;
}

// Best of some rounds for each clip, one after the other.
static void collider_cost(const char* name) {
    enum { ROUNDS = 8 };
    limber_asset* asset;
    limber_error error;
    check(limberi_character_create(name, 1, &asset, &error), &error);
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* pipelines[2] = {styled(asset, "\"none\""), styled(asset, "\"auto\"")};
    double sum_s[2] = {0, 0};
    char what[64];
    for (uint32_t clip = 0; clip < model->clip_count; clip++) {
        double best_s[2] = {1e9, 1e9};
        for (int round = 0; round < 2 * ROUNDS; round++) {
            double s = play_s(pipelines[round % 2], (int32_t)clip, model->clips[clip].end_s);
            best_s[round % 2] = s < best_s[round % 2] ? s : best_s[round % 2];
        }
        sum_s[0] += best_s[0];
        sum_s[1] += best_s[1];
    }
    snprintf(what, sizeof what, "cartoon with colliders to cartoon alone, %s", name);
    print_row(what, sum_s[1] / sum_s[0], "times", 1.25, false);
    limber_pipeline_destroy(pipelines[0]);
    limber_pipeline_destroy(pipelines[1]);
    limber_asset_destroy(asset);
}

// --- retargeting ---

// Finding the joints, and all keys of the clip: best of some rounds, for a second of the clip.
static void retargeting(void) {
    enum { ROUNDS = 20 };
    limber_asset* hero;
    limber_asset* toon;
    limber_error error;
    double best_s = 1e9;
    check(limberi_character_create("hero", 1, &hero, &error), &error);
    check(limberi_character_create("toon", 1, &toon, &error), &error);
    const limber_model* motion = limber_asset_model(hero);
    const limber_clip* clip = &motion->clips[limber_model_find_clip(motion, "jump")];
    limber_retarget_settings settings = limber_retarget_settings_default();
    for (int round = 0; round < ROUNDS; round++) {
        limber_retarget* retarget;
        const limber_clip* made;
        double start_s = now_s();
        check(limber_retarget_create(motion, limber_asset_model(toon), &settings, &retarget, &error), &error);
        check(limber_retarget_clip(retarget, clip, &made, &error), &error);
        double took_s = now_s() - start_s;
        best_s = took_s < best_s ? took_s : best_s;
        limber_retarget_destroy(retarget);
    }
    print_row("a second of the hero's jump onto the toon", 1e3 * best_s / (clip->end_s - clip->start_s), "ms", 5,
              false);
    limber_asset_destroy(hero);
    limber_asset_destroy(toon);
}

// --- files ---

// A root with `children`, all beside each other or each below the one before.
static limberi_buffer make_bvh(uint32_t children, uint32_t frames, bool chain) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "HIERARCHY\nROOT joint\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
    for (uint32_t i = 0; i < children; i++) {
        limberi_buffer_format(&text, "JOINT joint%u\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", i);
        if (!chain || i + 1 == children)
            limberi_buffer_add(&text, "End Site\n{\nOFFSET 0 1 0\n}\n");
        if (!chain)
            limberi_buffer_add(&text, "}\n");
    }
    for (uint32_t i = 0; i < (chain ? children + 1 : 1); i++)
        limberi_buffer_add(&text, "}\n");
    limberi_buffer_format(&text, "MOTION\nFrames: %u\nFrame Time: 0.0083333\n", frames);
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t i = 0; i <= children; i++)
            limberi_buffer_format(&text, "%u.%u -%u.125000 7.%u%s", f % 90, 100000 + f, i % 90, 900000 - f,
                                  i == children ? "\n" : " ");
    return text;
}

static double read_bvh_s(const limberi_buffer* text, int rounds) {
    double best_s = 1e9;
    for (int i = 0; i < rounds; i++) {
        limber_bvh* bvh;
        limber_error error;
        double start_s = now_s();
        check(limber_bvh_load_memory(text->data, text->length, NULL, NULL, &bvh, &error), &error);
        double took_s = now_s() - start_s;
        best_s = took_s < best_s ? took_s : best_s;
        limber_bvh_destroy(bvh);
    }
    return best_s;
}

static void bvh_files(void) {
    limberi_buffer text = make_bvh(30, 5000, false);
    print_row("reading a BVH of 31 joints and 5,000 frames", 1e-6 * (double)text.length / read_bvh_s(&text, 7), "MB/s",
              50, true);
    limberi_buffer_free(&text);
    for (int chain = 0; chain < 2; chain++) {
        text = make_bvh(9999, 3, chain == 1);
        print_row(chain ? "reading a BVH of 10,000 joints in a chain" : "reading a BVH of 10,000 joints side by side",
                  read_bvh_s(&text, 1), "s", 1, false);
        limberi_buffer_free(&text);
    }
}

static void deep_gltf(void) {
    enum { NODES = 60000 };
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[");
    for (int i = 0; i + 1 < NODES; i++)
        limberi_buffer_format(&text, "{\"children\":[%d]},", i + 1);
    limberi_buffer_add(&text, "{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                              "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
                              "\"min\":[-1,-1,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
                              "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
                              "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAAAAAAAAgD8AAAAA\"}]}");
    limber_gltf* gltf;
    limber_error error;
    double start_s = now_s();
    check(limber_gltf_load_memory(text.data, text.length, ".", NULL, &gltf, &error), &error);
    print_row("reading a glTF of 60,000 nodes in a chain", now_s() - start_s, "s", 1, false);
    limber_gltf_destroy(gltf);
    limberi_buffer_free(&text);
}

static void many_keys(void) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_document json;
    limber_error error;
    limberi_buffer_add(&text, "{");
    for (int i = 0; i < 60000; i++)
        limberi_buffer_format(&text, "\"key %d\":1,", i);
    limberi_buffer_add(&text, "\"key 7\":2}");
    double start_s = now_s();
    if (limberi_json_read(text.data, text.length, NULL, &json, &error) == LIMBER_OK)
        limberi_json_free(&json);
    print_row("finding one key twice among 60,000 of JSON", now_s() - start_s, "s", 1, false);
    limberi_buffer_free(&text);
}

// --- crowds and bakes ---

static limber_style* preset_style(const char* preset) {
    limber_style* style;
    limber_error error;
    check(limber_style_create(&style, &error), &error);
    check(limber_style_read_preset(style, preset, &error), &error);
    return style;
}

// Joints and texels of one member, each at its own time, by one thread; the best of several frames.
static void crowd_member(const char* preset, double aim_us) {
    enum { COWS = 300, FRAMES = 20 };
    static limber_crowd_member members[COWS];
    limber_asset* cow;
    limber_crowd* crowd;
    limber_error error;
    limber_style* style = preset_style(preset);
    char what[64];
    double best_s = 1e9;
    check(limberi_character_create("cow", 1, &cow, &error), &error);
    limber_crowd_kind kind = {cow, style};
    limber_crowd_settings settings = limber_crowd_settings_default();
    settings.kind_count = 1;
    settings.kinds = &kind;
    settings.member_limit = COWS;
    settings.outputs = LIMBER_CROWD_TEXELS | LIMBER_CROWD_NORMALS;
    check(limber_crowd_create(&settings, &crowd, &error), &error);
    limber_crowd_memory memory = {.texel_stride = 4 * (size_t)limber_crowd_layout(crowd, 0).max_texels};
    memory.texels = calloc(COWS * memory.texel_stride, sizeof(float));
    for (uint32_t c = 0; c < 3; c++)
        check(limber_crowd_prepare(crowd, 0, c, &error), &error);
    for (int i = 0; i < COWS; i++) {
        const limber_crowd_member member = {.clip = i % 3, .start_s = 0.6180339887 * i, .speed = 1};
        members[i] = member;
    }
    for (uint32_t f = 0; memory.texels && f < FRAMES; f++) {
        double start_s = now_s();
        check(limber_crowd_evaluate(crowd, members, COWS, f / 60.0, f, &memory, &error), &error);
        double took_s = now_s() - start_s;
        best_s = took_s < best_s ? took_s : best_s;
    }
    snprintf(what, sizeof what, "a cow of a crowd in `%s`, one thread", preset);
    print_row(what, 1e6 * best_s / COWS, "us", aim_us, false);
    free(memory.texels);
    limber_crowd_destroy(crowd);
    limber_style_destroy(style);
    limber_asset_destroy(cow);
}

static void bake_smallest(const char* name, double aim_s) {
    limber_asset* asset;
    limber_pipeline* pipeline;
    limber_bake* bake;
    limber_error error;
    limber_style* style = preset_style("cartoon");
    limber_bake_settings settings = limber_bake_settings_default();
    char what[64];
    settings.kind = LIMBER_BAKE_AUTO;
    settings.tolerance = 0.001;
    check(limberi_character_create(name, 1, &asset, &error), &error);
    check(limber_pipeline_create(asset, style, &pipeline, &error), &error);
    double start_s = processor_s();
    check(limber_pipeline_bake(pipeline, &settings, &bake, &error), &error);
    snprintf(what, sizeof what, "the smallest bake of %s in `cartoon`, one thread", name);
    print_row(what, processor_s() - start_s, "s", aim_s, false);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

int main(void) {
    printf("%-58s %9s %-5s %s\n", "aim", "now", "", "wanted");
    smear_offsets();
    collider_cost("dancer");
    collider_cost("hero");
    collider_cost("cow");
    performances("dancer", 2);
    performances("hero", 1);
    solver_moves();
    retargeting();
    bvh_files();
    deep_gltf();
    many_keys();
    enormous_rig(false);
    enormous_rig(true);
    large_character("cow", 17.6);
    large_character("giraffe", 22.2);
    crowd_member("cartoon", 12);
    crowd_member("mocap-toon", 10);
    bake_smallest("dancer", 2.6);
    bake_smallest("cow", 0.7);
    if (missed)
        printf("%d missed\n", missed);
    return 0;
}
