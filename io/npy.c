#include "io/npy.h"

#include "io/system.h"

#include <math.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "npy output assumes a little-endian machine"
#endif

enum { HEADER_BYTES = 128 };

bool limberi_npy_open(limberi_npy* npy, const char* path, limberi_npy_type type, const uint64_t* shape,
                      int dimensions) {
    char shape_text[80] = "", header[HEADER_BYTES];
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
    npy->floats = type == LIMBERI_NPY_FLOAT32;
    npy->not_finite = false;
    npy->file = limberi_system_write_file(path);
    npy->sweep = npy->file ? limberi_sweep_add(path) : NULL;
    npy->failed = !npy->file || fwrite(header, 1, sizeof header, npy->file) != sizeof header;
    return !npy->failed;
}

static bool all_finite(const float* values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite &= isfinite(values[i]) != 0;
    return finite;
}

void limberi_npy_write(limberi_npy* npy, const void* values, size_t count) {
    if (!npy->failed && npy->floats && !all_finite(values, count))
        npy->failed = npy->not_finite = true;
    if (!npy->failed && count && fwrite(values, 4, count, npy->file) != count)
        npy->failed = true;
}

bool limberi_npy_close(limberi_npy* npy) {
    if (npy->file && fclose(npy->file) != 0)
        npy->failed = true;
    npy->file = NULL;
    limberi_sweep_forget(npy->sweep);
    npy->sweep = NULL;
    return !npy->failed;
}
