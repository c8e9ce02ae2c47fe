// Materials with limber in their vertex shader.
//
// Each mesh gets a stand-in for its material: an object whose prototype is the material itself. Changes to the original
// material (a color, a texture, needsUpdate) therefore take effect at once, the original stays unmodified, and other
// meshes that share it are not affected.
import { Material, MeshDepthMaterial, MeshDistanceMaterial, RGBADepthPacking } from 'three';
import type {
  IUniform,
  Mesh,
  Object3D,
  ShaderMaterial,
  Texture,
  WebGLProgramParametersWithUniforms,
  WebGLRenderer,
} from 'three';
import type { PackedFormula } from '../smear_pack.js';
import type { Features } from './features.js';
import { nameOf } from './rig.js';
import { callsLimber, canInject, injected } from './shader.js';
import { LimberError } from '../wasm.js';

export type Uniforms = Record<string, IUniform>;
type Shader = WebGLProgramParametersWithUniforms;
type Hooks = { onBeforeRender: Object3D['onBeforeRender'] };

const UNLIT = new Set(['MeshBasicMaterial', 'MeshDepthMaterial', 'MeshDistanceMaterial']);

const isShader = (material: Material): material is ShaderMaterial =>
  (material as ShaderMaterial).isShaderMaterial === true;

function checkMaterial(material: Material, mesh: Mesh): void {
  const place = `mesh ${nameOf(mesh)}, material '${material.name || material.type}'`;
  if ((material as { isNodeMaterial?: boolean }).isNodeMaterial)
    throw new LimberError(
      "node materials need WebGPURenderer: import { limber } from 'limber/webgpu'",
      'unsupported',
      place,
    );
  if (!isShader(material)) return;
  if (callsLimber(material.vertexShader) || canInject(material.vertexShader)) return;
  throw new LimberError(
    'the shader has no place for limber: include <skinning_pars_vertex> and <skinning_vertex>, or put limberChunk before main and call limber(position, normal)',
    'unsupported',
    place,
  );
}

function prepare(shader: Shader, original: Material, mesh: Mesh, uniforms: Uniforms, renderer: WebGLRenderer): void {
  original.onBeforeCompile(shader, renderer);
  Object.assign(shader.uniforms, uniforms);
  if (callsLimber(shader.vertexShader)) return;
  if (!canInject(shader.vertexShader))
    throw new LimberError(
      'onBeforeCompile removes <skinning_pars_vertex> or <skinning_vertex> from the shader, but limber needs both',
      'unsupported',
      `mesh ${nameOf(mesh)}, material '${original.name || original.type}'`,
    );
  shader.vertexShader = injected(shader.vertexShader);
}

// Compiles again when the original asks for it, when the stand-in does, and when the shader needs another part.
export function keepVersion(made: Material, original: Material, features: Features): void {
  let own = 0;
  Object.defineProperty(made, 'version', {
    get: () => original.version + features.version + own,
    set: (version: number) => (own = version - original.version - features.version),
  });
}

/** A stand-in: the material's child with an id of its own. */
export function childOf<T extends Material>(original: T): T {
  const made = Object.create(original) as T & { _listeners: object };
  const fresh = new Material(); // provides a new id and uuid
  Object.defineProperty(made, 'id', { value: fresh.id });
  Object.defineProperty(made, 'uuid', { value: fresh.uuid });
  made._listeners = {};
  return made;
}

/**
 * Hands on to the original what a program has written to a stand-in, which is what it finds as `mesh.material`. `own` are
 * the keys that the stand-in was made with.
 */
function handOn(made: Material, original: Material, own: ReadonlySet<string>): void {
  for (const key of Object.keys(made)) {
    if (own.has(key)) continue;
    const from = made as unknown as Record<string, unknown>;
    (original as unknown as Record<string, unknown>)[key] = from[key];
    delete from[key];
  }
}

/** Creates a stand-in for `original` on `mesh`. */
export function standIn(
  original: Material,
  mesh: Mesh,
  skinned: boolean,
  uniforms: Uniforms,
  features: Features,
): Material {
  checkMaterial(original, mesh);
  const made = childOf(original) as Material & { defines?: Record<string, unknown>; uniforms?: Uniforms };
  let defines = {
    ...(original as { defines?: object }).defines,
    ...(skinned && { LIMBER_SKIN: '' }),
    ...(UNLIT.has(original.type) && { LIMBER_UNLIT: '' }),
  };
  Object.defineProperty(made, 'defines', {
    get: () => ({ ...defines, ...features.defines }),
    set: (given) => (defines = given),
  });
  keepVersion(made, original, features);
  if (isShader(original)) made.uniforms = { ...original.uniforms, ...uniforms };
  made.onBeforeCompile = (shader, renderer) => prepare(shader, original, mesh, uniforms, renderer);
  made.customProgramCacheKey = () => `${original.customProgramCacheKey()} limber`;
  return made;
}

export function checkRenderer(renderer: WebGLRenderer, mesh: Mesh): void {
  if (
    !(renderer as { isWebGLRenderer?: boolean }).isWebGLRenderer &&
    (renderer as { isWebGPURenderer?: boolean }).isWebGPURenderer
  )
    throw new LimberError(
      "limber/three works with WebGLRenderer; with WebGPURenderer, import { limber } from 'limber/webgpu'",
      'unsupported',
      `mesh ${nameOf(mesh)}`,
    );
  if ((renderer.capabilities as { isWebGL2?: boolean })?.isWebGL2 === false)
    throw new LimberError('limber needs WebGL 2', 'unsupported', `mesh ${nameOf(mesh)}`);
}

type OneOrMany = Material | Material[];

export type PassName = 'chunk' | 'size' | 'move' | 'copy' | 'point' | 'tube';
export type PassTextures = Record<string, IUniform<Texture>>;

/** Where the deformed vertices go: their first texel. */
export type Put = IUniform<number>;

/** How a renderer makes texels: see pass.ts. */
export interface PassTechnique {
  /** Deforms the vertices of a mesh. Two instances: positions and normals. */
  deform(mesh: Mesh, skinned: boolean, uniforms: Uniforms, features: Features, put: Put, rows: number): Material;
  /** A pass of shaders/smear.glsl. */
  smear(name: PassName, textures: PassTextures, formulas: readonly PackedFormula[], rows: number): Material;
  /** Makes the opacity of a material follow the fourth number of the positions. */
  fade(material: Material, uniforms: Uniforms): Material;
}

/** How a renderer draws limber. */
export interface Technique {
  standIn(original: Material, mesh: Mesh, skinned: boolean, uniforms: Uniforms, features: Features): Material;
  checkRenderer(renderer: WebGLRenderer, mesh: Mesh): void;
  /** Whether shadows need materials of their own. */
  shadows: boolean;
  /** Called before each frame. */
  refresh?(standIn: Material): void;
  passes: PassTechnique;
}

/** The materials of one mesh while limber deforms it. */
export class MeshMaterials {
  private readonly known = new Map<Material, { made: Material; own: ReadonlySet<string> }>();
  private original: OneOrMany;
  private current: OneOrMany;
  private readonly depth: Material | undefined;
  private readonly distance: Material | undefined;
  private readonly before: Hooks['onBeforeRender'] | undefined;
  private hook: Hooks['onBeforeRender'] | undefined;

  constructor(
    private readonly mesh: Mesh,
    private readonly skinned: boolean,
    readonly uniforms: Uniforms,
    private readonly features: Features,
    private readonly technique: Technique,
  ) {
    this.original = mesh.material;
    this.current = this.replace(mesh.material);
    mesh.material = this.current;
    this.depth = mesh.customDepthMaterial;
    this.distance = mesh.customDistanceMaterial;
    if (technique.shadows) {
      mesh.customDepthMaterial = this.shadow(this.depth ?? new MeshDepthMaterial({ depthPacking: RGBADepthPacking }));
      mesh.customDistanceMaterial = this.shadow(this.distance ?? new MeshDistanceMaterial());
    }
    this.before = Object.hasOwn(mesh, 'onBeforeRender') ? mesh.onBeforeRender : undefined;
    this.watch();
  }

  private shadow(material: Material): Material {
    return this.technique.standIn(material, this.mesh, this.skinned, this.uniforms, this.features);
  }

  /** The renderer is only known when the first frame is drawn. */
  private watch(): void {
    const { mesh } = this;
    const first = mesh.onBeforeRender;
    this.hook = (...args: Parameters<Hooks['onBeforeRender']>) => {
      this.unwatch();
      this.technique.checkRenderer(args[0], mesh);
      first.apply(mesh, args);
    };
    mesh.onBeforeRender = this.hook;
  }

  private unwatch(): void {
    if (this.mesh.onBeforeRender !== this.hook) return;
    if (this.before) this.mesh.onBeforeRender = this.before;
    else delete (this.mesh as Partial<Hooks>).onBeforeRender;
  }

  private replace(material: OneOrMany): OneOrMany {
    return Array.isArray(material) ? material.map((one) => this.replaceOne(one)) : this.replaceOne(material);
  }

  private replaceOne(material: Material): Material {
    const known = this.known.get(material);
    if (known) return known.made;
    const made = this.technique.standIn(material, this.mesh, this.skinned, this.uniforms, this.features);
    this.known.set(material, { made, own: new Set(Object.keys(made)) });
    return made;
  }

  /** Notices when the program has assigned other materials to the mesh, or changed them. Call it before each frame. */
  renew(): void {
    this.notice();
    this.handOnAll();
    if (this.technique.refresh) for (const { made } of this.known.values()) this.technique.refresh(made);
  }

  private handOnAll(): void {
    for (const [original, { made, own }] of this.known) handOn(made, original, own);
  }

  private notice(): void {
    if (this.mesh.material === this.current) return;
    const standIns = new Set<Material>(Array.from(this.known.values(), ({ made }) => made));
    const given = this.mesh.material;
    if (Array.isArray(given) ? given.every((one) => standIns.has(one)) : standIns.has(given)) return;
    this.original = given;
    this.current = this.replace(given);
    this.mesh.material = this.current;
  }

  /** One or several materials, as assigned by the program. */
  get plainAll(): OneOrMany {
    return this.original;
  }

  /** The original material. */
  plain(index = 0): Material {
    return Array.isArray(this.original) ? this.original[index] : this.original;
  }

  dispose(): void {
    const { mesh } = this;
    const shadows = this.technique.shadows ? [mesh.customDepthMaterial, mesh.customDistanceMaterial] : [];
    mesh.material = this.original;
    mesh.customDepthMaterial = this.depth;
    mesh.customDistanceMaterial = this.distance;
    this.unwatch();
    this.handOnAll();
    for (const { made } of this.known.values()) made.dispose();
    for (const made of shadows) made?.dispose();
    this.known.clear();
  }
}
