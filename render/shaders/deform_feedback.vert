// Where every vertex goes, for transform feedback.
out vec3 deformed_position;
out vec3 deformed_normal;

void main() {
    deform_vertex(deformed_position, deformed_normal);
    gl_Position = vec4(0.0);
}
