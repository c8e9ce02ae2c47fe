// Depth only: what the key light or the ground sees.
layout(location = 0) in vec3 world;

uniform vec4 stage; // origin, scale
uniform mat4 projection;

void main() {
    gl_Position = projection * vec4((world - stage.xyz) * stage.w, 1.0);
}
