// The puppet tool: grab the character, play with it live, and record the performance as a take.
import type { Object3D } from 'three';
import { Plane, Quaternion, Vector3 } from 'three';
import type { App } from '../../app';
import { Signal } from '../../core/signal';
import { h, once } from '../../ui/dom';
import { numberField } from '../../ui/number_field';
import { readPreference, writePreference } from '../../ui/preferences';
import { color } from '../../ui/theme';
import { button, iconButton, say, section, segmented, toggle } from '../../ui/widgets';
import { drawBones } from '../../view/bones';
import type { Overlay } from '../../view/viewer';
import { PuppetPose } from './pose';
import { freshName, Recording } from './record';
import type { ActiveTool, Tool, ViewPointer } from '../tool';

type Mode = 'move' | 'rotate' | 'twist';

const ICON =
  '<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M4 4h12"/><path d="M6 4v6M14 4v4M10 4v3"/><circle cx="10" cy="8.6" r="1.6"/><path d="m6 10 4 2.5L14 8M10 10.2v3.3l-2.4 3M10 13.5l2.4 3"/></svg>';
const RADIANS_PER_PIXEL = 0.01;
const COUNTDOWN_S = 3;

interface Grip {
  joint: number;
  node: Object3D;
  /** The grabbed point in the joint's frame. */
  place: Vector3;
  chain: number[];
  plane: Plane;
  target: Vector3;
  /**
   * The pose when it was grabbed. Each drag starts from it, so that the result depends only on the position of the
   * pointer and joints do not accumulate roll.
   */
  before: ReturnType<PuppetPose['snapshot']>;
  x: number;
  y: number;
}

interface Take {
  countdown: number;
  recording: Recording;
  seconds: number;
}

class Puppet implements ActiveTool {
  readonly panel: HTMLElement;
  private readonly mode = new Signal<Mode>('move');
  private readonly pose: PuppetPose;
  private readonly session;
  private springs = readPreference('puppet.springs', true);
  private counts = readPreference('puppet.counts', true);
  private chainLength = readPreference('puppet.chain', 2);
  private grip: Grip | undefined;
  private hovered: number | undefined;
  private take: Take | undefined;
  private readonly recordButton = button('Record', () => this.toggleRecording(), { class: 'wide record' });
  private readonly takes = h('ul', { class: 'takes', 'aria-label': 'Takes' });
  private readonly stopListening: () => void;
  private live = false;

  constructor(private readonly app: App) {
    this.session = app.session.value!;
    this.pose = new PuppetPose(this.session);
    this.panel = this.makePanel();
    this.stopListening = app.store.document.listen(once(() => this.listTakes()));
    this.listTakes();
  }

  readonly keys = [
    { key: 'g', label: 'Grab: move', run: () => (this.mode.value = 'move') },
    { key: 'r', label: 'Grab: rotate', run: () => (this.mode.value = 'rotate') },
    { key: 't', label: 'Grab: twist', run: () => (this.mode.value = 'twist') },
    { key: 'Enter', label: 'Start and stop recording', run: () => this.toggleRecording() },
    { key: 'Escape', label: 'Release the character; discard the recording', run: () => this.giveUp() },
  ];

  // --- panel ---

  private makePanel(): HTMLElement {
    const chain = numberField({
      label: 'Chain',
      from: 1,
      to: 8,
      min: 1,
      max: 20,
      whole: true,
      change: (value) => {
        writePreference('puppet.chain', (this.chainLength = Number(value)));
        return undefined;
      },
    });
    chain.set(this.chainLength);
    const springs = toggle('Spring back', this.springs, (on) => {
      writePreference('puppet.springs', (this.springs = on));
      if (on && !this.grip) this.pose.release();
      this.app.viewer.invalidate();
    });
    const counts = toggle('Countdown', this.counts, (on) => writePreference('puppet.counts', (this.counts = on)));
    return h(
      'div',
      { class: 'tool-body puppet-tool' },
      segmented('What a drag does', this.mode, [
        { value: 'move', text: 'Move', tip: 'Move  ·  G' },
        { value: 'rotate', text: 'Rotate', tip: 'Rotate  ·  R' },
        { value: 'twist', text: 'Twist', tip: 'Twist  ·  T' },
      ]),
      h(
        'div',
        { class: 'tool-row', 'data-tip': 'Number of joints that follow the pointer' },
        h('span', {}, 'Chain'),
        chain.element,
      ),
      h('label', { class: 'tool-row' }, h('span', {}, 'Spring back'), springs),
      h('label', { class: 'tool-row' }, h('span', {}, 'Countdown'), counts),
      this.recordButton,
      section('Takes', [this.takes]),
    );
  }

  private listTakes(): void {
    const { app, session } = this;
    const { takes, clip } = app.store.current;
    const first = session.loaded.clips.length;
    this.takes.replaceChildren(
      ...(takes.length
        ? takes.map((take, i) =>
            h(
              'li',
              { class: `take ${clip === first + i ? 'now' : ''}` },
              h('button', { type: 'button', class: 'take-name', onclick: () => this.play(first + i) }, take.name),
              h('span', { class: 'take-length' }, `${take.clip.end.toFixed(1)} s`),
              iconButton('close', `Delete ${take.name}`, () => this.remove(i)),
            ),
          )
        : [h('li', { class: 'tool-note faint' }, 'Press Enter to start and stop recording.')]),
    );
  }

  private play(clip: number): void {
    this.pose.clear();
    this.app.setClip(clip);
    this.app.player.playing.value = true;
  }

  private remove(index: number): void {
    const first = this.session.loaded.clips.length;
    this.app.store.change('Delete take', (document) => {
      const clip =
        document.clip > first + index || document.clip >= first + document.takes.length - 1
          ? Math.max(0, document.clip - 1)
          : document.clip;
      return {
        ...document,
        takes: document.takes.filter((_, i) => i !== index),
        clip: document.clip < first ? document.clip : clip,
      };
    });
  }

  // --- grabbing ---

  private chainOf(joint: number, surface: boolean): number[] {
    const { joints } = this.session;
    const chain: number[] = [];
    for (
      let at = surface ? joint : joints[joint].parent;
      at > 0 && joints[at].parent > 0 && chain.length < this.chainLength;
      at = joints[at].parent
    )
      chain.push(at);
    return chain;
  }

  private find({ x, y, hit }: ViewPointer): { joint: number; point: Vector3; surface: boolean } | undefined {
    const { picker, viewer } = this.app;
    const near = picker.joint(x, y, (place) => viewer.project(place), 10);
    if (near && near.index > 0)
      return { joint: near.index, point: near.node.getWorldPosition(new Vector3()), surface: false };
    const found = hit();
    return found && { joint: picker.jointOfVertex(found.vertex), point: found.point.clone(), surface: true };
  }

  down = (pointer: ViewPointer): boolean => {
    const found = pointer.event.button === 0 && pointer.pane.which === 'styled' ? this.find(pointer) : undefined;
    if (!found || found.joint < 1) return false;
    const node = this.session.joints[found.joint].node;
    const facing = this.app.viewer.camera.getWorldDirection(new Vector3());
    this.pose.hold();
    this.grip = {
      joint: found.joint,
      node,
      place: node.worldToLocal(found.point.clone()),
      chain: this.chainOf(found.joint, found.surface),
      plane: new Plane().setFromNormalAndCoplanarPoint(facing, found.point),
      target: found.point,
      before: this.pose.snapshot(),
      x: pointer.x,
      y: pointer.y,
    };
    this.app.joint.value = found.joint;
    this.app.viewer.invalidate();
    return true;
  };

  drag = (pointer: ViewPointer): void => {
    const { grip } = this;
    if (!grip) return;
    const dx = pointer.x - grip.x;
    const dy = pointer.y - grip.y;
    grip.x = pointer.x;
    grip.y = pointer.y;
    if (this.mode.value === 'move') pointer.ray().intersectPlane(grip.plane, grip.target);
    else if (this.mode.value === 'rotate') this.rotate(grip, dx, dy);
    else this.pose.turn(grip.joint, new Quaternion().setFromAxisAngle(this.boneAxis(grip), dx * RADIANS_PER_PIXEL));
    this.app.viewer.invalidate();
  };

  private rotate({ joint }: Grip, dx: number, dy: number): void {
    const { camera } = this.app.viewer;
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const turn = new Quaternion()
      .setFromAxisAngle(up, dx * RADIANS_PER_PIXEL)
      .multiply(new Quaternion().setFromAxisAngle(right, dy * RADIANS_PER_PIXEL));
    this.pose.turn(joint, turn);
  }

  private boneAxis({ joint, node }: Grip): Vector3 {
    const axis = new Vector3().fromArray(this.session.character.joints[joint].boneDirection);
    return (axis.lengthSq() > 0.5 ? axis : new Vector3(0, 1, 0))
      .applyQuaternion(node.getWorldQuaternion(new Quaternion()))
      .normalize();
  }

  up = (): void => {
    this.grip = undefined;
    if (this.springs) this.pose.release();
    this.app.viewer.invalidate();
  };

  hover = (pointer: ViewPointer): void => {
    const found = this.find(pointer)?.joint;
    if (found === this.hovered) return;
    this.hovered = found;
    this.app.viewer.element.style.cursor = found === undefined ? '' : 'grab';
    this.app.viewer.invalidate();
  };

  // --- frames ---

  running = (): boolean => this.grip !== undefined || this.pose.springing || this.take !== undefined;

  show = (seconds: number): boolean => {
    const { app, pose, session } = this;
    const { clip } = app.store.current;
    if (!this.running() && pose.untouched) return (this.live = false);
    pose.advance(seconds);
    const pulled = this.grip && this.mode.value === 'move' ? this.grip : undefined;
    if (pulled) pose.restore(pulled.before);
    pose.pose(clip, app.player.time.value);
    if (pulled) this.pull(pulled);
    session.toon.update(this.live ? Math.max(seconds, 1e-3) : 0);
    this.live = true;
    this.record(seconds);
    if (!this.running()) app.viewer.invalidate(); // the last frame of a spring is live, the next one shows the clip
    return true;
  };

  private pull(grip: Grip): void {
    if (grip.chain.length) return this.pose.reach(grip.chain, grip.node, grip.place, grip.target);
    this.pose.shift(grip.joint, grip.target.clone().sub(grip.node.localToWorld(grip.place.clone())));
  }

  // --- recording ---

  private toggleRecording(): void {
    if (this.take) return this.take.countdown > 0 ? this.giveUp() : this.finish();
    this.take = { countdown: this.counts ? COUNTDOWN_S : 0, recording: new Recording(), seconds: 0 };
    this.showRecording();
  }

  private showRecording(): void {
    this.recordButton.querySelector('span')!.textContent = this.take ? 'Stop' : 'Record';
    this.recordButton.classList.toggle('on', this.take !== undefined);
    this.app.viewer.invalidate();
  }

  private record(seconds: number): void {
    const { take } = this;
    if (!take) return;
    if (take.countdown > 0) {
      take.countdown -= seconds;
      return;
    }
    if (take.recording.seconds > 0 || take.seconds > 0) take.seconds += seconds;
    take.recording.add(take.seconds, this.pose.read());
    take.seconds ||= 1e-9;
  }

  private finish(): void {
    const { app, session } = this;
    const { recording } = this.take!;
    this.take = undefined;
    this.showRecording();
    const name = freshName(session.clips.map((clip) => clip.name));
    const clip = recording.clip(name, session);
    if (!clip) return say({ kind: 'info', text: 'Nothing moved, so no take was recorded' });
    this.pose.clear();
    app.store.change('Record take', (document) => ({
      ...document,
      takes: [...document.takes, { name, clip }],
      clip: session.loaded.clips.length + document.takes.length,
    }));
    app.player.seek(0);
    app.player.playing.value = true;
    say({ kind: 'info', text: `Recorded ${name}`, detail: `${clip.end.toFixed(1)} seconds` });
  }

  private giveUp(): void {
    this.take = undefined;
    this.pose.clear();
    this.showRecording();
  }

  // --- drawing ---

  overlay = (overlay: Overlay): void => {
    drawBones(this.app, overlay, { all: true, hovered: this.hovered });
    if (this.grip && this.mode.value === 'move') this.drawString(overlay, this.grip);
    if (this.take) this.drawTake(overlay, this.take);
  };

  private drawString({ context, project }: Overlay, { node, place, target }: Grip): void {
    const from = project(node.localToWorld(place.clone()));
    const to = project(target);
    context.strokeStyle = context.fillStyle = color('accent');
    context.lineWidth = 2;
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(to.x, to.y, 5, 0, 2 * Math.PI);
    context.fill();
  }

  private drawTake({ context, pane }: Overlay, { countdown, seconds }: Take): void {
    const counting = countdown > 0;
    const text = counting ? String(Math.ceil(countdown)) : `${seconds.toFixed(1)} s`;
    const x = pane.x + pane.width / 2;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    if (counting) {
      context.font = '600 92px system-ui, sans-serif';
      context.fillStyle = 'rgba(255, 255, 255, 0.88)';
      context.strokeStyle = 'rgba(10, 12, 18, 0.5)';
      context.lineWidth = 6;
      context.strokeText(text, x, pane.height / 2);
      context.fillText(text, x, pane.height / 2);
    } else {
      context.font = '600 12px system-ui, sans-serif';
      context.fillStyle = 'rgba(18, 20, 26, 0.82)';
      context.beginPath();
      context.roundRect(x - 42, 14, 84, 26, 13);
      context.fill();
      context.fillStyle = '#ff4d4d';
      context.beginPath();
      context.arc(x - 26, 27, 5, 0, 2 * Math.PI);
      context.fill();
      context.fillStyle = '#fff';
      context.fillText(text, x + 8, 27.5);
    }
    context.textAlign = 'start';
  }

  stop = (): void => {
    this.stopListening();
    this.take = undefined;
    this.pose.clear();
    this.app.viewer.element.style.cursor = '';
    this.app.viewer.invalidate();
  };
}

export const puppetTool: Tool<App> = {
  id: 'puppet',
  name: 'Puppet',
  summary: 'Grab joints and move them live; record takes',
  icon: ICON,
  key: 'u',
  start: (app) => new Puppet(app),
};
