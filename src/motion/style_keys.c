// The style keys of the motion stage: steps and kinds of derivatives, loops, wind and gravity.
#include "motion/style_keys.h"

#include "base/error.h"
#include "base/math.h"

#include <stddef.h>
#include <string.h>

enum { GRAVITY, WIND };

static const double fastest = 1e4; // L/s and L/s^2: more is a slip

static bool is_usual(const limberi_json* node) {
    double number = limberi_json_as_number(node);
    return limberi_json_is_number(node) && number >= -fastest && number <= fastest;
}

static limber_result check_wind(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                const limberi_json** fault, limber_error* error) {
    limber_expression_scope scope = limberi_row_scope(row);
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return limberi_fail_found(json, node, fault, "three numbers or formulas: [x, y, z]", error);
    for (uint32_t i = 0; i < 3; i++) {
        const limberi_json* item = limberi_json_at(node, i);
        limber_expression* expression = NULL;
        *fault = item;
        if (item->type == LIMBERI_JSON_STRING) {
            limber_result result = limber_expression_create(item->text, &scope, &expression, error);
            limber_expression_destroy(expression);
            if (result)
                return result;
        } else if (!is_usual(item)) {
            return limberi_fail_found(json, item, fault, "a number from -1e4 to 1e4 or a formula in quotes", error);
        }
    }
    return LIMBER_OK;
}

static limber_result check_gravity(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                   const limberi_json** fault, limber_error* error) {
    (void)row;
    static const char expected[] = "a number from -1e4 to 1e4, or three of them: [x, y, z]";
    *fault = node;
    if (is_usual(node))
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return limberi_fail_found(json, node, fault, expected, error);
    for (uint32_t i = 0; i < 3; i++)
        if (!is_usual(limberi_json_at(node, i)))
            return limberi_fail_found(json, limberi_json_at(node, i), fault, expected, error);
    return LIMBER_OK;
}

static limber_result bind_items(limberi_binder* b, const limberi_entry* entry, const limberi_json* list,
                                limber_number* wind) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < 3; i++) {
        const limberi_json* item = limberi_json_at(list, i);
        limber_number* out = &wind[i];
        out->value = (float)limberi_json_as_number(item);
        if (limberi_json_is(item, LIMBERI_JSON_STRING))
            result = limberi_bind_text(b, entry, item->text, out);
    }
    return result;
}

// A number pulls down.
static limber_vec3 gravity_of(const limberi_json* node) {
    if (limberi_json_is_number(node))
        return limberi_vec3(0, 0 - (float)limberi_json_as_number(node), 0); // not -0
    return limberi_vec3((float)limberi_json_as_number(limberi_json_at(node, 0)),
                        (float)limberi_json_as_number(limberi_json_at(node, 1)),
                        (float)limberi_json_as_number(limberi_json_at(node, 2)));
}

static limber_result bind_air(limberi_binder* b, const limberi_entry* entry, const limberi_json* root, void* settings) {
    limber_air_settings* air = settings;
    if (entry->row->part == WIND)
        return bind_items(b, entry, root, air->wind);
    air->gravity = gravity_of(root);
    return LIMBER_OK;
}

static const char* const wind_schema[] = {
    "type", "\"array\"", "items", "{\"type\": [\"number\", \"string\"]}", "minItems", "3", "maxItems", "3", NULL};
static const char* const gravity_schema[] = {"anyOf",
                                             "[{\"type\": \"number\"}, {\"type\": \"array\", \"items\": {\"type\": "
                                             "\"number\"}, \"minItems\": 3, \"maxItems\": 3}]",
                                             NULL};

static const limberi_reader wind_reader = {
    .scope = {((1u << LIMBER_VARIABLE_FRAME_COUNT) - 1) | 7u << LIMBER_VARIABLE_X, false},
    .check = check_wind,
    .bind_json = bind_air,
    .shown = LIMBERI_TEXT("three numbers or formulas"),
    .schema = LIMBERI_TEXTS(wind_schema),
};
static const limberi_reader gravity_reader = {.check = check_gravity,
                                              .bind_json = bind_air,
                                              .shown = LIMBERI_TEXT("number or three numbers"),
                                              .schema = LIMBERI_TEXTS(gravity_schema)};

static const limberi_row derivative_rows[] = {
    LIMBERI_ROW("derivative_step", CONSTANT, "s", 1e-4, 1, false, "\"auto\"", "auto",
                "time step of velocities and accelerations; \"auto\": 1/24 s, whatever the clip's rate", DOUBLE, 0, 0,
                offsetof(limber_motion_settings, step_s), NULL),
    LIMBERI_ROW("derivatives", CHOICE, "", 0, 0, false, "\"differences\"", "differences analytic",
                "velocities by differences, or from the curves of the clip (and accelerations of cubic splines)",
                CHOICE, 0, 0, offsetof(limber_motion_settings, derivatives), NULL),
};
static const limberi_row loop_rows[] = {
    LIMBERI_ROW(
        "loop", CHOICE, "", 0, 0, false, "\"auto\"", "auto false true",
        "whether clips loop; \"auto\": clips whose first and last pose agree within 8 degrees and 0.02 L, travel "
        "aside",
        CHOICE, 0, 0, offsetof(limber_motion_settings, loop), NULL),
};
static const limberi_row air_rows[] = {
    LIMBERI_ROW(
        "wind", OTHER, "L/s", 0, 0, false, "[0, 0, 0]", NULL,
        "velocity [x, y, z] of the air that floppy and overlap feel; formulas may use t, frame, phase and the joint's "
        "position x, y, z [L]",
        OWN, 0, WIND, 0, &wind_reader),
    LIMBERI_ROW("gravity", OTHER, "L/s^2", 0, 0, false, "0", NULL,
                "pulls at what hangs otherwise than in the rest pose: down, or along [x, y, z]; overlap, drag and "
                "followthrough feel "
                "it",
                OWN, 0, GRAVITY, 0, &gravity_reader),
};

const limberi_keys limberi_derivative_keys = LIMBERI_KEYS(derivative_rows);
const limberi_keys limberi_loop_keys = LIMBERI_KEYS(loop_rows);
const limberi_keys limberi_air_keys = LIMBERI_KEYS(air_rows);
