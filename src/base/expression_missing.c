#include <limber/expression.h>
#include <string.h>
#define WEAK __attribute__((weak))
WEAK uint32_t limber_expression_uses(const limber_expression* e) { (void)e; return 0; }
WEAK uint32_t limber_expression_layer_count(const limber_expression* e) { (void)e; return 0; }
WEAK const char* limber_expression_layer(const limber_expression* e, uint32_t i) { (void)e; (void)i; return ""; }
WEAK void limber_expression_evaluate(const limber_expression* e, const limber_expression_inputs* in, float* out) { (void)e; (void)in; (void)out; }
WEAK limber_expression_inputs limber_expression_inputs_default(void) { limber_expression_inputs i; memset(&i, 0, sizeof i); return i; }
