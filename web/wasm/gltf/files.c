// A browser has no files: what a document refers to outside of itself is missing.
#include "io/file.h"

limber_result limberi_file_read(const char* path, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                                limber_error* error) {
    (void)limit;
    (void)arena;
    (void)out;
    return limberi_fail(error, LIMBER_ERROR_FILE, "%s: there are no files in a browser", path);
}

limber_result limberi_file_read_below(const char* folder, const char* path, uint64_t limit, limberi_arena* arena,
                                      limberi_bytes* out, limber_error* error) {
    (void)folder;
    return limberi_file_read(path, limit, arena, out, error);
}
