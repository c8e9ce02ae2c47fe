// Where a JSON tree gets its memory from: pieces of an arena, cut up without the arena's alignment, which would more than
// double it.
#include "text/json_private.h"

#include <string.h>

enum { SMALLEST_PIECE = 2 * 1024, LARGEST_PIECE = 1024 * 1024 };

void limberi_json_free(limberi_json_document* json) {
    limberi_arena_free(&json->arena);
    memset(json, 0, sizeof *json);
}

static char* allocate_piece(limberi_json_document* json, size_t byte_count) {
    if (json->byte_limit && byte_count > json->byte_limit - json->byte_count) {
        json->too_large = json->arena.failed = true;
        return NULL;
    }
    json->byte_count += byte_count;
    return LIMBERI_ALLOCATE(&json->arena, char, byte_count);
}

// Pieces grow with the document: few for a large one, and none of a small one is mostly empty.
static bool make_room(limberi_json_document* json, size_t byte_count) {
    if ((size_t)(json->back - json->front) >= byte_count)
        return true;
    size_t size = json->byte_count / 2;
    size = size < LARGEST_PIECE ? size : LARGEST_PIECE;
    size = size > SMALLEST_PIECE ? size : SMALLEST_PIECE;
    char* piece = allocate_piece(json, size > byte_count ? size : byte_count);
    if (!piece)
        return false;
    json->front = piece;
    json->back = piece + (size > byte_count ? size : byte_count);
    return true;
}

// Something large has a piece of its own, so that the room that is left in the last one is not lost.
static bool is_large(const limberi_json_document* json, size_t byte_count) {
    return byte_count > SMALLEST_PIECE / 2 && byte_count > (size_t)(json->back - json->front);
}

void* limberi_json_allocate(limberi_json_document* json, size_t byte_count) {
    byte_count = (byte_count + 7) & ~(size_t)7;
    if (is_large(json, byte_count))
        return allocate_piece(json, byte_count);
    if (!make_room(json, byte_count))
        return NULL;
    void* memory = json->front;
    json->front += byte_count;
    return memory;
}

char* limberi_json_allocate_text(limberi_json_document* json, size_t byte_count) {
    if (is_large(json, byte_count)) // counts for nothing: it is no larger than what was read
        return LIMBERI_ALLOCATE(&json->arena, char, byte_count);
    return make_room(json, byte_count) ? json->back -= byte_count : NULL;
}
