// Bytes of boxes and elements, for the file formats of films.

/** Big-endian, `size` bytes. */
export function number(value: number, size: number): Uint8Array {
  const out = new Uint8Array(size);
  for (let i = size - 1, rest = value < 0 ? value + 2 ** (8 * size) : value; i >= 0; i--) {
    out[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return out;
}

export const text = (value: string): Uint8Array => Uint8Array.from(value, (c) => c.charCodeAt(0));

export function float64(value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value);
  return out;
}

export type Bytes = Uint8Array | readonly number[];

export function join(parts: readonly Bytes[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** What an encoder makes of a frame. */
export interface Sample {
  bytes: Uint8Array;
  key: boolean;
  /** Number of the frame. Encoders may write frames in another order. */
  frame: number;
}

/** The pictures of a film, in the order of decoding. */
export interface Track {
  width: number;
  height: number;
  fps: number;
  samples: readonly Sample[];
  /** The decoder's configuration, where the codec has one. */
  description?: Uint8Array;
  color?: VideoColorSpaceInit;
}

/** The numbers of ITU-T H.273 for primaries, transfer, matrix; undefined where the encoder names none. */
export function colorCodes(color: VideoColorSpaceInit | undefined): [number, number, number] | undefined {
  const primaries: Record<string, number> = { bt709: 1, bt470bg: 5, smpte170m: 6 };
  const transfers: Record<string, number> = { bt709: 1, smpte170m: 6, 'iec61966-2-1': 13 };
  const matrices: Record<string, number> = { rgb: 0, bt709: 1, bt470bg: 5, smpte170m: 6 };
  const codes = [
    primaries[color?.primaries ?? ''],
    transfers[color?.transfer ?? ''],
    matrices[color?.matrix ?? ''],
  ] as const;
  return codes.every((code) => code !== undefined) ? [...codes] : undefined;
}
