// Random formulas, with their text and their value by a separate evaluator.
#include "kit/formulas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum kind {
    LEAF,
    NUMBER,
    NEGATE,
    NOT,
    POWER2,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    LESS,
    GREATER,
    LESS_EQUAL,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    AND,
    OR,
    CHOICE,
    ABS,
    MIN,
    MAX,
    CLAMP,
    MIX,
    STEP,
    SMOOTHSTEP,
    FLOOR,
    FRACT,
    SQRT,
    LAST_EXACT = SQRT,
    SIN,
    COS,
    EXP,
    LOG,
    POW,
    POWER,
    NOISE,
    VORONOI,
    WARP,
    KEY,
    KIND_COUNT
} kind;

// level: how tightly it binds, from SPEC's grammar; 9: never needs parentheses.
static const struct {
    const char* text;
    int children, level;
} kinds[KIND_COUNT] = {
    [LEAF] = {"", 0, 9},           [NUMBER] = {"", 0, 9},
    [NEGATE] = {"-", 1, 7},        [NOT] = {"!", 1, 7},
    [POWER2] = {"^", 1, 8},        [MULTIPLY] = {"*", 2, 6},
    [DIVIDE] = {"/", 2, 6},        [REMAINDER] = {"%", 2, 6},
    [ADD] = {"+", 2, 5},           [SUBTRACT] = {"-", 2, 5},
    [LESS] = {"<", 2, 4},          [GREATER] = {">", 2, 4},
    [LESS_EQUAL] = {"<=", 2, 4},   [GREATER_EQUAL] = {">=", 2, 4},
    [EQUAL] = {"==", 2, 3},        [NOT_EQUAL] = {"!=", 2, 3},
    [AND] = {"&&", 2, 2},          [OR] = {"||", 2, 1},
    [CHOICE] = {"?", 3, 0},        [ABS] = {"abs", 1, 9},
    [MIN] = {"min", 2, 9},         [MAX] = {"max", 2, 9},
    [CLAMP] = {"clamp", 3, 9},     [MIX] = {"mix", 3, 9},
    [STEP] = {"step", 2, 9},       [SMOOTHSTEP] = {"smoothstep", 3, 9},
    [FLOOR] = {"floor", 1, 9},     [FRACT] = {"fract", 1, 9},
    [SQRT] = {"sqrt", 1, 9},       [SIN] = {"sin", 1, 9},
    [COS] = {"cos", 1, 9},         [EXP] = {"exp", 1, 9},
    [LOG] = {"log", 1, 9},         [POW] = {"pow", 2, 9},
    [POWER] = {"^", 2, 8},         [NOISE] = {"noise", 3, 9},
    [VORONOI] = {"voronoi", 1, 9}, [WARP] = {"warp", 3, 9},
    [KEY] = {"key", 3, 9},
};

static const char* const leaf_names[4] = {"x", "y", "z", "height"};

uint32_t formula_random(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int grow(formula* f, uint32_t* seed, int depth, bool exact) {
    formula_node node = {LEAF, {0, 0, 0}, 0, 0};
    if (depth > 0 && formula_random(seed) % 8)
        node.kind = NEGATE + (int)(formula_random(seed) % (uint32_t)((exact ? LAST_EXACT : KEY) - NEGATE + 1));
    else if (formula_random(seed) % 3 == 0)
        node.kind = NUMBER;
    node.name = (int)(formula_random(seed) % 4);
    node.number = (double)(formula_random(seed) % 33) / 8;
    for (int i = 0; i < kinds[node.kind].children; i++)
        node.children[i] = grow(f, seed, depth - 1, exact);
    f->nodes[f->count] = node;
    return f->count++;
}

void formula_grow(formula* f, uint32_t* seed, int depth, bool exact) {
    f->count = 0;
    grow(f, seed, depth, exact); // 3^3 leaves and what is above them fit into FORMULA_NODES
}

typedef struct printer {
    formula* f;
    size_t length;
    bool sparse;
    formula_leaves leaves;
    const double* values;
} printer;

static void put(printer* p, const char* text) {
    p->length += (size_t)snprintf(p->f->text + p->length, FORMULA_TEXT - p->length, "%s", text);
}

static void print(printer* p, int index, int level);

// Negative numbers as "-0.5" would bind differently than a name does; a call keeps them together.
static void print_leaf(printer* p, const formula_node* node) {
    char number[64];
    if (node->kind == LEAF && p->leaves != FORMULA_NUMBERS) {
        put(p, p->leaves == FORMULA_TIME ? "t" : leaf_names[node->name]);
        return;
    }
    double value = node->kind == NUMBER ? node->number : p->values[node->name];
    snprintf(number, sizeof number, value < 0 ? "min(%.17g,9)" : "%.17g", value);
    put(p, number);
}

static void print_call(printer* p, const formula_node* node) {
    put(p, kinds[node->kind].text);
    put(p, node->kind == KEY ? "(0," : "(");
    for (int i = 0; i < kinds[node->kind].children; i++) {
        if (i)
            put(p, node->kind != KEY ? ", " : i == 1 ? ",.5," : ",1,");
        print(p, node->children[i], 0);
    }
    put(p, ")");
}

static void print_operator(printer* p, const formula_node* node) {
    int level = kinds[node->kind].level;
    const char* text = kinds[node->kind].text;
    if (node->kind == NEGATE || node->kind == NOT) {
        put(p, text);
        print(p, node->children[0], level);
    } else if (node->kind == CHOICE) {
        print(p, node->children[0], 1);
        put(p, " ? ");
        print(p, node->children[1], 0);
        put(p, " : ");
        print(p, node->children[2], 0);
    } else if (level == 8) { // to the right
        print(p, node->children[0], 9);
        put(p, text);
        if (node->kind == POWER2)
            put(p, "2");
        else
            print(p, node->children[1], 7);
    } else { // to the left, and comparisons not at all
        print(p, node->children[0], level == 3 || level == 4 ? level + 1 : level);
        put(p, text);
        print(p, node->children[1], level + 1);
    }
}

static void print(printer* p, int index, int level) {
    const formula_node* node = &p->f->nodes[index];
    bool call = kinds[node->kind].level == 9;
    bool wrapped = !call && (!p->sparse || kinds[node->kind].level < level);
    if (wrapped)
        put(p, "(");
    if (node->kind == LEAF || node->kind == NUMBER)
        print_leaf(p, node);
    else if (call)
        print_call(p, node);
    else
        print_operator(p, node);
    if (wrapped)
        put(p, ")");
}

void formula_print(formula* f, bool sparse, formula_leaves leaves, const double* values) {
    printer p = {f, 0, sparse, leaves, values};
    print(&p, f->count - 1, 0);
}

static double rounded(double v) {
    v = fmin(fmax(v, -(double)1e30f), (double)1e30f);
    return (double)(float)v;
}

static double ease(double from, double to, double x) {
    double span = (double)(float)(to - from);
    double inverse = span != 0 ? rounded(1 / span) : (double)1e30f;
    double t = fmin(fmax((double)(float)((double)(float)(x - from) * inverse), 0), 1);
    return (double)(float)((double)(float)(t * t) * (double)(float)(3 - (double)(float)(2 * t)));
}

static double mixed(double a, double b, double t) {
    double span = (double)(float)(b - a);
    if (t < 0.5)
        return rounded(a + (double)(float)(span * t));
    return rounded(b - (double)(float)(span * (double)(float)(1 - t)));
}

static double remainder_of(double a, double b) {
    double r = b != 0 ? fmod(a, b) : 0;
    return r != 0 && (r < 0) != (b < 0) ? rounded(r + b) : r;
}

static double function_value(kind k, double a, double b, double c) {
    switch (k) {
    case ABS:
        return fabs(a);
    case MIN:
        return fmin(a, b);
    case MAX:
        return fmax(a, b);
    case CLAMP:
        return fmin(fmax(a, b), c);
    case MIX:
        return mixed(a, b, c);
    case STEP:
        return b < a ? 0 : 1;
    case SMOOTHSTEP:
        return ease(a, b, c);
    case FLOOR:
        return floor(a);
    case FRACT:
        return fmin(rounded(a - floor(a)), (double)0x1.fffffep-1f);
    case SQRT:
        return a > 0 ? (double)(float)sqrt(a) : 0;
    default:
        return NAN;
    }
}

static double operator_value(kind k, double a, double b, double c) {
    switch (k) {
    case NEGATE:
        return -a;
    case NOT:
        return a == 0;
    case POWER2:
        return rounded(a * a);
    case MULTIPLY:
        return rounded(a * b);
    case DIVIDE:
        return b != 0 ? rounded(a / b) : 0;
    case REMAINDER:
        return remainder_of(a, b);
    case ADD:
        return rounded(a + b);
    case SUBTRACT:
        return rounded(a - b);
    case LESS:
        return a < b;
    case GREATER:
        return a > b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    case NOT_EQUAL:
        return a != b;
    case AND:
        return a != 0 && b != 0;
    case OR:
        return a != 0 || b != 0;
    case CHOICE:
        return a != 0 ? b : c;
    default:
        return function_value(k, a, b, c);
    }
}

double formula_value(const formula* f, const double* values) {
    double results[FORMULA_NODES];
    for (int i = 0; i < f->count; i++) {
        const formula_node* node = &f->nodes[i];
        if (node->kind == LEAF)
            results[i] = values[node->name];
        else if (node->kind == NUMBER)
            results[i] = node->number;
        else
            results[i] = operator_value((kind)node->kind, results[node->children[0]], results[node->children[1]],
                                        results[node->children[2]]);
    }
    return results[f->count - 1];
}
