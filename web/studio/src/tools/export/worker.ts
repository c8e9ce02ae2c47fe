// Writes a .glb with the engine's own reader and writer (web/wasm/gltf), off the page's thread.
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import type { Answer, Job } from './job';
import moduleUrl from '../../../generated/limber-gltf.wasm?url';

type Calls = Record<string, (...args: number[]) => number> & { memory: WebAssembly.Memory };

const MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL'];

const answer = (message: Answer, transfer: Transferable[] = []): void =>
  (self as unknown as Worker).postMessage(message, transfer);

async function start(): Promise<Calls> {
  let calls: Calls | undefined;
  const bytes = (at: number, count: number) => new Uint8Array(calls!.memory.buffer, at >>> 0, count >>> 0);
  const limber = {
    unpack: (mode: number, filter: number, from: number, size: number, count: number, stride: number, out: number) => {
      try {
        const target = bytes(out, count * stride);
        MeshoptDecoder.decodeGltfBuffer(target, count, stride, bytes(from, size), MODES[mode], FILTERS[filter]);
        return 1;
      } catch {
        return 0;
      }
    },
    progress: (done: number, total: number) => answer({ done, total }),
  };
  await MeshoptDecoder.ready;
  const { instance } = await WebAssembly.instantiateStreaming(fetch(moduleUrl), { limber });
  return (calls = instance.exports as Calls);
}

/** Memory of the module, and what its functions say when they fail. */
class Memory {
  constructor(
    private readonly calls: Calls,
    private readonly allocate: (bytes: number) => number,
  ) {}

  put(bytes: Uint8Array): number {
    const at = this.allocate(bytes.length + 1) >>> 0;
    if (!at) throw new Error('not enough memory');
    const memory = new Uint8Array(this.calls.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return at;
  }

  text(text: string): number {
    return this.put(new TextEncoder().encode(text));
  }

  numbers(values: Float32Array | Uint32Array): number {
    return this.put(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
}

function errorOf(calls: Calls): Error {
  const read = (at: number): string => {
    const memory = new Uint8Array(calls.memory.buffer);
    const from = at >>> 0;
    return new TextDecoder().decode(memory.subarray(from, memory.indexOf(0, from)));
  };
  const [place, message] = [read(calls.error_text(0)), read(calls.error_text(1))];
  return new Error(place ? `${place}: ${message}` : message);
}

function write(calls: Calls, job: Job): Uint8Array {
  const check = <T>(value: T): T => {
    if (!value) throw errorOf(calls);
    return value;
  };
  const heap = new Memory(calls, (bytes) => calls.memory_allocate(bytes));
  const names = new Set(job.layers.map(({ name }) => name));
  const file = check(
    calls.export_create(
      heap.put(job.bytes),
      job.bytes.length,
      job.clipName === undefined ? 0 : heap.text(job.clipName),
      names.size,
      job.takes.length,
    ),
  );
  const kept = new Memory(calls, (bytes) => calls.export_allocate(file, bytes));
  const nameAt = new Map([...names].map((name) => [name, kept.text(name)]));
  for (const { name, node, primitive, values } of job.layers) {
    const at = heap.numbers(values);
    if (!calls.export_layer(file, nameAt.get(name)!, node, primitive, values.length, at))
      throw new Error(`the layer ${name} does not fit the file`);
    calls.memory_free(at);
  }
  for (const { name, channels } of job.takes) {
    check(calls.export_take(file, kept.text(name), channels.length));
    for (const { node, path, times, values } of channels)
      calls.export_channel(file, node, path, times.length, kept.numbers(times), kept.numbers(values));
  }
  const style = check(calls.style_create());
  const text = new TextEncoder().encode(job.style);
  if (calls.style_read(style, heap.put(text), text.length)) throw errorOf(calls);
  const clips = heap.numbers(Uint32Array.from(job.clips));
  const { kind, fps, tolerance, smearMeshes } = job;
  if (calls.export_write(file, style, kind, job.clips.length, clips, fps, tolerance, smearMeshes)) throw errorOf(calls);
  const at = calls.export_bytes(file) >>> 0;
  return new Uint8Array(calls.memory.buffer).slice(at, at + (calls.export_size(file) >>> 0));
}

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  try {
    const glb = write(await start(), data);
    answer({ glb }, [glb.buffer]);
  } catch (error) {
    answer({ error: (error as Error).message });
  }
};
