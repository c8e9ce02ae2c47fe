// Zip files whose files are not compressed: pictures and characters already are.

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 0xff];
  return ~crc >>> 0;
}

function little(...fields: [value: number, size: 2 | 4][]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return out;
}

const JANUARY_1980 = 0x21;

export function zipOf(files: readonly { name: string; bytes: Uint8Array }[]): Blob {
  const parts: Uint8Array[] = [];
  const index: Uint8Array[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const title = new TextEncoder().encode(name);
    const about = little(
      [20, 2],
      [0x800, 2], // names are UTF-8
      [0, 2],
      [0, 2],
      [JANUARY_1980, 2],
      [crcOf(bytes), 4],
      [bytes.length, 4],
      [bytes.length, 4],
      [title.length, 2],
      [0, 2],
    );
    index.push(little([0x02014b50, 4], [20, 2]), about, little([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), title);
    parts.push(little([0x04034b50, 4]), about, title, bytes);
    at += 4 + about.length + title.length + bytes.length;
  }
  const size = index.reduce((sum, part) => sum + part.length, 0);
  if (at + size >= 2 ** 32 || files.length > 0xffff) throw new Error('this is more than a zip file can hold');
  const end = little([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]);
  return new Blob([...parts, ...index, end], { type: 'application/zip' });
}

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;

/** The place of the list of files. */
function listOf(view: DataView): { at: number; count: number } {
  const last = view.byteLength - END_SIZE;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--)
    if (view.getUint32(at, true) === END)
      return { at: view.getUint32(at + 16, true), count: view.getUint16(at + 10, true) };
  throw new Error('it is not a zip file, or cut off');
}

/** The files of a zip file, by name. Throws where it is damaged, or where files are compressed. */
export function filesOfZip(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  let { at, count } = listOf(view);
  let rest = bytes.length; // files that share bytes are damaged, or a trap
  try {
    for (; count > 0; count--) {
      const [method, crc, size] = [
        view.getUint16(at + 10, true),
        view.getUint32(at + 16, true),
        view.getUint32(at + 24, true),
      ];
      const [title, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
      const local = view.getUint32(at + 42, true);
      if (view.getUint32(at, true) !== ENTRY || view.getUint32(local, true) !== LOCAL) throw new RangeError();
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + title));
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (method !== 0) throw new Error(`${name} is compressed; it has to be stored`);
      const content = bytes.subarray(from, from + size);
      rest -= size;
      if (rest < 0 || content.length !== size || crcOf(content) !== crc) throw new RangeError();
      files.set(name, content);
      at += 46 + title + extra + comment;
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Error('it is damaged');
    throw error;
  }
  return files;
}
