// Materials with limber as a node, for WebGPURenderer. `positionNode` comes after morph targets and skinning, and is what
// shadow and override materials take over; limber skins by itself, so the position before it is not used.
import { Vector4 } from 'three';
import type { BufferGeometry, IUniform, Material, Mesh, WebGLRenderer } from 'three';
import {
  attribute,
  Fn,
  glsl,
  glslFn,
  instanceIndex,
  int,
  ivec2,
  morphReference,
  normalGeometry,
  normalLocal,
  positionGeometry,
  positionLocal,
  tangentLocal,
  textureLoad,
  uniform,
  uvec4,
  vec3,
  vec4,
  vertexIndex,
  wgsl,
  wgslFn,
} from 'three/tsl';
import { RUN_GLSL, RUN_WGSL } from '../nodes.generated.js';
import { SHADER } from '../shader.generated.js';
import type { Defines, Features } from './features.js';
import { childOf, keepVersion } from './material.js';
import type { Technique, Uniforms } from './material.js';
import { nameOf } from './rig.js';
import { HEAD } from './shader.js';
import { LimberError } from '../wasm.js';

/** Nodes are typed by what they compute, which says nothing about native code. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Any = any;

const TEXTURES = ['limber_texture', 'limber_obeyed', 'limber_place_texture', 'limber_column_texture'] as const;
const SETTING_VECTORS = 8;

// --- native code ---

/** Constants for parts of the shader that no style has asked for, so that compilers drop them. */
function withoutParts(code: string, may: Defines): string {
  const sets: Record<string, number> = {
    kinds: may.LIMBER_MAY_KINDS,
    folds: may.LIMBER_MAY_FOLDS,
    sources: may.LIMBER_MAY_SOURCES,
  };
  const off = new Map<number, number>();
  if (!may.LIMBER_MAY_SKINNING) off.set(0, 0);
  if (!may.LIMBER_MAY_KINDS) off.set(1, 0);
  if (!may.LIMBER_MAY_FOLDS) off.set(2, 0);
  if (!may.LIMBER_MAY_CHAIN) off.set(9, 0);
  if (!may.LIMBER_MAY_RIGID) off.set(10, -1);
  if (!may.LIMBER_MAY_GROUND) off.set(11, 0);
  if (!may.LIMBER_MAY_COLLIDERS) off.set(13, -1);
  if (!may.LIMBER_MAY_LIFT_NORMAL) off.set(14, -1);
  return code
    .replace(/(fn limber_setting_(\d+)_\(\) -> i32 \{)[^}]*\}/g, (all, head: string, index: string) =>
      off.has(Number(index)) ? `${head} return ${off.get(Number(index))}i; }` : all,
    )
    .replace(/(fn limber_has_([a-z]+)_(\d+)_\(\) -> bool \{)[^}]*\}/g, (all, head: string, set: string, bit: string) =>
      sets[set] & Number(bit) ? all : `${head} return false; }`,
    );
}

const settingNames = Array.from({ length: SETTING_VECTORS }, (_, i) => `s${i}`);

function wgslProgram(features: Features): Any {
  const settings = settingNames.map((name, i) => `limber_settings[${i}] = ${name};`).join(' ');
  return wgslFn(
    `fn limber_node(a0: vec4<f32>, a1: vec4<f32>, a2: vec4<f32>, a3: vec4<i32>, ${settingNames.map((name) => `${name}: vec4<i32>`).join(', ')}, draw: vec4<i32>, index: i32, instance: i32, place: vec3<f32>, direction: vec3<f32>, joints: vec4<u32>, weights: vec4<f32>, local: mat4x4<f32>, turn: mat3x3<f32>) -> mat3x3<f32> { ${settings} return limber_run(draw, index, instance, place, direction, joints, weights, local, turn); }`,
    [wgsl(withoutParts(RUN_WGSL, features.defines)) as Any],
  );
}

function glslProgram(features: Features): Any {
  const defines = Object.entries(features.defines).map(([name, value]) => `#define ${name} ${value}\n`);
  const shader = SHADER.replace(/^uniform highp int limber_settings.*$/m, 'int limber_settings[32];').replace(
    /^uniform highp sampler2D.*$/gm,
    '',
  );
  const settings = settingNames
    .map((name, i) => [...'xyzw'].map((axis, k) => `limber_settings[${4 * i + k}] = ${name}.${axis};`).join(' '))
    .join(' ');
  return glslFn(
    `mat3 limber_node(vec4 a0, vec4 a1, vec4 a2, ivec4 a3, ${settingNames.map((name) => `ivec4 ${name}`).join(', ')}, ivec4 draw, int index, int instance, vec3 place, vec3 direction, uvec4 joints, vec4 weights, mat4 local, mat3 turn) { ${settings} return limber_run(draw, index, instance, place, direction, joints, weights, local, turn); }`,
    [glsl(`${defines.join('')}${HEAD}${shader}${RUN_GLSL}\n#undef sin\n#undef cos\n`) as Any],
  );
}

// --- nodes ---

/** Textures with the same content, such as the empty ones, still have a name each. */
export function named(node: Any, name: string): Any {
  node.getUniformHash = () => `${name} ${node.uuid}`;
  return node.setName(name);
}

/** WebGPU has other names for formats, and three.js finds them. */
export function plain(value: Any): Any {
  if (value.isTexture && value.internalFormat) value.internalFormat = null;
  return value;
}

/** The nodes of a mesh, and where their values come from. */
class Wiring {
  private readonly links: { node: Any; from: IUniform }[] = [];
  private readonly settings = settingNames.map(() => uniform(new Vector4(), 'ivec4' as Any) as Any);
  private readonly draw = uniform(new Vector4(), 'ivec4' as Any) as Any;
  private readonly anchors: Any[];
  private readonly local: Any;
  private readonly turn: Any;

  constructor(
    private readonly uniforms: Uniforms,
    private readonly skinned: boolean,
    private readonly features: Features,
  ) {
    // Native code knows textures by their names. Reading a texel of each makes three.js declare them.
    this.anchors = TEXTURES.map((name) =>
      this.linked(named((textureLoad as Any)(plain(uniforms[name].value), ivec2(0, 0)), name), uniforms[name]),
    );
    this.local = this.linked(uniform(uniforms.limber_local.value), uniforms.limber_local);
    this.turn = this.linked(uniform(uniforms.limber_local_normal.value), uniforms.limber_local_normal);
  }

  private linked(node: Any, from: IUniform): Any {
    this.links.push({ node, from });
    return node;
  }

  refresh(): void {
    for (const { node, from } of this.links) if (node.value !== from.value) node.value = plain(from.value);
    const { uniforms } = this;
    const numbers = uniforms.limber_settings.value as Int32Array;
    this.settings.forEach((node, i) => node.value.fromArray(numbers, 4 * i));
    this.draw.value.set(
      this.features.defines.LIMBER_CROWD ? 2 : uniforms.limber_places.value,
      uniforms.limber_column_vectors.value,
      uniforms.limber_first_joint.value,
      uniforms.limber_first_vertex.value,
    );
  }

  /** Morph targets once more, since the position that three.js gives is skinned already. */
  private morphed({ geometry, object }: { geometry: BufferGeometry; object: Mesh }): { place: Any; direction: Any } {
    const bare = geometry.hasAttribute('normal') ? normalGeometry : vec3(0, 0, 0);
    if (!geometry.morphAttributes.position && !geometry.morphAttributes.normal)
      return { place: positionGeometry, direction: bare };
    (positionLocal as Any).assign(positionGeometry);
    (normalLocal as Any).assign(bare);
    (morphReference as Any)(object);
    return { place: (positionLocal as Any).toVar(), direction: (normalLocal as Any).toVar() };
  }

  private call(program: Any, builder: Any): Any {
    const { skinned } = this;
    const { place, direction } = this.morphed(builder);
    return program(
      ...this.anchors,
      ...this.settings,
      this.draw,
      int(vertexIndex),
      int(instanceIndex),
      place,
      direction,
      skinned ? uvec4((attribute as Any)('skinIndex', 'uvec4')) : uvec4(0, 0, 0, 0),
      skinned ? (attribute as Any)('skinWeight', 'vec4') : vec4(1, 0, 0, 0),
      this.local,
      this.turn,
    );
  }

  position(): Any {
    return (Fn as Any)((_: unknown, builder: Any) => {
      const webgpu = builder.renderer.backend.isWebGPUBackend === true;
      const all = this.call((webgpu ? wgslProgram : glslProgram)(this.features), builder).toVar();
      if (builder.geometry.hasAttribute('normal')) {
        const normal = vec3(all.element(1)).toVar() as Any;
        (normalLocal as Any).assign(normal);
        if (builder.geometry.hasAttribute('tangent'))
          (tangentLocal as Any).subAssign(
            normal.mul((tangentLocal as Any).dot(normal).div(normal.dot(normal).max(1e-30))),
          );
      }
      return vec3(all.element(0));
    })();
  }
}

// --- materials ---

const wirings = new WeakMap<Material, Wiring>();

function checkMaterial(material: Material, mesh: Mesh): void {
  const place = `mesh ${nameOf(mesh)}, material '${material.name || material.type}'`;
  if ((material as Any).positionNode)
    throw new LimberError('the material has a positionNode of its own, where limber goes', 'unsupported', place);
  if ((material as Any).isShaderMaterial)
    throw new LimberError('WebGPURenderer does not draw ShaderMaterials', 'unsupported', place);
}

export function standIn(
  original: Material,
  mesh: Mesh,
  skinned: boolean,
  uniforms: Uniforms,
  features: Features,
): Material {
  checkMaterial(original, mesh);
  const made = childOf(original) as Any;
  const wiring = new Wiring(uniforms, skinned, features);
  wirings.set(made, wiring);
  keepVersion(made, original, features);
  let version = -1;
  let node: Any;
  Object.defineProperty(made, 'positionNode', {
    enumerable: true,
    // A new program for each set of parts.
    get: () => {
      if (version !== features.version) node = wiring.position();
      version = features.version;
      return node;
    },
    set: () => undefined,
  });
  made.customProgramCacheKey = () => `limber ${made.uuid} ${made.version}`;
  return made;
}

function checkRenderer(renderer: WebGLRenderer, mesh: Mesh): void {
  if ((renderer as Any).isWebGLRenderer)
    throw new LimberError(
      "limber/webgpu works with WebGPURenderer; with WebGLRenderer, import { limber } from 'limber/three'",
      'unsupported',
      `mesh ${nameOf(mesh)}`,
    );
}

/** For WebGPURenderer. */
export const NODE_MATERIALS: Omit<Technique, 'passes'> = {
  standIn,
  checkRenderer,
  shadows: false,
  refresh: (made) => wirings.get(made)?.refresh(),
};
