// Names that USD and OBJ accept, each used once.
#include "io/cache/writers.h"
#include "text/text.h"

#include <string.h>

// Longer names help nobody and trip readers with fixed line buffers.
enum { NAME_BYTES = 200 };

// Control characters would end the line, and a backslash at its end would join it with the next.
static bool fits(char c, limberi_cache_naming naming) {
    if (naming == LIMBERI_CACHE_IDENTIFIERS)
        return limberi_is_letter(c) || limberi_is_digit(c) || c == '_';
    return (unsigned char)c >= 32 && c != 127 && c != '\\';
}

static size_t cut_length(const char* text) {
    size_t length = strlen(text);
    if (length <= NAME_BYTES)
        return length;
    for (length = NAME_BYTES; length && limberi_utf8_continues(text[length]); length--)
        ;
    return length;
}

char* limberi_cache_name(limberi_arena* arena, const char* text, limberi_cache_naming naming) {
    while (*text == ' ')
        text++;
    size_t length = cut_length(text);
    while (length && text[length - 1] == ' ')
        length--;
    if (!length)
        return limberi_arena_string(arena, "mesh");
    char* name = LIMBERI_ALLOCATE(arena, char, length + 2);
    if (!name)
        return NULL;
    char* p = name;
    if (naming == LIMBERI_CACHE_IDENTIFIERS && limberi_is_digit(*text))
        *p++ = '_';
    for (size_t i = 0; i < length; i++) {
        if (fits(text[i], naming))
            *p++ = text[i];
        else if (!limberi_utf8_continues(text[i])) // one _ for a whole character, not for each of its bytes
            *p++ = '_';
    }
    return name;
}

static uint32_t hash(const char* text) { // FNV-1a
    uint32_t value = 2166136261u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 16777619u;
    return value;
}

// The entry of `name`, or the empty one where it would go.
static limberi_name_entry* find_name(const limberi_name_set* set, const char* name) {
    size_t i = hash(name) & set->mask;
    while (set->entries[i].name && strcmp(set->entries[i].name, name) != 0)
        i = (i + 1) & set->mask;
    return &set->entries[i];
}

bool limberi_name_set_open(limberi_arena* arena, size_t max, limberi_name_set* set) {
    size_t capacity = 4;
    while (capacity < 2 * max)
        capacity *= 2;
    set->entries = LIMBERI_ALLOCATE(arena, limberi_name_entry, capacity);
    set->mask = capacity - 1;
    return set->entries != NULL;
}

const char* limberi_name_claim(limberi_name_set* set, limberi_arena* arena, const char* wanted) {
    limberi_name_entry* base = find_name(set, wanted);
    limberi_name_entry* entry = base;
    char numbered[NAME_BYTES + 24];
    while (entry->name) {
        limberi_format(numbered, sizeof numbered, "%s_%u", wanted, ++base->next);
        entry = find_name(set, numbered);
    }
    entry->name = entry == base ? wanted : limberi_arena_string(arena, numbered);
    return entry->name;
}

static const char* wanted_text(const limber_mesh* mesh) {
    if (mesh->node_name && *mesh->node_name)
        return mesh->node_name;
    return mesh->name ? mesh->name : "";
}

const char* limberi_cache_mesh_name(limberi_name_set* set, limberi_arena* arena, const limber_mesh* mesh,
                                    limberi_cache_naming naming) {
    const char* wanted = limberi_cache_name(arena, wanted_text(mesh), naming);
    return wanted ? limberi_name_claim(set, arena, wanted) : NULL;
}

const char* const* limberi_cache_names(limberi_arena* arena, const limber_model* model, limberi_cache_naming naming) {
    limberi_name_set set;
    const char** names = LIMBERI_ALLOCATE(arena, const char*, model->mesh_count);
    if (!limberi_name_set_open(arena, model->mesh_count, &set) || !names)
        return NULL;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        names[m] = limberi_cache_mesh_name(&set, arena, &model->meshes[m], naming);
        if (!names[m])
            return NULL;
    }
    return names;
}
