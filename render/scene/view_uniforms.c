// What shaders are told about a view.
#include "render/scene/renderer.h"

void limberi_set_stage(const limberi_program* program, const char* name, const limberi_stage* stage) {
    limberi_set_vec4(program, name, stage->origin.x, stage->origin.y, stage->origin.z, stage->scale);
}

void limberi_set_eye(const limberi_program* program, const char* name, const limberi_view* view) {
    limber_vec3 from = view->orthographic ? view->back : view->eye;
    limberi_set_vec4(program, name, from.x, from.y, from.z, view->orthographic ? 0.0f : 1.0f);
}

void limberi_set_projection(const limberi_program* program, const char* name, const limberi_projection* value) {
    limberi_set_mat4(program, name, value->m);
}
