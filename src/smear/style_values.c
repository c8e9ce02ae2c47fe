// Values of the keys of smears: what is put together from them, which joints they prune, and whose spin they ignore.
#include "base/error.h"
#include "smear/style_keys.h"
#include "text/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// SMEAR, sections 4.1 and 5.2. `past` and `future` are what the paper calls the largest elongation.
static const char* const amount_formulas[] = {"offset", "offset * speed", "min(offset, 0) * speed * voronoi(10)"};

static limber_result bind_amount(limberi_binder* b, const limberi_entry* entry, limber_number* out) {
    limber_result result = entry->value.word ? limberi_bind_text(b, entry, amount_formulas[entry->value.choice], out)
                                             : limberi_bind_number(b, entry, out);
    bool any = out->expression || out->value != 0;
    bool offset = out->expression && (limber_expression_uses(out->expression) >> LIMBER_VARIABLE_OFFSET & 1);
    if (!result && any && !offset)
        limberi_bind_warn(b, entry, "does not use offset, so it moves the whole character along its path");
    return result;
}

// One pattern of the list, from `text` to the end of its line. Returns the start of the next.
static const char* next_pattern(const char* text, char* out, size_t size) {
    size_t length = strcspn(text, "\n");
    size_t kept = length < size ? length : size - 1;
    memcpy(out, text, kept);
    out[kept] = 0;
    return text + length + (text[length] != 0);
}

// A pattern may find nothing, so that a preset works on any character; a plain name that is not there is a slip.
static limber_result bind_prune(limberi_binder* b, const limberi_entry* entry, const uint8_t** out) {
    const limber_rig* rig = &b->model->rig;
    uint8_t* pruned = LIMBERI_ALLOCATE(b->arena, uint8_t, rig->joint_count);
    if (!pruned)
        return limberi_fail_memory(b->error);
    for (const char* text = entry->value.text; *text;) {
        char pattern[LIMBERI_PATTERN_BYTES];
        bool any = false;
        text = next_pattern(text, pattern, sizeof pattern);
        for (uint32_t j = 0; j < rig->joint_count; j++) {
            bool matches = limberi_name_matches(rig->names[j], pattern);
            pruned[j] = pruned[j] || matches;
            any = any || matches;
        }
        if (!any && !strchr(pattern, '*'))
            return limberi_bind_at(b, limberi_fail_joint(b, pattern), entry);
    }
    *out = pruned;
    return LIMBER_OK;
}

static limber_result bind_joint(limberi_binder* b, const limberi_entry* entry, int32_t* out) {
    const limber_rig* rig = &b->model->rig;
    *out = -1;
    for (uint32_t j = 0; entry->value.text[0] && j < rig->joint_count && *out < 0; j++)
        if (limberi_name_matches(rig->names[j], entry->value.text))
            *out = (int32_t)j;
    if (*out >= 0 || !entry->value.text[0])
        return LIMBER_OK;
    return limberi_bind_at(b, limberi_fail_joint(b, entry->value.text), entry);
}

static const char* camera_name(const void* user, size_t index) {
    return ((const limber_camera*)user)[index].name;
}

// "camera" alone is the first one.
static limber_result bind_space(limberi_binder* b, const limberi_entry* entry, int32_t* camera) {
    const limber_model* model = b->model;
    *camera = -1;
    if (strcmp(entry->value.text, "world") == 0)
        return LIMBER_OK;
    for (uint32_t i = 0; i < model->camera_count && *camera < 0; i++)
        if (strcmp(entry->value.text, "camera") == 0 || strcmp(entry->value.text, model->cameras[i].name) == 0)
            *camera = (int32_t)i;
    if (*camera >= 0)
        return LIMBER_OK;
    char name[64], near[64];
    limberi_json_tidy(entry->value.text, name, sizeof name);
    const char* best = limberi_suggest(entry->value.text, camera_name, model->cameras, model->camera_count);
    limberi_json_tidy(best ? best : "", near, sizeof near);
    limber_result result =
        best ? limberi_fail(b->error, LIMBER_ERROR_DATA, "the file has no camera '%s'; did you mean '%s'?", name, near)
             : limberi_fail(b->error, LIMBER_ERROR_DATA, "the file has no camera '%s'", name);
    return limberi_bind_at(b, result, entry);
}

static limber_result bind_opacity(limberi_binder* b, const limberi_entry* entry, limber_smear_settings* smear) {
    smear->multiples.standard_opacity = entry->value.word;
    return entry->value.word ? LIMBER_OK : limberi_bind_number(b, entry, &smear->multiples.opacity);
}

// One digit of "#rrggbb"; -1: none.
static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    char digit = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    const char* found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

static float linear_from_srgb(float x) {
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

// "surface", which leaves the color as it is, or "#rrggbb".
static bool read_color(const char* text, bool* surface, float* color) {
    *surface = strcmp(text, "surface") == 0;
    if (*surface)
        return true;
    bool valid = text[0] == '#' && strlen(text) == 7;
    for (int i = 0; valid && i < 3; i++) {
        int high = hex_digit(text[1 + 2 * i]);
        int low = hex_digit(text[2 + 2 * i]);
        valid = high >= 0 && low >= 0;
        color[i] = linear_from_srgb((float)(16 * high + low) / 255);
    }
    return valid;
}

static limber_result bind_color(limberi_binder* b, const limberi_entry* entry, limber_smear_settings* smear) {
    const char* text = entry->value.text;
    bool second = entry->row->offset == offsetof(limber_smear_settings, line_tint.color);
    bool surface = false;
    float color[3] = {0, 0, 0};
    bool valid = (second && !text[0]) || read_color(text, &surface, color);
    if (!valid) {
        char found[64];
        limberi_json_tidy(text, found, sizeof found);
        return limberi_bind_at(b,
                               limberi_fail(b->error, LIMBER_ERROR_DATA,
                                            "'%s' is not a color: expected \"surface\" or \"#rrggbb\"", found),
                               entry);
    }
    memcpy((char*)smear + entry->row->offset, color, sizeof color);
    if (second) {
        smear->line_tint.on = text[0] != 0;
        smear->line_tint.surface = surface;
    } else {
        smear->lines.colored = !surface;
    }
    return LIMBER_OK;
}

// Where the formulas of numbers go that change with time, and how large counts may become then.
typedef struct change {
    size_t number, formula;
    uint32_t count; // 0: not a count
} change;

#define CHANGE(member, formula, count)                                                                                 \
    { offsetof(limber_smear_settings, member), offsetof(limber_smear_settings, changes.formula), count }

enum { CHANGING_LINES = 256 }; // seeds are spread for all of them

static const change changes[] = {
    CHANGE(multiples.past, past, LIMBER_SMEAR_COPIES),
    CHANGE(multiples.future, future, LIMBER_SMEAR_COPIES),
    CHANGE(multiples.spacing, spacing, 0),
    CHANGE(multiples.min_speed, copy_min_speed, 0),
    CHANGE(lines.count, line_count, CHANGING_LINES),
    CHANGE(lines.min_speed, line_min_speed, 0),
    CHANGE(offsets.smooth, smooth, LIMBER_SMEAR_SMOOTH),
};

static limber_result bind_change(limberi_binder* b, const limberi_entry* entry, limber_smear_settings* smear) {
    limber_number number = {0, NULL}; // "auto"
    limber_result result = entry->value.word ? LIMBER_OK : limberi_bind_number(b, entry, &number);
    for (size_t i = 0; !result && i < sizeof changes / sizeof *changes; i++) {
        const change* c = &changes[i];
        if (c->number != entry->row->offset)
            continue;
        const limber_expression* formula = number.expression;
        uint32_t count = formula ? c->count : (uint32_t)(number.value + 0.5f);
        memcpy((char*)smear + c->formula, &formula, sizeof formula);
        if (c->count)
            memcpy((char*)smear + c->number, &count, sizeof count);
        else
            memcpy((char*)smear + c->number, &number.value, sizeof number.value);
    }
    return result;
}

limber_result limberi_bind_smear_value(limberi_binder* b, const limberi_entry* entry, void* settings) {
    limber_smear_settings* smear = settings;
    void* out = (char*)settings + entry->row->offset;
    switch (entry->row->part) {
    case LIMBERI_SMEAR_JOINT:
        return bind_joint(b, entry, out);
    case LIMBERI_SMEAR_PRUNE:
        return bind_prune(b, entry, out);
    case LIMBERI_SMEAR_SPACE:
        return bind_space(b, entry, out);
    case LIMBERI_SMEAR_AMOUNT:
        return bind_amount(b, entry, out);
    case LIMBERI_SMEAR_OPACITY:
        return bind_opacity(b, entry, smear);
    case LIMBERI_SMEAR_LENGTH:
        smear->lines.standard_length = false;
        return limberi_bind_number(b, entry, out);
    case LIMBERI_SMEAR_CHANGE:
        return bind_change(b, entry, smear);
    default:
        return bind_color(b, entry, smear);
    }
}

// --- meshes ---

// The number of a key from one set of settings to another, and what goes with it.
static void copy_number(const limberi_row* row, const limber_smear_settings* from, limber_smear_settings* to) {
    memcpy((char*)to + row->offset, (const char*)from + row->offset, sizeof(limber_number));
    if (row->part == LIMBERI_SMEAR_OPACITY)
        to->multiples.standard_opacity = from->multiples.standard_opacity;
    if (row->part == LIMBERI_SMEAR_LENGTH)
        to->lines.standard_length = false;
}

static limber_result bind_mesh_entry(limberi_binder* b, const limberi_entry* entry, limber_smear_settings* meshes) {
    limber_smear_settings one = limber_smear_settings_default(); // a formula is taken over once
    limber_result result = limberi_bind_value(b, entry, &one);
    bool any = false;
    for (uint32_t m = 0; !result && m < b->model->mesh_count; m++) {
        if (!limberi_mesh_matches(&b->model->meshes[m], entry->pattern))
            continue;
        copy_number(entry->row, &one, &meshes[m]);
        any = true;
    }
    return result || any || entry->preset ? result : limberi_fail_mesh(b, entry);
}

// As all the others, until a key says otherwise.
static limber_smear_settings* copies_for_meshes(limberi_binder* b, limber_smear_settings* smear) {
    uint32_t count = b->model->mesh_count;
    limber_smear_settings* meshes = LIMBERI_ALLOCATE(b->arena, limber_smear_settings, (size_t)count + 1);
    for (uint32_t m = 0; meshes && m < count; m++)
        meshes[m] = *smear;
    smear->of_mesh = meshes;
    smear->of_mesh_count = meshes ? count : 0;
    return meshes;
}

static limber_result bind_meshes(limberi_binder* b, limber_smear_settings* smear) {
    limber_smear_settings* meshes = NULL;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (!limberi_entry_is_of(entry, "meshes.*.smear"))
            continue;
        meshes = meshes ? meshes : copies_for_meshes(b, smear);
        result = meshes ? bind_mesh_entry(b, entry, meshes) : limberi_fail_memory(b->error);
    }
    return result;
}

// --- joints ---

static const float not_given = -1;

static void set_gains(const limberi_binder* b, float* gains) {
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (!limberi_entry_is_of(entry, "joints.*.smear"))
            continue;
        for (uint32_t j = 0; j < b->model->rig.joint_count; j++)
            if (limberi_joint_matches(&b->model->rig, j, entry->pattern))
                gains[j] = (float)entry->value.numbers[0];
    }
}

// A joint without a value has that of its parent.
static limber_result bind_gains(limberi_binder* b, limber_smear_settings* smear) {
    const limber_rig* rig = &b->model->rig;
    float* gains = LIMBERI_ALLOCATE(b->arena, float, rig->joint_count);
    if (!gains)
        return limberi_fail_memory(b->error);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        gains[j] = not_given;
    set_gains(b, gains);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (gains[j] == not_given)
            gains[j] = rig->parents[j] < 0 ? 1 : gains[rig->parents[j]];
        if (gains[j] != 1)
            smear->joint_gains = gains;
    }
    return LIMBER_OK;
}

static void bind_spins(limberi_binder* b, limber_smear_settings* smear) {
    uint8_t* spins = NULL;
    for (uint32_t i = 0; i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (!limberi_entry_is_of(entry, "joints.*.ignore_spin"))
            continue;
        if (!spins)
            spins = LIMBERI_ALLOCATE(b->arena, uint8_t, b->model->rig.joint_count);
        for (uint32_t j = 0; spins && j < b->model->rig.joint_count; j++)
            if (limberi_joint_matches(&b->model->rig, j, entry->pattern))
                spins[j] = entry->value.choice != 0;
    }
    smear->ignore_spin = spins;
}

// A part of the motion needs the joint it is about.
static limber_result check_part(limberi_binder* b, const limber_smear_settings* smear) {
    for (uint32_t i = 0; smear->motion.part && smear->motion.joint < 0 && i < b->count; i++) {
        const limberi_entry* entry = limberi_bind_entry(b, i);
        if (limberi_entry_is_of(entry, "smear.motion.part"))
            return limberi_bind_at(
                b, limberi_fail(b->error, LIMBER_ERROR_DATA, "needs smear.motion.joint, the joint it is about"), entry);
    }
    return LIMBER_OK;
}

limber_result limberi_bind_smear_names(limberi_binder* b, limber_smear_settings* smear) {
    bind_spins(b, smear);
    limber_result result = check_part(b, smear);
    if (!result)
        result = bind_gains(b, smear);
    return result ? result : bind_meshes(b, smear);
}
