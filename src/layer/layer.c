// Layers by name, and layers from formulas.
#include "layer/layer.h"
#include "asset/asset.h"
#include "base/error.h"
#include "base/math.h"
#include "text/text.h"

#include <limber/stages/layer.h>
#include <string.h>

bool limber_layer_name_is_valid(const char* name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!limberi_is_letter(name[i]) && !limberi_is_digit(name[i]) && name[i] != '_')
            return false;
    return length > 0 && length <= LIMBER_LAYER_NAME_LENGTH;
}

limber_result limber_layer_height(const limber_model* model, float* values, limber_error* error) {
    limberi_arena arena = {NULL, false};
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limberi_mesh_names names = {{NULL}};
        if (limberi_mesh_names_fill(&arena, model, mesh, 1u << LIMBER_VARIABLE_HEIGHT, &names)) {
            limberi_arena_free(&arena);
            return limberi_fail_memory(error);
        }
        for (uint32_t u = 0; u < mesh->vertex_count; u++) // scenery may lie below and above the character
            values[mesh->first_vertex + u] = fminf(fmaxf(names.arrays[LIMBER_VARIABLE_HEIGHT][u], 0), 1);
        limberi_arena_free(&arena);
    }
    return LIMBER_OK;
}

limber_expression_scope limber_layer_scope(void) {
    const uint32_t all = (1u << LIMBER_VARIABLE_COUNT) - 1;
    const uint32_t moving = (1u << LIMBER_VARIABLE_SPEED) | (1u << LIMBER_VARIABLE_OFFSET) |
                            (1u << LIMBER_VARIABLE_COPY) | (1u << LIMBER_VARIABLE_COPIES);
    return (limber_expression_scope){all & ~moving, true};
}

bool limberi_has_layer(const limber_model* model, const char* name) {
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (limber_mesh_find_layer(&model->meshes[m], name))
            return true;
    return false;
}

size_t limberi_layer_count(const limber_model* model) {
    size_t count = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        count += model->meshes[m].layer_count;
    return count;
}

const char* limberi_layer_name_at(const void* user, size_t i) {
    const limber_mesh* mesh = ((const limber_model*)user)->meshes;
    for (; i >= mesh->layer_count; mesh++)
        i -= mesh->layer_count;
    return mesh->layers[i].name;
}

const char* limberi_nearest_layer(const limber_model* model, const char* name) {
    return limberi_suggest(name, limberi_layer_name_at, model, limberi_layer_count(model));
}

static limber_result check_layers(const limber_model* model, const limber_expression* expression, limber_error* error) {
    for (uint32_t l = 0; l < limber_expression_layer_count(expression); l++) {
        const char* name = limber_expression_layer(expression, l);
        if (limberi_has_layer(model, name))
            continue;
        const char* nearest = limberi_nearest_layer(model, name);
        if (nearest)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no mesh has the layer '%s'; did you mean '%s'?", name,
                                nearest);
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no mesh has the layer '%s'%s", name,
                            limberi_layer_count(model) ? "" : "; this character has no layers");
    }
    return LIMBER_OK;
}

static limber_result evaluate_mesh(const limber_model* model, const limber_mesh* mesh,
                                   const limber_expression* expression, float* values) {
    limberi_arena arena = {NULL, false};
    limberi_mesh_names names = {{NULL}};
    if (limberi_mesh_names_fill(&arena, model, mesh, limber_expression_uses(expression), &names)) {
        limberi_arena_free(&arena);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t first = 0; first < mesh->vertex_count; first += LIMBER_BLOCK) {
        uint32_t rest = mesh->vertex_count - first;
        limber_expression_inputs inputs = limber_expression_inputs_default();
        limberi_mesh_names_point(&names, mesh, expression, first, rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK, &inputs);
        limber_expression_evaluate(expression, &inputs, values + first);
        for (uint32_t i = first; i < first + inputs.count; i++)
            values[i] = fminf(fmaxf(values[i], -1), 1);
    }
    limberi_arena_free(&arena);
    return LIMBER_OK;
}

limber_result limber_layer_evaluate(const limber_model* model, const limber_expression* expression, float* values,
                                    limber_error* error) {
    limber_expression_scope scope = limber_layer_scope();
    if (limber_expression_uses(expression) & ~scope.names)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a layer cannot depend on speed or offset");
    limber_result result = check_layers(model, expression, error);
    if (result)
        return result;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (evaluate_mesh(model, &model->meshes[m], expression, values + model->meshes[m].first_vertex))
            return limberi_fail_memory(error);
    return LIMBER_OK;
}
