// What binding has to say: where an error is, and warnings.
#include "style/bind.h"

#include "base/error.h"

limber_result limberi_bind_at(limberi_binder* b, limber_result result, const limberi_entry* entry) {
    limberi_entry_keys keys;
    limberi_address address = limberi_entry_address(entry, &keys);
    return limberi_style_at(b->error, result, entry->place, &address);
}

void limberi_bind_warn(limberi_binder* b, const limberi_entry* entry, const char* format, ...) {
    limberi_entry_keys keys;
    limberi_address address = limberi_entry_address(entry, &keys);
    char path[96], message[256], line[360];
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    limberi_address_format(&address, path, sizeof path);
    limberi_format(line, sizeof line, "%s: %s", path, message);
    const char* kept = limberi_arena_string(&b->bound->arena, line);
    if (kept && b->bound->warning_count < LIMBERI_WARNING_LIMIT)
        b->bound->warnings[b->bound->warning_count++] = kept;
}
