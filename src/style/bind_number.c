// Numbers and formulas of a style.
#include "style/bind.h"

limber_result limberi_bind_text(limberi_binder* b, const limberi_entry* entry, const char* text, limber_number* out) {
    limber_expression_scope scope = limberi_row_scope(limberi_row_at(entry->row));
    limber_expression* expression;
    limber_result result = limber_expression_create(text, &scope, &expression, b->error);
    if (result)
        return limberi_bind_at(b, result, entry);
    b->bound->expressions[b->bound->expression_count++] = expression;
    out->value = 0;
    out->expression = expression;
    return limberi_bind_formula_layers(b, entry, expression);
}

limber_result limberi_bind_number(limberi_binder* b, const limberi_entry* entry, limber_number* out) {
    out->value = (float)entry->value.numbers[0];
    out->expression = NULL;
    if (!entry->value.text)
        return LIMBER_OK;
    return limberi_bind_text(b, entry, entry->value.text, out);
}
