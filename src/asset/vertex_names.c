// What formulas may use of a vertex in the rest pose: position, normal, texture coordinates, height, a random number.
#include "asset/asset.h"
#include "base/build.h"
#include "base/math.h"

// The same number for vertices at the same place, however the mesh is cut or ordered: a hash of the rest position on a
// grid of 1e-4 L.
static float place_random(limber_vec3 p) {
    uint32_t h = 2166136261u;
    const float c[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++) {
        h ^= (uint32_t)(int32_t)lrintf(fminf(fmaxf(c[i] * 1e4f, -1e9f), 1e9f));
        h *= 16777619u;
        h ^= h >> 15;
    }
    h *= 2246822519u;
    h ^= h >> 13;
    return (float)(h >> 8) / 16777216.0f;
}

static void fill_places(const limber_model* model, const limber_mesh* mesh, const float* rest, limberi_mesh_names* n) {
    limber_vec3 origin = limberi_vec3(0.5f * (model->rest_min.x + model->rest_max.x), model->rest_min.y,
                                      0.5f * (model->rest_min.z + model->rest_max.z));
    float tall = model->rest_max.y - model->rest_min.y;
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 world = limberi_load3(rest + 3 * u);
        limber_vec3 p = limberi_scale(limberi_sub(world, origin), 1 / model->size);
        const float values[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; c++)
            if (n->arrays[LIMBER_VARIABLE_X + c])
                n->arrays[LIMBER_VARIABLE_X + c][u] = values[c];
        if (n->arrays[LIMBER_VARIABLE_HEIGHT])
            n->arrays[LIMBER_VARIABLE_HEIGHT][u] = tall > 0 ? (world.y - model->rest_min.y) / tall : 0;
        if (n->arrays[LIMBER_VARIABLE_RAND])
            n->arrays[LIMBER_VARIABLE_RAND][u] = place_random(p);
    }
}

// Mesh normals turned by the topmost joint's rest rotation: what the file shows before anything moves.
static void fill_others(const limber_model* model, const limber_mesh* mesh, limberi_mesh_names* n) {
    float r[9];
    limberi_mat4_rotation(&model->skins[mesh->skin].world_from_mesh, r);
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 m = limberi_load3(mesh->normals + 3 * u);
        for (int c = 0; c < 3; c++)
            if (n->arrays[LIMBER_VARIABLE_NX + c])
                n->arrays[LIMBER_VARIABLE_NX + c][u] = r[c] * m.x + r[3 + c] * m.y + r[6 + c] * m.z;
        for (int c = 0; c < 2; c++)
            if (n->arrays[LIMBER_VARIABLE_U + c] && mesh->uvs)
                n->arrays[LIMBER_VARIABLE_U + c][u] = mesh->uvs[2 * u + (size_t)c];
    }
}

limber_result limberi_mesh_names_fill(limberi_arena* arena, const limber_model* model, const limber_mesh* mesh,
                                      uint32_t used, limberi_mesh_names* names) {
    const uint32_t stored = (1u << LIMBER_VARIABLE_X) | (1u << LIMBER_VARIABLE_Y) | (1u << LIMBER_VARIABLE_Z) |
                            (1u << LIMBER_VARIABLE_NX) | (1u << LIMBER_VARIABLE_NY) | (1u << LIMBER_VARIABLE_NZ) |
                            (1u << LIMBER_VARIABLE_U) | (1u << LIMBER_VARIABLE_V) | (1u << LIMBER_VARIABLE_HEIGHT) |
                            (1u << LIMBER_VARIABLE_RAND);
    if (!LIMBERI_HAS_FORMULAS || !(used & stored))
        return LIMBER_OK;
    for (uint32_t name = 0; name < LIMBER_VARIABLE_COUNT; name++)
        if ((used & stored) >> name & 1)
            names->arrays[name] = LIMBERI_ALLOCATE(arena, float, mesh->vertex_count);
    limberi_arena temporary = {NULL, false};
    float* rest = LIMBERI_ALLOCATE(&temporary, float, 3 * (size_t)mesh->vertex_count);
    if (rest && !arena->failed) {
        limber_mesh_rest_positions(model, mesh, rest);
        fill_places(model, mesh, rest, names);
        fill_others(model, mesh, names);
    }
    bool filled = rest && !arena->failed;
    limberi_arena_free(&temporary);
    return filled ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

void limberi_mesh_names_point(const limberi_mesh_names* names, const limber_mesh* mesh,
                              const limber_expression* expression, uint32_t first, uint32_t count,
                              limber_expression_inputs* inputs) {
    inputs->count = count;
    for (uint32_t name = LIMBER_VARIABLE_FRAME_COUNT; name < LIMBER_VARIABLE_COUNT; name++)
        if (names->arrays[name])
            inputs->vertex[name] = names->arrays[name] + first;
    for (uint32_t l = 0; l < limber_expression_layer_count(expression); l++) {
        const limber_layer* layer = limber_mesh_find_layer(mesh, limber_expression_layer(expression, l));
        inputs->layers[l] = layer ? layer->values + first : NULL;
    }
}
