// What stands on the ground, and corrections of it: the key `contacts` of the style.
import type { Contact, Contacts, Holds, Pipeline, Style } from 'limber/engine';
import type { App } from '../../app';
import { setKey } from '../../core/document';
import type { Session } from '../../core/session';

export type Correction = NonNullable<Style['contacts']>[number];

/** How far a correction reaches: one contact, the clip, or all clips. */
export type Scope = 'moment' | 'clip' | 'all';

const NEW_HALF = 0.15; // an added contact lasts this long before and after the moment, in seconds
const SLACK = 1e-3;

export const correctionsOf = (style: Style): Correction[] => [...(style.contacts ?? [])];

const thousandths = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether `one` has nothing left to say after a correction that reaches as far as `wide`. */
function isCovered(one: Correction, wide: Correction): boolean {
  return (
    one.joint === wide.joint &&
    (wide.clip === undefined || wide.clip === one.clip) &&
    (one.from ?? 0) >= (wide.from ?? 0) - SLACK &&
    (one.to ?? Infinity) <= (wide.to ?? Infinity) + SLACK
  );
}

const at = (contacts: readonly Contact[], joint: number, time: number): Contact | undefined =>
  contacts.find((one) => one.joint === joint && time >= one.from - SLACK && time <= one.to + SLACK);

export class ContactEditor {
  private known: { pipeline: Pipeline; key: string; holds: Holds; plain: Contacts } | undefined;

  constructor(
    private readonly app: App,
    private readonly session: Session,
  ) {}

  private get document() {
    return this.app.store.current;
  }

  get corrections(): Correction[] {
    return correctionsOf(this.document.style);
  }

  /** Whether the style holds what stands. */
  get isOn(): boolean {
    return Number(this.document.style.contact ?? 0) > 0;
  }

  /** Contacts of the current clip with the corrections; undefined: the file has no clips. */
  private now(): { holds: Holds; plain: Contacts } | undefined {
    const { session } = this;
    const { clip: index, style } = this.document;
    if (!session.clips.length) return undefined;
    const { pipeline, clip } = session.pipeline(index);
    const key = JSON.stringify([clip, style.contacts, style.floor]);
    if (this.known?.pipeline !== pipeline || this.known.key !== key) {
      this.forget();
      const holds = pipeline.holds(clip);
      this.known = { pipeline, key, holds, plain: pipeline.character.contacts(clip) };
    }
    return this.known;
  }

  private forget(): void {
    this.known?.holds.dispose();
    this.known = undefined;
  }

  get contacts(): readonly Contact[] {
    return this.now()?.holds.contacts ?? [];
  }

  get levels(): readonly number[] {
    return this.now()?.holds.levels ?? [];
  }

  /** How much each joint is held at a time. */
  held(time: number, out: Float32Array): Float32Array {
    return this.now()?.holds.at(time, out) ?? out.fill(0);
  }

  standsAt(joint: number, time: number): Contact | undefined {
    return at(this.contacts, joint, time);
  }

  /** The joint that a click means: joints that never move against their parent stand as one with it. */
  jointFor(joint: number): number {
    const all = [...this.contacts, ...(this.now()?.plain.contacts ?? [])];
    const stands = (one: number) => all.some((contact) => contact.joint === one);
    const { joints } = this.session;
    const parent = joints[joint]?.parent ?? -1;
    const isLeaf = !joints.some((one) => one.parent === joint);
    return !stands(joint) && isLeaf && parent >= 0 && stands(parent) ? parent : joint;
  }

  /** The correction of a joint that applies at a time, if there is one. */
  correctionAt(joint: number, time: number): Correction | undefined {
    const { name } = this.session.joints[joint];
    const { clip, start } = this.place();
    return this.corrections.findLast(
      (one) =>
        one.joint === name &&
        (one.clip === undefined || one.clip === clip) &&
        time - start >= (one.from ?? 0) - SLACK &&
        time - start <= (one.to ?? Infinity) + SLACK,
    );
  }

  private place(): { clip: string; start: number; end: number } {
    const { clip } = this.document;
    const { start, end } = this.session.clipInfo(clip);
    return { clip: this.session.clip(clip)?.name ?? '', start, end };
  }

  /** Says that a joint stands, if it does not, or the other way round. Returns what is wrong, if anything. */
  toggle(joint: number, time: number, scope: Scope): string | undefined {
    const { name, label } = this.session.joints[joint];
    const stands = this.standsAt(joint, time) !== undefined;
    const wanted: Correction = { joint: name, ...this.range(joint, time, scope), amount: stands ? 0 : 1 };
    const rest = this.corrections.filter((one) => !isCovered(one, wanted));
    // Taking back an earlier correction may be all that it takes.
    const enough = rest.length < this.corrections.length && this.wouldStand(rest, joint, time) !== stands;
    return this.put(`${label || name} ${stands ? 'does not stand' : 'stands'}`, enough ? rest : [...rest, wanted]);
  }

  private range(joint: number, time: number, scope: Scope): Pick<Correction, 'clip' | 'from' | 'to'> {
    const { clip, start, end } = this.place();
    if (scope === 'all') return {};
    const own = clip ? { clip } : {};
    if (scope === 'clip') return own;
    const found = this.standsAt(joint, time) ?? at(this.now()?.plain.contacts ?? [], joint, time);
    const from = found?.from ?? Math.max(time - NEW_HALF, start);
    const to = found?.to ?? Math.min(time + NEW_HALF, end);
    return { ...own, from: thousandths(Math.max(from - start, 0)), to: thousandths(Math.max(to - start, 0)) };
  }

  private wouldStand(contacts: Correction[], joint: number, time: number): boolean {
    const { pipeline, clip } = this.session.pipeline(this.document.clip);
    const { floor } = this.document.style;
    const trial = pipeline.character.pipeline({ contacts, ...(floor === undefined ? {} : { floor }) });
    const holds = trial.holds(clip);
    const found = at(holds.contacts, joint, time) !== undefined;
    holds.dispose();
    trial.dispose();
    return found;
  }

  /** Writes corrections. Without `contact` they would do nothing, so it is switched on. */
  put(label: string, list: Correction[], merge?: string): string | undefined {
    const fault = this.app.changeStyle(
      label,
      (style) => {
        const next = setKey(style, 'contacts', list.length ? list : undefined);
        return list.length && !(Number(next.contact ?? 0) > 0) ? setKey(next, 'contact', 1) : next;
      },
      merge,
    );
    if (merge === undefined) this.app.store.settle();
    return fault;
  }

  stop(): void {
    this.forget();
  }
}
