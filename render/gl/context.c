// An OpenGL ES 3 context without a window system.
#include "base/error.h"
#include "render/gl/gl.h"

#include <stdlib.h>
#include <string.h>

static bool has_extension(const char* list, const char* name) {
    size_t length = strlen(name);
    for (const char* p = list; p && (p = strstr(p, name)) != NULL; p += length)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == 0))
            return true;
    return false;
}

// Displays are process-wide and shared by every renderer, so none is ever terminated.
static bool open_display(limberi_context* c, EGLDisplay display) {
    if (display == EGL_NO_DISPLAY || !c->egl.Initialize(display, NULL, NULL))
        return false;
    const char* extensions = c->egl.QueryString(display, EGL_EXTENSIONS);
    if (!has_extension(extensions, "EGL_KHR_surfaceless_context"))
        return false;
    c->display = display;
    return true;
}

// Without EGL_BAD_CONFIG checks by hand: a surfaceless context needs a config only where KHR_no_config_context is
// absent, but every driver accepts one that can render ES 3 at all.
static bool open_context(limberi_context* c) {
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!c->egl.BindAPI(EGL_OPENGL_ES_API))
        return false;
    if (!c->egl.ChooseConfig(c->display, wanted, &config, 1, &count) || count < 1)
        return false;
    c->context = c->egl.CreateContext(c->display, config, EGL_NO_CONTEXT, version);
    return c->context != EGL_NO_CONTEXT;
}

static bool open_on_device(limberi_context* c, PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display) {
    enum { DEVICE_LIMIT = 16 };
    PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)c->egl.GetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT devices[DEVICE_LIMIT];
    EGLint count = 0;
    if (!query || !query(DEVICE_LIMIT, devices, &count))
        return false;
    for (EGLint i = 0; i < count; i++)
        if (open_display(c, platform_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)) && open_context(c))
            return true;
    return false;
}

static bool open_any(limberi_context* c) {
    const char* client = c->egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)c->egl.GetProcAddress("eglGetPlatformDisplayEXT");
    if (!platform_display)
        return false;
    if (has_extension(client, "EGL_MESA_platform_surfaceless") &&
        open_display(c, platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)) && open_context(c))
        return true;
    return has_extension(client, "EGL_EXT_platform_device") && open_on_device(c, platform_display);
}

limber_result limberi_context_create(limberi_context* c, limber_error* error) {
    memset(c, 0, sizeof *c);
    limber_result result = limberi_egl_load(&c->egl, error);
    if (result != LIMBER_OK)
        return result;
    if (!open_any(c))
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "EGL offers no OpenGL ES 3 without a window: install the package libgl1-mesa-dri "
                            "or a graphics driver");
    result = limberi_gl_load(&c->egl, &c->gl, error);
    return result == LIMBER_OK ? limberi_context_use(c, error) : result;
}

void limberi_context_destroy(limberi_context* c) {
    if (c->context == EGL_NO_CONTEXT)
        return;
    c->egl.MakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    c->egl.DestroyContext(c->display, c->context);
    memset(c, 0, sizeof *c);
}

limber_result limberi_context_use(const limberi_context* c, limber_error* error) {
    if (c->egl.MakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
        return LIMBER_OK;
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "EGL cannot make its context current (error %d)",
                        (int)c->egl.GetError());
}

const char* limberi_context_device(const limberi_context* c) {
    const char* name = (const char*)c->gl.GetString(GL_RENDERER);
    return name ? name : "unknown";
}

bool limberi_context_is_software(const limberi_context* c) {
    const char* device = limberi_context_device(c);
    return strstr(device, "llvmpipe") || strstr(device, "softpipe") || strstr(device, "SwiftShader");
}
