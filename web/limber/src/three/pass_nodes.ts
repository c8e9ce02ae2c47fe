// Passes for WebGPURenderer.
import { MeshBasicMaterial, NoBlending } from 'three';
import type { Material, Mesh } from 'three';
import {
  Fn,
  glsl,
  glslFn,
  instanceIndex,
  int,
  ivec2,
  materialOpacity,
  normalLocal,
  positionLocal,
  textureLoad,
  uniform,
  varying,
  vec4,
  vertexIndex,
  wgsl,
  wgslFn,
} from 'three/tsl';
import { SMEAR_GLSL } from '../smear.generated.js';
import type { PackedFormula } from '../smear_pack.js';
import { SMEAR_WGSL } from '../smear_wgsl.generated.js';
import type { Features } from './features.js';
import { glslFormulas, withWgslFormulas } from './formulas.js';
import type { PassName, PassTechnique, PassTextures, Put, Uniforms } from './material.js';
import { named, standIn } from './nodes.js';
import type { Any } from './nodes.js';

const OPTIONS = { blending: NoBlending, depthTest: false, depthWrite: false } as const;
const onWebGPU = (builder: Any): boolean => builder.renderer.backend.isWebGPUBackend === true;

/** A point of the picture for a texel. Rows of WebGPU begin at the top. */
function placed(at: Any, rows: number, builder: Any): Any {
  const row = at
    .shiftRight(int(10))
    .toFloat()
    .add(0.5)
    .div(rows / 2)
    .sub(1);
  const x = at.bitAnd(int(1023)).toFloat().add(0.5).div(512).sub(1);
  return vec4(at.lessThan(0).select(2, x), onWebGPU(builder) ? row.negate() : row, 0, 1);
}

function material(vertexNode: Any, fragmentNode: Any): Material {
  const made = new MeshBasicMaterial(OPTIONS);
  made.customProgramCacheKey = () => `limber pass ${made.uuid}`;
  return Object.assign(made, { vertexNode, fragmentNode }) as Material;
}

function deform(
  mesh: Mesh,
  skinned: boolean,
  uniforms: Uniforms,
  features: Features,
  put: Put,
  rows: number,
): Material {
  const first = (uniform as Any)(0, 'int').onObjectUpdate(() => put.value);
  const vertexNode = (Fn as Any)((_: unknown, builder: Any) => {
    const at = first.add(int(2).mul(int(vertexIndex).add(uniforms.limber_first_vertex.value))).add(int(instanceIndex));
    return placed((at as Any).toVar(), rows, builder);
  })();
  const texel = (instanceIndex as Any).equal(0).select(vec4(positionLocal as Any, 1), vec4(normalLocal as Any, 0));
  return standIn(material(vertexNode, (varying as Any)(texel)), mesh, skinned, uniforms, features);
}

// Texels of each texture that a pass reads, so that three.js declares it.
const READS: Record<PassName, string[]> = {
  chunk: ['now', 'fixed', 'ring'],
  size: ['now', 'fixed', 'chunks'],
  move: ['now', 'fixed', 'ring', 'sizes'],
  copy: ['now', 'fixed', 'ring', 'moved'],
  point: ['now', 'fixed', 'ring', 'moved'],
  tube: ['points'],
};

function smear(name: PassName, textures: PassTextures, formulas: readonly PackedFormula[], rows: number): Material {
  const anchors = READS[name].map((one) =>
    named((textureLoad as Any)(textures[`limber_smear_${one}`].value, ivec2(0, 0)), `limber_smear_${one}`),
  );
  const call = (webgpu: boolean) => {
    const wgslArguments = anchors.map((_, i) => `a${i}: vec4<f32>, `).join('');
    const glslArguments = anchors.map((_, i) => `vec4 a${i}, `).join('');
    const shared: Any = webgpu
      ? wgsl(withWgslFormulas(SMEAR_WGSL[name], formulas))
      : glsl(SMEAR_GLSL[name].replace('//FORMULAS', () => glslFormulas(formulas)));
    const both = (to: string, wgslType: string, glslType: string) =>
      webgpu
        ? wgslFn(
            `fn limber_call_${to}(${wgslArguments}index: i32, instance: i32) -> ${wgslType} { return limber_${to}_${name}(index, instance); }`,
            [shared],
          )
        : glslFn(
            `${glslType} limber_call_${to}(${glslArguments}int index, int instance) { return limber_${to}_${name}(index, instance); }`,
            [shared],
          );
    return { value: both('pass', 'vec4<f32>', 'vec4') as Any, put: both('put', 'i32', 'int') as Any };
  };
  const known = new Map<boolean, ReturnType<typeof call>>();
  const functions = (builder: Any) => {
    const webgpu = onWebGPU(builder);
    if (!known.has(webgpu)) known.set(webgpu, call(webgpu));
    return known.get(webgpu)!;
  };
  const vertexNode = (Fn as Any)((_: unknown, builder: Any) => {
    const at = functions(builder).put(...anchors, int(vertexIndex), int(instanceIndex));
    return placed((at as Any).toVar(), rows, builder);
  })();
  const value = (Fn as Any)((_: unknown, builder: Any) =>
    functions(builder).value(...anchors, int(vertexIndex), int(instanceIndex)),
  )();
  return material(vertexNode, (varying as Any)(value));
}

function fade(original: Material, uniforms: Uniforms): Material {
  const at = int(vertexIndex).add(uniforms.limber_first_vertex.value).mul(2);
  const texel = (textureLoad as Any)(
    uniforms.limber_place_texture.value,
    ivec2((at as Any).bitAnd(int(1023)), (at as Any).shiftRight(int(10))),
  );
  return Object.assign(original, { opacityNode: (materialOpacity as Any).mul((varying as Any)(texel.w)) });
}

export const NODE_PASSES: PassTechnique = { deform, smear, fade };
