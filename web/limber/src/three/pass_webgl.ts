// Passes for WebGLRenderer.
import { GLSL3, NoBlending, ShaderMaterial } from 'three';
import type { IUniform, Material, Mesh } from 'three';
import { SMEAR_GLSL } from '../smear.generated.js';
import type { PackedFormula } from '../smear_pack.js';
import type { Features } from './features.js';
import { glslFormulas } from './formulas.js';
import { standIn } from './material.js';
import type { PassName, PassTechnique, PassTextures, Put, Uniforms } from './material.js';
import { limberChunk } from './shader.js';

const OPTIONS = { glslVersion: GLSL3, blending: NoBlending, depthTest: false, depthWrite: false } as const;
const FRAGMENT = 'in vec4 told;\nout vec4 texel;\nvoid main() {\n    texel = told;\n}\n';
const PLACED = (rows: number) =>
  `gl_Position = at < 0 ? vec4(2.0, 2.0, 0.0, 1.0) : vec4((vec2(at & 1023, at >> 10) + 0.5) / vec2(512.0, ${rows / 2}) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;`;

// Compilers drop those that a pass does not read.
const SAMPLERS = ['ring', 'fixed', 'now', 'chunks', 'sizes', 'moved', 'points']
  .map((name) => `uniform highp sampler2D limber_smear_${name};\n`)
  .join('');

const DEFORM = (rows: number) => /* glsl */ `
#ifdef LIMBER_SKIN
in vec4 skinIndex;
in vec4 skinWeight;
#endif
#include <morphtarget_pars_vertex>
${limberChunk}
uniform int limber_put;
out vec4 told;

void main() {
    vec3 objectNormal = vec3(normal);
    #include <morphnormal_vertex>
    vec3 transformed = vec3(position);
    #include <morphtarget_vertex>
    vec3 p, n;
    limber_deform(limber_gather(transformed, objectNormal), 0, p, n);
    told = gl_InstanceID == 0 ? vec4(p, 1.0) : vec4(n, 0.0);
    int at = limber_put + 2 * (limber_first_vertex + gl_VertexID) + gl_InstanceID;
    ${PLACED(rows)}
}
`;

function deform(
  mesh: Mesh,
  skinned: boolean,
  uniforms: Uniforms,
  features: Features,
  put: Put,
  rows: number,
): Material {
  const material = new ShaderMaterial({ ...OPTIONS, vertexShader: DEFORM(rows), fragmentShader: FRAGMENT });
  return standIn(material, mesh, skinned, { ...uniforms, limber_put: put }, features);
}

function smear(name: PassName, textures: PassTextures, formulas: readonly PackedFormula[], rows: number): Material {
  return new ShaderMaterial({
    ...OPTIONS,
    uniforms: textures as unknown as Record<string, IUniform>,
    vertexShader: `${SAMPLERS}out vec4 told;\n${SMEAR_GLSL[name].replace('//FORMULAS', () => glslFormulas(formulas))}
void main() {
    told = limber_pass_${name}(gl_VertexID, gl_InstanceID);
    int at = limber_put_${name}(gl_VertexID, gl_InstanceID);
    ${PLACED(rows)}
}
`,
    fragmentShader: FRAGMENT,
  });
}

/** Vertex colors are there, with four numbers. */
function fade(material: Material): Material {
  const before = material.onBeforeCompile;
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    shader.vertexShader = shader.vertexShader.replace(
      '#include <color_vertex>',
      '#include <color_vertex>\n#ifdef USE_COLOR_ALPHA\nvColor.a *= limber_place(0).w;\n#endif',
    );
  };
  const key = material.customProgramCacheKey();
  material.customProgramCacheKey = () => `${key} limber fade`;
  return material;
}

export const WEBGL_PASSES: PassTechnique = { deform, smear, fade };
