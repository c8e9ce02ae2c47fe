// The WASM module inlined as text, for environments that cannot serve a separate file. Importing it is enough:
//
//     import 'limber/inline';
//     import { createEngine } from 'limber/engine';
//     const engine = await createEngine();
import { offerBytes } from './wasm.js';
import { WASM_BASE64 } from './wasm.generated.js';

/** The bytes of limber.wasm. */
export function wasmBytes(): Uint8Array {
  const text = atob(WASM_BASE64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

offerBytes(wasmBytes);
