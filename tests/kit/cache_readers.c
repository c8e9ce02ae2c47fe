// Readers of the cache formats, written from the formats' descriptions alone.
#include "kit/cache_readers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char* read_text(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = 0;
    fclose(file);
    return text;
}

static uint32_t byte_at(const char* bytes, size_t offset) {
    return (unsigned char)bytes[offset];
}

uint32_t little_endian_at(const char* bytes, size_t offset) {
    return byte_at(bytes, offset) | byte_at(bytes, offset + 1) << 8 | byte_at(bytes, offset + 2) << 16 |
           byte_at(bytes, offset + 3) << 24;
}

uint32_t big_endian_at(const char* bytes, size_t offset) {
    return byte_at(bytes, offset + 3) | byte_at(bytes, offset + 2) << 8 | byte_at(bytes, offset + 1) << 16 |
           byte_at(bytes, offset) << 24;
}

float float_of(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// The numbers of a line; fails when anything else is on it.
static uint32_t line_numbers(const char* line, float* numbers, uint32_t limit) {
    uint32_t count = 0;
    while (*line == ' ') {
        char* end;
        assert_true(count < limit);
        numbers[count++] = strtof(line + 1, &end);
        assert_true(end > line + 1);
        line = end;
    }
    assert_int_equal(*line, 0);
    return count;
}

static void read_face(const char* line, obj_file* obj) {
    for (int corner = 0; corner < 3; corner++, obj->corner_count++) {
        assert_true(*line == ' ' && obj->corner_count < 3 * OBJ_LIMIT);
        for (int slot = 0; slot < 3 && (slot == 0 || *line == '/'); slot++) {
            char* end;
            obj->corners[obj->corner_count][slot] = (int)strtol(line + 1, &end, 10);
            line = end > line + 1 ? end : line + 1;
        }
    }
    assert_int_equal(*line, 0);
}

static void read_obj_line(char* line, obj_file* obj) {
    float numbers[6];
    if (strncmp(line, "o ", 2) == 0) {
        assert_true(obj->object_count < 8);
        snprintf(obj->objects[obj->object_count++], 64, "%s", line + 2);
    } else if (strncmp(line, "v ", 2) == 0) {
        uint32_t count = line_numbers(line + 1, numbers, 6);
        assert_true((count == 3 || count == 6) && obj->vertex_count < OBJ_LIMIT);
        memcpy(obj->vertices[obj->vertex_count++], numbers, 3 * sizeof *numbers);
        if (count == 6)
            memcpy(obj->colors[obj->color_count++], numbers + 3, 3 * sizeof *numbers);
    } else if (strncmp(line, "vt ", 3) == 0) {
        assert_int_equal(line_numbers(line + 2, numbers, 6), 2);
        memcpy(obj->uvs[obj->uv_count++], numbers, 2 * sizeof *numbers);
    } else if (strncmp(line, "vn ", 3) == 0) {
        assert_int_equal(line_numbers(line + 2, numbers, 6), 3);
        memcpy(obj->normals[obj->normal_count++], numbers, 3 * sizeof *numbers);
    } else if (strncmp(line, "f ", 2) == 0) {
        read_face(line + 1, obj);
    } else {
        assert_int_equal(*line, '#');
    }
}

void read_obj(const char* path, obj_file* obj) {
    size_t size;
    char* text = read_text(path, &size);
    assert_non_null(text);
    assert_int_equal(text[size - 1], '\n');
    memset(obj, 0, sizeof *obj);
    for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        read_obj_line(line, obj);
    free(text);
}

usd_text usd_all(const char* text) {
    usd_text all = {text, text + strlen(text)};
    return all;
}

static const char* find_within(usd_text inside, const char* words) {
    size_t length = strlen(words);
    for (const char* p = inside.begin; p + length <= inside.end; p++)
        if (memcmp(p, words, length) == 0)
            return p;
    return NULL;
}

// From an opening bracket of any kind to the one that closes it. Names in these files contain no brackets.
static usd_text bracketed(const char* open, const char* end) {
    int depth = 0;
    for (const char* p = open; p < end; p++) {
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= *p == ')' || *p == ']' || *p == '}';
        if (depth == 0) {
            usd_text inner = {open + 1, p};
            return inner;
        }
    }
    fail_msg("a bracket is never closed");
    usd_text none = {NULL, NULL};
    return none;
}

bool usd_find_prim(usd_text inside, const char* type_and_name, usd_text* body) {
    char words[128];
    snprintf(words, sizeof words, "def %s", type_and_name);
    const char* p = find_within(inside, words);
    if (!p)
        return false;
    p += strlen(words) + strspn(p + strlen(words), " \n");
    if (*p == '(')
        p = bracketed(p, inside.end).end + 1;
    p += strspn(p, " \n");
    assert_int_equal(*p, '{');
    *body = bracketed(p, inside.end);
    return true;
}

usd_text usd_value(usd_text inside, const char* declaration) {
    char words[128];
    usd_text value = {NULL, NULL};
    snprintf(words, sizeof words, " %s = ", declaration);
    const char* p = find_within(inside, words);
    if (!p)
        return value;
    p += strlen(words);
    if (*p == '[' || *p == '{')
        return bracketed(p, inside.end);
    value.begin = p;
    value.end = p + strcspn(p, "\n");
    return value;
}

size_t usd_numbers(usd_text value, float* numbers, size_t limit) {
    size_t count = 0;
    for (const char* p = value.begin; p < value.end;) {
        if (strchr("()[], \n", *p)) {
            p++;
            continue;
        }
        char* end;
        assert_true(count < limit);
        numbers[count++] = strtof(p, &end);
        assert_true(end > p);
        p = end;
    }
    return count;
}

bool usd_sample(usd_text samples, uint32_t index, double* code, usd_text* value) {
    const char* p = samples.begin;
    for (uint32_t i = 0;; i++) {
        p += strspn(p, " \n,");
        if (p >= samples.end)
            return false;
        char* end;
        *code = strtod(p, &end);
        assert_true(end > p && strncmp(end, ": [", 3) == 0);
        *value = bracketed(end + 2, samples.end);
        if (i == index)
            return true;
        p = value->end + 1;
    }
}
