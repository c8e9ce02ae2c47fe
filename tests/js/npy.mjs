// NumPy v1 arrays, as `limber dump` writes them.
import fs from 'node:fs';

export function readNpy(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.toString('latin1', 0, 6) !== '\x93NUMPY' || bytes[6] !== 1) throw new Error(`${file}: not NumPy v1`);
  const size = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + size);
  const type = header.match(/'descr':\s*'([^']+)'/)?.[1];
  const shape = header.match(/'shape':\s*\(([^)]*)\)/)[1].split(',').map((s) => s.trim()).filter(Boolean).map(Number);
  if (!/'fortran_order':\s*False/.test(header)) throw new Error(`${file}: not in C order`);
  const Kind = { '<f4': Float32Array, '<u4': Uint32Array }[type];
  if (!Kind) throw new Error(`${file}: unexpected type ${type}`);
  const body = bytes.subarray(10 + size);
  const count = shape.reduce((a, b) => a * b, 1);
  if (body.length !== 4 * count) throw new Error(`${file}: ${body.length} bytes for shape ${shape}`);
  return { shape, data: new Kind(body.buffer.slice(body.byteOffset, body.byteOffset + body.length)) };
}
