// Files that are converted when they are opened: .fbx, and .glb with Draco's compression. What does that is loaded when
// the first such file comes.
import { FileError } from '../core/file_error';

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

/** The bytes to open: those of the file, or a .glb made of it. */
export async function converted(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    if (/\.fbx$/i.test(name)) return await (await import('./fbx')).glbOfFbx(bytes);
    if (/\.(glb|vrm)$/i.test(name) && isDraco(bytes)) return await unpacked(bytes);
    return bytes;
  } catch (error) {
    throw new FileError(`${name} cannot be read`, (error as Error).message);
  }
}
