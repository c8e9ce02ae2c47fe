// Draws how the joints move, as `limber render --view velocity,acceleration` does: arrows for the way, arcs for turns.
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Matrix4, Vector3 } from 'three';
import type { Pipeline } from 'limber/engine';
import type { Session } from '../core/session';

export type MotionView = 'off' | 'velocity' | 'acceleration';

/** What an arrow of velocity shows is travelled in this time; one of acceleration, the velocity gained in it. */
const SPAN_S = 0.1;
/** Shorter arrows, in character sizes, and smaller turns are not drawn. */
const SHORTEST = 0.02;
const MIN_ANGLE = 0.15;
const MAX_ANGLE = 5.2;
const PIECES = 16;
const LOOKS = {
  velocity: { way: new Color(0x1ca054), turn: new Color(0x9248d0), span: SPAN_S },
  acceleration: { way: new Color(0xec8414), turn: new Color(0xd62a60), span: SPAN_S * SPAN_S },
};

/** Collects line segments with colors. */
class Strokes {
  readonly points: number[] = [];
  readonly colors: number[] = [];

  line(a: Vector3, b: Vector3, color: Color): void {
    this.points.push(a.x, a.y, a.z, b.x, b.y, b.z);
    for (let i = 0; i < 2; i++) this.colors.push(color.r, color.g, color.b);
  }

  /** The head of an arrow that ends at `to` and comes along `along`, beside the direction `side`. */
  head(to: Vector3, along: Vector3, side: Vector3, length: number, color: Color): void {
    for (const sign of [1, -1]) {
      const back = along
        .clone()
        .multiplyScalar(-length)
        .addScaledVector(side, (sign * length) / 2);
      this.line(to, to.clone().add(back), color);
    }
  }

  arrow(from: Vector3, way: Vector3, color: Color): void {
    const to = from.clone().add(way);
    const along = way.clone().normalize();
    const helper = Math.abs(along.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    const side = helper.cross(along).normalize();
    const length = way.length() / 4;
    this.line(from, to, color);
    this.head(to, along, side, length, color);
    this.head(to, along, side.clone().cross(along), length, color);
  }

  /** An arc from `arm` on about an axis, with its head. */
  arc(center: Vector3, axis: Vector3, arm: Vector3, angle: number, color: Color): void {
    const at = (part: number) => arm.clone().applyAxisAngle(axis, part * angle);
    for (let i = 0; i < PIECES; i++)
      this.line(center.clone().add(at(i / PIECES)), center.clone().add(at((i + 1) / PIECES)), color);
    const end = at(1);
    const out = end.clone().normalize();
    this.head(center.clone().add(end), axis.clone().cross(out), out, arm.length() / 4, color);
  }
}

const vector = (numbers: ArrayLike<number>, joint: number) =>
  new Vector3(numbers[3 * joint], numbers[3 * joint + 1], numbers[3 * joint + 2]);

export class MotionArrows {
  readonly object = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, toneMapped: false }),
  );

  constructor() {
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
    this.object.visible = false;
    this.object.matrixAutoUpdate = false;
  }

  /** Draws the motion of all joints at a time. */
  show(view: MotionView, session: Session, clip: number, time: number): void {
    this.object.visible = view !== 'off';
    if (view === 'off') return;
    const exact = session.pipeline(clip);
    exact.pipeline.evaluateJoints(exact.clip, time);
    const worlds = exact.pipeline.worldMatrices();
    const { root } = session.toon;
    root.updateWorldMatrix(true, false);
    this.object.matrix.copy(root.matrixWorld).multiply(new Matrix4().fromArray(worlds, 0).invert());
    this.object.matrixWorldNeedsUpdate = true;
    const strokes = this.strokes(exact.pipeline, worlds, view);
    const { geometry } = this.object;
    geometry.dispose();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(strokes.points), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(strokes.colors), 3));
  }

  private strokes(pipeline: Pipeline, worlds: Float32Array, view: 'velocity' | 'acceleration'): Strokes {
    const motion = pipeline.kinematics();
    const ways = view === 'velocity' ? motion.velocity : motion.acceleration;
    const turns = view === 'velocity' ? motion.angularVelocity : motion.angularAcceleration;
    const { way: wayColor, turn: turnColor, span } = LOOKS[view];
    const { joints, size } = pipeline.character;
    const strokes = new Strokes();
    joints.forEach((joint, j) => {
      const world = new Matrix4().fromArray(worlds, 16 * j);
      const place = new Vector3().setFromMatrixPosition(world);
      const way = vector(ways, j).multiplyScalar(span);
      if (way.length() > SHORTEST * size) strokes.arrow(place, way, wayColor);
      const turn = vector(turns, j).multiplyScalar(span);
      const angle = turn.length();
      if (angle <= MIN_ANGLE) return;
      const axis = turn.normalize();
      const arm = armOf(world, place, joint, axis, size);
      strokes.arc(place, axis, arm, Math.min(angle, MAX_ANGLE), turnColor);
    });
    return strokes;
  }
}

/** The bone as it sticks out of the turning axis. */
function armOf(
  world: Matrix4,
  place: Vector3,
  joint: { centroid: ArrayLike<number>; boneDirection: ArrayLike<number> },
  axis: Vector3,
  size: number,
): Vector3 {
  const bone = vector(joint.boneDirection, 0).transformDirection(world);
  const out = bone.clone().addScaledVector(axis, -axis.dot(bone));
  if (out.length() < 0.05) out.crossVectors(axis, Math.abs(axis.y) < 0.8 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0));
  const reach = vector(joint.centroid, 0).applyMatrix4(world).distanceTo(place);
  return out.normalize().multiplyScalar(Math.min(Math.max(reach, 0.05 * size), 0.2 * size));
}
