// Writes a .glb with the engine's own reader and writer (web/wasm/gltf), off the page's thread.
import { errorOf, Memory, startModule } from '../../core/gltf_module';
import type { Calls } from '../../core/gltf_module';
import type { Answer, Job } from './job';

const answer = (message: Answer, transfer: Transferable[] = []): void =>
  (self as unknown as Worker).postMessage(message, transfer);

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
    const calls = await startModule((done, total) => answer({ done, total }));
    const glb = write(calls, data);
    answer({ glb }, [glb.buffer]);
  } catch (error) {
    answer({ error: (error as Error).message });
  }
};
