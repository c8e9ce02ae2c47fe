// Further characters beside the one that is worked on, to compare: they wear its style and play at the same time. They
// are part of the view, not of the document.
import { Group } from 'three';
import { LimberError } from 'limber/engine';
import type { Engine, Style } from 'limber/engine';
import { load } from './load';
import type { SourceFile } from './document';
import { withoutOwn } from './presets';
import { Session } from './session';
import { Signal } from './signal';

const GAP = 0.15; // between two characters, of their size
const MOST = 4;

interface Guest {
  session: Session;
  place: Group;
  /** Of its clips, the one with the name of the clip on show, else the first. */
  clip: number;
}

export class Company {
  /** In the scene beside the character. */
  readonly object = new Group();
  readonly names = new Signal<readonly string[]>([]);
  private guests: Guest[] = [];

  constructor(private readonly engine: Engine) {}

  get isFull(): boolean {
    return this.guests.length >= MOST;
  }

  /** Puts a character beside those that are there. */
  async add(file: SourceFile, host: Session, style: Style): Promise<void> {
    const loaded = await load(this.engine, file);
    let session: Session;
    try {
      session = await Session.open(this.engine, loaded, withoutOwn(style));
    } catch (error) {
      if (!(error instanceof LimberError)) throw error;
      session = await Session.open(this.engine, loaded, this.engine.parseStyle('cartoon'));
    }
    const place = new Group();
    place.add(session.styled);
    const before = this.guests.reduce((sum, guest) => sum + (1 + GAP) * guest.session.size, 0);
    const step = ((1 + GAP) * (host.size + session.size)) / 2;
    place.position.set(before + step, 0, 0);
    this.guests.push({ session, place, clip: 0 });
    this.object.add(place);
    this.tell();
  }

  /** Shows the moment of a clip: by its name, and as far into it as the host is into its own [s]. */
  show(name: string, since: number): void {
    for (const guest of this.guests) {
      const { session } = guest;
      const same = session.clips.findIndex((clip) => clip.name === name);
      guest.clip = Math.max(same, 0);
      const { motionStart, end } = session.clipInfo(guest.clip);
      const length = Math.max(end - motionStart, 1e-3);
      session.show(guest.clip, motionStart + (since % length), false);
    }
  }

  /** The style of the host, where it fits. */
  wear(style: Style): void {
    for (const { session } of this.guests) {
      try {
        session.toon.style = withoutOwn(style);
        session.pipeline(0);
      } catch {
        session.toon.style = {}; // it names what this character does not have
      }
    }
  }

  clear(): void {
    for (const { session } of this.guests) session.dispose();
    this.guests = [];
    this.object.clear();
    this.tell();
  }

  private tell(): void {
    this.names.value = this.guests.map(({ session }) => session.file.name);
  }

  /** How far to the side the outermost one reaches. */
  get width(): number {
    const last = this.guests.at(-1);
    return last ? last.place.position.x + last.session.size / 2 : 0;
  }
}
