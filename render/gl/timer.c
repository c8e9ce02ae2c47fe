// How long the graphics card takes: its own clock where the driver has one (EXT_disjoint_timer_query), else ours.
#include "render/gl/gl.h"

#include <GLES2/gl2ext.h>
#include <string.h>
#include <time.h>

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void limberi_timer_create(const limberi_context* context, limberi_timer* timer) {
    memset(timer, 0, sizeof *timer);
    timer->context = context;
    const char* extensions = (const char*)context->gl.GetString(GL_EXTENSIONS);
    if (limberi_context_is_software(context)) // its clock leaves out the vertices
        return;
    if (!extensions || !strstr(extensions, "GL_EXT_disjoint_timer_query"))
        return;
    PFNGLGENQUERIESEXTPROC generate = (PFNGLGENQUERIESEXTPROC)context->egl.GetProcAddress("glGenQueriesEXT");
    timer->begin = (PFNGLBEGINQUERYEXTPROC)context->egl.GetProcAddress("glBeginQueryEXT");
    timer->end = (PFNGLENDQUERYEXTPROC)context->egl.GetProcAddress("glEndQueryEXT");
    timer->result = (PFNGLGETQUERYOBJECTUI64VEXTPROC)context->egl.GetProcAddress("glGetQueryObjectui64vEXT");
    timer->remove = (PFNGLDELETEQUERIESEXTPROC)context->egl.GetProcAddress("glDeleteQueriesEXT");
    if (generate && timer->begin && timer->end && timer->result && timer->remove)
        generate(1, &timer->query);
}

void limberi_timer_destroy(limberi_timer* timer) {
    if (timer->query)
        timer->remove(1, &timer->query);
    memset(timer, 0, sizeof *timer);
}

void limberi_timer_start(limberi_timer* timer) {
    timer->context->gl.Finish();
    timer->start_s = now_s();
    if (timer->query)
        timer->begin(GL_TIME_ELAPSED_EXT, timer->query);
}

double limberi_timer_stop(limberi_timer* timer) {
    GLuint64 elapsed_ns = 0;
    if (timer->query)
        timer->end(GL_TIME_ELAPSED_EXT);
    timer->context->gl.Finish();
    double wall_s = now_s() - timer->start_s;
    if (timer->query)
        timer->result(timer->query, GL_QUERY_RESULT_EXT, &elapsed_ns);
    return elapsed_ns ? 1e-9 * (double)elapsed_ns : wall_s; // some drivers have the extension, but no clock
}
