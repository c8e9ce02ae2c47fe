// limber/stages/expression.h: numbers that an artist writes as formulas: "0.4 * smoothstep(0.2, 1, height) * paint.ears".
//
// A text is compiled once into a flat program, with every name and argument count checked and a caret under the fault
// when there is one, and then evaluated over blocks of vertices without recursion or allocation:
//
//     limber_expression* gain;
//     if (limber_expression_create("0.4 * height", NULL, &gain, &error) != LIMBER_OK)
//         fprintf(stderr, "%s\n%s\n", error.message, error.detail);
//     limber_expression_inputs in = limber_expression_inputs_default();
//     in.count = 64; in.vertex[LIMBER_VARIABLE_HEIGHT] = heights;      // arrays of 64 floats
//     limber_expression_evaluate(gain, &in, out);                  // 64 floats
//
// Results are always finite: what a formula leaves undefined (a division by zero, the logarithm of a negative number)
// counts as 0, and magnitudes end at 1e30.
#ifndef LIMBER_STAGES_EXPRESSION_H
#define LIMBER_STAGES_EXPRESSION_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_EXPRESSION_LENGTH 1024u // characters
#define LIMBER_EXPRESSION_DEPTH 64u    // nested parentheses and calls
#define LIMBER_EXPRESSION_LAYERS 16u   // different paint.<layer> names in one expression
#define LIMBER_BLOCK 64u               // most vertices per evaluation

// Names of one value per frame, then names of one value per vertex.
typedef enum limber_variable {
    LIMBER_VARIABLE_T,     // seconds since the clip's start
    LIMBER_VARIABLE_FRAME, // the same in frames
    LIMBER_VARIABLE_PHASE, // 0 at the start of the clip, 1 at its end
    LIMBER_VARIABLE_FRAME_COUNT,
    LIMBER_VARIABLE_X = LIMBER_VARIABLE_FRAME_COUNT, // rest position in units of L, from the middle of the footprint
    LIMBER_VARIABLE_Y,
    LIMBER_VARIABLE_Z,
    LIMBER_VARIABLE_NX, // rest normal
    LIMBER_VARIABLE_NY,
    LIMBER_VARIABLE_NZ,
    LIMBER_VARIABLE_U, // texture coordinates
    LIMBER_VARIABLE_V,
    LIMBER_VARIABLE_HEIGHT, // 0 at the lowest point of the rest pose, 1 at the highest
    LIMBER_VARIABLE_RAND,   // 0 ... 1, the same for vertices at the same place
    LIMBER_VARIABLE_SPEED,  // of the vertex: L per second (in smears: L per frame)
    LIMBER_VARIABLE_OFFSET, // motion offset, smears only
    LIMBER_VARIABLE_COUNT
} limber_variable;

// Which names an expression may use: bit i allows limber_variable i. Layers are allowed when `layers` is true.
typedef struct limber_expression_scope {
    uint32_t names;
    bool layers;
} limber_expression_scope;

typedef struct limber_expression limber_expression;

typedef struct limber_expression_inputs {
    uint32_t count; // vertices, at most LIMBER_BLOCK
    float frame[LIMBER_VARIABLE_FRAME_COUNT];
    const float* vertex[LIMBER_VARIABLE_COUNT];    // indexed by limber_variable; only those the expression uses
    const float* layers[LIMBER_EXPRESSION_LAYERS]; // as limber_expression_layer counts them; NULL: 1 everywhere
} limber_expression_inputs;

LIMBER_API limber_expression_scope limber_expression_scope_all(void);
LIMBER_API limber_expression_inputs limber_expression_inputs_default(void);

// `scope` NULL: everything. On failure error->message says what is wrong, error->place is "column N" and error->detail
// shows the text with a caret under that column.
LIMBER_API LIMBER_MUST_USE limber_result limber_expression_create(const char* text,
                                                                  const limber_expression_scope* scope,
                                                                  limber_expression** expression, limber_error* error);
LIMBER_API void limber_expression_destroy(limber_expression* expression);
LIMBER_API const char* limber_expression_text(const limber_expression* expression);

// Bit i is set when the expression uses limber_variable i.
LIMBER_API uint32_t limber_expression_uses(const limber_expression* expression);
LIMBER_API uint32_t limber_expression_layer_count(const limber_expression* expression);
LIMBER_API const char* limber_expression_layer(const limber_expression* expression, uint32_t index);
// Whether it has one value for all vertices (uses neither vertex names nor layers nor voronoi).
LIMBER_API bool limber_expression_is_uniform(const limber_expression* expression);

// Writes inputs->count floats, also for a uniform expression.
LIMBER_API void limber_expression_evaluate(const limber_expression* expression, const limber_expression_inputs* inputs,
                                           float* out);
// One value of a uniform expression.
LIMBER_API float limber_expression_evaluate_uniform(const limber_expression* expression,
                                                    const limber_expression_inputs* inputs);

// A number of the style: a constant, or a formula when `expression` is not NULL.
typedef struct limber_number {
    float value;
    const limber_expression* expression;
} limber_number;

#ifdef __cplusplus
}
#endif

#endif
