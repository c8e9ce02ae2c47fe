// An MP4 file (ISO/IEC 14496-12 and -15) with one H.264 track. The index comes first, so that the film plays while it
// loads.
import { colorCodes, join, number, text } from './bytes';
import type { Bytes, Track } from './bytes';

const UNITS_PER_FRAME = 1000;
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map((value) => number(value, 4));

function box(name: string, ...parts: Bytes[]): Uint8Array {
  const body = join(parts);
  return join([number(8 + body.length, 4), text(name), body]);
}

const full = (name: string, version: number, flags: number, ...parts: Bytes[]): Uint8Array =>
  box(name, number(version, 1), number(flags, 3), ...parts);

const u32 = (...values: number[]): Uint8Array => join(values.map((value) => number(value, 4)));
const u16 = (...values: number[]): Uint8Array => join(values.map((value) => number(value, 2)));

function colorBox({ color }: Track): Uint8Array {
  const codes = colorCodes(color);
  return codes ? box('colr', text('nclx'), u16(...codes), [color?.fullRange ? 0x80 : 0]) : new Uint8Array();
}

function sampleEntry(track: Track): Uint8Array {
  return box(
    'avc1',
    new Uint8Array(6),
    u16(1),
    new Uint8Array(16),
    u16(track.width, track.height),
    u32(0x480000, 0x480000, 0), // 72 dots per inch
    u16(1),
    new Uint8Array(32),
    u16(24, 0xffff),
    box('avcC', track.description ?? []),
    colorBox(track),
  );
}

/** When samples are shown, where that is not the order in which they are decoded. */
function compositionOffsets({ samples }: Track): Uint8Array {
  if (samples.every((sample, i) => sample.frame === i)) return new Uint8Array();
  const rows = samples.map((sample, i) => u32(1, UNITS_PER_FRAME * (sample.frame - i)));
  return full('ctts', 1, 0, u32(samples.length), ...rows);
}

function sampleTable(track: Track, firstByte: number): Uint8Array {
  const { samples } = track;
  const keys = samples.flatMap((sample, i) => (sample.key ? [i + 1] : []));
  return box(
    'stbl',
    full('stsd', 0, 0, u32(1), sampleEntry(track)),
    full('stts', 0, 0, u32(1, samples.length, UNITS_PER_FRAME)),
    compositionOffsets(track),
    full('stss', 0, 0, u32(keys.length, ...keys)),
    full('stsc', 0, 0, u32(1, 1, samples.length, 1)), // all samples are one chunk
    full('stsz', 0, 0, u32(0, samples.length, ...samples.map((sample) => sample.bytes.length))),
    full('stco', 0, 0, u32(1, firstByte)),
  );
}

function index(track: Track, firstByte: number): Uint8Array {
  const scale = track.fps * UNITS_PER_FRAME;
  const duration = track.samples.length * UNITS_PER_FRAME;
  const media = box(
    'minf',
    full('vmhd', 0, 1, new Uint8Array(8)),
    box('dinf', full('dref', 0, 0, u32(1), full('url ', 0, 1))),
    sampleTable(track, firstByte),
  );
  return box(
    'moov',
    full(
      'mvhd',
      0,
      0,
      u32(0, 0, scale, duration, 0x10000),
      u16(0x100, 0),
      u32(0, 0),
      ...MATRIX,
      new Uint8Array(24),
      u32(2),
    ),
    box(
      'trak',
      full(
        'tkhd',
        0,
        3,
        u32(0, 0, 1, 0, duration, 0, 0),
        new Uint8Array(8),
        ...MATRIX,
        u32(track.width * 0x10000, track.height * 0x10000),
      ),
      box(
        'mdia',
        full('mdhd', 0, 0, u32(0, 0, scale, duration), u16(0x55c4, 0)), // language: undetermined
        full('hdlr', 0, 0, u32(0), text('vide'), new Uint8Array(12), text('limber\0')),
        media,
      ),
    ),
  );
}

export function mp4Of(track: Track): Blob {
  const head = box('ftyp', text('isom'), u32(512), text('isomiso2avc1mp41'));
  const firstByte = head.length + index(track, 0).length + 8;
  const length = track.samples.reduce((sum, sample) => sum + sample.bytes.length, 0);
  if (firstByte + length >= 2 ** 32) throw new Error('the film is larger than 4 GB');
  return new Blob(
    [head, index(track, firstByte), u32(8 + length), text('mdat'), ...track.samples.map((sample) => sample.bytes)],
    { type: 'video/mp4' },
  );
}
