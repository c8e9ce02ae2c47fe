// Formulas for shaders: their programs as text, one instruction per line, with everything that stays the same in all
// frames (a position, a layer, a random number and what is made of them) left to columns that the CPU fills once.
#ifndef LIMBERI_EXPRESSION_CODE_H
#define LIMBERI_EXPRESSION_CODE_H

#include <limber/stages/expression.h>

// Where the values of a program come from, besides its registers.
typedef struct limberi_code_sink {
    void* user;
    void (*line)(void* user, const char* text);
    uint32_t (*constant)(void* user, float value); // its number
    // The number of the column with the value after `instruction` of the program.
    uint32_t (*column)(void* user, const limber_expression* expression, uint32_t instruction);
} limberi_code_sink;

// Writes lines such as "r2 multiply r0 c1": a register, an operation, and its operands, which are registers (r),
// constants (c), columns (v), values per frame (u; u0, u1 and u2 are t, frame and phase) or names (n: a
// limber_variable). The last line is "= " and the result. Returns NULL, or the operation that shaders do not have with
// the precision of the CPU.
const char* limberi_expression_write(const limber_expression* expression, const limberi_code_sink* sink);

// The value after one instruction of the program per vertex.
void limberi_expression_run_until(const limber_expression* expression, const limber_expression_inputs* inputs,
                                  uint32_t instruction, float* out);

#endif
