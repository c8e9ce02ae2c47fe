// Exports the document as a file. Clips are baked one at a time to keep the page responsive.
import type { Object3D } from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import type { BakeOptions, ChannelData } from 'limber/engine';
import type { Document } from '../../core/document';
import { FileError } from '../../core/file_error';
import { load } from '../../core/load';
import type { Session } from '../../core/session';
import { GltfFile } from './glb';
import { NodeTree } from './nodes';
import { writeEdits } from './write';
import type { BakedClip, Part } from './edits';

export interface GlbOptions {
  kind: 'corrective' | 'vertex' | 'plain';
  /** Indices of the clips to bake; empty for none. */
  clips: number[];
  /** 0: the clip's own rate. */
  fps: number;
  tolerance: number;
  smearMeshes: NonNullable<BakeOptions['smearMeshes']>;
}

/** Called between clips; throws to cancel. */
export type Progress = (done: number, of: number, what: string) => Promise<void>;

/** Lets the page draw a frame. */
export const breathe = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

interface Places {
  file: GltfFile;
  node(object: Object3D): number | undefined;
  primitive(object: Object3D): number;
}

function placesOfGltf({ loaded, file }: Session): Places {
  const places = loaded.places;
  return {
    file: GltfFile.read(file.bytes),
    node: (object) => {
      for (let at: Object3D | null = object; at; at = at.parent) {
        const index = places?.get(at)?.nodes;
        if (index !== undefined) return index;
      }
      return undefined;
    },
    primitive: (object) => places?.get(object)?.primitives ?? 0,
  };
}

/** A BVH file cannot hold the result, so three.js creates a glTF file from the bones and the simple body. */
async function placesOfBvh({ engine, file: source }: Session): Promise<Places> {
  const { object, clips } = await load(engine, source);
  const bytes = (await new GLTFExporter().parseAsync(object, {
    binary: true,
    animations: [...clips],
    onlyVisible: false,
  })) as ArrayBuffer;
  const file = GltfFile.read(new Uint8Array(bytes));
  const indices = new Map(file.nodes.map((node, i) => [node.name, i]));
  for (const node of file.nodes) {
    if (typeof node.extras?.name === 'string') node.name = node.extras.name;
    delete node.extras;
  }
  file.nodes.forEach((node, i) => node.skin !== undefined && new NodeTree(file).toRoot(i)); // the glTF specification recommends this for skinned meshes
  return { file, node: (one) => indices.get(one.name), primitive: () => 0 };
}

function partsOf(session: Session, places: Places): Part[] {
  return session.toon.meshes.map((object, mesh) => {
    const node = places.node(object);
    if (node === undefined || places.file.nodes[node].mesh === undefined)
      throw new FileError(`${object.name || 'A mesh'} cannot be found in the original file`);
    return { mesh, node, primitive: places.primitive(object) };
  });
}

/** The weights of the file's own morph targets. Evaluating joints does not affect the bake. */
function morphWeights(session: Session, index: number, times: Float32Array): Float32Array[] {
  if (!session.character.morphCount) return [];
  const { pipeline, clip } = session.pipeline(index);
  return [...times].map((time) => {
    pipeline.evaluateJoints(clip, time);
    return pipeline.morphWeights();
  });
}

function bakeClip(session: Session, index: number, options: GlbOptions): BakedClip {
  const { pipeline, clip } = session.pipeline(index);
  const bake = pipeline.bake({
    kind: options.kind === 'vertex' ? 'vertex' : 'corrective',
    clips: [clip],
    fps: options.fps,
    tolerance: options.tolerance,
    smearMeshes: options.smearMeshes,
  });
  const edited = pipeline.exaggerates ? { clip: pipeline.clip(clip), stretches: pipeline.stretches(clip) } : undefined;
  return { animation: index, bake, morphWeights: morphWeights(session, index, bake.tracks[0].times), edited };
}

function weightsOf(session: Session, index: number): ChannelData[] {
  const { pipeline, clip } = session.pipeline(index);
  return pipeline.character.clip(clip).channels.filter((channel) => channel.path === 'weights');
}

/** All vertex bakes have the rest pose as their base, so bakes of different clips can be combined. */
export async function exportGlb(
  session: Session,
  document: Document,
  options: GlbOptions,
  progress: Progress,
): Promise<Blob> {
  const places = session.file.kind === 'bvh' ? await placesOfBvh(session) : placesOfGltf(session);
  const clips: BakedClip[] = [];
  const chosen = options.kind === 'plain' ? [] : options.clips;
  for (const [i, index] of chosen.entries()) {
    await progress(i, chosen.length + 1, session.clips[index].name);
    clips.push(bakeClip(session, index, options));
  }
  await progress(chosen.length, chosen.length + 1, 'Writing');
  writeEdits(places.file, {
    parts: partsOf(session, places),
    meshes: session.character.meshes,
    clips,
    layers: document.layers,
    style: document.style,
    nodeOfJoint: (joint) => (joint === 0 ? undefined : places.node(session.joints[joint].node)),
    takes: document.takes.map((take) => ({ ...take.clip, name: take.name })),
    weights: (animation) => weightsOf(session, animation),
  });
  return places.file.write();
}
