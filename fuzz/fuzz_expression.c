// Fuzzes formulas: any text in, an error with a place and a caret or a program out. A program gives finite numbers
// whatever its inputs, and the same for a vertex alone as in a block.
//
// The first two bytes choose the scope. Bytes alone rarely make a formula; the mutator also drops in words of it.
#include <limber/stages/expression.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

enum { ALL = LIMBER_BLOCK };

static void check(bool holds) {
    if (!holds)
        abort();
}

static const char* const words[] = {
    "x",       "y",       "z",    "t",      "height", "phase",       "u",      "offset", "speed",
    "paint.a", "paint.b", "pi",   "0",      "1",      ".5",          "2",      "3",      "1e30",
    "1e-30",   "+",       "-",    "*",      "/",      "%",           "^",      "<",      "<=",
    "==",      "!=",      "&&",   "||",     "!",      "?",           ":",      "(",      ")",
    ",",       "abs(",    "min(", "max(",   "clamp(", "smoothstep(", "mix(",   "step(",  "sin(",
    "cos(",    "exp(",    "log(", "sqrt(",  "pow(",   "floor(",      "fract(", "noise(", "voronoi(",
    "warp(",   "key(0,",  " ",    "(x+y)*", "x?y:z",  "^2",          "^0.5",   ",1,",    "noise(x,y,z)",
    "copy",    "copies",
};

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    const char* word = words[seed / 8 % (sizeof words / sizeof *words)];
    size_t length = strlen(word), at = size ? seed / 1024 % (size + 1) : 0;
    if (seed % 4 == 0 || size + length > max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, word, length);
    return size + length;
}

static void check_error(const limber_error* error) {
    check(error->message[0] && memchr(error->message, 0, sizeof error->message));
    check(strncmp(error->place, "column ", 7) == 0);
    const char* second = memchr(error->detail, '\n', sizeof error->detail);
    check(second && memchr(second, 0, sizeof error->detail - (size_t)(second - error->detail)));
    size_t caret = strspn(second + 1, " ");
    check(strcmp(second + 1 + caret, "^") == 0);
    check(caret <= (size_t)(second - error->detail));
}

static void fill(float* array, uint32_t* seed) {
    static const float wild[] = {0,     1,      -1,    0.5f,   -0.25f, 3,      NAN,     INFINITY,
                                 1e30f, -1e30f, 3e38f, 1e-40f, -0.0f,  -1e20f, 0.9999f, 100};
    for (int i = 0; i < ALL; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        uint32_t r = *seed >> 8;
        array[i] = r & 1 ? wild[r >> 1 & 15] : (float)(r >> 1) / 2097152 - 2;
    }
}

static void check_values(const limber_expression* e, uint32_t seed) {
    static float arrays[LIMBER_VARIABLE_COUNT][ALL], layers[LIMBER_EXPRESSION_LAYERS][ALL];
    limber_expression_inputs in = limber_expression_inputs_default();
    float out[ALL + 1], alone[2] = {0, 77};
    out[ALL] = 77;
    in.count = ALL;
    for (int i = 0; i < LIMBER_VARIABLE_FRAME_COUNT; i++) {
        fill(arrays[i], &seed);
        in.frame[i] = arrays[i][0];
    }
    for (int i = LIMBER_VARIABLE_FRAME_COUNT; i < LIMBER_VARIABLE_COUNT; i++) {
        fill(arrays[i], &seed);
        in.vertex[i] = arrays[i];
    }
    for (uint32_t i = 0; i < limber_expression_layer_count(e); i++) {
        fill(layers[i], &seed);
        in.layers[i] = i == 3 ? NULL : layers[i];
    }
    limber_expression_evaluate(e, &in, out);
    check(out[ALL] == 77);
    limber_expression_inputs one = in;
    one.count = 1;
    for (uint32_t v = 0; v < ALL; v++) {
        check(fabsf(out[v]) <= 1e30f);
        if (v % 9)
            continue;
        for (int i = LIMBER_VARIABLE_FRAME_COUNT; i < LIMBER_VARIABLE_COUNT; i++)
            one.vertex[i] = in.vertex[i] + v;
        for (uint32_t i = 0; i < limber_expression_layer_count(e); i++)
            one.layers[i] = in.layers[i] ? in.layers[i] + v : NULL;
        limber_expression_evaluate(e, &one, alone);
        check(memcmp(alone, &out[v], sizeof(float)) == 0 && alone[1] == 77);
        if (limber_expression_is_uniform(e))
            check(memcmp(alone, out, sizeof(float)) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2)
        return 0;
    // 0xff stands for everything: most formulas should get past their names.
    limber_expression_scope scope = {data[0] >= 64 ? 0xffffu : data[0] * 0x0401u, data[1] < 200};
    char* text = malloc(size - 1);
    check(text != NULL);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = 0;
    limber_expression* e;
    limber_error error;
    limber_result result = limber_expression_create(text, &scope, &e, &error);
    if (result == LIMBER_OK) {
        check(strcmp(limber_expression_text(e), text) == 0);
        check((limber_expression_uses(e) & ~scope.names) == 0);
        check_values(e, (uint32_t)size);
        limber_expression_destroy(e);
    } else {
        check(e == NULL && (result == LIMBER_ERROR_DATA || result == LIMBER_ERROR_LIMIT));
        check_error(&error);
    }
    free(text);
    return 0;
}
