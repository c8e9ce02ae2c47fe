// A file to open: its kind by its name, converted where a browser does not read it.
import type { FileKind, SourceFile } from '../core/document';
import { FileError } from '../core/file_error';
import type { Beside } from './beside';
import { converted } from './convert';

const MAX_BYTES = 512 << 20;
const KINDS: Record<string, FileKind> = { glb: 'glb', vrm: 'glb', fbx: 'glb', gltf: 'gltf', bvh: 'bvh' };

/** Determines the kind of a file by its extension; throws if it is not supported. */
export function kindOf(name: string): FileKind {
  const ending = name.toLowerCase().split('.').pop() ?? '';
  const kind = KINDS[ending];
  if (!kind)
    throw new FileError(
      `${name} has an unsupported format`,
      'Supported are .glb, .vrm, .gltf, .fbx, .bvh, and projects (.limber).',
    );
  return kind;
}

/** A file to open. What a browser does not read is converted first, with what lies `beside` it. */
export async function sourceOf(
  name: string,
  bytes: Uint8Array,
  builtIn?: string,
  beside: Beside = new Map(),
): Promise<SourceFile> {
  const kind = kindOf(name);
  if (!bytes.length) throw new FileError(`${name} is empty`);
  if (bytes.length > MAX_BYTES) throw new FileError(`${name} is larger than 512 MB`);
  return { name, ...(await converted(name, { kind, bytes }, beside)), builtIn };
}
