// Animated GIFs: up to 256 colors per frame, chosen by median cut, and LZW.
const SIDE = 32; // steps of a color channel
const BINS = SIDE ** 3;
const COLORS = 256;
const MAX_CODE = 4095;
const SLOTS = 8192; // of the hash table: a power of two above MAX_CODE
const CENTISECONDS = 100;
const MIN_DELAY = 2; // shorter ones are slowed down by players

/** Bytes that grow. */
class Bytes {
  private data = new Uint8Array(1 << 16);
  length = 0;

  put(...values: number[]): void {
    for (const value of values) this.byte(value);
  }

  byte(value: number): void {
    if (this.length === this.data.length) {
      const more = new Uint8Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    this.data[this.length++] = value;
  }

  short(value: number): void {
    this.put(value & 255, value >> 8);
  }

  text(text: string): void {
    for (const one of text) this.byte(one.charCodeAt(0));
  }

  get bytes(): Uint8Array {
    return this.data.slice(0, this.length);
  }
}

const binOf = (pixels: Uint8ClampedArray, at: number): number =>
  ((pixels[at] >> 3) * SIDE + (pixels[at + 1] >> 3)) * SIDE + (pixels[at + 2] >> 3);
const channelOf = (bin: number, channel: number): number => Math.floor(bin / SIDE ** (2 - channel)) % SIDE;

/** Bins of similar colors, and the channel in which they differ most. */
interface Box {
  bins: number[];
  channel: number;
  /** How much is gained by a split; 0: nothing. */
  weight: number;
}

function boxOf(bins: number[]): Box {
  const spreads = [0, 1, 2].map((channel) => {
    let low = SIDE;
    let high = 0;
    for (const bin of bins) {
      const value = channelOf(bin, channel);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    return high - low;
  });
  const spread = Math.max(...spreads);
  return { bins, channel: spreads.indexOf(spread), weight: spread * Math.sqrt(bins.length) };
}

/** Splits a box where half of its pixels are on either side. */
function split({ bins, channel }: Box, counts: Uint32Array): Box[] {
  bins.sort((a, b) => channelOf(a, channel) - channelOf(b, channel));
  const all = bins.reduce((sum, bin) => sum + counts[bin], 0);
  let at = 0;
  for (let sum = 0; at < bins.length - 1 && 2 * (sum += counts[bins[at]]) < all; at++);
  const cut = Math.min(at + 1, bins.length - 1);
  return [boxOf(bins.slice(0, cut)), boxOf(bins.slice(cut))];
}

/** The colors of a frame, and which one each bin has. */
function paletteOf(counts: Uint32Array): { palette: Uint8Array; indexOf: Uint8Array } {
  const boxes = [boxOf(Array.from(counts.keys()).filter((bin) => counts[bin]))];
  while (boxes.length < COLORS) {
    const worst = boxes.reduce((best, { weight }, i) => (weight > boxes[best].weight ? i : best), 0);
    if (boxes[worst].weight === 0) break;
    boxes.splice(worst, 1, ...split(boxes[worst], counts));
  }
  const palette = new Uint8Array(3 * COLORS);
  const indexOf = new Uint8Array(BINS);
  boxes.forEach(({ bins }, i) => {
    const all = bins.reduce((sum, bin) => sum + counts[bin], 0);
    for (const channel of [0, 1, 2]) {
      const sum = bins.reduce((total, bin) => total + counts[bin] * channelOf(bin, channel), 0);
      palette[3 * i + channel] = Math.round(((sum / all) * 255) / (SIDE - 1));
    }
    for (const bin of bins) indexOf[bin] = i;
  });
  return { palette, indexOf };
}

/** Codes of growing width, in blocks of at most 255 bytes. */
function writeLzw(out: Bytes, indices: Uint8Array): void {
  const clear = COLORS;
  const keys = new Int32Array(SLOTS);
  const codes = new Uint16Array(SLOTS);
  const block: number[] = [];
  let next = 0;
  let width = 0;
  let bits = 0;
  let held = 0;
  const flush = () => {
    if (block.length) out.put(block.length, ...block.splice(0));
  };
  const write = (code: number) => {
    held |= code << bits;
    for (bits += width; bits >= 8; bits -= 8, held >>>= 8) {
      block.push(held & 255);
      if (block.length === 255) flush();
    }
  };
  const start = () => {
    keys.fill(-1);
    next = COLORS + 2;
    width = 9;
  };
  start();
  write(clear);
  let code = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = (code << 8) | indices[i];
    let slot = (key ^ (key >> 7)) & (SLOTS - 1);
    while (keys[slot] >= 0 && keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1);
    if (keys[slot] === key) {
      code = codes[slot];
      continue;
    }
    write(code);
    code = indices[i];
    if (next > MAX_CODE) {
      write(clear);
      start();
      continue;
    }
    if (next === 1 << width) width++;
    keys[slot] = key;
    codes[slot] = next++;
  }
  write(code);
  write(COLORS + 1);
  if (bits > 0) block.push(held & 255);
  flush();
  out.byte(0);
}

/** A GIF that loops, frame by frame. */
export class GifFile {
  private readonly out = new Bytes();
  private frames = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly fps: number,
  ) {
    const { out } = this;
    out.text('GIF89a');
    out.short(width);
    out.short(height);
    out.put(0x70, 0, 0);
    out.put(0x21, 0xff, 11);
    out.text('NETSCAPE2.0');
    out.put(3, 1, 0, 0, 0); // again and again
  }

  /** Four bytes per pixel. */
  add(pixels: Uint8ClampedArray): void {
    const { out, width, height } = this;
    const counts = new Uint32Array(BINS);
    for (let at = 0; at < pixels.length; at += 4) counts[binOf(pixels, at)]++;
    const { palette, indexOf } = paletteOf(counts);
    const indices = new Uint8Array(pixels.length / 4);
    for (let i = 0; i < indices.length; i++) indices[i] = indexOf[binOf(pixels, 4 * i)];
    const moment = (frame: number) => Math.round((frame * CENTISECONDS) / this.fps);
    out.put(0x21, 0xf9, 4, 4);
    out.short(Math.max(moment(this.frames + 1) - moment(this.frames), MIN_DELAY));
    out.put(0, 0);
    this.frames++;
    out.byte(0x2c);
    for (const value of [0, 0, width, height]) out.short(value);
    out.byte(0x87);
    out.put(...palette);
    out.byte(8);
    writeLzw(out, indices);
  }

  finish(): Uint8Array {
    this.out.byte(0x3b);
    return this.out.bytes;
  }
}
