// Fields of the JSON tree with checks, places for messages, notes and budgets.
#include "io/gltf/read.h"

#include <math.h>
#include <string.h>

enum { PROBLEM_LIMIT = 100, SENTENCE = 512 };

limberi_gltf_place limberi_gltf_place_of(const limberi_gltf_list* list, uint32_t index) {
    return (limberi_gltf_place){list->name, index, NULL, 0, limberi_gltf_entry(list, index)};
}

limberi_gltf_place limberi_gltf_place_in(limberi_gltf_place place, const char* part, uint32_t part_index) {
    place.part = part;
    place.part_index = part_index;
    place.object = NULL;
    return place;
}

// Names may be long: the first 40 bytes are enough to recognise them.
static void format_place(const limberi_gltf_place* place, char* out, size_t size) {
    if (place->part) {
        limberi_format(out, size, "%s[%u].%s[%u]", place->list, place->index, place->part, place->part_index);
        return;
    }
    const char* name = limberi_json_as_text(limberi_json_get(place->object, "name"));
    char head[41];
    limberi_format(head, sizeof head, "%s", name ? name : "");
    limberi_text_tidy(head);
    limberi_format(out, size, head[0] ? "%s[%u] '%s'" : "%s[%u]", place->list, place->index, head);
}

void limberi_text_tidy(char* text) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
    // UTF-8: step back over continuation bytes to the last lead byte and see whether its character is whole.
    size_t lead = length;
    size_t tail = 0;
    while (lead > 0 && tail < 4 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80) {
        lead--;
        tail++;
    }
    if (lead == 0)
        return;
    unsigned char c = (unsigned char)text[lead - 1];
    size_t need = (size_t)(c >= 0xc0) + (c >= 0xe0) + (c >= 0xf0);
    if (tail < need)
        text[lead - 1] = 0;
}

limber_result limberi_gltf_fail(limberi_gltf_reader* reader, const limberi_gltf_place* place, limber_result result,
                                const char* format, ...) {
    limber_error* error = reader->error;
    error->result = result;
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->place[0] = error->detail[0] = 0;
    if (place)
        format_place(place, error->place, sizeof error->place);
    return result;
}

void limberi_gltf_tell(limber_gltf* gltf, const char* sentence) {
    if (!gltf->problems)
        gltf->problems = LIMBERI_ALLOCATE(&gltf->arena, const char*, PROBLEM_LIMIT);
    if (!gltf->problems)
        return;
    if (gltf->problem_count == PROBLEM_LIMIT) {
        gltf->problems[PROBLEM_LIMIT - 1] = "and more problems like these";
        return;
    }
    const char* kept = limberi_arena_string(&gltf->arena, sentence);
    if (kept)
        gltf->problems[gltf->problem_count++] = kept;
}

void limberi_gltf_note(limberi_gltf_reader* reader, const limberi_gltf_place* place, const char* format, ...) {
    char where[128] = "";
    char text[SENTENCE];
    char sentence[SENTENCE + 128];
    if (place)
        format_place(place, where, sizeof where);
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    limberi_format(sentence, sizeof sentence, place ? "%s: %s" : "%s%s", where, text);
    limberi_text_tidy(sentence);
    limberi_gltf_tell(reader->gltf, sentence);
}

limber_result limberi_gltf_charge(limberi_gltf_reader* reader, const limberi_gltf_place* place, uint64_t* budget,
                                  uint64_t count, const char* what) {
    if (count > *budget)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_LIMIT, "%llu more %s are more than the limits allow",
                                 (unsigned long long)count, what);
    *budget -= count;
    return LIMBER_OK;
}

// Whole numbers may also be written as 24.0.
static bool whole_number(const limberi_json* value, uint64_t* out) {
    if (limberi_json_is(value, LIMBERI_JSON_INTEGER) && limberi_json_as_integer(value) >= 0) {
        *out = (uint64_t)limberi_json_as_integer(value);
        return true;
    }
    double real = limberi_json_is(value, LIMBERI_JSON_REAL) ? limberi_json_as_number(value) : -1;
    if (!(real >= 0 && real <= 9007199254740992.0) || floor(real) != real)
        return false;
    *out = (uint64_t)real;
    return true;
}

limber_result limberi_gltf_unsigned(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                    const limberi_json* object, const char* key, uint64_t* out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (!value || whole_number(value, out))
        return LIMBER_OK;
    return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be a whole number, not negative", key);
}

static limber_result check_index(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* value, const char* key, const limberi_gltf_list* list,
                                 uint32_t* out) {
    uint64_t number;
    if (!whole_number(value, &number))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must contain whole numbers, not negative",
                                 key);
    if (number >= list->count)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA,
                                 "\"%s\" refers to entry %llu of \"%s\", which has %u entries", key,
                                 (unsigned long long)number, list->name, list->count);
    *out = (uint32_t)number;
    return LIMBER_OK;
}

limber_result limberi_gltf_index(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, const limberi_gltf_list* list,
                                 uint32_t* out) {
    const limberi_json* value = limberi_json_get(object, key);
    return value ? check_index(reader, place, value, key, list, out) : LIMBER_OK;
}

limber_result limberi_gltf_element(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                   const limberi_json* array, size_t element, const char* key,
                                   const limberi_gltf_list* list, uint32_t* out) {
    return check_index(reader, place, limberi_json_at(array, element), key, list, out);
}

limber_result limberi_gltf_boolean(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                   const limberi_json* object, const char* key, bool* out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (value && !limberi_json_is(value, LIMBERI_JSON_SWITCH))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be true or false", key);
    if (value)
        *out = limberi_json_as_truth(value);
    return LIMBER_OK;
}

static bool finite_number(const limberi_json* value, float* out) {
    if (!limberi_json_is_number(value))
        return false;
    *out = (float)limberi_json_as_number(value);
    return isfinite(*out);
}

limber_result limberi_gltf_floats(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, float* out, uint32_t count,
                                  bool* present) {
    const limberi_json* array = limberi_json_get(object, key);
    if (present)
        *present = array != NULL;
    if (!array)
        return LIMBER_OK;
    bool good = limberi_json_is(array, LIMBERI_JSON_ARRAY) && limberi_json_count(array) == count;
    for (uint32_t i = 0; i < count; i++)
        good = good && finite_number(limberi_json_at(array, i), &out[i]);
    if (good)
        return LIMBER_OK;
    return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be %u finite numbers", key, count);
}

limber_result limberi_gltf_float(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, float* out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (!value || finite_number(value, out))
        return LIMBER_OK;
    return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be a finite number", key);
}

limber_result limberi_gltf_array(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                 const limberi_json* object, const char* key, const limberi_json** out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (value && !limberi_json_is(value, LIMBERI_JSON_ARRAY))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be an array", key);
    if (value && limberi_json_count(value) >= INT32_MAX)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_LIMIT, "\"%s\" has too many entries", key);
    if (value)
        *out = value;
    return LIMBER_OK;
}

limber_result limberi_gltf_object(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, const limberi_json** out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (value && !limberi_json_is(value, LIMBERI_JSON_OBJECT))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be an object", key);
    if (value)
        *out = value;
    return LIMBER_OK;
}

limber_result limberi_gltf_string(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, const char* key, const char** out) {
    const limberi_json* value = limberi_json_get(object, key);
    if (value && !limberi_json_is(value, LIMBERI_JSON_STRING))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "\"%s\" must be a string", key);
    if (value)
        *out = limberi_json_as_text(value);
    return LIMBER_OK;
}

const limberi_json* limberi_gltf_entry(const limberi_gltf_list* list, uint32_t index) {
    return limberi_json_at(list->array, index);
}

const char* limberi_gltf_cut(limberi_gltf_reader* reader, const char* name) {
    if (strlen(name) <= LIMBERI_NAME_BYTES)
        return name;
    char head[LIMBERI_NAME_BYTES + 1];
    limberi_format(head, sizeof head, "%s", name);
    limberi_text_tidy(head);
    return limberi_arena_string(&reader->scratch, head);
}

const char* limberi_gltf_name(limberi_gltf_reader* reader, const limberi_gltf_list* list, uint32_t index,
                              const char* kind) {
    const char* name = limberi_json_as_text(limberi_json_get(limberi_gltf_entry(list, index), "name"));
    if (name && name[0])
        return limberi_gltf_cut(reader, name); // the tree's own when short: it outlives the model
    char text[64];
    limberi_format(text, sizeof text, "%s_%u", kind, index);
    return limberi_arena_string(&reader->scratch, text);
}
