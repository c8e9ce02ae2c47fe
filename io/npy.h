// NumPy .npy files, version 1, little-endian, C order, written as a stream.
#ifndef LIMBERI_NPY_H
#define LIMBERI_NPY_H

#include "io/sweep.h"
#include <limber/base.h>
#include <stdio.h>

typedef enum limberi_npy_type { LIMBERI_NPY_FLOAT32, LIMBERI_NPY_UINT32, LIMBERI_NPY_INT32 } limberi_npy_type;

typedef struct limberi_npy {
    FILE* file;
    bool failed;
    bool floats, not_finite; // the second is why it failed
    limberi_sweep* sweep;
} limberi_npy;

// Creates `path` and writes the header for an array of the given shape.
bool limberi_npy_open(limberi_npy* npy, const char* path, limberi_npy_type type, const uint64_t* shape, int dimensions);

// Appends values (four bytes each). Failures are remembered until the close; a float that is not
// finite is one.
void limberi_npy_write(limberi_npy* npy, const void* values, size_t count);

// False when anything since the open went wrong.
bool limberi_npy_close(limberi_npy* npy);

#endif
