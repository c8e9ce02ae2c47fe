// The 3D objects of the what-if tool: a ghost of the plain shape, and the paths of vertices as the motion increases.
import type { Matrix4 } from 'three';
import { BufferAttribute, BufferGeometry, Color, Group, Mesh, ShaderMaterial } from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import type { WhatIfMotion, Pipeline } from 'limber/engine';
import type { Session } from '../../core/session';
import { GLASS_VERTEX } from '../glass';

/** Number of paths, and segments per path. */
const LINES = 320;
const PIECES = 8;
/** Vertices that move less than this fraction of the character's size have no path. */
const MIN_MOVE = 0.004;

// Like glass: more transparent where the surface faces the camera.
const GHOST_FRAGMENT = /* glsl */ `
uniform vec3 color;
varying vec3 facing;
varying vec3 toEye;
void main() {
  float rim = 1.0 - abs(dot(normalize(facing), normalize(toEye)));
  gl_FragColor = vec4(color, mix(0.16, 0.85, rim * rim));
  #include <colorspace_fragment>
}`;

export class Traces {
  readonly group = new Group();
  private readonly ghosts: Mesh[];
  // Pushed back slightly, so that unmoved parts hide their ghost.
  private readonly ghostMaterial = new ShaderMaterial({
    vertexShader: GLASS_VERTEX,
    fragmentShader: GHOST_FRAGMENT,
    uniforms: { color: { value: new Color() } },
    transparent: true,
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 24,
  });
  private readonly lineMaterial = new LineMaterial({ linewidth: 2, vertexColors: true });
  /** Most of a path is inside the character; draw that part faintly. */
  private readonly hiddenMaterial = new LineMaterial({
    linewidth: 1.5,
    vertexColors: true,
    transparent: true,
    opacity: 0.4,
    depthTest: false,
  });
  private readonly lines = new LineSegments2(new LineSegmentsGeometry(), this.lineMaterial);
  private readonly hidden = new LineSegments2(this.lines.geometry, this.hiddenMaterial);
  private readonly sample: Uint32Array;
  private readonly moments: Float32Array[];
  private readonly plain: Float32Array;
  private readonly normals: Float32Array;

  constructor(private readonly session: Session) {
    const { character } = session;
    this.plain = new Float32Array(3 * character.vertexCount);
    this.normals = new Float32Array(3 * character.vertexCount);
    this.moments = Array.from({ length: PIECES + 1 }, () => new Float32Array(3 * character.vertexCount));
    this.sample = spacedVertices(session, LINES);
    this.ghosts = character.meshes.map((info, m) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute(
        'position',
        new BufferAttribute(this.plain.subarray(3 * info.firstVertex, 3 * (info.firstVertex + info.vertexCount)), 3),
      );
      geometry.setAttribute(
        'normal',
        new BufferAttribute(this.normals.subarray(3 * info.firstVertex, 3 * (info.firstVertex + info.vertexCount)), 3),
      );
      geometry.setIndex(new BufferAttribute(character.mesh(m).triangles, 1));
      const mesh = new Mesh(geometry, this.ghostMaterial);
      mesh.frustumCulled = false;
      mesh.renderOrder = 3;
      return mesh;
    });
    for (const one of [this.lines, this.hidden]) {
      one.frustumCulled = false;
      one.renderOrder = 4;
    }
    this.group.matrixAutoUpdate = false;
    this.group.add(...this.ghosts, this.hidden, this.lines);
  }

  /** `stage` transforms the world of the clip to the world of the view. */
  update(
    pipeline: Pipeline,
    clip: number,
    time: number,
    motion: readonly WhatIfMotion[],
    amount: number,
    stage: Matrix4,
  ): void {
    this.group.matrix.copy(stage);
    this.group.matrixWorldNeedsUpdate = true;
    // Without motion there are no effects, so these are the skinned positions and normals.
    pipeline.evaluateWhatIf(clip, time, [], 0, { positions: this.plain, normals: this.normals });
    this.moments[0].set(this.plain);
    for (const { geometry } of this.ghosts)
      geometry.getAttribute('position').needsUpdate = geometry.getAttribute('normal').needsUpdate = true;
    for (let i = 1; this.lines.visible && i <= PIECES; i++)
      pipeline.evaluateWhatIf(clip, time, motion, (amount * i) / PIECES, { positions: this.moments[i] });
    if (this.lines.visible) this.drawLines();
  }

  private drawLines(): void {
    const places: number[] = [];
    const colors: number[] = [];
    const min = (MIN_MOVE * this.session.size) ** 2;
    const last = this.moments[PIECES];
    for (const u of this.sample) {
      const at = 3 * u;
      const first = this.plain;
      if ((last[at] - first[at]) ** 2 + (last[at + 1] - first[at + 1]) ** 2 + (last[at + 2] - first[at + 2]) ** 2 < min)
        continue;
      for (let i = 0; i < PIECES; i++) {
        const a = this.moments[i];
        const b = this.moments[i + 1];
        places.push(a[at], a[at + 1], a[at + 2], b[at], b[at + 1], b[at + 2]);
        for (const t of [i / PIECES, (i + 1) / PIECES]) colors.push(...this.tint(t));
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = this.hidden.geometry = new LineSegmentsGeometry();
    this.lines.geometry.setPositions(places.length ? places : [0, 0, 0, 0, 0, 0]);
    this.lines.geometry.setColors(colors.length ? colors : [0, 0, 0, 0, 0, 0]);
  }

  private readonly from = new Color();
  private readonly to = new Color();
  private readonly mixed = new Color();

  private tint(t: number): [number, number, number] {
    return this.mixed.lerpColors(this.from, this.to, t).toArray() as [number, number, number];
  }

  paint(ghost: string, from: string, to: string): void {
    (this.ghostMaterial.uniforms.color.value as Color).set(ghost);
    this.from.set(from);
    this.to.set(to);
  }

  show({ ghost, lines }: { ghost: boolean; lines: boolean }): void {
    for (const mesh of this.ghosts) mesh.visible = ghost;
    this.lines.visible = this.hidden.visible = lines;
  }

  /** The number of vertices with a path. */
  get count(): number {
    return Math.floor((this.lines.geometry.getAttribute('instanceStart')?.count ?? 0) / PIECES);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const mesh of this.ghosts) mesh.geometry.dispose();
    this.ghostMaterial.dispose();
    this.lineMaterial.dispose();
    this.hiddenMaterial.dispose();
    this.lines.geometry.dispose();
  }
}

/** Picks vertices spread evenly over the surface: one per cell of a grid, with cells as large as necessary. */
function spacedVertices(session: Session, wanted: number): Uint32Array {
  const rest = session.character.restPositions();
  let chosen: number[] = [];
  for (let cell = session.size / 60; ; cell *= 1.15) {
    const cubes = new Map<string, number>();
    for (let u = 0; u < rest.length / 3; u++) {
      const key = `${Math.floor(rest[3 * u] / cell)},${Math.floor(rest[3 * u + 1] / cell)},${Math.floor(rest[3 * u + 2] / cell)}`;
      if (!cubes.has(key)) cubes.set(key, u);
    }
    chosen = [...cubes.values()];
    if (chosen.length <= wanted) return Uint32Array.from(chosen);
  }
}
