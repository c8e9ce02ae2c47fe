// Where a character stands, seen from the engine.
//
// The engine works in world space, but near the origin and in the character's own size: what stands far out would lose
// its last digits in 32 bits, and a character in a scaled group must move as it does outside. So the world is counted
// from a point near the character, in units of its scale, and both stay what they are for as long as they fit; a new
// choice would look like a leap.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Object3D } from 'three';
import { worldMatrix, writeTransform } from './rig.js';

const MAX_DISTANCE = 2048; // sizes of the character: a hundredth of a per cent of it is lost there
const MAX_SCALE_CHANGE = 2;

export class Place {
  /** Three's world from the engine's. */
  readonly stage = new Matrix4();
  private readonly origin = new Vector3();
  private scale = 0; // not chosen yet
  private readonly position = new Vector3();
  private readonly rotation = new Quaternion();
  private readonly size = new Vector3();
  private readonly world = new Matrix4();
  private readonly base = new Matrix4();
  private readonly flat = new Matrix4();

  constructor(
    private readonly root: Object3D,
    private readonly length: number,
  ) {}

  forget(): void {
    this.scale = 0;
  }

  private fits(scale: number): boolean {
    if (!this.scale || scale > MAX_SCALE_CHANGE * this.scale || scale * MAX_SCALE_CHANGE < this.scale) return false;
    return this.position.distanceTo(this.origin) < MAX_DISTANCE * this.length * this.scale;
  }

  /**
   * Writes the root's transform into the pose; true when everything before it was counted otherwise. A parent that shears
   * is no such transform: what is left of it goes to the stage.
   */
  write(pose: Float32Array): boolean {
    const { position, rotation, size } = this;
    worldMatrix(this.root, this.world).decompose(position, rotation, size);
    const scale = Math.cbrt(Math.abs(size.x * size.y * size.z));
    const moved = scale > 0 && !this.fits(scale);
    if (moved) {
      this.scale = scale;
      this.origin.copy(position);
      this.base.makeScale(scale, scale, scale).setPosition(position);
    }
    this.flat.compose(position, rotation, size).invert();
    this.stage.multiplyMatrices(this.world, this.flat).multiply(this.base);
    const unit = this.scale || 1;
    writeTransform(pose, 0, position.sub(this.origin).divideScalar(unit), rotation, size.divideScalar(unit));
    return moved;
  }
}
