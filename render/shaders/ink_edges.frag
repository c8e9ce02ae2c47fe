// Where one surface ends in the picture and another begins: Roberts' cross over each 2x2 block, which gives a line the
// same weight per length whatever its direction. Red: the outline against the background; green: that and steps in
// depth; blue: all that and creases and borders of materials. A texel stands for its upper right corner.
out vec4 fragment;

uniform highp usampler2D surface;
uniform float nearest_gap; // stage units: steps in depth below it are no line
uniform vec3 depth_range;  // near, far, 1: perspective

const float SLOPE_SCALE = 4096.0;
const float CREASE = 0.72; // cosine of the angle between normals, about 44 degrees
const float SMOOTH = 0.93; // normals that belong to one rounded surface

// Device depth per stage unit at this depth.
float gap_scale(float depth) {
    float span = depth_range.y - depth_range.x;
    if (depth_range.z == 0.0)
        return 1.0 / span;
    float distance_away = depth_range.x * depth_range.y / max(depth_range.y - depth * span, 1e-6);
    return depth_range.x * depth_range.y / (span * distance_away * distance_away);
}

vec3 normal_of(uvec4 t) {
    return vec3(t.z & 255u, t.z >> 8u & 255u, t.z >> 16u & 255u) / 127.5 - 1.0;
}

// How far b lies off the plane of a, or a off that of b, whichever is less: surfaces seen at a grazing angle are steep
// but have no step.
float gap(uvec4 a, uvec4 b, vec2 way) {
    float za = uintBitsToFloat(a.x), zb = uintBitsToFloat(b.x);
    float off_a = abs(zb - za - dot(unpackHalf2x16(a.y), way) / SLOPE_SCALE);
    float off_b = abs(za - zb + dot(unpackHalf2x16(b.y), way) / SLOPE_SCALE);
    return min(off_a, off_b) / gap_scale(min(za, zb));
}

// A crease is a step between two smooth sides; where normals change from pixel to pixel something round is just small.
bool is_crease(uvec4 a, uvec4 b, uvec4 before_a, uvec4 after_b) {
    vec3 na = normal_of(a), nb = normal_of(b);
    return dot(na, nb) < CREASE && dot(na, normal_of(before_a)) > SMOOTH && dot(nb, normal_of(after_b)) > SMOOTH;
}

uvec4 texel(ivec2 at) {
    return texelFetch(surface, clamp(at, ivec2(0), textureSize(surface, 0) - 1), 0);
}

// Weights of the line between two pixels that touch at a corner.
vec3 line_between(ivec2 at, ivec2 to) {
    uvec4 a = texel(at), b = texel(to);
    if (a.w == b.w && a.w == 0u)
        return vec3(0.0);
    if (a.w == 0u || b.w == 0u)
        return vec3(1.0);
    if (gap(a, b, vec2(to - at)) > nearest_gap)
        return vec3(0.0, 1.0, 1.0);
    if (a.w != b.w)
        return vec3(0.0, 0.0, 1.0);
    ivec2 way = to - at;
    bool crease = is_crease(a, b, texel(at - way), texel(to + way));
    return vec3(0.0, 0.0, crease ? 1.0 : 0.0);
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 p = line_between(at, at + ivec2(1, 1));
    vec3 q = line_between(at + ivec2(1, 0), at + ivec2(0, 1));
    fragment = vec4(sqrt((p * p + q * q) * 0.5), 1.0);
}
