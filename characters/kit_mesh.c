// Meshes grow piece by piece: an implicit shape or a patch appends its vertices, triangles, colours, layers and
// weights.
#include "characters/characters.h"
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

void kit_mesh_begin(kit* k, const char* name) {
    if (kit_failed(k))
        return;
    if (k->mesh_count >= KIT_MESH_LIMIT || k->mesh_open) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in character has too many meshes, or one inside another");
        return;
    }
    k->mesh_open = true;
    k->material = 0;
    k->meshes[k->mesh_count].name = limberi_arena_string(&k->arena, name);
}

void kit_mesh_layer(kit* k, const char* name) {
    if (kit_failed(k))
        return;
    if (!k->mesh_open || k->meshes[k->mesh_count].vertex_count) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in mesh gets a layer too late");
        return;
    }
    k->meshes[k->mesh_count].extra_name = limberi_arena_string(&k->arena, name);
}

void kit_mesh_material(kit* k, const char* name, float metallic, float roughness, bool double_sided) {
    if (kit_failed(k) || k->material_count >= KIT_MATERIAL_LIMIT)
        return;
    limber_material material = {.base_color = {1, 1, 1, 1}, .metallic = metallic, .roughness = roughness, .image = -1};
    material.name = limberi_arena_string(&k->arena, name);
    material.double_sided = double_sided;
    k->material = (int32_t)k->material_count;
    k->materials[k->material_count++] = material;
}

static bool resize(void** array, size_t count, size_t size) {
    void* grown = realloc(*array, count * size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

static bool mesh_reserve(kit_mesh_data* mesh, size_t vertices, size_t triangles) {
    size_t influences = mesh->influence_count + KIT_INFLUENCES * (vertices - mesh->vertex_count);
    return resize((void**)&mesh->positions, 3 * vertices, sizeof(float)) &&
           resize((void**)&mesh->normals, 3 * vertices, sizeof(float)) &&
           resize((void**)&mesh->colors, 4 * vertices, sizeof(float)) &&
           resize((void**)&mesh->floppy, vertices, sizeof(float)) &&
           resize((void**)&mesh->squash, vertices, sizeof(float)) &&
           resize((void**)&mesh->extra, mesh->extra_name ? vertices : 1, sizeof(float)) &&
           resize((void**)&mesh->triangles, 3 * triangles, sizeof(uint32_t)) &&
           resize((void**)&mesh->influence_first, vertices + 1, sizeof(uint32_t)) &&
           resize((void**)&mesh->influence_joint, influences, sizeof(uint16_t)) &&
           resize((void**)&mesh->influence_weight, influences, sizeof(float));
}

// Pieces that follow each other in the same material make one part.
static bool part_grow(kit* k, kit_mesh_data* mesh, uint32_t vertices, uint32_t triangles) {
    limber_part* part = mesh->part_count ? &mesh->parts[mesh->part_count - 1] : NULL;
    if (!part || part->material != k->material) {
        if (mesh->part_count >= KIT_PART_LIMIT)
            return false;
        part = &mesh->parts[mesh->part_count++];
        part->first_vertex = mesh->vertex_count;
        part->first_triangle = mesh->triangle_count;
        part->material = k->material;
    }
    part->vertex_count += vertices;
    part->triangle_count += triangles;
    return true;
}

kit_mesh_data* kit_mesh_grow(kit* k, double vertices, double triangles) {
    if (kit_failed(k) || !k->mesh_open)
        return NULL;
    kit_mesh_data* mesh = &k->meshes[k->mesh_count];
    double total = vertices;
    for (uint32_t i = 0; i <= k->mesh_count; i++)
        total += k->meshes[i].vertex_count;
    if (!(total <= LIMBERI_CHARACTER_VERTEX_LIMIT)) {
        limberi_fail(&k->failure, LIMBER_ERROR_LIMIT,
                     "detail %g needs more than %u vertices, the limit of a built-in character", k->detail,
                     LIMBERI_CHARACTER_VERTEX_LIMIT);
        return NULL;
    }
    if (!mesh_reserve(mesh, mesh->vertex_count + (size_t)vertices, mesh->triangle_count + (size_t)triangles)) {
        kit_fail_memory(k);
        return NULL;
    }
    if (!part_grow(k, mesh, (uint32_t)vertices, (uint32_t)triangles)) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in mesh has too many materials");
        return NULL;
    }
    return mesh;
}

// Keeps the strongest influences; those below 1 % are noise that would only cost time.
static void put_weights(kit_mesh_data* mesh, const kit_weights* weights) {
    bool taken[KIT_WEIGHT_LIMIT] = {false};
    uint32_t first = mesh->influence_count;
    uint32_t kept = 0;
    float sum = 0;
    float all = 0;
    for (uint32_t i = 0; i < weights->count; i++)
        all += weights->weight[i];
    while (kept < KIT_INFLUENCES) {
        uint32_t best = KIT_NONE;
        for (uint32_t i = 0; i < weights->count; i++)
            if (!taken[i] && (best == KIT_NONE || weights->weight[i] > weights->weight[best]))
                best = i;
        if (best == KIT_NONE || (kept > 0 && weights->weight[best] < 0.01f * all))
            break;
        taken[best] = true;
        mesh->influence_joint[first + kept] = (uint16_t)weights->joint[best];
        mesh->influence_weight[first + kept] = weights->weight[best];
        sum += weights->weight[best];
        kept++;
    }
    for (uint32_t i = 0; i < kept; i++)
        mesh->influence_weight[first + i] /= sum > 0 ? sum : 1;
    mesh->influence_count += kept;
}

static float clamp(float x, float low, float high) {
    return fminf(fmaxf(x, low), high);
}

void kit_mesh_put(kit_mesh_data* mesh, const kit_vertex* vertex) {
    uint32_t v = mesh->vertex_count++;
    limberi_store3(mesh->positions + 3 * v, vertex->position);
    limberi_store3(mesh->normals + 3 * v, vertex->normal);
    mesh->colors[4 * v] = clamp(vertex->color.x, 0, 1);
    mesh->colors[4 * v + 1] = clamp(vertex->color.y, 0, 1);
    mesh->colors[4 * v + 2] = clamp(vertex->color.z, 0, 1);
    mesh->colors[4 * v + 3] = 1;
    mesh->floppy[v] = clamp(vertex->floppy, -1, 1);
    mesh->squash[v] = clamp(vertex->squash, -1, 1);
    if (mesh->extra_name)
        mesh->extra[v] = clamp(vertex->extra, -1, 1);
    mesh->influence_first[v] = mesh->influence_count;
    put_weights(mesh, &vertex->weights);
    mesh->influence_first[v + 1] = mesh->influence_count;
}

void kit_mesh_put_triangle(kit_mesh_data* mesh, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* corner = mesh->triangles + 3 * mesh->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

// The coarse mesh is made at a detail between 0.9 and 1.8 (unless the wanted one is smaller) and then doubled, so that
// a million vertices cost little more than placing them.
static bool coarse_mesh(kit* k, const kit_shape* shape, uint32_t doublings, kit_tri* mesh) {
    float cell = shape->cell > 0 ? shape->cell : 0.5f * kit_shape_smallest_edge(shape);
    double coarse = k->detail / (double)(1u << doublings);
    return kit_model(shape, cell, (float)coarse, mesh);
}

static bool fine_mesh(kit* k, const kit_shape* shape, kit_tri* mesh) {
    uint32_t doublings = 0;
    while (k->detail / (double)(1u << doublings) > 1.8 && doublings < 12)
        doublings++;
    if (!coarse_mesh(k, shape, doublings, mesh))
        return false;
    for (uint32_t i = 0; i < doublings; i++) {
        if (4.0 * mesh->triangle_count > 2.1 * LIMBERI_CHARACTER_VERTEX_LIMIT) {
            kit_mesh_grow(k, 2.0 * LIMBERI_CHARACTER_VERTEX_LIMIT, 0);
            return false;
        }
        kit_tri finer = {0};
        bool done = kit_subdivide(shape, mesh, &finer);
        kit_tri_free(mesh);
        *mesh = finer;
        if (!done)
            return false;
    }
    return true;
}

static void put_shape(kit* k, const kit_shape* shape, const kit_tri* tri, kit_mesh_data* mesh) {
    uint32_t first = mesh->vertex_count;
    for (uint32_t v = 0; v < tri->vertex_count; v++) {
        kit_vertex vertex = {.position = tri->at[v]};
        kit_shape_distance(shape, vertex.position, &vertex.normal);
        vertex.normal = limberi_normalize(vertex.normal);
        vertex.edge = kit_shape_edge(shape, vertex.position, (float)k->detail);
        kit_shape_dress(k, shape, &vertex);
        kit_mesh_put(mesh, &vertex);
    }
    for (uint32_t t = 0; t < tri->triangle_count; t++) {
        const uint32_t* c = tri->corner + 3 * t;
        kit_mesh_put_triangle(mesh, first + c[0], first + c[1], first + c[2]);
    }
}

void kit_mesh_shape(kit* k, const kit_shape* shape) {
    if (kit_failed(k) || !shape)
        return;
    kit_tri tri = {0};
    if (!fine_mesh(k, shape, &tri)) {
        kit_fail_memory(k);
        kit_tri_free(&tri);
        return;
    }
    free(tri.twin);
    free(tri.out);
    free(tri.wanted);
    tri.twin = tri.out = NULL;
    tri.wanted = NULL;
    kit_mesh_data* mesh = kit_mesh_grow(k, tri.vertex_count, tri.triangle_count);
    if (mesh)
        put_shape(k, shape, &tri, mesh);
    kit_tri_free(&tri);
}

void kit_mesh_end(kit* k) {
    if (kit_failed(k) || !k->mesh_open)
        return;
    k->mesh_open = false;
    if (k->meshes[k->mesh_count].vertex_count == 0)
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in mesh is empty");
    k->mesh_count++;
}
