// A style in the fragment of an address. Browsers do not send fragments to servers: nothing is uploaded.
import type { Style } from 'limber/engine';

const PLAIN = '#style=';
const PACKED = '#style-z=';
const LONG = 240; // characters of an address
const MAX_BYTES = 1 << 20;

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) throw new Error('it is longer than 1 MB');
    parts.push(value);
  }
  const all = new Uint8Array(length);
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
};

const through = (bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> =>
  bytesOf(new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>));

function toText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

const fromText = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** The address of a page that opens with this style. Long styles are compressed. */
export async function linkOf(style: Style, page: string): Promise<string> {
  const text = JSON.stringify(style);
  const [address] = page.split('#');
  const plain = PLAIN + encodeURIComponent(text);
  if (plain.length <= LONG || typeof CompressionStream === 'undefined') return address + plain;
  const packed = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  return address + PACKED + toText(packed);
}

/** Whether a text is or contains a link with a style. */
export const isStyleLink = (text: string): boolean => text.includes(PLAIN) || text.includes(PACKED);

/** The style in a link, as JSON text. Throws if it is damaged. */
export async function styleOfLink(link: string): Promise<string> {
  const hash = link.slice(link.indexOf('#')).trim();
  try {
    if (hash.startsWith(PLAIN)) return decodeURIComponent(hash.slice(PLAIN.length));
    if (!hash.startsWith(PACKED)) throw new Error('it has no style');
    const bytes = await through(fromText(hash.slice(PACKED.length)), new DecompressionStream('deflate-raw'));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const why = error instanceof Error && /1 MB|no style/.test(error.message) ? error.message : 'it is incomplete';
    throw new Error(`The link cannot be read: ${why}`);
  }
}
