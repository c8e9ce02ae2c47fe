// How long the graphics card takes: its own clock where the driver has one (EXT_disjoint_timer_query), else ours.
#ifndef LIMBERI_TIMER_H
#define LIMBERI_TIMER_H

#include "render/gl/context.h"

typedef struct limberi_timer {
    const limberi_context* context;
    GLuint query; // 0: the driver has no clock
    double start_s;
    void (*begin)(GLenum target, GLuint id);
    void (*end)(GLenum target);
    void (*result)(GLuint id, GLenum name, GLuint64* value);
    void (*remove)(GLsizei count, const GLuint* ids);
} limberi_timer;

void limberi_timer_create(const limberi_context* context, limberi_timer* timer);
void limberi_timer_destroy(limberi_timer* timer);

// What is asked of GL between the two calls; waits until all of it is done.
void limberi_timer_start(limberi_timer* timer);
double limberi_timer_stop(limberi_timer* timer); // seconds

#endif
