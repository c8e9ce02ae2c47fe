// Names in an imported scene, made valid UTF-8.
#include "text/text.h"
#include "cli/import/scene.h"

#include <stdarg.h>
#include <string.h>

void import_tell(import_scene* s, const char* format, ...) {
    char text[512];
    va_list arguments;
    if (s->problem_count == IMPORT_PROBLEMS)
        return;
    va_start(arguments, format);
    limberi_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    import_tidy(text);
    s->problems[s->problem_count++] = limberi_arena_string(&s->arena, text);
}

void import_tidy(char* text) {
    char* end = text + strlen(text);
    for (int length = 0; text < end; text += length ? length : 1) {
        length = limberi_utf8_length(text, end);
        if (!length || (unsigned char)*text < 32)
            *text = '?';
    }
}

const char* import_name(import_scene* s, const struct aiString* name) {
    char* text = limberi_arena_string(&s->arena, name->data);
    if (text)
        import_tidy(text);
    return text ? text : "";
}
