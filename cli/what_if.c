// What-if velocities, `--what-if Head.angular=0,2,0`: a frozen pose with the given velocity ramped in.
#include "base/memory.h"
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* joint_name_at(const void* user, size_t i) {
    const limber_model* model = user;
    return model->rig.names[i];
}

static const char* const quantities[] = {"linear", "angular", "linear_acceleration", "angular_acceleration"};

static const char* quantity_name_at(const void* user, size_t i) {
    (void)user;
    return quantities[i];
}

static int parse_vector(const char* option, const char* text, limber_vec3* v) {
    float* parts[3] = {&v->x, &v->y, &v->z};
    for (int i = 0; i < 3; i++) {
        char* end;
        double value = strtod(text, &end);
        if (end == text || *end != (i < 2 ? ',' : 0) || !(fabs(value) < 1e6))
            return cli_usage("--what-if %s: the value must be three numbers, as in Head.angular=0,2,0", option);
        *parts[i] = (float)value;
        text = end + 1;
    }
    return CLI_DONE;
}

static int parse_one(const char* input, const limber_model* model, const char* text, limber_kinematics* motion) {
    limber_vec3* const arrays[] = {motion->velocity, motion->angular_velocity, motion->acceleration,
                                   motion->angular_acceleration};
    const char* equals = strrchr(text, '=');
    char name[512];
    if (!equals || (size_t)(equals - text) >= sizeof name)
        return cli_usage("--what-if must be JOINT.QUANTITY=X,Y,Z, not '%s'", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    char* dot = strrchr(name, '.');
    if (!dot)
        return cli_usage("--what-if must be JOINT.QUANTITY=X,Y,Z, not '%s'", text);
    *dot = 0;
    for (size_t q = 0; q < 4; q++) {
        if (strcmp(dot + 1, quantities[q]) != 0)
            continue;
        int32_t joint = limber_rig_find_joint(&model->rig, name);
        if (joint < 0)
            return cli_fail(input, "has no joint '%s'%s", name,
                            cli_did_you_mean(name, joint_name_at, model, model->rig.joint_count));
        return parse_vector(text, equals + 1, &arrays[q][joint]);
    }
    return cli_usage("--what-if sets linear, angular, linear_acceleration or angular_acceleration, not '%s'%s", dot + 1,
                     cli_did_you_mean(dot + 1, quantity_name_at, NULL, 4));
}

int cli_what_if_parse(const char* input, const limber_model* model, const cli_list* texts, limber_kinematics* motion) {
    for (uint32_t i = 0; i < texts->count; i++) {
        int status = parse_one(input, model, texts->items[i], motion);
        if (status)
            return status;
    }
    return CLI_DONE;
}

// One joint at the origin holds every mesh still; only the morph weights move.
typedef struct still_model {
    limberi_arena arena;
    limber_model model;
    limber_mesh* meshes;
    limber_morph* morphs; // [mesh][step - 1]
    limber_channel* channels;
} still_model;

static const uint32_t the_joint[1] = {0};
static const int32_t no_parent[1] = {LIMBER_NO_PARENT};
static const char* const joint_name[1] = {"Still"};

static bool still_open(still_model* s, const limber_model* from, const limber_mat4* identity, limber_transform* rest) {
    uint32_t steps = CLI_WHAT_IF_STEPS - 1;
    s->model = *from;
    s->meshes = LIMBERI_COPY(&s->arena, limber_mesh, from->meshes, from->mesh_count);
    s->morphs = LIMBERI_ALLOCATE(&s->arena, limber_morph, (size_t)steps * from->mesh_count);
    s->channels = LIMBERI_ALLOCATE(&s->arena, limber_channel, from->mesh_count);
    limber_skin* skin = LIMBERI_ALLOCATE(&s->arena, limber_skin, 1);
    limber_clip* clip = LIMBERI_ALLOCATE(&s->arena, limber_clip, 1);
    float* times = LIMBERI_ALLOCATE(&s->arena, float, CLI_WHAT_IF_STEPS);
    float* values = LIMBERI_ALLOCATE(&s->arena, float, (size_t)steps* CLI_WHAT_IF_STEPS);
    if (s->arena.failed)
        return false;
    for (uint32_t k = 0; k < CLI_WHAT_IF_STEPS; k++) {
        times[k] = (float)k / (float)steps;
        if (k > 0)
            values[k * steps + k - 1] = 1;
    }
    skin->name = "Still";
    skin->joint_count = 1;
    skin->joints = the_joint;
    skin->joint_from_mesh = identity;
    clip->name = "what-if";
    clip->channel_count = from->mesh_count;
    clip->channels = s->channels;
    s->model.rig.joint_count = 1;
    s->model.rig.names = joint_name;
    s->model.rig.parents = no_parent;
    s->model.rig.rest_local = rest;
    s->model.skin_count = s->model.clip_count = 1;
    s->model.skins = skin;
    s->model.clips = clip;
    s->model.meshes = s->meshes;
    for (uint32_t m = 0; m < from->mesh_count; m++) {
        limber_channel channel = {
            LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, m, CLI_WHAT_IF_STEPS, times, values};
        s->channels[m] = channel;
    }
    return true;
}

// Every vertex rides on the one joint with weight 1.
static bool still_mesh(still_model* s, uint32_t m) {
    limber_mesh* mesh = &s->meshes[m];
    uint32_t* first = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)mesh->vertex_count + 1);
    uint16_t* joints = LIMBERI_ALLOCATE(&s->arena, uint16_t, mesh->vertex_count);
    float* weights = LIMBERI_ALLOCATE(&s->arena, float, mesh->vertex_count);
    for (uint32_t u = 0; weights && u < mesh->vertex_count; u++) {
        first[u + 1] = u + 1;
        weights[u] = 1;
    }
    mesh->skin = 0;
    mesh->influence_first = first;
    mesh->influence_joint = joints;
    mesh->influence_weight = weights;
    mesh->morph_count = CLI_WHAT_IF_STEPS - 1;
    mesh->morphs = s->morphs + (size_t)m * (CLI_WHAT_IF_STEPS - 1);
    mesh->morph_defaults = NULL;
    return !s->arena.failed;
}

static void still_step(still_model* s, uint32_t m, uint32_t step, const float* positions, const float* normals) {
    limber_mesh* mesh = &s->meshes[m];
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    size_t at = 3 * (size_t)mesh->first_vertex;
    if (step == 0) {
        mesh->positions = LIMBERI_COPY(&s->arena, float, positions + at, numbers);
        mesh->normals = LIMBERI_COPY(&s->arena, float, normals + at, numbers);
        return;
    }
    limber_morph* morph = &s->morphs[(size_t)m * (CLI_WHAT_IF_STEPS - 1) + step - 1];
    float* moved = LIMBERI_COPY(&s->arena, float, positions + at, numbers);
    float* turned = LIMBERI_COPY(&s->arena, float, normals + at, numbers);
    for (size_t i = 0; turned && i < numbers; i++) {
        moved[i] -= mesh->positions[i];
        turned[i] -= mesh->normals[i];
    }
    morph->positions = moved;
    morph->normals = turned;
}

static limber_result fill_steps(still_model* s, limber_cache_frame frame, void* user) {
    for (uint32_t step = 0; step < CLI_WHAT_IF_STEPS; step++) {
        const float *positions, *normals;
        limber_result result = frame(user, step, &positions, &normals);
        if (result)
            return result;
        for (uint32_t m = 0; m < s->model.mesh_count; m++) {
            if (step == 0 && !still_mesh(s, m))
                return LIMBER_ERROR_MEMORY;
            still_step(s, m, step, positions, normals);
            if (s->arena.failed)
                return LIMBER_ERROR_MEMORY;
        }
    }
    return LIMBER_OK;
}

int cli_what_if_save(const char* input, const limber_model* model, limber_cache_frame frame, void* user,
                     const char* output) {
    still_model s = {0};
    limber_mat4 identity = limber_mat4_identity();
    limber_transform rest = limber_transform_identity();
    limber_asset* asset = NULL;
    limber_gltf* gltf = NULL;
    limber_error error;
    limber_gltf_edits edits = limber_gltf_edits_default();
    int status = CLI_DONE;
    if (!still_open(&s, model, &identity, &rest) || fill_steps(&s, frame, user) != LIMBER_OK)
        status = cli_fail_memory(input);
    else if (limber_asset_create(&s.model, &asset, &error) != LIMBER_OK ||
             limber_gltf_from_asset(asset, &gltf, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    else if (limber_gltf_save_file(gltf, &edits, output, &error) != LIMBER_OK)
        status = cli_fail_error(output, &error);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    limberi_arena_free(&s.arena);
    return status;
}
