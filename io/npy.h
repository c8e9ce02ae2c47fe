// NumPy .npy files, version 1, little-endian, C order, written as a stream.
#ifndef LIMBERI_NPY_H
#define LIMBERI_NPY_H

#include "io/file_write.h"

typedef enum limberi_npy_type { LIMBERI_NPY_FLOAT32, LIMBERI_NPY_UINT32, LIMBERI_NPY_INT32 } limberi_npy_type;

typedef struct limberi_npy {
    limberi_file* file; // the caller's, who ends it
    bool floats;
} limberi_npy;

// Writes the header for an array of the given shape.
limberi_npy limberi_npy_start(limberi_file* file, limberi_npy_type type, const uint64_t* shape, int dimensions);

// Appends values (four bytes each). The file remembers failures; a float that is not finite is one.
void limberi_npy_write(const limberi_npy* npy, const void* values, size_t count);

#endif
