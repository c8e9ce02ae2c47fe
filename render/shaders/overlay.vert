layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
layout(location = 3) in float hidden;

out vec3 place; // stage
out vec3 surface_normal;
out vec4 surface_color;

uniform vec4 stage; // origin, scale
uniform mat4 projection;
uniform bool through; // the character

void main() {
    place = (world - stage.xyz) * stage.w;
    surface_normal = normal;
    surface_color = vec4(color.rgb, color.a * (through ? hidden : 1.0));
    gl_Position = projection * vec4(place, 1.0);
}
