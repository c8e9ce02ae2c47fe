// Onion skin: earlier and later frames as tinted glass.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, Mesh, ShaderMaterial } from 'three';
import type { ClipInfo } from 'limber/engine';
import type { Session } from '../../core/session';
import { GLASS_VERTEX } from '../glass';

export interface OnionSettings {
  on: boolean;
  before: number;
  after: number;
  /** Number of frames from one ghost to the next. */
  spacing: number;
  strength: number;
}

const BEFORE = new Color('#ff7a45');
const AFTER = new Color('#22b894');

// Ghosts are visible mostly at the rim, so that what is behind stays readable.
const FRAGMENT = /* glsl */ `
uniform vec3 tint;
uniform float strength;
varying vec3 facing;
varying vec3 toEye;
void main() {
  float rim = 1.0 - abs(dot(normalize(facing), normalize(toEye)));
  gl_FragColor = vec4(tint, strength * (0.12 + 0.88 * rim * rim));
  #include <colorspace_fragment>
}`;

class Ghost {
  readonly group = new Group();
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  private readonly material = new ShaderMaterial({
    vertexShader: GLASS_VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    uniforms: { tint: { value: new Color() }, strength: { value: 1 } },
  });
  private readonly geometries: BufferGeometry[];

  constructor(session: Session) {
    const { meshes, vertexCount } = session.character;
    this.positions = new Float32Array(3 * vertexCount);
    this.normals = new Float32Array(3 * vertexCount);
    this.geometries = session.toon.meshes.map((source, i) => {
      const geometry = new BufferGeometry();
      const { firstVertex, vertexCount: count } = meshes[i];
      const part = (array: Float32Array) =>
        new BufferAttribute(array.subarray(3 * firstVertex, 3 * (firstVertex + count)), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute('position', part(this.positions));
      geometry.setAttribute('normal', part(this.normals));
      const { index } = source.geometry;
      if (index) geometry.setIndex(new BufferAttribute(Uint32Array.from(index.array), 1));
      const mesh = new Mesh(geometry, this.material);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return geometry;
    });
  }

  paint(tint: Color, strength: number): void {
    this.material.uniforms.tint.value = tint;
    this.material.uniforms.strength.value = strength;
    for (const geometry of this.geometries)
      for (const name of ['position', 'normal']) geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.geometries.forEach((geometry) => geometry.dispose());
    this.material.dispose();
  }
}

export class Onion {
  private readonly ghosts: Ghost[] = [];
  readonly group = new Group();

  constructor(private readonly session: Session) {
    this.group.name = 'onion skin';
  }

  /** The number of visible ghosts. */
  get count(): number {
    return this.ghosts.filter((ghost) => ghost.group.visible).length;
  }

  private moment(time: number, { start, end, loops, travels }: ClipInfo): number | undefined {
    if (time >= start - 1e-6 && time <= end + 1e-6) return time;
    const span = end - start;
    return loops && !travels && span > 0 ? start + ((((time - start) % span) + span) % span) : undefined;
  }

  show(clip: number, time: number, settings: OnionSettings): void {
    const info = this.session.clipInfo(clip);
    const { pipeline, clip: number } = this.session.pipeline(clip);
    const step = settings.spacing / (info.fps || 30);
    let used = 0;
    for (const [sign, many, tint] of [
      [-1, settings.before, BEFORE],
      [1, settings.after, AFTER],
    ] as const)
      for (let i = 1; settings.on && i <= many; i++) {
        const at = this.moment(time + sign * i * step, info);
        if (at === undefined) continue;
        const ghost = (this.ghosts[used] ??= this.add());
        pipeline.evaluate(number, at, { positions: ghost.positions, normals: ghost.normals });
        ghost.paint(tint, settings.strength * (1 - (0.7 * (i - 1)) / many));
        used++;
      }
    this.ghosts.forEach((ghost, i) => (ghost.group.visible = i < used));
  }

  private add(): Ghost {
    const ghost = new Ghost(this.session);
    this.group.add(ghost.group);
    return ghost;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.ghosts.forEach((ghost) => ghost.dispose());
  }
}
