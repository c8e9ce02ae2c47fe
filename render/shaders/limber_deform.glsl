// Skinning and the cartoon effects in one function, for GLSL ES 3.00 as WebGL2 has it. docs/shader.md explains the
// texture and the attributes; src/deform has the formulas one by one, which are the reference.
//
// This text has no #version and no main. A shader puts the defines below before it, includes it, fills a limber_vertex
// from its attributes and calls
//
//     vec3 position, normal;
//     limber_deform(vertex, first_texel_of_the_character, position, normal);   // world space
//
// or limber_skin and limber_displace one after the other, where something stands between the two.

// What the style needs is fixed when the shader is compiled, so that nothing else costs anything; the defaults are
// plain linear skinning. With LIMBER_DYNAMIC it comes from a uniform instead: a little slower, but one program shows
// any style.
#ifdef LIMBER_DYNAMIC
uniform highp int limber_settings[32]; // limberi_pack_settings writes them
#define LIMBER_SKINNING limber_settings[0]
#define LIMBER_KINDS limber_settings[1]
#define LIMBER_FOLDS limber_settings[2]
#define LIMBER_SOURCES limber_settings[3]
#define LIMBER_SOURCES_OWN limber_settings[4]
#define LIMBER_QUADRATIC limber_settings[5]
#define LIMBER_LIMITS limber_settings[6]
#define LIMBER_LIFT_MESH limber_settings[7]
#define LIMBER_MAX_SQUASH limber_settings[8]
#define LIMBER_CHAIN limber_settings[9]
#define LIMBER_RIGID limber_settings[10]
#define LIMBER_GROUND limber_settings[11]
#define LIMBER_CONTACT limber_settings[12]
#define LIMBER_COLLIDERS limber_settings[13]
#define LIMBER_LIFT_NORMAL limber_settings[14]
#define LIMBER_COLUMN_OF(number) limber_settings[15 + (number)]
#endif
#ifndef LIMBER_SKINNING
#define LIMBER_SKINNING 0 // 0: linear, 1: dual quaternions
#endif
#ifndef LIMBER_INFLUENCES
#define LIMBER_INFLUENCES 4 // 4 or 8 joints per vertex
#endif
#ifndef LIMBER_NORMALS
#define LIMBER_NORMALS 1 // 0: normals are skinned, but do not follow the effects
#endif
#ifndef LIMBER_KINDS
#define LIMBER_KINDS 0 // what joints do one by one: bit flags, LIMBER_TURN and the others
#endif
#ifndef LIMBER_FOLDS
#define LIMBER_FOLDS 0 // what is summed along the hierarchy beforehand: LIMBER_FOLD_MATRIX and the others
#endif
#ifndef LIMBER_SOURCES
#define LIMBER_SOURCES 0 // what drives lift: bit 0 floppy, squash, drag, followthrough, stretch; 0: plain stretch
#endif
#ifndef LIMBER_SOURCES_OWN
#define LIMBER_SOURCES_OWN 0 // those of them that are scaled by their own columns
#endif
#ifndef LIMBER_QUADRATIC
#define LIMBER_QUADRATIC 0 // the profile of stretch
#endif
#ifndef LIMBER_LIMITS
#define LIMBER_LIMITS 0 // 1: some bend has a limit
#endif
#ifndef LIMBER_MAX_SQUASH
#define LIMBER_MAX_SQUASH 0 // 1: squash may have a max
#endif
#ifndef LIMBER_CHAIN
#define LIMBER_CHAIN 0 // 1: joints displace one after another, from the leaves to the root
#endif
#ifndef LIMBER_RIGID
#define LIMBER_RIGID -1 // the column of a vertex's rigid part, before that of how much it belongs to it; -1: none
#endif
#ifndef LIMBER_GROUND
#define LIMBER_GROUND 0 // 1: contacts or impacts
#endif
#ifndef LIMBER_CONTACT
#define LIMBER_CONTACT -1 // the column of how much contacts count at a vertex; -1: everywhere
#endif
#ifndef LIMBER_COLLIDERS
#define LIMBER_COLLIDERS -1 // the first of two columns that say where a vertex's row in limber_obeyed starts; -1: none
#endif
#ifndef LIMBER_LIFT_MESH
#define LIMBER_LIFT_MESH 0 // 1: lift along the skinned normals instead of a cone's
#endif
#ifndef LIMBER_LIFT_NORMAL
#define LIMBER_LIFT_NORMAL -1 // the first of four columns with the normal in mesh space that lift takes; -1: the vertex's own
#endif
#ifndef LIMBER_COLUMN_VECTORS
#define LIMBER_COLUMN_VECTORS 1 // vec4s of per-vertex values
#endif
#ifndef LIMBER_COLUMNS // the column of each number, -1: none; see limber_scale
#define LIMBER_COLUMNS -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
#endif

#define LIMBER_TURN 1          // floppy and angular squash
#define LIMBER_TURN_TWICE 2    // one after the other: their motions are not filtered alike
#define LIMBER_SLOWING 4       // drag and followthrough
#define LIMBER_SLOWING_TWICE 8 // likewise
#define LIMBER_TRAVEL 16
#define LIMBER_SPIN 32
#define LIMBER_LIFT 64
#define LIMBER_OVERLAP 128
#define LIMBER_JOINT_KINDS 255 // all of these
#define LIMBER_HOSE 256        // limbs are bent before anything else

#define LIMBER_FOLD_MATRIX 1
#define LIMBER_FOLD_FLOPPY 2
#define LIMBER_FOLD_DRAG 4
#define LIMBER_FOLD_FOLLOW 8
#define LIMBER_FOLD_STRETCH 16

// What may be asked for, since drivers take seconds over code that never runs. A dynamic program has everything but dual
// quaternions and sources of lift unless it is told otherwise.
#ifdef LIMBER_DYNAMIC
#ifndef LIMBER_MAY_KINDS
#define LIMBER_MAY_KINDS 511
#endif
#ifndef LIMBER_MAY_FOLDS
#define LIMBER_MAY_FOLDS 31
#endif
#ifndef LIMBER_MAY_CHAIN
#define LIMBER_MAY_CHAIN 1
#endif
#ifndef LIMBER_MAY_RIGID
#define LIMBER_MAY_RIGID 1
#endif
#ifndef LIMBER_MAY_GROUND
#define LIMBER_MAY_GROUND 1
#endif
#ifndef LIMBER_MAY_COLLIDERS
#define LIMBER_MAY_COLLIDERS 1
#endif
#ifndef LIMBER_MAY_LIFT_NORMAL
#define LIMBER_MAY_LIFT_NORMAL 1
#endif
#ifndef LIMBER_MAY_SOURCES
#define LIMBER_MAY_SOURCES 0
#endif
#ifndef LIMBER_MAY_SKINNING
#define LIMBER_MAY_SKINNING 0
#endif
#else
#define LIMBER_MAY_KINDS LIMBER_KINDS
#define LIMBER_MAY_FOLDS LIMBER_FOLDS
#define LIMBER_MAY_CHAIN LIMBER_CHAIN
#define LIMBER_MAY_GROUND LIMBER_GROUND
#if LIMBER_RIGID >= 0
#define LIMBER_MAY_RIGID 1
#else
#define LIMBER_MAY_RIGID 0
#endif
#if LIMBER_COLLIDERS >= 0
#define LIMBER_MAY_COLLIDERS 1
#else
#define LIMBER_MAY_COLLIDERS 0
#endif
#if LIMBER_LIFT_NORMAL >= 0
#define LIMBER_MAY_LIFT_NORMAL 1
#else
#define LIMBER_MAY_LIFT_NORMAL 0
#endif
#define LIMBER_MAY_SOURCES LIMBER_SOURCES
#define LIMBER_MAY_SKINNING LIMBER_SKINNING
#endif

#define LIMBER_HAS(set, bits) (((set) & (bits)) != 0 ? 1 : 0)

// --- the texture: a head, the joints of all skins, the joints that act this frame, rigid parts, the ground under the
// joints of all skins, colliders ---

uniform highp sampler2D limber_texture; // 1024 texels wide

vec4 limber_fetch(int index) {
    return texelFetch(limber_texture, ivec2(index & 1023, index >> 10), 0);
}

// A compute shader may copy the texels of a character there first; `character` is 0 for it then.
#ifdef LIMBER_SHARED_TEXELS
shared vec4 limber_shared[LIMBER_SHARED_TEXELS];
#endif

vec4 limber_texel(int index) {
#ifdef LIMBER_SHARED_TEXELS
    return limber_shared[index];
#else
    return limber_fetch(index);
#endif
}

// Texels: limits and base radius; the cone's apex and cosine; its axis and sine; where rigid parts and the rows of the
// ground start, the length that heights are measured in, how far the floor gives way to an edited clip; the center of the
// body's shape, and whether the clip is edited; its stretch xx, yy, zz, and how much of the floor's push counts; xy, yz,
// zx, and its bend along x; its shift, and its bend along z; how much its low parts stay sideways, and 1 / its height;
// where colliders start, L, how many there are, and where the limbs that are bent start.
const int limber_head = 10;

// Texels of what is affine: a shift, then these. Joints of skins have the sum along the hierarchy, joints of a chain
// their own.
#define limber_fold_matrix 1
#define limber_fold_floppy (limber_fold_matrix + 2 * LIMBER_HAS(LIMBER_FOLDS, LIMBER_FOLD_MATRIX))
#define limber_fold_drag (limber_fold_floppy + LIMBER_HAS(LIMBER_FOLDS, LIMBER_FOLD_FLOPPY))
#define limber_fold_follow (limber_fold_drag + LIMBER_HAS(LIMBER_FOLDS, LIMBER_FOLD_DRAG))
#define limber_fold_stretch (limber_fold_follow + LIMBER_HAS(LIMBER_FOLDS, LIMBER_FOLD_FOLLOW))
#define limber_fold_texels (limber_fold_stretch + 3 * LIMBER_HAS(LIMBER_FOLDS, LIMBER_FOLD_STRETCH))

// Texels of a joint of a skin, and where its blocks start.
#define limber_skin_own (LIMBER_SKINNING == 1 ? 5 : 3) // shift, and the row where its chain of acting joints starts
#define limber_skin_texels (limber_skin_own + (LIMBER_CHAIN == 1 ? 1 : limber_fold_texels))

// Blocks of a joint that acts: its place and the row of the next one above come first.
#define limber_turns (LIMBER_HAS(LIMBER_KINDS, LIMBER_TURN) + LIMBER_HAS(LIMBER_KINDS, LIMBER_TURN_TWICE))
#define limber_slowings (LIMBER_HAS(LIMBER_KINDS, LIMBER_SLOWING) + LIMBER_HAS(LIMBER_KINDS, LIMBER_SLOWING_TWICE))
#define limber_row_fold 1 // of a chain
#define limber_row_turn (1 + (LIMBER_CHAIN == 1 ? limber_fold_texels : 0))
#define limber_row_slowing (limber_row_turn + 3 * limber_turns)
#define limber_row_travel (limber_row_slowing + 2 * limber_slowings)
#define limber_row_spin (limber_row_travel + 2 * LIMBER_HAS(LIMBER_KINDS, LIMBER_TRAVEL))
#define limber_row_lift (limber_row_spin + LIMBER_HAS(LIMBER_KINDS, LIMBER_SPIN))
#define limber_row_overlap (limber_row_lift + LIMBER_HAS(LIMBER_KINDS, LIMBER_LIFT))
#define limber_row_sources (limber_row_overlap + 2 * LIMBER_HAS(LIMBER_KINDS, LIMBER_OVERLAP))

// --- the vertex ---

struct limber_vertex {
    vec3 position, normal; // mesh space, after morph targets
    uvec4 joints[LIMBER_INFLUENCES / 4];
    vec4 weights[LIMBER_INFLUENCES / 4];
    vec4 columns[LIMBER_COLUMN_VECTORS];
};

#ifndef LIMBER_COLUMN_OF
const int limber_columns[17] = int[17](LIMBER_COLUMNS);
#define LIMBER_COLUMN_OF(number) limber_columns[number]
#endif

// Numbers: 2 * effect for the gain of its linear part, + 1 for the angular one; limits of the bends come last.
const int limber_of_floppy_linear = 0, limber_of_floppy_angular = 1, limber_of_squash_linear = 2;
const int limber_of_squash_angular = 3, limber_of_drag_linear = 4, limber_of_drag_angular = 5;
const int limber_of_follow_linear = 6, limber_of_follow_angular = 7, limber_of_stretch_angular = 9;
const int limber_of_lift_angular = 11, limber_of_overlap_linear = 12, limber_of_overlap_angular = 13;
const int limber_of_floppy_limit = 14, limber_of_drag_limit = 15, limber_of_follow_limit = 16;

float limber_column(limber_vertex vertex, int column) {
    return vertex.columns[column >> 2][column & 3];
}

// What a number is scaled by at this vertex: a layer, or what a formula gives there.
float limber_scale(limber_vertex vertex, int number) {
    int column = LIMBER_COLUMN_OF(number);
    return column < 0 ? 1.0 : limber_column(vertex, column);
}

int limber_joint_texel(limber_vertex vertex, int k, int character) {
    return character + limber_head + int(vertex.joints[k >> 2][k & 3]) * limber_skin_texels;
}

// --- skinning ---

// Cofactors stay right under uneven scale; a mirror turns the normal back.
vec3 limber_skin_normal(mat3 m, vec3 normal) {
    vec3 yz = cross(m[1], m[2]);
    vec3 turned = normal.x * yz + normal.y * cross(m[2], m[0]) + normal.z * cross(m[0], m[1]);
    float size = length(turned);
    return size > 0.0 ? turned * ((dot(m[0], yz) < 0.0 ? -1.0 : 1.0) / size) : vec3(0.0);
}

void limber_skin_linear(limber_vertex vertex, int character, out vec3 position, out vec3 normal) {
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0); // rows
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight == 0.0)
            continue;
        int at = limber_joint_texel(vertex, k, character);
        x += weight * limber_texel(at);
        y += weight * limber_texel(at + 1);
        z += weight * limber_texel(at + 2);
    }
    vec4 p = vec4(vertex.position, 1.0);
    position = vec3(dot(x, p), dot(y, p), dot(z, p));
    normal = limber_skin_normal(transpose(mat3(x.xyz, y.xyz, z.xyz)), vertex.normal);
}

vec3 limber_rotate(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Scaled by the blended stretch, then moved by the blended rigid motion, quaternions turned to the heaviest one's side.
void limber_skin_dualquat(limber_vertex vertex, int character, out vec3 position, out vec3 normal) {
    vec4 side = vec4(0.0), real = vec4(0.0), dual = vec4(0.0);
    vec4 first = vec4(0.0), second = vec4(0.0), third = vec4(0.0); // columns of the stretch, one after the other
    float heaviest = -1.0;
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight > heaviest) {
            heaviest = weight;
            side = limber_texel(limber_joint_texel(vertex, k, character));
        }
    }
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight == 0.0)
            continue;
        int at = limber_joint_texel(vertex, k, character);
        vec4 q = limber_texel(at);
        float turned = dot(side, q) < 0.0 ? -weight : weight;
        real += turned * q;
        dual += turned * limber_texel(at + 1);
        first += weight * limber_texel(at + 2);
        second += weight * limber_texel(at + 3);
        third += weight * limber_texel(at + 4);
    }
    float size = length(real), inverse = size > 1e-18 ? 1.0 / size : 0.0;
    real = size > 1e-18 ? real * inverse : vec4(0.0, 0.0, 0.0, 1.0);
    dual *= inverse;
    mat3 stretch = mat3(first.xyz, vec3(first.w, second.xy), vec3(second.zw, third.x));
    vec3 shift = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    position = limber_rotate(real, stretch * vertex.position) + shift;
    normal = limber_rotate(real, limber_skin_normal(stretch, vertex.normal));
}

void limber_skin(limber_vertex vertex, int character, out vec3 position, out vec3 normal) {
#if LIMBER_MAY_SKINNING == 1
    if (LIMBER_SKINNING == 1) {
        limber_skin_dualquat(vertex, character, position, normal);
        return;
    }
#endif
    limber_skin_linear(vertex, character, position, normal);
}

// --- limbs: src/deform/effects/hose.c ---

#if (LIMBER_MAY_KINDS & LIMBER_HOSE) != 0
// Where a joint alone puts the vertex.
vec3 limber_joint_point(limber_vertex vertex, int k, int character) {
    int at = limber_joint_texel(vertex, k, character);
    vec4 x = limber_texel(at), y = limber_texel(at + 1), z = limber_texel(at + 2), p = vec4(vertex.position, 1.0);
#if LIMBER_MAY_SKINNING == 1
    if (LIMBER_SKINNING == 1) {
        vec4 second = limber_texel(at + 3), third = limber_texel(at + 4);
        mat3 stretch = mat3(z.xyz, vec3(z.w, second.xy), vec3(second.zw, third.x));
        vec3 shift = 2.0 * (x.w * y.xyz - y.w * x.xyz + cross(x.xyz, y.xyz));
        return limber_rotate(x, stretch * p.xyz) + shift;
    }
#endif
    return vec3(dot(x, p), dot(y, p), dot(z, p));
}

// Cosine and sine of up to half a turn.
vec2 limber_direction(float angle) {
    float s = sin(0.5 * angle);
    return vec2(1.0 - 2.0 * s * s, 2.0 * s * cos(0.5 * angle));
}

vec3 limber_hose_turn(vec3 v, vec2 turn, vec2 tilt) {
    float x = v.x * tilt.x - v.z * tilt.y;
    return vec3(x * turn.x - v.y * turn.y, x * turn.y + v.y * turn.x, v.x * tilt.y + v.z * tilt.x);
}

// How one limb displaces the vertex, and how that changes along the axes. `besides`: what moved it besides its joints.
mat4x3 limber_hose_limb(limber_vertex vertex, int character, int from, int arc, float given, vec3 besides) {
    vec4 root = limber_texel(arc), chord = limber_texel(arc + 1), side = limber_texel(arc + 2);
    vec4 plane = limber_texel(arc + 3), ends = limber_texel(arc + 4);
    vec3 p = vec3(0.0), plain = vec3(0.0);
    mat3 rows = mat3(0.0);
    float whole = 0.0;
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight == 0.0)
            continue;
        vec4 of = limber_texel(from + 1 + int(vertex.joints[k >> 2][k & 3]));
        int bone = from + int(of.y);
        if (from + int(of.x) != arc)
            continue;
        vec3 arm = limber_joint_point(vertex, k, character) + besides - root.xyz;
        vec4 x = limber_texel(bone), y = limber_texel(bone + 1), z = limber_texel(bone + 2);
        p += weight * vec3(dot(x.xyz, arm) + x.w, dot(y.xyz, arm) + y.w, dot(z.xyz, arm) + z.w);
        plain += weight * arm;
        rows += weight * mat3(x.xyz, y.xyz, z.xyz);
        whole += weight;
    }
    if (!(whole > 1e-6))
        return mat4x3(0.0);
    p /= whole;
    float t = clamp(p.x, 0.0, root.w), part = t / root.w, a = chord.w * part, b = chord.w - a;
    vec2 near = clamp(vec2(part, 1.0 - part) / 0.15, 0.0, 1.0), share = 1.0 - near * near * (3.0 - 2.0 * near);
    vec2 slope = near * (1.0 - near) * vec2(-40.0, 40.0) / root.w, bend = ends.xy - b + a;
    float away = dot(share, bend), turn_slope = dot(slope, bend) - 2.0 * chord.w / root.w * (1.0 - share.x - share.y);
    vec2 turn = limber_direction(b - a + away), tilt = limber_direction(dot(share, ends.zw));
    vec3 place = limber_hose_turn(vec3(p.x - t, p.yz), turn, tilt);
    place.xy += limber_direction(b) * (t * (a > 1e-3 ? limber_direction(a).y / a : 1.0 - a * a / 6.0));
    vec3 along = vec3(1.0, 0.0, 0.0);
    if (p.x == t) {
        float ahead = limber_direction(away).x - turn_slope * p.y;
        along = vec3(ahead * tilt.x - dot(slope, ends.zw) * p.z, -limber_direction(away).y - turn_slope * p.z * tilt.y,
                     -ahead * tilt.y);
    }
    mat3 axes = mat3(chord.xyz, side.xyz, plane.xyz);
    mat3 turned = mat3(limber_hose_turn(along, turn, tilt), limber_hose_turn(vec3(0.0, 1.0, 0.0), turn, tilt),
                       limber_hose_turn(vec3(0.0, 0.0, 1.0), turn, tilt));
    mat3 changes = axes * turned * transpose(rows) - mat3(whole);
    float gain = clamp(given * plane.w, 0.0, 1.0) * side.w;
    return gain * mat4x3(whole * axes * place - plain, changes[0], changes[1], changes[2]);
}

// A skinned vertex as the limbs that it belongs to are bent.
void limber_hose(limber_vertex vertex, int character, inout vec3 position, inout vec3 normal) {
    int first = int(limber_texel(character + limber_head - 1).w);
    if (first < 0)
        return;
    int from = character + first, column = int(limber_texel(from).x);
    float given = column < 0 ? 1.0 : limber_column(vertex, column);
    vec3 besides = position;
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight != 0.0)
            besides -= weight * limber_joint_point(vertex, k, character);
    }
    mat4x3 moved = mat4x3(vec3(0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        int arc = int(limber_texel(from + 1 + int(vertex.joints[k >> 2][k & 3])).x);
        if (arc < 0 || vertex.weights[k >> 2][k & 3] == 0.0)
            continue;
        bool seen = false;
        for (int i = 0; i < k; i++)
            if (vertex.weights[i >> 2][i & 3] != 0.0 &&
                int(limber_texel(from + 1 + int(vertex.joints[i >> 2][i & 3])).x) == arc)
                seen = true;
        if (!seen)
            moved += limber_hose_limb(vertex, character, from, from + arc, given, besides);
    }
    position += moved[0];
    vec3 turned = normal.x * cross(moved[2], moved[3]) + normal.y * cross(moved[3], moved[1]) +
                  normal.z * cross(moved[1], moved[2]);
    float size = length(turned);
    normal = size > 0.0 ? turned / size : normal;
}
#endif

// --- the effects ---
//
// Every effect takes three vectors at once, the columns of a matrix: from the joint to the vertex, and two tangents of
// the surface. It gives the displacement, and how that changes along the tangents.

mat3 limber_across(vec3 axis, mat3 arm) {
    return arm - outerProduct(axis, axis * arm);
}

// How the length of the first column changes along the tangents.
vec3 limber_growth(mat3 r, float size) {
    return vec3(0.0, dot(r[0], r[1]), dot(r[0], r[2])) * (1.0 / max(size, 1e-30));
}

// How a bend goes on: sine and 1 - cosine of its angle, and how the angle changes with the distance. Angles ease into
// their limit from three quarters on.
vec3 limber_bending(float slope, float size, float limit) {
    float angle = slope * size;
    if (LIMBER_LIMITS == 1) {
        float room = 0.25 * limit, over = abs(angle) - 3.0 * room;
        if (limit > 0.0 && over > 0.0) {
            float share = room / (room + over);
            angle = (angle < 0.0 ? -1.0 : 1.0) * min(3.0 * room + over * share, limit);
            slope *= share * share;
        }
    }
    float half_angle = 0.5 * (angle - 6.28318530718 * floor(angle * 0.159154943092 + 0.5));
    float s = sin(half_angle);
    return vec3(2.0 * s * cos(half_angle), 2.0 * s * s, slope);
}

// The same as sine and 1 - cosine, and their changes with the distance.
vec4 limber_swing(float slope, float size, float limit) {
    vec3 bent = limber_bending(slope, size, limit);
    return vec4(bent.xy, bent.z * (1.0 - bent.y), bent.z * bent.x);
}

// Turns about an axis by a swing, or by a sum of several.
mat3 limber_swung(vec3 axis, mat3 r, float size, vec4 swing) {
    mat3 turned = mat3(cross(axis, r[0]), cross(axis, r[1]), cross(axis, r[2]));
    return swing.x * turned - swing.y * r +
           outerProduct(swing.z * turned[0] - swing.w * r[0], limber_growth(r, size));
}

// row: axis, angle per distance.
mat3 limber_bend(vec4 row, float gain, float limit, mat3 arm) {
    mat3 r = limber_across(row.xyz, arm);
    float size = length(r[0]);
    return limber_swung(row.xyz, r, size, limber_swing(row.w * gain, size, limit));
}

// Drag and followthrough about one axis. rows: axis, angle per distance of drag; shares of both, angle of followthrough.
mat3 limber_slowing(vec4 row, vec4 other, vec2 gains, vec2 limits, mat3 arm) {
    mat3 r = limber_across(row.xyz, arm);
    float size = length(r[0]);
    vec4 swing = other.x * limber_swing(row.w * gains.x, size, limits.x) +
                 other.y * limber_swing(other.z * gains.y, size, limits.y);
    return limber_swung(row.xyz, r, size, swing);
}

// A squash s and how it changes, held below a max; 0: none. Then 1 + s never goes below 0.1.
vec2 limber_squashed(float s, float rate, float most) {
    if (LIMBER_MAX_SQUASH == 1 && most > 0.0) {
        most = max(most, 1e-6);
        float x = clamp(s / most, -1e15, 1e15), share = inversesqrt(1.0 + x * x);
        s = most * x * share;
        rate *= share * share * share;
    }
    return s > -0.9 ? vec2(s, rate) : vec2(-0.9, 0.0);
}

// What a squash about a center does along the medial axis m: `center` along it, 0 where there is none.
mat3 limber_shorten(vec3 m, float center, float grown, vec3 more, mat3 arm) {
    if (center == 0.0)
        return mat3(0.0);
    vec3 along = m * arm - vec3(center, 0.0, 0.0);
    float inverse = 1.0 / (1.0 + grown);
    return outerProduct(m, -inverse * (grown * along + inverse * more * along.x));
}

// rows: axis, squash per distance; across the medial axis, center; along the motion, max.
mat3 limber_squash_angular(vec4 row, vec4 across, vec4 z, float gain, mat3 arm) {
    vec3 e = across.xyz;
    mat3 r = limber_across(row.xyz, arm);
    float size = length(r[0]), rate = row.w * gain;
    vec2 squashed = limber_squashed(rate * size, rate, z.w);
    float grown = squashed.x, inverse = 1.0 / (1.0 + grown);
    vec3 more = squashed.y * limber_growth(r, size), a = e * arm, c = z.xyz * arm;
    return outerProduct(e, grown * a + more * a.x) - outerProduct(z.xyz, inverse * (grown * c + inverse * more * c.x)) +
           limber_shorten(cross(z.xyz, e), across.w, grown, more, arm);
}

// Both of one motion. rows: across the medial axis, angle per distance; across that and the axis of the turn, as parts
// of z and the medial axis, then center, squash per distance; along the motion, max. In the plane of the first two only
// two coordinates count.
mat3 limber_turn(vec4 e, vec4 f, vec4 z, vec2 gains, float limit, mat3 arm) {
    vec3 m = cross(z.xyz, e.xyz), second = f.x * z.xyz + f.y * m;
    vec3 a = e.xyz * arm, b = second * arm, c = z.xyz * arm;
    float size = sqrt(a.x * a.x + b.x * b.x), rate = f.w * gains.y;
    vec3 growth = vec3(0.0, a.x * a.yz + b.x * b.yz) * (1.0 / max(size, 1e-30));
    vec4 swing = limber_swing(e.w * gains.x, size, limit);
    vec2 squashed = limber_squashed(rate * size, rate, z.w);
    float grown = squashed.x, inverse = 1.0 / (1.0 + grown);
    vec3 more = squashed.y * growth;
    vec3 along_e = (grown - swing.y) * a - swing.x * b + more * a.x - growth * (swing.z * b.x + swing.w * a.x);
    vec3 along_f = swing.x * a - swing.y * b + growth * (swing.z * a.x - swing.w * b.x);
    vec3 along_z = inverse * (grown * c + inverse * more * c.x);
    return outerProduct(e.xyz, along_e) + outerProduct(second, along_f) - outerProduct(z.xyz, along_z) +
           limber_shorten(m, f.z, grown, more, arm);
}

// row: direction, squash per gain. `arm` starts at the centroid.
mat3 limber_squash_linear(vec4 row, float gain, float most, mat3 arm) {
    float grown = limber_squashed(gain * row.w, 0.0, most).x, thin = inversesqrt(1.0 + grown) - 1.0;
    return outerProduct(row.xyz, (grown - thin) * (row.xyz * arm)) + thin * arm;
}

mat3 limber_from(mat3 arm, vec3 offset) {
    return mat3(arm[0] - offset, arm[1], arm[2]);
}

// row: axis, displacement per distance (and squared distance).
mat3 limber_stretch(vec4 row, float gain, mat3 arm, bool quadratic) {
    mat3 r = (row.w * gain) * limber_across(row.xyz, arm);
    if (!quadratic)
        return r;
    vec3 more = vec3(0.0, dot(arm[0], arm[1]), dot(arm[0], arm[2]));
    return dot(arm[0], arm[0]) * r + outerProduct(r[0], 2.0 * more);
}

// A share that grows with the distance up to 1, and how it grows along the arm, per arm.
vec2 limber_share(float square, float reach2) {
    float whole = square + reach2, share = sqrt(square / whole);
    return vec2(share, reach2 / (whole * whole * max(share, 1e-18)));
}

// rows: axis times angle, square of the reach; shift, square of its reach.
mat3 limber_follow(vec4 turn, vec4 shift, vec2 gains, mat3 arm) {
    vec3 e = turn.xyz, q = arm[0], along = vec3(0.0, dot(q, arm[1]), dot(q, arm[2]));
    float square = dot(q, q), turn2 = dot(e, e);
    vec2 share = limber_share(square, turn.w), shifted = limber_share(square, shift.w);
    float amount = gains.y * share.x, u = amount * amount * turn2, angle = sqrt(u), half_sine = sin(0.5 * angle);
    float sine = u > 1e-6 ? sin(angle) / angle : 1.0 - u / 6.0;
    float cosine = u > 1e-6 ? 2.0 * half_sine * half_sine / u : 0.5 - u / 24.0;
    mat3 turned = mat3(cross(e, arm[0]), cross(e, arm[1]), cross(e, arm[2]));
    mat3 back = outerProduct(e, e * arm) - turn2 * arm;
    vec3 grown = gains.y * share.y * along;
    vec3 first = -(1.0 - cosine * u) * grown, second = amount * sine * grown;
    first.x = second.x = 0.0;
    return amount * (amount * cosine * back - sine * turned) + outerProduct(turned[0], first) +
           outerProduct(back[0], second) - outerProduct(shift.xyz, gains.x * (vec3(shifted.x, 0.0, 0.0) + shifted.y * along));
}

float limber_source_scale(limber_vertex vertex, int effect, int part) {
    return ((LIMBER_SOURCES_OWN >> effect) & 1) != 0 ? limber_scale(vertex, 2 * effect + part) : 1.0;
}

// row: shift, share of the bend; then the bend's own.
mat3 limber_source_bend(int at, limber_vertex vertex, int effect, float limit, mat3 arm) {
    vec4 shift = limber_texel(at);
    mat3 moved = shift.w * limber_bend(limber_texel(at + 1), limber_source_scale(vertex, effect, 1), limit, arm);
    moved[0] += limber_source_scale(vertex, effect, 0) * shift.xyz;
    return moved;
}

// What the effects that drive lift make of this joint. Plain stretch about the same axis has no extra rows.
mat3 limber_sources(vec3 axis, int at, limber_vertex vertex, vec3 limits, mat3 arm) {
    mat3 moved = mat3(0.0);
    if (LIMBER_SOURCES == 0)
        moved = limber_across(axis, arm);
#if (LIMBER_MAY_SOURCES & 1) != 0
    if ((LIMBER_SOURCES & 1) != 0) {
        moved += limber_source_bend(at, vertex, 0, limits.x, arm);
        at += 2;
    }
#endif
#if (LIMBER_MAY_SOURCES & 2) != 0
    if ((LIMBER_SOURCES & 2) != 0) {
        moved += limber_squash_angular(limber_texel(at), limber_texel(at + 1), limber_texel(at + 2),
                                       limber_source_scale(vertex, 1, 1), arm);
        vec4 center = limber_texel(at + 4);
        moved += limber_squash_linear(limber_texel(at + 3), limber_source_scale(vertex, 1, 0), center.w,
                                      limber_from(arm, center.xyz));
        at += 5;
    }
#endif
#if (LIMBER_MAY_SOURCES & 4) != 0
    if ((LIMBER_SOURCES & 4) != 0) {
        moved += limber_source_bend(at, vertex, 2, limits.y, arm);
        at += 2;
    }
#endif
#if (LIMBER_MAY_SOURCES & 8) != 0
    if ((LIMBER_SOURCES & 8) != 0) {
        moved += limber_source_bend(at, vertex, 3, limits.z, arm);
        at += 2;
    }
#endif
#if (LIMBER_MAY_SOURCES & 16) != 0
    if ((LIMBER_SOURCES & 16) != 0)
        moved += limber_stretch(limber_texel(at), limber_source_scale(vertex, 4, 1), arm, LIMBER_QUADRATIC == 1);
#endif
    return moved;
}

// The direction lift goes to and how it changes along the tangents: the cone's normal, or the surface's.
mat3 limber_lift_normal(int character, vec3 normal, mat3 at) {
    if (LIMBER_LIFT_MESH == 1)
        return mat3(normal, vec3(0.0), vec3(0.0));
    vec4 apex = limber_texel(character + 1), axis = limber_texel(character + 2);
    mat3 r = limber_across(axis.xyz, limber_from(at, apex.xyz));
    float size = length(r[0]);
    if (!(size > 0.0))
        return mat3(-axis.w * axis.xyz, vec3(0.0), vec3(0.0));
    vec3 outward = r[0] / size;
    mat3 turned = (apex.w / size) * (r - outerProduct(outward, outward * r));
    turned[0] = apex.w * outward - axis.w * axis.xyz;
    return turned;
}

// How far along the normals. row: axis, lift per reach and source.
vec3 limber_lift(vec4 row, float gain, float base_radius, mat3 arm, mat3 source, mat3 n) {
    mat3 r = limber_across(row.xyz, arm);
    float size = length(r[0]), reach = size - base_radius;
    if (!(reach > 0.0))
        return vec3(0.0);
    vec3 outward = n[0] * source + vec3(0.0, dot(source[0], n[1]), dot(source[0], n[2]));
    return (row.w * gain) * (reach * outward + outward.x * limber_growth(r, size));
}

// --- one joint after the other ---

// Everything one acting joint does. `at`: the vertex and its tangents; `limits`: of floppy, drag, followthrough, and the
// base radius of lift; `lifted`: how far along the normals of lift, which are the same for all joints.
mat3 limber_joint(int row, vec3 place, limber_vertex vertex, vec4 limits, mat3 at, mat3 lift_normal, out vec3 lifted) {
    mat3 moved = mat3(0.0), arm = limber_from(at, place);
    lifted = vec3(0.0);
    vec2 gains;
#if (LIMBER_MAY_KINDS & LIMBER_TURN) != 0
    if ((LIMBER_KINDS & LIMBER_TURN) != 0) {
        gains = vec2(limber_scale(vertex, limber_of_floppy_angular), limber_scale(vertex, limber_of_squash_angular));
        for (int i = 0, at_row = row + limber_row_turn; i < limber_turns; i++, at_row += 3)
            moved += limber_turn(limber_texel(at_row), limber_texel(at_row + 1), limber_texel(at_row + 2), gains,
                                 limits.x, arm);
    }
#endif
#if (LIMBER_MAY_KINDS & LIMBER_SLOWING) != 0
    if ((LIMBER_KINDS & LIMBER_SLOWING) != 0) {
        gains = vec2(limber_scale(vertex, limber_of_drag_angular), limber_scale(vertex, limber_of_follow_angular));
        for (int i = 0, at_row = row + limber_row_slowing; i < limber_slowings; i++, at_row += 2)
            moved += limber_slowing(limber_texel(at_row), limber_texel(at_row + 1), gains, limits.yz, arm);
    }
#endif
#if (LIMBER_MAY_KINDS & LIMBER_TRAVEL) != 0
    if ((LIMBER_KINDS & LIMBER_TRAVEL) != 0) {
        vec4 center = limber_texel(row + limber_row_travel + 1);
        moved +=
            limber_squash_linear(limber_texel(row + limber_row_travel), limber_scale(vertex, limber_of_squash_linear),
                                 center.w, limber_from(arm, center.xyz));
    }
#endif
#if (LIMBER_MAY_KINDS & LIMBER_SPIN) != 0
    if ((LIMBER_KINDS & LIMBER_SPIN) != 0)
        moved += limber_stretch(limber_texel(row + limber_row_spin), limber_scale(vertex, limber_of_stretch_angular),
                                arm, true);
#endif
#if (LIMBER_MAY_KINDS & LIMBER_OVERLAP) != 0
    if ((LIMBER_KINDS & LIMBER_OVERLAP) != 0) {
        gains = vec2(limber_scale(vertex, limber_of_overlap_linear), limber_scale(vertex, limber_of_overlap_angular));
        moved += limber_follow(limber_texel(row + limber_row_overlap), limber_texel(row + limber_row_overlap + 1),
                               gains, arm);
    }
#endif
#if (LIMBER_MAY_KINDS & LIMBER_LIFT) != 0
    if ((LIMBER_KINDS & LIMBER_LIFT) != 0) {
        vec4 lift = limber_texel(row + limber_row_lift);
        if (lift.w != 0.0)
            lifted =
                limber_lift(lift, limber_scale(vertex, limber_of_lift_angular), limits.w, arm,
                            limber_sources(lift.xyz, row + limber_row_sources, vertex, limits.xyz, arm), lift_normal);
    }
#endif
    return moved;
}

// --- what is affine in the position ---

// A symmetric matrix (xx xy xz yy, yz zz) and a shift.
struct limber_affine {
    vec4 a;
    vec2 b;
    vec3 shift;
};

// Adds the blocks at `at`, but for the shift of constant gains, which the caller has.
void limber_add_folds(int at, limber_vertex vertex, float weight, inout limber_affine sum) {
#if (LIMBER_MAY_FOLDS & LIMBER_FOLD_MATRIX) != 0
    if ((LIMBER_FOLDS & LIMBER_FOLD_MATRIX) != 0) {
        sum.a += weight * limber_texel(at + limber_fold_matrix);
        sum.b += weight * limber_texel(at + limber_fold_matrix + 1).xy;
    }
#endif
#if (LIMBER_MAY_FOLDS & LIMBER_FOLD_FLOPPY) != 0
    if ((LIMBER_FOLDS & LIMBER_FOLD_FLOPPY) != 0)
        sum.shift +=
            weight * limber_scale(vertex, limber_of_floppy_linear) * limber_texel(at + limber_fold_floppy).xyz;
#endif
#if (LIMBER_MAY_FOLDS & LIMBER_FOLD_DRAG) != 0
    if ((LIMBER_FOLDS & LIMBER_FOLD_DRAG) != 0)
        sum.shift += weight * limber_scale(vertex, limber_of_drag_linear) * limber_texel(at + limber_fold_drag).xyz;
#endif
#if (LIMBER_MAY_FOLDS & LIMBER_FOLD_FOLLOW) != 0
    if ((LIMBER_FOLDS & LIMBER_FOLD_FOLLOW) != 0)
        sum.shift +=
            weight * limber_scale(vertex, limber_of_follow_linear) * limber_texel(at + limber_fold_follow).xyz;
#endif
#if (LIMBER_MAY_FOLDS & LIMBER_FOLD_STRETCH) != 0
    if ((LIMBER_FOLDS & LIMBER_FOLD_STRETCH) != 0) {
        float stretch = weight * limber_scale(vertex, limber_of_stretch_angular);
        sum.a += stretch * limber_texel(at + limber_fold_stretch);
        sum.b += stretch * limber_texel(at + limber_fold_stretch + 1).xy;
        sum.shift += stretch * limber_texel(at + limber_fold_stretch + 2).xyz;
    }
#endif
}

mat3 limber_moved(limber_affine sum, mat3 at) {
    mat3 moved = mat3(0.0);
#if (LIMBER_MAY_FOLDS & (LIMBER_FOLD_MATRIX | LIMBER_FOLD_STRETCH)) != 0
    if ((LIMBER_FOLDS & (LIMBER_FOLD_MATRIX | LIMBER_FOLD_STRETCH)) != 0)
        moved = mat3(sum.a.xyz, vec3(sum.a.yw, sum.b.x), vec3(sum.a.z, sum.b)) * at;
#endif
    moved[0] += sum.shift;
    return moved;
}

// --- all joints ---

int limber_largest(ivec4 v) {
    return max(max(v.x, v.y), max(v.z, v.w));
}

mat3 limber_along(mat3 normal, vec3 lifted) {
    return outerProduct(normal[0], lifted) + lifted.x * mat3(vec3(0.0), normal[1], normal[2]);
}

// A joint of a chain at the place where the ones before have put the vertex.
#if LIMBER_MAY_CHAIN == 1
mat3 limber_link(int character, int row, vec3 place, limber_vertex vertex, vec4 limits, mat3 at, vec3 normal) {
    limber_affine own = limber_affine(vec4(0.0), vec2(0.0), limber_texel(row + limber_row_fold).xyz);
    limber_add_folds(row + limber_row_fold, vertex, 1.0, own);
    mat3 moved = limber_moved(own, at);
#if (LIMBER_MAY_KINDS & LIMBER_JOINT_KINDS) != 0
    mat3 lift_normal = mat3(0.0);
    vec3 lifted;
#if (LIMBER_MAY_KINDS & LIMBER_LIFT) != 0
    if ((LIMBER_KINDS & LIMBER_LIFT) != 0)
        lift_normal = limber_lift_normal(character, normal, at);
#endif
    moved += limber_joint(row, place, vertex, limits, at, lift_normal, lifted);
#if (LIMBER_MAY_KINDS & LIMBER_LIFT) != 0
    if ((LIMBER_KINDS & LIMBER_LIFT) != 0)
        moved += limber_along(lift_normal, lifted);
#endif
#endif
    return moved;
}
#endif

// All joints above the vertex that act, each once. The rows of parents come before those of their children, so of the
// chains that lead up from the vertex's own joints the one that stands farthest back in the texture goes on; chains
// that meet have the same row from there on and count with the sum of their weights.
mat3 limber_joints(limber_vertex vertex, ivec4 chains[LIMBER_INFLUENCES / 4], int character, mat3 at, vec3 normal) {
    mat3 moved = mat3(0.0), lift_normal = mat3(0.0);
    vec3 lifted = vec3(0.0), more;
    vec4 limits = vec4(0.0); // and the base radius
    if (LIMBER_LIMITS == 1 || (LIMBER_KINDS & LIMBER_LIFT) != 0) {
        limits = limber_texel(character);
        limits.xyz *= vec3(limber_scale(vertex, limber_of_floppy_limit), limber_scale(vertex, limber_of_drag_limit),
                           limber_scale(vertex, limber_of_follow_limit));
    }
#if (LIMBER_MAY_KINDS & LIMBER_LIFT) != 0
    if ((LIMBER_KINDS & LIMBER_LIFT) != 0 && LIMBER_CHAIN != 1)
        lift_normal = limber_lift_normal(character, normal, at);
#endif
    for (;;) {
        int row = limber_largest(chains[0]);
#if LIMBER_INFLUENCES > 4
        row = max(row, limber_largest(chains[1]));
#endif
        if (row < 0)
            break;
        vec4 place = limber_texel(character + row);
        ivec4 next = ivec4(min(int(place.w), row - 1)); // ends with any texture, one that was not filled, too
        float weight = 0.0;
        for (int i = 0; i < LIMBER_INFLUENCES / 4; i++) {
            ivec4 here = ivec4(equal(chains[i], ivec4(row)));
            weight += dot(vec4(here), vertex.weights[i]);
            chains[i] += here * (next - row);
        }
#if LIMBER_MAY_CHAIN == 1
        if (LIMBER_CHAIN == 1) {
            moved += weight * limber_link(character, character + row, place.xyz, vertex, limits, at + moved, normal);
            continue;
        }
#endif
#if (LIMBER_MAY_KINDS & LIMBER_JOINT_KINDS) != 0
        moved += weight * limber_joint(character + row, place.xyz, vertex, limits, at, lift_normal, more);
        lifted += weight * more;
#endif
    }
#if (LIMBER_MAY_KINDS & LIMBER_LIFT) != 0
    if ((LIMBER_KINDS & LIMBER_LIFT) != 0 && LIMBER_CHAIN != 1)
        moved += limber_along(lift_normal, lifted);
#endif
    return moved;
}

// --- all of it ---

// The displacement of a skinned vertex and how it changes along two tangents; `at` holds all three.
mat3 limber_displacement(limber_vertex vertex, int character, mat3 at, vec3 normal) {
    limber_affine sum = limber_affine(vec4(0.0), vec2(0.0), vec3(0.0)); // along the hierarchy, made beforehand
    ivec4 chains[LIMBER_INFLUENCES / 4];
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        chains[k >> 2][k & 3] = -1;
        if (weight == 0.0)
            continue;
        int from = limber_joint_texel(vertex, k, character) + limber_skin_own;
        vec4 own = limber_texel(from);
        sum.shift += weight * own.xyz;
        chains[k >> 2][k & 3] = int(own.w);
        if (LIMBER_CHAIN != 1)
            limber_add_folds(from, vertex, weight, sum);
    }
    mat3 moved = mat3(0.0);
    if (LIMBER_CHAIN != 1)
        moved = limber_moved(sum, at);
#if (LIMBER_MAY_KINDS & LIMBER_JOINT_KINDS) != 0 || LIMBER_MAY_CHAIN == 1
    if ((LIMBER_KINDS & LIMBER_JOINT_KINDS) != 0 || LIMBER_CHAIN == 1)
        moved += limber_joints(vertex, chains, character, at, normal);
#endif
    return moved;
}

// --- the ground: src/contact/stage_vertices.c ---

#if LIMBER_MAY_GROUND == 1
// The height above the ground that the floor leaves of x; `was`: without the effects.
float limber_above_floor(float was, float x, float zone) {
    zone = max(min(zone, was), 1e-9);
    return x >= zone ? x : zone * zone / (2.0 * zone - x);
}

// What the vertex sees of the rows of its joints: hold, height, lift, fixed.
vec4 limber_footing(limber_vertex vertex, int rows) {
    vec4 on = vec4(0.0);
    for (int k = 0; k < LIMBER_INFLUENCES; k++) {
        float weight = vertex.weights[k >> 2][k & 3];
        if (weight != 0.0)
            on += weight * limber_texel(rows + int(vertex.joints[k >> 2][k & 3]));
    }
    return on;
}

// How far the floor pushes a vertex up that is `plain` high without the effects, and displaced by `down`.
float limber_pushed(vec4 on, float plain, float down, float scale, float depth, bool edited) {
    float zone = 0.02 * scale;
    if (edited) {
        float above = plain + down - (on.y - depth);
        zone *= max(1.0 - on.x - on.w, 0.0);
        return above < zone ? limber_above_floor(zone, above, zone) - above : 0.0;
    }
    float was = plain - min(plain, on.y);
    return down < 0.0 ? limber_above_floor(was, was + down, zone) - was - down : 0.0;
}

// How the whole body is stretched, minus the identity.
mat3 limber_body_stretch(int character) {
    vec3 along = limber_texel(character + 5).xyz, across = limber_texel(character + 6).xyz;
    return mat3(along.x, across.x, across.z, across.x, along.y, across.y, across.z, across.y, along.z);
}

vec2 limber_body_bend(int character) {
    return vec2(limber_texel(character + 6).w, limber_texel(character + 7).w);
}

// The shape of the whole body: stretched about a center, shifted, then bent sideways along its height.
void limber_shaped(int character, vec3 skinned, inout vec3 shift) {
    vec3 away = skinned + shift - limber_texel(character + 4).xyz;
    vec3 moved = limber_body_stretch(character) * away + limber_texel(character + 7).xyz;
    vec2 bend = limber_body_bend(character);
    float height = away.y + moved.y, square = height * height;
    vec2 planted = limber_texel(character + 8).xy;
    float free = 1.0 - planted.x * (1.0 - smoothstep(0.03, 0.30, (skinned.y - limber_texel(character + 4).y) * planted.y));
    moved.xz = free * (moved.xz + 0.5 * square * bend);
    moved.y -= dot(bend, bend) * square * height / 6.0;
    shift += moved;
}

// Normals go by the inverse transpose of that map's derivative.
vec3 limber_shaped_normal(int character, vec3 skinned, vec3 shift, vec3 normal) {
    vec3 away = skinned + shift - limber_texel(character + 4).xyz;
    mat3 stretch = limber_body_stretch(character);
    float height = away.y + (stretch * away).y + limber_texel(character + 7).y;
    vec2 bent = height * limber_body_bend(character);
    float sinks = 0.5 * dot(bent, bent);
    mat3 whole = mat3(1.0) + stretch;
    vec3 even = vec3(dot(cross(whole[1], whole[2]), normal), dot(cross(whole[2], whole[0]), normal),
                     dot(cross(whole[0], whole[1]), normal));
    even.y -= (dot(bent, even.xz) - sinks * even.y) / (1.0 - sinks);
    return even / max(length(even), 1e-30);
}

// A displacement as landings and the floor let it happen; returns how much of it is kept.
float limber_grounded(limber_vertex vertex, int character, vec3 skinned, inout vec3 shift) {
    vec4 head = limber_texel(character + 3), center = limber_texel(character + 4);
    float firm = limber_texel(character + 5).w;
    limber_shaped(character, skinned, shift);
    if (head.y < 0.0)
        return 1.0;
    vec4 on = limber_footing(vertex, character + int(head.y));
    int column = LIMBER_CONTACT;
    float strength = column < 0 ? 1.0 : limber_column(vertex, column);
    float near = 1.0 - smoothstep(0.03, 0.30, (skinned.y - on.y) / head.z);
    float keep = max(1.0 - strength * (on.w + on.x * near), 0.0);
    shift.y += 0.8 * on.z * strength;
    shift *= keep;
    shift.y += strength * firm * limber_pushed(on, skinned.y, shift.y, head.z, head.w, center.w != 0.0);
    return keep;
}

vec3 limber_grounded_normal(float keep, vec3 skinned, vec3 shaped) {
    vec3 mixed = mix(skinned, shaped, keep);
    float size = length(mixed);
    return keep == 1.0 || !(size > 0.0) ? shaped : mixed / size;
}
#endif

// --- rigid parts ---

// The part of a vertex: how it displaces (the rows of a matrix), and how much the vertex belongs to it.
struct limber_part {
    vec4 x, y, z;
    float hold;
};

limber_part limber_part_of(limber_vertex vertex, int character) {
    limber_part part = limber_part(vec4(0.0), vec4(0.0), vec4(0.0), 0.0);
#if LIMBER_MAY_RIGID == 1
    if (LIMBER_RIGID >= 0) {
        int index = int(floor(limber_column(vertex, LIMBER_RIGID) * 32767.0 + 0.5));
        int first = int(limber_texel(character + 3).x);
        if (index >= 0 && first >= 0) {
            int at = character + first + 3 * index;
            part = limber_part(limber_texel(at), limber_texel(at + 1), limber_texel(at + 2),
                               limber_column(vertex, LIMBER_RIGID + 1));
        }
    }
#endif
    return part;
}

vec3 limber_turned(limber_part part, vec3 v) {
    return v + vec3(dot(part.x.xyz, v), dot(part.y.xyz, v), dot(part.z.xyz, v));
}

// How the part displaces a skinned position, mixed with how effects do.
vec3 limber_held(limber_part part, vec3 skinned, vec3 shift) {
    vec4 p = vec4(skinned, 1.0);
    return mix(shift, vec3(dot(part.x, p), dot(part.y, p), dot(part.z, p)), part.hold);
}

// Parts may be squashed a little, so normals go by the cofactors of the matrix.
vec3 limber_held_normal(limber_part part, vec3 skinned, vec3 normal) {
    vec3 x = part.x.xyz + vec3(1.0, 0.0, 0.0), y = part.y.xyz + vec3(0.0, 1.0, 0.0);
    vec3 z = part.z.xyz + vec3(0.0, 0.0, 1.0);
    vec3 turned = vec3(dot(cross(y, z), skinned), dot(cross(z, x), skinned), dot(cross(x, y), skinned));
    turned /= max(length(turned), 1e-30);
    vec3 mixed = mix(normal, turned, part.hold);
    float size = length(mixed);
    return part.hold == 1.0 || !(size > 0.0) ? turned : mixed / size;
}

// --- colliders: src/collide/push.c ---

#if LIMBER_MAY_COLLIDERS == 1
uniform highp sampler2D limber_obeyed; // 1024 texels wide, the same in every frame: rows of 2 collider + weight
                                       // (-2 less that: until it is let through), then -1

float limber_obeyed_number(int row, int k) {
    int at = row + (k >> 2);
    return texelFetch(limber_obeyed, ivec2(at & 1023, at >> 10), 0)[k & 3];
}

// The nearest point of a line from the origin to `along`.
vec3 limber_on_line(vec3 along, float per_square, vec3 p) {
    return along * clamp(dot(p, along) * per_square, 0.0, 1.0);
}

// How much of a capsule counts at a vertex: less near its axis, and less far away for what passes its side. `p`: from the
// start of the capsule to the deformed vertex.
float limber_collider_fade(vec3 along, float radius, float size, vec3 normal, vec3 p, float clearance) {
    float amount = radius > 0.0 ? smoothstep(-0.9 * radius, -0.3 * radius, clearance) : 1.0;
    float far = smoothstep(0.12 * size, 0.24 * size, clearance);
    if (far > 0.0) {
        p -= normal * dot(p, normal);
        along -= normal * dot(along, normal);
        float square = dot(along, along);
        p -= limber_on_line(along, square > 1e-30 ? 1.0 / square : 0.0, p);
        amount *= 1.0 - far * smoothstep(radius, radius + 0.2 * size, length(p));
    }
    return amount;
}

// What a collider asks of a vertex: its displacement along `normal`, `start` after the effects, is at least `least`.
// Where another collider pushes it back below `start`, that much of it is undone: `hold`. `slope`: of the clamp, which
// flattens the surface; -1: the collider asks for nothing.
struct limber_contact {
    vec3 normal;
    float start, least, hold, slope;
};

limber_contact limber_touch(limber_vertex vertex, int at, float amount, bool passes, float size, vec3 skinned,
                            vec3 shift) {
    vec4 from = limber_texel(at), along = limber_texel(at + 1); // and radius; 1 / squared length, of a plane -1
    vec4 first = limber_texel(at + 2);                          // and the column of the collider's layer, or -1
    vec3 move = first.xyz, away = skinned - from.xyz, normal = along.xyz;
    float clearance = dot(away, normal);
    bool plane = along.w < 0.0;
    if (!plane) {
        float part = clamp(clearance * along.w, 0.0, 1.0);
        away -= along.xyz * part;
        move = mix(move, limber_texel(at + 3).xyz, part);
        float d = length(away);
        normal = d > 0.0 ? away / d : vec3(0.0);
        clearance = d - from.w;
    }
    float rest = max(clearance, 0.0), start = dot(normal, shift), x = rest + start - dot(normal, move);
    float z = min(rest, 0.02 * size);
    limber_contact none = limber_contact(normal, 0.0, 0.0, 0.0, -1.0);
    if (!(x < z))
        return none;
    if (first.w >= 0.0)
        amount *= limber_column(vertex, int(first.w));
    if (!plane)
        amount *= limber_collider_fade(along.xyz, from.w, size, normal, skinned + shift - from.xyz - move, clearance);
    if (passes && !plane)
        amount *= 1.0 - smoothstep(0.5 * from.w, 2.0 * from.w, z - x);
    if (!(amount > 0.0))
        return none;
    float r = z / (2.0 * z - x), hold = amount * min((z - x) / (0.002 * size), 1.0);
    return limber_contact(normal, start, start + amount * (z * r - x), hold, 1.0 - amount * (1.0 - r * r));
}

vec3 limber_flattened(limber_contact c, vec3 normal) {
    vec3 bent = normal + c.normal * (dot(normal, c.normal) * (1.0 / max(c.slope, 0.02) - 1.0));
    float size = length(bent);
    return size > 0.0 ? bent / size : normal;
}

// The height that the floor leaves of a vertex that colliders move from one height to another.
float limber_kept_above(limber_vertex vertex, int character, float from, float to) {
#if LIMBER_MAY_GROUND == 1
    vec4 head = limber_texel(character + 3);
    if (LIMBER_GROUND == 1 && head.y >= 0.0 && to < from) {
        vec4 on = limber_footing(vertex, character + int(head.y));
        int column = LIMBER_CONTACT;
        float firm = (column < 0 ? 1.0 : limber_column(vertex, column)) * limber_texel(character + 5).w;
        float low = min(from, on.y - (limber_texel(character + 4).w != 0.0 ? head.w : 0.0));
        float up = limber_above_floor(from - low, to - low, 0.02 * head.z) - (to - low);
        return to + firm * up;
    }
#endif
    return to;
}

// Two sweeps over all colliders that the vertex obeys: one may push it into another.
void limber_collide(limber_vertex vertex, int character, vec3 skinned, inout vec3 shift, inout vec3 normal) {
    vec4 head = limber_texel(character + 9);
    if (head.x < 0.0)
        return;
    vec2 place = floor(vec2(limber_column(vertex, LIMBER_COLLIDERS), limber_column(vertex, LIMBER_COLLIDERS + 1)) *
                           32767.0 + 0.5);
    int row = int(place.x) + (int(place.y) << 15), touched = 0;
    vec3 moved = shift;
    for (int sweep = 0; sweep < 2 && (sweep == 0 || touched > 1); sweep++)
        for (int k = 0; k < int(head.z); k++) {
            float number = limber_obeyed_number(row, k);
            bool passes = number < -1.5;
            if (number < 0.0 && !passes)
                break;
            number = passes ? -2.0 - number : number;
            float collider = floor(0.5 * number);
            limber_contact c = limber_touch(vertex, character + int(head.x) + 4 * int(collider),
                                            number - 2.0 * collider, passes, head.y, skinned, shift);
            if (c.slope < 0.0)
                continue;
            float now = dot(c.normal, moved);
            moved += c.normal * (max(c.least - max(now, c.start), 0.0) + c.hold * max(c.start - now, 0.0));
            touched += 1 - sweep;
#if LIMBER_NORMALS == 1
            if (sweep == 0)
                normal = limber_flattened(c, normal);
#endif
        }
    if (touched > 0)
        moved.y = limber_kept_above(vertex, character, skinned.y + shift.y, skinned.y + moved.y) - skinned.y;
    shift = moved;
}
#endif

// The normal that lift takes: one for all vertices of a place, so that hard edges do not tear open.
vec3 limber_along_normal(limber_vertex vertex, int character, vec3 normal) {
#if LIMBER_MAY_LIFT_NORMAL == 1
    int column = LIMBER_LIFT_NORMAL;
    if (column >= 0) {
        vec3 place;
        vec2 fine = vec2(limber_column(vertex, column + 2), limber_column(vertex, column + 3));
        if (fine.x > 0.75)
            return normal; // nothing is split here
        vec2 folded = vec2(limber_column(vertex, column), limber_column(vertex, column + 1)) + fine / 32767.0;
        float up = 1.0 - abs(folded.x) - abs(folded.y), back = max(-up, 0.0); // unfolded from an octahedron
        vertex.normal = vec3(folded.x + (folded.x < 0.0 ? back : -back), folded.y + (folded.y < 0.0 ? back : -back), up);
        limber_skin(vertex, character, place, normal);
    }
#endif
    return normal;
}

// A skinned vertex, world space, becomes the deformed one.
void limber_displace(limber_vertex vertex, int character, inout vec3 position, inout vec3 normal) {
    vec3 bent = position, skinned_normal = normal;
#if (LIMBER_MAY_KINDS & LIMBER_HOSE) != 0
    if ((LIMBER_KINDS & LIMBER_HOSE) != 0)
        limber_hose(vertex, character, bent, normal);
#endif
#if LIMBER_NORMALS == 0
    normal = skinned_normal;
#endif
    mat3 at = mat3(bent, vec3(0.0), vec3(0.0));
#if LIMBER_NORMALS == 1
    at[1] = abs(normal.x) > 0.6 ? vec3(normal.z, 0.0, -normal.x) : vec3(0.0, -normal.z, normal.y);
    at[2] = cross(normal, at[1]);
#endif
    mat3 moved = limber_displacement(vertex, character, at, limber_along_normal(vertex, character, skinned_normal));
    vec3 shift = mix(vec3(0.0), moved[0], lessThan(abs(moved[0]), vec3(1e38))); // what is not a number moves nothing
    shift += bent - position;
#if LIMBER_NORMALS == 1
    vec3 turned = cross(at[1] + moved[1], at[2] + moved[2]);
    float size = length(turned);
    if (size > 1e-12 && size < 1e12 && dot(moved[0], moved[0]) > 0.0)
        normal = turned / size;
#endif
#if LIMBER_MAY_GROUND == 1
    if (LIMBER_GROUND == 1) {
#if LIMBER_NORMALS == 1
        normal = limber_shaped_normal(character, position, shift, normal);
#endif
        float keep = limber_grounded(vertex, character, position, shift);
#if LIMBER_NORMALS == 1
        normal = limber_grounded_normal(keep, skinned_normal, normal);
#endif
    }
#endif
#if LIMBER_MAY_RIGID == 1
    limber_part part = limber_part_of(vertex, character);
    if (part.hold > 0.0) {
        shift = limber_held(part, position, shift);
#if LIMBER_NORMALS == 1
        normal = limber_held_normal(part, skinned_normal, normal);
#endif
    }
#endif
#if LIMBER_MAY_COLLIDERS == 1
    if (LIMBER_COLLIDERS >= 0)
        limber_collide(vertex, character, position, shift, normal);
#endif
    position += shift;
}

void limber_deform(limber_vertex vertex, int character, out vec3 position, out vec3 normal) {
    limber_skin(vertex, character, position, normal);
    limber_displace(vertex, character, position, normal);
}
