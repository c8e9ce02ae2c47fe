// Depth only: what the key light or the ground sees.
invariant gl_Position; // the same as scene.vert's

layout(location = 0) in vec3 world;

uniform vec4 stage; // origin, scale
uniform mat4 projection;

void main() {
    vec3 place = (world - stage.xyz) * stage.w;
    gl_Position = projection * vec4(place, 1.0);
}
