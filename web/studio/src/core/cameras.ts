// The cameras of a file, which may move: as views, and in films.
import { PropertyBinding } from 'three';
import type { AnimationClip, KeyframeTrack, Object3D, PerspectiveCamera } from 'three';

export interface FileCamera {
  name: string;
  camera: PerspectiveCamera;
}

/** Perspective cameras only: that is what the view can be. */
export function camerasOf(object: Object3D): FileCamera[] {
  const found: FileCamera[] = [];
  object.traverse((one) => {
    if (!(one as PerspectiveCamera).isPerspectiveCamera) return;
    const name = one.name || one.parent?.name || `camera ${found.length + 1}`;
    found.push({ name, camera: one as PerspectiveCamera });
  });
  return found;
}

type Binding = { setValue(values: ArrayLike<number>, at: number): void };
type Interpolating = KeyframeTrack & { createInterpolant(): { evaluate(time: number): ArrayLike<number> } };

/** Poses the nodes above cameras that are not joints: the engine knows nothing of those. */
export class CameraMotion {
  private clip: AnimationClip | undefined;
  private tracks: ((time: number) => void)[] = [];

  constructor(
    private readonly root: Object3D,
    private readonly cameras: readonly FileCamera[],
    private readonly isJoint: (node: Object3D) => boolean,
  ) {}

  pose(clip: AnimationClip, time: number): void {
    if (!this.cameras.length) return;
    if (clip !== this.clip) this.learn(clip);
    for (const track of this.tracks) track(time);
  }

  private learn(clip: AnimationClip): void {
    const above = new Set<Object3D>();
    for (const { camera } of this.cameras)
      for (let at: Object3D | null = camera; at; at = at.parent) if (!this.isJoint(at)) above.add(at);
    this.clip = clip;
    this.tracks = clip.tracks.flatMap((track) => {
      const { nodeName } = PropertyBinding.parseTrackName(track.name) as { nodeName: string };
      const node = PropertyBinding.findNode(this.root, nodeName) as Object3D | undefined;
      if (!node || !above.has(node) || !track.times.length) return [];
      const binding = PropertyBinding.create(this.root, track.name) as unknown as Binding;
      const interpolant = (track as Interpolating).createInterpolant();
      return [(time: number) => binding.setValue(interpolant.evaluate(time), 0)];
    });
  }
}
