in vec2 position;

out vec4 color;

void main() {
    float inside = max(1.0 - dot(position, position), 0.0);
    color = vec4(0.0, 0.02, 0.03, 0.75 * smoothstep(0.0, 0.9, inside));
}
