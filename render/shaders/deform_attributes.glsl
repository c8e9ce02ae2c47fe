// The vertex as limberi_gpu_character's buffers have it, and where its character starts in the texture.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints_0;
layout(location = 3) in vec4 weights_0;
layout(location = 4) in uvec4 joints_1;
layout(location = 5) in vec4 weights_1;
layout(location = 6) in vec4 columns_0;
layout(location = 7) in vec4 columns_1;
layout(location = 8) in vec4 columns_2;
layout(location = 9) in vec4 columns_3;

uniform int character_texels;

void deform_vertex(out vec3 deformed, out vec3 deformed_normal) {
    limber_vertex vertex;
    vertex.position = position;
    vertex.normal = normal;
    vertex.joints[0] = joints_0;
    vertex.weights[0] = weights_0;
#if LIMBER_INFLUENCES > 4
    vertex.joints[1] = joints_1;
    vertex.weights[1] = weights_1;
#endif
    vertex.columns[0] = columns_0;
#if LIMBER_COLUMN_VECTORS > 1
    vertex.columns[1] = columns_1;
#endif
#if LIMBER_COLUMN_VECTORS > 2
    vertex.columns[2] = columns_2;
#endif
#if LIMBER_COLUMN_VECTORS > 3
    vertex.columns[3] = columns_3;
#endif
    limber_deform(vertex, gl_InstanceID * character_texels, deformed, deformed_normal);
}
