// glTF files as trees and bytes, without any library.
import fs from 'node:fs';
import path from 'node:path';

const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

export function parseGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0x46546c67) throw new Error('not a .glb');
  if (view.getUint32(8, true) !== bytes.byteLength) throw new Error('the length in the header is wrong');
  let json = null;
  let binary = new Uint8Array(0);
  for (let at = 12; at < bytes.byteLength; ) {
    const size = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    const chunk = bytes.subarray(at + 8, at + 8 + size);
    if (kind === JSON_CHUNK) json = JSON.parse(new TextDecoder().decode(chunk));
    if (kind === BINARY_CHUNK) binary = chunk;
    at += 8 + size;
  }
  return { json, binary };
}

function bytesOfBuffer(buffer, folder, binary) {
  if (buffer.uri === undefined) return binary;
  if (buffer.uri.startsWith('data:')) return Buffer.from(buffer.uri.slice(buffer.uri.indexOf(',') + 1), 'base64');
  return fs.readFileSync(path.join(folder, decodeURIComponent(buffer.uri)));
}

// { json, buffers } of a .glb or .gltf; every buffer cut to its byteLength.
export function readGltf(file) {
  const bytes = new Uint8Array(fs.readFileSync(file));
  const glb = file.toLowerCase().endsWith('.glb');
  const { json, binary } = glb ? parseGlb(bytes) : { json: JSON.parse(new TextDecoder().decode(bytes)), binary: null };
  const folder = path.dirname(file);
  const buffers = (json.buffers ?? []).map((b) => bytesOfBuffer(b, folder, binary).subarray(0, b.byteLength));
  return { json, buffers };
}

export function makeGlb(json, binary) {
  const pad = (n) => (4 - (n % 4)) % 4;
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textSize = text.length + pad(text.length);
  const binarySize = binary ? binary.length + pad(binary.length) : 0;
  const total = 12 + 8 + textSize + (binarySize ? 8 + binarySize : 0);
  const out = new Uint8Array(total).fill(0x20);
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, total, true);
  view.setUint32(12, textSize, true);
  view.setUint32(16, JSON_CHUNK, true);
  out.set(text, 20);
  if (!binarySize) return out;
  view.setUint32(20 + textSize, binarySize, true);
  view.setUint32(24 + textSize, BINARY_CHUNK, true);
  out.fill(0, 28 + textSize);
  out.set(binary, 28 + textSize);
  return out;
}

// Which meshes a scene shows, in the order in which limber lists their vertices: by mesh, then by node.
export function shownMeshes(json) {
  const scene = json.scenes?.[json.scene ?? 0];
  const pending = [...(scene?.nodes ?? [])];
  const entries = [];
  while (pending.length) {
    const node = pending.pop();
    pending.push(...(json.nodes[node].children ?? []));
    if (json.nodes[node].mesh !== undefined) entries.push({ node, mesh: json.nodes[node].mesh });
  }
  return entries.sort((a, b) => a.mesh - b.mesh || a.node - b.node);
}

// Where the meshes of `before` are in `after`: on the same node, or on a new one that is called after it.
export function followMeshes(before, after) {
  const taken = new Set();
  return shownMeshes(before).map(({ node }) => {
    if (after.nodes[node].mesh !== undefined) return node;
    const { name } = before.nodes[node];
    const isIt = (other) => other === name || (name !== undefined && other?.startsWith(`${name}.mesh`));
    const found = after.nodes.findIndex((n, i) => i >= before.nodes.length && isIt(n.name) && n.mesh !== undefined && !taken.has(i));
    if (found < 0) throw new Error(`the mesh of node ${node} is gone`);
    taken.add(found);
    return found;
  });
}
