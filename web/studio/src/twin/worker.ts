// The twin of the page: a worker with an engine of its own. It makes large characters and hands them over, and computes
// what takes long: pictures of presets and clips, and the strength of effects.
import { createEngine } from 'limber/engine';
import type { Engine, Pipeline, Style } from 'limber/engine';
import { FileError } from '../core/file_error';
import { load } from '../core/load';
import { openFitting } from '../core/opening';
import type { Session } from '../core/session';
import { Canvas } from '../pictures/figure';
import { framesOf, planOf, stillsOf } from '../pictures/film_strip';
import type { Plan } from '../pictures/film_strip';
import type { Answer, CharacterJob, Job, Message, OpenJob, Seen, StrengthJob, StripsJob, WearJob, Worn } from './job';

const PIECE = 2 << 20; // bytes of memory that the page writes at a time
const WEIGHT = 0.05; // of a joint: vertices with less do not show what it does

type Steps = AsyncGenerator<void, void>;
type Tell = (answer: Answer, transfer?: Transferable[]) => void;

const self_ = self as unknown as Worker;
const ended = new Set<number>();
/** Until the last character that was asked for is there. */
let ready = Promise.resolve();
let engine: Promise<Engine> | undefined;
let session: Session | undefined;
let plan: Plan | undefined;
/** Until the memory of the engine has been copied: other jobs wait for it. */
let sent = Promise.resolve();

/** Lets messages in: a job may have been ended. */
const breathe = (): Promise<void> =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (port1.close(), done());
    port2.postMessage(0);
  });

/** Forgets the last character with all of its memory. */
function forget(): void {
  session?.dispose();
  session = undefined;
  plan = undefined;
  engine = undefined;
}

async function fresh(): Promise<Engine> {
  forget();
  engine = createEngine();
  return engine;
}

// --- characters for the page ---

/** What a page would ask for first: everything that is made for it is there then. */
function lookAt(one: Session, clip: number, plain: boolean): Seen {
  const reach = one.reach(clip);
  const { min, max } = reach.box;
  one.show(clip, one.clipInfo(clip).motionStart, plain);
  return {
    clip,
    contacts: one.contacts(clip),
    points: Float32Array.from(reach.points.flatMap(({ x, y, z }) => [x, y, z])),
    box: [...min.toArray(), ...max.toArray()],
    floor: one.floor(clip, min.y),
  };
}

async function* open(job: OpenJob, tell: Tell): Steps {
  const own = await fresh();
  const loaded = await load(own, job.file);
  tell({ told: 'Making the character' });
  yield;
  const one = await openFitting(own, loaded, job.wish);
  session = one;
  if (job.plain) await one.preparePlain();
  tell({ told: 'Looking at the motion' });
  yield;
  const named = one.clips.findIndex((clip) => clip.name === job.clip);
  const clip = Math.min(
    typeof job.clip === 'number' ? job.clip : Math.max(named, 0),
    Math.max(one.clips.length - 1, 0),
  );
  const seen = lookAt(one, clip, job.plain);
  yield;
  yield* handOver(one, tell, seen);
}

/** Copies the memory of the engine to the page, which goes on with it. Nothing else may happen to it meanwhile. */
async function* handOver(one: Session, tell: Tell, seen?: Seen): Steps {
  const own = one.engine;
  const state = own.state();
  let end = state.bytes;
  let done = () => {};
  sent = new Promise((resolve) => (done = resolve));
  try {
    // From the end, so that the page's memory grows once.
    for (; end > 0; end -= Math.min(PIECE, end)) {
      const at = Math.max(end - PIECE, 0);
      const bytes = own.memory(at, end);
      tell({ at, bytes }, [bytes.buffer]);
      tell({ told: `Getting it ready: ${Math.round(100 * (1 - at / state.bytes))} %` });
      yield;
    }
  } finally {
    done();
  }
  tell({ made: { state, style: structuredClone<Style>(one.toon.style), seen } });
}

async function* wearStyle({ style, clip, time, comparison, look }: WearJob, tell: Tell): Steps {
  const one = current();
  one.toon.style = style;
  if (comparison) {
    await one.preparePlain();
    one.comparison = comparison;
  }
  yield;
  const seen = look ? lookAt(one, clip, !!comparison) : undefined;
  one.show(clip, time, !!comparison);
  yield;
  yield* handOver(one, tell, seen);
}

// --- what takes long ---

async function change({ file, worn }: CharacterJob): Promise<void> {
  if (file) {
    const own = await fresh();
    session = await openFitting(own, await load(own, file), { only: true });
  }
  if (worn) wear(current(), worn);
}

function current(): Session {
  if (!session) throw new Error('there is no character');
  return session;
}

function wear(one: Session, { layers, takes, hidden }: Worn): void {
  const { file } = one;
  one.apply({ file, clip: 0, style: one.toon.style, base: {}, shelf: {}, layers, takes });
  one.toon.meshes.forEach((mesh, i) => one.setHidden(mesh, hidden[i] ?? false));
  plan = undefined;
}

async function* strips(job: StripsJob, tell: Tell): Steps {
  const one = current();
  if (plan?.clip !== job.clip) plan = yield* planOf(one, job.clip);
  const now = plan;
  const canvas = new Canvas(job.size);
  tell({ still: now.still });
  for (const { preset, frames } of job.wanted) {
    const wanted = frames.map((frame) => (frame < 0 ? now.still : frame));
    const show = (frame: number, { data }: ImageData) => tell({ preset, frame, pixels: data.slice() });
    try {
      yield* framesOf(now, one.engine.parseStyle(preset as 'cartoon'), canvas, show, wanted);
    } catch {
      // it does not fit this character: a name only
    }
  }
}

/** The vertices that a joint influences, with their weights. */
function hanging({ character }: Session, joint: number): { vertex: number; weight: number }[] {
  return character.meshes.flatMap((info, m) => {
    const mesh = character.mesh(m);
    const skin = character.skin(info.skin).joints;
    const found: { vertex: number; weight: number }[] = [];
    for (let u = 0; u < info.vertexCount; u++)
      for (let i = mesh.influenceFirst[u]; i < mesh.influenceFirst[u + 1]; i++)
        if (skin[mesh.influenceJoint[i]] === joint && mesh.influenceWeight[i] > WEIGHT)
          found.push({ vertex: info.firstVertex + u, weight: mesh.influenceWeight[i] });
    return found;
  });
}

type Arrays = { positions: Float32Array; skinned: Float32Array };

/** How far the vertices are from where the skin alone has them, on average. */
function distance({ positions, skinned }: Arrays, vertices: { vertex: number; weight: number }[]): number {
  let sum = 0;
  let all = 0;
  for (const { vertex, weight } of vertices) {
    const at = 3 * vertex;
    const [x, y, z] = [0, 1, 2].map((axis) => positions[at + axis] - skinned[at + axis]);
    sum += weight * Math.hypot(x, y, z);
    all += weight;
  }
  return all > 0 ? sum / all : 0;
}

async function* strength(job: StrengthJob, tell: Tell): Steps {
  const one = current();
  const { pipeline: worn, clip } = one.pipeline(job.clip);
  const pipeline: Pipeline = worn.character.pipeline(job.style);
  const vertices = hanging(one, job.joint);
  const count = 3 * one.character.vertexCount;
  const arrays = { positions: new Float32Array(count), skinned: new Float32Array(count) };
  const values = new Float32Array(job.times.length);
  try {
    for (const [i, time] of job.times.entries()) {
      pipeline.evaluate(clip, time, arrays);
      values[i] = distance(arrays, vertices);
      yield;
    }
    tell({ values });
  } finally {
    pipeline.dispose();
  }
}

// --- jobs ---

async function* steps(job: Job, tell: Tell): Steps {
  if (job.kind === 'open') return yield* open(job, tell);
  if (job.kind === 'wear') return yield* wearStyle(job, tell);
  if (job.kind === 'strips') return yield* strips(job, tell);
  if (job.kind === 'strength') return yield* strength(job, tell);
  if (job.kind === 'character') return change(job);
  const show = (clip: number, { data }: ImageData) => tell({ clip, pixels: data.slice() });
  yield* stillsOf(current(), new Canvas(job.size), show);
}

async function run(id: number, job: Job): Promise<void> {
  const tell: Tell = (answer, transfer = []) => self_.postMessage({ id, answer }, transfer);
  try {
    if (!ended.has(id))
      for await (const _ of steps(job, tell)) {
        await breathe();
        if (job.kind !== 'open' && job.kind !== 'wear') await sent;
        if (ended.has(id)) break; // ends the generators, too
      }
    tell({ done: true });
  } catch (error) {
    tell({ error: (error as Error).message, detail: error instanceof FileError ? (error.detail ?? '') : undefined });
  }
  ended.delete(id);
}

self.onmessage = ({ data }: MessageEvent<Message>) => {
  if ('end' in data) return void ended.add(data.id);
  const { id, job } = data;
  const done = ready.then(() => run(id, job));
  if (job.kind === 'open' || job.kind === 'wear' || job.kind === 'character') ready = done; // others go on side by side
};
