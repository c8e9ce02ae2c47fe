// The tree: looking things up in it, changing it. What reads a text into it is json_read.c.
#include "text/json_private.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "text/text.h"

#include <string.h>

enum { FEW_MEMBERS = 16 };

static const uint32_t NONE = UINT32_MAX;

// --- looking ---

static bool has_items(const limberi_json* value) {
    return value && (value->type == LIMBERI_JSON_ARRAY || value->type == LIMBERI_JSON_OBJECT);
}

uint32_t limberi_json_count(const limberi_json* container) {
    return has_items(container) ? container->count : 0;
}

limberi_json* limberi_json_at(const limberi_json* container, size_t index) {
    if (index >= limberi_json_count(container))
        return NULL;
    return container->type == LIMBERI_JSON_ARRAY ? container->list->items[index]
                                                 : container->table->members[index].value;
}

const char* limberi_json_key_at(const limberi_json* object, size_t index) {
    bool there = limberi_json_is(object, LIMBERI_JSON_OBJECT) && index < object->count;
    return there ? object->table->members[index].key : NULL;
}

// The position of a key among those that are sorted.
static uint32_t find_sorted(const limberi_json_table* table, const char* key) {
    uint32_t low = 0;
    uint32_t high = table->sorted;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int side = strcmp(table->members[table->order[middle]].key, key);
        if (side == 0)
            return table->order[middle];
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NONE;
}

static uint32_t find_member(const limberi_json* object, const char* key) {
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT) || !object->count)
        return NONE;
    const limberi_json_table* table = object->table;
    uint32_t found = find_sorted(table, key);
    if (found != NONE)
        return found;
    for (uint32_t i = table->sorted; i < object->count; i++)
        if (strcmp(table->members[i].key, key) == 0)
            return i;
    return NONE;
}

limberi_json* limberi_json_get(const limberi_json* object, const char* key) {
    uint32_t index = find_member(object, key);
    return index == NONE ? NULL : object->table->members[index].value;
}

bool limberi_json_is(const limberi_json* value, limberi_json_type type) {
    return value && value->type == type;
}

bool limberi_json_is_number(const limberi_json* value) {
    return limberi_json_is(value, LIMBERI_JSON_INTEGER) || limberi_json_is(value, LIMBERI_JSON_REAL);
}

double limberi_json_as_number(const limberi_json* value) {
    if (limberi_json_is(value, LIMBERI_JSON_INTEGER))
        return (double)value->integer;
    return limberi_json_is(value, LIMBERI_JSON_REAL) ? value->real : 0;
}

int64_t limberi_json_as_integer(const limberi_json* value) {
    return limberi_json_is(value, LIMBERI_JSON_INTEGER) ? value->integer : 0;
}

const char* limberi_json_as_text(const limberi_json* value) {
    return limberi_json_is(value, LIMBERI_JSON_STRING) ? value->text : NULL;
}

bool limberi_json_as_truth(const limberi_json* value) {
    return limberi_json_is(value, LIMBERI_JSON_SWITCH) && value->truth;
}

// --- making ---

limberi_json* limberi_json_new(limberi_json_document* json, limberi_json_type type) {
    limberi_json* value = limberi_json_allocate(json, sizeof *value);
    if (value)
        value->type = (uint8_t)type;
    if (value && type == LIMBERI_JSON_STRING)
        value->text = "";
    return value;
}

limberi_json* limberi_json_new_switch(limberi_json_document* json, bool truth) {
    limberi_json* value = limberi_json_new(json, LIMBERI_JSON_SWITCH);
    if (value)
        value->truth = truth;
    return value;
}

limberi_json* limberi_json_new_integer(limberi_json_document* json, int64_t integer) {
    limberi_json* value = limberi_json_new(json, LIMBERI_JSON_INTEGER);
    if (value)
        value->integer = integer;
    return value;
}

limberi_json* limberi_json_new_real(limberi_json_document* json, double real) {
    limberi_json* value = limberi_json_new(json, LIMBERI_JSON_REAL);
    if (value)
        value->real = real;
    return value;
}

static const char* keep_text(limberi_json_document* json, const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = size <= UINT32_MAX ? limberi_json_allocate_text(json, size) : NULL;
    json->arena.failed = json->arena.failed || !copy;
    return copy ? memcpy(copy, text, size) : NULL;
}

limberi_json* limberi_json_new_string(limberi_json_document* json, const char* text) {
    limberi_json* value = limberi_json_new(json, LIMBERI_JSON_STRING);
    const char* copy = value ? keep_text(json, text) : NULL;
    if (!copy)
        return NULL;
    value->text = copy;
    value->count = (uint32_t)strlen(copy);
    return value;
}

// --- room in containers ---

static bool grow_list(limberi_json_document* json, limberi_json* array, uint32_t capacity) {
    limberi_json_list* list = limberi_json_allocate(json, sizeof *list + (size_t)capacity * sizeof(limberi_json*));
    if (!list)
        return false;
    list->capacity = capacity;
    if (array->count)
        memcpy(list->items, array->list->items, array->count * sizeof(limberi_json*));
    array->list = list;
    return true;
}

static bool grow_table(limberi_json_document* json, limberi_json* object, uint32_t capacity) {
    limberi_json_table* table =
        limberi_json_allocate(json, sizeof *table + (size_t)capacity * sizeof(limberi_json_member));
    if (!table)
        return false;
    table->capacity = capacity;
    if (object->count) {
        memcpy(table->members, object->table->members, object->count * sizeof(limberi_json_member));
        table->sorted = object->table->sorted;
        table->order = object->table->order;
    }
    object->table = table;
    return true;
}

bool limberi_json_reserve(limberi_json_document* json, limberi_json* container, uint32_t count) {
    return container->type == LIMBERI_JSON_ARRAY ? grow_list(json, container, count)
                                                 : grow_table(json, container, count);
}

static bool has_room(limberi_json_document* json, limberi_json* container) {
    bool array = container->type == LIMBERI_JSON_ARRAY;
    uint32_t capacity = 0;
    if (container->list) // or the table, in the same place
        capacity = array ? container->list->capacity : container->table->capacity;
    if (container->count < capacity)
        return true;
    uint32_t more = capacity ? 2 * capacity : 4;
    if (more <= capacity)
        json->arena.failed = true;
    return more > capacity && limberi_json_reserve(json, container, more);
}

// --- the index of large objects ---

static int compare_keys(const void* user, uint32_t a, uint32_t b) {
    const limberi_json_member* members = user;
    return strcmp(members[a].key, members[b].key);
}

// The members by key; those of the same key in their order. To be freed; NULL when memory is short.
static uint32_t* sorted_members(limberi_json_document* json, const limberi_json* object) {
    size_t count = object->count;
    uint32_t* order = limberi_allocate(2 * count * sizeof *order);
    if (!order) {
        json->arena.failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    limberi_sort(order, order + count, count, compare_keys, object->table->members);
    return order;
}

static uint32_t first_duplicate_of_few(const limberi_json* object) {
    const limberi_json_member* members = object->table->members;
    for (uint32_t i = 1; i < object->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(members[i].key, members[k].key) == 0)
                return i;
    return NONE;
}

uint32_t limberi_json_index(limberi_json_document* json, limberi_json* object) {
    uint32_t count = object->count;
    uint32_t first = NONE;
    if (count < 2)
        return NONE;
    object->table->sorted = 0;
    if (count <= FEW_MEMBERS)
        return first_duplicate_of_few(object);
    uint32_t* order = sorted_members(json, object);
    uint32_t* kept = order ? limberi_json_allocate(json, object->table->capacity * sizeof *kept) : NULL;
    if (kept) {
        memcpy(kept, order, count * sizeof *kept);
        object->table->order = kept;
        object->table->sorted = count;
        for (uint32_t i = 1; i < count; i++)
            if (order[i] < first && compare_keys(object->table->members, order[i - 1], order[i]) == 0)
                first = order[i];
    }
    limberi_release(order);
    return first;
}

static void close_gaps(limberi_json* object) {
    limberi_json_member* members = object->table->members;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->count; i++)
        if (members[i].key)
            members[kept++] = members[i];
    object->count = kept;
    object->table->sorted = 0;
}

void limberi_json_merge_members(limberi_json_document* json, limberi_json* object) {
    limberi_json_member* members = object->table->members;
    uint32_t* order = sorted_members(json, object);
    for (uint32_t i = 0, end; order && i < object->count; i = end) {
        for (end = i + 1; end < object->count && compare_keys(members, order[i], order[end]) == 0;)
            end++;
        members[order[i]].value = members[order[end - 1]].value;
    }
    // Only now: the comparison needs the keys.
    for (uint32_t i = 0, end; order && i < object->count; i = end) {
        const char* key = members[order[i]].key;
        for (end = i + 1; end < object->count && strcmp(key, members[order[end]].key) == 0; end++)
            members[order[end]].key = NULL;
    }
    limberi_release(order);
    close_gaps(object);
    (void)limberi_json_index(json, object);
}

// --- changing ---

static bool can_put(limberi_json_document* json, const limberi_json* container, limberi_json_type type,
                    const limberi_json* value) {
    bool can = limberi_json_is(container, type) && value;
    json->arena.failed = json->arena.failed || !can;
    return can;
}

void limberi_json_set(limberi_json_document* json, limberi_json* object, const char* key, limberi_json* value) {
    if (!can_put(json, object, LIMBERI_JSON_OBJECT, value))
        return;
    uint32_t index = find_member(object, key);
    if (index != NONE) {
        object->table->members[index].value = value;
        return;
    }
    const char* copy = has_room(json, object) ? keep_text(json, key) : NULL;
    if (!copy)
        return;
    limberi_json_member* member = &object->table->members[object->count++];
    member->key = copy;
    member->value = value;
    // A few members behind the sorted ones are searched one by one; when they become many, all are sorted again.
    if (object->count - object->table->sorted > 4 * FEW_MEMBERS + object->table->sorted / FEW_MEMBERS)
        (void)limberi_json_index(json, object);
}

void limberi_json_append(limberi_json_document* json, limberi_json* array, limberi_json* value) {
    if (can_put(json, array, LIMBERI_JSON_ARRAY, value) && has_room(json, array))
        array->list->items[array->count++] = value;
}

void limberi_json_replace(limberi_json_document* json, limberi_json* array, size_t index, limberi_json* value) {
    if (can_put(json, array, LIMBERI_JSON_ARRAY, value) && index < array->count)
        array->list->items[index] = value;
}

void limberi_json_remove(limberi_json* object, const char* key) {
    uint32_t index = find_member(object, key);
    if (index == NONE)
        return;
    object->table->members[index].key = NULL;
    close_gaps(object);
}

void limberi_json_remove_at(limberi_json* array, size_t index) {
    if (!limberi_json_is(array, LIMBERI_JSON_ARRAY) || index >= array->count)
        return;
    limberi_json** items = array->list->items;
    memmove(items + index, items + index + 1, (array->count - index - 1) * sizeof *items);
    array->count--;
}

void limberi_json_remove_if(limberi_json* object, bool (*unwanted)(const char* key)) {
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT) || !object->count)
        return;
    for (uint32_t i = 0; i < object->count; i++)
        if (unwanted(object->table->members[i].key))
            object->table->members[i].key = NULL;
    close_gaps(object);
}

limberi_json* limberi_json_adopt(limberi_json_document* json, limberi_json_document* other) {
    limberi_json* root = other->root;
    json->byte_count += other->byte_count;
    limberi_arena_adopt(&json->arena, &other->arena);
    limberi_json_free(other);
    return root;
}

limberi_json* limberi_json_copy(limberi_json_document* json, const limberi_json* value) {
    limberi_json* copy = value ? limberi_json_allocate(json, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    *copy = *value;
    if (!has_items(value))
        return copy;
    copy->list = NULL;
    copy->count = 0;
    if (value->count && !limberi_json_reserve(json, copy, value->count))
        return NULL;
    for (uint32_t i = 0; i < value->count; i++) {
        limberi_json* item = limberi_json_copy(json, limberi_json_at(value, i));
        if (!item)
            return NULL;
        if (value->type == LIMBERI_JSON_ARRAY)
            copy->list->items[i] = item;
        else
            copy->table->members[i] = (limberi_json_member){value->table->members[i].key, item};
        copy->count++;
    }
    if (value->type == LIMBERI_JSON_OBJECT)
        (void)limberi_json_index(json, copy);
    return json->arena.failed ? NULL : copy;
}

// --- messages ---

limberi_json_place limberi_json_place_at(limberi_json_document* json, uint32_t place) {
    if (place < json->mark || !json->mark_place.line) {
        json->mark = 0;
        json->mark_place.line = json->mark_place.column = 1;
    }
    for (; json->text && json->mark < place; json->mark++) {
        unsigned char c = (unsigned char)json->text[json->mark];
        if (c == '\n') {
            json->mark_place.line++;
            json->mark_place.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            json->mark_place.column++;
        }
    }
    return json->mark_place;
}

void limberi_json_tidy(const char* name, char* out, size_t size) {
    size_t length = 0;
    for (; name[length] && length + 1 < size; length++)
        out[length] = (unsigned char)name[length] < 32 || name[length] == 127 ? '?' : name[length];
    if (limberi_utf8_continues(name[length])) { // cut inside a character: all of it goes
        while (length && limberi_utf8_continues(name[length]))
            length--;
    }
    out[length] = 0;
}

void limberi_json_written(const limberi_json_document* json, const limberi_json* number, char* out, size_t size) {
    size_t length = number->count < size ? number->count : size - 1;
    if (json->text)
        memcpy(out, json->text + number->place, length);
    out[json->text ? length : 0] = 0;
}

void limberi_json_describe(const limberi_json_document* json, const limberi_json* value, char* out, size_t size) {
    char text[48];
    switch (value->type) {
    case LIMBERI_JSON_NULL:
        limberi_format(out, size, "null");
        break;
    case LIMBERI_JSON_SWITCH:
        limberi_format(out, size, "%s", value->truth ? "true" : "false");
        break;
    case LIMBERI_JSON_INTEGER:
    case LIMBERI_JSON_REAL:
        limberi_json_written(json, value, text, sizeof text);
        limberi_format(out, size, "the number %s", text);
        break;
    case LIMBERI_JSON_STRING:
        limberi_json_tidy(value->text, text, sizeof text);
        limberi_format(out, size, "\"%s\"", text);
        break;
    case LIMBERI_JSON_ARRAY:
        limberi_format(out, size, "a list of %u", value->count);
        break;
    default:
        limberi_format(out, size, "an object");
        break;
    }
}
