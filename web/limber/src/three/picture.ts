// The pixels of textures, for motion lines that have the color of the surface they start from.
import { SRGBColorSpace } from 'three';
import type { Mesh, MeshStandardMaterial, Texture } from 'three';
import type { Picture } from '../description.js';

const LARGEST = 512; // pixels along a side: lines are few, and nobody sees the details of a pixel

type Drawable = Exclude<CanvasImageSource, VideoFrame>;
type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

function contextOf(width: number, height: number): Context | null {
  if (typeof OffscreenCanvas !== 'undefined') return new OffscreenCanvas(width, height).getContext('2d');
  if (typeof document === 'undefined') return null;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas.getContext('2d');
}

/** Undefined if the picture comes from another site, which does not let its pixels be read. */
function drawn(image: Drawable, width: number, height: number): Picture | undefined {
  const part = Math.min(1, LARGEST / Math.max(width, height));
  const [w, h] = [Math.max(1, Math.round(part * width)), Math.max(1, Math.round(part * height))];
  const context = contextOf(w, h);
  if (!context) return undefined;
  try {
    context.drawImage(image, 0, 0, w, h);
    return { width: w, height: h, pixels: context.getImageData(0, 0, w, h).data };
  } catch {
    return undefined;
  }
}

const srgbFromLinear = (x: number): number => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

function flipped({ width, height, pixels }: Picture): Picture {
  const out = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    out.set(pixels.subarray(4 * width * y, 4 * width * (y + 1)), 4 * width * (height - 1 - y));
  return { width, height, pixels: out };
}

function pixelsOf(texture: Texture): Picture | undefined {
  const image = texture.image as (Partial<Picture> & { data?: ArrayLike<number> }) | undefined;
  const { width = 0, height = 0 } = image ?? {};
  if (!image || !width || !height) return undefined;
  const { data } = image;
  if (!data) return drawn(image as unknown as Drawable, width, height);
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray) || data.length !== 4 * width * height)
    return undefined;
  const linear = texture.colorSpace !== SRGBColorSpace;
  const pixels = Uint8Array.from(data, (x, i) => (linear && i % 4 < 3 ? Math.round(255 * srgbFromLinear(x / 255)) : x));
  return { width, height, pixels };
}

/** The base color texture of a mesh, the way its texture coordinates see it. */
export function textureOf({ material }: Mesh): Picture | undefined {
  const { map } = (Array.isArray(material) ? material[0] : material) as Partial<MeshStandardMaterial>;
  const picture = map ? pixelsOf(map) : undefined;
  return picture && map!.flipY ? flipped(picture) : picture;
}
