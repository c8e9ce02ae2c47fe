// Meshes of an imported scene: geometry, influences, morph targets.
#include "base/math.h"
#include "cli/import/scene.h"

#include <string.h>

// All meshes of one node become one, with a part for each.
typedef struct mesh_import {
    import_scene* s;
    uint32_t node;
    limber_mesh* mesh;
    limber_skin* skin;
    limber_mat4 geometric;
    uint32_t joint_room;
    uint32_t
        loose; // index of the node's own joint in the skin, for vertices without weights; IMPORT_NONE: not used yet
} mesh_import;

static const struct aiMesh* part_of(const import_scene* s, uint32_t node, uint32_t part) {
    return s->source->mMeshes[s->nodes[node].source->mMeshes[part]];
}

static bool is_surface(const struct aiMesh* mesh) {
    return mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE && mesh->mNumVertices && mesh->mNumFaces;
}

static bool is_finite(const struct aiVector3D* v) {
    return isfinite(v->x) && isfinite(v->y) && isfinite(v->z);
}

// --- vertices ---

static limber_result fill_positions(mesh_import* m, const struct aiMesh* from, uint32_t first) {
    float* to = (float*)m->mesh->positions + 3 * (size_t)first;
    for (uint32_t v = 0; v < from->mNumVertices; v++, to += 3) {
        const struct aiVector3D* p = &from->mVertices[v];
        if (!is_finite(p))
            return limberi_fail(m->s->error, LIMBER_ERROR_DATA, "mesh '%s' has a vertex that is not finite",
                                from->mName.data);
        to[0] = p->x * m->s->meters;
        to[1] = p->y * m->s->meters;
        to[2] = p->z * m->s->meters;
    }
    return LIMBER_OK;
}

static void fill_attributes(const mesh_import* m, const struct aiMesh* from, uint32_t first) {
    float* normals = (float*)m->mesh->normals;
    float* uvs = (float*)m->mesh->uvs;
    float* colors = (float*)m->mesh->colors;
    for (uint32_t v = 0; v < from->mNumVertices; v++) {
        size_t to = first + v;
        if (from->mNormals && is_finite(&from->mNormals[v]))
            memcpy(normals + 3 * to, &from->mNormals[v], 3 * sizeof(float));
        if (uvs && from->mTextureCoords[0] && is_finite(&from->mTextureCoords[0][v]))
            memcpy(uvs + 2 * to, &from->mTextureCoords[0][v], 2 * sizeof(float));
        for (int c = 0; colors && c < 4; c++)
            colors[4 * to + (size_t)c] = from->mColors[0] ? (&from->mColors[0][v].r)[c] : 1.0f;
    }
}

static limber_result fill_triangles(mesh_import* m, const struct aiMesh* from, limber_part* part) {
    uint32_t* to = (uint32_t*)m->mesh->triangles + 3 * (size_t)part->first_triangle;
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        const struct aiFace* face = &from->mFaces[f];
        for (uint32_t c = 0; face->mNumIndices == 3 && c < 3; c++) {
            if (face->mIndices[c] >= from->mNumVertices)
                return limberi_fail(m->s->error, LIMBER_ERROR_DATA, "mesh '%s' has a triangle without a vertex",
                                    from->mName.data);
            *to++ = part->first_vertex + face->mIndices[c];
        }
        part->triangle_count += face->mNumIndices == 3;
    }
    return LIMBER_OK;
}

// --- the skin ---

static limber_result add_joint(mesh_import* m, int32_t joint, const limber_mat4* joint_from_mesh, uint32_t* index) {
    limber_skin* skin = m->skin;
    for (*index = 0; *index < skin->joint_count; ++*index)
        if (skin->joints[*index] == (uint32_t)joint &&
            memcmp(&skin->joint_from_mesh[*index], joint_from_mesh, sizeof *joint_from_mesh) == 0)
            return LIMBER_OK;
    if (joint < 0 || skin->joint_count == m->joint_room || skin->joint_count > UINT16_MAX)
        return limberi_fail(m->s->error, LIMBER_ERROR_DATA, "mesh '%s' has a bone without a place", m->mesh->name);
    ((uint32_t*)skin->joints)[skin->joint_count] = (uint32_t)joint;
    ((limber_mat4*)skin->joint_from_mesh)[skin->joint_count++] = *joint_from_mesh;
    return LIMBER_OK;
}

static bool counts(const struct aiMesh* from, const struct aiVertexWeight* weight) {
    return weight->mVertexId < from->mNumVertices && isfinite(weight->mWeight) && weight->mWeight > 0;
}

// `first` [vertex + 1] holds how many each vertex has, then where they start.
static void count_influences(const struct aiMesh* from, uint32_t* first) {
    for (uint32_t b = 0; b < from->mNumBones; b++)
        for (uint32_t w = 0; w < from->mBones[b]->mNumWeights; w++)
            if (counts(from, &from->mBones[b]->mWeights[w]))
                first[from->mBones[b]->mWeights[w].mVertexId + 1]++;
}

// FBX's transform of a mesh alone. Bind poses of bones are without it.
static limber_mat4 find_geometric(const import_scene* s, uint32_t node) {
    limber_mat4 all = limber_mat4_identity();
    for (uint32_t up = import_folded_above(s, node); up != IMPORT_NONE; up = import_folded_above(s, up)) {
        const char* kind = import_helper_kind(s, node, up);
        if (kind && strncmp(kind, "Geometric", strlen("Geometric")) == 0)
            all = limberi_mat4_mul(&s->nodes[up].local, &all);
    }
    return all;
}

static limber_result fill_bone(mesh_import* m, const struct aiMesh* from, const struct aiBone* bone,
                               const uint32_t* first, uint32_t* used) {
    uint32_t node = import_find_node(m->s, bone->mName.data);
    uint32_t index = 0;
    limber_mat4 joint_from_mesh = import_matrix(&bone->mOffsetMatrix, m->s->meters);
    joint_from_mesh = limberi_mat4_mul(&joint_from_mesh, &m->geometric);
    if (node == IMPORT_NONE || !limberi_mat4_is_finite(&joint_from_mesh))
        return limberi_fail(m->s->error, LIMBER_ERROR_DATA, "mesh '%s': bone '%s' has no node or a bad bind pose",
                            m->mesh->name, bone->mName.data);
    limber_result result = add_joint(m, m->s->nodes[node].joint, &joint_from_mesh, &index);
    if (result)
        return result;
    for (uint32_t w = 0; w < bone->mNumWeights; w++) {
        const struct aiVertexWeight* weight = &bone->mWeights[w];
        if (!counts(from, weight))
            continue;
        uint32_t at = first[weight->mVertexId] + used[weight->mVertexId]++;
        ((uint16_t*)m->mesh->influence_joint)[at] = (uint16_t)index;
        ((float*)m->mesh->influence_weight)[at] = weight->mWeight;
    }
    return LIMBER_OK;
}

static limber_result fill_influences(mesh_import* m, const struct aiMesh* from, uint32_t first_vertex) {
    const uint32_t* first = m->mesh->influence_first + first_vertex;
    uint32_t* used = LIMBERI_ALLOCATE(&m->s->arena, uint32_t, from->mNumVertices);
    limber_mat4 identity = limber_mat4_identity();
    if (!used)
        return limberi_fail_memory(m->s->error);
    for (uint32_t b = 0; b < from->mNumBones; b++) {
        limber_result result = fill_bone(m, from, from->mBones[b], first, used);
        if (result)
            return result;
    }
    for (uint32_t v = 0; v < from->mNumVertices; v++) {
        if (used[v])
            continue;
        if (m->loose == IMPORT_NONE) {
            limber_result result = add_joint(m, m->s->nodes[m->node].joint, &identity, &m->loose);
            if (result)
                return result;
        }
        ((uint16_t*)m->mesh->influence_joint)[first[v]] = (uint16_t)m->loose;
        ((float*)m->mesh->influence_weight)[first[v]] = 1;
    }
    return LIMBER_OK;
}

// --- morph targets ---

static uint32_t morph_count(const mesh_import* m) {
    const struct aiNode* node = m->s->nodes[m->node].source;
    uint32_t count = UINT32_MAX;
    for (uint32_t i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh* from = part_of(m->s, m->node, i);
        if (is_surface(from) && from->mNumAnimMeshes < count)
            count = from->mNumAnimMeshes;
    }
    return count;
}

static void fill_morph(const mesh_import* m, const struct aiMesh* from, uint32_t first, uint32_t index) {
    const struct aiAnimMesh* shape = from->mAnimMeshes[index];
    limber_morph* morph = &((limber_morph*)m->mesh->morphs)[index];
    float* to = (float*)morph->positions + 3 * (size_t)first;
    morph->name = import_name(m->s, &shape->mName);
    for (uint32_t v = 0; shape->mVertices && v < from->mNumVertices && v < shape->mNumVertices; v++, to += 3) {
        if (!is_finite(&shape->mVertices[v]))
            continue;
        to[0] = (shape->mVertices[v].x - from->mVertices[v].x) * m->s->meters;
        to[1] = (shape->mVertices[v].y - from->mVertices[v].y) * m->s->meters;
        to[2] = (shape->mVertices[v].z - from->mVertices[v].z) * m->s->meters;
    }
}

// --- one node ---

static limber_result allocate_mesh(mesh_import* m, bool uvs, bool colors) {
    limberi_arena* arena = &m->s->arena;
    limber_mesh* mesh = m->mesh;
    size_t vertices = mesh->vertex_count;
    mesh->positions = LIMBERI_ALLOCATE(arena, float, 3 * vertices);
    mesh->normals = LIMBERI_ALLOCATE(arena, float, 3 * vertices); // zeros count as none
    mesh->uvs = uvs ? LIMBERI_ALLOCATE(arena, float, 2 * vertices) : NULL;
    mesh->colors = colors ? LIMBERI_ALLOCATE(arena, float, 4 * vertices) : NULL;
    mesh->triangles = LIMBERI_ALLOCATE(arena, uint32_t, 3 * (size_t)mesh->triangle_count);
    mesh->influence_first = LIMBERI_ALLOCATE(arena, uint32_t, vertices + 1);
    m->skin->joints = LIMBERI_ALLOCATE(arena, uint32_t, m->joint_room);
    m->skin->joint_from_mesh = LIMBERI_ALLOCATE(arena, limber_mat4, m->joint_room);
    mesh->morph_count = morph_count(m);
    limber_morph* morphs = LIMBERI_ALLOCATE(arena, limber_morph, mesh->morph_count);
    for (uint32_t i = 0; morphs && i < mesh->morph_count; i++)
        morphs[i].positions = LIMBERI_ALLOCATE(arena, float, 3 * vertices);
    mesh->morphs = morphs;
    return arena->failed ? limberi_fail_memory(m->s->error) : LIMBER_OK;
}

static limber_result measure_parts(mesh_import* m, limber_part* parts) {
    const struct aiNode* node = m->s->nodes[m->node].source;
    const uint64_t max = limber_gltf_limits_default().vertices;
    uint64_t vertices = 0;
    uint64_t triangles = 0;
    bool uvs = false;
    bool colors = false;
    m->joint_room = 1;
    for (uint32_t i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh* from = part_of(m->s, m->node, i);
        if (!is_surface(from))
            continue;
        limber_part part = {(uint32_t)vertices, from->mNumVertices, (uint32_t)triangles, 0,
                            (int32_t)from->mMaterialIndex};
        parts[m->mesh->part_count++] = part;
        vertices += from->mNumVertices;
        triangles += from->mNumFaces;
        m->joint_room += from->mNumBones;
        uvs = uvs || from->mTextureCoords[0];
        colors = colors || from->mColors[0];
    }
    if (vertices > max || triangles > 4 * max)
        return limberi_fail(m->s->error, LIMBER_ERROR_LIMIT, "mesh '%s' has too many vertices (%llu, max %llu)",
                            m->mesh->name, (unsigned long long)vertices, (unsigned long long)max);
    m->mesh->vertex_count = (uint32_t)vertices;
    m->mesh->triangle_count = (uint32_t)triangles;
    m->mesh->parts = parts;
    return allocate_mesh(m, uvs, colors);
}

static limber_result allocate_influences(mesh_import* m) {
    uint32_t* first = (uint32_t*)m->mesh->influence_first;
    const struct aiNode* node = m->s->nodes[m->node].source;
    uint32_t vertex = 0;
    for (uint32_t i = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh* from = part_of(m->s, m->node, i);
        if (is_surface(from)) {
            count_influences(from, first + vertex);
            vertex += from->mNumVertices;
        }
    }
    for (uint32_t v = 0; v < vertex; v++)
        first[v + 1] = first[v] + (first[v + 1] ? first[v + 1] : 1);
    m->mesh->influence_joint = LIMBERI_ALLOCATE(&m->s->arena, uint16_t, first[vertex]);
    m->mesh->influence_weight = LIMBERI_ALLOCATE(&m->s->arena, float, first[vertex]);
    return m->s->arena.failed ? limberi_fail_memory(m->s->error) : LIMBER_OK;
}

static limber_result fill_part(mesh_import* m, const struct aiMesh* from, limber_part* part) {
    limber_result result = fill_positions(m, from, part->first_vertex);
    if (!result)
        result = fill_triangles(m, from, part);
    if (!result)
        result = fill_influences(m, from, part->first_vertex);
    if (result)
        return result;
    fill_attributes(m, from, part->first_vertex);
    for (uint32_t i = 0; i < m->mesh->morph_count; i++)
        fill_morph(m, from, part->first_vertex, i);
    return LIMBER_OK;
}

static limber_result import_mesh(mesh_import* m) {
    const struct aiNode* node = m->s->nodes[m->node].source;
    limber_part* parts = LIMBERI_ALLOCATE(&m->s->arena, limber_part, node->mNumMeshes);
    if (!parts)
        return limberi_fail_memory(m->s->error);
    m->mesh->name = m->mesh->node_name = import_name(m->s, &node->mName);
    limber_result result = measure_parts(m, parts);
    if (!result)
        result = allocate_influences(m);
    if (result)
        return result;
    for (uint32_t i = 0, p = 0; i < node->mNumMeshes; i++) {
        const struct aiMesh* from = part_of(m->s, m->node, i);
        if (!is_surface(from))
            continue;
        result = fill_part(m, from, &parts[p++]);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static bool has_surface(const import_scene* s, uint32_t node) {
    for (uint32_t i = 0; i < s->nodes[node].source->mNumMeshes; i++)
        if (is_surface(part_of(s, node, i)))
            return true;
    return false;
}

limber_result import_meshes(import_scene* s) {
    limber_mesh* meshes = LIMBERI_ALLOCATE(&s->arena, limber_mesh, s->node_count);
    limber_skin* skins = LIMBERI_ALLOCATE(&s->arena, limber_skin, s->node_count);
    s->mesh_of_node = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->node_count);
    if (s->arena.failed)
        return limberi_fail_memory(s->error);
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->node_count; n++) {
        s->mesh_of_node[n] = IMPORT_NONE;
        if (!has_surface(s, n))
            continue;
        mesh_import m = {.s = s, .node = n, .mesh = &meshes[count], .skin = &skins[count], .loose = IMPORT_NONE};
        m.geometric = find_geometric(s, n);
        meshes[count].skin = count;
        s->mesh_of_node[n] = count++;
        limber_result result = import_mesh(&m);
        if (result)
            return result;
    }
    s->model.meshes = meshes;
    s->model.skins = skins;
    s->model.mesh_count = s->model.skin_count = count;
    return LIMBER_OK;
}
