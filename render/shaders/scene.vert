invariant gl_Position; // the depth of depth.vert

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 color;

out vec3 place; // stage
out vec3 surface_normal;
out vec2 surface_uv;
out vec4 surface_color;

uniform vec4 stage; // origin, scale
uniform mat4 projection;
uniform float texture_shift; // along u

void main() {
    place = (world - stage.xyz) * stage.w;
    surface_normal = normal;
    surface_uv = uv + vec2(texture_shift, 0.0);
    surface_color = color;
    gl_Position = projection * vec4(place, 1.0);
}
