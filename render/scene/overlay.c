// Triangles over the character: skeletons, arrows, paths.
#include "render/scene/renderer.h"
#include "render/shaders.h"

#include <string.h>

static void attribute(const limberi_gl* gl, GLuint index, GLint components, size_t offset) {
    gl->VertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, (GLsizei)sizeof(limberi_overlay_vertex),
                            (const void*)(uintptr_t)offset);
    gl->EnableVertexAttribArray(index);
}

limber_result limberi_overlay_create(const limberi_gl* gl, limberi_overlay* o, limber_error* error) {
    memset(o, 0, sizeof *o);
    o->gl = gl;
    gl->GenVertexArrays(1, &o->vertex_array);
    gl->BindVertexArray(o->vertex_array);
    gl->GenBuffers(1, &o->vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, o->vertices);
    attribute(gl, 0, 3, offsetof(limberi_overlay_vertex, position));
    attribute(gl, 1, 3, offsetof(limberi_overlay_vertex, normal));
    attribute(gl, 2, 4, offsetof(limberi_overlay_vertex, color));
    attribute(gl, 3, 1, offsetof(limberi_overlay_vertex, hidden));
    return limberi_program_create(gl, "overlay", limberi_shader_overlay_vert, NULL, limberi_shader_overlay_frag,
                                  &o->program, error);
}

void limberi_overlay_destroy(limberi_overlay* o) {
    if (o->gl) {
        o->gl->DeleteBuffers(1, &o->vertices);
        o->gl->DeleteVertexArrays(1, &o->vertex_array);
        limberi_program_destroy(&o->program);
    }
    memset(o, 0, sizeof *o);
}

void limberi_overlay_set(limberi_overlay* o, const limberi_overlay_vertex* vertices, uint32_t count) {
    o->vertex_count = count - count % 3;
    o->gl->BindBuffer(GL_ARRAY_BUFFER, o->vertices);
    o->gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(o->vertex_count * sizeof *vertices), vertices, GL_STREAM_DRAW);
}

// What is seen first, then everything again by its own depth alone: where it was drawn before, the same colour comes
// again, and where the character is before it, a fainter one.
void limberi_overlay_draw(const limberi_overlay* o, const limberi_view* view, const limberi_projection* projection) {
    const limberi_gl* gl = o->gl;
    if (!o->vertex_count)
        return;
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_CULL_FACE);
    gl->FrontFace(GL_CCW);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    limberi_program_use(&o->program);
    limberi_set_stage(&o->program, "stage", &view->stage);
    limberi_set_projection(&o->program, "projection", projection);
    limberi_set_eye(&o->program, "eye", view);
    limberi_set_vec3(&o->program, "up", view->up);
    gl->BindVertexArray(o->vertex_array);
    limberi_set_int(&o->program, "through", 0);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)o->vertex_count);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    limberi_set_int(&o->program, "through", 1);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)o->vertex_count);
}
