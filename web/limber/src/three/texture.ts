// Data textures, 1024 texels wide, read with texelFetch.
import { DataTexture, FloatType, IntType, NearestFilter, RGBAFormat, RGBAIntegerFormat } from 'three';
import type { TypedArray } from 'three';

const WIDTH = 1024;

/** A texture and its array. */
export interface Table<T extends TypedArray> {
  texture: DataTexture;
  data: T;
}

function finish<T extends TypedArray>(texture: DataTexture, data: T): Table<T> {
  texture.magFilter = texture.minFilter = NearestFilter;
  texture.generateMipmaps = false;
  texture.unpackAlignment = 4;
  texture.needsUpdate = true;
  return { texture, data };
}

const rowsFor = (texels: number): number => Math.max(1, Math.ceil(texels / WIDTH));

export function floatTable(texels: number): Table<Float32Array> {
  const rows = rowsFor(texels);
  const data = new Float32Array(4 * WIDTH * rows);
  return finish(new DataTexture(data, WIDTH, rows, RGBAFormat, FloatType), data);
}

/**
 * Four int16 each. WebGPURenderer has no integer textures of 16 bits, so two of them are a texel of four int32, and a row
 * has 512.
 */
export function integerTable(count: number): Table<Int16Array> {
  const rows = rowsFor(count);
  const words = new Int32Array(2 * WIDTH * rows);
  const texture = new DataTexture(words, WIDTH / 2, rows, RGBAIntegerFormat, IntType);
  texture.internalFormat = 'RGBA32I';
  return finish(texture, new Int16Array(words.buffer));
}

// Samplers need a texture even if nothing is read from it.
let noFloats: Table<Float32Array> | undefined, noIntegers: Table<Int16Array> | undefined;
export const emptyFloats = (): Table<Float32Array> => (noFloats ??= floatTable(1));
export const emptyIntegers = (): Table<Int16Array> => (noIntegers ??= integerTable(1));

/** Copies `count` columns per vertex, `stride` apart, into texels of four. */
export function spreadColumns(
  columns: Int16Array,
  stride: number,
  count: number,
  vertices: number,
  into: Int16Array,
): void {
  const width = 4 * Math.ceil(count / 4);
  for (let u = 0; u < vertices; u++) for (let i = 0; i < count; i++) into[width * u + i] = columns[stride * u + i];
}

/** Interleaves positions and normals, two texels per vertex. */
export function spreadPlaces(positions: Float32Array, normals: Float32Array, into: Float32Array): void {
  for (let from = 0, to = 0; from < positions.length; from += 3, to += 8) {
    into[to] = positions[from];
    into[to + 1] = positions[from + 1];
    into[to + 2] = positions[from + 2];
    into[to + 4] = normals[from];
    into[to + 5] = normals[from + 1];
    into[to + 6] = normals[from + 2];
  }
}
