// Saves the project as one file. Where the browser can write files, it asks once and then writes the same file again.
import type { App } from '../app';
import { messageOf } from '../core/file_error';
import { projectFile } from '../core/project';
import { download, fileName } from './download';
import { say } from './widgets';

interface Handle {
  createWritable(): Promise<{ write(data: Blob): Promise<void>; close(): Promise<void> }>;
}

type Picker = (options: object) => Promise<Handle>;

const handles = new WeakMap<object, Handle>();

async function write(app: App, blob: Blob, name: string): Promise<void> {
  const picker = (window as unknown as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (!picker) return download(blob, name);
  const { file } = app.store.current;
  const types = [{ description: 'limber project', accept: { 'application/zip': ['.limber'] } }];
  const handle = handles.get(file) ?? (await picker({ suggestedName: name, types }));
  handles.set(file, handle);
  const stream = await handle.createWritable();
  await stream.write(blob);
  await stream.close();
}

export async function saveProject(app: App): Promise<void> {
  const document = app.store.document.value;
  if (!document) return;
  const name = `${fileName(document.file.name.replace(/\.\w+$/, ''))}.limber`;
  try {
    await write(app, projectFile({ document, time: app.player.time.value }), name);
    say({ kind: 'info', text: `Saved ${name}` });
  } catch (error) {
    if ((error as Error).name === 'AbortError') return; // the user chose not to
    say({ kind: 'error', text: `${name} cannot be saved`, detail: messageOf(error) });
  }
}
