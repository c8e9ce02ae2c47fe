// Fuzzes the exports of the browser module, built for this machine: a page that calls them in any order with any
// numbers. Indices into lists are what the page was told; contents of arrays, times, rates, texts and everything the
// module checks itself is anything.
#include "fuzz/kit/bytes.h"
#include "fuzz/kit/look.h"
#include "web/wasm/web.h"

#include <limber/crowd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// --- the exports; the other side of web/limber/src/wasm.ts ---

typedef struct web_builder web_builder;
web_builder* builder_create(void);
void builder_destroy(web_builder* b);
void* builder_allocate(web_builder* b, size_t bytes);
int32_t builder_counts(web_builder* b, uint32_t skins, uint32_t meshes, uint32_t clips, uint32_t nodes,
                       uint32_t cameras);
void builder_rig(web_builder* b, uint32_t n, const char* const* names, const int32_t* parents,
                 const limber_transform* t);
void builder_skin(web_builder* b, uint32_t i, const char* name, uint32_t n, const uint32_t* joints,
                  const limber_mat4* m);
void builder_mesh(web_builder* b, uint32_t i, const char* name, const char* node, uint32_t skin, uint32_t v,
                  uint32_t t);
void builder_surface(web_builder* b, uint32_t i, const float* positions, const float* normals, const float* uvs,
                     const float* colors, const uint32_t* triangles);
int32_t builder_influences(web_builder* b, uint32_t i, uint32_t width, const uint16_t* joints, const float* weights);
int32_t builder_mesh_counts(web_builder* b, uint32_t i, uint32_t morphs, const float* defaults, uint32_t layers);
void builder_morph(web_builder* b, uint32_t m, uint32_t i, const char* name, const float* positions,
                   const float* normals);
void builder_layer(web_builder* b, uint32_t m, uint32_t i, const char* name, const float* values);
int32_t builder_clip(web_builder* b, uint32_t i, const char* name, uint32_t channels, uint32_t camera_channels);
void builder_channel(web_builder* b, uint32_t clip, uint32_t i, uint32_t path, uint32_t interpolation, uint32_t target,
                     uint32_t keys, const float* times, const float* values);
web_character* builder_finish(web_builder* b, uint32_t* order);
web_character* character_from_bvh(const void* bytes, size_t count, const char* clip_name);
uint8_t* character_texture(web_character* c, uint32_t mesh, uint32_t width, uint32_t height);
web_character* character_subdivide(const web_character* from, const limber_style* style, double fps);
void character_destroy(web_character* c);
int32_t layer_paint(const web_character* c, uint32_t kind, uint32_t joint, const char* formula, uint32_t passes,
                    float* v);
web_pipeline* pipeline_create(const web_character* c, const limber_style* style);
int32_t pipeline_restyle(web_pipeline* p, const limber_style* style);
void pipeline_destroy(web_pipeline* p);
int32_t pipeline_pose(web_pipeline* p, int32_t clip, double time_s);
void pipeline_run(web_pipeline* p);
int32_t pipeline_smear(web_pipeline* p, int32_t clip, double time_s, double fps);
int32_t pipeline_what_if(web_pipeline* p, int32_t clip, double time_s, limber_vec3* motion, float amount);
const float* pipeline_array(const web_pipeline* p, uint32_t which);
uint32_t pipeline_colliders(web_pipeline* p, float* out);
uint32_t pipeline_smear_mesh_count(const web_pipeline* p);
const void* pipeline_smear_mesh_array(const web_pipeline* p, uint32_t i, uint32_t which);
int32_t pack_open(web_pipeline* p, int32_t normals);
uint32_t pack_frame(web_pipeline* p);
limber_bake* bake_create(web_pipeline* p, uint32_t kind, uint32_t clip_count, const uint32_t* clips, double fps,
                         double start_s, double end_s, double tolerance, int32_t normals, uint32_t extras);
void bake_destroy(limber_bake* bake);
web_live* live_create(web_pipeline* p, const web_live* before);
void live_destroy(web_live* l);
float* live_array(web_live* l, uint32_t which);
int32_t live_push(web_live* l, int32_t morphs, double time_s);
void live_reset(web_live* l);
void live_ground(web_live* l, float height);
int32_t live_smears(web_live* l, double fps, uint32_t history, float teleport);
int32_t live_smear(web_live* l);
uint32_t stretch_count(const web_pipeline* p, uint32_t clip);
typedef struct web_crowd web_crowd;
web_crowd* crowd_create(const web_character* const* characters, limber_style* const* styles, uint32_t kind_count,
                        uint32_t limit, uint32_t outputs, double step_s);
void crowd_destroy(web_crowd* c);
int32_t crowd_evaluate(web_crowd* c, uint32_t count, double now_s, uint32_t frame);
uint32_t crowd_gather(web_crowd* c, uint32_t head);
int32_t crowd_prepare(web_crowd* c, uint32_t kind, uint32_t clip);
uint32_t crowd_number(const web_crowd* c, uint32_t which);
void* crowd_array(const web_crowd* c, uint32_t which);
uint32_t crowd_kind_number(const web_crowd* c, uint32_t kind, uint32_t which);
const char* crowd_warning(const web_crowd* c, uint32_t kind, uint32_t i);
const char* crowd_defines(const web_crowd* c, uint32_t kind);
limber_contacts* contacts_create(const web_character* c, uint32_t clip);
limber_contacts* contacts_of_pipeline(const web_pipeline* p, uint32_t clip);
void contacts_destroy(limber_contacts* contacts);
uint32_t contacts_count(const limber_contacts* contacts, uint32_t which);
double contacts_number(const limber_contacts* contacts, uint32_t i, uint32_t which);
void contacts_evaluate(const limber_contacts* contacts, double time_s, float* held);
limber_rigid_parts* rigid_create(const web_character* c, const web_pipeline* p);
void rigid_destroy(limber_rigid_parts* parts);
int32_t rigid_is_on(const web_pipeline* p);
uint32_t rigid_count(const limber_rigid_parts* parts);
uint32_t rigid_number(const limber_rigid_parts* parts, uint32_t i, uint32_t which);

// --- a character that may be wrong everywhere ---

static double pick_double(fuzz_bytes* b) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1, 0, 1e-300, 1e9};
    return fuzz_chance(b, 24) ? odd[fuzz_below(b, 8)] : (double)fuzz_mild(b);
}

static float* floats(fuzz_bytes* b, web_builder* at, size_t count) {
    float* out = builder_allocate(at, count * sizeof *out);
    FUZZ_CHECK(out != NULL);
    for (size_t i = 0; i < count; i++)
        out[i] = fuzz_chance(b, 2) ? (float)pick_double(b) : fuzz_mild(b);
    return out;
}

// Small whole numbers; `end` itself, which is one too many, is among them but rarely.
static uint32_t pick_index(fuzz_bytes* b, uint32_t end) {
    return fuzz_chance(b, 2) ? end : fuzz_below(b, end ? end : 1);
}

static void add_rig(fuzz_bytes* b, web_builder* at, uint32_t joints) {
    const char** names = builder_allocate(at, joints * sizeof *names);
    int32_t* parents = builder_allocate(at, joints * sizeof *parents);
    limber_transform* rest = builder_allocate(at, joints * sizeof *rest);
    FUZZ_CHECK(names && parents && rest);
    for (uint32_t j = 0; j < joints; j++) {
        names[j] = "joint";
        parents[j] = (int32_t)pick_index(b, j + 1) - 1;
        rest[j] = limber_transform_identity();
        rest[j].translation.y = fuzz_chance(b, 3) ? (float)pick_double(b) : fuzz_mild(b);
    }
    builder_rig(at, joints, names, parents, rest);
}

static void add_mesh(fuzz_bytes* b, web_builder* at, uint32_t joints) {
    uint32_t vertices = 1 + fuzz_below(b, 20), triangles = fuzz_below(b, 20), width = fuzz_below(b, 6);
    uint32_t* skin = builder_allocate(at, joints * sizeof *skin);
    limber_mat4* binds = builder_allocate(at, joints * sizeof *binds);
    uint32_t* corners = builder_allocate(at, 3u * triangles * sizeof *corners);
    uint16_t* influences = builder_allocate(at, (size_t)vertices * width * sizeof *influences);
    FUZZ_CHECK(skin && binds && corners && influences);
    for (uint32_t j = 0; j < joints; j++) {
        skin[j] = fuzz_chance(b, 2) ? joints : j;
        binds[j] = limber_mat4_identity();
    }
    for (uint32_t i = 0; i < 3 * triangles; i++)
        corners[i] = pick_index(b, vertices);
    for (uint32_t i = 0; i < vertices * width; i++)
        influences[i] = (uint16_t)pick_index(b, joints);
    builder_skin(at, 0, "skin", joints, skin, binds);
    builder_mesh(at, 0, "mesh", "node", pick_index(b, 1), vertices, triangles);
    builder_surface(at, 0, floats(b, at, 3 * (size_t)vertices), NULL,
                    fuzz_chance(b, 128) ? floats(b, at, 2 * (size_t)vertices) : NULL, NULL, corners);
    FUZZ_CHECK(builder_influences(at, 0, width, influences, floats(b, at, (size_t)vertices * width)));
    FUZZ_CHECK(builder_mesh_counts(at, 0, 1, fuzz_chance(b, 128) ? floats(b, at, 1) : NULL, 1));
    builder_morph(at, 0, 0, "morph", floats(b, at, 3 * (size_t)vertices), NULL);
    builder_layer(at, 0, 0, fuzz_chance(b, 240) ? "floppy" : "not a name", floats(b, at, vertices));
}

static void add_clip(fuzz_bytes* b, web_builder* at, uint32_t joints) {
    uint32_t channels = fuzz_below(b, 4);
    FUZZ_CHECK(builder_clip(at, 0, "clip", channels, 0));
    for (uint32_t i = 0; i < channels; i++) {
        uint32_t keys = fuzz_below(b, 8), path = pick_index(b, 4), interpolation = pick_index(b, 3);
        float* times = builder_allocate(at, keys * sizeof *times);
        FUZZ_CHECK(times != NULL);
        for (uint32_t k = 0; k < keys; k++)
            times[k] = fuzz_chance(b, 3) ? (float)pick_double(b) : (float)k / 30;
        builder_channel(at, 0, i, path, interpolation, pick_index(b, path == 3 ? 1 : joints), keys, times,
                        floats(b, at, 12 * (size_t)keys));
    }
}

static web_character* build(fuzz_bytes* b) {
    web_builder* at = builder_create();
    uint32_t joints = 1 + fuzz_below(b, 6);
    FUZZ_CHECK(at && builder_counts(at, 1, 1, 1, 0, 0));
    add_rig(b, at, joints);
    add_mesh(b, at, joints);
    add_clip(b, at, joints);
    uint32_t order[6];
    web_character* c = builder_finish(at, fuzz_below(b, 2) ? order : NULL);
    FUZZ_CHECK(c || limberi_web_error.message[0]);
    builder_destroy(at);
    return c;
}

// --- what a page may call ---

typedef struct page {
    web_character* character;
    web_pipeline* pipeline;
    web_live* live;
    limber_style* style;
    bool packed;
} page;

static void evaluate(fuzz_bytes* b, page* p) {
    int32_t clip = (int32_t)fuzz_below(b, 4) - 2;
    uint32_t kind = fuzz_below(b, 3);
    size_t joints = p->character->model->rig.joint_count;
    if (kind == 0 && pipeline_pose(p->pipeline, clip, pick_double(b)) == 0)
        pipeline_run(p->pipeline);
    if (kind == 1 && pipeline_smear(p->pipeline, clip, pick_double(b), pick_double(b) * 30) == 0)
        for (uint32_t i = 0; i < pipeline_smear_mesh_count(p->pipeline); i++)
            FUZZ_CHECK(!pipeline_smear_mesh_array(p->pipeline, i, 9));
    if (kind == 2) {
        limber_vec3* motion = calloc(4 * joints, sizeof *motion);
        FUZZ_CHECK(motion != NULL);
        motion[fuzz_below(b, (uint32_t)(4 * joints))].x = (float)pick_double(b);
        (void)!pipeline_what_if(p->pipeline, clip, pick_double(b), motion, (float)pick_double(b));
        free(motion);
    }
    pipeline_array(p->pipeline, fuzz_below(b, 14));
}

static void stream(fuzz_bytes* b, page* p) {
    uint32_t joints = p->character->model->rig.joint_count;
    if (!p->live)
        p->live = live_create(p->pipeline, NULL);
    if (!p->live)
        return;
    live_array(p->live, 0)[fuzz_below(b, 10 * joints)] = (float)pick_double(b);
    live_array(p->live, 1)[0] = (float)pick_double(b);
    if (fuzz_chance(b, 40))
        live_ground(p->live, (float)pick_double(b));
    if (fuzz_chance(b, 20))
        (void)!live_smears(p->live, pick_double(b) * 30, fuzz_below(b, 60), (float)pick_double(b));
    if (live_push(p->live, fuzz_chance(b, 128), pick_double(b)) == 0 && fuzz_chance(b, 128))
        (void)!live_smear(p->live);
    if (fuzz_chance(b, 10))
        live_reset(p->live);
    if (fuzz_chance(b, 10)) {
        live_destroy(p->live);
        p->live = NULL;
    }
}

static void restyle(fuzz_bytes* b, page* p) {
    bool mild;
    limber_style* style = fuzz_look(b, &mild);
    if (pipeline_restyle(p->pipeline, style) == 0)
        p->packed = false;
    limber_style_destroy(style);
}

static void bake(fuzz_bytes* b, page* p) {
    uint32_t clips[2] = {0, fuzz_below(b, 3)};
    double fps = fuzz_chance(b, 128) ? 8 : pick_double(b);
    bake_destroy(bake_create(p->pipeline, fuzz_below(b, 5), fuzz_below(b, 3), clips, fps, pick_double(b),
                             pick_double(b), pick_double(b), fuzz_chance(b, 128), fuzz_below(b, 5)));
}

static void paint(fuzz_bytes* b, page* p) {
    static const char* const formulas[] = {"height", "noise(x,y,z)", "1/0", "paint.none", "((", "key(0,1)"};
    float* values = calloc((size_t)p->character->model->vertex_count + 1, sizeof *values);
    FUZZ_CHECK(values != NULL);
    (void)!layer_paint(p->character, fuzz_below(b, 7), fuzz_below(b, 9), formulas[fuzz_below(b, 6)], fuzz_below(b, 4),
                       values);
    free(values);
}

static void pack(fuzz_bytes* b, page* p) {
    if (!p->packed)
        p->packed = pack_open(p->pipeline, fuzz_chance(b, 128)) == 0;
    if (p->packed)
        pack_frame(p->pipeline);
}

static void play_crowd(fuzz_bytes* b, web_crowd* c, uint32_t limit) {
    limber_crowd_member* members = crowd_array(c, 0);
    for (uint32_t frame = 0; frame < 3; frame++) {
        for (uint32_t i = 0; i < limit; i++) {
            static const uint32_t every[] = {0, 1, 2, UINT32_MAX};
            limber_crowd_member m = {.kind = pick_index(b, 1),
                                     .clip = (int32_t)pick_index(b, 2) - 1,
                                     .start_s = pick_double(b),
                                     .speed = pick_double(b),
                                     .every = every[fuzz_below(b, 4)]};
            members[i] = m;
        }
        if (crowd_evaluate(c, pick_index(b, limit + 1), pick_double(b), frame) == 0)
            crowd_gather(c, fuzz_below(b, 9));
        else
            FUZZ_CHECK(limberi_web_error.message[0] != 0);
    }
}

static void crowd(fuzz_bytes* b, page* p) {
    const web_character* characters[2] = {p->character, p->character};
    limber_style* styles[2] = {p->style, NULL};
    uint32_t limit = fuzz_below(b, 6), kinds = 1 + fuzz_below(b, 2);
    double step_s = fuzz_chance(b, 128) ? 0 : pick_double(b);
    web_crowd* c = crowd_create(characters, styles, kinds, limit, fuzz_below(b, 17), step_s);
    if (!c) {
        FUZZ_CHECK(limberi_web_error.message[0] != 0);
        return;
    }
    if (fuzz_chance(b, 60))
        (void)!crowd_prepare(c, fuzz_below(b, 3), fuzz_below(b, 3));
    play_crowd(b, c, limit);
    for (uint32_t i = 0; i < 12; i++)
        (void)(crowd_number(c, i) + crowd_kind_number(c, 0, i));
    FUZZ_CHECK(!crowd_warning(c, 0, 1000) && !crowd_array(c, 11));
    crowd_defines(c, 0);
    crowd_destroy(c);
}

static void look_around(fuzz_bytes* b, page* p) {
    uint32_t clip = pick_index(b, p->character->model->clip_count);
    limber_contacts* contacts =
        fuzz_chance(b, 128) ? contacts_create(p->character, clip) : contacts_of_pipeline(p->pipeline, clip);
    limber_rigid_parts* parts = rigid_create(p->character, rigid_is_on(p->pipeline) ? p->pipeline : NULL);
    float* held = calloc((size_t)p->character->model->rig.joint_count + 1, sizeof *held);
    FUZZ_CHECK(held != NULL);
    if (contacts)
        contacts_evaluate(contacts, pick_double(b), held);
    for (uint32_t i = 0; contacts && i < contacts_count(contacts, 1); i++)
        FUZZ_CHECK(contacts_number(contacts, i, 0) < p->character->model->rig.joint_count);
    for (uint32_t i = 0; parts && i < rigid_count(parts); i++)
        FUZZ_CHECK(rigid_number(parts, i, 0) < p->character->model->rig.joint_count);
    free(held);
    contacts_destroy(contacts);
    rigid_destroy(parts);
}

static void step(fuzz_bytes* b, page* p) {
    uint8_t* pixels;
    switch (fuzz_below(b, 11)) {
    case 0:
        stream(b, p);
        break;
    case 1:
        restyle(b, p);
        break;
    case 2:
        bake(b, p);
        break;
    case 3:
        paint(b, p);
        break;
    case 4:
        pack(b, p);
        break;
    case 5:
        pixels = character_texture(p->character, fuzz_below(b, 3), fuzz_below(b, 9), fuzz_below(b, 9));
        if (pixels)
            pixels[0] = 255;
        break;
    case 6:
        pipeline_colliders(p->pipeline, NULL);
        (void)!stretch_count(p->pipeline, fuzz_below(b, 2));
        break;
    case 7:
        crowd(b, p);
        break;
    case 8:
        look_around(b, p);
        break;
    default:
        evaluate(b, p);
    }
}

static bool short_clips(const limber_model* model) {
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!((model->clips[i].end_s - model->clips[i].start_s) * model->clips[i].fps < 300))
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_bytes bytes = fuzz_bytes_of(data, size);
    page p = {0};
    bool mild;
    p.character = fuzz_chance(&bytes, 8) ? character_from_bvh(bytes.at, bytes.left, "clip") : build(&bytes);
    if (!p.character || !short_clips(p.character->model)) {
        character_destroy(p.character);
        return 0;
    }
    limber_style* style = p.style = fuzz_look(&bytes, &mild);
    p.pipeline = pipeline_create(p.character, style);
    FUZZ_CHECK(p.pipeline || limberi_web_error.message[0]);
    for (uint32_t i = 0; p.pipeline && i < 8; i++)
        step(&bytes, &p);
    if (fuzz_chance(&bytes, 20))
        character_destroy(character_subdivide(p.character, style, 8));
    pipeline_destroy(p.pipeline);
    limber_style_destroy(style);
    character_destroy(p.character);
    return 0;
}
