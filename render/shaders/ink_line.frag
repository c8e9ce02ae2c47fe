// The pen. A line of edge pixels, blurred with a Gaussian, has a profile that tells how far away its middle is, to a
// fraction of a pixel: the stairs of single pixels average out, ends run out thinner and single specks vanish.
out vec4 fragment;

const int KERNEL = 40; // as in ink.c

uniform sampler2D blurred;
uniform sampler2D edges;
uniform float weights[KERNEL];
uniform float sigma; // drawn pixels
uniform int radius;
uniform int coarse;
uniform int rows_below;   // texels of the map under the target's first row
uniform vec3 half_widths; // of the three kinds of lines, drawn pixels
uniform vec3 color;       // linear

bool is_empty(ivec2 at) {
    ivec2 block = at >> coarse, last = textureSize(edges, coarse) - 1;
    float found = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            found += texelFetch(edges, clamp(block + ivec2(x, y), ivec2(0), last), coarse).b;
    return found == 0.0;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) + ivec2(0, rows_below);
    int last = textureSize(blurred, 0).y - 1, reach = is_empty(at) ? 0 : radius;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < reach; i++) {
        vec3 below = texelFetch(blurred, ivec2(at.x, max(at.y - 1 - i, 0)), 0).rgb;
        vec3 above = texelFetch(blurred, ivec2(at.x, min(at.y + i, last)), 0).rgb;
        sum += weights[i] * (below + above);
    }
    // A straight line through the pixel itself would give 1.
    vec3 level = clamp(sum * sigma * 2.5066283, 1e-4, 1.0);
    vec3 away = sigma * sqrt(-2.0 * log(level));
    vec3 cover = clamp(half_widths - away + 0.5, 0.0, 1.0) * min(half_widths * 2.0, vec3(1.0));
    float ink = max(cover.r, max(cover.g, cover.b));
    if (ink <= 0.0)
        discard;
    fragment = vec4(color * ink, ink);
}
