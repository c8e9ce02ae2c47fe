// A project as one file, `.limber`: a zip file of the character as it was opened, `project.json` (clip, style and edits),
// and the arrays of painted layers and takes.
import type { ChannelData } from 'limber';
import type { Document, FileKind, SourceFile, Take } from './document';
import { FileError } from './file_error';
import { filesOfZip, zipOf } from './zip';

const VERSION = 1;
const KINDS: readonly FileKind[] = ['glb', 'gltf', 'bvh'];

export interface Project {
  document: Document;
  /** Position of the playhead in seconds. */
  time: number;
}

const bytesOf = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();

export function projectFile({ document, time }: Project): Blob {
  const { file, ...rest } = document;
  const arrays: { name: string; bytes: Uint8Array }[] = [];
  const replace = (_: string, value: unknown): unknown => {
    if (!(value instanceof Float32Array)) return value;
    const name = `arrays/${arrays.length}.f32`;
    arrays.push({ name, bytes: bytesOf(value) });
    return { array: name };
  };
  const { name, kind, builtIn } = file;
  const json = JSON.stringify(
    { limber_project: VERSION, character: { name, kind, builtIn }, time, ...rest },
    replace,
    2,
  );
  return zipOf([
    { name: 'project.json', bytes: new TextEncoder().encode(json) },
    { name: 'character', bytes: file.bytes },
    ...arrays,
  ]);
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Puts arrays back in their places; one that is named often is there once. */
function reviver(files: ReadonlyMap<string, Uint8Array>) {
  const arrays = new Map<string, Float32Array>();
  return (_: string, value: unknown): unknown => {
    if (!isTree(value) || typeof value.array !== 'string' || Object.keys(value).length !== 1) return value;
    const bytes = files.get(value.array);
    if (!bytes || bytes.length % 4) throw new Error(`${value.array} is missing or damaged`);
    const array = arrays.get(value.array) ?? new Float32Array(bytes.slice().buffer);
    arrays.set(value.array, array);
    return array;
  };
}

const WIDTHS: Readonly<Record<string, number>> = { translation: 3, rotation: 4, scale: 3 };
const ROWS: Readonly<Record<string, number>> = { step: 1, linear: 1, cubic: 3 };
const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isChannel(value: unknown): value is ChannelData {
  if (!isTree(value)) return false;
  const { path, interpolation, target, times, values } = value;
  if (!(times instanceof Float32Array && values instanceof Float32Array) || !times.length) return false;
  const rows = times.length * (ROWS[String(interpolation)] ?? 0);
  const counts = path === 'weights' ? values.length % rows === 0 : values.length === rows * WIDTHS[String(path)];
  const inOrder = times.every((time, i) => i === 0 || time > times[i - 1]);
  return counts && inOrder && Number.isInteger(target) && Number(target) >= 0 && values.every(Number.isFinite);
}

function isTake(value: unknown): value is Take {
  if (!isTree(value) || !isTree(value.clip) || typeof value.name !== 'string') return false;
  const { start, end, fps, motionStart, channels } = value.clip;
  const numbers =
    [start, end, fps, motionStart].every(isFiniteNumber) && Number(end) >= Number(start) && Number(fps) > 0;
  return numbers && Array.isArray(channels) && channels.every(isChannel);
}

/** Whether the joints and meshes that takes move are there. */
export const takesFit = (takes: readonly Take[], joints: number, meshes: number): boolean =>
  takes.every(({ clip }) => clip.channels.every(({ path, target }) => target < (path === 'weights' ? meshes : joints)));

/** Only what a document has, of the right kinds; the style is checked when it is used. */
function documentOf(project: Tree, file: SourceFile): Document {
  const tree = (value: unknown): Tree => (isTree(value) ? value : {});
  const layers = Object.entries(tree(project.layers)).filter(([, values]) => values instanceof Float32Array);
  const takes: unknown[] = Array.isArray(project.takes) ? project.takes : [];
  if (!takes.every(isTake)) throw new Error('a take is damaged');
  const clip = Number(project.clip);
  return {
    file,
    clip: Number.isInteger(clip) && clip >= 0 ? clip : 0,
    style: tree(project.style),
    base: tree(project.base ?? project.style),
    shelf: tree(project.shelf),
    layers: Object.fromEntries(layers) as Document['layers'],
    takes,
  };
}

export function readProject(name: string, bytes: Uint8Array): Project {
  try {
    const files = filesOfZip(bytes);
    const text = files.get('project.json');
    const character = files.get('character');
    if (!text || !character) throw new Error('it has no character');
    const project = JSON.parse(new TextDecoder().decode(text), reviver(files)) as Tree;
    if (project.limber_project !== VERSION)
      throw new Error(`it is of version ${String(project.limber_project)}; this studio reads version ${VERSION}`);
    const about = isTree(project.character) ? project.character : {};
    if (!KINDS.includes(about.kind as FileKind)) throw new Error('it has a character of an unknown kind');
    const file: SourceFile = {
      name: String(about.name),
      kind: about.kind as FileKind,
      bytes: character.slice(),
      builtIn: typeof about.builtIn === 'string' ? about.builtIn : undefined,
    };
    return { document: documentOf(project, file), time: isFiniteNumber(project.time) ? project.time : 0 };
  } catch (error) {
    throw new FileError(`${name} cannot be opened`, `The project is not as it should be: ${(error as Error).message}.`);
  }
}
