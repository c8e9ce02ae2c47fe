// Converts AnimationClips to clips of the engine.
import { InterpolateDiscrete, InterpolateSmooth, PropertyBinding, ZeroSlopeEnding } from 'three';
import type { AnimationClip, KeyframeTrack, Mesh, Object3D } from 'three';
import type { ChannelDescription, ChannelPath, ClipDescription, Interpolation } from '../description.js';
import type { Rig } from './rig.js';

const PATH_OF: Record<string, ChannelPath> = {
  position: 'translation',
  quaternion: 'rotation',
  scale: 'scale',
  morphTargetInfluences: 'weights',
};
const RESAMPLED_FPS = 60;

type Interpolating = KeyframeTrack & {
  createInterpolant(result?: unknown): { evaluate(t: number): ArrayLike<number>; settings?: object | null };
};
type Binding = { nodeName: string; propertyName: string; propertyIndex?: string; objectName?: string };

function interpolationOf(track: KeyframeTrack): Interpolation | 'smooth' {
  const factory = (track as unknown as { createInterpolant: { isInterpolantFactoryMethodGLTFCubicSpline?: boolean } })
    .createInterpolant;
  if (factory.isInterpolantFactoryMethodGLTFCubicSpline) return 'cubic';
  const kind = track.getInterpolation();
  return kind === InterpolateDiscrete ? 'step' : kind === InterpolateSmooth ? 'smooth' : 'linear';
}

/** Samples a track at the given times. */
function sample(track: KeyframeTrack, times: ArrayLike<number>, width: number): Float32Array {
  const interpolant = (track as Interpolating).createInterpolant();
  interpolant.settings = { endingStart: ZeroSlopeEnding, endingEnd: ZeroSlopeEnding }; // as AnimationAction does
  const out = new Float32Array(width * times.length);
  for (let i = 0; i < times.length; i++) {
    const values = interpolant.evaluate(times[i]);
    for (let k = 0; k < width; k++) out[width * i + k] = values[k];
  }
  return out;
}

function evenTimes(from: number, to: number): Float32Array {
  const count = Math.max(1, Math.ceil((to - from) * RESAMPLED_FPS));
  return Float32Array.from({ length: count + 1 }, (_, i) => from + ((to - from) * i) / count);
}

/** Smooth tracks are resampled; all others keep their keys. */
function channelOf(track: KeyframeTrack, path: ChannelPath, target: number, width: number): ChannelDescription {
  const interpolation = interpolationOf(track);
  const { times } = track;
  if (interpolation !== 'smooth') return { path, interpolation, target, times, values: track.values };
  const even = evenTimes(times[0], times[times.length - 1]);
  return { path, interpolation: 'linear', target, times: even, values: sample(track, even, width) };
}

/** Merges tracks of individual morph targets into one channel. */
function joinMorphs(mesh: Mesh, target: number, tracks: Map<number, KeyframeTrack>): ChannelDescription {
  const count = mesh.morphTargetInfluences!.length;
  const moments = new Set<number>();
  for (const track of tracks.values())
    for (const t of interpolationOf(track) === 'linear'
      ? track.times
      : evenTimes(track.times[0], track.times[track.times.length - 1]))
      moments.add(Math.fround(t));
  const times = Float32Array.from([...moments].sort((a, b) => a - b));
  const values = new Float32Array(count * times.length);
  for (let k = 0; k < count; k++) {
    const track = tracks.get(k);
    const line = track && sample(track, times, 1);
    for (let i = 0; i < times.length; i++) values[count * i + k] = line ? line[i] : mesh.morphTargetInfluences![k];
  }
  return { path: 'weights', interpolation: 'linear', target, times, values };
}

function morphIndex(mesh: Mesh, which: string): number {
  return mesh.morphTargetDictionary?.[which] ?? (Number.isInteger(Number(which)) ? Number(which) : -1);
}

/** Tracks that do not affect the character are skipped; tracks of unsupported properties are skipped with a warning. */
export function describeClip(clip: AnimationClip, rig: Rig, warnings: string[]): ClipDescription {
  const jointOf = new Map(rig.nodes.map((node, i) => [node, i]));
  const partOf = new Map<Object3D, number>(rig.parts.map((part, i) => [part.mesh, i]));
  const channels: ChannelDescription[] = [];
  const single = new Map<number, Map<number, KeyframeTrack>>();
  const note = (track: KeyframeTrack) =>
    warnings.push(
      `clip '${clip.name}': exact frames and bakes ignore the track '${track.name}'; only position, quaternion, scale and morphTargetInfluences are supported`,
    );
  for (const track of clip.tracks) {
    if (!track.times.length) continue;
    const binding = PropertyBinding.parseTrackName(track.name) as Binding;
    const node = PropertyBinding.findNode(rig.root, binding.nodeName) as Object3D | null | undefined;
    const path = binding.objectName ? undefined : PATH_OF[binding.propertyName];
    if (!node) continue;
    if (path === 'weights') {
      // A track on a node applies to all its primitives.
      for (const mesh of partOf.has(node) ? [node] : node.children.filter((child) => partOf.has(child))) {
        const part = partOf.get(mesh)!;
        const count = (mesh as Mesh).morphTargetInfluences?.length ?? 0;
        const index = binding.propertyIndex === undefined ? -1 : morphIndex(mesh as Mesh, binding.propertyIndex);
        if (index >= 0 && index < count) single.set(part, (single.get(part) ?? new Map()).set(index, track));
        else if (count && track.getValueSize() === (interpolationOf(track) === 'cubic' ? 3 * count : count))
          channels.push(channelOf(track, path, part, count));
      }
    } else if (!jointOf.has(node)) continue;
    else if (!path || binding.propertyIndex !== undefined) note(track);
    else channels.push(channelOf(track, path, jointOf.get(node)!, path === 'rotation' ? 4 : 3));
  }
  for (const [part, tracks] of single) channels.push(joinMorphs(rig.parts[part].mesh, part, tracks));
  return { name: clip.name, channels };
}
