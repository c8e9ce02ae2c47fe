// Files that are converted when they are opened: .fbx, .gltf with other files, and what has Draco's compression. What
// does that is loaded when the first such file comes.
import type { FileKind } from '../core/document';
import { FileError } from '../core/file_error';
import type { Beside } from './beside';
import type { Gltf } from './glb';
import { packed, refersOutside } from './pack';

const DRACO = 'KHR_draco_mesh_compression';

/** Whether the JSON of a .glb names Draco. */
function isDraco(bytes: Uint8Array): boolean {
  if (bytes.length < 20) return false;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  return new TextDecoder().decode(bytes.subarray(20, 20 + length)).includes(DRACO);
}

function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  const worker = new Worker(new URL('./draco.ts', import.meta.url), { type: 'module' });
  return new Promise<Uint8Array>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message || 'Draco cannot be loaded'));
    worker.onmessage = ({ data }: MessageEvent<{ glb: Uint8Array } | { error: string }>) => {
      if ('glb' in data) resolve(data.glb);
      else reject(new Error(data.error));
    };
    worker.postMessage(bytes);
  }).finally(() => worker.terminate());
}

/** The JSON of a .gltf; undefined if it is damaged, which the loader explains. */
function jsonOf(bytes: Uint8Array): Gltf | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Gltf;
  } catch {
    return undefined;
  }
}

export interface Converted {
  kind: FileKind;
  bytes: Uint8Array;
}

/** What to open: the file itself, or a .glb made of it and of what lies beside it. */
export async function converted(name: string, file: Converted, beside: Beside): Promise<Converted> {
  let { kind, bytes } = file;
  try {
    if (/\.fbx$/i.test(name)) bytes = await (await import('./fbx')).glbOfFbx(bytes, beside);
    const json = kind === 'gltf' ? jsonOf(bytes) : undefined;
    if (json && (refersOutside(json) || json.extensionsUsed?.includes(DRACO)))
      [kind, bytes] = ['glb', await packed(name, json, beside)];
    if (kind === 'glb' && isDraco(bytes)) bytes = await unpacked(bytes);
    return { kind, bytes };
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(`${name} cannot be read`, (error as Error).message);
  }
}
