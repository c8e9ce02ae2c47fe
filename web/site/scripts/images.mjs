// The width and height of a picture, read from its first bytes, so that a page reserves its place.
import fs from 'node:fs';

function ofPng(bytes) {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The frame header of a JPEG stands behind segments of any length. */
function ofJpeg(bytes) {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const kind = bytes[at + 1];
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}

function ofWebp(bytes) {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}

/** { width, height } of a .png, .jpg or .webp file. Throws where it cannot be read. */
export function sizeOf(file) {
  const bytes = fs.readFileSync(file);
  const isWebp = bytes.toString('latin1', 8, 12) === 'WEBP';
  const read = bytes[0] === 0x89 ? ofPng : bytes[0] === 0xff ? ofJpeg : isWebp ? ofWebp : () => undefined;
  const size = read(bytes);
  if (!size) throw new Error(`${file}: neither PNG, JPEG nor WebP`);
  return size;
}
