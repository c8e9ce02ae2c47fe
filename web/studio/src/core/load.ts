// Loads a file into three.js objects. Errors are sentences for the person who dropped the file.
import type { AnimationClip, Light, Mesh, Object3D } from 'three';
import { Group, LoadingManager } from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Engine, Style } from 'limber/engine';
import { LimberStyle } from 'limber/three';
import { objectOfBvh } from './bvh';
import type { SourceFile } from './document';
import { FileError } from './file_error';

/** The contents of a file, unmodified. */
export interface Loaded {
  readonly file: SourceFile;
  readonly object: Object3D;
  readonly clips: readonly AnimationClip[];
  /** The style stored in the file. */
  readonly style?: Style;
  /** The node, mesh and primitive of the glTF file for each object. */
  readonly places?: ReadonlyMap<object, FilePlace>;
}

export interface FilePlace {
  nodes?: number;
  meshes?: number;
  primitives?: number;
}

/** Checks for problems that the loader would not explain, and returns the JSON. */
function jsonOf({ name, kind, bytes }: SourceFile): { buffers?: { uri?: string }[]; images?: { uri?: string }[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = bytes;
  if (kind === 'glb') {
    if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67)
      throw new FileError(`${name} is not a .glb file`, 'It does not start with "glTF".');
    const version = view.getUint32(4, true);
    const length = view.getUint32(8, true);
    const json = view.getUint32(12, true);
    if (version !== 2) throw new FileError(`${name} is glTF version ${version}`, 'Only version 2 is supported.');
    if (length > bytes.length || 20 + json > bytes.length)
      throw new FileError(`${name} is incomplete`, `It has ${bytes.length} of ${length} bytes.`);
    text = bytes.subarray(20, 20 + json);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (error) {
    throw new FileError(`${name} is damaged`, `Its JSON is invalid: ${(error as Error).message}`);
  }
}

function expectWhole(file: SourceFile): void {
  const json = jsonOf(file);
  const outside = [...(json.buffers ?? []), ...(json.images ?? [])].find(({ uri }) => uri && !uri.startsWith('data:'));
  if (outside)
    throw new FileError(
      `${file.name} refers to another file, ${decodeURI(outside.uri!)}`,
      'Drop it together with that file, or drop the whole folder.',
    );
}

async function loadGltf(file: SourceFile): Promise<Loaded> {
  expectWhole(file);
  const loader = new GLTFLoader(new LoadingManager());
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => new LimberStyle(parser));
  const { bytes } = file;
  const whole =
    bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
  try {
    const gltf = await loader.parseAsync(whole as ArrayBuffer, '');
    return {
      file,
      object: gltf.scene,
      clips: gltf.animations,
      style: gltf.scene.userData.limberStyle as Style | undefined,
      places: gltf.parser.associations as ReadonlyMap<object, FilePlace>,
    };
  } catch (error) {
    const why = (error as Error)?.message ?? String(error);
    if (error instanceof RangeError)
      throw new FileError(`${file.name} is damaged`, 'It refers to data beyond its end.');
    throw new FileError(`${file.name} cannot be read`, why);
  }
}

/** Lights in the file would change the lighting of the stage. */
function tidy(object: Object3D): void {
  object.traverse((one) => {
    if ((one as Light).isLight) one.visible = false;
    if (!(one as Mesh).isMesh) return;
    one.castShadow = true;
    one.receiveShadow = true;
  });
}

export async function load(engine: Engine, file: SourceFile): Promise<Loaded> {
  const loaded = file.kind === 'bvh' ? { file, ...objectOfBvh(engine, file) } : await loadGltf(file);
  let meshes = 0;
  loaded.object.traverse((one) => (meshes += (one as Mesh).isMesh ? 1 : 0));
  if (!meshes) throw new FileError(`${file.name} has no mesh`);
  tidy(loaded.object);
  const holder = new Group(); // gives clips that animate the scene itself a parent to move in
  holder.add(loaded.object);
  return loaded;
}
