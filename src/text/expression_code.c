// Formulas for shaders: their programs as text, one instruction per line, with everything that stays the same in all
// frames (a position, a layer, a random number and what is made of them) left to columns that the CPU fills once.
#include "text/expression_code.h"

#include "text/expression_private.h"

#include <string.h>

// What a shader computes as the CPU does, but for the last bits. Sines and powers of graphics cards are too coarse, and
// the cells of noise would not be the same.
static const char* const words[LIMBERI_OP_COUNT] = {
    [LIMBERI_OP_NEGATE] = "negate",
    [LIMBERI_OP_NOT] = "invert",
    [LIMBERI_OP_ABS] = "absolute",
    [LIMBERI_OP_SQRT] = "root",
    [LIMBERI_OP_FLOOR] = "down",
    [LIMBERI_OP_FRACT] = "fraction",
    [LIMBERI_OP_SQUARE] = "square",
    [LIMBERI_OP_CUBE] = "cube",
    [LIMBERI_OP_ADD] = "add",
    [LIMBERI_OP_SUBTRACT] = "subtract",
    [LIMBERI_OP_MULTIPLY] = "multiply",
    [LIMBERI_OP_PLAIN_ADD] = "add",
    [LIMBERI_OP_PLAIN_SUBTRACT] = "subtract",
    [LIMBERI_OP_PLAIN_MULTIPLY] = "multiply",
    [LIMBERI_OP_DIVIDE] = "divide",
    [LIMBERI_OP_MIN] = "least",
    [LIMBERI_OP_MAX] = "greatest",
    [LIMBERI_OP_LESS] = "less",
    [LIMBERI_OP_LESS_EQUAL] = "less_equal",
    [LIMBERI_OP_EQUAL] = "same",
    [LIMBERI_OP_NOT_EQUAL] = "other",
    [LIMBERI_OP_AND] = "both",
    [LIMBERI_OP_OR] = "either",
    [LIMBERI_OP_SELECT] = "choose",
    [LIMBERI_OP_MIX] = "blend",
    [LIMBERI_OP_SMOOTH] = "smooth",
    [LIMBERI_OP_RAMP] = "ramp",
};

// For messages.
static const char* const refused[LIMBERI_OP_COUNT] = {
    [LIMBERI_OP_SIN] = "sin",   [LIMBERI_OP_COS] = "cos",     [LIMBERI_OP_EXP] = "exp",
    [LIMBERI_OP_LOG] = "log",   [LIMBERI_OP_REMAINDER] = "%", [LIMBERI_OP_POWER] = "pow",
    [LIMBERI_OP_WARP] = "warp", [LIMBERI_OP_NOISE] = "noise", [LIMBERI_OP_VORONOI] = "voronoi",
};

static uint32_t operand_count(uint32_t op) {
    if (op < LIMBERI_OP_ADD)
        return 1;
    if (op < LIMBERI_OP_SELECT)
        return 2;
    return op < LIMBERI_OP_VORONOI ? 3 : 4;
}

typedef struct writer {
    const limber_expression* expression;
    const limberi_code_sink* sink;
    bool changes[LIMBERI_REGISTERS];  // from frame to frame
    uint32_t made[LIMBERI_REGISTERS]; // by which instruction
} writer;

typedef struct operand {
    char text[16];
} operand;

static operand operand_of(char kind, uint32_t index) {
    operand o;
    limberi_format(o.text, sizeof o.text, "%c%u", kind, index);
    return o;
}

static operand constant_operand(const writer* w, uint32_t index) {
    return operand_of('c', w->sink->constant(w->sink->user, w->expression->constants[index * LIMBER_BLOCK]));
}

static operand vertex_operand(const writer* w, uint32_t slot) {
    if (slot >= LIMBERI_REGISTERS)
        return constant_operand(w, slot - LIMBERI_REGISTERS);
    if (w->changes[slot])
        return operand_of('r', slot);
    return operand_of('v', w->sink->column(w->sink->user, w->expression, w->made[slot]));
}

static operand frame_operand(const writer* w, uint32_t slot) {
    return slot >= LIMBERI_UNIFORMS ? constant_operand(w, slot - LIMBERI_UNIFORMS) : operand_of('u', slot);
}

static const char* write_line(const writer* w, const limberi_instruction* i, char kind,
                              operand (*find)(const writer*, uint32_t)) {
    char line[128];
    if (!words[i->op])
        return refused[i->op] ? refused[i->op] : "?";
    limberi_format(line, sizeof line, "%c%u %s", kind, i->out, words[i->op]);
    for (uint32_t k = 0; k < operand_count(i->op); k++) {
        operand o = find(w, i->in[k]);
        size_t length = strlen(line);
        limberi_format(line + length, sizeof line - length, " %s", o.text);
    }
    w->sink->line(w->sink->user, line);
    return NULL;
}

static bool changing(const writer* w, const limberi_instruction* i) {
    if (i->op == LIMBERI_OP_NAME)
        return i->in[0] == LIMBER_VARIABLE_SPEED || i->in[0] == LIMBER_VARIABLE_OFFSET ||
               i->in[0] == LIMBER_VARIABLE_COPY || i->in[0] == LIMBER_VARIABLE_COPIES;
    if (i->op == LIMBERI_OP_SPREAD || i->op == LIMBERI_OP_LAYER)
        return i->op == LIMBERI_OP_SPREAD;
    for (uint32_t k = 0; k < operand_count(i->op); k++)
        if (i->in[k] < LIMBERI_REGISTERS && w->changes[i->in[k]])
            return true;
    return false;
}

static const char* write_vertex(writer* w) {
    const limber_expression* e = w->expression;
    for (uint32_t n = 0; n < e->vertex_count; n++) {
        const limberi_instruction* i = &e->vertex_program[n];
        bool dynamic = changing(w, i);
        const char* wrong = NULL;
        if (dynamic && (i->op == LIMBERI_OP_NAME || i->op == LIMBERI_OP_SPREAD)) {
            char line[64];
            limberi_format(line, sizeof line, "r%u copy %c%u", i->out, i->op == LIMBERI_OP_NAME ? 'n' : 'u', i->in[0]);
            w->sink->line(w->sink->user, line);
        } else if (dynamic) {
            wrong = write_line(w, i, 'r', vertex_operand);
        }
        if (wrong)
            return wrong;
        w->changes[i->out] = dynamic;
        w->made[i->out] = n;
    }
    return NULL;
}

const char* limberi_expression_write(const limber_expression* e, const limberi_code_sink* sink) {
    writer w = {0};
    w.expression = e;
    w.sink = sink;
    const char* wrong = NULL;
    for (uint32_t n = 0; !wrong && n < e->frame_count; n++)
        wrong = write_line(&w, &e->frame_program[n], 'u', frame_operand);
    if (!wrong && e->rate == LIMBERI_RATE_VERTEX)
        wrong = write_vertex(&w);
    if (wrong)
        return wrong;
    operand result;
    if (e->rate == LIMBERI_RATE_NEVER)
        result = constant_operand(&w, e->result);
    else if (e->rate == LIMBERI_RATE_FRAME)
        result = operand_of('u', e->result);
    else
        result = vertex_operand(&w, e->vertex_program[e->vertex_count - 1].out);
    char line[32];
    limberi_format(line, sizeof line, "= %s", result.text);
    sink->line(sink->user, line);
    return NULL;
}
