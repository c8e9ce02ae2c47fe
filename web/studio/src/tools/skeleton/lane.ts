// The edits on the timeline: a band for the window of each joint, and diamonds for its keys.
import type { App } from '../../app';
import type { Signal } from '../../core/signal';
import { diamond } from '../../ui/lanes';
import type { Lane, LanePointer, LaneScale } from '../../ui/lanes';
import { color } from '../../ui/theme';
import { editsOf, withEdit } from './edits';
import type { Edit } from './edits';

/** The selected key. */
export interface Chosen {
  joint: string;
  time: number;
}

const REACH = 8;
const ROW = 16;
const TOP = 6;

type Grab = { joint: string; part: 'key'; index: number } | { joint: string; part: 'window' };

const rowOf = (index: number): number => TOP + ROW * index + ROW / 2;

function ends(edit: Edit): [number, number] {
  return [edit.keys[0][0] - edit.window, edit.keys[edit.keys.length - 1][0] + edit.window];
}

function find(edits: Edit[], { x, y, scale }: LanePointer): Grab | undefined {
  for (const [row, edit] of edits.entries()) {
    if (Math.abs(y - rowOf(row)) > ROW / 2) continue;
    const index = edit.keys.findIndex(([time]) => Math.abs(scale.xOf(time) - x) < REACH);
    if (index >= 0) return { joint: edit.joint, part: 'key', index };
    if (ends(edit).some((time) => Math.abs(scale.xOf(time) - x) < REACH)) return { joint: edit.joint, part: 'window' };
  }
  return undefined;
}

function drawEdit(
  context: CanvasRenderingContext2D,
  scale: LaneScale,
  edit: Edit,
  y: number,
  chosen: Chosen | undefined,
): void {
  const tint = color('exaggerate');
  const [from, to] = ends(edit);
  const left = scale.xOf(from);
  const right = scale.xOf(to);
  const mine = chosen?.joint === edit.joint;
  context.globalAlpha = mine ? 0.34 : 0.18;
  context.fillStyle = tint;
  context.beginPath();
  context.roundRect(left, y - 5, right - left, 10, 5);
  context.fill();
  context.globalAlpha = 1;
  for (const end of [left, right]) context.fillRect(end - 1.5, y - 6, 3, 12);
  for (const [time] of edit.keys) {
    const x = scale.xOf(time);
    const here = mine && Math.abs(chosen.time - time) < 1e-4;
    const size = here ? 7 : 5.5;
    diamond(context, x, y, size);
    context.fillStyle = here ? color('accent') : tint;
    context.strokeStyle = color('panel');
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
  }
}

export function editsLane(
  app: App,
  chosen: Signal<Chosen | undefined>,
  choose: (joint: string, time: number) => void,
): Lane {
  let grab: Grab | undefined;
  const edits = () => editsOf(app.store.current.style);
  const whole = (time: number, { start, fps }: LaneScale) => start + Math.round((time - start) * fps) / fps;
  return {
    id: 'edits',
    label: 'Edits',
    height: 56,
    draw: (context, scale, colors) => {
      const all = edits();
      all.forEach((edit, i) => drawEdit(context, scale, edit, rowOf(i), chosen.value));
      if (all.length) return;
      context.fillStyle = colors.faint;
      context.font = '11.5px system-ui, sans-serif';
      context.textBaseline = 'middle';
      context.fillText('Drag a joint in the view: its edit appears here', 12, scale.height / 2);
    },
    down: (pointer) => {
      grab = find(edits(), pointer);
      if (grab?.part === 'key')
        choose(grab.joint, edits().find((one) => one.joint === grab!.joint)!.keys[grab.index][0]);
      return grab !== undefined;
    },
    drag: (pointer) => {
      if (!grab) return;
      const { joint } = grab;
      const edit = edits().find((one) => one.joint === joint);
      if (!edit) return;
      if (grab.part === 'window') {
        const first = edit.keys[0][0];
        const last = edit.keys[edit.keys.length - 1][0];
        const away = pointer.time < (first + last) / 2 ? first - pointer.time : pointer.time - last;
        const window = Math.max(1 / pointer.scale.fps, Math.round(away * 1000) / 1000);
        app.changeStyle(
          'Change window',
          (style) => withEdit(style, joint, (one) => ({ ...one, window })),
          `skeleton-window-${joint}`,
        );
      } else {
        const time = whole(Math.min(Math.max(pointer.time, pointer.scale.start), pointer.scale.end), pointer.scale);
        const { index } = grab;
        if (edit.keys.some(([at], i) => i !== index && Math.abs(at - time) < 0.5 / pointer.scale.fps)) return;
        const key = edit.keys[index];
        app.changeStyle(
          'Move edit',
          (style) =>
            withEdit(style, joint, (one) => ({
              ...one,
              keys: one.keys.map((old, i) => (i === index ? [time, key[1]] : old)),
            })),
          `skeleton-move-${joint}`,
        );
        grab.index = edits()
          .find((one) => one.joint === joint)!
          .keys.findIndex(([at]) => Math.abs(at - time) < 1e-6);
        choose(joint, time);
      }
    },
    up: () => {
      grab = undefined;
      app.store.settle();
    },
    tip: (pointer) => find(edits(), pointer)?.joint, // the full name
  };
}
