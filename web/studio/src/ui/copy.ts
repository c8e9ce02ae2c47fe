// Copies text to the clipboard.
import { say } from './widgets';

/** Says `done`, or shows the text to copy by hand where the browser does not allow it. */
export async function copyText(text: string, done: string, detail?: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say({ kind: 'info', text: done, detail });
  } catch {
    say({ kind: 'info', text: 'The browser does not allow copying. Copy this:', detail: text, stay: true });
  }
}
