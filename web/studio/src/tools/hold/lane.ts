// Contacts on the timeline: a bar for each time that a joint stands. Drag the ends of a correction.
import type { App } from '../../app';
import type { Session } from '../../core/session';
import type { Lane, LanePointer, LaneScale } from '../../ui/lanes';
import type { ContactEditor, Correction } from './contacts';
import { ADDED, css, HELD, REMOVED } from './colors';

const ROW = 14;
const TOP = 4;
const REACH = 7;
const LABEL = 10; // CSS pixels

/** A joint with its bars. */
interface Row {
  joint: number;
  label: string;
}

type Grab = { index: number; end: 'from' | 'to' };

export function contactLane(app: App, session: Session, editor: ContactEditor): Lane {
  let grab: Grab | undefined;
  const clipName = () => session.clip(app.store.current.clip)?.name ?? '';
  const startOf = () => session.clipInfo(app.store.current.clip).start;
  const jointOf = (name: string) => session.joints.findIndex((one) => one.name === name);

  const rows = (): Row[] => {
    const joints = new Set(editor.contacts.map((one) => one.joint));
    for (const one of editor.corrections) if (jointOf(one.joint) >= 0) joints.add(jointOf(one.joint));
    return [...joints].sort((a, b) => a - b).map((joint) => ({ joint, label: session.joints[joint].label }));
  };
  const rowHeight = (count: number, scale: LaneScale) => Math.min(ROW, (scale.height - 2 * TOP) / Math.max(count, 1));

  /** Corrections with a range in this clip, and where they are. */
  const ranged = () =>
    editor.corrections
      .map((one, index) => ({ one, index }))
      .filter(({ one }) => one.to !== undefined && (one.clip === undefined || one.clip === clipName()));

  const find = ({ x, y, scale }: LanePointer): Grab | undefined => {
    const all = rows();
    const tall = rowHeight(all.length, scale);
    const row = all[Math.floor((y - TOP) / tall)];
    for (const { one, index } of row ? ranged() : [])
      for (const end of ['from', 'to'] as const)
        if (jointOf(one.joint) === row.joint && Math.abs(scale.xOf(startOf() + (one[end] ?? 0)) - x) < REACH)
          return { index, end };
    return undefined;
  };

  return {
    id: 'contacts',
    label: 'Stands',
    height: 72,
    draw: (context, scale, colors) => {
      const all = rows();
      context.font = `${LABEL}px system-ui, sans-serif`;
      context.textBaseline = 'middle';
      if (!all.length) {
        context.fillStyle = colors.faint;
        context.fillText('Nothing stands in this clip: click a foot in the view to say that it does', 12, 36);
        return;
      }
      const tall = rowHeight(all.length, scale);
      all.forEach(({ joint, label }, i) => {
        const y = TOP + tall * i;
        const bar = (from: number, to: number, color: string, height: number) => {
          context.fillStyle = color;
          const left = scale.xOf(from);
          context.beginPath();
          context.roundRect(left, y + (tall - height) / 2, Math.max(scale.xOf(to) - left, 2), height, 2);
          context.fill();
        };
        const time = app.player.time.value;
        for (const one of editor.contacts)
          if (one.joint === joint)
            bar(one.from, one.to, css(HELD, time >= one.from && time <= one.to ? 0.95 : 0.55), tall - 3);
        for (const { one } of ranged())
          if (jointOf(one.joint) === joint)
            bar(startOf() + (one.from ?? 0), startOf() + one.to!, css(one.amount === 0 ? REMOVED : ADDED, 0.9), 3);
        if (tall < LABEL) return;
        context.fillStyle = colors.text;
        context.fillText(label, 6, y + tall / 2 + 0.5);
      });
    },
    down: (pointer) => {
      grab = find(pointer);
      return grab !== undefined;
    },
    drag: ({ time, scale }) => {
      const list: Correction[] = editor.corrections;
      const one = grab && list[grab.index];
      if (!grab || !one) return;
      const seconds = Math.round((Math.min(Math.max(time, scale.start), scale.end) - startOf()) * 1000) / 1000;
      const [from, to] = grab.end === 'from' ? [seconds, one.to!] : [one.from ?? 0, seconds];
      if (to - from < 1 / scale.fps) return;
      const next = list.map((old, i) => (i === grab!.index ? { ...old, from, to } : old));
      editor.put('Change when it stands', next, `contact-${grab.index}`);
    },
    up: () => {
      grab = undefined;
      app.store.settle();
    },
    tip: (pointer) => (find(pointer) ? 'Drag to change when the correction applies' : undefined),
  };
}
