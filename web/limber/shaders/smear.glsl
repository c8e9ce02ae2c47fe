// Live smears on a graphics card: what src/smear does, from textures that src/smear/smear_pack.c fills. Every pass writes
// texels; the last ones are positions and normals that limber's materials read.
//
// limber_smear_ring: vertices of the last frames, position and normal each; a place has limber_now_at(4).x texels.
// limber_smear_fixed: bones of vertices, vertices of bones, seeds of lines, columns of formulas.
// limber_smear_now: the head of a frame, then frames as mixes of places, shares of offsets, bones, constants of formulas:
//   0 t, frame, phase, oldest frame   1 L, last step, pose held for, max      2 copies: least speed, spacing, count, standard
//   3 lines: least speed, silhouette, standard length, count                  4 texels of a place, chunks, joints, texels of a vertex
//   5 first joint, chunk, seed, texels of a seed                              6 first mix, share, bone, constant    7 vertices, first spin (0: none)
vec4 limber_now_at(int i) {
    return texelFetch(limber_smear_now, ivec2(i & 1023, i >> 10), 0);
}

vec4 limber_fixed_at(int i) {
    return texelFetch(limber_smear_fixed, ivec2(i & 1023, i >> 10), 0);
}

// --- operations of formulas ---

float limber_op_bounded(float a) {
    return clamp(a, -1e30, 1e30);
}

float limber_op_copy(float a) {
    return a;
}

float limber_op_negate(float a) {
    return -a;
}

float limber_op_invert(float a) {
    return a == 0.0 ? 1.0 : 0.0;
}

float limber_op_absolute(float a) {
    return abs(a);
}

float limber_op_root(float a) {
    return sqrt(max(a, 0.0));
}

float limber_op_down(float a) {
    return floor(a);
}

float limber_op_fraction(float a) {
    return min(a - floor(a), 0.99999994);
}

float limber_op_square(float a) {
    return limber_op_bounded(a * a);
}

float limber_op_cube(float a) {
    return limber_op_bounded(a * a * a);
}

float limber_op_add(float a, float b) {
    return limber_op_bounded(a + b);
}

float limber_op_subtract(float a, float b) {
    return limber_op_bounded(a - b);
}

float limber_op_multiply(float a, float b) {
    return limber_op_bounded(a * b);
}

float limber_op_divide(float a, float b) {
    return b != 0.0 ? limber_op_bounded(a / b) : 0.0;
}

float limber_op_least(float a, float b) {
    return min(a, b);
}

float limber_op_greatest(float a, float b) {
    return max(a, b);
}

float limber_op_less(float a, float b) {
    return a < b ? 1.0 : 0.0;
}

float limber_op_less_equal(float a, float b) {
    return a <= b ? 1.0 : 0.0;
}

float limber_op_same(float a, float b) {
    return a == b ? 1.0 : 0.0;
}

float limber_op_other(float a, float b) {
    return a != b ? 1.0 : 0.0;
}

float limber_op_both(float a, float b) {
    return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
}

float limber_op_either(float a, float b) {
    return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
}

float limber_op_choose(float which, float a, float b) {
    return which != 0.0 ? a : b;
}

float limber_op_blend(float a, float b, float t) {
    return limber_op_bounded(t < 0.5 ? a + (b - a) * t : b - (b - a) * (1.0 - t));
}

float limber_op_ramp(float start, float slope, float x) {
    float t = clamp((x - start) * slope, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

float limber_op_smooth(float start, float end, float x) {
    float span = end - start;
    return limber_op_ramp(start, span != 0.0 ? limber_op_bounded(1.0 / span) : 1e30, x);
}

// The formulas of a style stand here. `columns`: texels of what stays.
//FORMULAS

// --- paths ---

// Frame -k of a vertex: its position (0) or normal (1).
vec3 limber_seen(int k, int u, int which) {
    vec4 mixed = limber_now_at(int(limber_now_at(6).x) + clamp(k, 0, int(limber_now_at(0).w)));
    int room = int(limber_now_at(4).x), a = int(mixed.x) * room + 2 * u + which, b = int(mixed.y) * room + 2 * u + which;
    vec3 from = texelFetch(limber_smear_ring, ivec2(a & 1023, a >> 10), 0).xyz;
    vec3 to = texelFetch(limber_smear_ring, ivec2(b & 1023, b >> 10), 0).xyz;
    return from + (to - from) * mixed.z;
}

// The position without the spin of joints that have it ignored, as src/smear/motion.c.
vec3 limber_filtered(int k, int u) {
    int frame = clamp(k, 0, int(limber_now_at(0).w)), spins = int(limber_now_at(7).y);
    vec3 p = limber_seen(frame, u, 0), moved = p;
    if (spins == 0 || frame == 0)
        return p;
    vec4 vertex = limber_fixed_at(u * int(limber_now_at(4).w));
    for (int i = 0; i < int(vertex.w); i++) {
        vec4 bone = limber_fixed_at(int(vertex.z) + i);
        int row = spins + 2 * (frame * int(limber_now_at(4).z) + int(bone.x));
        vec4 back = limber_now_at(row), center = limber_now_at(row + 1);
        vec3 arm = p - center.xyz;
        moved += center.w * bone.y * 2.0 * cross(back.xyz, cross(back.xyz, arm) + back.w * arm);
    }
    return moved;
}

// Uniform Catmull-Rom, as src/smear/path.c.
vec3 limber_path(int u, float amount) {
    float whole = floor(amount), t = amount - whole, half_t = 0.5 * t;
    int n = -int(whole);
    vec3 p0 = limber_filtered(n + 1, u), p1 = limber_filtered(n, u);
    vec3 p2 = limber_filtered(n - 1, u), p3 = limber_filtered(n - 2, u);
    return p1 + (half_t * (1.0 + t * (t - 2.0)) * (p1 - p0) + half_t * (1.0 + t * (3.0 - 2.0 * t)) * (p2 - p1) +
                 half_t * t * (t - 1.0) * (p3 - p2));
}

vec3 limber_unit(vec3 v) {
    float size = length(v);
    return size > 0.0 ? v / size : vec3(0.0);
}

// --- motion offsets, as src/smear/offsets.c ---

int limber_bone_row(int k, int joint) {
    return int(limber_now_at(6).z) + 5 * (k * int(limber_now_at(4).z) + joint);
}

float limber_sine_of(float a) {
    float s = a * a;
    return a * (1.0 + s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0 + s * (1.0 / 362880.0 - s * (1.0 / 39916800.0))))));
}

float limber_cosine_of(float a) {
    float s = a * a;
    return 1.0 + s * (-1.0 / 2.0 + s * (1.0 / 24.0 + s * (-1.0 / 720.0 + s * (1.0 / 40320.0 + s * (-1.0 / 3628800.0 + s * (1.0 / 479001600.0))))));
}

// Along the bone, distance from the ribbon, and the same times its weight.
vec3 limber_measured(int row, vec3 place) {
    vec4 head = limber_now_at(row), along = limber_now_at(row + 2), a = limber_now_at(row + 3), b = limber_now_at(row + 4);
    vec3 p = place - limber_now_at(row + 1).xyz;
    if (head.x == 0.0)
        return vec3(0.0);
    if (head.x == 1.0)
        return vec3(0.0, dot(p, a.xyz), dot(p, a.xyz));
    float t = clamp(dot(p, along.xyz), 0.0, 1.0), u = t * t * (3.0 - 2.0 * t);
    if (head.x == 2.0) {
        float turned = (u - 0.5) * head.y, c = limber_cosine_of(turned), s = limber_sine_of(turned);
        float raw = c * dot(p, a.xyz) + s * dot(p, b.xyz);
        float size = sqrt(max(c * c * along.w + 2.0 * c * s * a.w + s * s * b.w, 1e-12));
        return vec3(u, raw / size, raw * size);
    }
    float back = 1.0 - u, raw = back * dot(p, a.xyz) + u * dot(p, b.xyz);
    float whole = back * back + u * u + 2.0 * back * u * head.z;
    float across = back * back * along.w + 2.0 * back * u * a.w + u * u * b.w;
    if (whole > 1e-12 && across > 1e-12)
        return vec3(u, raw / sqrt(across), raw * sqrt(across / whole));
    return vec3(u, 0.0, 0.0);
}

// The largest distance of 64 vertices of a bone.
vec4 limber_pass_chunk(int index, int instance) {
    vec4 chunk = limber_fixed_at(int(limber_now_at(5).y) + index);
    int row = limber_bone_row(instance, int(chunk.x)), list = int(chunk.y), count = int(chunk.z);
    float most = 0.0;
    if (limber_now_at(row).x == 0.0)
        return vec4(0.0);
    for (int i = 0; i < 64; i++) {
        if (i >= count)
            break;
        vec4 four = limber_fixed_at(list + (i >> 2));
        vec2 two = (i & 2) == 0 ? four.xy : four.zw;
        int u = int((i & 1) == 0 ? two.x : two.y);
        most = max(most, abs(limber_measured(row, limber_seen(instance, u, 0)).y));
    }
    return vec4(most, 0.0, 0.0, 1.0);
}

float limber_own(int k, int joint) {
    vec4 row = limber_fixed_at(int(limber_now_at(5).x) + 2 * joint);
    int first = k * int(limber_now_at(4).y) + int(row.y), count = int(row.z);
    float most = 0.0;
    for (int i = 0; i < count; i++)
        most = max(most, texelFetch(limber_smear_chunks, ivec2((first + i) & 1023, (first + i) >> 10), 0).x);
    return most;
}

float limber_family(int k, int joint) {
    vec4 row = limber_fixed_at(int(limber_now_at(5).x) + 2 * joint + 1);
    float most = limber_own(k, joint);
    for (int i = 0; i < int(row.y); i++)
        most = max(most, limber_own(k, int(limber_fixed_at(int(row.x) + i).x)));
    return most;
}

// The largest offsets around root and tip of a bone.
vec4 limber_pass_size(int index, int instance) {
    int parent = int(limber_fixed_at(int(limber_now_at(5).x) + 2 * index).x);
    float own = limber_own(instance, index);
    if (limber_now_at(limber_bone_row(instance, index)).x == 1.0)
        return vec4(own, own, 0.0, 1.0);
    return vec4(parent < 0 ? own : limber_family(instance, parent), limber_family(instance, index), 0.0, 1.0);
}

float limber_offset_at(int k, int u) {
    vec4 vertex = limber_fixed_at(u * int(limber_now_at(4).w));
    vec3 place = limber_seen(k, u, 0);
    float sum = 0.0, least = 1e-5 * limber_now_at(1).x;
    int joints = k * int(limber_now_at(4).z);
    for (int i = 0; i < int(vertex.w); i++) {
        vec4 bone = limber_fixed_at(int(vertex.z) + i);
        int joint = int(bone.x), at = joints + joint;
        vec3 got = limber_measured(limber_bone_row(k, joint), place);
        vec4 size = texelFetch(limber_smear_sizes, ivec2(at & 1023, at >> 10), 0);
        sum += bone.y * got.z / max(size.x + got.x * (size.y - size.x), least);
    }
    return clamp(sum, -1.0, 1.0);
}

// --- elongation ---

float limber_amount(int u, float offset, float speed) {
    int row = u * int(limber_now_at(4).w);
    vec4 vertex = limber_fixed_at(row), set = limber_now_at(1);
    float amount = limber_formula_amount(offset, speed, 0.0, 0.0, row + 1);
    float x = amount > 0.0 ? 0.0 : amount * limber_formula_past(offset, speed, 0.0, 0.0, row + 1) * set.z;
    if (vertex.x >= 0.0) {
        float limit = set.w * vertex.x, way = x * speed;
        x = limit > 0.0 ? x / sqrt(1.0 + way * way / (limit * limit)) : 0.0;
    }
    return clamp(x * vertex.y, -32.0, 32.0);
}

// Instance 0: where a vertex goes, and its offset. Instance 1: its normal, and its speed.
vec4 limber_pass_move(int index, int instance) {
    vec3 way = limber_seen(0, index, 0) - limber_filtered(1, index);
    float speed = limber_now_at(1).x > 0.0 ? length(way) / limber_now_at(1).x : 0.0;
    if (instance == 1)
        return vec4(limber_unit(limber_seen(0, index, 1)), speed);
    float offset = 0.0;
    for (int k = 0; k <= int(limber_now_at(1).y); k++)
        offset += limber_now_at(int(limber_now_at(6).y) + k).x * limber_offset_at(k, index);
    return vec4(limber_path(index, limber_amount(index, offset, speed)), offset);
}

vec2 limber_offset_and_speed(int u) {
    int at = 2 * u;
    return vec2(texelFetch(limber_smear_moved, ivec2(at & 1023, at >> 10), 0).w,
                texelFetch(limber_smear_moved, ivec2((at + 1) & 1023, at >> 10), 0).w);
}

// --- copies, as src/smear/multiples.c ---

float limber_copy_opacity(int u, float number) {
    vec4 set = limber_now_at(2);
    int row = u * int(limber_now_at(4).w);
    vec2 moving = limber_offset_and_speed(u);
    float opacity = 0.0, begin = (-number - 1.0) / set.z;
    if (set.w == 0.0)
        opacity = limber_formula_opacity(moving.x, moving.y, number, set.z, row + 1);
    else if (moving.x < 0.0) {
        float t = clamp((-moving.x - begin) / (1.0 - begin), 0.0, 1.0);
        opacity = t * t * (3.0 - 2.0 * t);
    }
    vec4 vertex = limber_fixed_at(row);
    return moving.y >= set.x ? clamp(opacity, 0.0, 1.0) * vertex.y * 2.0 * fract(vertex.w) : 0.0;
}

// Even instances: the position of a copy, and its opacity. Odd ones: its normal.
vec4 limber_pass_copy(int index, int instance) {
    float number = float(instance >> 1) - limber_now_at(2).z, amount = number * limber_now_at(2).y;
    if ((instance & 1) == 0)
        return vec4(limber_path(index, amount), limber_copy_opacity(index, number));
    int n = -int(floor(amount));
    vec3 a = limber_seen(n, index, 1), b = limber_seen(n - 1, index, 1);
    vec3 normal = limber_unit(mix(a, b, amount - floor(amount)));
    return vec4(dot(normal, normal) > 0.5 ? normal : a, 1.0);
}

// --- lines, as src/smear/lines.c ---

int limber_seed_row(int line) {
    return int(limber_now_at(5).z) + line * int(limber_now_at(5).w);
}

float limber_eased(float x) {
    float t = clamp(x, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

vec3 limber_seed_seen(int k, ivec3 corners, vec3 parts) {
    return parts.x * limber_filtered(k, corners.x) + parts.y * limber_filtered(k, corners.y) +
           parts.z * limber_filtered(k, corners.z);
}

float limber_silhouette(ivec3 corners, vec3 parts) {
    vec3 a = limber_seen(0, corners.x, 0), b = limber_seen(0, corners.y, 0), c = limber_seen(0, corners.z, 0);
    vec3 way = limber_seed_seen(0, corners, parts) - limber_seed_seen(1, corners, parts);
    float facing = dot(limber_unit(cross(b - a, c - a)), limber_unit(way));
    return limber_eased((facing + 0.8) / 0.3) * (1.0 - limber_eased((facing - 0.05) / 0.25));
}

float limber_radius_at(int row, int ring, float dry, float taper, float point) {
    vec4 four = limber_fixed_at(row + 3 + (ring >> 2));
    vec2 two = (ring & 2) == 0 ? four.xy : four.zw;
    float ink = (ring & 1) == 0 ? two.x : two.y, t = float(ring) / 12.0, start = clamp(1.0 - 4.0 * t, 0.0, 1.0);
    float left = dry > 0.0 ? limber_eased((ink - 1.3 * dry) / 0.3 + 1.0) : 1.0;
    return (1.0 - taper * t) * (1.0 - point * start) * left;
}

// 16 texels per line: the middles of 13 rings with their radius, then opacity, fade, and whether it is to be seen.
vec4 limber_pass_point(int index, int instance) {
    int row = limber_seed_row(index >> 4), ring = index & 15, columns = row + 7;
    vec4 seed = limber_fixed_at(row), set = limber_now_at(3);
    vec3 parts = limber_fixed_at(row + 1).xyz;
    ivec3 corners = ivec3(seed.xyz);
    vec2 moving = parts.x * limber_offset_and_speed(corners.x) + parts.y * limber_offset_and_speed(corners.y) +
                  parts.z * limber_offset_and_speed(corners.z);
    float o = moving.x, v = moving.y, held = limber_now_at(1).z;
    float span = (set.z == 1.0 ? 8.0 * o : limber_formula_length(o, v, 0.0, 0.0, columns)) * held * seed.w;
    float gap = abs(limber_formula_gap(o, v, 0.0, 0.0, columns)) * held;
    float opacity = clamp(limber_formula_ink(o, v, 0.0, 0.0, columns), 0.0, 1.0);
    float radius = limber_formula_radius(o, v, 0.0, 0.0, columns) * limber_now_at(1).x;
    if (set.y == 1.0)
        radius *= limber_silhouette(corners, parts);
    float start = clamp(-gap, -32.0, 32.0), end = clamp(start + span, -32.0, 32.0), shown = 1.0;
    if (!(v >= set.x) || !(span < -1e-4 && opacity > 0.0 && radius > 0.0)) {
        start = 0.0;
        end = 0.0;
        shown = 0.0;
        opacity = 0.0;
        radius = 0.0;
    }
    if (ring == 13)
        return vec4(opacity, shown * clamp(limber_formula_fade(o, v, 0.0, 0.0, columns), 0.0, 1.0), shown, 1.0);
    float amount = start + (end - start) * float(min(ring, 12)) / 12.0;
    vec3 middle = parts.x * limber_path(corners.x, amount) + parts.y * limber_path(corners.y, amount) + parts.z * limber_path(corners.z, amount);
    float dry = clamp(limber_formula_dry(o, v, 0.0, 0.0, columns), 0.0, 1.0);
    float taper = clamp(limber_formula_taper(o, v, 0.0, 0.0, columns), 0.0, 1.0);
    float point = clamp(limber_formula_point(o, v, 0.0, 0.0, columns), 0.0, 1.0);
    return vec4(middle, radius * limber_radius_at(row, min(ring, 12), dry, taper, point));
}

vec4 limber_ring(int line, int ring) {
    int at = 16 * line + ring;
    return texelFetch(limber_smear_points, ivec2(at & 1023, at >> 10), 0);
}

vec3 limber_across(vec3 direction) {
    return limber_unit(cross(direction, abs(direction.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
}

vec3 limber_tangent(int line, int ring, vec3 before) {
    vec3 t = limber_unit(limber_ring(line, min(ring + 1, 12)).xyz - limber_ring(line, max(ring - 1, 0)).xyz);
    return dot(t, t) > 0.5 ? t : before;
}

// 128 per line, of which 80 are vertices of a tube: 13 rings of 6, then the middles of the ends. Instance 0: position and
// opacity; 1: normal.
vec4 limber_pass_tube(int index, int instance) {
    int line = index >> 7, vertex = index & 127;
    int ring = vertex == 78 ? 0 : 12, side = 0;
    for (int r = 0; r < 13; r++)
        if (vertex >= 6 * r && vertex < 6 * r + 6) {
            ring = r;
            side = vertex - 6 * r;
        }
    vec3 t = limber_tangent(line, 0, limber_ring(line, 12).xyz - limber_ring(line, 0).xyz);
    t = dot(t, t) > 0.0 ? limber_unit(t) : vec3(0.0, 1.0, 0.0);
    vec3 u = limber_across(t), first = t;
    for (int r = 0; r < 13; r++) {
        if (r > ring)
            break;
        t = limber_tangent(line, r, t);
        u = limber_unit(u - t * dot(u, t));
        if (!(dot(u, u) > 0.5))
            u = limber_across(t);
    }
    float c = side == 0 ? 1.0 : side == 3 ? -1.0 : side == 1 || side == 5 ? 0.5 : -0.5;
    float s = side == 0 || side == 3 ? 0.0 : side < 3 ? 0.8660254 : -0.8660254;
    vec3 out_normal = u * c + cross(t, u) * s;
    vec4 middle = limber_ring(line, ring), seen = limber_ring(line, 13);
    bool end = vertex >= 78;
    if (instance == 1)
        return vec4(vertex == 78 ? -first : end ? t : out_normal, 1.0);
    return vec4(end ? middle.xyz : middle.xyz + out_normal * middle.w, seen.x * (1.0 - seen.y * float(ring) / 12.0));
}

// --- where the texels of a pass go; -1: nowhere ---

int limber_put_chunk(int index, int instance) {
    return instance * int(limber_now_at(4).y) + index;
}

int limber_put_size(int index, int instance) {
    return instance * int(limber_now_at(4).z) + index;
}

int limber_put_move(int index, int instance) {
    return 2 * index + instance;
}

int limber_put_copy(int index, int instance) {
    return 2 * ((instance >> 1) * int(limber_now_at(7).x) + index) + (instance & 1);
}

int limber_put_point(int index, int instance) {
    return index;
}

int limber_put_tube(int index, int instance) {
    return (index & 127) < 80 ? 2 * (80 * (index >> 7) + (index & 127)) + instance : -1;
}
