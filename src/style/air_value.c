// What the keys "wind" and "gravity" may hold.
#include "style/air_value.h"

#include "base/error.h"

static const double fastest = 1e4; // L/s and L/s^2: more is a slip

static limber_result fail_found(const limberi_json_document* json, const limberi_json* node, const limberi_json** fault,
                                const char* wanted, limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", wanted, found);
}

static bool is_usual(const limberi_json* node) {
    double number = limberi_json_as_number(node);
    return limberi_json_is_number(node) && number >= -fastest && number <= fastest;
}

limber_result limberi_wind_check(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                 const limberi_json** fault, limber_error* error) {
    limber_expression_scope scope = limberi_row_scope(row);
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return fail_found(json, node, fault, "three numbers or formulas: [x, y, z]", error);
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
            return fail_found(json, item, fault, "a number from -1e4 to 1e4 or a formula in quotes", error);
        }
    }
    return LIMBER_OK;
}

limber_result limberi_gravity_check(const limberi_json_document* json, const limberi_json* node,
                                    const limberi_json** fault, limber_error* error) {
    static const char expected[] = "a number from -1e4 to 1e4, or three of them: [x, y, z]";
    *fault = node;
    if (is_usual(node))
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return fail_found(json, node, fault, expected, error);
    for (uint32_t i = 0; i < 3; i++)
        if (!is_usual(limberi_json_at(node, i)))
            return fail_found(json, limberi_json_at(node, i), fault, expected, error);
    return LIMBER_OK;
}
