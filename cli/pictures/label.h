// The words under pictures.
#ifndef LIMBER_CLI_LABEL_H
#define LIMBER_CLI_LABEL_H

#include <stddef.h>

// The last part of a path.
const char* label_file(const char* path);

// What a style is called: a preset by its name, a file by its name without folder and extension; NULL: "styled".
void label_style(const char* style, char* name, size_t size);

// "cartoon   frame 12   0.40 s"; without a style NULL: "frame 12   0.40 s".
void label_frame(const char* style, unsigned frame, double time_s, char* text, size_t size);

#endif
