// Names that must exist on the character: joints, meshes and layers.
#include "style/bind.h"

#include "base/error.h"
#include "layer/layer.h"
#include "text/text.h"

#include <string.h>

// --- joints ---

// The part of a joint's name to compare with: for "Legg*" its beginning, for "*Legg" its end.
static const char* comparable(const char* name, const char* pattern, size_t wanted, char* scratch) {
    size_t length = strlen(name), whole = strlen(pattern);
    if (length <= wanted)
        return name;
    if (pattern[0] == '*')
        return name + length - wanted;
    if (pattern[whole - 1] != '*')
        return name;
    memcpy(scratch, name, wanted);
    scratch[wanted] = 0;
    return scratch;
}

static const char* the_one(const void* user, size_t index) {
    (void)index;
    return user;
}

static int32_t nearest_joint(const limber_rig* rig, const char* pattern) {
    char letters[LIMBERI_PATTERN_BYTES], scratch[LIMBERI_PATTERN_BYTES];
    size_t length = 0;
    for (const char* p = pattern; *p && length + 1 < sizeof letters; p++)
        if (*p != '*')
            letters[length++] = *p;
    letters[length] = 0;
    int32_t best = -1;
    int best_distance = 0;
    for (uint32_t i = 0; length && i < rig->joint_count; i++) {
        const char* name = comparable(rig->names[i], pattern, length, scratch);
        int distance = limberi_edit_distance(letters, name);
        if ((best < 0 || distance < best_distance) && limberi_suggest(letters, the_one, name, 1)) {
            best_distance = distance;
            best = (int32_t)i;
        }
    }
    return best;
}

limber_result limberi_fail_joint(limberi_binder* b, const char* pattern) {
    char wanted[64], near[64];
    const limber_rig* rig = &b->model->rig;
    limberi_json_tidy(pattern, wanted, sizeof wanted);
    int32_t best = nearest_joint(rig, pattern);
    if (best >= 0) {
        limberi_json_tidy(rig->names[best], near, sizeof near);
        return limberi_fail(b->error, LIMBER_ERROR_DATA, "no joint matches '%s'; did you mean '%s'?", wanted, near);
    }
    char some[200] = "";
    for (uint32_t i = 0; i < rig->joint_count && strlen(some) < 120; i++) {
        size_t length = strlen(some);
        limberi_json_tidy(rig->names[i], near, sizeof near);
        limberi_format(some + length, sizeof some - length, i ? ", %s" : "%s", near);
    }
    return limberi_fail(b->error, LIMBER_ERROR_DATA, "no joint matches '%s' (joints: %s%s)", wanted, some,
                        strlen(some) < 120 ? "" : ", ...");
}

// --- meshes ---

// Names of nodes, which is what other programs show, and then those of the meshes themselves.
static const char* mesh_name_at(const void* user, size_t index) {
    const limber_model* model = user;
    return index < model->mesh_count ? model->meshes[index].node_name : model->meshes[index - model->mesh_count].name;
}

limber_result limberi_fail_mesh(limberi_binder* b, const char* pattern) {
    char wanted[64], near[64];
    limberi_json_tidy(pattern, wanted, sizeof wanted);
    const char* best = limberi_suggest(pattern, mesh_name_at, b->model, 2 * (size_t)b->model->mesh_count);
    limberi_json_tidy(best ? best : "", near, sizeof near);
    if (best)
        return limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh matches '%s'; did you mean '%s'?", wanted, near);
    char some[200] = "";
    for (uint32_t i = 0; i < b->model->mesh_count && strlen(some) < 120; i++) {
        size_t length = strlen(some);
        limberi_json_tidy(b->model->meshes[i].node_name, near, sizeof near);
        limberi_format(some + length, sizeof some - length, i ? ", %s" : "%s", near);
    }
    return limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh matches '%s' (meshes: %s%s)", wanted, some,
                        strlen(some) < 120 ? "" : ", ...");
}

// --- layers ---

enum { NAME_BYTES = 64 };

// Both names as a message can show them; false: no layer comes near.
static bool find_near_layer(const limber_model* model, const char* name, char* wanted, char* near) {
    const char* best = limberi_nearest_layer(model, name);
    limberi_json_tidy(name, wanted, NAME_BYTES);
    limberi_json_tidy(best ? best : "", near, NAME_BYTES);
    return best != NULL;
}

limber_result limberi_bind_formula_layers(limberi_binder* b, const limberi_entry* entry,
                                          const limber_expression* expression) {
    for (uint32_t i = 0; i < limber_expression_layer_count(expression); i++) {
        const char* name = limber_expression_layer(expression, i);
        if (limberi_has_layer(b->model, name))
            continue;
        char wanted[NAME_BYTES], near[NAME_BYTES];
        bool found = find_near_layer(b->model, name, wanted, near);
        limber_result result =
            found ? limberi_fail(b->error, LIMBER_ERROR_DATA,
                                 "no mesh has the layer of 'paint.%s'; did you mean 'paint.%s'?", wanted, near)
                  : limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh has the layer of 'paint.%s'%s", wanted,
                                 limberi_layer_count(b->model) ? "" : " (this character has no layers)");
        return limberi_bind_at(b, result, entry);
    }
    return LIMBER_OK;
}

void limberi_bind_layer(limberi_binder* b, const limberi_entry* entry, const char* name) {
    if (limberi_has_layer(b->model, name) || entry->preset)
        return;
    char wanted[NAME_BYTES], near[NAME_BYTES];
    if (find_near_layer(b->model, name, wanted, near))
        limberi_bind_warn(b, entry, "no mesh has the layer '%s' (did you mean '%s'?), so it counts as 1 everywhere",
                          wanted, near);
    else
        limberi_bind_warn(b, entry, "no mesh has the layer '%s', so it counts as 1 everywhere", wanted);
}
