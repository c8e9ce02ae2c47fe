// The page's side of its twin, a worker that has an engine and the character, too: what takes long is done there.
import { Box3, Vector3 } from 'three';
import { createEngine } from 'limber/engine';
import type { Engine, Style } from 'limber/engine';
import type { SourceFile } from '../core/document';
import { FileError } from '../core/file_error';
import { Reach } from '../core/reach';
import type { Look, Session } from '../core/session';
import type { Answer, Job, OpenJob, Seen, StillsJob, StrengthJob, StripsJob, WearJob, Worn } from './job';

type Hear = (answer: Answer) => void;

/** A character that the twin has made. */
export interface Ready {
  engine: Engine;
  style: Style;
  seen?: Look;
}

/** The browser does not start it: the page has to do its work. */
export class NoWorker extends Error {}

function lookOf({ clip, points, box, floor, contacts }: Seen): Look {
  const reach = new Reach();
  for (let i = 0; i < points.length; i += 3) reach.points.push(new Vector3().fromArray(points, i));
  reach.box.copy(new Box3(new Vector3().fromArray(box, 0), new Vector3().fromArray(box, 3)));
  return { clip, reach, floor, contacts };
}

/** A file just as it was opened. */
const isBare = ({ layers, takes, hidden }: Worn): boolean =>
  !Object.keys(layers).length && !takes.length && !hidden.includes(true);

const isSame = (a: Worn | undefined, b: Worn): boolean =>
  a ? a.layers === b.layers && a.takes === b.takes && a.hidden.join() === b.hidden.join() : isBare(b);

export class Twin {
  private worker: Worker | undefined;
  private readonly hearing = new Map<number, Hear>();
  private last = 0;
  /** What it has. */
  private file: SourceFile | undefined;
  private worn: Worn | undefined;
  private starts = true;
  /** An engine that nobody uses any more: its memory is written over. */
  private spare: Engine | undefined;

  private start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: Answer }>) => {
      const { id, answer } = data;
      const hear = this.hearing.get(id);
      if ('done' in answer || 'error' in answer) this.hearing.delete(id);
      hear?.(answer);
    };
    worker.onerror = ({ message }) => {
      const all = [...this.hearing.values()];
      this.hearing.clear();
      this.starts = false;
      for (const hear of all) hear({ error: message || 'The worker cannot be loaded' });
      this.worker = this.file = this.worn = undefined;
    };
    return worker;
  }

  /** Starts a job. Calling the result ends it: nothing is heard of it any more. */
  private post(job: Job, hear: Hear): () => void {
    this.worker ??= this.start();
    const id = ++this.last;
    this.hearing.set(id, hear);
    this.worker.postMessage({ id, job });
    return () => {
      if (this.hearing.delete(id)) this.worker?.postMessage({ id, end: true });
    };
  }

  /** Reads a file and makes its character. `tell` hears what is going on. */
  async open(job: Omit<OpenJob, 'kind'>, tell: (what: string) => void): Promise<Ready> {
    this.file = undefined; // it forgets the last one, even if this one fails
    const ready = await this.make({ kind: 'open', ...job }, tell);
    [this.file, this.worn] = [job.file, undefined];
    return ready;
  }

  /** Makes the character of a session in another style, or what another clip needs. */
  wear(session: Session, worn: Worn, job: Omit<WearJob, 'kind'>, tell: (what: string) => void): Promise<Ready> {
    this.dress(session, worn);
    return this.make({ kind: 'wear', ...job }, tell);
  }

  /** Takes back an engine that nobody uses any more. */
  recycle(engine: Engine): void {
    if (!engine.state().characters.length) this.spare = engine;
  }

  private async make(job: OpenJob | WearJob, tell: (what: string) => void): Promise<Ready> {
    const { spare } = this;
    this.spare = undefined;
    const engine = spare ?? (await createEngine());
    return new Promise((resolve, reject) => {
      this.post(job, (answer) => {
        if ('told' in answer) tell(answer.told);
        else if ('at' in answer) engine.write(answer.at, answer.bytes);
        else if ('error' in answer) reject(this.faultOf(answer));
        else if ('made' in answer) {
          const { state, style, seen } = answer.made;
          engine.resume(state);
          resolve({ engine, style, seen: seen && lookOf(seen) });
        }
      });
    });
  }

  private faultOf({ error, detail }: { error: string; detail?: string }): Error {
    if (!this.starts) return new NoWorker(error);
    return detail === undefined ? new Error(error) : new FileError(error, detail);
  }

  /** Starts a job about the character of a session. Calling the result ends it. */
  ask(session: Session, worn: Worn, job: StripsJob | StillsJob | StrengthJob, hear: Hear): () => void {
    this.dress(session, worn);
    return this.post(job, hear);
  }

  /** Tells it which character it is about. */
  private dress(session: Session, worn: Worn): void {
    const file = session.file === this.file ? undefined : session.file;
    const isOther = !isSame(file ? undefined : this.worn, worn);
    if (file || isOther) this.post({ kind: 'character', file, worn: isOther ? worn : undefined }, () => {});
    [this.file, this.worn] = [session.file, worn];
  }
}
