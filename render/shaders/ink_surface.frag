// What the ink looks at, one texel per drawn pixel: depth with its slope, normal, and which part of the model it is.
in vec3 place;
in vec3 surface_normal;
in vec2 surface_uv;
in vec4 surface_color;
layout(location = 0) out highp uvec4 fragment;

uniform vec4 eye; // w 0: a direction
uniform int part; // never 0, which is the background
uniform bool cut_out;
uniform float base_alpha;
uniform sampler2D base_texture;

const float SLOPE_SCALE = 4096.0; // halves have few digits below 1e-4

vec3 facing_normal(vec3 to_eye) {
    vec3 facet = cross(dFdx(place), dFdy(place));
    facet = dot(facet, facet) > 0.0 ? normalize(facet) : to_eye;
    facet = dot(facet, to_eye) < 0.0 ? -facet : facet;
    float size = length(surface_normal);
    vec3 n = size < 1e-6 ? facet : surface_normal / size;
    return dot(n, facet) < 0.0 ? -n : n;
}

void main() {
    float depth = gl_FragCoord.z;
    vec2 slope = clamp(vec2(dFdx(depth), dFdy(depth)) * SLOPE_SCALE, -60000.0, 60000.0);
    float alpha = base_alpha * surface_color.a * (cut_out ? texture(base_texture, surface_uv).a : 1.0);
    vec3 n = facing_normal(normalize(eye.xyz - place * eye.w));
    if (alpha < 0.5)
        discard;
    uvec3 bytes = uvec3(clamp(n * 127.5 + 127.5, 0.0, 255.0));
    fragment = uvec4(floatBitsToUint(depth), packHalf2x16(slope), bytes.x | bytes.y << 8u | bytes.z << 16u, uint(part));
}
