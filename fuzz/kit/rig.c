// Valid characters out of a fuzzer's bytes: trees, forests and chains of joints, skins that share joints, several
// meshes, morph targets, layers, clips with every kind of key, cameras.
#include "fuzz/kit/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 14, MESHES = 3, VERTICES = 48, TRIANGLES = 64, CHANNELS = 12, KEYS = 14, CLIPS = 2, MORPHS = 2 };

typedef struct mesh_room {
    float positions[3 * VERTICES], normals[3 * VERTICES], uvs[2 * VERTICES], colors[4 * VERTICES];
    float moved[MORPHS][3 * VERTICES], layers[2][VERTICES], weights[4 * VERTICES], defaults[MORPHS];
    uint32_t triangles[3 * TRIANGLES], first[VERTICES + 1], joints[JOINTS];
    uint16_t influences[4 * VERTICES];
    limber_mat4 binds[JOINTS];
    limber_morph morphs[MORPHS];
    limber_layer layer[2];
    limber_part parts[2];
} mesh_room;

typedef struct clip_room {
    float times[CHANNELS][KEYS], values[CHANNELS][KEYS * 12];
    limber_channel channels[CHANNELS];
    bool taken[JOINTS * 3 + MESHES];
} clip_room;

typedef struct room {
    limber_model model;
    char texts[JOINTS][16];
    const char* names[JOINTS];
    int32_t parents[JOINTS];
    limber_transform rest[JOINTS];
    limber_skin skins[MESHES];
    limber_mesh meshes[MESHES];
    mesh_room mesh[MESHES];
    limber_clip clips[CLIPS];
    clip_room clip[CLIPS];
    limber_material material;
    limber_camera_node node;
    limber_camera camera;
    limber_collider collider;
    bool wild_rig, wild_mesh, wild_clip;
} room;

static float number(fuzz_bytes* b, bool wild) {
    return wild ? fuzz_wild(b) : fuzz_mild(b);
}

static limber_vec3 vector(fuzz_bytes* b, bool wild) {
    limber_vec3 v = {number(b, wild), number(b, wild), number(b, wild)};
    return v;
}

// Of length 1 but for rounding; now and then one that is not.
static void put_turn(fuzz_bytes* b, bool wild, float* q) {
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = fuzz_mild(b);
        sum += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] = sum > 0.01f ? q[i] / sqrtf(sum) : (float)(i == 3);
    if (wild && fuzz_chance(b, 16))
        q[fuzz_below(b, 4)] = fuzz_wild(b);
}

static void put_joints(fuzz_bytes* b, room* r) {
    static const char* const words[] = {"root", "Hips", "LeftFoot", "Head", "arm", "tail", "Spine", "hand"};
    limber_rig* rig = &r->model.rig;
    uint32_t shape = fuzz_below(b, 4);
    rig->joint_count = 1 + fuzz_below(b, JOINTS);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        snprintf(r->texts[j], sizeof r->texts[j], "%s%u", words[fuzz_below(b, 8)], shape == 3 ? 0 : j);
        r->names[j] = r->texts[j];
        int32_t parents[] = {(int32_t)j - 1, 0, j ? (int32_t)fuzz_below(b, j) : 0, j ? (int32_t)fuzz_below(b, j) : 0};
        r->parents[j] = j == 0 || fuzz_chance(b, shape == 2 ? 60 : 4) ? LIMBER_NO_PARENT : parents[shape];
        r->rest[j] = limber_transform_identity();
        r->rest[j].translation = vector(b, r->wild_rig);
        if (fuzz_chance(b, 100))
            put_turn(b, r->wild_rig, &r->rest[j].rotation.x);
        if (fuzz_chance(b, 30))
            r->rest[j].scale = vector(b, r->wild_rig);
    }
    rig->names = r->names;
    rig->parents = r->parents;
    rig->rest_local = r->rest;
}

static void put_skin(fuzz_bytes* b, room* r, uint32_t m) {
    limber_skin* skin = &r->skins[m];
    mesh_room* at = &r->mesh[m];
    uint32_t joints = r->model.rig.joint_count;
    bool whole = fuzz_chance(b, 160); // every joint once, or any of them
    skin->name = "skin";
    skin->joint_count = whole ? joints : 1 + fuzz_below(b, joints);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        at->joints[i] = whole ? i : fuzz_below(b, joints);
        at->binds[i] = limber_mat4_identity();
        if (fuzz_chance(b, 40))
            for (int k = 0; k < 15; k++)
                at->binds[i].m[k] = k % 4 == 3 ? 0 : number(b, r->wild_mesh);
    }
    skin->joints = at->joints;
    skin->joint_from_mesh = at->binds;
}

static void put_surface(fuzz_bytes* b, room* r, uint32_t m) {
    limber_mesh* mesh = &r->meshes[m];
    mesh_room* at = &r->mesh[m];
    mesh->vertex_count = fuzz_chance(b, 8) ? 0 : 1 + fuzz_below(b, VERTICES);
    mesh->triangle_count = mesh->vertex_count ? fuzz_below(b, TRIANGLES + 1) : 0;
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        at->positions[i] = number(b, r->wild_mesh);
        at->normals[i] = i % 3 == 1 ? 1 : 0;
    }
    for (uint32_t i = 0; i < 4 * mesh->vertex_count; i++) {
        at->colors[i] = (float)(i % 5) / 4;
        at->uvs[i / 2] = (float)(i % 7) / 3;
    }
    uint32_t stride = fuzz_below(b, 3); // a strip, a fan, or any corners
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++)
        at->triangles[i] = stride == 2 ? fuzz_below(b, mesh->vertex_count) : (i / 3 + i % 3) % mesh->vertex_count;
    mesh->positions = at->positions;
    mesh->normals = fuzz_chance(b, 90) ? at->normals : NULL;
    mesh->uvs = fuzz_chance(b, 120) ? at->uvs : NULL;
    mesh->colors = fuzz_chance(b, 60) ? at->colors : NULL;
    mesh->triangles = at->triangles;
}

static void put_influences(fuzz_bytes* b, room* r, uint32_t m) {
    limber_mesh* mesh = &r->meshes[m];
    mesh_room* at = &r->mesh[m];
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        at->first[v] = count;
        uint32_t max = 1 + fuzz_below(b, 4);
        for (uint32_t i = 0; i < max; i++, count++) {
            at->influences[count] = (uint16_t)fuzz_below(b, r->skins[m].joint_count);
            at->weights[count] = i == 0 ? 0.5f : fabsf(fuzz_mild(b));
        }
    }
    at->first[mesh->vertex_count] = count;
    mesh->influence_first = at->first;
    mesh->influence_joint = at->influences;
    mesh->influence_weight = at->weights;
}

static void put_extras(fuzz_bytes* b, room* r, uint32_t m) {
    static const char* const layers[] = {"floppy", "skirt", "squash", "ears"};
    limber_mesh* mesh = &r->meshes[m];
    mesh_room* at = &r->mesh[m];
    mesh->morph_count = fuzz_below(b, MORPHS + 1);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++)
            at->moved[i][k] = number(b, r->wild_mesh);
        at->morphs[i] = (limber_morph){i ? "smile" : "", at->moved[i], fuzz_chance(b, 60) ? at->normals : NULL};
        at->defaults[i] = number(b, r->wild_mesh);
    }
    mesh->morphs = at->morphs;
    mesh->morph_defaults = fuzz_chance(b, 128) ? at->defaults : NULL;
    mesh->layer_count = fuzz_below(b, 3);
    for (uint32_t i = 0; i < mesh->layer_count; i++) {
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            at->layers[i][v] = fuzz_mild(b) / 2;
        at->layer[i] = (limber_layer){layers[2 * i + fuzz_below(b, 2)], at->layers[i]};
    }
    mesh->layers = at->layer;
}

static void put_meshes(fuzz_bytes* b, room* r) {
    r->model.skin_count = r->model.mesh_count = 1 + fuzz_below(b, MESHES);
    for (uint32_t m = 0; m < r->model.mesh_count; m++) {
        limber_mesh* mesh = &r->meshes[m];
        mesh->name = m == 1 ? "" : "body";
        mesh->node_name = "node";
        mesh->skin = m;
        put_skin(b, r, m);
        put_surface(b, r, m);
        put_influences(b, r, m);
        put_extras(b, r, m);
        r->mesh[m].parts[0] = (limber_part){0, mesh->vertex_count, 0, mesh->triangle_count, 0};
        mesh->part_count = 1;
        mesh->parts = r->mesh[m].parts;
    }
    r->material = (limber_material){.name = "paint", .base_color = {1, 0.5f, 0.2f, 1}, .roughness = 1, .image = -1};
    r->model.materials = &r->material;
    r->model.material_count = 1;
    r->model.skins = r->skins;
    r->model.meshes = r->meshes;
}

// --- clips ---

static uint32_t width_of(const room* r, limber_channel_path path, uint32_t target) {
    if (path == LIMBER_CHANNEL_WEIGHTS)
        return r->meshes[target].morph_count;
    return path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
}

static void put_times(fuzz_bytes* b, bool wild, uint32_t count, float* times) {
    float time = wild ? fuzz_mild(b) : 0;
    for (uint32_t k = 0; k < count; k++) {
        float step = (float)(1 + fuzz_below(b, 4)) / 30;
        times[k] = time;
        if (wild && fuzz_chance(b, 20))
            step = fminf(fabsf(fuzz_wild(b)), 2);
        time = time + step > time ? time + step : nextafterf(time, 1e30f);
    }
}

static void put_values(fuzz_bytes* b, bool wild, const limber_channel* c, uint32_t width, float* values) {
    uint32_t rows = c->key_count * (c->interpolation == LIMBER_INTERPOLATION_CUBIC ? 3 : 1);
    for (uint32_t i = 0; i < rows; i++) {
        if (c->path == LIMBER_CHANNEL_ROTATION)
            put_turn(b, wild, values + (size_t)i * width);
        else
            for (uint32_t k = 0; k < width; k++)
                values[i * width + k] = number(b, wild);
    }
}

static bool put_channel(fuzz_bytes* b, room* r, clip_room* at, uint32_t n) {
    limber_channel_path path = (limber_channel_path)fuzz_below(b, 4);
    bool morphs = path == LIMBER_CHANNEL_WEIGHTS;
    uint32_t target = fuzz_below(b, morphs ? r->model.mesh_count : r->model.rig.joint_count);
    uint32_t id = morphs ? JOINTS * 3 + target : target * 3 + (uint32_t)path, width = width_of(r, path, target);
    if (at->taken[id] || !width)
        return false;
    at->taken[id] = true;
    limber_channel* c = &at->channels[n];
    *c = (limber_channel){path, (limber_interpolation)fuzz_below(b, 3), target, 1 + fuzz_below(b, KEYS), NULL, NULL};
    put_times(b, r->wild_clip, c->key_count, at->times[n]);
    put_values(b, r->wild_clip, c, width, at->values[n]);
    c->times = at->times[n];
    c->values = at->values[n];
    return true;
}

static void put_clips(fuzz_bytes* b, room* r) {
    r->model.clip_count = fuzz_chance(b, 16) ? 0 : 1 + fuzz_below(b, CLIPS);
    for (uint32_t i = 0; i < r->model.clip_count; i++) {
        limber_clip* clip = &r->clips[i];
        clip->name = i ? "run" : "jump";
        for (uint32_t tries = 1 + fuzz_below(b, CHANNELS); tries > 0; tries--)
            clip->channel_count += put_channel(b, r, &r->clip[i], clip->channel_count);
        clip->channels = r->clip[i].channels;
    }
    r->model.clips = r->clips;
}

static void put_camera(fuzz_bytes* b, room* r) {
    if (fuzz_chance(b, 30)) {
        r->node = (limber_camera_node){-1, fuzz_chance(b, 128) ? 0 : -1, limber_transform_identity()};
        r->camera = (limber_camera){.name = "camera", .field_of_view_rad = 0.8f, .nearest = 0.1f};
        r->model.camera_nodes = &r->node;
        r->model.cameras = &r->camera;
        r->model.camera_node_count = r->model.camera_count = 1;
    }
    if (fuzz_chance(b, 30)) {
        limber_collider_shape shape = (limber_collider_shape)fuzz_below(b, 3);
        limber_vec3 up = {0, 1, 0};
        r->collider =
            (limber_collider){.shape = shape, .joint = (int32_t)fuzz_below(b, 2) - 1, .to = up, .radius = 0.3f};
        r->model.colliders = &r->collider;
        r->model.collider_count = 1;
    }
}

limber_asset* fuzz_rig(fuzz_bytes* b, bool* mild) {
    static room r;
    limber_asset* asset;
    limber_error error;
    memset(&r, 0, sizeof r);
    uint32_t wild = fuzz_below(b, 16);
    r.model = limber_model_default();
    r.wild_rig = wild & 1;
    r.wild_mesh = wild & 2;
    r.wild_clip = wild & 4;
    *mild = !r.wild_rig && !r.wild_mesh && !r.wild_clip;
    put_joints(b, &r);
    put_meshes(b, &r);
    put_clips(b, &r);
    put_camera(b, &r);
    limber_result result = limber_asset_create(&r.model, &asset, &error);
    FUZZ_CHECK((result == LIMBER_OK) == (asset != NULL));
    FUZZ_CHECK(result == LIMBER_OK || (error.message[0] && error.result == result));
    return asset;
}
