// OpenGL ES 3 as a table of functions, found at run time: a machine without EGL still runs every other verb of limber,
// and `render` can say which package is missing instead of the loader refusing to start the program.
#include "render/gl/gl.h"
#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

// dlsym gives an object pointer, which ISO C cannot cast to a function pointer.
static bool find_function(void* library, const char* name, void* function, size_t size) {
    void* symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

limber_result limberi_egl_load(limberi_egl* egl, limber_error* error) {
    void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "rendering needs EGL: install the packages libegl1, libgles2 and libgl1-mesa-dri");
#define FIND(type, name)                                                                                               \
    if (!find_function(library, "egl" #name, &egl->name, sizeof egl->name))                                            \
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the EGL library lacks egl" #name);
    LIMBERI_EGL_FUNCTIONS(FIND)
#undef FIND
    return LIMBER_OK;
}

limber_result limberi_gl_load(const limberi_egl* egl, limberi_gl* gl, limber_error* error) {
#define FIND(type, name)                                                                                               \
    gl->name = (type)egl->GetProcAddress("gl" #name);                                                                  \
    if (!gl->name)                                                                                                     \
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the OpenGL ES driver lacks gl" #name);
    LIMBERI_GL_FUNCTIONS(FIND)
#undef FIND
    return LIMBER_OK;
}

static const char* error_name(GLenum code) {
    switch (code) {
    case GL_INVALID_ENUM:
        return "invalid enum";
    case GL_INVALID_VALUE:
        return "invalid value";
    case GL_INVALID_OPERATION:
        return "invalid operation";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
        return "incomplete framebuffer";
    case GL_OUT_OF_MEMORY:
        return "out of graphics memory";
    default:
        return "unknown error";
    }
}

limber_result limberi_gl_check(const limberi_gl* gl, const char* doing, limber_error* error) {
    GLenum first = gl->GetError();
    if (first == GL_NO_ERROR)
        return LIMBER_OK;
    // A lost context may report errors endlessly.
    for (int i = 0; i < 16 && gl->GetError() != GL_NO_ERROR; i++)
        continue;
    limber_result result = first == GL_OUT_OF_MEMORY ? LIMBER_ERROR_MEMORY : LIMBER_ERROR_UNSUPPORTED;
    return limberi_fail(error, result, "OpenGL ES cannot %s: %s", doing, error_name(first));
}
