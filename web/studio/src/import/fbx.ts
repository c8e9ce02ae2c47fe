// .fbx files as .glb, by three.js: from there on they are like any other file. Loaded when the first one is opened.
import { Group, LoadingManager, MeshStandardMaterial } from 'three';
import type { Material, Mesh, MeshPhongMaterial, Object3D } from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';
import { find } from './beside';
import type { Beside } from './beside';
import { readGlb, writeGlb } from './glb';

const METERS = 0.01; // the unit of FBX is a centimeter, times the factor in the file
const SAME = 1e-6; // vertices that differ by less are one
/** Instead of pictures that are not there. */
const NOTHING =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A manager for pictures inside the file and beside it; `done` waits for them. */
function pictures(beside: Beside): { manager: LoadingManager; done: Promise<void>; begin(): void } {
  const manager = new LoadingManager();
  let finish = () => {};
  const done = new Promise<void>((resolve) => (finish = resolve));
  let loading = false;
  manager.onStart = () => (loading = true);
  manager.onLoad = () => finish();
  manager.setURLModifier((url) => {
    if (/^(blob|data):/.test(url)) return url;
    const file = find(beside, url);
    return file ? URL.createObjectURL(file) : NOTHING;
  });
  return { manager, done, begin: () => void (loading || finish()) };
}

/** What glTF has of a material: color, picture and opacity. */
function plainMaterial(material: Material | undefined): Material {
  if (!material) return new MeshStandardMaterial({ roughness: 0.8 });
  const { name, color, map, opacity, transparent, side, vertexColors, emissive } = material as MeshPhongMaterial;
  const seen = map && (map.image as HTMLImageElement | undefined)?.src !== NOTHING ? map : null;
  const made = new MeshStandardMaterial({ opacity, transparent, side, vertexColors, map: seen, roughness: 0.8 });
  made.name = name;
  if (color) made.color.copy(color);
  if (emissive) made.emissive.copy(emissive);
  return made;
}

function tidy(scene: Object3D): void {
  const gone: Object3D[] = [];
  scene.traverse((one) => {
    if ((one as { isLight?: boolean }).isLight || (one as { isCamera?: boolean }).isCamera) gone.push(one);
    const mesh = one as Mesh;
    if (!mesh.isMesh) return;
    mesh.geometry = mergeVertices(mesh.geometry, SAME);
    const materials = [mesh.material].flat().map(plainMaterial);
    mesh.material = materials.length > 1 ? materials : (materials[0] ?? new MeshStandardMaterial({ roughness: 0.8 }));
    if (materials.length < 2) mesh.geometry.clearGroups();
  });
  for (const one of gone) one.removeFromParent();
}

/** Names as the file has them, which three.js changes, and nothing that it noted down. */
function withNames(bytes: Uint8Array): Uint8Array {
  const { json, bin } = readGlb(bytes);
  for (const node of json.nodes ?? []) {
    const { originalName } = node.extras ?? {};
    if (typeof originalName === 'string') node.name = originalName;
    delete node.extras;
  }
  return writeGlb(json, bin);
}

export async function glbOfFbx(bytes: Uint8Array, beside: Beside): Promise<Uint8Array> {
  const { manager, done, begin } = pictures(beside);
  const whole = bytes.slice().buffer;
  const scene = new FBXLoader(manager).parse(whole, '');
  begin();
  await done;
  tidy(scene);
  const root = new Group();
  root.add(scene);
  root.scale.setScalar(METERS * Number(scene.userData.unitScaleFactor ?? 1));
  const animations = scene.animations.filter((clip) => clip.duration > 0);
  const glb = await new GLTFExporter().parseAsync(root, { binary: true, animations, onlyVisible: false });
  return withNames(new Uint8Array(glb as ArrayBuffer));
}
