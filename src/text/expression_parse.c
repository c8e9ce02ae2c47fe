// From tokens to a tree, by operator precedence with two explicit stacks (E. W. Dijkstra's shunting yard): values, and
// whatever still waits for values. Nothing recurses, whatever the text.
#include "text/expression_private.h"

#include <string.h>

typedef enum level {
    LEVEL_CHOICE, // c ? a : b
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_EQUALITY,
    LEVEL_RELATION,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_PREFIX,
    LEVEL_POWER
} level;

typedef struct operator_rule {
    const char* text;
    level level;
    limberi_op op;
    bool swapped; // a > b is b < a
} operator_rule;

static const operator_rule binary_rules[] = {
    {"||", LEVEL_OR, LIMBERI_OP_OR, false},
    {"&&", LEVEL_AND, LIMBERI_OP_AND, false},
    {"==", LEVEL_EQUALITY, LIMBERI_OP_EQUAL, false},
    {"!=", LEVEL_EQUALITY, LIMBERI_OP_NOT_EQUAL, false},
    {"<", LEVEL_RELATION, LIMBERI_OP_LESS, false},
    {">", LEVEL_RELATION, LIMBERI_OP_LESS, true},
    {"<=", LEVEL_RELATION, LIMBERI_OP_LESS_EQUAL, false},
    {">=", LEVEL_RELATION, LIMBERI_OP_LESS_EQUAL, true},
    {"+", LEVEL_SUM, LIMBERI_OP_ADD, false},
    {"-", LEVEL_SUM, LIMBERI_OP_SUBTRACT, false},
    {"*", LEVEL_PRODUCT, LIMBERI_OP_MULTIPLY, false},
    {"/", LEVEL_PRODUCT, LIMBERI_OP_DIVIDE, false},
    {"%", LEVEL_PRODUCT, LIMBERI_OP_REMAINDER, false},
    {"^", LEVEL_POWER, LIMBERI_OP_POWER, false},
};

static const operator_rule prefix_rules[] = {
    {"-", LEVEL_PREFIX, LIMBERI_OP_NEGATE, false},
    {"!", LEVEL_PREFIX, LIMBERI_OP_NOT, false},
};

typedef enum waiting_kind {
    WAITING_OPERATOR,
    WAITING_COLON,
    WAITING_QUESTION,
    WAITING_GROUP,
    WAITING_CALL
} waiting_kind;

typedef struct waiting {
    waiting_kind kind;
    uint32_t start, opened;           // in the text: where it begins, and its parenthesis
    uint32_t values;                  // CALL: values below its arguments
    uint32_t operand_count;           // OPERATOR
    const operator_rule* rule;        // OPERATOR
    const limberi_function* function; // CALL
} waiting;

typedef struct value {
    uint16_t node;
    uint32_t start;
} value;

typedef struct parser {
    limberi_source* source;
    limberi_parsed* parsed;
    limber_expression_scope scope;
    limberi_token token;
    bool wants_value; // else an operator
    value* values;
    waiting* waits;
    uint16_t* arguments; // of a call being closed
    uint32_t value_count, wait_count, depth;
} parser;

static limber_result fault(parser* p, uint32_t start, const char* message) {
    return limberi_fault(p->source, LIMBER_ERROR_DATA, start, "%s", message);
}

static limber_result advance(parser* p) {
    p->token = limberi_next_token(p->source);
    return p->token.kind == LIMBERI_TOKEN_FAULT ? p->source->result : LIMBER_OK;
}

static bool is(const parser* p, const char* text) {
    return p->token.kind == LIMBERI_TOKEN_OPERATOR && limberi_token_is(p->source, p->token, text);
}

// Neither stack outgrows the number of tokens, and so the text's length.
static void push_value(parser* p, uint16_t node, uint32_t start) {
    p->values[p->value_count].node = node;
    p->values[p->value_count++].start = start;
    p->wants_value = false;
}

static waiting* push_wait(parser* p, waiting_kind kind) {
    waiting fresh = {.kind = kind, .start = p->token.start, .opened = p->token.start, .values = p->value_count};
    p->waits[p->wait_count] = fresh;
    p->wants_value = true;
    return &p->waits[p->wait_count++];
}

static waiting* top(parser* p) {
    return p->wait_count ? &p->waits[p->wait_count - 1] : NULL;
}

// Of the operator that waits last; -1 when it is none.
static int top_level(const parser* p) {
    const waiting* w = p->waits + p->wait_count;
    return p->wait_count && w[-1].kind == WAITING_OPERATOR ? (int)w[-1].rule->level : -1;
}

static void reduce(parser* p) {
    const waiting* w = &p->waits[--p->wait_count];
    limberi_tree* tree = &p->parsed->tree;
    uint32_t count = w->kind == WAITING_COLON ? 3 : w->operand_count;
    const value* operands = &p->values[p->value_count -= count];
    uint32_t start = operands[0].start;
    uint16_t nodes[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = operands[w->kind == WAITING_OPERATOR && w->rule->swapped ? count - 1 - i : i].node;
    limberi_op op = w->kind == WAITING_COLON ? LIMBERI_OP_SELECT : w->rule->op;
    uint16_t node =
        op == LIMBERI_OP_POWER ? limberi_tree_power(tree, nodes) : limberi_tree_apply(tree, op, nodes, count);
    push_value(p, node, w->kind == WAITING_OPERATOR && count == 1 ? w->start : start);
}

// Everything that is complete back to the nearest parenthesis, call or '?'.
static void reduce_all(parser* p) {
    for (waiting* w = top(p); w && w->kind <= WAITING_COLON; w = top(p))
        reduce(p);
}

static limber_result missing_value(parser* p) {
    bool at_end = p->token.kind == LIMBERI_TOKEN_END;
    if (at_end && !p->value_count && !p->wait_count)
        return fault(p, p->token.start, "the formula is empty");
    if (at_end)
        return fault(p, p->token.start, "a value is missing at the end");
    const waiting* w = top(p);
    bool star_twice = is(p, "*") && w && w->kind == WAITING_OPERATOR && w->rule->op == LIMBERI_OP_MULTIPLY;
    return limberi_fault(p->source, LIMBER_ERROR_DATA, p->token.start, "a value is missing before '%s'%s",
                         limberi_quote_of(p->source, p->token.start, p->token.length).text,
                         star_twice ? "; a power is written '^'" : "");
}

static limber_result deepen(parser* p) {
    if (p->depth++ < LIMBER_EXPRESSION_DEPTH)
        return LIMBER_OK;
    return limberi_fault(p->source, LIMBER_ERROR_LIMIT, p->token.start,
                         "parentheses and calls are nested too deeply (max %u)", LIMBER_EXPRESSION_DEPTH);
}

static limber_result read_call(parser* p, limberi_token name) {
    const limberi_function* function;
    limber_result result = limberi_check_function(p->source, &p->scope, name, &function);
    if (result || (result = deepen(p)))
        return result;
    waiting* w = push_wait(p, WAITING_CALL);
    w->start = name.start;
    w->function = function;
    p->parsed->uses |= function->names;
    return advance(p);
}

static limber_result read_name(parser* p) {
    limberi_token token = p->token;
    if (limberi_peek(p->source) == '(') {
        limber_result result = advance(p);
        return result ? result : read_call(p, token);
    }
    if (limberi_token_is(p->source, token, "pi")) {
        push_value(p, limberi_tree_constant(&p->parsed->tree, 3.14159265f), token.start);
        return advance(p);
    }
    limber_variable name;
    limber_result result = limberi_check_name(p->source, &p->scope, token, &name);
    if (result)
        return result;
    p->parsed->uses |= 1u << name;
    push_value(p, limberi_tree_name(&p->parsed->tree, name), token.start);
    return advance(p);
}

static limber_result read_layer(parser* p) {
    limberi_parsed* parsed = p->parsed;
    limber_result result = limberi_check_layers(p->source, &p->scope, p->token);
    if (result)
        return result;
    const char* text = p->source->text;
    uint32_t prefix = (uint32_t)strlen(LIMBERI_PAINT);
    uint32_t i = 0;
    uint32_t start = p->token.start + prefix;
    uint32_t length = p->token.length - prefix;
    while (i < parsed->layer_count &&
           (parsed->layers[i].length != length || memcmp(text + parsed->layers[i].start, text + start, length) != 0))
        i++;
    if (i == LIMBER_EXPRESSION_LAYERS)
        return limberi_fault(p->source, LIMBER_ERROR_LIMIT, p->token.start, "too many different layers (max %u)",
                             LIMBER_EXPRESSION_LAYERS);
    if (i == parsed->layer_count) {
        parsed->layers[i].start = start;
        parsed->layers[i].length = length;
        parsed->layer_count++;
    }
    push_value(p, limberi_tree_layer(&parsed->tree, i), p->token.start);
    return advance(p);
}

static const operator_rule* rule_of(const parser* p, const operator_rule* rules, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is(p, rules[i].text))
            return &rules[i];
    return NULL;
}

// key(): the times must be known now, and grow, or there would be no telling which keys the time lies between.
static limber_result check_times(parser* p, const value* arguments, uint32_t count) {
    const limberi_node* nodes = p->parsed->tree.nodes;
    const limberi_node* before = NULL;
    for (uint32_t i = 0; i < count; i += 2) {
        const limberi_node* time = &nodes[arguments[i].node];
        if (time->rate != LIMBERI_RATE_NEVER)
            return fault(p, arguments[i].start, "the times of key must be constant");
        if (before && !(time->value > before->value))
            return limberi_fault(p->source, LIMBER_ERROR_DATA, arguments[i].start,
                                 "the times of key must increase, but %g follows %g", (double)time->value,
                                 (double)before->value);
        before = time;
    }
    return LIMBER_OK;
}

static limber_result check_arguments(parser* p, const waiting* call, uint32_t count) {
    const limberi_function* f = call->function;
    if ((count < f->min || count > f->max) && f->max > f->min && f->max < UINT32_MAX)
        return limberi_fault(p->source, LIMBER_ERROR_DATA, call->start, "%s needs %u to %u arguments, not %u: %s",
                             f->name, f->min, f->max, count, f->usage);
    if (count < f->min || count > f->max)
        return limberi_fault(p->source, LIMBER_ERROR_DATA, call->start, "%s needs %u%s argument%s, not %u: %s", f->name,
                             f->min, f->max > f->min ? " or more" : "", f->max == 1 ? "" : "s", count, f->usage);
    if (!f->timed)
        return LIMBER_OK;
    if (count % 2)
        return limberi_fault(p->source, LIMBER_ERROR_DATA, call->start,
                             "%s needs pairs of a time and a value, not %u arguments: %s", f->name, count, f->usage);
    return check_times(p, p->values + call->values, count);
}

static limber_result close_call(parser* p, const waiting* call) {
    uint32_t count = p->value_count - call->values;
    limber_result result = check_arguments(p, call, count);
    if (result)
        return result;
    for (uint32_t i = 0; i < count; i++)
        p->arguments[i] = p->values[call->values + i].node;
    p->value_count = call->values;
    push_value(p, limberi_tree_call(&p->parsed->tree, call->function, p->arguments, count), call->start);
    return LIMBER_OK;
}

static limber_result close(parser* p) {
    reduce_all(p);
    waiting* w = top(p);
    if (!w)
        return fault(p, p->token.start, "this ')' has no '('");
    if (w->kind == WAITING_QUESTION)
        return fault(p, w->start, "this '?' has no ':'");
    p->wait_count--;
    p->depth--;
    limber_result result = LIMBER_OK;
    if (w->kind == WAITING_CALL)
        result = close_call(p, w);
    else
        p->values[p->value_count - 1].start = w->start;
    return result ? result : advance(p);
}

static limber_result read_value(parser* p) {
    if (p->token.kind == LIMBERI_TOKEN_NAME)
        return read_name(p);
    if (p->token.kind == LIMBERI_TOKEN_LAYER)
        return read_layer(p);
    if (p->token.kind == LIMBERI_TOKEN_NUMBER) {
        push_value(p, limberi_tree_constant(&p->parsed->tree, p->token.number), p->token.start);
        return advance(p);
    }
    const waiting* w = top(p);
    if (is(p, ")") && w && w->kind == WAITING_CALL && w->values == p->value_count)
        return close(p); // a call of nothing: says how many arguments are wanted
    if (is(p, "(")) {
        limber_result result = deepen(p);
        if (result)
            return result;
        push_wait(p, WAITING_GROUP);
        return advance(p);
    }
    const operator_rule* rule = rule_of(p, prefix_rules, sizeof prefix_rules / sizeof *prefix_rules);
    if (!rule)
        return missing_value(p);
    waiting* prefix = push_wait(p, WAITING_OPERATOR);
    prefix->rule = rule;
    prefix->operand_count = 1;
    return advance(p);
}

// Operators of one level group to the left, powers to the right, and comparisons not at all: 0 < x < 1 would quietly
// mean (0 < x) < 1.
static limber_result read_binary(parser* p, const operator_rule* rule) {
    while (top_level(p) > (int)rule->level)
        reduce(p);
    bool same_level = top_level(p) == (int)rule->level;
    if (same_level && (rule->level == LEVEL_RELATION || rule->level == LEVEL_EQUALITY))
        return fault(p, p->token.start, "comparisons do not chain: write a < b && b < c");
    if (same_level && rule->level != LEVEL_POWER)
        reduce(p);
    waiting* w = push_wait(p, WAITING_OPERATOR);
    w->rule = rule;
    w->operand_count = 2;
    return advance(p);
}

static limber_result read_question(parser* p) {
    while (top_level(p) >= 0)
        reduce(p);
    push_wait(p, WAITING_QUESTION);
    return advance(p);
}

static limber_result read_colon(parser* p) {
    reduce_all(p);
    waiting* w = top(p);
    if (!w || w->kind != WAITING_QUESTION)
        return fault(p, p->token.start, "this ':' has no '?'");
    w->kind = WAITING_COLON;
    p->wants_value = true;
    return advance(p);
}

static limber_result read_comma(parser* p) {
    reduce_all(p);
    waiting* w = top(p);
    if (w && w->kind == WAITING_QUESTION)
        return fault(p, w->start, "this '?' has no ':'");
    if (!w || w->kind != WAITING_CALL)
        return fault(p, p->token.start, "a comma is allowed only between function arguments");
    p->wants_value = true;
    return advance(p);
}

static limber_result read_operator(parser* p) {
    const operator_rule* rule = rule_of(p, binary_rules, sizeof binary_rules / sizeof *binary_rules);
    if (rule)
        return read_binary(p, rule);
    if (is(p, "?"))
        return read_question(p);
    if (is(p, ":"))
        return read_colon(p);
    if (is(p, ","))
        return read_comma(p);
    if (is(p, ")"))
        return close(p);
    return limberi_fault(p->source, LIMBER_ERROR_DATA, p->token.start, "an operator is missing before '%s'",
                         limberi_quote_of(p->source, p->token.start, p->token.length).text);
}

static limber_result finish(parser* p) {
    reduce_all(p);
    const waiting* w = top(p);
    if (w)
        return fault(p, w->opened, w->kind == WAITING_QUESTION ? "this '?' has no ':'" : "this '(' is never closed");
    if (p->parsed->tree.full)
        return limberi_fault(p->source, LIMBER_ERROR_LIMIT, 0, "the formula is too complex");
    p->parsed->root = p->values[0].node;
    return LIMBER_OK;
}

limber_result limberi_parse(limberi_source* source, const limber_expression_scope* scope, limberi_arena* scratch,
                            limberi_parsed* parsed) {
    parser p = {.source = source, .parsed = parsed, .scope = *scope, .wants_value = true};
    size_t max = (size_t)source->length + 1;
    p.values = LIMBERI_ALLOCATE(scratch, value, max);
    p.waits = LIMBERI_ALLOCATE(scratch, waiting, max);
    p.arguments = LIMBERI_ALLOCATE(scratch, uint16_t, max);
    memset(parsed, 0, sizeof *parsed);
    bool made = limberi_tree_create(&parsed->tree, scratch, source->length);
    if (!made || !p.values || !p.waits || !p.arguments)
        return limberi_fail_memory(source->error);
    limber_result result = advance(&p);
    while (!result && (p.wants_value || p.token.kind != LIMBERI_TOKEN_END))
        result = p.wants_value ? read_value(&p) : read_operator(&p);
    return result ? result : finish(&p);
}
