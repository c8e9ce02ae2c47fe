// A style is the list of the keys that were given. Every change is made on a copy that replaces the style on success,
// so a failed read changes nothing, and replaced values are freed.
#include "style/style_private.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "text/json_write.h"

#include <string.h>

limber_result limber_style_create(limber_style** style, limber_error* error) {
    *style = limberi_allocate_zeroed(1, sizeof **style);
    return *style ? LIMBER_OK : limberi_fail_memory(error);
}

void limberi_style_clear(limber_style* style) {
    limberi_arena_free(&style->arena);
    limberi_buffer_free(&style->text);
    memset(style, 0, sizeof *style);
}

void limber_style_destroy(limber_style* style) {
    if (!style)
        return;
    limberi_style_clear(style);
    limberi_release(style);
}

void limberi_style_replace(limber_style* style, limber_style* copy) {
    limberi_style_clear(style);
    *style = *copy;
}

limber_result limberi_style_copy(const limber_style* style, uint32_t more, limber_style* copy, limber_error* error) {
    memset(copy, 0, sizeof *copy);
    copy->pattern_count = style->pattern_count;
    copy->count = style->count;
    copy->capacity = style->count + more;
    copy->entries = LIMBERI_ALLOCATE(&copy->arena, limberi_entry, copy->capacity);
    for (uint32_t i = 0; i < style->count && !copy->arena.failed; i++) {
        limberi_entry* entry = &copy->entries[i];
        *entry = style->entries[i];
        entry->value.json = limberi_arena_string(&copy->arena, entry->value.json);
        if (entry->value.text)
            entry->value.text = limberi_arena_string(&copy->arena, entry->value.text);
        if (entry->pattern)
            entry->pattern = limberi_arena_string(&copy->arena, entry->pattern);
    }
    if (!copy->arena.failed)
        return LIMBER_OK;
    limberi_style_clear(copy);
    return limberi_fail_memory(error);
}

// --- entries ---

// FNV-1a
static uint32_t hash_of(const char* text) {
    uint32_t hash = 2166136261u;
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

limber_result limberi_style_put(limber_style* style, const limberi_entry* entry, limber_error* error) {
    limberi_entry fresh = *entry;
    fresh.pattern_hash = hash_of(entry->pattern);
    fresh.pattern_at = style->pattern_count;
    for (uint32_t i = 0; i < style->count; i++) {
        limberi_entry* old = &style->entries[i];
        bool same_pattern = entry->pattern && old->pattern && old->pattern_hash == fresh.pattern_hash &&
                            strcmp(old->pattern, entry->pattern) == 0;
        if (same_pattern)
            fresh.pattern_at = old->pattern_at;
        if (old->row == entry->row && old->effect == entry->effect && (same_pattern || !entry->pattern)) {
            fresh.pattern = old->pattern;
            *old = fresh;
            return LIMBER_OK;
        }
    }
    if (style->count == LIMBERI_ENTRY_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many keys (max %d)", LIMBERI_ENTRY_LIMIT);
    if (entry->pattern) {
        fresh.pattern = limberi_arena_string(&style->arena, entry->pattern);
        if (!fresh.pattern)
            return limberi_fail_memory(error);
        style->pattern_count += fresh.pattern_at == style->pattern_count;
    }
    style->entries[style->count++] = fresh;
    return LIMBER_OK;
}

void limberi_style_drop_filter(limber_style* style, int32_t effect, limberi_quantity quantity) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < style->count; i++) {
        const limberi_entry* entry = &style->entries[i];
        bool meant = quantity == LIMBERI_QUANTITY_ALL || entry->row->part == (uint32_t)quantity;
        if (!limberi_row_is_filter(entry->row) || entry->effect != effect || !meant)
            style->entries[kept++] = style->entries[i];
    }
    style->count = kept;
}

void limberi_style_drop_section(limber_style* style, const char* section) {
    size_t length = strlen(section);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < style->count; i++) {
        const char* path = style->entries[i].row->key.path;
        if (strncmp(path, section, length) != 0 || path[length] != '.')
            style->entries[kept++] = style->entries[i];
    }
    style->count = kept;
    limberi_buffer_free(&style->text);
}

// --- the style as text ---

// First what has no names, then joints, then meshes.
static int named_group(const limberi_entry* entry) {
    if (!entry->pattern)
        return 0;
    return strncmp(entry->row->key.path, "meshes.", 7) == 0 ? 2 : 1;
}

static int compare_entries(const void* user, uint32_t a, uint32_t b) {
    const limberi_entry* x = (const limberi_entry*)user + a;
    const limberi_entry* y = (const limberi_entry*)user + b;
    int x_named = named_group(x);
    int y_named = named_group(y);
    if (x_named != y_named)
        return x_named < y_named ? -1 : 1;
    if (x->pattern_at != y->pattern_at && x_named)
        return x->pattern_at < y->pattern_at ? -1 : 1;
    if (x->effect != y->effect)
        return x->effect < y->effect ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// Closes the objects that `now` is not in and opens those it is.
static void move_to(limberi_json_writer* writer, const limberi_address* before, const limberi_address* now) {
    uint32_t shared = 0;
    while (shared + 1 < before->count && shared + 1 < now->count &&
           strcmp(before->keys[shared], now->keys[shared]) == 0)
        shared++;
    for (uint32_t i = shared + 1; i < before->count; i++)
        limberi_json_close(writer, '}');
    for (uint32_t i = shared; i + 1 < now->count; i++) {
        limberi_json_key(writer, now->keys[i]);
        limberi_json_open(writer, '{');
    }
}

static bool has_version(const limber_style* style) {
    for (uint32_t i = 0; i < style->count; i++)
        if (strcmp(style->entries[i].row->key.path, "limber") == 0)
            return true;
    return false;
}

static void write_entries(limberi_json_writer* writer, const limber_style* style, const uint32_t* order) {
    limberi_entry_keys keys[2];
    limberi_address before = {1, {NULL}};
    limberi_json_open(writer, '{');
    if (style->count && !has_version(style)) {
        limberi_json_key(writer, "limber");
        limberi_json_raw(writer, "1");
    }
    for (uint32_t i = 0; i < style->count; i++) {
        const limberi_entry* entry = &style->entries[order[i]];
        limberi_address now = limberi_entry_address(entry, &keys[i % 2]);
        move_to(writer, &before, &now);
        limberi_json_key(writer, now.keys[now.count - 1]);
        limberi_json_raw(writer, entry->value.json);
        before = now;
    }
    limberi_address root = {1, {NULL}};
    move_to(writer, &before, &root);
    limberi_json_close(writer, '}');
}

const uint32_t* limberi_style_order(const limber_style* style, limberi_arena* arena) {
    uint32_t* order = LIMBERI_ALLOCATE(arena, uint32_t, style->count);
    uint32_t* scratch = LIMBERI_ALLOCATE(arena, uint32_t, style->count);
    if (!order || !scratch)
        return NULL;
    for (uint32_t i = 0; i < style->count; i++)
        order[i] = i;
    limberi_sort(order, scratch, style->count, compare_entries, style->entries);
    return order;
}

const char* limber_style_text(limber_style* style) {
    if (style->text.data && !style->text.failed)
        return style->text.data;
    limberi_buffer_free(&style->text);
    limberi_arena scratch = {NULL, false};
    const uint32_t* order = limberi_style_order(style, &scratch);
    if (order) {
        limberi_json_writer writer = {.out = &style->text};
        write_entries(&writer, style, order);
    }
    limberi_arena_free(&scratch);
    return style->text.failed ? NULL : style->text.data;
}
