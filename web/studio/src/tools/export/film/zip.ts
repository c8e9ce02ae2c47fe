// A zip file of files that are not compressed again: pictures already are.

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
  if (at + size >= 2 ** 32 || files.length > 0xffff) throw new Error('the frames are more than a zip file can hold');
  const end = little([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]);
  return new Blob([...parts, ...index, end], { type: 'application/zip' });
}
