// Frames to files: films by the browser's encoders (WebCodecs), or pictures in a zip file, which every browser can make.
import type { Sample, Track } from './bytes';
import { GifFile } from './gif';
import { mp4Of } from './mp4';
import { webmOf } from './webm';
import { zipOf } from '../../../core/zip';

export type FilmFormat = 'mp4' | 'webm' | 'gif' | 'png';

export interface FilmSize {
  width: number;
  height: number;
  fps: number;
}

/** Makes a file of frames that come one by one. */
export interface FilmWriter {
  add(canvas: HTMLCanvasElement): Promise<void>;
  /** The file. Throws if it does not have every frame that was added. */
  finish(): Promise<Blob>;
  /** Frees the encoder. */
  close(): void;
}

// The best first: profile and level.
const CODECS = {
  mp4: ['avc1.640034', 'avc1.64002a', 'avc1.640028', 'avc1.4d0034', 'avc1.4d002a', 'avc1.420034', 'avc1.42002a'],
  webm: ['vp09.00.51.08', 'vp09.00.41.08', 'vp09.00.40.08', 'vp09.00.10.08'],
} as const;
const KEY_FRAME_S = 2;
const WAITING = 8; // frames that the encoder may have before it

function bitsPerSecond({ width, height, fps }: FilmSize): number {
  return Math.round(Math.min(Math.max(width * height * fps * 0.2, 1e6), 60e6));
}

async function configOf(format: 'mp4' | 'webm', size: FilmSize): Promise<VideoEncoderConfig | undefined> {
  if (!('VideoEncoder' in window)) return undefined;
  for (const codec of CODECS[format]) {
    const config: VideoEncoderConfig = {
      codec,
      width: size.width,
      height: size.height,
      framerate: size.fps,
      bitrate: bitsPerSecond(size),
      latencyMode: 'quality',
      ...(format === 'mp4' && { avc: { format: 'avc' } }),
    };
    const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
    if (supported) return config;
  }
  return undefined;
}

/** Which formats this browser can write. */
export async function filmFormats(size: FilmSize): Promise<FilmFormat[]> {
  const films = (['mp4', 'webm'] as const).map(async (format) => ((await configOf(format, size)) ? [format] : []));
  return [...(await Promise.all(films)).flat(), 'gif', 'png'];
}

class VideoWriter implements FilmWriter {
  private readonly encoder: VideoEncoder;
  private readonly samples: Sample[] = [];
  private added = 0;
  private fault: Error | undefined;
  private description: Uint8Array | undefined;
  private color: VideoColorSpaceInit | undefined;

  constructor(
    private readonly format: 'mp4' | 'webm',
    private readonly size: FilmSize,
    config: VideoEncoderConfig,
  ) {
    this.encoder = new VideoEncoder({
      output: (chunk, metadata) => this.keep(chunk, metadata),
      error: (error) => (this.fault = error),
    });
    this.encoder.configure(config);
  }

  private keep(chunk: EncodedVideoChunk, metadata: EncodedVideoChunkMetadata | undefined): void {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    const { description, colorSpace } = metadata?.decoderConfig ?? {};
    if (description)
      this.description = ArrayBuffer.isView(description)
        ? Uint8Array.from(new Uint8Array(description.buffer, description.byteOffset, description.byteLength))
        : new Uint8Array(description.slice(0) as ArrayBuffer);
    this.color = colorSpace ?? this.color;
    const frame = Math.round((chunk.timestamp * this.size.fps) / 1e6);
    this.samples.push({ bytes, key: chunk.type === 'key', frame });
  }

  async add(canvas: HTMLCanvasElement): Promise<void> {
    while (!this.fault && this.encoder.encodeQueueSize > WAITING)
      await new Promise((resolve) => setTimeout(resolve, 4));
    if (this.fault) throw this.fault;
    const { fps } = this.size;
    const frame = new VideoFrame(canvas, {
      timestamp: Math.round((this.added * 1e6) / fps),
      duration: Math.round(1e6 / fps),
      alpha: 'discard',
    });
    this.encoder.encode(frame, { keyFrame: this.added % Math.max(1, Math.round(KEY_FRAME_S * fps)) === 0 });
    frame.close();
    this.added++;
  }

  async finish(): Promise<Blob> {
    await this.encoder.flush();
    if (this.fault) throw this.fault;
    const { samples, added } = this;
    const frames = new Set(samples.filter(({ bytes }) => bytes.length).map(({ frame }) => frame));
    if (frames.size !== added || samples.length !== added)
      throw new Error(`the browser encoded ${frames.size} of ${added} frames; another format may work`);
    if (!samples[0]?.key || (this.format === 'mp4' && !this.description))
      throw new Error('the browser encoded a film that cannot be decoded; another format may work');
    const track: Track = { ...this.size, samples, description: this.description, color: this.color };
    return this.format === 'mp4' ? mp4Of(track) : webmOf(track);
  }

  close(): void {
    if (this.encoder.state !== 'closed') this.encoder.close();
  }
}

class PictureWriter implements FilmWriter {
  private readonly files: { name: string; bytes: Uint8Array }[] = [];

  constructor(private readonly stem: string) {}

  async add(canvas: HTMLCanvasElement): Promise<void> {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob?.size) throw new Error('a frame cannot be encoded');
    const name = `${this.stem}-${String(this.files.length).padStart(4, '0')}.png`;
    this.files.push({ name, bytes: new Uint8Array(await blob.arrayBuffer()) });
  }

  finish(): Promise<Blob> {
    return Promise.resolve(zipOf(this.files));
  }

  close(): void {
    this.files.length = 0;
  }
}

class GifWriter implements FilmWriter {
  private readonly file: GifFile;
  private readonly context: CanvasRenderingContext2D;

  constructor({ width, height, fps }: FilmSize) {
    this.file = new GifFile(width, height, fps);
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    this.context = canvas.getContext('2d', { willReadFrequently: true })!;
  }

  async add(picture: HTMLCanvasElement): Promise<void> {
    const { canvas } = this.context;
    this.context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    this.file.add(this.context.getImageData(0, 0, canvas.width, canvas.height).data);
    await new Promise((later) => setTimeout(later)); // the page stays awake
  }

  finish(): Promise<Blob> {
    return Promise.resolve(new Blob([this.file.finish()], { type: 'image/gif' }));
  }

  close(): void {
    this.context.canvas.width = 0;
  }
}

export async function filmWriter(format: FilmFormat, size: FilmSize, stem: string): Promise<FilmWriter> {
  if (format === 'png') return new PictureWriter(stem);
  if (format === 'gif') return new GifWriter(size);
  const config = await configOf(format, size);
  if (!config)
    throw new Error(`this browser cannot encode .${format} films of ${size.width} × ${size.height}; save PNG frames`);
  return new VideoWriter(format, size, config);
}
