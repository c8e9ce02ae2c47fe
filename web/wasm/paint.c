// Layers that paint themselves.
#include "base/error.h"
#include "web/wasm/web.h"

enum { PAINT_THICKNESS, PAINT_HEIGHT, PAINT_JOINT, PAINT_FORMULA, PAINT_GIVEN, PAINT_SKIRT };

static limber_result paint_formula(const limber_model* model, const char* formula, float* values) {
    limber_expression* expression;
    limber_expression_scope scope = limber_layer_scope();
    limber_result result = limber_expression_create(formula, &scope, &expression, &limberi_web_error);
    if (result)
        return result;
    result = limber_layer_evaluate(model, expression, values, &limberi_web_error);
    limber_expression_destroy(expression);
    return result;
}

// Fills a value per vertex of all meshes, then smooths.
int32_t WEB_EXPORT(layer_paint)(const web_character* c, uint32_t kind, uint32_t joint, const char* formula,
                                uint32_t passes, float* values) {
    limber_result result = LIMBER_OK;
    bool found; // without a skirt all values are 0
    if (kind == PAINT_THICKNESS)
        result = limber_layer_thickness(c->model, values, &limberi_web_error);
    else if (kind == PAINT_HEIGHT)
        result = limber_layer_height(c->model, values, &limberi_web_error);
    else if (kind == PAINT_SKIRT)
        result = limber_layer_skirt(c->model, values, &found, &limberi_web_error);
    else if (kind == PAINT_JOINT && joint >= c->model->rig.joint_count)
        result = limberi_fail(&limberi_web_error, LIMBER_ERROR_ARGUMENT, "joint %u does not exist", joint);
    else if (kind == PAINT_JOINT)
        result = limber_layer_joint_distance(c->model, joint, values, &limberi_web_error);
    else if (kind == PAINT_FORMULA)
        result = paint_formula(c->model, formula, values);
    if (!result && passes)
        result = limber_layer_smooth(c->model, passes, values, &limberi_web_error);
    return (int32_t)result;
}
