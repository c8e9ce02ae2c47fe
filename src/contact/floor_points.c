// Which support points can be near the ground: boxes around those that move with the same joints.
#include "contact/floor_points.h"

#include "base/math.h"

#include <string.h>

// --- once per pipeline ---

static const struct limberi_groups* group_mesh(const limberi_support* s, const limberi_ancestors* tree,
                                               const limber_mesh* mesh, uint32_t* list, limberi_arena* arena) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->point_count; i++)
        if (s->vertices[i] - mesh->first_vertex < mesh->vertex_count)
            list[count++] = s->vertices[i] - mesh->first_vertex;
    return limberi_groups_make_of(arena, s->model, tree, mesh, list, count);
}

static limberi_floor_box box_of(const struct limberi_groups* groups, const limberi_group* group) {
    limberi_floor_box box;
    for (int c = 0; c < 3; c++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (uint32_t i = 0; i < group->count; i++) {
            low = fminf(low, groups->positions[c][group->first + i]);
            high = fmaxf(high, groups->positions[c][group->first + i]);
        }
        box.middle[c] = 0.5f * (low + high);
        box.half[c] = 0.5f * (high - low);
    }
    return box;
}

static void fill_group(const limberi_support* s, const struct limberi_groups* groups, const uint32_t* owner_of,
                       limberi_arena* arena, limberi_floor_group* out) {
    const limber_mesh* mesh = &s->model->meshes[out->mesh];
    const limberi_group* group = &groups->groups[out->index];
    uint32_t* vertices = LIMBERI_ALLOCATE(arena, uint32_t, group->count);
    uint32_t* owners = LIMBERI_ALLOCATE(arena, uint32_t, group->count);
    for (uint32_t i = 0; vertices && owners && i < group->count; i++) {
        vertices[i] = mesh->first_vertex + groups->vertices[group->first + i];
        owners[i] = owner_of[vertices[i]];
    }
    out->count = group->count;
    out->vertices = vertices;
    out->owners = owners;
    out->rest = box_of(groups, group);
    out->still_mesh = !mesh->morph_count;
}

static bool list_groups(const limberi_support* s, const uint32_t* owner_of, limberi_arena* arena,
                        limberi_floor_points* out) {
    uint32_t meshes = s->model->mesh_count;
    for (uint32_t m = 0; m < meshes; m++)
        out->group_count += out->groups[m]->group_count;
    out->all = LIMBERI_ALLOCATE(arena, limberi_floor_group, out->group_count);
    out->boxes = LIMBERI_ALLOCATE(arena, limberi_floor_box, out->group_count);
    uint32_t at = 0;
    for (uint32_t m = 0; !arena->failed && m < meshes; m++)
        for (uint32_t g = 0; g < out->groups[m]->group_count; g++, at++) {
            out->all[at].mesh = m;
            out->all[at].index = g;
            fill_group(s, out->groups[m], owner_of, arena, &out->all[at]);
        }
    return !arena->failed;
}

bool limberi_floor_points_make(const limberi_support* s, limberi_arena* arena, limberi_floor_points* out) {
    limberi_arena scratch = {NULL, false};
    const limber_model* model = s->model;
    uint32_t* owner_of = LIMBERI_ALLOCATE(&scratch, uint32_t, model->vertex_count);
    uint32_t* list = LIMBERI_ALLOCATE(&scratch, uint32_t, s->point_count);
    limberi_ancestors tree;
    memset(out, 0, sizeof *out);
    out->groups = LIMBERI_ALLOCATE(arena, const struct limberi_groups*, model->mesh_count);
    bool memory = limberi_ancestors_make(&scratch, &model->rig, &tree) && !scratch.failed && !arena->failed;
    for (uint32_t o = 0; memory && o < s->owner_count; o++)
        for (uint32_t i = s->first[o]; i < s->first[o + 1]; i++)
            owner_of[s->vertices[i]] = s->owners[o];
    for (uint32_t m = 0; memory && m < model->mesh_count; m++) {
        out->groups[m] = group_mesh(s, &tree, &model->meshes[m], list, arena);
        memory = out->groups[m] != NULL;
    }
    memory = memory && list_groups(s, owner_of, arena, out);
    limberi_arena_free(&scratch);
    return memory;
}

// --- in a frame ---

static void add_place(const limber_mat4* world_from_mesh, const limberi_floor_box* rest, float* low, float* high) {
    const float* m = world_from_mesh->m;
    for (int c = 0; c < 3; c++) {
        float middle = m[c] * rest->middle[0] + m[4 + c] * rest->middle[1] + m[8 + c] * rest->middle[2] + m[12 + c];
        float half = fabsf(m[c]) * rest->half[0] + fabsf(m[4 + c]) * rest->half[1] + fabsf(m[8 + c]) * rest->half[2];
        low[c] = middle - half < low[c] ? middle - half : low[c];
        high[c] = middle + half > high[c] ? middle + half : high[c];
    }
}

void limberi_floor_points_place(const limberi_floor_points* points, const limber_model* model,
                                limber_mat4* const* palettes) {
    for (uint32_t g = 0; g < points->group_count; g++) {
        const limberi_floor_group* group = &points->all[g];
        const struct limberi_groups* groups = points->groups[group->mesh];
        const limberi_group* of = &groups->groups[group->index];
        const limber_mat4* palette = palettes[model->meshes[group->mesh].skin];
        float low[3] = {INFINITY, INFINITY, INFINITY};
        float high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (uint32_t s = 0; s < of->slot_count; s++)
            add_place(&palette[groups->slots[of->slot_first + s]], &group->rest, low, high);
        for (int c = 0; c < 3; c++) {
            points->boxes[g].middle[c] = group->still_mesh ? 0.5f * (low[c] + high[c]) : 0;
            points->boxes[g].half[c] = group->still_mesh ? 0.5f * (high[c] - low[c]) : HUGE_VALF;
        }
    }
}
