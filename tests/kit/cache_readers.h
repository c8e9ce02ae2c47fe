// Little readers of the cache formats, written from the formats' descriptions and sharing nothing with the writers.
// They fail the test that calls them when a file is not as it should be.
#ifndef LIMBER_TEST_CACHE_READERS_H
#define LIMBER_TEST_CACHE_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The whole file, terminated; NULL when there is none. Free it.
char* read_text(const char* path, size_t* size);

uint32_t little_endian_at(const char* bytes, size_t offset);
uint32_t big_endian_at(const char* bytes, size_t offset);
float float_of(uint32_t word);

enum { OBJ_LIMIT = 64 };

typedef struct obj_file {
    uint32_t object_count, vertex_count, color_count, uv_count, normal_count, corner_count;
    char objects[8][64];
    float vertices[OBJ_LIMIT][3], colors[OBJ_LIMIT][3], uvs[OBJ_LIMIT][2], normals[OBJ_LIMIT][3];
    int corners[3 * OBJ_LIMIT][3]; // as written, 0 where there is none
} obj_file;

void read_obj(const char* path, obj_file* obj);

// The text of one prim's body: from its brace to the one that closes it.
typedef struct usd_text {
    const char *begin, *end;
} usd_text;

usd_text usd_all(const char* text);
bool usd_find_prim(usd_text inside, const char* type_and_name, usd_text* body);

// The value of "type name = " inside a prim or the stage's header; begin is NULL when there is none.
usd_text usd_value(usd_text inside, const char* declaration);

// All numbers of a value, brackets and commas aside; returns how many.
size_t usd_numbers(usd_text value, float* numbers, size_t limit);

// The sample number `index` of a timeSamples value: its time code and the rest.
bool usd_sample(usd_text samples, uint32_t index, double* code, usd_text* value);

#endif
