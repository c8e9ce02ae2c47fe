// The mutator of all fuzzers that start from glTF files. Plain mutation of bytes rarely gets past the container and the
// JSON parser. This one knows both: it changes values of the tree, or bytes of either chunk, and writes a container with
// correct lengths.
#include "text/json_write.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

static void check(bool holds) {
    if (!holds)
        abort();
}

static uint64_t random_state;

static uint32_t random_below(size_t end) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return end ? (uint32_t)((random_state >> 33) % end) : 0;
}

static limberi_json* random_value(limberi_json_document* json, const limberi_json* old) {
    static const double numbers[] = {-1,  0,   1,    2,     3,       4,          5,      7,     8,    16,
                                     255, 256, 5120, 65535, 65536,   4294967295, 5121,   5123,  5125, 5126,
                                     0.5, -8,  1e38, 1e-38, 1000000, 2147483648, 9.2e18, 1e300, 12.0, 36};
    static const char* const words[] = {
        "SCALAR",      "VEC2",     "VEC3",  "VEC4",    "MAT4",      "LINEAR", "STEP",    "CUBICSPLINE",
        "translation", "rotation", "scale", "weights", "data:,%00", "",       "POSITION"};
    uint32_t kind = random_below(10);
    if (limberi_json_is(old, LIMBERI_JSON_INTEGER) && kind < 4 && limberi_json_as_integer(old) < 1000000000)
        return limberi_json_new_integer(json, limberi_json_as_integer(old) + (int64_t)random_below(5) - 2);
    double number = numbers[random_below(sizeof numbers / sizeof numbers[0])];
    if (kind < 6)
        return number == floor(number) && fabs(number) < 1e18 ? limberi_json_new_integer(json, (int64_t)number)
                                                              : limberi_json_new_real(json, number);
    if (kind < 8)
        return limberi_json_new_string(json, words[random_below(sizeof words / sizeof words[0])]);
    return limberi_json_new(json, kind == 8 ? LIMBERI_JSON_ARRAY : LIMBERI_JSON_OBJECT);
}

static void mutate_array(limberi_json_document* json, limberi_json* array) {
    uint32_t count = limberi_json_count(array), at = random_below(count);
    const limberi_json* entry = limberi_json_at(array, at);
    switch (random_below(5)) {
    case 0:
        limberi_json_remove_at(array, at);
        break;
    case 1:
        limberi_json_append(json, array, limberi_json_copy(json, entry));
        break;
    case 2:
        limberi_json_append(json, array, random_value(json, NULL));
        break;
    case 3:
        limberi_json_replace(json, array, at, limberi_json_copy(json, limberi_json_at(array, random_below(count))));
        break;
    default:
        limberi_json_replace(json, array, at, random_value(json, entry));
        break;
    }
}

static void mutate_object(limberi_json_document* json, limberi_json* object) {
    static const char* const keys[] = {"sparse",  "byteStride", "byteOffset", "bufferView", "normalized", "indices",
                                       "targets", "matrix",     "children",   "skin",       "mesh",       "mode",
                                       "weights", "JOINTS_1",   "WEIGHTS_1",  "COLOR_0",    "_LIMBER_A",  "count"};
    uint32_t at = random_below(limberi_json_count(object)), kind = random_below(4);
    const char* key = limberi_json_key_at(object, at);
    if (kind == 0 || !key)
        limberi_json_set(json, object, keys[random_below(sizeof keys / sizeof keys[0])], random_value(json, NULL));
    else if (kind == 1)
        limberi_json_remove(object, key);
    else
        limberi_json_set(json, object, key, random_value(json, limberi_json_at(object, at)));
}

// Walks down at random and changes what it ends at.
static void mutate_tree(limberi_json_document* json) {
    limberi_json* value = json->root;
    for (int depth = 0; depth < 12; depth++) {
        limberi_json* child = limberi_json_at(value, random_below(limberi_json_count(value)));
        bool leaf = !limberi_json_is(child, LIMBERI_JSON_ARRAY) && !limberi_json_is(child, LIMBERI_JSON_OBJECT);
        if (leaf || random_below(6) == 0)
            break;
        value = child;
    }
    if (limberi_json_is(value, LIMBERI_JSON_OBJECT))
        mutate_object(json, value);
    else if (limberi_json_count(value))
        mutate_array(json, value);
}

typedef struct container {
    const uint8_t *json, *binary;
    size_t json_size, binary_size;
} container;

static uint32_t word(const uint8_t* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(uint8_t* p, size_t value) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static bool open_container(const uint8_t* data, size_t size, container* out) {
    memset(out, 0, sizeof *out);
    if (size < 20 || memcmp(data, "glTF", 4) != 0 || word(data + 12) > size - 20)
        return false;
    out->json = data + 20;
    out->json_size = word(data + 12);
    size_t next = 20 + out->json_size;
    if (size - next >= 8) {
        out->binary = data + next + 8;
        out->binary_size = size - next - 8;
    }
    return true;
}

static size_t write_container(const container* from, uint8_t* out, size_t max_size) {
    size_t json = (from->json_size + 3) / 4 * 4, total = 28 + json + from->binary_size;
    if (total > max_size)
        return 0;
    if (from->binary_size)
        memcpy(out + 28 + json, from->binary, from->binary_size);
    memset(out + 20, ' ', json);
    memcpy(out + 20, from->json, from->json_size);
    memcpy(out, "glTF\2\0\0\0", 8);
    put_word(out + 8, total);
    put_word(out + 12, json);
    memcpy(out + 16, "JSON", 4);
    put_word(out + 20 + json, from->binary_size);
    memcpy(out + 24 + json, "BIN\0", 4);
    return total;
}

static size_t mutate_json(container* file, uint8_t* out, size_t max_size) {
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    if (limberi_json_read((const char*)file->json, file->json_size, &rules, &json, NULL) != LIMBER_OK)
        return 0;
    for (uint32_t i = 0; i <= random_below(3); i++)
        mutate_tree(&json);
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text};
    limberi_json_tree(&writer, json.root);
    limberi_json_free(&json);
    check(!text.failed);
    file->json = (const uint8_t*)text.data;
    file->json_size = text.length;
    size_t size = write_container(file, out, max_size);
    limberi_buffer_free(&text);
    return size;
}

static size_t mutate_bytes(container* file, bool binary, uint8_t* out, size_t max_size) {
    size_t old = binary ? file->binary_size : file->json_size, room = old + 64;
    uint8_t* part = calloc(1, room);
    if (!part)
        return 0;
    if (old)
        memcpy(part, binary ? file->binary : file->json, old);
    size_t size = LLVMFuzzerMutate(part, old, room);
    *(binary ? &file->binary : &file->json) = part;
    *(binary ? &file->binary_size : &file->json_size) = size;
    size_t total = write_container(file, out, max_size);
    free(part);
    return total;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    random_state = seed;
    container file;
    uint8_t* copy = malloc(size ? size : 1);
    size_t result = 0;
    if (copy)
        memcpy(copy, data, size);
    uint32_t kind = random_below(10);
    if (copy && kind < 9 && open_container(copy, size, &file))
        result = kind < 6 ? mutate_json(&file, data, max_size) : mutate_bytes(&file, kind < 8, data, max_size);
    free(copy);
    return result ? result : LLVMFuzzerMutate(data, size, max_size);
}
