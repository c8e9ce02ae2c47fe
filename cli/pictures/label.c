// The words under pictures.
#include "cli/pictures/pictures.h"

#include <stdio.h>
#include <string.h>

const char* label_file(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void label_style(const char* style, char* name, size_t size) {
    snprintf(name, size, "%s", style ? label_file(style) : "styled");
    char* dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
}

void label_frame(const char* style, unsigned frame, double time_s, char* text, size_t size) {
    snprintf(text, size, "%s%sframe %u   %.2f s", style ? style : "", style ? "   " : "", frame, time_s);
}
