// The module with the engine's own glTF reader and writer (web/wasm/gltf), for workers.
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import moduleUrl from '../../generated/limber-gltf.wasm?url';

export type Calls = Record<string, (...args: number[]) => number> & { memory: WebAssembly.Memory };

const MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL'];

export async function startModule(progress: (done: number, total: number) => void): Promise<Calls> {
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
    progress,
  };
  await MeshoptDecoder.ready;
  const { instance } = await WebAssembly.instantiateStreaming(fetch(moduleUrl), { limber });
  return (calls = instance.exports as Calls);
}

/** Memory of the module. */
export class Memory {
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

export function textAt(calls: Calls, at: number): string {
  const memory = new Uint8Array(calls.memory.buffer);
  const from = at >>> 0;
  return new TextDecoder().decode(memory.subarray(from, memory.indexOf(0, from)));
}

/** What a function of the module says when it fails. */
export function errorOf(calls: Calls): Error {
  const [place, message] = [textAt(calls, calls.error_text(0)), textAt(calls, calls.error_text(1))];
  return new Error(place ? `${place}: ${message}` : message);
}
