// A .gltf with what it refers to as one .glb: buffers one after the other, and pictures behind them.
import { bytesOf } from './beside';
import type { Beside } from './beside';
import { writeGlb } from './glb';
import type { Gltf } from './glb';

const TYPES: Record<string, string> = { png: 'image/png', webp: 'image/webp', ktx2: 'image/ktx2', avif: 'image/avif' };

const MESHOPT = 'EXT_meshopt_compression';

interface Place {
  buffer: number;
  byteOffset?: number;
}

/** The kind of a picture, as its address says. */
function typeOf(uri: string): string {
  const ending = uri.toLowerCase().split(/[.;,]/);
  if (uri.startsWith('data:')) return uri.slice(5).split(/[;,]/)[0];
  return TYPES[ending[ending.length - 1]] ?? 'image/jpeg';
}

/** Whether a .gltf refers to other files. */
export const refersOutside = ({ buffers = [], images = [] }: Gltf): boolean =>
  [...buffers, ...images].some(({ uri }) => uri !== undefined && !uri.startsWith('data:'));

export async function packed(name: string, json: Gltf, beside: Beside): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const put = (bytes: Uint8Array): number => {
    const at = size;
    const rest = (4 - (bytes.length % 4)) % 4;
    parts.push(bytes, new Uint8Array(rest));
    size += bytes.length + rest;
    return at;
  };
  const buffers: NonNullable<Gltf['buffers']> = [{ byteLength: 0 }];
  const places: { buffer: number; byteOffset: number }[] = [];
  for (const buffer of json.buffers ?? [])
    if (buffer.uri === undefined)
      places.push({ buffer: buffers.push(buffer) - 1, byteOffset: 0 }); // meshoptimizer's: there is nothing in it
    else places.push({ buffer: 0, byteOffset: put(await bytesOf(name, buffer.uri, beside)) });
  const moved = <T extends Place>(view: T): T => {
    const place = places[view.buffer] ?? { buffer: 0, byteOffset: 0 };
    return { ...view, buffer: place.buffer, byteOffset: place.byteOffset + (view.byteOffset ?? 0) };
  };
  const views = (json.bufferViews ?? []).map((view) => {
    const packedView = view.extensions?.[MESHOPT];
    return packedView
      ? { ...moved(view), extensions: { ...view.extensions, [MESHOPT]: moved(packedView) } }
      : moved(view);
  });
  const images = [];
  for (const image of json.images ?? []) {
    if (image.uri === undefined) {
      images.push(image);
      continue;
    }
    const { uri, ...rest } = image;
    const bytes = await bytesOf(name, uri, beside);
    views.push({ buffer: 0, byteOffset: put(bytes), byteLength: bytes.length });
    images.push({ ...rest, bufferView: views.length - 1, mimeType: image.mimeType ?? typeOf(uri) });
  }
  const whole = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  buffers[0].byteLength = whole.length;
  const made: Gltf = { ...json, buffers, bufferViews: views };
  if (images.length) made.images = images;
  return writeGlb(made, whole);
}
