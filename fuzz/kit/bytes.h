// The bytes of a fuzzer as a stream of choices. Where they end, numbers that follow from them go on, so that a short
// input still makes a whole character.
#ifndef LIMBER_FUZZ_BYTES_H
#define LIMBER_FUZZ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_bytes {
    const uint8_t* at;
    size_t left;
    uint32_t state; // of what comes after the last byte
} fuzz_bytes;

fuzz_bytes fuzz_bytes_of(const uint8_t* data, size_t size);
uint32_t fuzz_below(fuzz_bytes* bytes, uint32_t end); // 0 ... end - 1; end up to 65536
bool fuzz_chance(fuzz_bytes* bytes, uint32_t of_256);
float fuzz_mild(fuzz_bytes* bytes); // -2 ... 2
float fuzz_wild(fuzz_bytes* bytes); // any finite number, and often one at the ends of what floats hold

// What a target does with one input, where entry.c is its entrance.
void fuzz_run(fuzz_bytes* bytes);

// Stops the fuzzer, and says where.
#define FUZZ_CHECK(holds) fuzz_check((holds), #holds, __FILE__, __LINE__)
void fuzz_check(bool holds, const char* text, const char* file, int line);

// Every number is finite; NULL is fine.
bool fuzz_all_finite(const float* values, size_t count);

// A folder of this process below /dev/shm or /tmp, removed at the end with the files that were named.
const char* fuzz_path(const char* name); // valid until the third next call
void fuzz_remove(const char* path);

#endif
