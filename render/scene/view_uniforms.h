// What shaders are told about a view. As limberi_set_float and the like: of the program in use.
#ifndef LIMBERI_VIEW_UNIFORMS_H
#define LIMBERI_VIEW_UNIFORMS_H

#include "render/gl/shader_program.h"
#include "render/scene/viewpoint.h"

void limberi_set_stage(const limberi_program* program, const char* name, const limberi_stage* stage);
// A place, or the direction towards an orthographic camera, then with w 0.
void limberi_set_eye(const limberi_program* program, const char* name, const limberi_view* view);
void limberi_set_projection(const limberi_program* program, const char* name, const limberi_projection* value);

#endif
