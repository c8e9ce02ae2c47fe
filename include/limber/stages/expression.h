// limber/stages/expression.h: numbers that are formulas, such as "0.4 * smoothstep(0.2, 1, height) * paint.ears".
//
// A formula is compiled once, with all names and argument counts checked, and then evaluated over blocks of vertices
// without recursion or allocation:
//
//     limber_expression* gain;
//     limber_error error;
//     if (limber_expression_create("0.4 * height", NULL, &gain, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s\n%s\n", error.message, error.detail); // the detail has a caret under the mistake
//         return 1;
//     }
//     const float heights[3] = {0, 0.5f, 1};
//     float values[3];
//     limber_expression_inputs inputs = limber_expression_inputs_default();
//     inputs.count = 3;
//     inputs.vertex[LIMBER_VARIABLE_HEIGHT] = heights;
//     limber_expression_evaluate(gain, &inputs, values); // 0, 0.2, 0.4
//     limber_expression_destroy(gain);
//
// Results are always finite: an undefined result (a division by zero, the logarithm of a negative number) counts as 0,
// and magnitudes are clamped to 1e30.
#ifndef LIMBER_STAGES_EXPRESSION_H
#define LIMBER_STAGES_EXPRESSION_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_EXPRESSION_LENGTH 1024u // max characters
#define LIMBER_EXPRESSION_DEPTH 64u    // max nested parentheses and calls
#define LIMBER_EXPRESSION_LAYERS 16u   // max different paint.<layer> names in one formula
#define LIMBER_BLOCK 64u               // max vertices per evaluation

// The variables of formulas: first those with one value per frame, then those with one value per vertex.
typedef enum limber_variable {
    LIMBER_VARIABLE_T,     // seconds since the clip's start
    LIMBER_VARIABLE_FRAME, // the same in frames
    LIMBER_VARIABLE_PHASE, // 0 at the start of the clip, 1 at its end
    LIMBER_VARIABLE_FRAME_COUNT,
    LIMBER_VARIABLE_X = LIMBER_VARIABLE_FRAME_COUNT, // rest position in L, from the middle of the footprint
    LIMBER_VARIABLE_Y,
    LIMBER_VARIABLE_Z,
    LIMBER_VARIABLE_NX, // rest normal
    LIMBER_VARIABLE_NY,
    LIMBER_VARIABLE_NZ,
    LIMBER_VARIABLE_U, // texture coordinates
    LIMBER_VARIABLE_V,
    LIMBER_VARIABLE_HEIGHT, // 0 at the lowest point of the rest pose, 1 at the highest
    LIMBER_VARIABLE_RAND,   // random, 0 ... 1, equal for vertices at the same place
    LIMBER_VARIABLE_SPEED,  // of the vertex: L per second (in smears: L per frame)
    LIMBER_VARIABLE_OFFSET, // motion offset, in smears only
    LIMBER_VARIABLE_COPY,   // of in-between copies only: number of the copy, negative in the past
    LIMBER_VARIABLE_COPIES, // of in-between copies only: how many there are on its side
    LIMBER_VARIABLE_COUNT
} limber_variable;

// What a formula may use: bit i of `names` allows limber_variable i; `layers` allows paint.<layer>.
typedef struct limber_expression_scope {
    uint32_t names;
    bool layers;
} limber_expression_scope;

// A formula, ready to be evaluated.
typedef struct limber_expression limber_expression;

// The values of variables for a block of vertices.
typedef struct limber_expression_inputs {
    uint32_t count;                                // vertices, at most LIMBER_BLOCK
    float frame[LIMBER_VARIABLE_FRAME_COUNT];      // t, frame and phase
    const float* vertex[LIMBER_VARIABLE_COUNT];    // by limber_variable; only those the formula uses are read
    const float* layers[LIMBER_EXPRESSION_LAYERS]; // in the order of limber_expression_layer; NULL: 1 everywhere
} limber_expression_inputs;

// Everything is allowed.
LIMBER_API limber_expression_scope limber_expression_scope_all(void);
// One value at time 0, for formulas without variables of vertices.
LIMBER_API limber_expression_inputs limber_expression_inputs_default(void);

// `scope` NULL: everything is allowed. On failure error->place is "column N" and error->detail shows the text with a
// caret under that column.
LIMBER_API LIMBER_MUST_USE limber_result limber_expression_create(const char* text,
                                                                  const limber_expression_scope* scope,
                                                                  limber_expression** expression, limber_error* error);
LIMBER_API void limber_expression_destroy(limber_expression* expression);
LIMBER_API const char* limber_expression_text(const limber_expression* expression);

// Bit i is set when the formula uses limber_variable i.
LIMBER_API uint32_t limber_expression_uses(const limber_expression* expression);
LIMBER_API uint32_t limber_expression_layer_count(const limber_expression* expression);
LIMBER_API const char* limber_expression_layer(const limber_expression* expression, uint32_t index);
// Whether all vertices get the same value: the formula uses neither vertex variables nor layers nor voronoi().
LIMBER_API bool limber_expression_is_uniform(const limber_expression* expression);

// Writes inputs->count values, also for a uniform formula.
LIMBER_API void limber_expression_evaluate(const limber_expression* expression, const limber_expression_inputs* inputs,
                                           float* out);
// The value of a uniform formula.
LIMBER_API float limber_expression_evaluate_uniform(const limber_expression* expression,
                                                    const limber_expression_inputs* inputs);

// A number in the settings: a constant `value`, or a formula when `expression` is not NULL.
typedef struct limber_number {
    float value;
    const limber_expression* expression;
} limber_number;

#ifdef __cplusplus
}
#endif

#endif
