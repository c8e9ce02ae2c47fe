// The page's side of its twin, a worker that has an engine and the character, too: what takes long is done there.
import { Box3, Vector3 } from 'three';
import { createEngine } from 'limber/engine';
import type { Engine } from 'limber/engine';
import type { SourceFile } from '../core/document';
import { FileError } from '../core/file_error';
import { Reach } from '../core/reach';
import type { Session } from '../core/session';
import type { Answer, Job, Made, OpenJob, StillsJob, StrengthJob, StripsJob, Worn } from './job';

type Hear = (answer: Answer) => void;

/** What the twin has made of a large file. */
export interface Opened {
  engine: Engine;
  made: Made;
  reach: Reach;
}

function reachOf({ points, box }: Made): Reach {
  const reach = new Reach();
  for (let i = 0; i < points.length; i += 3) reach.points.push(new Vector3().fromArray(points, i));
  reach.box.copy(new Box3(new Vector3().fromArray(box, 0), new Vector3().fromArray(box, 3)));
  return reach;
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

  /** Reads a large file and makes its character. `tell` hears what is going on. */
  async open(job: Omit<OpenJob, 'kind'>, tell: (what: string) => void): Promise<Opened> {
    const engine = await createEngine();
    return new Promise((resolve, reject) => {
      this.post({ kind: 'open', ...job }, (answer) => {
        if ('told' in answer) tell(answer.told);
        else if ('at' in answer) engine.write(answer.at, answer.bytes);
        else if ('error' in answer)
          reject(answer.detail === undefined ? new Error(answer.error) : new FileError(answer.error, answer.detail));
        else if ('made' in answer) {
          const { made } = answer;
          engine.resume(made.state);
          [this.file, this.worn] = [job.file, undefined];
          resolve({ engine, made, reach: reachOf(made) });
        }
      });
    });
  }

  /** Starts a job about the character of a session. Calling the result ends it. */
  ask(session: Session, worn: Worn, job: StripsJob | StillsJob | StrengthJob, hear: Hear): () => void {
    const file = session.file === this.file ? undefined : session.file;
    const isOther = !isSame(file ? undefined : this.worn, worn);
    if (file || isOther) this.post({ kind: 'character', file, worn: isOther ? worn : undefined }, () => {});
    [this.file, this.worn] = [session.file, worn];
    return this.post(job, hear);
  }
}
