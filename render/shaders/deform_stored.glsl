// The vertex as the compute shader has left it, in place of deform_attributes.glsl.
layout(std430, binding = 3) readonly buffer deformed_buffer {
    float deformed_numbers[];
};

uniform int vertex_count;

vec3 stored_at(int at) {
    return vec3(deformed_numbers[at], deformed_numbers[at + 1], deformed_numbers[at + 2]);
}

void deform_vertex(out vec3 deformed, out vec3 deformed_normal) {
    int at = 6 * (gl_InstanceID * vertex_count + gl_VertexID);
    deformed = stored_at(at);
    deformed_normal = stored_at(at + 3);
}
