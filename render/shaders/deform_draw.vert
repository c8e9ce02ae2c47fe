// Draws every vertex where it goes; a crowd's characters stand where they are put.
layout(location = 10) in vec4 place; // of a character: xyz, and its turn about y (rad)
layout(location = 11) in vec4 color; // of a vertex, linear

uniform mat4 clip_from_world;

out vec3 world_position;
out vec3 world_normal;
out vec3 base_color;

vec3 turn(vec3 v) {
    float c = cos(place.w), s = sin(place.w);
    return vec3(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

void main() {
    vec3 deformed, deformed_normal;
    deform_vertex(deformed, deformed_normal);
    world_position = turn(deformed) + place.xyz;
    world_normal = turn(deformed_normal);
    base_color = color.rgb;
    gl_Position = clip_from_world * vec4(world_position, 1.0);
}
