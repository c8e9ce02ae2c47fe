// One triangle that covers the picture; no vertex buffer.
out vec2 position; // 0 ... 1, from the lower left corner

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 4.0 : 0.0, gl_VertexID == 2 ? 4.0 : 0.0) * 0.5;
    position = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
