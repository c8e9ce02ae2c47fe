// Exports the document as a .glb file. A worker with the engine's own glTF reader and writer does the work.
import type { BakeOptions } from 'limber/engine';
import type { Document } from '../../core/document';
import { FileError } from '../../core/file_error';
import { nodeOf } from '../../core/motion';
import type { Session } from '../../core/session';
import type { Answer, Job, LayerJob, TakeJob } from './job';

export interface GlbOptions {
  kind: 'corrective' | 'vertex' | 'plain';
  /** Indices of the clips to bake; empty for none. */
  clips: number[];
  /** 0: the clip's own rate. */
  fps: number;
  /** In thousandths of the character's size. */
  tolerance: number;
  smearMeshes: NonNullable<BakeOptions['smearMeshes']>;
}

/** Called now and then; throws to cancel. */
export type Progress = (done: number, of: number, what: string) => Promise<void>;

/** Lets the page draw a frame. */
export const breathe = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

const PATHS = ['translation', 'rotation', 'scale'];
const KINDS = ['corrective', 'vertex'];
const SMEAR_MESHES = ['separate', 'merged', 'none'];

function layersOf(session: Session, { layers }: Document): LayerJob[] {
  return Object.entries(layers).flatMap(([name, values]) =>
    session.toon.meshes.map((object, mesh) => {
      const node = session.file.kind === 'bvh' ? mesh : nodeOf(session, object);
      if (node === undefined) throw new FileError(`${object.name || 'A mesh'} cannot be found in the original file`);
      const { firstVertex, vertexCount } = session.character.meshes[mesh];
      return {
        name,
        node,
        primitive: session.loaded.places?.get(object)?.primitives ?? 0,
        values: values.slice(firstVertex, firstVertex + vertexCount),
      };
    }),
  );
}

function takesOf(session: Session, { takes }: Document): TakeJob[] {
  return takes.map(({ name, clip }) => ({
    name,
    channels: clip.channels.flatMap(({ path, target, times, values }) => {
      const node = path === 'weights' || target === 0 ? undefined : nodeOf(session, session.joints[target].node);
      return node === undefined ? [] : [{ node, path: PATHS.indexOf(path), times, values }];
    }),
  }));
}

function jobOf(session: Session, document: Document, options: GlbOptions): Job {
  const { file } = session;
  return {
    bytes: file.bytes,
    clipName: file.kind === 'bvh' ? file.name.replace(/\.bvh$/i, '') : undefined,
    layers: layersOf(session, document),
    takes: takesOf(session, document),
    style: JSON.stringify(document.style),
    kind: Math.max(0, KINDS.indexOf(options.kind)),
    clips: options.kind === 'plain' ? [] : options.clips,
    fps: options.fps,
    tolerance: options.tolerance / 1000,
    smearMeshes: SMEAR_MESHES.indexOf(options.smearMeshes),
  };
}

export async function exportGlb(
  session: Session,
  document: Document,
  options: GlbOptions,
  progress: Progress,
): Promise<Blob> {
  const job = jobOf(session, document, options);
  await progress(0, 1, 'Reading');
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Blob>((resolve, reject) => {
      worker.onerror = ({ message }) => reject(new Error(message || 'The export module cannot be loaded'));
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if ('glb' in data) resolve(new Blob([data.glb as BlobPart], { type: 'model/gltf-binary' }));
        else if ('error' in data) reject(new Error(data.error));
        else progress(data.done, data.total + 1, `Frame ${data.done} of ${data.total}`).catch(reject);
      };
      worker.postMessage(job);
    });
  } finally {
    worker.terminate();
  }
}
