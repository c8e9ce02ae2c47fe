// The skeleton tool: drags a joint at a frame; the pose follows, and the edit fades over its window.
import { Plane, Vector3 } from 'three';
import type { App } from '../../app';
import { Signal } from '../../core/signal';
import { h, once } from '../../ui/dom';
import { numberField } from '../../ui/number_field';
import { color } from '../../ui/theme';
import { button, iconButton, say } from '../../ui/widgets';
import { drawBones } from '../../view/bones';
import type { Overlay } from '../../view/viewer';
import { editOf, editsOf, keyAt, putKey, withEdit } from './edits';
import type { Edit, Offset } from './edits';
import { editsLane } from './lane';
import type { Chosen } from './lane';
import type { ActiveTool, Tool, ViewPointer } from '../tool';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="4.5" cy="15.5" r="2"/><circle cx="9.5" cy="9.5" r="2"/><path d="m5.8 14 2.4-3"/><path d="m11 8.2 5-4.4M12.5 3.5H16.3V7.3" /><path d="M11.2 10.6l2.6 2.2" stroke-dasharray="1.5 2.5"/></svg>';
const AXES = ['x', 'y', 'z'] as const;

interface Pull {
  joint: string;
  time: number;
  start: Offset;
  from: Vector3;
  plane: Plane;
  target: Vector3;
  waiting: boolean;
}

class Skeleton implements ActiveTool {
  readonly panel: HTMLElement;
  readonly lanes;
  private readonly session;
  private readonly chosen = new Signal<Chosen | undefined>(undefined);
  private readonly list = h('ul', { class: 'takes', 'aria-label': 'Edits' });
  private readonly details = h('div', {});
  private readonly offsets = AXES.map((axis, i) => this.offsetField(axis, i));
  private readonly window = numberField({
    label: 'Window',
    from: 0.05,
    to: 1,
    min: 0.01,
    max: 100,
    unit: 's',
    change: (value, dragging) =>
      this.changeEdit('Change window', (edit) => ({ ...edit, window: Number(value) }), dragging),
  });
  private readonly stopListening: (() => void)[] = [];
  private pull: Pull | undefined;
  private hovered: number | undefined;

  constructor(private readonly app: App) {
    this.session = app.session.value!;
    this.lanes = [editsLane(app, this.chosen, (joint, time) => this.choose(joint, time))];
    this.details.append(
      h('h4', { class: 'subtitle' }, 'Offset'),
      ...this.offsets.map(({ element }, i) =>
        h('div', { class: 'tool-row' }, h('span', {}, AXES[i].toUpperCase()), element),
      ),
      h(
        'div',
        { class: 'tool-row', 'data-tip': 'Time before and after the keys over which the edit fades' },
        h('span', {}, 'Window'),
        this.window.element,
      ),
    );
    this.panel = h(
      'div',
      { class: 'tool-body skeleton-tool' },
      h(
        'p',
        { class: 'tool-note' },
        'Drag a joint: the pose follows, and the edit fades out before and after this frame.',
      ),
      button('Add an edit here', () => this.addHere(), {
        class: 'wide',
        tip: 'For the selected joint at the playhead, in all clips  ·  K',
      }),
      this.list,
      this.details,
    );
    const refresh = once(() => app.store.document.value && this.refresh());
    this.stopListening.push(app.store.document.listen(refresh), this.chosen.listen(refresh));
    this.refresh();
  }

  readonly keys = [
    { key: 'k', label: 'Add an edit for the selected joint', run: () => this.addHere() },
    { key: 'Delete', label: 'Delete the selected edit', run: () => this.remove() },
    { key: 'Backspace', label: 'Delete the selected edit', run: () => this.remove() },
  ];

  private get fps(): number {
    return this.app.player.span.value.fps;
  }

  private get chosenEdit(): Edit | undefined {
    return this.chosen.value && editOf(this.app.store.current.style, this.chosen.value.joint);
  }

  private choose(joint: string, time: number): void {
    this.chosen.value = { joint, time };
    this.app.joint.value = this.session.joints.find((one) => one.name === joint)?.index ?? -1;
    this.app.viewer.invalidate();
  }

  // --- panel ---

  private offsetField(axis: string, index: number) {
    return numberField({
      label: `Offset ${axis}`,
      from: -0.5,
      to: 0.5,
      min: -10,
      max: 10,
      unit: 'L',
      change: (value, dragging) =>
        this.changeEdit(
          'Change edit',
          (edit) => {
            const at = keyAt(edit, this.chosen.value!.time, this.fps);
            return {
              ...edit,
              keys: edit.keys.map(([time, offset], i) => [
                time,
                i === at ? (offset.map((old, k) => (k === index ? Number(value) : old)) as Offset) : offset,
              ]),
            };
          },
          dragging,
        ),
    });
  }

  private changeEdit(label: string, change: (edit: Edit) => Edit, dragging: boolean): string | undefined {
    const { app } = this;
    const joint = this.chosen.value?.joint;
    if (!joint) return undefined;
    const fault = app.changeStyle(label, (style) => withEdit(style, joint, change), `skeleton-${label}`);
    if (!dragging) app.store.settle();
    return fault;
  }

  private refresh(): void {
    const edits = editsOf(this.app.store.current.style);
    const chosen = this.chosen.value;
    const { start } = this.app.player.span.value;
    this.list.replaceChildren(
      ...edits.flatMap((edit) =>
        edit.keys.map(([time]) =>
          h(
            'li',
            { class: `take ${chosen?.joint === edit.joint && Math.abs(chosen.time - time) < 1e-4 ? 'now' : ''}` },
            h(
              'button',
              {
                type: 'button',
                class: 'take-name',
                onclick: () => {
                  this.app.player.playing.value = false;
                  this.app.player.seek(time);
                  this.choose(edit.joint, time);
                },
              },
              this.session.labelOf(edit.joint),
            ),
            h('span', { class: 'take-length' }, `frame ${Math.round((time - start) * this.fps)}`),
            iconButton('close', `Delete the edit of ${this.session.labelOf(edit.joint)}`, () => {
              this.choose(edit.joint, time);
              this.remove();
            }),
          ),
        ),
      ),
    );
    const edit = this.chosenEdit;
    const key = edit?.keys[keyAt(edit, chosen!.time, this.fps)];
    this.details.hidden = !key;
    if (!edit || !key) return;
    this.offsets.forEach((field, i) => field.set(key[1][i]));
    this.window.set(edit.window);
  }

  // --- edits ---

  /** The position of the joint without edits, in the world of the rig. */
  private plainPlace(joint: number, time: number): Vector3 {
    const { pipeline, clip } = this.session.pipeline(this.app.store.current.clip);
    const plain = pipeline.character.pipeline({});
    try {
      plain.evaluateJoints(clip, time);
      return new Vector3().setFromMatrixPosition({
        elements: plain.worldMatrices().subarray(16 * joint, 16 * joint + 16),
      } as never);
    } finally {
      plain.dispose();
    }
  }

  /** The current offset, relative to the character's size. */
  private offsetNow(joint: number, time: number): Offset {
    const key = editOf(this.app.store.current.style, this.session.joints[joint].name);
    const at = keyAt(key, time, this.fps);
    if (at >= 0) return key!.keys[at][1];
    if (!key) return [0, 0, 0];
    return this.session.joints[joint].node
      .getWorldPosition(new Vector3())
      .sub(this.plainPlace(joint, time))
      .divideScalar(this.session.size)
      .toArray() as Offset;
  }

  private get frameTime(): number {
    const { start, fps } = this.app.player.span.value;
    return start + this.app.player.frame / fps;
  }

  private addHere(): void {
    const joint = this.app.joint.value;
    if (joint < 1) return say({ kind: 'info', text: 'Select a joint first, in the view or in the list' });
    const { name } = this.session.joints[joint];
    const time = this.frameTime;
    const offset = this.offsetNow(joint, time);
    this.app.changeStyle(`Pull ${this.session.labelOf(name)}`, (style) =>
      withEdit(style, name, (edit) => putKey(edit, time, offset, this.fps)),
    );
    this.choose(name, time);
  }

  private remove(): void {
    const chosen = this.chosen.value;
    if (!chosen || !this.chosenEdit) return;
    this.app.changeStyle('Delete edit', (style) =>
      withEdit(style, chosen.joint, (edit) => ({
        ...edit,
        keys: edit.keys.filter(([time]) => Math.abs(time - chosen.time) > 1e-4),
      })),
    );
    this.chosen.value = undefined;
  }

  // --- dragging ---

  private find(pointer: ViewPointer): number | undefined {
    const { picker, viewer } = this.app;
    const near = picker.joint(pointer.x, pointer.y, (place) => viewer.project(place), 12);
    return near && near.index > 0 ? near.index : undefined;
  }

  down = (pointer: ViewPointer): boolean => {
    const joint = pointer.event.button === 0 && pointer.pane.which === 'styled' ? this.find(pointer) : undefined;
    if (joint === undefined) return false;
    const { app } = this;
    const { name, node } = this.session.joints[joint];
    const time = this.frameTime;
    const from = node.getWorldPosition(new Vector3());
    app.player.playing.value = false;
    app.player.seek(time);
    app.store.settle();
    this.pull = {
      joint: name,
      time,
      start: this.offsetNow(joint, time),
      from,
      target: from.clone(),
      waiting: false,
      plane: new Plane().setFromNormalAndCoplanarPoint(app.viewer.camera.getWorldDirection(new Vector3()), from),
    };
    this.choose(name, time);
    return true;
  };

  drag = (pointer: ViewPointer): void => {
    if (!this.pull) return;
    pointer.ray().intersectPlane(this.pull.plane, this.pull.target);
    this.pull.waiting = true;
    this.app.viewer.invalidate();
  };

  up = (): void => {
    this.give();
    this.pull = undefined;
    this.app.store.settle();
  };

  /** At most once per frame, because every change solves the clip again. */
  private give(): void {
    const { pull } = this;
    if (!pull?.waiting) return;
    pull.waiting = false;
    const by = pull.target.clone().sub(pull.from).divideScalar(this.session.size);
    const offset = AXES.map((axis, i) => pull.start[i] + by[axis]) as Offset;
    this.app.store.change(
      `Pull ${this.session.labelOf(pull.joint)}`,
      (document) => ({
        ...document,
        style: withEdit(document.style, pull.joint, (edit) => putKey(edit, pull.time, offset, this.fps)),
      }),
      { merge: 'skeleton-pull', hold: true },
    );
  }

  hover = (pointer: ViewPointer): void => {
    const found = this.find(pointer);
    if (found === this.hovered) return;
    this.hovered = found;
    this.app.viewer.element.style.cursor = found === undefined ? '' : 'grab';
    this.app.viewer.invalidate();
  };

  show = (): boolean => {
    this.give();
    return false;
  };

  overlay = (overlay: Overlay): void => {
    drawBones(this.app, overlay, { all: true, hovered: this.hovered });
    const { context, project } = overlay;
    const time = this.app.player.time.value;
    const place = new Vector3();
    for (const { joint, keys, window } of editsOf(this.app.store.current.style)) {
      const node = this.session.joints.find((one) => one.name === joint)?.node;
      if (!node || time < keys[0][0] - window || time > keys[keys.length - 1][0] + window) continue;
      const at = project(node.getWorldPosition(place));
      context.strokeStyle = color('exaggerate');
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(at.x, at.y, 9, 0, 2 * Math.PI);
      context.stroke();
    }
  };

  stop = (): void => {
    this.stopListening.forEach((stop) => stop());
    this.app.viewer.element.style.cursor = '';
    this.app.viewer.invalidate();
  };
}

export const skeletonTool: Tool<App> = {
  id: 'skeleton',
  name: 'Skeleton',
  summary: 'Drag a joint at a frame; the pose follows and the edit fades out over time',
  icon: ICON,
  key: 'e',
  start: (app) => new Skeleton(app),
};
