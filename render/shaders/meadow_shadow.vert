// A soft ellipse on the ground below each character.
layout(location = 0) in vec4 place; // xyz, and its turn about y (rad)

uniform mat4 clip_from_world;
uniform vec2 radius; // across, along

out vec2 position;

void main() {
    position = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 at = position * radius;
    float c = cos(place.w), s = sin(place.w);
    vec3 world = place.xyz + vec3(c * at.x + s * at.y, 0.01, c * at.y - s * at.x);
    gl_Position = clip_from_world * vec4(world, 1.0);
}
