// A project as one file, `.limber`: a zip file of the character as it was opened, `project.json` (clip, style and edits),
// and the arrays of painted layers and takes.
import type { Document, FileKind, SourceFile } from './document';
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

/** Puts arrays back in their places. */
function reviver(files: ReadonlyMap<string, Uint8Array>) {
  return (_: string, value: unknown): unknown => {
    if (!isTree(value) || typeof value.array !== 'string' || Object.keys(value).length !== 1) return value;
    const bytes = files.get(value.array);
    if (!bytes || bytes.length % 4) throw new Error(`${value.array} is missing or damaged`);
    return new Float32Array(bytes.slice().buffer);
  };
}

/** Only what a document has, of the right kinds; the style is checked when it is used. */
function documentOf(project: Tree, file: SourceFile): Document {
  const tree = (value: unknown): Tree => (isTree(value) ? value : {});
  const layers = Object.entries(tree(project.layers)).filter(([, values]) => values instanceof Float32Array);
  const takes = Array.isArray(project.takes) ? project.takes : [];
  const clip = Number(project.clip);
  return {
    file,
    clip: Number.isInteger(clip) && clip >= 0 ? clip : 0,
    style: tree(project.style),
    base: tree(project.base ?? project.style),
    shelf: tree(project.shelf),
    layers: Object.fromEntries(layers) as Document['layers'],
    takes: takes.filter((take) => isTree(take) && isTree(take.clip)) as unknown as Document['takes'],
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
    return { document: documentOf(project, file), time: Number(project.time) || 0 };
  } catch (error) {
    throw new FileError(`${name} cannot be opened`, `The project is not as it should be: ${(error as Error).message}.`);
  }
}
