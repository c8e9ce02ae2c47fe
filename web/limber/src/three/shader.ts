// GLSL around limber's shader: reads the inputs of a vertex and transforms the result back to mesh space.
import { SHADER } from '../shader.generated.js';

// Depth and unlit materials need no normals, unless they have an environment map.
export const HEAD = /* glsl */ `
#define LIMBER_DYNAMIC 1
#ifndef LIMBER_MAY_SKINNING
#define LIMBER_MAY_SKINNING 1
#endif
#ifndef LIMBER_MAY_SOURCES
#define LIMBER_MAY_SOURCES 31
#endif
#define LIMBER_INFLUENCES 4
#define LIMBER_COLUMN_VECTORS 4
#if defined(LIMBER_UNLIT) && !defined(USE_ENVMAP)
#define LIMBER_NORMALS 0
#else
#define LIMBER_NORMALS 1
#endif

// The shader needs sines within a quarter turn only. The built-in ones of some GPUs are off by 2e-4.
float limber_sine(float x) {
    float q = x * x;
    return x * (1.0 + q * (-1.0 / 6.0 + q * (1.0 / 120.0 + q * (-1.0 / 5040.0 + q * (1.0 / 362880.0 - q / 39916800.0)))));
}

float limber_cosine(float x) {
    float s = limber_sine(0.5 * x);
    return 1.0 - 2.0 * s * s;
}
#define sin limber_sine
#define cos limber_cosine
`;

const TAIL = /* glsl */ `
#undef sin
#undef cos

uniform highp isampler2D limber_column_texture; // normalized int16, limber_column_vectors times four per vertex; two times four per texel
uniform highp sampler2D limber_place_texture;   // positions and normals: two texels per vertex
uniform int limber_places;                      // 1: read them from there; 0: compute them here
uniform int limber_column_vectors;
uniform int limber_first_joint;                 // first joint of the mesh's skin, in the list of all skins
uniform int limber_first_vertex;                // first vertex of the mesh, in the list of all meshes
uniform mat4 limber_local;                      // world space to mesh space
uniform mat3 limber_local_normal;               // the same, for normals

// A crowd is drawn as instances of one mesh. Its texture starts with four texels for each: the rows of its matrix, then
// where its frame starts.
#if defined(LIMBER_CROWD) && LIMBER_CROWD == 1
#if defined(LIMBER_SKIN) && !defined(USE_SKINNING)
in vec4 skinIndex;
in vec4 skinWeight;
#endif
#define LIMBER_CHARACTER int(limber_texel(4 * gl_InstanceID + 3).x)
#else
#define LIMBER_CHARACTER 0
#endif

limber_vertex limber_gather(vec3 position, vec3 normal) {
    limber_vertex vertex;
    vertex.position = position;
    vertex.normal = normal;
#ifdef LIMBER_SKIN
    float sum = dot(skinWeight, vec4(1.0));
    vertex.joints[0] = uvec4(skinIndex) + uint(limber_first_joint);
    vertex.weights[0] = sum > 0.0 ? skinWeight / sum : vec4(1.0, 0.0, 0.0, 0.0);
#else
    vertex.joints[0] = uvec4(limber_first_joint);
    vertex.weights[0] = vec4(1.0, 0.0, 0.0, 0.0);
#endif
    for (int i = 0; i < LIMBER_COLUMN_VECTORS; i++) {
        vertex.columns[i] = vec4(1.0);
        if (i >= limber_column_vectors)
            continue;
        int at = (limber_first_vertex + gl_VertexID) * limber_column_vectors + i;
        ivec4 two = texelFetch(limber_column_texture, ivec2((at >> 1) & 511, at >> 10), 0);
        ivec2 bits = (at & 1) == 0 ? two.xy : two.zw;
        vertex.columns[i] = vec4((ivec4(bits.x, bits.x >> 16, bits.y, bits.y >> 16) << 16) >> 16) / 32767.0;
    }
    return vertex;
}

vec4 limber_place(int which) {
    int at = 2 * (limber_first_vertex + gl_VertexID) + which;
    return texelFetch(limber_place_texture, ivec2(at & 1023, at >> 10), 0);
}

#if defined(LIMBER_CROWD) && LIMBER_CROWD == 1
vec3 limber_direction(vec3 d) {
    int at = 4 * gl_InstanceID;
    return vec3(dot(limber_texel(at).xyz, d), dot(limber_texel(at + 1).xyz, d), dot(limber_texel(at + 2).xyz, d));
}

void limber_to_local(vec3 p, vec3 n, out vec3 position, out vec3 normal) {
    int at = 4 * gl_InstanceID;
    vec4 x = limber_texel(at), y = limber_texel(at + 1), z = limber_texel(at + 2);
    position = vec3(dot(x, vec4(p, 1.0)), dot(y, vec4(p, 1.0)), dot(z, vec4(p, 1.0)));
    vec3 across = cross(y.xyz, z.xyz); // the inverse transpose, up to a factor
    normal = sign(dot(x.xyz, across)) * vec3(dot(across, n), dot(cross(z.xyz, x.xyz), n), dot(cross(x.xyz, y.xyz), n));
}
#else
vec3 limber_direction(vec3 d) {
    return mat3(limber_local) * d;
}

void limber_to_local(vec3 p, vec3 n, out vec3 position, out vec3 normal) {
    position = (limber_local * vec4(p, 1.0)).xyz;
    normal = limber_local_normal * n;
}
#endif

// Deforms a vertex of the rest pose (after morph targets) and its normal, in mesh space.
void limber(inout vec3 position, inout vec3 normal) {
    vec3 p = limber_place(0).xyz, n = limber_place(1).xyz;
    if (limber_places == 0)
        limber_deform(limber_gather(position, normal), LIMBER_CHARACTER, p, n);
    limber_to_local(p, n, position, normal);
}

// The same with a tangent that follows the surface.
void limber(inout vec3 position, inout vec3 normal, inout vec3 tangent) {
    if (limber_places == 1) {
        limber_to_local(limber_place(0).xyz, limber_place(1).xyz, position, normal);
        tangent -= dot(tangent, normal) / max(dot(normal, normal), 1e-30) * normal;
        return;
    }
    int character = LIMBER_CHARACTER;
    vec3 p, n, end, unused;
    limber_vertex vertex = limber_gather(position, normal);
    limber_skin(vertex, character, p, n);
    vertex.position += tangent; // skinning is affine
    limber_skin(vertex, character, end, unused);
    vec3 t = end - p;
    mat3 at = mat3(p, t, cross(n, t));
    mat3 moved = limber_displacement(vertex, character, at, n);
    vec3 shift = mix(vec3(0.0), moved[0], lessThan(abs(moved[0]), vec3(1e38)));
    vec3 along = t + moved[1], turned = cross(along, at[2] + moved[2]), skinned_normal = n;
    float size = length(turned);
    if (size > 1e-12 && size < 1e12 && dot(moved[0], moved[0]) > 0.0) {
        n = turned / size;
        t = along;
    }
#if LIMBER_MAY_GROUND == 1
    if (LIMBER_GROUND == 1) {
        n = limber_shaped_normal(character, p, shift, n);
        float keep = limber_grounded(vertex, character, p, shift);
        n = limber_grounded_normal(keep, skinned_normal, n);
        t = mix(at[1], t + limber_body_stretch(character) * t, keep);
    }
#endif
    limber_part part = limber_part_of(vertex, character);
    if (part.hold > 0.0) {
        shift = limber_held(part, p, shift);
        n = limber_held_normal(part, skinned_normal, n);
        t = mix(t, limber_turned(part, at[1]), part.hold);
    }
#if LIMBER_MAY_COLLIDERS == 1
    if (LIMBER_COLLIDERS >= 0) {
        limber_collide(vertex, character, p, shift, n);
        t -= dot(t, n) / max(dot(n, n), 1e-30) * n;
    }
#endif
    limber_to_local(p + shift, n, position, normal);
    tangent = limber_direction(t);
}
`;

/**
 * For your own shaders (GLSL ES 3.00): place it before `main` in the vertex shader, and call `limber(position, normal)`
 * in `main`. Both are in mesh space, before and after. `limber()` accepts materials with such a shader and provides the
 * uniforms.
 */
export const limberChunk: string = HEAD + SHADER + TAIL;

const PARS = '#include <skinning_pars_vertex>';
const BASE = '#include <skinbase_vertex>';
const NORMAL = '#include <skinnormal_vertex>';
const POSITION = '#include <skinning_vertex>';

// In the shaders of three.js, normals are computed before positions, but limber needs the position for both. So morph
// targets are applied here as well. The braces keep the variable names local.
const AT_NORMAL = /* glsl */ `
#define LIMBER_DONE
vec3 limber_position;
{
    vec3 transformed = vec3(position);
    #include <morphtarget_vertex>
    limber_position = transformed;
}
#ifdef USE_TANGENT
limber(limber_position, objectNormal, objectTangent);
#else
limber(limber_position, objectNormal);
#endif
`;

const AT_POSITION = /* glsl */ `
#ifdef LIMBER_DONE
transformed = limber_position;
#else
{
    vec3 objectNormal = vec3(normal);
    #include <morphnormal_vertex>
    limber(transformed, objectNormal);
}
#endif
`;

/** Whether a vertex shader already calls limber. */
export const callsLimber = (source: string): boolean =>
  /\blimber\s*\(/.test(source) && source.includes('limber_texture');

/** Whether a vertex shader has the includes that `injected` replaces. */
export const canInject = (source: string): boolean => source.includes(PARS) && source.includes(POSITION);

/** Replaces the skinning in a vertex shader of three.js by limber. */
export function injected(source: string): string {
  return source
    .replace(PARS, () => limberChunk)
    .replace(BASE, '')
    .replace(NORMAL, () => AT_NORMAL)
    .replace(POSITION, () => AT_POSITION);
}
