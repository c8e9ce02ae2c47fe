// Errors of the browser module, and its heap.
#include "base/error.h"
#include "web/wasm/web.h"

#include <stdlib.h>

limber_error limberi_web_error;

limber_result limberi_web_fail(limber_result result) {
    return limberi_fail(&limberi_web_error, result,
                        result == LIMBER_ERROR_MEMORY ? "not enough memory"
                                                      : "there is no such clip, or no such frame");
}

// Memory that the caller fills. At least one byte, so that 0 always means that there is none left.
void* WEB_EXPORT(memory_allocate)(size_t bytes) {
    return malloc(bytes ? bytes : 1);
}

void WEB_EXPORT(memory_free)(void* memory) {
    free(memory);
}

int32_t WEB_EXPORT(error_result)(void) {
    return (int32_t)limberi_web_error.result;
}

const char* WEB_EXPORT(error_text)(int32_t which) {
    if (which == 0)
        return limberi_web_error.place;
    return which == 1 ? limberi_web_error.message : limberi_web_error.detail;
}

const char* WEB_EXPORT(version)(void) {
    return limber_version();
}
