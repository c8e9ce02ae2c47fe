// The numbers of an effect for a block of vertices: constants, formulas, layers.
#include "deform/deform_private.h"

#include <string.h>

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

static limber_vec3 footprint(const limber_model* model) {
    return limberi_vec3(0.5f * (model->rest_min.x + model->rest_max.x), model->rest_min.y,
                        0.5f * (model->rest_min.z + model->rest_max.z));
}

static void fill_places(const limber_deformer* d, const limber_mesh* mesh, const float* rest, limberi_mesh_names* n) {
    limber_vec3 origin = footprint(d->model);
    float tall = d->model->rest_max.y - d->model->rest_min.y;
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 world = limberi_load3(rest + 3 * u);
        limber_vec3 p = limberi_scale(limberi_sub(world, origin), 1 / d->model->size);
        const float values[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; c++)
            if (n->arrays[LIMBER_NAME_X + c])
                n->arrays[LIMBER_NAME_X + c][u] = values[c];
        if (n->arrays[LIMBER_NAME_HEIGHT])
            n->arrays[LIMBER_NAME_HEIGHT][u] = tall > 0 ? (world.y - d->model->rest_min.y) / tall : 0;
        if (n->arrays[LIMBER_NAME_RAND])
            n->arrays[LIMBER_NAME_RAND][u] = place_random(p);
    }
}

// Mesh normals turned by the topmost joint's rest rotation: what the file shows before anything moves.
static void fill_others(const limber_deformer* d, const limber_mesh* mesh, limberi_mesh_names* n) {
    float r[9];
    limberi_mat4_rotation(&d->model->skins[mesh->skin].world_from_mesh, r);
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 m = limberi_load3(mesh->normals + 3 * u);
        for (int c = 0; c < 3; c++)
            if (n->arrays[LIMBER_NAME_NX + c])
                n->arrays[LIMBER_NAME_NX + c][u] = r[c] * m.x + r[3 + c] * m.y + r[6 + c] * m.z;
        for (int c = 0; c < 2; c++)
            if (n->arrays[LIMBER_NAME_U + c] && mesh->uvs)
                n->arrays[LIMBER_NAME_U + c][u] = mesh->uvs[2 * u + (size_t)c];
    }
}

limber_result limberi_prepare_names(limber_deformer* d) {
    const uint32_t stored = (1u << LIMBER_NAME_X) | (1u << LIMBER_NAME_Y) | (1u << LIMBER_NAME_Z) |
                            (1u << LIMBER_NAME_NX) | (1u << LIMBER_NAME_NY) | (1u << LIMBER_NAME_NZ) |
                            (1u << LIMBER_NAME_U) | (1u << LIMBER_NAME_V) | (1u << LIMBER_NAME_HEIGHT) |
                            (1u << LIMBER_NAME_RAND);
    d->names = LIMBERI_TAKE(&d->arena, limberi_mesh_names, d->model->mesh_count);
    for (uint32_t m = 0; d->names && (d->names_used & stored) && m < d->model->mesh_count; m++) {
        const limber_mesh* mesh = &d->model->meshes[m];
        for (uint32_t name = 0; name < LIMBER_NAME_COUNT; name++)
            if ((d->names_used & stored) >> name & 1)
                d->names[m].arrays[name] = LIMBERI_TAKE(&d->arena, float, mesh->vertex_count);
        limberi_arena temporary = {NULL, false};
        float* rest = LIMBERI_TAKE(&temporary, float, 3 * (size_t)mesh->vertex_count);
        if (rest && !d->arena.failed) {
            limber_mesh_rest_positions(d->model, mesh, rest);
            fill_places(d, mesh, rest, &d->names[m]);
            fill_others(d, mesh, &d->names[m]);
        }
        d->arena.failed = d->arena.failed || !rest;
        limberi_arena_free(&temporary);
    }
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static void fill_inputs(const limber_deformer* d, const limber_expression* e, const limber_deform_job* job,
                        const limber_mesh* mesh, uint32_t mesh_index, uint32_t first, uint32_t count,
                        const float* speed, limber_expression_inputs* in) {
    *in = limber_expression_inputs_default();
    in->count = count;
    in->frame[LIMBER_NAME_T] = (float)job->time_s;
    in->frame[LIMBER_NAME_FRAME] = (float)job->frame;
    in->frame[LIMBER_NAME_PHASE] = (float)job->phase;
    for (uint32_t name = LIMBER_NAME_FRAME_COUNT; name < LIMBER_NAME_COUNT; name++)
        if (d->names[mesh_index].arrays[name])
            in->vertex[name] = d->names[mesh_index].arrays[name] + first;
    in->vertex[LIMBER_NAME_SPEED] = speed;
    for (uint32_t l = 0; l < limber_expression_layer_count(e); l++) {
        const limber_layer* layer = limber_mesh_layer(mesh, limber_expression_layer(e, l));
        in->layers[l] = layer ? layer->values + first : NULL;
    }
}

static const float degrees = (float)(LIMBERI_PI / 180);

void limberi_evaluate_values(const limber_deformer* d, const limber_effect_settings* s, const limber_deform_job* job,
                             const limber_mesh* mesh, uint32_t mesh_index, uint32_t first, uint32_t count,
                             const float* speed, limberi_block_values* out) {
    const limber_number* numbers[VALUE_COUNT] = {&s->linear, &s->angular, &s->max_bend_deg,
                                                 &s->twist,  &s->bend,    &s->threshold};
    for (int n = 0; n < VALUE_COUNT; n++) {
        if (numbers[n]->expression) {
            limber_expression_inputs in;
            fill_inputs(d, numbers[n]->expression, job, mesh, mesh_index, first, count, speed, &in);
            limber_expression_evaluate(numbers[n]->expression, &in, out->v[n]);
        } else {
            for (uint32_t i = 0; i < count; i++)
                out->v[n][i] = numbers[n]->value;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        out->v[VALUE_MAX_BEND][i] *= degrees;
    const limber_layer* layer = s->layer ? limber_mesh_layer(mesh, s->layer) : NULL;
    for (uint32_t i = 0; layer && i < count; i++) {
        out->v[VALUE_LINEAR][i] *= layer->values[first + i];
        out->v[VALUE_ANGULAR][i] *= layer->values[first + i];
    }
}
