// Saves the document in the browser's database, so that a reload loses nothing. Nothing leaves the machine.
import type { Document, SourceFile } from './document';

const NAME = 'limber-studio';
const STORE = 'documents';
const KEY = 'current';
const FILE = 'file';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** One transaction; `work` says how to read its result at the end. */
async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => () => T): Promise<T> {
  const open = await database();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = open.transaction(STORE, mode);
      const result = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(result());
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    open.close();
  }
}

export interface Saved {
  document: Document;
  /** Position of the playhead. */
  time: number;
}

/** The file lies beside the rest, so that a change of the style does not copy it again. */
interface StoredFile {
  id: string;
  bytes: Blob;
}

interface Stored {
  version: 2;
  /** Of its file. */
  id: string;
  document: Document;
  time: number;
}

const ids = new WeakMap<SourceFile, string>();

function idOf(file: SourceFile): string {
  const id = ids.get(file) ?? Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-');
  ids.set(file, id);
  return id;
}

export function save({ document, time }: Saved): Promise<void> {
  const { file } = document;
  const id = idOf(file);
  const stored: Stored = {
    version: 2,
    id,
    document: { ...document, file: { ...file, bytes: new Uint8Array() } },
    time,
  };
  return run('readwrite', (store) => {
    const known: IDBRequest<StoredFile | undefined> = store.get(FILE); // another window may have written one
    known.onsuccess = () => {
      if (known.result?.id !== id) store.put({ id, bytes: new Blob([file.bytes as BlobPart]) }, FILE);
      store.put(stored, KEY);
    };
    return () => {};
  });
}

export async function restore(): Promise<Saved | undefined> {
  const [stored, kept] = await run('readonly', (store) => {
    const requests = [store.get(KEY), store.get(FILE)] as [
      IDBRequest<Stored | undefined>,
      IDBRequest<StoredFile | undefined>,
    ];
    return () => [requests[0].result, requests[1].result] as const;
  });
  if (stored?.version !== 2 || kept?.id !== stored.id) return undefined;
  const file: SourceFile = { ...stored.document.file, bytes: new Uint8Array(await kept.bytes.arrayBuffer()) };
  ids.set(file, stored.id);
  return { document: { ...stored.document, file }, time: stored.time };
}
