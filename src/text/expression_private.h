// How a formula becomes numbers: text -> tokens (expression_lex.c) -> a tree of nodes, folded and lowered to a few
// operations as it grows (expression_parse.c, expression_tree.c) -> two flat programs (expression_emit.c), one run once
// per call on single floats and one run over blocks of vertices, both by the kernels of expression_kernels.c.
#ifndef LIMBERI_EXPRESSION_PRIVATE_H
#define LIMBERI_EXPRESSION_PRIVATE_H

#include "base/error.h"
#include "base/memory.h"

#include <limber/stages/expression.h>

// Large enough for any length an artist means, small enough that the sum of two values is still a float.
#define LIMBERI_VALUE_MAX 1e30f

// Operands are emitted largest first, so that a tree from LIMBER_EXPRESSION_LENGTH characters needs 12 at most.
#define LIMBERI_REGISTERS 16u
// Values per frame that a vertex program reads: at least four characters of text stand behind each.
#define LIMBERI_UNIFORMS 512u
// Different constants: two to three hundred fit into the text, each with an inverse at most.
#define LIMBERI_CONSTANTS 512u

typedef enum limberi_op {
    LIMBERI_OP_CONSTANT, // leaves: `value`
    LIMBERI_OP_NAME,     //         `index` is a limber_variable
    LIMBERI_OP_LAYER,    //         `index` counts the expression's layers
    LIMBERI_OP_SPREAD,   // a value per frame to a whole block; only in programs
    LIMBERI_OP_NEGATE,
    LIMBERI_OP_NOT,
    LIMBERI_OP_ABS,
    LIMBERI_OP_SQRT,
    LIMBERI_OP_SIN,
    LIMBERI_OP_COS,
    LIMBERI_OP_EXP,
    LIMBERI_OP_LOG,
    LIMBERI_OP_FLOOR,
    LIMBERI_OP_FRACT,
    LIMBERI_OP_SQUARE,
    LIMBERI_OP_CUBE,
    LIMBERI_OP_ADD,
    LIMBERI_OP_SUBTRACT,
    LIMBERI_OP_MULTIPLY,
    LIMBERI_OP_PLAIN_ADD, // where the result cannot grow too large, in the same order
    LIMBERI_OP_PLAIN_SUBTRACT,
    LIMBERI_OP_PLAIN_MULTIPLY,
    LIMBERI_OP_DIVIDE,
    LIMBERI_OP_REMAINDER,
    LIMBERI_OP_POWER,
    LIMBERI_OP_MIN,
    LIMBERI_OP_MAX,
    LIMBERI_OP_LESS,
    LIMBERI_OP_LESS_EQUAL,
    LIMBERI_OP_EQUAL,
    LIMBERI_OP_NOT_EQUAL,
    LIMBERI_OP_AND,
    LIMBERI_OP_OR,
    LIMBERI_OP_SELECT,  // condition, then, else
    LIMBERI_OP_MIX,     // a, b, t
    LIMBERI_OP_SMOOTH,  // start, end, x: the cubic ease from 0 to 1
    LIMBERI_OP_RAMP,    // start, 1 / span, x: the same with the division done before
    LIMBERI_OP_WARP,    // x, s, p
    LIMBERI_OP_NOISE,   // x, y, z
    LIMBERI_OP_VORONOI, // x, y, z, scale
    LIMBERI_OP_COUNT
} limberi_op;

// How often a value changes.
typedef enum limberi_rate { LIMBERI_RATE_NEVER, LIMBERI_RATE_FRAME, LIMBERI_RATE_VERTEX } limberi_rate;

#define LIMBERI_OPERANDS 4u

typedef struct limberi_node {
    uint8_t op, rate, child_count;
    uint16_t index;
    uint16_t children[LIMBERI_OPERANDS];
    float value;
    float max; // of the magnitude
} limberi_node;

// Children stand before their parents, and every node but the last has one parent.
typedef struct limberi_tree {
    limberi_node* nodes;
    uint32_t count, capacity;
    bool full; // sticky
} limberi_tree;

typedef struct limberi_function {
    const char* name;
    const char* usage;
    uint32_t min, max; // arguments
    uint32_t names;    // used without being written: bits of limber_variable
    bool timed;        // arguments are pairs of a constant time and a value
    limberi_op op;     // LIMBERI_OP_CONSTANT: `build` makes it from others
    uint16_t (*build)(limberi_tree* tree, const uint16_t* arguments, uint32_t count);
} limberi_function;

bool limberi_tree_create(limberi_tree* tree, limberi_arena* scratch, size_t text_length);
uint16_t limberi_tree_constant(limberi_tree* tree, float value);
uint16_t limberi_tree_name(limberi_tree* tree, limber_variable name);
uint16_t limberi_tree_layer(limberi_tree* tree, uint32_t layer);
uint16_t limberi_tree_apply(limberi_tree* tree, limberi_op op, const uint16_t* children, uint32_t count);
uint16_t limberi_tree_power(limberi_tree* tree, const uint16_t* children);
uint16_t limberi_tree_call(limberi_tree* tree, const limberi_function* function, const uint16_t* arguments,
                           uint32_t count);
const limberi_function* limberi_function_at(size_t index); // NULL past the end

// Programs read numbered slots. Per vertex: LIMBERI_REGISTERS registers, then the constants, all blocks. Per frame:
// LIMBERI_UNIFORMS uniforms (the names of limber_variable first), then the constants, all single floats.
typedef struct limberi_instruction {
    uint16_t op, out;              // `out`: a register or a uniform
    uint16_t in[LIMBERI_OPERANDS]; // slots; of a NAME or LAYER the input, of a SPREAD the uniform
} limberi_instruction;

struct limber_expression {
    uint32_t uses, layer_count;
    uint32_t frame_count, vertex_count; // instructions
    uint32_t constant_count;
    limberi_rate rate;
    uint32_t result; // when it is not per vertex: constant or uniform
    limberi_instruction *frame_program, *vertex_program;
    float* constants; // [constant_count][LIMBER_BLOCK]
    char* text;
    const char* layers[LIMBER_EXPRESSION_LAYERS];
};

// One operation on up to LIMBER_BLOCK floats: operand k is held[in[k]], and overlaps `out` nowhere. Operands are finite
// and no larger than LIMBERI_VALUE_MAX, and so are results.
typedef void (*limberi_kernel)(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count);
extern const limberi_kernel limberi_kernels[LIMBERI_OP_COUNT]; // none for leaves and SPREAD
// Copies, making NaN 0 and cutting off at LIMBERI_VALUE_MAX. `out` may be `a`.
void limberi_copy_bounded(float* out, const float* a, uint32_t count);
bool limberi_is_bounded(const float* a, uint32_t count);

// 1 / (end - start), the slope that LIMBERI_OP_RAMP wants.
float limberi_inverse_span(float start, float end);

typedef enum limberi_token_kind {
    LIMBERI_TOKEN_END,
    LIMBERI_TOKEN_NUMBER,
    LIMBERI_TOKEN_NAME,
    LIMBERI_TOKEN_LAYER, // "paint." and a name
    LIMBERI_TOKEN_OPERATOR,
    LIMBERI_TOKEN_FAULT // reported already
} limberi_token_kind;

#define LIMBERI_PAINT "paint."

typedef struct limberi_token {
    limberi_token_kind kind;
    uint32_t start, length; // bytes
    float number;
} limberi_token;

typedef struct limberi_source {
    const char* text;
    uint32_t length, at;
    limber_error* error; // may be NULL
    limber_result result;
} limberi_source;

limberi_token limberi_next_token(limberi_source* source);
char limberi_peek(limberi_source* source); // the character that the next token starts with; 0 at the end
bool limberi_token_is(const limberi_source* source, limberi_token token, const char* text);

// Reports a fault at byte `start` of the text: message, place, and the text with a caret. Returns `result`.
limber_result limberi_fault(limberi_source* source, limber_result result, uint32_t start, const char* format, ...)
    LIMBERI_PRINTF(4, 5);

// Fills the programs, constants, rate and result of `expression` with arrays of `scratch`.
limber_result limberi_emit(const limberi_tree* tree, uint16_t root, limberi_arena* scratch,
                           limber_expression* expression, limberi_source* source);

// A piece of the text for a message, cut at a whole character.
typedef struct limberi_quote {
    char text[64];
} limberi_quote;
limberi_quote limberi_quote_of(const limberi_source* source, uint32_t start, uint32_t length);

// Names and functions of the formula language. The first three report what is wrong and return its result.
limber_result limberi_check_name(limberi_source* source, const limber_expression_scope* scope, limberi_token token,
                                 limber_variable* name);
limber_result limberi_check_layers(limberi_source* source, const limber_expression_scope* scope, limberi_token token);
limber_result limberi_check_function(limberi_source* source, const limber_expression_scope* scope, limberi_token token,
                                     const limberi_function** function);

typedef struct limberi_parsed {
    limberi_tree tree;
    uint16_t root;
    uint32_t uses, layer_count;
    struct {
        uint32_t start, length;
    } layers[LIMBER_EXPRESSION_LAYERS];
} limberi_parsed;

limber_result limberi_parse(limberi_source* source, const limber_expression_scope* scope, limberi_arena* scratch,
                            limberi_parsed* parsed);

#endif
