// From a tree to two flat programs: what changes per frame, on single floats, and what changes per vertex, on blocks.
#include "base/lanes.h"
#include "text/expression_private.h"

#include <string.h>

typedef enum space { SPACE_REGISTER, SPACE_UNIFORM, SPACE_CONSTANT } space;

typedef struct place {
    space in;
    uint16_t index;
} place;

typedef struct emitter {
    const limberi_tree* tree;
    limber_expression* out;
    place* places;   // [node]: where its value is
    uint16_t* order; // nodes, children first
    uint32_t order_count;
    bool busy_registers[LIMBERI_REGISTERS], busy_uniforms[LIMBERI_UNIFORMS];
    bool full;
} emitter;

static uint16_t occupy(emitter* e, bool* busy, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!busy[i]) {
            busy[i] = true;
            return (uint16_t)i;
        }
    e->full = true;
    return 0;
}

// Each node's need for registers when the neediest child goes first (Sethi and Ullman, 1970).
static uint32_t need_of(const limberi_node* node, const uint8_t* needs) {
    uint8_t sorted[LIMBERI_OPERANDS] = {0};
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint8_t need = needs[node->children[i]];
        uint32_t k = i;
        for (; k && sorted[k - 1] < need; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = need;
    }
    uint32_t max = node->child_count + 1u;
    for (uint32_t i = 0; i < node->child_count; i++)
        max = sorted[i] + i > max ? sorted[i] + i : max;
    return max < 255 ? max : 255;
}

// Children with the smallest need first: the order is read backwards.
static void push_children(const limberi_node* node, const uint8_t* needs, uint16_t* stack, uint32_t* count) {
    uint32_t base = *count;
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t k = (*count)++;
        for (; k > base && needs[stack[k - 1]] < needs[node->children[i]]; k--)
            stack[k] = stack[k - 1];
        stack[k] = node->children[i];
    }
}

static bool plan(emitter* e, uint16_t root, limberi_arena* scratch) {
    uint32_t count = e->tree->count;
    uint8_t* needs = LIMBERI_ALLOCATE(scratch, uint8_t, count);
    uint16_t* stack = LIMBERI_ALLOCATE(scratch, uint16_t, count);
    e->order = LIMBERI_ALLOCATE(scratch, uint16_t, count);
    e->places = LIMBERI_ALLOCATE(scratch, place, count);
    if (scratch->failed)
        return false;
    for (uint32_t i = 0; i < count; i++)
        needs[i] = (uint8_t)need_of(&e->tree->nodes[i], needs);
    uint32_t waiting = 0;
    stack[waiting++] = root;
    while (waiting) {
        uint16_t node = stack[--waiting];
        e->order[e->order_count++] = node;
        push_children(&e->tree->nodes[node], needs, stack, &waiting);
    }
    for (uint32_t i = 0; i < e->order_count / 2; i++) {
        uint16_t other = e->order[e->order_count - 1 - i];
        e->order[e->order_count - 1 - i] = e->order[i];
        e->order[i] = other;
    }
    return true;
}

static place place_of(space in, uint32_t index) {
    return (place){in, (uint16_t)index};
}

static place place_constant(emitter* e, float value) {
    limber_expression* out = e->out;
    uint32_t i = 0;
    while (i < out->constant_count && limberi_bits_of(out->constants[i]) != limberi_bits_of(value))
        i++;
    if (i < out->constant_count)
        return place_of(SPACE_CONSTANT, i);
    e->full |= i >= LIMBERI_CONSTANTS;
    out->constants[out->constant_count++] = value;
    return place_of(SPACE_CONSTANT, i);
}

static void emit_frame(emitter* e, const limberi_node* node, uint16_t at) {
    if (node->op == LIMBERI_OP_NAME) {
        e->places[at] = place_of(SPACE_UNIFORM, node->index); // read before the program starts
        return;
    }
    limberi_instruction* instruction = &e->out->frame_program[e->out->frame_count++];
    instruction->op = node->op;
    instruction->out = occupy(e, e->busy_uniforms, LIMBERI_UNIFORMS);
    for (uint32_t i = 0; i < node->child_count; i++) {
        place from = e->places[node->children[i]];
        instruction->in[i] = (uint16_t)(from.index + (from.in == SPACE_CONSTANT ? LIMBERI_UNIFORMS : 0));
        if (from.in == SPACE_UNIFORM && from.index >= LIMBER_VARIABLE_FRAME_COUNT)
            e->busy_uniforms[from.index] = false;
    }
    e->places[at] = place_of(SPACE_UNIFORM, instruction->out);
}

// A value per frame that meets values per vertex, as a block. Its uniform stays busy: it is read in every block.
static place to_block(emitter* e, place uniform) {
    limberi_instruction* instruction = &e->out->vertex_program[e->out->vertex_count++];
    instruction->op = LIMBERI_OP_SPREAD;
    instruction->out = occupy(e, e->busy_registers, LIMBERI_REGISTERS);
    instruction->in[0] = uniform.index;
    return place_of(SPACE_REGISTER, instruction->out);
}

static void emit_vertex(emitter* e, const limberi_node* node, uint16_t at) {
    place from[LIMBERI_OPERANDS];
    for (uint32_t i = 0; i < node->child_count; i++) {
        from[i] = e->places[node->children[i]];
        if (from[i].in == SPACE_UNIFORM)
            from[i] = to_block(e, from[i]);
    }
    limberi_instruction* instruction = &e->out->vertex_program[e->out->vertex_count++];
    instruction->op = node->op;
    instruction->in[0] = node->index;
    // Taken before the operands are given back: kernels may not write where they read.
    instruction->out = occupy(e, e->busy_registers, LIMBERI_REGISTERS);
    for (uint32_t i = 0; i < node->child_count; i++) {
        instruction->in[i] = (uint16_t)(from[i].index + (from[i].in == SPACE_CONSTANT ? LIMBERI_REGISTERS : 0));
        if (from[i].in == SPACE_REGISTER)
            e->busy_registers[from[i].index] = false;
    }
    e->places[at] = place_of(SPACE_REGISTER, instruction->out);
}

static void emit_all(emitter* e) {
    for (uint32_t i = 0; i < LIMBER_VARIABLE_FRAME_COUNT; i++)
        e->busy_uniforms[i] = true;
    for (uint32_t i = 0; i < e->order_count; i++) {
        uint16_t at = e->order[i];
        const limberi_node* node = &e->tree->nodes[at];
        if (node->rate == LIMBERI_RATE_NEVER)
            e->places[at] = place_constant(e, node->value);
        else if (node->rate == LIMBERI_RATE_FRAME)
            emit_frame(e, node, at);
        else
            emit_vertex(e, node, at);
    }
}

limber_result limberi_emit(const limberi_tree* tree, uint16_t root, limberi_arena* scratch,
                           limber_expression* expression, limberi_source* source) {
    emitter* e = LIMBERI_ALLOCATE(scratch, emitter, 1);
    size_t count = tree->count;
    expression->frame_program = LIMBERI_ALLOCATE(scratch, limberi_instruction, count);
    expression->vertex_program =
        LIMBERI_ALLOCATE(scratch, limberi_instruction, 2 * count); // each node spread once at most
    expression->constants = LIMBERI_ALLOCATE(scratch, float, count);
    if (scratch->failed)
        return limberi_fail_memory(source->error);
    e->tree = tree;
    e->out = expression;
    if (!plan(e, root, scratch))
        return limberi_fail_memory(source->error);
    emit_all(e);
    if (e->full)
        return limberi_fault(source, LIMBER_ERROR_LIMIT, 0, "the formula is too complex");
    expression->rate = (limberi_rate)tree->nodes[root].rate;
    expression->result = e->places[root].index;
    return LIMBER_OK;
}
