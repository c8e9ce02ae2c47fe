// The containers of a JSON tree and where they get their memory from: shared by the files json*.c.
#ifndef LIMBERI_JSON_PRIVATE_H
#define LIMBERI_JSON_PRIVATE_H

#include "text/json.h"

typedef struct limberi_json_list {
    uint32_t capacity;
    limberi_json* items[];
} limberi_json_list;

typedef struct limberi_json_member {
    const char* key;
    limberi_json* value;
} limberi_json_member;

// Above a handful of members, `order` has the first `sorted` of them by key. Not a hash: nobody can choose keys that
// make it slow.
typedef struct limberi_json_table {
    uint32_t capacity, sorted;
    uint32_t* order;
    limberi_json_member members[];
} limberi_json_table;

// Zeroed and aligned for anything in a tree; NULL when memory is short or the document's limit is reached.
void* limberi_json_allocate(limberi_json_document* json, size_t byte_count);
char* limberi_json_allocate_text(limberi_json_document* json, size_t byte_count);

// Makes room in an empty container, once its size is known.
bool limberi_json_reserve(limberi_json_document* json, limberi_json* container, uint32_t count);

// Sorts the members of a large object. Returns the first member whose key stood before, UINT32_MAX when there is none;
// an object with such members must go through limberi_json_merge_members before anything is looked up in it.
uint32_t limberi_json_index(limberi_json_document* json, limberi_json* object);
void limberi_json_merge_members(limberi_json_document* json, limberi_json* object);

#endif
