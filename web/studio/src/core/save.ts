// Saves the document in the browser's database, so that a reload loses nothing. Nothing leaves the machine.
import type { Document } from './document';

const NAME = 'limber-studio';
const STORE = 'documents';
const KEY = 'current';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const open = await database();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = open.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    open.close();
  }
}

export interface Saved {
  version: 1;
  document: Document;
  /** Position of the playhead. */
  time: number;
}

export const save = (saved: Saved): Promise<unknown> => run('readwrite', (store) => store.put(saved, KEY));

export async function restore(): Promise<Saved | undefined> {
  const saved: Saved | undefined = await run('readonly', (store) => store.get(KEY));
  return saved?.version === 1 && saved.document?.file?.bytes instanceof Uint8Array ? saved : undefined;
}

export const forget = (): Promise<unknown> => run('readwrite', (store) => store.delete(KEY));
