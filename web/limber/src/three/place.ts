// The position of a character in the engine's world.
//
// The engine computes in world space, but near the origin and at the character's own scale. Far from the origin, 32-bit
// floats would lose precision, and a character in a scaled group must move as it does outside. The engine's world
// therefore has its origin near the character and uses its scale as the unit. Both are kept as long as possible,
// because a change would look like a teleport.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Object3D } from 'three';
import { worldMatrix, writeTransform } from './rig.js';

const MAX_DISTANCE = 2048; // in character sizes; 0.01 % of the size is lost at this distance
const MAX_SCALE_CHANGE = 2;

export class Place {
  /** Transforms the engine's world to the world of three.js. */
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
   * Writes the root's transform into the pose. Returns true if the origin or unit has changed. The shear of a parent
   * cannot be part of the pose, so it goes into `stage`.
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
