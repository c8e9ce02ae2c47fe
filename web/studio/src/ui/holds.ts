// Single holds of the style (`timing.holds`): moments of a clip that stay for as long as one says.
import type { Style } from 'limber/engine';
import type { App } from '../app';
import { getKey, setKey } from '../core/document';

const PATH = 'timing.holds';
/** Seconds within which holds are of the same pose: the last one counts. */
const SAME_POSE = 0.09;
/** Longer ones come out shorter. */
export const LONGEST = 0.73;
export const NEW_LENGTH = 0.3;

/** `at` is in seconds from the start of the plain clip. */
export type Hold = NonNullable<NonNullable<Style['timing']>['holds']>[number];

const thousandths = (seconds: number): number => Math.round(1000 * seconds) / 1000;

function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

export const isSamePose = (a: number, b: number): boolean => Math.abs(a - b) < SAME_POSE;

export class Holds {
  constructor(private readonly app: App) {}

  private get all(): Hold[] {
    const list = getKey(this.app.store.current.style, PATH);
    return Array.isArray(list) ? (list as Hold[]) : [];
  }

  private get clip(): string {
    return this.app.session.value?.clip(this.app.store.current.clip)?.name ?? '';
  }

  /** Those of the current clip that count, by time. */
  get here(): Hold[] {
    const own = this.all.filter(({ clip }) => clip === undefined || matches(this.clip, clip));
    return own
      .filter((one, i) => !own.slice(i + 1).some((later) => isSamePose(one.at, later.at)))
      .sort((a, b) => a.at - b.at);
  }

  /** Holds a pose of the current clip for so many seconds; 0: not at all. `merge` joins the steps of one drag. */
  set(at: number, length: number, merge?: string): void {
    const hold = { ...(this.clip ? { clip: this.clip } : {}), at: thousandths(at), length: thousandths(length) };
    this.put('Hold a pose', [...this.all.filter((one) => !this.isOwn(one, at)), hold], merge);
  }

  /** Takes back what the style says about a pose of the current clip. */
  remove(at: number): void {
    const kept = this.all.filter((one) => !this.isOwn(one, at));
    const named = kept.length < this.all.length;
    // One for several clips goes if there is none for this clip alone.
    const rest = named ? kept : this.all.filter((one) => !this.here.includes(one) || !isSamePose(one.at, at));
    this.put('Remove a hold', rest);
  }

  private isOwn(one: Hold, at: number): boolean {
    return (one.clip ?? '') === this.clip && isSamePose(one.at, at);
  }

  private put(label: string, list: Hold[], merge?: string): void {
    this.app.changeStyle(label, (style) => setKey(style, PATH, list.length ? list : undefined), merge);
    if (merge === undefined) this.app.store.settle();
  }
}
