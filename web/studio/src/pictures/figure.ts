// Small pictures of a character, drawn by the processor: triangles of one color each, nearest in front. Without shaders,
// a picture costs the same few milliseconds everywhere and never makes the view wait.
import { Box3, Color, Vector3 } from 'three';
import type { Material, Mesh, MeshStandardMaterial, Texture } from 'three';
import type { SmearMesh } from 'limber/engine';
import type { Session } from '../core/session';

const TEXTURE = 64; // texels of a side are enough for pictures this small
const UP = new Vector3(0, 1, 0);
const FROM = new Vector3(0.55, 0.24, 1).normalize();
const LIGHT = new Vector3(0.45, 0.8, 0.55).normalize();
const DARKEST = 0.5;

/** What of the world a picture shows. */
export interface Shot {
  /** The middle of the picture. */
  center: Vector3;
  /** From the middle to the edge, in world units. */
  half: number;
}

interface Axes {
  right: Vector3;
  up: Vector3;
  away: Vector3;
}

/** A texture as a few texels; undefined where it cannot be read. */
function texelsOf(texture: Texture | null | undefined): Uint8ClampedArray | undefined {
  const image = texture?.image as CanvasImageSource | undefined;
  const context = new OffscreenCanvas(TEXTURE, TEXTURE).getContext('2d', { willReadFrequently: true });
  if (!image || !context) return undefined;
  try {
    context.drawImage(image, 0, 0, TEXTURE, TEXTURE);
    return context.getImageData(0, 0, TEXTURE, TEXTURE).data;
  } catch {
    return undefined;
  }
}

const wrap = (value: number): number => Math.min(Math.floor((value - Math.floor(value)) * TEXTURE), TEXTURE - 1);

/** One color per triangle, as it looks in even light. */
function colorsOf(mesh: Mesh, material: Material | Material[], triangles: Uint32Array): Uint8Array {
  const [first] = [material].flat() as MeshStandardMaterial[];
  const texels = texelsOf(first?.map);
  const uv = mesh.geometry.getAttribute('uv');
  const own = first?.vertexColors ? mesh.geometry.getAttribute('color') : undefined;
  const base = first?.color ?? new Color(0.7, 0.7, 0.7);
  const out = new Uint8Array(triangles.length);
  const color = new Color();
  for (let i = 0; i < triangles.length; i += 3) {
    const a = triangles[i];
    color.copy(base);
    if (own) color.setRGB(base.r * own.getX(a), base.g * own.getY(a), base.b * own.getZ(a));
    color.convertLinearToSRGB();
    const at = texels && uv ? 4 * (wrap(uv.getX(a)) + TEXTURE * wrap(uv.getY(a))) : -1;
    for (const [k, value] of [color.r, color.g, color.b].entries())
      out[i + k] = Math.min(255, value * (at < 0 ? 255 : texels![at + k]));
  }
  return out;
}

/** The triangles of a character with their colors, all meshes in order. */
export class Figure {
  private readonly parts: { triangles: Uint32Array; colors: Uint8Array }[];
  private readonly axes: Axes;

  constructor(readonly session: Session) {
    const { toon, character } = session;
    this.parts = toon.meshes.flatMap((mesh, i) => {
      if (!mesh.visible) return [];
      const { firstVertex } = character.meshes[i];
      const { triangles } = character.mesh(i);
      const colors = colorsOf(mesh, session.materialOf(mesh), triangles);
      return [{ triangles: triangles.map((vertex) => vertex + firstVertex), colors }];
    });
    const away = FROM.clone().applyAxisAngle(UP, session.front);
    const right = UP.clone().cross(away).normalize();
    this.axes = { right, up: away.clone().cross(right), away };
  }

  /** Where a point is in a picture: from the left and from below, in world units. */
  sideways(point: Vector3): { x: number; y: number } {
    return { x: point.dot(this.axes.right), y: point.dot(this.axes.up) };
  }

  /** A shot of all points. */
  shotOf(positions: Float32Array): Shot {
    const box = new Box3().setFromArray(positions);
    return { center: box.getCenter(new Vector3()), half: Math.max(box.getSize(new Vector3()).length() / 2, 1e-6) };
  }

  draw(canvas: Canvas, positions: Float32Array, smears: readonly SmearMesh[], shot: Shot): void {
    canvas.clear();
    const light = LIGHT.clone().applyAxisAngle(UP, this.session.front);
    const place = canvas.project(positions, this.axes, shot);
    for (const { triangles, colors } of this.parts) canvas.fill(positions, place, triangles, light, (i) => colors[i]);
    for (const { visible, positions: points, triangles, colors } of smears) {
      if (!visible) continue;
      const there = canvas.project(points, this.axes, shot);
      const tint = (i: number) => 255 * Math.sqrt(colors[4 * triangles[i - (i % 3)] + (i % 3)]);
      const solid = triangles.filter((_, i) => colors[4 * triangles[i - (i % 3)] + 3] > 0.4);
      canvas.fill(points, there, solid, light, solid.length === triangles.length ? tint : () => 110);
    }
  }
}

/** A square picture with a depth buffer, twice as fine as it is shown. */
export class Canvas {
  readonly image: ImageData;
  private readonly depth: Float32Array;
  private places = new Float32Array(0);

  constructor(readonly size: number) {
    this.image = new ImageData(size, size);
    this.depth = new Float32Array(size * size);
  }

  clear(): void {
    this.image.data.fill(0);
    this.depth.fill(-Infinity);
  }

  /** Pixels from the left and from above, and the nearness, per vertex. */
  project(positions: Float32Array, { right, up, away }: Axes, { center, half }: Shot): Float32Array {
    if (this.places.length < positions.length) this.places = new Float32Array(positions.length);
    const out = this.places;
    const scale = this.size / 2 / half;
    for (let i = 0; i < positions.length; i += 3) {
      const x = positions[i] - center.x;
      const y = positions[i + 1] - center.y;
      const z = positions[i + 2] - center.z;
      out[i] = this.size / 2 + scale * (x * right.x + y * right.y + z * right.z);
      out[i + 1] = this.size / 2 - scale * (x * up.x + y * up.y + z * up.z);
      out[i + 2] = x * away.x + y * away.y + z * away.z;
    }
    return out;
  }

  fill(
    positions: Float32Array,
    place: Float32Array,
    triangles: Uint32Array,
    light: Vector3,
    color: (i: number) => number,
  ): void {
    for (let i = 0; i + 2 < triangles.length; i += 3) {
      const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
      const ux = place[b] - place[a];
      const uy = place[b + 1] - place[a + 1];
      const vx = place[c] - place[a];
      const vy = place[c + 1] - place[a + 1];
      const area = ux * vy - uy * vx;
      if (!(Math.abs(area) > 1e-6)) continue;
      const shade = DARKEST + (1 - DARKEST) * lit(positions, a, b, c, light);
      this.fillOne(place, a, b, c, area, color(i) * shade, color(i + 1) * shade, color(i + 2) * shade);
    }
  }

  private fillOne(
    place: Float32Array,
    a: number,
    b: number,
    c: number,
    area: number,
    red: number,
    green: number,
    blue: number,
  ): void {
    const { size, depth } = this;
    const { data } = this.image;
    const left = Math.max(0, Math.ceil(Math.min(place[a], place[b], place[c]) - 0.5));
    const end = Math.min(size - 1, Math.floor(Math.max(place[a], place[b], place[c]) - 0.5));
    const top = Math.max(0, Math.ceil(Math.min(place[a + 1], place[b + 1], place[c + 1]) - 0.5));
    const low = Math.min(size - 1, Math.floor(Math.max(place[a + 1], place[b + 1], place[c + 1]) - 0.5));
    for (let y = top; y <= low; y++)
      for (let x = left; x <= end; x++) {
        const px = x + 0.5 - place[a];
        const py = y + 0.5 - place[a + 1];
        const v = (px * (place[c + 1] - place[a + 1]) - py * (place[c] - place[a])) / area;
        const w = (py * (place[b] - place[a]) - px * (place[b + 1] - place[a + 1])) / area;
        if (v < 0 || w < 0 || v + w > 1) continue;
        const near = place[a + 2] + v * (place[b + 2] - place[a + 2]) + w * (place[c + 2] - place[a + 2]);
        const at = y * size + x;
        if (near <= depth[at]) continue;
        depth[at] = near;
        data[4 * at] = red;
        data[4 * at + 1] = green;
        data[4 * at + 2] = blue;
        data[4 * at + 3] = 255;
      }
  }
}

/** How much light a triangle gets, 0 to 1. */
function lit(at: Float32Array, a: number, b: number, c: number, light: Vector3): number {
  const [ux, uy, uz] = [at[b] - at[a], at[b + 1] - at[a + 1], at[b + 2] - at[a + 2]];
  const [vx, vy, vz] = [at[c] - at[a], at[c + 1] - at[a + 1], at[c + 2] - at[a + 2]];
  const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(nx, ny, nz);
  return length ? Math.max(0, (nx * light.x + ny * light.y + nz * light.z) / length) : 0;
}
