// Making, asking and evaluating formulas.
#include "base/build.h"
#include "base/memory.h"
#include "text/expression_code.h"
#include "text/expression_private.h"

#include <string.h>

limber_expression_scope limber_expression_scope_all(void) {
    return (limber_expression_scope){(1u << LIMBER_VARIABLE_COUNT) - 1, true};
}

limber_expression_inputs limber_expression_inputs_default(void) {
    limber_expression_inputs inputs = {0};
    inputs.count = 1;
    return inputs;
}

static char* copy_text(char** at, const char* text, size_t length) {
    char* copy = *at;
    memcpy(copy, text, length);
    copy[length] = 0;
    *at += length + 1;
    return copy;
}

// One piece of memory, exactly as large as the formula needs: programs, constants as blocks, text, names of layers.
static limber_expression* pack(const limber_expression* draft, const limberi_source* source,
                               const limberi_parsed* parsed) {
    size_t frame_bytes = draft->frame_count * sizeof(limberi_instruction);
    size_t vertex_bytes = draft->vertex_count * sizeof(limberi_instruction);
    size_t constant_bytes = draft->constant_count * LIMBER_BLOCK * sizeof(float);
    size_t text_bytes = source->length + 1u;
    for (uint32_t i = 0; i < parsed->layer_count; i++)
        text_bytes += parsed->layers[i].length + 1u;
    limber_expression* e =
        limberi_allocate_zeroed(1, sizeof *e + frame_bytes + vertex_bytes + constant_bytes + text_bytes);
    if (!e)
        return NULL;
    *e = *draft;
    e->uses = parsed->uses;
    e->layer_count = parsed->layer_count;
    e->frame_program = (limberi_instruction*)(e + 1);
    e->vertex_program = e->frame_program + e->frame_count;
    e->constants = (float*)(e->vertex_program + e->vertex_count);
    memcpy(e->frame_program, draft->frame_program, frame_bytes);
    memcpy(e->vertex_program, draft->vertex_program, vertex_bytes);
    for (uint32_t i = 0; i < e->constant_count * LIMBER_BLOCK; i++)
        e->constants[i] = draft->constants[i / LIMBER_BLOCK];
    char* at = (char*)(e->constants + e->constant_count * LIMBER_BLOCK);
    e->text = copy_text(&at, source->text, source->length);
    for (uint32_t i = 0; i < e->layer_count; i++)
        e->layers[i] = copy_text(&at, source->text + parsed->layers[i].start, parsed->layers[i].length);
    return e;
}

static limber_result create(limberi_source* source, const limber_expression_scope* scope, limberi_arena* scratch,
                            limber_expression** expression) {
    limberi_parsed parsed;
    limber_result result = limberi_parse(source, scope, scratch, &parsed);
    if (result)
        return result;
    limber_expression draft = {0};
    result = limberi_emit(&parsed.tree, parsed.root, scratch, &draft, source);
    if (result)
        return result;
    *expression = pack(&draft, source, &parsed);
    return *expression ? LIMBER_OK : limberi_fail_memory(source->error);
}

limber_result limber_expression_create(const char* text, const limber_expression_scope* scope,
                                       limber_expression** expression, limber_error* error) {
    if (!expression)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the pointer for the expression is NULL");
    *expression = NULL;
    if (!text)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the text is NULL");
    if (!LIMBERI_HAS_FORMULAS)
        return limberi_fail_absent(error, "formulas");
    size_t length = strlen(text);
    limberi_source source = {.text = text, .error = error};
    // What is shown of an overlong text is its beginning and a little more.
    source.length = (uint32_t)(length < 2 * LIMBER_EXPRESSION_LENGTH ? length : 2 * LIMBER_EXPRESSION_LENGTH);
    if (length > LIMBER_EXPRESSION_LENGTH)
        return limberi_fault(&source, LIMBER_ERROR_LIMIT, LIMBER_EXPRESSION_LENGTH,
                             "the formula is too long (%zu characters, max %u)", length, LIMBER_EXPRESSION_LENGTH);
    limber_expression_scope all = limber_expression_scope_all();
    limberi_arena scratch = {0};
    limber_result result = create(&source, scope ? scope : &all, &scratch, expression);
    limberi_arena_free(&scratch);
    return result;
}

void limber_expression_destroy(limber_expression* expression) {
    limberi_release(expression);
}

const char* limber_expression_text(const limber_expression* expression) {
    return expression->text;
}

uint32_t limber_expression_uses(const limber_expression* expression) {
    return expression->uses;
}

uint32_t limber_expression_layer_count(const limber_expression* expression) {
    return expression->layer_count;
}

const char* limber_expression_layer(const limber_expression* expression, uint32_t index) {
    return index < expression->layer_count ? expression->layers[index] : "";
}

bool limber_expression_is_uniform(const limber_expression* expression) {
    return expression->rate != LIMBERI_RATE_VERTEX;
}

static void fill(float* out, float value, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = value;
}

static void run_frame(const limber_expression* e, const limber_expression_inputs* inputs, float* uniforms) {
    static const uint16_t in[LIMBERI_OPERANDS] = {0, 1, 2, 3};
    limberi_copy_bounded(uniforms, inputs->frame, LIMBER_VARIABLE_FRAME_COUNT);
    for (const limberi_instruction *i = e->frame_program, *end = i + e->frame_count; i < end; i++) {
        const float* held[LIMBERI_OPERANDS];
        for (uint32_t k = 0; k < LIMBERI_OPERANDS; k++) {
            size_t slot = i->in[k];
            held[k] =
                slot < LIMBERI_UNIFORMS ? uniforms + slot : e->constants + (slot - LIMBERI_UNIFORMS) * LIMBER_BLOCK;
        }
        limberi_kernels[i->op](uniforms + i->out, held, in, 1);
    }
}

// A run over one block.
typedef struct block_run {
    const limber_expression_inputs* inputs;
    const float* uniforms;
    float* out;
    uint32_t count;
    const float* held[LIMBERI_REGISTERS + LIMBERI_CONSTANTS]; // a register's own memory or, to save a copy, an input
    float memory[LIMBERI_REGISTERS][LIMBER_BLOCK];
} block_run;

// A layer that nobody painted is 1 everywhere.
static void load(block_run* run, const limberi_instruction* i, float* to) {
    bool is_name = i->op == LIMBERI_OP_NAME;
    const float* input = is_name ? run->inputs->vertex[i->in[0]] : run->inputs->layers[i->in[0]];
    if (!input)
        fill(to, is_name ? 0 : 1, run->count);
    else if (to == run->out || input == run->out || !limberi_is_bounded(input, run->count))
        limberi_copy_bounded(to, input, run->count);
    else
        run->held[i->out] = input;
}

static void run_vertex(const limber_expression* e, block_run* run) {
    for (uint32_t i = 0; i < e->constant_count; i++)
        run->held[LIMBERI_REGISTERS + i] = e->constants + (size_t)i * LIMBER_BLOCK;
    for (const limberi_instruction *i = e->vertex_program, *end = i + e->vertex_count; i < end; i++) {
        float* to = i + 1 == end ? run->out : run->memory[i->out];
        run->held[i->out] = to;
        if (i->op <= LIMBERI_OP_LAYER)
            load(run, i, to);
        else if (i->op == LIMBERI_OP_SPREAD)
            fill(to, run->uniforms[i->in[0]], run->count);
        else
            limberi_kernels[i->op](to, run->held, i->in, run->count);
    }
}

void limber_expression_evaluate(const limber_expression* expression, const limber_expression_inputs* inputs,
                                float* out) {
    float uniforms[LIMBERI_UNIFORMS];
    uint32_t count = inputs->count < LIMBER_BLOCK ? inputs->count : LIMBER_BLOCK;
    if (expression->uses & ((1u << LIMBER_VARIABLE_FRAME_COUNT) - 1))
        run_frame(expression, inputs, uniforms);
    if (expression->rate == LIMBERI_RATE_NEVER)
        fill(out, expression->constants[expression->result * LIMBER_BLOCK], count);
    else if (expression->rate == LIMBERI_RATE_FRAME)
        fill(out, uniforms[expression->result], count);
    else {
        block_run run;
        run.inputs = inputs;
        run.uniforms = uniforms;
        run.out = out;
        run.count = count;
        run_vertex(expression, &run);
    }
}

float limber_expression_evaluate_uniform(const limber_expression* expression, const limber_expression_inputs* inputs) {
    limber_expression_inputs one = *inputs;
    float value = 0;
    one.count = 1;
    limber_expression_evaluate(expression, &one, &value);
    return value;
}

void limberi_expression_run_until(const limber_expression* expression, const limber_expression_inputs* inputs,
                                  uint32_t instruction, float* out) {
    limber_expression part = *expression;
    float uniforms[LIMBERI_UNIFORMS] = {0}; // nothing that stays the same reads one
    block_run run;
    part.vertex_count = instruction + 1;
    run.inputs = inputs;
    run.uniforms = uniforms;
    run.out = out;
    run.count = inputs->count < LIMBER_BLOCK ? inputs->count : LIMBER_BLOCK;
    run_vertex(&part, &run);
}
