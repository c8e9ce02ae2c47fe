// The kit's life cycle, its rig, and the weights that chains of joints give.
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

kit* kit_create(double detail) {
    kit* k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->detail = detail;
    limber_material plain = {.name = "Toy", .base_color = {1, 1, 1, 1}, .roughness = 0.6f, .image = -1};
    k->materials[0] = plain;
    k->material_count = 1;
    return k;
}

static void mesh_free(kit_mesh_data* mesh) {
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->colors);
    free(mesh->floppy);
    free(mesh->squash);
    free(mesh->extra);
    free(mesh->triangles);
    free(mesh->influence_first);
    free(mesh->influence_joint);
    free(mesh->influence_weight);
}

void kit_destroy(kit* k) {
    if (!k)
        return;
    for (uint32_t i = 0; i < KIT_MESH_LIMIT; i++)
        mesh_free(&k->meshes[i]);
    limberi_arena_free(&k->arena);
    free(k);
}

void kit_fail(kit* k, limber_result result, const char* message) {
    if (k->failure.result == LIMBER_OK)
        limberi_fail(&k->failure, result, "%s", message);
}

void kit_fail_memory(kit* k) {
    if (k->failure.result == LIMBER_OK)
        limberi_fail_memory(&k->failure);
}

bool kit_failed(const kit* k) {
    return k->failure.result != LIMBER_OK;
}

uint32_t kit_joint(kit* k, const char* name, int32_t parent, float x, float y, float z) {
    if (k->joint_count >= KIT_JOINT_LIMIT || parent >= (int32_t)k->joint_count) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in rig has too many joints or a joint before its parent");
        return 0;
    }
    uint32_t joint = k->joint_count++;
    k->names[joint] = limberi_arena_string(&k->arena, name);
    k->parents[joint] = parent;
    k->at[joint] = kit_at(x, y, z);
    k->rest_local[joint] = limber_transform_identity();
    k->rest_local[joint].translation = parent < 0 ? k->at[joint] : limberi_sub(k->at[joint], k->at[parent]);
    return joint;
}

uint32_t kit_joint_side(kit* k, const char* name, float side, int32_t parent, float x, float y, float z) {
    char full[96];
    limberi_format(full, sizeof full, "%s%s", name, side > 0 ? "Left" : "Right");
    return kit_joint(k, full, parent, side * x, y, z);
}

uint32_t kit_joint_limb(kit* k, const char* limb, const char* part, float side, uint32_t parent, limber_vec3 at) {
    char full[96];
    limberi_format(full, sizeof full, "%s%s", limb, part);
    return kit_joint_side(k, full, side, (int32_t)parent, at.x, at.y, at.z);
}

uint32_t kit_joint_numbered(kit* k, const char* prefix, uint32_t number, int32_t parent, limber_vec3 at) {
    char full[96];
    limberi_format(full, sizeof full, "%s%u", prefix, number);
    return kit_joint(k, full, parent, at.x, at.y, at.z);
}

limber_vec3 kit_joint_at(const kit* k, uint32_t joint) {
    return k->at[joint];
}

uint32_t kit_chain(kit* k, const uint32_t* joints, uint32_t count, float softness) {
    if (k->chain_count >= KIT_CHAIN_LIMIT || count > KIT_CHAIN_LENGTH || count == 0) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in rig has too many chains or one of a wrong length");
        return 0;
    }
    kit_chain_data* chain = &k->chains[k->chain_count];
    chain->count = count;
    chain->softness = softness;
    memcpy(chain->joints, joints, sizeof *joints * count);
    return k->chain_count++;
}

uint32_t kit_rigid(kit* k, uint32_t joint) {
    return kit_chain(k, &joint, 1, 0);
}

void kit_weights_add(kit_weights* weights, uint32_t joint, float weight) {
    if (!(weight > 0))
        return;
    for (uint32_t i = 0; i < weights->count; i++)
        if (weights->joint[i] == joint) {
            weights->weight[i] += weight;
            return;
        }
    if (weights->count >= KIT_WEIGHT_LIMIT)
        return;
    weights->joint[weights->count] = joint;
    weights->weight[weights->count++] = weight;
}

static limber_vec3 stretch_direction(const kit* k, const kit_chain_data* chain, uint32_t stretch) {
    return limberi_normalize(limberi_sub(k->at[chain->joints[stretch + 1]], k->at[chain->joints[stretch]]));
}

static float stretch_length(const kit* k, const kit_chain_data* chain, uint32_t stretch) {
    return limberi_length(limberi_sub(k->at[chain->joints[stretch + 1]], k->at[chain->joints[stretch]]));
}

static float distance_to_stretch(const kit* k, const kit_chain_data* chain, uint32_t stretch, limber_vec3 at) {
    limber_vec3 from = limberi_sub(at, k->at[chain->joints[stretch]]);
    limber_vec3 direction = stretch_direction(k, chain, stretch);
    float along = limberi_dot(from, direction);
    float length = stretch_length(k, chain, stretch);
    along = fminf(fmaxf(along, 0), length);
    return limberi_length(limberi_sub(from, limberi_scale(direction, along)));
}

// 0 before the chain's joint `i`, 1 past it; half on the plane that halves the angle between its two stretches.
static float passed_joint(const kit* k, const kit_chain_data* chain, uint32_t i, limber_vec3 at) {
    uint32_t last = chain->count - 1;
    limber_vec3 before = stretch_direction(k, chain, i - 1);
    limber_vec3 after = i < last ? stretch_direction(k, chain, i) : before;
    limber_vec3 direction = limberi_normalize(limberi_add(before, after));
    float width = fminf(chain->softness, 0.5f * stretch_length(k, chain, i - 1));
    if (i < last)
        width = fminf(width, 0.5f * stretch_length(k, chain, i));
    float along = limberi_dot(limberi_sub(at, k->at[chain->joints[i]]), direction);
    return kit_smoothstep(-width, width, along);
}

// Only the nearest stretch and the joints at its two ends matter: a chain may curl without its ends sharing weights.
void kit_weights_add_chain(const kit* k, kit_weights* weights, uint32_t chain_index, limber_vec3 at, float amount) {
    const kit_chain_data* chain = &k->chains[chain_index];
    if (chain->count == 1) {
        kit_weights_add(weights, chain->joints[0], amount);
        return;
    }
    uint32_t nearest = 0;
    float smallest = INFINITY;
    for (uint32_t i = 0; i + 1 < chain->count; i++) {
        float distance = distance_to_stretch(k, chain, i, at);
        if (distance < smallest) {
            smallest = distance;
            nearest = i;
        }
    }
    float start = nearest > 0 ? passed_joint(k, chain, nearest, at) : 1;
    float end = passed_joint(k, chain, nearest + 1, at);
    if (nearest > 0)
        kit_weights_add(weights, chain->joints[nearest - 1], amount * (1 - start) * (1 - end));
    kit_weights_add(weights, chain->joints[nearest], amount * start * (1 - end));
    kit_weights_add(weights, chain->joints[nearest + 1], amount * end);
}

limber_vec3 kit_hex(uint32_t srgb) {
    float c[3];
    for (int i = 0; i < 3; i++) {
        float s = (float)(srgb >> (16 - 8 * i) & 255) / 255;
        c[i] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
    }
    return kit_at(c[0], c[1], c[2]);
}

float kit_mix(float a, float b, float t) {
    return a + (b - a) * t;
}

limber_vec3 kit_mirrored(limber_vec3 v, float side) {
    return kit_at(side * v.x, v.y, v.z);
}

float kit_ball_distance(limber_vec3 at, limber_vec3 center, limber_vec3 squeezed, float radius) {
    limber_vec3 d = limberi_sub(at, center);
    return limberi_length(kit_at(d.x * squeezed.x, d.y * squeezed.y, d.z * squeezed.z)) - radius;
}

float kit_nearer(float a, float b) {
    return fabsf(a) < fabsf(b) ? a : b;
}

float kit_smoothstep(float from, float to, float x) {
    if (!(to > from))
        return x < from ? 0 : 1;
    float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

float kit_inside(float distance, float width) {
    return 1 - kit_smoothstep(-0.5f * width, 0.5f * width, distance);
}

static void finish_meshes(kit* k, limber_mesh* meshes) {
    for (uint32_t i = 0; i < k->mesh_count; i++) {
        kit_mesh_data* from = &k->meshes[i];
        from->layers[0] = (limber_layer){"floppy", from->floppy};
        from->layers[1] = (limber_layer){"squash", from->squash};
        from->layers[2] = (limber_layer){from->extra_name, from->extra};
        meshes[i] = (limber_mesh){.name = from->name,
                                  .node_name = from->name,
                                  .vertex_count = from->vertex_count,
                                  .triangle_count = from->triangle_count,
                                  .positions = from->positions,
                                  .normals = from->normals,
                                  .colors = from->colors,
                                  .triangles = from->triangles,
                                  .influence_first = from->influence_first,
                                  .influence_joint = from->influence_joint,
                                  .influence_weight = from->influence_weight,
                                  .part_count = from->part_count,
                                  .parts = from->parts,
                                  .layer_count = from->extra_name ? 3 : 2,
                                  .layers = from->layers};
    }
}

// All joints in rig order; at rest every joint's axes are the world's, so the inverse bind only moves.
static void finish_skin(kit* k, uint32_t* joints, limber_mat4* joint_from_mesh) {
    for (uint32_t j = 0; j < k->joint_count; j++) {
        joints[j] = j;
        joint_from_mesh[j] = limber_mat4_identity();
        joint_from_mesh[j].m[12] = -k->at[j].x;
        joint_from_mesh[j].m[13] = -k->at[j].y;
        joint_from_mesh[j].m[14] = -k->at[j].z;
    }
}

limber_result kit_finish(kit* k, limber_asset** asset, limber_error* error) {
    *asset = NULL;
    uint32_t* joints = LIMBERI_ALLOCATE(&k->arena, uint32_t, k->joint_count);
    limber_mat4* joint_from_mesh = LIMBERI_ALLOCATE(&k->arena, limber_mat4, k->joint_count);
    if (k->arena.failed)
        kit_fail_memory(k);
    if (kit_failed(k)) {
        if (error)
            *error = k->failure;
        return k->failure.result;
    }
    finish_skin(k, joints, joint_from_mesh);
    limber_skin skin = {.name = "Skin", .joint_count = k->joint_count, .joints = joints};
    skin.joint_from_mesh = joint_from_mesh;
    skin.world_from_mesh = limber_mat4_identity();
    limber_mesh meshes[KIT_MESH_LIMIT];
    memset(meshes, 0, sizeof meshes);
    finish_meshes(k, meshes);
    limber_model model = limber_model_default();
    model.rig.joint_count = k->joint_count;
    model.rig.names = k->names;
    model.rig.parents = k->parents;
    model.rig.rest_local = k->rest_local;
    model.skin_count = 1;
    model.skins = &skin;
    model.mesh_count = k->mesh_count;
    model.meshes = meshes;
    model.clip_count = k->clip_count;
    model.clips = k->clips;
    model.material_count = k->material_count;
    model.materials = k->materials;
    return limber_asset_create(&model, asset, error);
}
