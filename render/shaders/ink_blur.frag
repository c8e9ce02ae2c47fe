// The edges, blurred along rows; ink_line.frag does the columns.
out vec4 fragment;

const int KERNEL = 40; // as in ink.c

uniform sampler2D edges;
uniform float weights[KERNEL]; // of a Gaussian, from the middle outwards
uniform int radius;
uniform int coarse; // the mip level whose texels are at least as large as the radius

// Most of a picture is empty, and mip levels know it.
bool is_empty(ivec2 at) {
    ivec2 block = at >> coarse, last = textureSize(edges, coarse) - 1;
    vec3 found = vec3(0.0);
    for (int i = -1; i <= 1; i++)
        found += texelFetch(edges, clamp(block + ivec2(i, 0), ivec2(0), last), coarse).rgb;
    return found.b == 0.0;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    int last = textureSize(edges, 0).x - 1, reach = is_empty(at) ? 0 : radius;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < reach; i++) {
        vec3 left = texelFetch(edges, ivec2(max(at.x - 1 - i, 0), at.y), 0).rgb;
        vec3 right = texelFetch(edges, ivec2(min(at.x + i, last), at.y), 0).rgb;
        sum += weights[i] * (left + right);
    }
    fragment = vec4(sum, 1.0);
}
