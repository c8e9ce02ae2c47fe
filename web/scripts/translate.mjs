// Translates limber_deform.glsl to other shading languages, by naga. The GLSL text stays the only source: what naga
// does not know (uniforms outside of blocks, combined samplers, outerProduct) is replaced before.
import fs from 'node:fs';
import { parseGlsl, validate, writeHlsl, writeMsl, writeSpirv, writeWgsl } from 'naga-wasm';

const folder = new URL('../../render/shaders/', import.meta.url);
const deform = fs.readFileSync(new URL('limber_deform.glsl', folder), 'utf8');

// Sines are needed within a quarter turn only. Built-in ones may be off by 5e-4 (WGSL, MSL, HLSL and Vulkan allow that).
const FUNCTIONS = `
float limber_sine(float x) {
    float q = x * x;
    return x * (1.0 + q * (-1.0 / 6.0 + q * (1.0 / 120.0 + q * (-1.0 / 5040.0 + q * (1.0 / 362880.0 - q / 39916800.0)))));
}

float limber_cosine(float x) {
    float s = limber_sine(0.5 * x);
    return 1.0 - 2.0 * s * s;
}

mat3 limber_outer(vec3 a, vec3 b) {
    return mat3(a * b.x, a * b.y, a * b.z);
}
#define sin limber_sine
#define cos limber_cosine
#define outerProduct limber_outer
`;

// Bits of settings that are asked for one by one, as limber_deform.glsl names them.
const BITS = Object.fromEntries(
  [...deform.matchAll(/^#define (LIMBER_\w+) (\d+)\b/gm)].map(([, name, value]) => [name, Number(value)]),
);

/** Replaces a line that must be there. */
function replaced(text, pattern, by) {
  const out = text.replace(pattern, by);
  if (out === text) throw new Error(`limber_deform.glsl has no ${pattern} any more; adapt the translation`);
  return out;
}

/**
 * Makes the vertex a global variable instead of an argument of every function. Translated arguments are copied in every
 * call, and drivers keep all those copies, since the arrays in them are indexed by numbers that are not constant.
 */
function withGlobalVertex(text) {
  const out = replaced(text, /^struct limber_vertex \{[^}]*\};$/m, (struct) => `${struct}\nlimber_vertex limber_this;`)
    .replace(/^ *limber_vertex vertex;$/gm, '')
    .replace(/\blimber_vertex vertex, /g, '')
    .replace(/(\w\()vertex, /g, '$1')
    .replace(/, vertex(?=[,)])/g, '')
    .replace(/, limber_vertex vertex(?=[,)])/g, '')
    .replace(/\bvertex\./g, 'limber_this.');
  const left = out.replace(/\/\/.*$/gm, '').match(/.*(\bvertex\b|limber_vertex [^l{]).*/);
  if (left) throw new Error(`limber_deform.glsl passes its vertex in a new way: ${left[0]}`);
  return out;
}

const INDEX = { KINDS: 1, FOLDS: 2, SOURCES: 3 };

/**
 * limber_deform.glsl for GLSL 450. `declarations` has its textures, limber_setting_0() … 14() and limber_column_of(int). Whatever depends on the
 * style is asked by a function, so that a program can put constants there, and drivers drop what is not needed.
 */
export function portable({ influences, declarations, more = '' }) {
  const asked = new Set();
  const bit = (set, name) => {
    const value = BITS[name] ?? Number(name);
    asked.add(
      `bool limber_has_${set.toLowerCase()}_${value}() { return (limber_setting_${INDEX[set]}() & ${value}) != 0; }`,
    );
    return `limber_has_${set.toLowerCase()}_${value}()`;
  };
  let text = replaced(deform, /^uniform highp int limber_settings.*$/m, '');
  text = replaced(text, /limber_settings\[(\d+)\]/g, 'limber_setting_$1()');
  text = replaced(text, /limber_settings\[15 \+ \(number\)\]/, 'limber_column_of(number)');
  text = replaced(text, /\(LIMBER_(KINDS|FOLDS|SOURCES) & (\w+)\) != 0/g, (_, set, name) => bit(set, name));
  text = replaced(text, /LIMBER_HAS\(LIMBER_(KINDS|FOLDS), (\w+)\)/g, (_, set, name) => `(${bit(set, name)} ? 1 : 0)`);
  text = replaced(text, /^uniform highp sampler2D limber_texture;.*$/m, '');
  text = replaced(text, /^uniform highp sampler2D limber_obeyed;.*$/m, '');
  text = replaced(text, 'texelFetch(limber_texture, ', 'texelFetch(sampler2D(limber_texture, limber_sampler), ');
  text = replaced(text, 'texelFetch(limber_obeyed, ', 'texelFetch(sampler2D(limber_obeyed, limber_sampler), ');
  return `#version 450
#define LIMBER_DYNAMIC 1
#define LIMBER_MAY_SKINNING 1
#define LIMBER_MAY_SOURCES 31
#define LIMBER_INFLUENCES ${influences}
#define LIMBER_COLUMN_VECTORS 4
${declarations}
${[...asked].sort().join('\n')}
${FUNCTIONS}
${withGlobalVertex(text + more)}
`;
}

// Settings, asked by functions.
const ASKED = `${Array.from({ length: 15 }, (_, i) => `int limber_setting_${i}() { return limber_settings[${i >> 2}][${i & 3}]; }\n`).join('')}
int limber_column_of(int number) {
    return limber_settings[(15 + number) >> 2][(15 + number) & 3];
}
`;

const RESOURCES = `
layout(set = 0, binding = 0) uniform texture2D limber_texture; // RGBA32F, 1024 texels wide
layout(set = 0, binding = 1) uniform texture2D limber_obeyed;  // the same
layout(set = 0, binding = 2) uniform sampler limber_sampler;   // never filters: texels are fetched
layout(set = 0, binding = 3) uniform limber_frame {
    ivec4 limber_settings[8]; // limber_pack_write_settings
    ivec4 limber_draw; // vertices, columns per vertex (column_bytes / 2), first texel of the character, 0
};
${ASKED}`;

// One invocation per vertex.
const COMPUTE = (influences) => `
layout(set = 0, binding = 4) readonly buffer limber_positions_buffer { float limber_position_of[]; };
layout(set = 0, binding = 5) readonly buffer limber_normals_buffer { float limber_normal_of[]; };
layout(set = 0, binding = 6) readonly buffer limber_joints_buffer { uint limber_joints_of[]; };   // limber_pack_write_joints
layout(set = 0, binding = 7) readonly buffer limber_columns_buffer { uint limber_columns_of[]; }; // limber_pack_evaluate
layout(set = 0, binding = 8) buffer limber_deformed_buffer { vec4 limber_deformed[]; };           // position, normal

layout(local_size_x = 64) in;

float limber_short(uint bits) {
    return max(float(int(bits << 16u) >> 16) / 32767.0, -1.0);
}

void main() {
    int u = int(gl_GlobalInvocationID.x);
    if (u >= limber_draw.x)
        return;
    limber_this.position = vec3(limber_position_of[3 * u], limber_position_of[3 * u + 1], limber_position_of[3 * u + 2]);
    limber_this.normal = vec3(limber_normal_of[3 * u], limber_normal_of[3 * u + 1], limber_normal_of[3 * u + 2]);
    int words = ${influences + influences / 2} * u;
    for (int k = 0; k < ${influences / 4}; k++) {
        uint low = limber_joints_of[words + 2 * k], high = limber_joints_of[words + 2 * k + 1];
        int at = words + ${influences / 2} + 4 * k;
        limber_this.joints[k] = uvec4(low & 65535u, low >> 16u, high & 65535u, high >> 16u);
        limber_this.weights[k] = vec4(uintBitsToFloat(limber_joints_of[at]), uintBitsToFloat(limber_joints_of[at + 1]),
                                 uintBitsToFloat(limber_joints_of[at + 2]), uintBitsToFloat(limber_joints_of[at + 3]));
    }
    for (int i = 0; i < 8; i++) {
        vec2 two = vec2(1.0);
        if (2 * i < limber_draw.y) {
            uint bits = limber_columns_of[(limber_draw.y >> 1) * u + i];
            two = vec2(limber_short(bits), limber_short(bits >> 16u));
        }
        limber_this.columns[i >> 1][2 * (i & 1)] = two.x;
        limber_this.columns[i >> 1][2 * (i & 1) + 1] = two.y;
    }
    vec3 position, normal;
    limber_deform(limber_draw.z, position, normal);
    limber_deformed[2 * u] = vec4(position, 1.0);
    limber_deformed[2 * u + 1] = vec4(normal, 0.0);
}
`;

export function computeSource(influences) {
  return portable({ influences, declarations: RESOURCES }) + COMPUTE(influences);
}

export function parse(source, stage = 'compute') {
  const module = parseGlsl(source, { stage });
  return { module, info: validate(module) };
}

// Not all compilers of HLSL take `(int4[1])0`. Nothing is sampled, so no samplers are needed.
function plainHlsl(hlsl) {
  return hlsl
    .replace(/= \((\w+)\[(\d)\]\)0;/g, (_, type, count) => `= {${Array(+count).fill(`(${type})0`).join(', ')}};`)
    .replace(/^.*\bnaga(Comparison)?Sampler.*\n/gm, '')
    .replace(/^.*\bnagaGroup0Sampler.*\n/gm, '');
}

// naga leaves the places of arguments open: textures 0 and 1, buffers 3 to 8 as elsewhere. Sizes of arrays are not used.
function placedMsl(msl) {
  let texture = 0;
  let buffer = 3;
  return msl
    .replace(/struct _mslBufferSizes \{[^}]*\};\n\n/, '')
    .replace(/,? *constant _mslBufferSizes& _buffer_sizes( \[\[user\(fake0\)\]\])?\n/g, '')
    .replace(/, _buffer_sizes\)/g, ')')
    .replace(/^.*\[\[user\(fake0\)\]\]/gm, (line) =>
      line.replace('user(fake0)', /texture2d/.test(line) ? `texture(${texture++})` : `buffer(${buffer++})`),
    )
    .replace(/,\n\) \{/g, '\n) {');
}

/** The compute shader in all languages: { 'glsl/limber_deform.comp': text, …, 'spv/limber_deform.spv': bytes }. */
export function translations() {
  const files = {};
  for (const [influences, name] of [
    [4, 'limber_deform'],
    [8, 'limber_deform8'],
  ]) {
    const source = computeSource(influences);
    const { module, info } = parse(source);
    const words = writeSpirv(module, info);
    files[`glsl/${name}.comp`] = source;
    files[`wgsl/${name}.wgsl`] = writeWgsl(module, info);
    files[`hlsl/${name}.hlsl`] = plainHlsl(writeHlsl(module, info, { shaderModel: '5_1' }));
    files[`msl/${name}.metal`] = placedMsl(writeMsl(module, info));
    files[`spv/${name}.spv`] = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    info.free();
    module.free();
  }
  return files;
}

const RUN_RESOURCES = `
layout(set = 0, binding = 0) uniform texture2D limber_texture;
layout(set = 0, binding = 1) uniform texture2D limber_obeyed;
layout(set = 0, binding = 2) uniform texture2D limber_place_texture;
layout(set = 0, binding = 3) uniform itexture2D limber_column_texture;
layout(set = 0, binding = 4) uniform sampler limber_sampler;
ivec4 limber_settings[8];
${ASKED}`;

// naga drops functions that nobody calls.
const RUN_MAIN = `
layout(location = 0) in vec3 position;
void main() {
    mat3 all = limber_run(ivec4(0), 0, 0, position, position, uvec4(0u), vec4(0.0), mat4(1.0), mat3(1.0));
    gl_Position = vec4(all * position, 1.0);
}
`;

/** Functions for node materials of three.js, in WGSL. They read textures and limber_settings, which the caller declares. */
export function nodeSource(run) {
  const fetched = run
    .replaceAll('texelFetch(limber_place_texture, ', 'texelFetch(sampler2D(limber_place_texture, limber_sampler), ')
    .replaceAll('texelFetch(limber_column_texture, ', 'texelFetch(isampler2D(limber_column_texture, limber_sampler), ');
  const { module, info } = parse(
    portable({ influences: 4, declarations: RUN_RESOURCES, more: fetched }) + RUN_MAIN,
    'vertex',
  );
  const text = writeWgsl(module, info);
  info.free();
  module.free();
  const end = text.indexOf('fn main_1(');
  return text
    .slice(0, end)
    .replace(/@group\(0\) @binding\(\d\) *\nvar [^;]*;\n/g, '')
    .replace(/struct VertexOutput \{[^}]*\}\n/, '')
    .replace(/^var<private> (position|gl_Position|unnamed)\w*:.*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/\n{2,}/g, '\n');
}

// --- live smears (web/limber/shaders/smear.glsl) ---

const FORMULAS = ['amount', 'past', 'opacity', 'length', 'radius', 'taper', 'point', 'dry', 'gap', 'ink', 'fade'];

export const smearPasses = ['chunk', 'size', 'move', 'copy', 'point', 'tube'];

const SMEAR_TEXTURES = ['ring', 'fixed', 'now', 'chunks', 'sizes', 'moved', 'points'];

// Formulas that call every operation, so that naga keeps them; a style's own take their place.
function smearStubs(text) {
  const operations = [...text.matchAll(/^float (limber_op_\w+)\(([^)]*)\)/gm)];
  const calls = operations.map(
    ([, name, args]) =>
      `${name}(${args
        .split(',')
        .map(() => 'x')
        .join(', ')})`,
  );
  const body =
    'return limber_op_all(offset + speed + number + copies) + limber_now_at(columns).x + limber_fixed_at(columns).x;';
  return `float limber_op_all(float x) {\n    return ${calls.join(' + ')};\n}\n${FORMULAS.map(
    (name) =>
      `float limber_formula_${name}(float offset, float speed, float number, float copies, int columns) {\n    ${body}\n}\n`,
  ).join('')}`;
}

/** The functions of smear.glsl that a pass calls. //FORMULAS stands where those of a style go. */
export function smearText(text, pass) {
  const functions = new Map();
  const pattern = /^(?:float|int|vec2|vec3|vec4) (limber_\w+)\([^)]*\) \{\n[^]*?^\}\n/gm;
  for (const [whole, name] of text.matchAll(pattern)) functions.set(name, whole);
  const wanted = new Set();
  const want = (name) => {
    if (name.startsWith('limber_formula_'))
      ['limber_now_at', 'limber_fixed_at', ...operationsOf(functions)].forEach(want);
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const [, called] of (functions.get(name) ?? '').matchAll(/\b(limber_\w+)\(/g)) want(called);
  };
  want(`limber_pass_${pass}`);
  want(`limber_put_${pass}`);
  const kept = [...functions].filter(([name]) => wanted.has(name));
  const formulas = [...wanted].some((name) => name.startsWith('limber_formula_'));
  const of = (early) => kept.filter(([name]) => EARLY.test(name) === early).map(([, whole]) => whole);
  return [...of(true), ...(formulas ? ['//FORMULAS\n'] : []), ...of(false)].join('\n');
}

const EARLY = /^limber_(op_\w+|now_at|fixed_at)$/; // what formulas call
const operationsOf = (functions) => [...functions.keys()].filter((name) => name.startsWith('limber_op_'));

/** A pass in WGSL: limber_pass_NAME and limber_put_NAME with all they call. They read textures that the caller declares. */
export function smearSource(text, pass) {
  const declared = SMEAR_TEXTURES.map(
    (name, i) => `layout(set = 0, binding = ${i}) uniform texture2D limber_smear_${name};\n`,
  ).join('');
  const fetched = smearText(text, pass)
    .replace('//FORMULAS', () => smearStubs(text))
    .replace(/texelFetch\((limber_smear_\w+), /g, 'texelFetch(sampler2D($1, limber_sampler), ');
  const { module, info } = parse(
    `#version 450
${declared}layout(set = 0, binding = 7) uniform sampler limber_sampler;
${fetched}
layout(location = 0) in vec3 position;
void main() {
    int index = int(position.x), instance = int(position.y);
    gl_Position = limber_pass_${pass}(index, instance) * float(limber_put_${pass}(index, instance));
}
`,
    'vertex',
  );
  const wgsl = writeWgsl(module, info);
  info.free();
  module.free();
  return wgsl
    .slice(0, wgsl.indexOf('fn main_1('))
    .replace(/@group\(0\) @binding\(\d\) *\nvar [^;]*;\n/g, '')
    .replace(/struct VertexOutput \{[^}]*\}\n/, '')
    .replace(/^var<private> (position|gl_Position|unnamed)\w*:.*\n/gm, '')
    .replace(/^ +/gm, '')
    .replace(/\n{2,}/g, '\n');
}
