// The document and its history. All changes go through `change`, so that everything can be undone.
import type { Document } from './document';
import { Signal } from './signal';

interface Step {
  label: string;
  document: Document;
}

export interface ChangeOptions {
  /** Consecutive changes with the same key are merged into one step, such as the drag of a slider or a brush stroke. */
  merge?: string;
  /** Merge without a time limit, until `settle()`. */
  hold?: boolean;
}

const MAX_STEPS = 300;
const MAX_FILES = 4; // files are large, and each is kept in memory as long as a step uses it
const MERGE_MS = 900;

export class Store {
  /** Undefined until the first file has been opened. */
  readonly document = new Signal<Document | undefined>(undefined);
  /** The labels of the steps that can be undone and redone. */
  readonly history = new Signal<{ undo?: string; redo?: string }>({});
  private past: Step[] = [];
  private future: Step[] = [];
  private merging: { word: string; until: number } | undefined;

  get current(): Document {
    const document = this.document.value;
    if (!document) throw new Error('no document is open');
    return document;
  }

  /** Adds a step that can be undone. `label` is its name in the menu ("Change floppy angular"). */
  change(label: string, edit: (document: Document) => Document, { merge, hold = false }: ChangeOptions = {}): void {
    const before = this.current;
    const after = edit(before);
    if (after === before) return;
    const now = performance.now();
    const joins =
      merge !== undefined && this.merging?.word === merge && now < this.merging.until && this.past.length > 0;
    if (!joins) this.past.push({ label, document: before });
    this.forgetOldest(after);
    this.future = [];
    this.merging = merge === undefined ? undefined : { word: merge, until: hold ? Infinity : now + MERGE_MS };
    this.show(after);
  }

  private forgetOldest(now: Document): void {
    const files = new Set([now.file]);
    let keep = this.past.length;
    while (
      keep > 0 &&
      this.past.length - keep < MAX_STEPS &&
      files.add(this.past[keep - 1].document.file).size <= MAX_FILES
    )
      keep--;
    this.past.splice(0, keep);
  }

  /** Ends merging: the next change is a separate step. Call it when a drag ends. */
  settle(): void {
    this.merging = undefined;
  }

  undo(): string | undefined {
    const step = this.past.pop();
    if (!step) return undefined;
    this.future.push({ label: step.label, document: this.current });
    this.settle();
    this.show(step.document);
    return step.label;
  }

  redo(): string | undefined {
    const step = this.future.pop();
    if (!step) return undefined;
    this.past.push({ label: step.label, document: this.current });
    this.settle();
    this.show(step.document);
    return step.label;
  }

  /** Starts with an empty history, as when the page is opened. */
  open(document: Document): void {
    this.past = [];
    this.future = [];
    this.settle();
    this.show(document);
  }

  /** Tells everybody again: what they show of the document has changed. */
  tellAgain(): void {
    this.document.tell();
  }

  private show(document: Document): void {
    this.document.value = document;
    this.history.value = { undo: this.past.at(-1)?.label, redo: this.future.at(-1)?.label };
  }
}
