// Files that lie beside the one that is opened: buffers and pictures that it refers to, dropped together with it or in
// one folder.
import { FileError } from '../core/file_error';

/** Files by their path in the folder that was dropped, or their name. */
export type Beside = ReadonlyMap<string, File>;

const CHARACTER = /\.(glb|vrm|gltf|fbx|bvh|limber)$/i;
const normal = (path: string): string =>
  path
    .replace(/\\/g, '/')
    .replace(/^(\.\/)+/, '')
    .toLowerCase();
const lastOf = (path: string): string => normal(path).split('/').pop()!;

/** The file to open among some, and those beside it. Styles are neither. */
export function chosenOf(files: ReadonlyMap<string, File>): { path: string; file: File; beside: Beside } | undefined {
  const all = [...files].filter(([path]) => !/\.jsonc?$/i.test(path));
  const depth = (path: string) => path.split('/').length;
  const [first] = all.filter(([path]) => CHARACTER.test(path)).sort(([a], [b]) => depth(a) - depth(b));
  const [path, file] = first ?? all[0] ?? [];
  if (path === undefined || file === undefined) return undefined;
  return { path, file, beside: new Map(all.filter(([one]) => one !== path)) };
}

/** The file that a path means: the one of that path, else the only one of that name, wherever it lies. */
export function find(beside: Beside, path: string): File | undefined {
  const wanted = normal(path);
  const exact = [...beside].find(([one]) => normal(one) === wanted || normal(one).endsWith(`/${wanted}`));
  const named = [...beside].filter(([one]) => lastOf(one) === lastOf(wanted));
  return exact?.[1] ?? (named.length === 1 ? named[0][1] : undefined);
}

/** The bytes in an address. */
function embedded(uri: string): Uint8Array {
  const comma = uri.indexOf(',');
  const body = uri.slice(comma + 1);
  const text = uri.slice(0, comma).endsWith(';base64') ? atob(body) : unescape(body);
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

/** The bytes that an address in a file means. */
export async function bytesOf(name: string, uri: string, beside: Beside): Promise<Uint8Array> {
  if (uri.startsWith('data:')) return embedded(uri);
  const path = decodeURIComponent(uri);
  const file = find(beside, path);
  if (!file)
    throw new FileError(
      `${name} refers to another file, ${path}`,
      'Drop it together with that file, or drop the whole folder.',
    );
  return new Uint8Array(await file.arrayBuffer());
}

// --- folders ---

function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Browsers give some at a time, and none at the end.
  const next = (): Promise<FileSystemEntry[]> =>
    new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)).then((some) => {
      all.push(...some);
      return some.length ? next() : all;
    });
  return next();
}

async function walk(entry: FileSystemEntry, path: string, into: Map<string, File>): Promise<void> {
  if (entry.isDirectory) {
    for (const one of await entriesOf(entry as FileSystemDirectoryEntry))
      await walk(one, `${path}${entry.name}/`, into);
    return;
  }
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  into.set(path + entry.name, file);
}

/** Everything that was dropped, folders with all that is in them. Call it before the event ends. */
export function dropped(transfer: DataTransfer): Promise<ReadonlyMap<string, File>> {
  const into = new Map<string, File>();
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const folders = items.flatMap((item) => {
    const entry = item.webkitGetAsEntry?.();
    return entry?.isDirectory ? [entry] : [];
  });
  const isFolder = new Set(folders.map(({ name }) => name));
  for (const file of transfer.files) if (!isFolder.has(file.name)) into.set(file.name, file);
  return Promise.all(folders.map((one) => walk(one, '', into))).then(() => into);
}
