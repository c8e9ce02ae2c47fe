// NumPy .npy files, version 1, little-endian, C order, written as a stream.
#include "io/npy.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "npy output assumes a little-endian machine"
#endif

enum { HEADER_BYTES = 128 };

limberi_npy limberi_npy_start(limberi_file* file, limberi_npy_type type, const uint64_t* shape, int dimensions) {
    char shape_text[80] = "";
    char header[HEADER_BYTES];
    for (int i = 0; i < dimensions; i++) {
        size_t used = strlen(shape_text);
        snprintf(shape_text + used, sizeof shape_text - used, i + 1 < dimensions ? "%llu, " : "%llu%s",
                 (unsigned long long)shape[i], dimensions == 1 ? "," : "");
    }
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = HEADER_BYTES - 10;
    header[9] = 0;
    static const char* const types[] = {"<f4", "<u4", "<i4"}; // as in limberi_npy_type
    int length = snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                          types[type], shape_text);
    header[10 + length] = ' ';
    header[HEADER_BYTES - 1] = '\n';
    limberi_npy npy = {file, type == LIMBERI_NPY_FLOAT32};
    limberi_file_put(file, header, sizeof header);
    return npy;
}

void limberi_npy_write(const limberi_npy* npy, const void* values, size_t count) {
    if (!npy->floats || limberi_file_check(npy->file, values, count))
        limberi_file_put(npy->file, values, 4 * count);
}
