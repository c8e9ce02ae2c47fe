// What the stages need to make settings of values: where values go, names that must exist on the character, formulas,
// errors and warnings.
#include "keys/bind.h"

#include "asset/asset.h"
#include "base/error.h"
#include "layer/layer.h"
#include "text/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// --- places and messages ---

limberi_address limberi_entry_address(const limberi_entry* entry, limberi_entry_keys* keys) {
    limberi_address address = {limberi_row_depth(entry->row), {NULL}};
    for (uint32_t level = 0; level < address.count; level++) {
        limberi_row_key(entry->row, level, keys->bytes[level], sizeof keys->bytes[level]);
        address.keys[level] = keys->bytes[level];
    }
    if (entry->pattern)
        address.keys[1] = entry->pattern;
    else if (entry->effect_name)
        address.keys[1] = entry->effect_name;
    return address;
}

bool limberi_entry_is_of(const limberi_entry* entry, const char* section) {
    size_t length = strlen(section);
    return strncmp(entry->row->key.path, section, length) == 0 &&
           (entry->row->key.path[length] == '.' || !entry->row->key.path[length]);
}

limber_result limberi_bind_at(limberi_binder* b, limber_result result, const limberi_entry* entry) {
    limberi_entry_keys keys;
    limberi_address address = limberi_entry_address(entry, &keys);
    return limberi_style_at(b->error, result, entry->place, &address);
}

void limberi_bind_warn(limberi_binder* b, const limberi_entry* entry, const char* format, ...) {
    limberi_entry_keys keys;
    limberi_address address = limberi_entry_address(entry, &keys);
    char path[96], message[256], line[360];
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    limberi_address_format(&address, path, sizeof path);
    limberi_format(line, sizeof line, "%s: %s", path, message);
    const char* kept = limberi_arena_string(b->arena, line);
    if (kept && b->warning_count < LIMBERI_WARNING_LIMIT)
        b->warnings[b->warning_count++] = kept;
}

limber_result limberi_bind_at_item(limberi_binder* b, limber_result result, const limberi_entry* entry, uint32_t item,
                                   const char* key) {
    limberi_entry_keys keys;
    limberi_address address = limberi_entry_address(entry, &keys);
    char place[64];
    limberi_format(place, sizeof place, "%s[%u]", address.keys[address.count - 1], item);
    address.keys[address.count - 1] = place;
    address.keys[address.count++] = key;
    return limberi_style_at(b->error, result, entry->place, &address);
}

// --- joints ---

// The part of a joint's name to compare with: for "Legg*" its beginning, for "*Legg" its end.
static const char* comparable(const char* name, const char* pattern, size_t wanted, char* scratch) {
    size_t length = strlen(name);
    size_t whole = strlen(pattern);
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

size_t limberi_pattern_letters(const char* pattern, char* letters) {
    size_t length = 0;
    for (const char* p = pattern; *p && length + 1 < LIMBERI_PATTERN_BYTES; p++)
        if (*p != '*')
            letters[length++] = *p;
    letters[length] = 0;
    return length;
}

static const char* the_one(const void* user, size_t index) {
    (void)index;
    return user;
}

static int32_t nearest_joint(const limber_rig* rig, const char* pattern) {
    char letters[LIMBERI_PATTERN_BYTES], scratch[LIMBERI_PATTERN_BYTES];
    size_t length = limberi_pattern_letters(pattern, letters);
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

enum { LIST_BYTES = 200 };

// The first few of them, and dots if there are more.
static void list_names(const char* (*name_at)(const void* user, size_t i), const void* user, uint32_t count,
                       char* list) {
    char name[64];
    size_t length = 0;
    uint32_t i = 0;
    for (list[0] = 0; i < count && length < 120; i++, length = strlen(list)) {
        limberi_json_tidy(name_at(user, i), name, sizeof name);
        limberi_format(list + length, LIST_BYTES - length, i ? ", %s" : "%s", name);
    }
    limberi_format(list + length, LIST_BYTES - length, "%s", i < count ? ", ..." : "");
}

static const char* joint_name_at(const void* user, size_t i) {
    return ((const limber_rig*)user)->names[i];
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
    char some[LIST_BYTES];
    list_names(joint_name_at, rig, rig->joint_count, some);
    return limberi_fail(b->error, LIMBER_ERROR_DATA, "no joint matches '%s' (joints: %s)", wanted, some);
}

// --- meshes ---

// Names of nodes, which is what other programs show, and then those of the meshes themselves.
static const char* mesh_name_at(const void* user, size_t index) {
    const limber_model* model = user;
    return index < model->mesh_count ? model->meshes[index].node_name : model->meshes[index - model->mesh_count].name;
}

bool limberi_mesh_matches(const limber_mesh* mesh, const char* pattern) {
    return limberi_name_matches(mesh->name, pattern) || limberi_name_matches(mesh->node_name, pattern);
}

static const char* node_name_at(const void* user, size_t i) {
    return ((const limber_model*)user)->meshes[i].node_name;
}

static limber_result say_no_mesh(limberi_binder* b, const char* pattern) {
    char wanted[64], near[64];
    limberi_json_tidy(pattern, wanted, sizeof wanted);
    const char* best = limberi_suggest(pattern, mesh_name_at, b->model, 2 * (size_t)b->model->mesh_count);
    limberi_json_tidy(best ? best : "", near, sizeof near);
    if (best)
        return limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh matches '%s'; did you mean '%s'?", wanted, near);
    char some[LIST_BYTES];
    list_names(node_name_at, b->model, b->model->mesh_count, some);
    return limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh matches '%s' (meshes: %s)", wanted, some);
}

limber_result limberi_fail_mesh(limberi_binder* b, const limberi_entry* entry) {
    limberi_address address = {2, {"meshes", entry->pattern}};
    return limberi_style_at(b->error, say_no_mesh(b, entry->pattern), entry->pattern_place, &address);
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

static limber_result check_layers(limberi_binder* b, const limberi_entry* entry, const limber_expression* expression) {
    for (uint32_t i = 0; i < limber_expression_layer_count(expression); i++) {
        const char* name = limber_expression_layer(expression, i);
        if (limberi_has_layer(b->model, name))
            continue;
        char wanted[NAME_BYTES], near[NAME_BYTES];
        limber_result result;
        if (find_near_layer(b->model, name, wanted, near))
            result = limberi_fail(b->error, LIMBER_ERROR_DATA,
                                  "no mesh has the layer of 'paint.%s'; did you mean 'paint.%s'?", wanted, near);
        else
            result = limberi_fail(b->error, LIMBER_ERROR_DATA, "no mesh has the layer of 'paint.%s'%s", wanted,
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

// --- values ---

limber_result limberi_bind_text(limberi_binder* b, const limberi_entry* entry, const char* text, limber_number* out) {
    limber_expression_scope scope = limberi_row_scope(entry->row);
    limber_expression* expression;
    limber_result result = limber_expression_create(text, &scope, &expression, b->error);
    if (result)
        return limberi_bind_at(b, result, entry);
    b->expressions[b->expression_count++] = expression;
    out->value = 0;
    out->expression = expression;
    return check_layers(b, entry, expression);
}

limber_result limberi_bind_number(limberi_binder* b, const limberi_entry* entry, limber_number* out) {
    out->value = (float)entry->value.numbers[0];
    out->expression = NULL;
    if (!entry->value.text)
        return LIMBER_OK;
    return limberi_bind_text(b, entry, entry->value.text, out);
}

static limber_result store_count(limberi_binder* b, const limberi_entry* entry, void* out) {
    double number = entry->value.word ? 0 : entry->value.numbers[0];
    uint32_t count = (uint32_t)number;
    if (number != floor(number))
        return limberi_bind_at(b, limberi_fail(b->error, LIMBER_ERROR_DATA, "%g is not a whole number", number), entry);
    memcpy(out, &count, sizeof count);
    return LIMBER_OK;
}

static limber_result store_text(limberi_binder* b, const limberi_entry* entry, void* out) {
    const char* text = entry->value.text[0] ? limberi_arena_string(b->arena, entry->value.text) : NULL;
    memcpy(out, &text, sizeof text);
    return LIMBER_OK;
}

static limber_result bind_own(limberi_binder* b, const limberi_entry* entry, void* settings) {
    const limberi_reader* reader = entry->row->reader;
    if (reader->bind)
        return reader->bind(b, entry, settings);
    limberi_json_document json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    result = reader->bind_json(b, entry, json.root, settings);
    limberi_json_free(&json);
    return result;
}

// Of LIMBERI_STORE_VALUE.
static float plain_value(const limberi_entry* entry, double number) {
    if (entry->row->key.type == LIMBER_KEY_CHOICE)
        return (float)entry->value.choice;
    return entry->row->key.type == LIMBER_KEY_LIST ? (float)entry->value.bits : (float)number;
}

limber_result limberi_bind_value(limberi_binder* b, const limberi_entry* entry, void* settings) {
    char* out = (char*)settings + entry->row->offset;
    double number = entry->value.word ? 0 : entry->value.numbers[0]; // "auto" is 0 in the settings
    limber_number plain = {plain_value(entry, number), NULL};
    float single = (float)number;
    int choice = (int)entry->value.choice; // all enumerations are stored as int
    bool truth = choice != 0;
    switch (entry->row->store) {
    case LIMBERI_STORE_NUMBER:
        return limberi_bind_number(b, entry, (limber_number*)(void*)out);
    case LIMBERI_STORE_COUNT:
        return store_count(b, entry, out);
    case LIMBERI_STORE_TEXT:
        return store_text(b, entry, out);
    case LIMBERI_STORE_OWN:
        return bind_own(b, entry, settings);
    case LIMBERI_STORE_VALUE:
        memcpy(out, &plain, sizeof plain);
        break;
    case LIMBERI_STORE_FLOAT:
        memcpy(out, &single, sizeof single);
        break;
    case LIMBERI_STORE_DOUBLE:
        if (!entry->value.text) // a formula leaves the default; the stage takes it
            memcpy(out, &number, sizeof number);
        break;
    case LIMBERI_STORE_CHOICE:
        memcpy(out, &choice, sizeof choice);
        break;
    case LIMBERI_STORE_SWITCH:
        memcpy(out, &truth, sizeof truth);
        break;
    default:
        break;
    }
    return LIMBER_OK;
}

limber_result limberi_bind_joint_gains(limberi_binder* b, const char* path, const float** gains) {
    const limber_rig* rig = &b->model->rig;
    float* found = LIMBERI_ALLOCATE(b->arena, float, rig->joint_count);
    if (!found)
        return limberi_fail_memory(b->error);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        found[j] = 1;
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        for (uint32_t j = 0; limberi_entry_is_of(entry, path) && j < rig->joint_count; j++)
            if (limberi_joint_matches(rig, j, entry->pattern))
                found[j] = (float)entry->value.numbers[0];
    }
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (found[j] != 1)
            *gains = found;
    return LIMBER_OK;
}
