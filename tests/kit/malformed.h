// Files that no reader should accept, made by code. Each is a valid character with one thing wrong.
#ifndef LIMBER_TEST_MALFORMED_H
#define LIMBER_TEST_MALFORMED_H

#include <limber/base.h>

typedef struct malformed_file {
    const char* name;     // for messages and file names
    const char* ending;   // ".glb" or ".gltf"
    limber_result result; // what the reader must answer
    const char* place;    // how its place must begin; "" when the fault has none
    uint8_t* bytes;
    size_t size;
} malformed_file;

uint32_t malformed_count(void);
malformed_file malformed_make(uint32_t index);
void malformed_free(malformed_file* file);

// Whether an error says something, in one line.
bool malformed_line(const char* message);

#endif
