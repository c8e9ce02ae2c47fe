// Random formulas for tests, with their text and their value by a separate evaluator: a tree walked recursively in
// double precision, rounded to float after every step as the library's floats are.
#ifndef LIMBER_TESTS_FORMULAS_H
#define LIMBER_TESTS_FORMULAS_H

#include <limber/stages/expression.h>

enum { FORMULA_NODES = 64, FORMULA_TEXT = 4096 };

typedef struct formula_node {
    int kind;
    int children[3];
    int name; // leaves: which of the inputs
    double number;
} formula_node;

typedef struct formula {
    formula_node nodes[FORMULA_NODES];
    int count; // the last is the root
    char text[FORMULA_TEXT];
} formula;

uint32_t formula_random(uint32_t* seed);

// `exact`: only operations that IEEE 754 fixes to the last bit.
void formula_grow(formula* f, uint32_t* seed, int depth, bool exact);

// What leaves print as: their name, the frame's time for all, or their values as numbers.
typedef enum formula_leaves { FORMULA_NAMES, FORMULA_TIME, FORMULA_NUMBERS } formula_leaves;

// As few parentheses as precedence allows, or a pair around everything. `values`: the inputs x y z height.
void formula_print(formula* f, bool sparse, formula_leaves leaves, const double* values);
double formula_value(const formula* f, const double* values);

#endif
