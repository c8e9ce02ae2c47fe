// The tree of a formula. Constants are folded when a node is made, and functions are lowered to the few operations that
// have a kernel.
#include "text/expression_private.h"

#include <math.h>
#include <string.h>

bool limberi_tree_create(limberi_tree* tree, limberi_arena* scratch, size_t text_length) {
    // The densest text is key(0,x,1,x,...): six nodes for four characters.
    size_t capacity = 2 * text_length + 16;
    memset(tree, 0, sizeof *tree);
    tree->nodes = LIMBERI_ALLOCATE(scratch, limberi_node, capacity);
    tree->capacity = (uint32_t)capacity;
    return tree->nodes != NULL;
}

static uint16_t add_node(limberi_tree* tree, limberi_op op, limberi_rate rate, uint32_t index, float max) {
    if (tree->count >= tree->capacity) {
        tree->full = true;
        return 0;
    }
    limberi_node* node = &tree->nodes[tree->count];
    node->op = (uint8_t)op;
    node->rate = (uint8_t)rate;
    node->index = (uint16_t)index;
    node->max = max;
    return (uint16_t)tree->count++;
}

uint16_t limberi_tree_constant(limberi_tree* tree, float value) {
    uint16_t node = add_node(tree, LIMBERI_OP_CONSTANT, LIMBERI_RATE_NEVER, 0, fabsf(value));
    if (!tree->full)
        tree->nodes[node].value = value;
    return node;
}

uint16_t limberi_tree_name(limberi_tree* tree, limber_variable name) {
    return add_node(tree, LIMBERI_OP_NAME,
                    name < LIMBER_VARIABLE_FRAME_COUNT ? LIMBERI_RATE_FRAME : LIMBERI_RATE_VERTEX, (uint32_t)name,
                    LIMBERI_VALUE_MAX);
}

uint16_t limberi_tree_layer(limberi_tree* tree, uint32_t layer) {
    return add_node(tree, LIMBERI_OP_LAYER, LIMBERI_RATE_VERTEX, layer, LIMBERI_VALUE_MAX);
}

// By the kernel itself, so that a folded formula gives the same bits as an unfolded one.
static float folded(const limberi_tree* tree, limberi_op op, const uint16_t* children, uint32_t count) {
    static const uint16_t in[LIMBERI_OPERANDS] = {0, 1, 2, 3};
    const float* held[LIMBERI_OPERANDS] = {NULL};
    float value = 0;
    for (uint32_t i = 0; i < count; i++)
        held[i] = &tree->nodes[children[i]].value;
    limberi_kernels[op](&value, held, in, 1);
    return value;
}

// How large the result of an operation can get before it is bounded; LIMBERI_VALUE_MAX where that is not worth
// knowing.
static float max_result(const limberi_tree* tree, limberi_op op, const uint16_t* children, uint32_t count) {
    float m[LIMBERI_OPERANDS] = {0};
    for (uint32_t i = 0; i < count; i++)
        m[i] = tree->nodes[children[i]].max;
    switch (op) {
    case LIMBERI_OP_NOT:
    case LIMBERI_OP_SIN:
    case LIMBERI_OP_COS:
    case LIMBERI_OP_FRACT:
    case LIMBERI_OP_LESS:
    case LIMBERI_OP_LESS_EQUAL:
    case LIMBERI_OP_EQUAL:
    case LIMBERI_OP_NOT_EQUAL:
    case LIMBERI_OP_AND:
    case LIMBERI_OP_OR:
    case LIMBERI_OP_SMOOTH:
    case LIMBERI_OP_RAMP:
    case LIMBERI_OP_WARP:
    case LIMBERI_OP_NOISE:
    case LIMBERI_OP_VORONOI:
        return 1;
    case LIMBERI_OP_NEGATE:
    case LIMBERI_OP_ABS:
        return m[0];
    case LIMBERI_OP_MIN:
    case LIMBERI_OP_MAX:
        return fmaxf(m[0], m[1]);
    case LIMBERI_OP_SELECT:
        return fmaxf(m[1], m[2]);
    case LIMBERI_OP_ADD:
    case LIMBERI_OP_SUBTRACT:
        return m[0] + m[1];
    case LIMBERI_OP_MULTIPLY:
        return m[0] * m[1];
    default:
        return LIMBERI_VALUE_MAX;
    }
}

static limberi_op without_bounds(limberi_op op) {
    if (op == LIMBERI_OP_ADD)
        return LIMBERI_OP_PLAIN_ADD;
    if (op == LIMBERI_OP_SUBTRACT)
        return LIMBERI_OP_PLAIN_SUBTRACT;
    return op == LIMBERI_OP_MULTIPLY ? LIMBERI_OP_PLAIN_MULTIPLY : op;
}

uint16_t limberi_tree_apply(limberi_tree* tree, limberi_op op, const uint16_t* children, uint32_t count) {
    limberi_rate rate = LIMBERI_RATE_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        limberi_rate below = (limberi_rate)tree->nodes[children[i]].rate;
        rate = below > rate ? below : rate;
    }
    if (rate == LIMBERI_RATE_NEVER)
        return limberi_tree_constant(tree, folded(tree, op, children, count));
    float max = max_result(tree, op, children, count);
    if (max <= LIMBERI_VALUE_MAX)
        op = without_bounds(op);
    uint16_t node = add_node(tree, op, rate, 0, fminf(max, LIMBERI_VALUE_MAX));
    if (tree->full)
        return node;
    tree->nodes[node].child_count = (uint8_t)count;
    memcpy(tree->nodes[node].children, children, count * sizeof *children);
    return node;
}

static uint16_t apply2(limberi_tree* tree, limberi_op op, uint16_t a, uint16_t b) {
    const uint16_t children[2] = {a, b};
    return limberi_tree_apply(tree, op, children, 2);
}

static uint16_t apply3(limberi_tree* tree, limberi_op op, uint16_t a, uint16_t b, uint16_t c) {
    const uint16_t children[3] = {a, b, c};
    return limberi_tree_apply(tree, op, children, 3);
}

// Small constant powers are products, which cost a tenth of powf and are as exact.
uint16_t limberi_tree_power(limberi_tree* tree, const uint16_t* children) {
    const limberi_node* exponent = &tree->nodes[children[1]];
    float value = exponent->rate == LIMBERI_RATE_NEVER ? exponent->value : 0;
    if (value == 1)
        return children[0];
    if (value == 2)
        return limberi_tree_apply(tree, LIMBERI_OP_SQUARE, children, 1);
    if (value == 3)
        return limberi_tree_apply(tree, LIMBERI_OP_CUBE, children, 1);
    if (value == 0.5f)
        return limberi_tree_apply(tree, LIMBERI_OP_SQRT, children, 1);
    return limberi_tree_apply(tree, LIMBERI_OP_POWER, children, 2);
}

static uint16_t build_pow(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    (void)count;
    return limberi_tree_power(tree, arguments);
}

static uint16_t chain(limberi_tree* tree, limberi_op op, const uint16_t* arguments, uint32_t count) {
    uint16_t node = arguments[0];
    for (uint32_t i = 1; i < count; i++)
        node = apply2(tree, op, node, arguments[i]);
    return node;
}

static uint16_t build_min(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    return chain(tree, LIMBERI_OP_MIN, arguments, count);
}

static uint16_t build_max(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    return chain(tree, LIMBERI_OP_MAX, arguments, count);
}

// With lo > hi the upper end wins.
static uint16_t build_clamp(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    (void)count;
    return apply2(tree, LIMBERI_OP_MIN, apply2(tree, LIMBERI_OP_MAX, arguments[0], arguments[1]), arguments[2]);
}

static uint16_t build_step(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    (void)count;
    return apply2(tree, LIMBERI_OP_LESS_EQUAL, arguments[0], arguments[1]);
}

// The ease from 0 at `start` to 1 at `end`; with both known, the division is done here once.
static uint16_t smooth(limberi_tree* tree, uint16_t start, uint16_t end, uint16_t x) {
    const limberi_node* a = &tree->nodes[start];
    const limberi_node* b = &tree->nodes[end];
    if (a->rate != LIMBERI_RATE_NEVER || b->rate != LIMBERI_RATE_NEVER)
        return apply3(tree, LIMBERI_OP_SMOOTH, start, end, x);
    float inverse = limberi_inverse_span(a->value, b->value);
    return apply3(tree, LIMBERI_OP_RAMP, start, limberi_tree_constant(tree, inverse), x);
}

static uint16_t build_smoothstep(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    (void)count;
    return smooth(tree, arguments[0], arguments[1], arguments[2]);
}

// mix(mix(v0, v1, smoothstep(t0, t1, t)), v2, smoothstep(t1, t2, t)) ...: only one of the eases is ever between 0 and
// 1, those before it are at 1 and those after it at 0, so that every key is met exactly and at rest.
static uint16_t build_key(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    uint16_t node = arguments[1];
    for (uint32_t i = 2; i + 1 < count; i += 2) {
        uint16_t ease = smooth(tree, arguments[i - 2], arguments[i], limberi_tree_name(tree, LIMBER_VARIABLE_T));
        node = apply3(tree, LIMBERI_OP_MIX, node, arguments[i + 1], ease);
    }
    return node;
}

static uint16_t build_voronoi(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    (void)count;
    const uint16_t children[4] = {limberi_tree_name(tree, LIMBER_VARIABLE_X),
                                  limberi_tree_name(tree, LIMBER_VARIABLE_Y),
                                  limberi_tree_name(tree, LIMBER_VARIABLE_Z), arguments[0]};
    return limberi_tree_apply(tree, LIMBERI_OP_VORONOI, children, 4);
}

// Along a line: what is left out is 0.
static uint16_t build_noise(limberi_tree* tree, const uint16_t* arguments, uint32_t count) {
    uint16_t zero = limberi_tree_constant(tree, 0);
    uint16_t y = count > 1 ? arguments[1] : zero;
    return apply3(tree, LIMBERI_OP_NOISE, arguments[0], y, count > 2 ? arguments[2] : zero);
}

#define MANY UINT32_MAX
#define NAME_BIT(name) (1u << (name))

static const limberi_function functions[] = {
    {"abs", "abs(x)", 1, 1, 0, false, LIMBERI_OP_ABS, NULL},
    {"min", "min(a, b, ...)", 2, MANY, 0, false, LIMBERI_OP_CONSTANT, build_min},
    {"max", "max(a, b, ...)", 2, MANY, 0, false, LIMBERI_OP_CONSTANT, build_max},
    {"clamp", "clamp(x, lo, hi)", 3, 3, 0, false, LIMBERI_OP_CONSTANT, build_clamp},
    {"mix", "mix(a, b, t)", 3, 3, 0, false, LIMBERI_OP_MIX, NULL},
    {"step", "step(edge, x)", 2, 2, 0, false, LIMBERI_OP_CONSTANT, build_step},
    {"smoothstep", "smoothstep(a, b, x)", 3, 3, 0, false, LIMBERI_OP_CONSTANT, build_smoothstep},
    {"sin", "sin(radians)", 1, 1, 0, false, LIMBERI_OP_SIN, NULL},
    {"cos", "cos(radians)", 1, 1, 0, false, LIMBERI_OP_COS, NULL},
    {"exp", "exp(x)", 1, 1, 0, false, LIMBERI_OP_EXP, NULL},
    {"log", "log(x)", 1, 1, 0, false, LIMBERI_OP_LOG, NULL},
    {"sqrt", "sqrt(x)", 1, 1, 0, false, LIMBERI_OP_SQRT, NULL},
    {"pow", "pow(x, y)", 2, 2, 0, false, LIMBERI_OP_CONSTANT, build_pow},
    {"floor", "floor(x)", 1, 1, 0, false, LIMBERI_OP_FLOOR, NULL},
    {"fract", "fract(x)", 1, 1, 0, false, LIMBERI_OP_FRACT, NULL},
    {"noise", "noise(x, y, z)", 1, 3, 0, false, LIMBERI_OP_NOISE, build_noise},
    {"voronoi", "voronoi(scale)", 1, 1,
     NAME_BIT(LIMBER_VARIABLE_X) | NAME_BIT(LIMBER_VARIABLE_Y) | NAME_BIT(LIMBER_VARIABLE_Z), false,
     LIMBERI_OP_CONSTANT, build_voronoi},
    {"warp", "warp(x, s, p)", 3, 3, 0, false, LIMBERI_OP_WARP, NULL},
    {"key", "key(t0, v0, t1, v1, ...)", 4, MANY, NAME_BIT(LIMBER_VARIABLE_T), true, LIMBERI_OP_CONSTANT, build_key},
};

const limberi_function* limberi_function_at(size_t index) {
    return index < sizeof functions / sizeof *functions ? &functions[index] : NULL;
}

uint16_t limberi_tree_call(limberi_tree* tree, const limberi_function* function, const uint16_t* arguments,
                           uint32_t count) {
    if (function->build)
        return function->build(tree, arguments, count);
    return limberi_tree_apply(tree, function->op, arguments, count);
}
