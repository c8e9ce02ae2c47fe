// Live: no clip says what comes next. The program itself turns one joint to and fro, as a puppeteer or a game would,
// and hands limber one pose per frame. Then it holds the joint still, and the character swings to rest.
//
//     cc live.c $(pkg-config --cflags --libs limber) -lm -o live
//     limber sample giraffe -o giraffe.glb
//     ./live giraffe.glb jelly Neck1
//
// Prints, for every frame, the time, the angle of the joint and how far the effects carry the surface away from plain
// skinning, in percent of the character's size.
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double shaken_s = 2;
static const double whole_s = 4;

typedef struct puppet {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
    limber_live* live;
    limber_transform* local; // [joint] the pose, as the program wants it
    uint32_t joint;
} puppet;

static limber_result open_puppet(puppet* p, const char* path, const char* preset, limber_error* error) {
    limber_result result = limber_gltf_load_file(path, NULL, &p->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&p->style, error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(p->style, preset, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(p->gltf), p->style, &p->pipeline, error);
    if (result == LIMBER_OK)
        result = limber_live_create(p->pipeline, NULL, &p->live, error);
    return result;
}

static void close_puppet(puppet* p) {
    free(p->local);
    limber_live_destroy(p->live);
    limber_pipeline_destroy(p->pipeline);
    limber_style_destroy(p->style);
    limber_gltf_destroy(p->gltf);
}

static double angle_at(double time_s) {
    return 0.5 * sin(6 * fmin(time_s, shaken_s)); // rad; after that it is held where it is
}

// rest * a turn about the joint's own x axis
static limber_quat turned(limber_quat rest, double angle_rad) {
    float s = (float)sin(0.5 * angle_rad);
    float c = (float)cos(0.5 * angle_rad);
    limber_quat q = {rest.x * c + rest.w * s, rest.y * c + rest.z * s, rest.z * c - rest.y * s,
                     rest.w * c - rest.x * s};
    return q;
}

static double farthest(const limber_model* model, const limber_frame* frame) {
    double largest = 0;
    for (size_t v = 0; v < 3 * (size_t)model->vertex_count; v += 3) {
        const float* a = frame->positions + v;
        const float* b = frame->skinned + v;
        largest = fmax(largest, hypot(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])), (double)(a[2] - b[2])));
    }
    return 100 * largest / (double)model->size;
}

static bool perform(puppet* p) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(p->gltf));
    memcpy(p->local, model->rig.rest_local, model->rig.joint_count * sizeof *p->local);
    double time_s = 0;
    for (uint32_t i = 0; time_s < whole_s; i++) {
        limber_frame frame;
        time_s += i % 7 ? 1.0 / 60 : 2.0 / 60; // now and then a frame is late; limber goes by the time stamps
        p->local[p->joint].rotation = turned(model->rig.rest_local[p->joint].rotation, angle_at(time_s));
        if (limber_live_evaluate(p->live, p->local, NULL, time_s, &frame) != LIMBER_OK) {
            fprintf(stderr, "the pose at %g s is not finite, or memory is short\n", time_s);
            return false;
        } // frame.positions is what a game would draw
        printf("%.3f s  %6.1f degrees  %6.3f %%\n", time_s, 57.29578 * angle_at(time_s), farthest(model, &frame));
    }
    return true;
}

static bool find_joint(puppet* p, const char* name) {
    const limber_rig* rig = &limber_asset_model(limber_gltf_asset(p->gltf))->rig;
    int32_t joint = limber_rig_find_joint(rig, name);
    p->local = malloc(rig->joint_count * sizeof *p->local);
    p->joint = (uint32_t)joint;
    if (joint < 0)
        fprintf(stderr, "there is no joint '%s'\n", name);
    return joint >= 0 && p->local;
}

int main(int argc, char** argv) {
    puppet p = {NULL, NULL, NULL, NULL, NULL, 0};
    limber_error error;
    if (argc != 4) {
        fprintf(stderr, "usage: live IN.glb PRESET JOINT\n");
        return 2;
    }
    bool done = false;
    if (open_puppet(&p, argv[1], argv[2], &error) == LIMBER_OK)
        done = find_joint(&p, argv[3]) && perform(&p);
    else
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    close_puppet(&p);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
