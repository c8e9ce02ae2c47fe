// The names that a formula may use, and the errors for all others.
#include "text/expression_private.h"
#include "text/text.h"

#include <string.h>

#define IN_TIME "it changes over time, and this number may not"
#define PER_VERTEX "it differs from vertex to vertex, and this number may not"

static const struct {
    const char* name;
    const char* barred; // why some numbers cannot depend on it
} names[LIMBER_VARIABLE_COUNT] = {
    [LIMBER_VARIABLE_T] = {"t", IN_TIME},
    [LIMBER_VARIABLE_FRAME] = {"frame", IN_TIME},
    [LIMBER_VARIABLE_PHASE] = {"phase", IN_TIME},
    [LIMBER_VARIABLE_X] = {"x", PER_VERTEX},
    [LIMBER_VARIABLE_Y] = {"y", PER_VERTEX},
    [LIMBER_VARIABLE_Z] = {"z", PER_VERTEX},
    [LIMBER_VARIABLE_NX] = {"nx", PER_VERTEX},
    [LIMBER_VARIABLE_NY] = {"ny", PER_VERTEX},
    [LIMBER_VARIABLE_NZ] = {"nz", PER_VERTEX},
    [LIMBER_VARIABLE_U] = {"u", PER_VERTEX},
    [LIMBER_VARIABLE_V] = {"v", PER_VERTEX},
    [LIMBER_VARIABLE_HEIGHT] = {"height", PER_VERTEX},
    [LIMBER_VARIABLE_RAND] = {"rand", PER_VERTEX},
    [LIMBER_VARIABLE_SPEED] = {"speed",
                               "it is the speed of something that moves, and this number may not change with it"},
    [LIMBER_VARIABLE_OFFSET] = {"offset", "it is known only in smears"},
    [LIMBER_VARIABLE_COPY] = {"copy", "it is known only in \"multiples\""},
    [LIMBER_VARIABLE_COPIES] = {"copies", "it is known only in \"multiples\""},
};

// Candidates of a suggestion: names that may be used here, or functions.
typedef struct candidates {
    const char* names[64];
    size_t count;
} candidates;

static void offer(candidates* c, const char* name) {
    if (c->count < sizeof c->names / sizeof *c->names)
        c->names[c->count++] = name;
}

static limber_result unknown(limberi_source* source, limberi_token token, const char* what, const candidates* c) {
    limberi_quote wrong = limberi_quote_of(source, token.start, token.length);
    const char* name = limberi_suggest(wrong.text, limberi_name_at, c->names, c->count);
    if (name && strlen(wrong.text) == 1 && limberi_edit_distance(wrong.text, name))
        name = NULL; // every single letter is one letter off every other
    if (name)
        return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "unknown %s '%s'; did you mean '%s'?", what,
                             wrong.text, name);
    char list[256] = "";
    for (size_t i = 0; i < c->count; i++) {
        size_t length = strlen(list);
        limberi_format(list + length, sizeof list - length, "%s%s", i ? ", " : "", c->names[i]);
    }
    return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "unknown %s '%s'; known are %s", what, wrong.text,
                         list);
}

static int find_name(const limberi_source* source, limberi_token token) {
    for (int i = 0; i < LIMBER_VARIABLE_COUNT; i++)
        if (limberi_token_is(source, token, names[i].name))
            return i;
    return -1;
}

static const limberi_function* find_function(const limberi_source* source, limberi_token token) {
    for (size_t i = 0; limberi_function_at(i); i++)
        if (limberi_token_is(source, token, limberi_function_at(i)->name))
            return limberi_function_at(i);
    return NULL;
}

limber_result limberi_check_name(limberi_source* source, const limber_expression_scope* scope, limberi_token token,
                                 limber_variable* name) {
    int found = find_name(source, token);
    if (found >= 0) {
        *name = (limber_variable)found;
        if (scope->names >> found & 1)
            return LIMBER_OK;
        return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "'%s' cannot be used here: %s", names[found].name,
                             names[found].barred);
    }
    const limberi_function* function = find_function(source, token);
    if (function)
        return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "'%s' is a function: %s", function->name,
                             function->usage);
    if (limberi_token_is(source, token, "paint"))
        return limberi_fault(source, LIMBER_ERROR_DATA, token.start,
                             "'paint' needs a layer name, for example paint.ears");
    candidates c = {.count = 0};
    for (uint32_t i = 0; i < LIMBER_VARIABLE_COUNT; i++)
        if (scope->names >> i & 1)
            offer(&c, names[i].name);
    offer(&c, "pi");
    if (scope->layers)
        offer(&c, "paint");
    return unknown(source, token, "name", &c);
}

limber_result limberi_check_layers(limberi_source* source, const limber_expression_scope* scope, limberi_token token) {
    if (scope->layers)
        return LIMBER_OK;
    limberi_quote layer = limberi_quote_of(source, token.start, token.length);
    return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "'%s' cannot be used here: " PER_VERTEX, layer.text);
}

limber_result limberi_check_function(limberi_source* source, const limber_expression_scope* scope, limberi_token token,
                                     const limberi_function** function) {
    *function = find_function(source, token);
    if (!*function) {
        candidates c = {.count = 0};
        for (size_t i = 0; limberi_function_at(i); i++)
            offer(&c, limberi_function_at(i)->name);
        limberi_quote wrong = limberi_quote_of(source, token.start, token.length);
        if (find_name(source, token) >= 0 || limberi_token_is(source, token, "pi"))
            return limberi_fault(source, LIMBER_ERROR_DATA, token.start, "'%s' is not a function", wrong.text);
        return unknown(source, token, "function", &c);
    }
    for (uint32_t i = 0; i < LIMBER_VARIABLE_COUNT; i++)
        if (((*function)->names & ~scope->names) >> i & 1)
            return limberi_fault(source, LIMBER_ERROR_DATA, token.start,
                                 "'%s' uses '%s', which cannot be used here: %s", (*function)->name, names[i].name,
                                 names[i].barred);
    return LIMBER_OK;
}
