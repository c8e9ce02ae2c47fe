// Averaged normals, the second pass after deform_compute.comp: each skinned normal turns as the triangles around its
// vertex did, from the skinned surface to the deformed one (src/deform/normals/average.c).
layout(local_size_x = 128) in;

layout(std430, binding = 3) writeonly buffer deformed_buffer {
    float deformed[]; // positions and normals
};
layout(std430, binding = 4) readonly buffer surfaces_buffer {
    vec4 surfaces[]; // all deformed, then all skinned positions; the skinned normal, folded, is in their w
};
layout(std430, binding = 5) readonly buffer ring_buffer {
    uint rings[]; // limber_pack_rings
};

uniform int vertex_count, first_character, skinned_first;

struct points {
    vec3 before, after;
};

points point(int at) {
    return points(surfaces[skinned_first + at].xyz, surfaces[at].xyz);
}

// Twice the area of a quad along its normal is the product of its diagonals.
void add_quad(points a, points b, points c, points d, inout points sum) {
    sum.before += cross(c.before - a.before, d.before - b.before);
    sum.after += cross(c.after - a.after, d.after - b.after);
}

points neighbour(int at, uint word, int side) {
    return point(at + bitfieldExtract(int(word), 16 * side, 16));
}

points sum_fan(uvec4 words, int at) {
    points a = neighbour(at, words.x, 0), d = neighbour(at, words.y, 1), f = neighbour(at, words.z, 1);
    points sum = points(vec3(0.0), vec3(0.0));
    add_quad(a, neighbour(at, words.x, 1), neighbour(at, words.y, 0), d, sum);
    add_quad(a, d, neighbour(at, words.z, 0), f, sum);
    add_quad(a, f, neighbour(at, words.w, 0), neighbour(at, words.w, 1), sum);
    return sum;
}

points sum_list(uint at, uint end, int first) {
    points sum = points(vec3(0.0), vec3(0.0)), a = sum, b = sum;
    for (; at < end; at++) {
        points c = point(first + int(rings[at] >> 1));
        if ((rings[at] & 1u) != 0u) {
            a = c;
            c = point(first + int(rings[++at] >> 1));
        } else {
            add_quad(a, b, b, c, sum);
        }
        b = c;
    }
    return sum;
}

vec3 unfold(vec2 folded) {
    if (folded.x > 1.5) // there was none
        return vec3(0.0);
    float up = 1.0 - abs(folded.x) - abs(folded.y), back = max(-up, 0.0);
    return normalize(vec3(folded.x + (folded.x < 0.0 ? back : -back), folded.y + (folded.y < 0.0 ? back : -back), up));
}

// The shortest rotation from a to b.
vec3 turned(vec3 a, vec3 b, vec3 n) {
    float aa = dot(a, a), bb = dot(b, b), lengths = sqrt(aa) * sqrt(bb), ab = dot(a, b);
    if (!(lengths > 1e-36 && lengths < 1e36) || a == b)
        return n;
    float inverse = 1.0 / lengths, share = 1.0 / max(lengths + ab, 1e-3 * lengths);
    float an = dot(a, n) * share, bn = dot(b, n) * share;
    return n + (an * (2.0 * ab * inverse + 1.0) - bn * aa * inverse) * b - (an * bb * inverse + bn) * a;
}

void put(int at, vec3 v) {
    deformed[at] = v.x;
    deformed[at + 1] = v.y;
    deformed[at + 2] = v.z;
}

void main() {
    int index = int(gl_GlobalInvocationID.x), first = int(gl_WorkGroupID.y) * vertex_count, at = first + index;
    if (index >= vertex_count)
        return;
    uvec4 words = uvec4(rings[4 * index], rings[4 * index + 1], rings[4 * index + 2], rings[4 * index + 3]);
    points sum = words.x != 0u ? sum_fan(words, at) : sum_list(words.y, words.z, first);
    vec4 after = surfaces[at];
    vec3 normal = turned(sum.before, sum.after, unfold(vec2(after.w, surfaces[skinned_first + at].w)));
    int to = 6 * (first_character * vertex_count + at);
    put(to, after.xyz);
    put(to + 3, normal);
}
