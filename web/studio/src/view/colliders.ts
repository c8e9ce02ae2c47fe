// Draws colliders as wires on top of the character.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import type { PlacedCollider } from 'limber/engine';

const COLOR = 0x3a86c8; // as in the pictures of `limber render --view colliders`
const SEGMENTS = 32;
const DISK = 0.6; // radius of the disk that stands for a plane, in character sizes

/** Two unit vectors across a direction. */
function across(direction: Vector3): [Vector3, Vector3] {
  const helper = Math.abs(direction.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
  const u = helper.cross(direction).normalize();
  return [u, direction.clone().cross(u)];
}

/** Collects the ends of line segments. */
class Wires {
  readonly points: number[] = [];

  /** A part of an ellipse: center + u cos + v sin, from angle 0. */
  arc(center: Vector3, u: Vector3, v: Vector3, angle: number): void {
    const count = Math.ceil((SEGMENTS * angle) / (2 * Math.PI));
    const at = (i: number) => {
      const a = (angle * i) / count;
      return center.clone().addScaledVector(u, Math.cos(a)).addScaledVector(v, Math.sin(a));
    };
    for (let i = 0; i < count; i++) this.line(at(i), at(i + 1));
  }

  line(a: Vector3, b: Vector3): void {
    this.points.push(a.x, a.y, a.z, b.x, b.y, b.z);
  }

  private capsule(from: Vector3, to: Vector3, radius: number): void {
    const axis = to.clone().sub(from).normalize();
    const up = axis.lengthSq() > 0 ? axis : new Vector3(0, 1, 0);
    const [u, v] = across(up).map((side) => side.multiplyScalar(radius));
    const top = up.clone().multiplyScalar(radius);
    for (const center of [from, to]) this.arc(center, u, v, 2 * Math.PI);
    for (const side of [u, v]) {
      this.arc(to, side, top, Math.PI);
      this.arc(from, side, top.clone().negate(), Math.PI);
      for (const sign of [1, -1])
        this.line(from.clone().addScaledVector(side, sign), to.clone().addScaledVector(side, sign));
    }
  }

  private plane(point: Vector3, normal: Vector3, radius: number): void {
    const [u, v] = across(normal).map((side) => side.multiplyScalar(radius));
    this.arc(point, u, v, 2 * Math.PI);
    for (const side of [u, v]) this.line(point.clone().sub(side), point.clone().add(side));
    this.line(point, point.clone().addScaledVector(normal, radius / 4));
  }

  add({ shape, from, to, radius }: PlacedCollider, size: number): void {
    const a = new Vector3(...from);
    const b = new Vector3(...to);
    if (shape === 'plane') this.plane(a, b, DISK * size);
    else this.capsule(a, shape === 'sphere' ? a : b, radius);
  }
}

export class ColliderWires {
  readonly object = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ color: COLOR, depthTest: false, transparent: true, toneMapped: false }),
  );

  constructor() {
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
    this.object.visible = false;
  }

  /** Draws these, in world space. `size`: of the character. */
  show(colliders: readonly PlacedCollider[], size: number): void {
    const wires = new Wires();
    for (const one of colliders) wires.add(one, size);
    const { geometry } = this.object;
    const given = geometry.getAttribute('position') as BufferAttribute | undefined;
    if (given?.array.length === wires.points.length) {
      given.array.set(wires.points);
      given.needsUpdate = true;
    } else {
      geometry.dispose();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(wires.points), 3));
    }
    this.object.visible = wires.points.length > 0;
  }
}
