// The texture that stays: bones and radii of vertices, vertices of bones, seeds of lines, and columns of formulas.
#include "smear/smear_pack_private.h"

#include <string.h>

static void put_texel(float* fixed, size_t texel, float x, float y, float z, float w) {
    const float four[4] = {x, y, z, w};
    memcpy(fixed + 4 * texel, four, sizeof four);
}

static uint32_t quads(uint32_t count) {
    return (count + 3) / 4;
}

static uint32_t chunks_of(uint32_t strong) {
    return (strong + LIMBERI_PACK_CHUNK - 1) / LIMBERI_PACK_CHUNK;
}

static void count_all(limberi_smear_pack* p) {
    const limber_smearer* s = p->smearer;
    limberi_pack_fixed_places* at = &p->at;
    uint32_t joints = s->model->rig.joint_count;
    uint32_t chunks = 0;
    for (uint32_t j = 0; j < joints; j++)
        chunks += chunks_of(s->bones.strong[j]);
    at->vertex_stride = 1 + quads(p->of_vertices.count);
    at->seed_stride = LIMBERI_PACK_SEED + quads(p->of_seeds.count);
    at->influences = s->model->vertex_count * at->vertex_stride;
    at->joints = at->influences + s->bones.first[joints];
    at->children = at->joints + 2 * joints;
    at->chunks = at->children + joints;
    at->strong = at->chunks + chunks;
    at->seeds = at->strong + chunks * (LIMBERI_PACK_CHUNK / 4);
    at->end = at->seeds + s->seed_count * at->seed_stride;
    p->layout.fixed_texels = at->end;
    p->layout.chunks = chunks;
    p->layout.joints = joints;
}

// --- vertices ---

// The lists of bones, turned around.
static void put_influences(const limberi_smear_pack* p, uint32_t* first) {
    const limberi_smear_bones* b = &p->smearer->bones;
    uint32_t joints = p->layout.joints;
    uint32_t vertices = p->smearer->model->vertex_count;
    for (uint32_t i = 0; i < b->first[joints]; i++)
        first[b->vertex[i] + 1]++;
    for (uint32_t u = 0; u < vertices; u++)
        first[u + 1] += first[u];
    for (uint32_t j = joints; j-- > 0;) // backwards, so that a vertex has its bones in order
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++)
            put_texel(p->fixed, p->at.influences + --first[b->vertex[i] + 1], (float)j, b->weight[i], 0, 0);
}

static void put_vertices(const limberi_smear_pack* p, const uint32_t* starts) {
    const limber_smearer* s = p->smearer;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        float still = limberi_smear_skips(s, mesh) ? 0 : 1;
        for (uint32_t u = mesh->first_vertex; u < mesh->first_vertex + mesh->vertex_count; u++)
            put_texel(p->fixed, (size_t)u * p->at.vertex_stride, s->radii ? s->radii[u] : -1,
                      still * (s->gains ? s->gains[u] : 1), (float)(p->at.influences + starts[u]),
                      (float)(starts[u + 1] - starts[u]) +
                          0.5f * (s->outside ? s->outside[u] : 1)); // both in one number
    }
}

static void put_vertex_column(const limberi_smear_pack* p, uint32_t c) {
    const limber_smearer* s = p->smearer;
    const limberi_pack_column* column = &p->of_vertices.list[c];
    float values[LIMBER_BLOCK];
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        for (uint32_t first = 0; first < mesh->vertex_count; first += LIMBER_BLOCK) {
            uint32_t left = mesh->vertex_count - first;
            uint32_t count = left < LIMBER_BLOCK ? left : LIMBER_BLOCK;
            limberi_smear_run_until(s, m, column->expression, column->instruction, first, count, values);
            for (uint32_t i = 0; i < count; i++)
                p->fixed[4 * ((size_t)(mesh->first_vertex + first + i) * p->at.vertex_stride + 1) + c] = values[i];
        }
    }
}

// --- bones ---

static void put_strong(const limberi_smear_pack* p, uint32_t joint, uint32_t chunk) {
    const limberi_smear_bones* b = &p->smearer->bones;
    for (uint32_t first = 0; first < b->strong[joint]; first += LIMBERI_PACK_CHUNK, chunk++) {
        uint32_t left = b->strong[joint] - first;
        uint32_t count = left < LIMBERI_PACK_CHUNK ? left : LIMBERI_PACK_CHUNK;
        uint32_t list = p->at.strong + chunk * (LIMBERI_PACK_CHUNK / 4);
        put_texel(p->fixed, p->at.chunks + chunk, (float)joint, (float)list, (float)count, 0);
        for (uint32_t i = 0; i < count; i++)
            p->fixed[4 * (size_t)list + i] = (float)b->vertex[b->first[joint] + first + i];
    }
}

static void put_bones(const limberi_smear_pack* p) {
    const limberi_smear_bones* b = &p->smearer->bones;
    uint32_t chunk = 0;
    uint32_t child = 0;
    for (uint32_t j = 0; j < p->layout.joints; j++) {
        uint32_t first = child;
        uint32_t chunks = chunks_of(b->strong[j]);
        for (uint32_t k = 0; k < p->layout.joints; k++)
            if (b->parent[k] == (int32_t)j)
                put_texel(p->fixed, p->at.children + child++, (float)k, 0, 0, 0);
        put_texel(p->fixed, p->at.joints + 2 * j, (float)b->parent[j], (float)chunk, (float)chunks, 0);
        put_texel(p->fixed, p->at.joints + 2 * j + 1, (float)(p->at.children + first), (float)(child - first), 0, 0);
        put_strong(p, j, chunk);
        chunk += chunks;
    }
}

// --- lines ---

static void put_seed(const limberi_smear_pack* p, uint32_t i) {
    const limber_smearer* s = p->smearer;
    const limberi_smear_seed* seed = &s->seeds[i];
    size_t at = p->at.seeds + (size_t)i * p->at.seed_stride;
    float gain = 1;
    if (s->gains)
        gain = seed->parts[0] * s->gains[seed->vertices[0]] + seed->parts[1] * s->gains[seed->vertices[1]] +
               seed->parts[2] * s->gains[seed->vertices[2]];
    put_texel(p->fixed, at, (float)seed->vertices[0], (float)seed->vertices[1], (float)seed->vertices[2], gain);
    put_texel(p->fixed, at + 1, seed->parts[0], seed->parts[1], seed->parts[2], 0);
    put_texel(p->fixed, at + 2, seed->color[0], seed->color[1], seed->color[2], seed->color[3]);
    for (uint32_t ring = 0; ring < LIMBERI_LINE_RINGS; ring++)
        p->fixed[4 * (at + 3) + ring] = limberi_smear_ink(i, ring);
    for (uint32_t c = 0; c < p->of_seeds.count; c++)
        p->fixed[4 * (at + LIMBERI_PACK_SEED) + c] =
            limberi_smear_seed_until(s, i, p->of_seeds.list[c].expression, p->of_seeds.list[c].instruction);
}

limber_result limberi_smear_pack_fix(limberi_smear_pack* p) {
    const limber_smearer* s = p->smearer;
    count_all(p);
    p->fixed = LIMBERI_ALLOCATE(&p->arena, float, 4 * (size_t)p->at.end);
    uint32_t* firsts = LIMBERI_ALLOCATE(&p->arena, uint32_t, (size_t)s->model->vertex_count + 2);
    if (p->arena.failed)
        return LIMBER_ERROR_MEMORY;
    memset(p->fixed, 0, 4 * (size_t)p->at.end * sizeof *p->fixed);
    memset(firsts, 0, ((size_t)s->model->vertex_count + 2) * sizeof *firsts);
    put_influences(p, firsts); // leaves the start of vertex u in firsts[u + 1]
    firsts[s->model->vertex_count + 1] = s->bones.first[p->layout.joints];
    put_vertices(p, firsts + 1);
    for (uint32_t c = 0; c < p->of_vertices.count; c++)
        put_vertex_column(p, c);
    put_bones(p);
    for (uint32_t i = 0; i < s->seed_count; i++)
        put_seed(p, i);
    return LIMBER_OK;
}
