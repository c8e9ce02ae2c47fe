// What touches the ground, and when: bars on the timeline for each time that a joint stands, and a mark where one lands.
import type { App } from '../app';
import type { Contact } from 'limber/engine';
import { once } from './dom';
import type { Lane } from './lanes';
import { color } from './theme';

const HEIGHT = 22;
const TOP = 4;
const MARK = 4; // CSS pixels
/** Later than this after the start, the begin of a contact is a landing [s]. */
const LATE_S = 0.02;

/** The contacts of the clip; they change with the clip and its style, not with every frame. */
export class Contacts {
  found: readonly Contact[] = [];

  constructor(
    private readonly app: App,
    private readonly changed: () => void,
  ) {
    const soon = once(() => this.find());
    app.session.listen(soon);
    app.store.document.listen(soon);
  }

  private find(): void {
    const session = this.app.session.value;
    const document = this.app.store.document.value;
    if (!session || !document || session.file !== document.file) return;
    if (session.seen?.clip !== document.clip) return; // told again as soon as it is known
    this.found = session.contacts(document.clip);
    this.changed();
  }
}

export function contactsLane(app: App, contacts: Contacts): Lane {
  const at = (time: number) => contacts.found.filter(({ from, to }) => time >= from && time <= to);
  return {
    id: 'ground',
    label: 'Ground',
    height: HEIGHT,
    draw: (context, scale) => {
      const tint = color('accent');
      for (const { from, to } of contacts.found) {
        const left = scale.xOf(Math.max(from, scale.start));
        const right = scale.xOf(Math.min(to, scale.end));
        context.globalAlpha = 0.35;
        context.fillStyle = tint;
        context.fillRect(left, TOP, Math.max(right - left, 2), HEIGHT - 2 * TOP - 1);
        if (from < scale.start + LATE_S) continue;
        context.globalAlpha = 1;
        context.fillStyle = color('text');
        context.beginPath();
        context.moveTo(left - MARK, TOP);
        context.lineTo(left + MARK, TOP);
        context.lineTo(left, TOP + 1.6 * MARK);
        context.fill();
      }
      context.globalAlpha = 1;
    },
    tip: ({ time }) => {
      const names = at(time).map(({ joint }) => app.session.value?.joints[joint]?.label ?? '');
      return names.length ? `Stands: ${[...new Set(names)].join(', ')}` : 'In the air';
    },
  };
}
