// The view of the tool: colors, markers, and what a click means.
import { Vector3 } from 'three';
import type { MeshData } from 'limber/engine';
import type { App } from '../../app';
import type { Session } from '../../core/session';
import { Emitter, Signal } from '../../core/signal';
import { readPreference, writePreference } from '../../ui/preferences';
import { say } from '../../ui/widgets';
import { label } from '../../view/bones';
import type { Overlay } from '../../view/viewer';
import { ADDED, css, HELD, LOOSE, PARTS, REMOVED, SKIN } from './colors';
import type { Rgb } from './colors';
import { ContactEditor } from './contacts';
import type { Scope } from './contacts';
import { RigidEditor } from './rigid';
import type { Kind, RigidAim } from './rigid';
import { ColorView } from './view';

export type Mode = 'contacts' | 'rigid' | 'colliders';

const CLICK_PIXELS = 4;
const LIT = 0.45; // how much brighter what is under the pointer is

const mix = (a: number, b: number, t: number): number => a + (b - a) * t;

export class Hold {
  readonly mode = new Signal<Mode>(readPreference('hold.mode', 'contacts'));
  readonly scope = new Signal<Scope>(readPreference('hold.scope', 'moment'));
  readonly contacts: ContactEditor;
  readonly rigid: RigidEditor;
  /** Emitted with a part that was picked in the view. */
  readonly picked = new Emitter<number>();
  private readonly view: ColorView;
  private readonly colors: Float32Array;
  private readonly heldNow: Float32Array;
  /** The weights of all meshes, with the joints of their skins. */
  private readonly weights: readonly (MeshData & { joints: ArrayLike<number> })[];
  private readonly stops: (() => void)[] = [];
  private pressed: { x: number; y: number } | undefined;
  private hovered: { joint?: number; aim?: RigidAim; x: number; y: number } | undefined;
  /** Vertices of a part that is pointed at in the list: 1. */
  private pointed: Uint8Array | undefined;
  private hadColliders = false;

  constructor(
    readonly app: App,
    readonly session: Session,
  ) {
    this.contacts = new ContactEditor(app, session);
    this.rigid = new RigidEditor(app, session);
    this.view = new ColorView(session);
    this.colors = new Float32Array(3 * session.character.vertexCount);
    this.heldNow = new Float32Array(session.character.jointCount);
    const { character } = session;
    this.weights = character.meshes.map(({ skin }, i) => ({
      ...character.mesh(i),
      joints: character.skin(skin).joints,
    }));
    this.hadColliders = app.showColliders.value;
    this.stops.push(
      this.mode.watch((mode) => {
        writePreference('hold.mode', mode);
        this.hovered = undefined;
        app.showColliders.value = mode === 'colliders' || this.hadColliders;
        app.viewer.invalidate();
      }),
      this.scope.listen((scope) => writePreference('hold.scope', scope)),
    );
    const { element } = app.viewer;
    element.addEventListener('pointerup', this.up);
    this.stops.push(() => element.removeEventListener('pointerup', this.up));
  }

  get time(): number {
    return this.app.player.time.value;
  }

  // --- colors ---

  /** Call it before the frame is shown. */
  show(): void {
    if (this.mode.value === 'colliders') return this.view.show(undefined);
    if (this.mode.value === 'contacts') this.colorHeld();
    else this.colorParts();
    this.view.show(this.colors);
  }

  /** How much the skin is held: by its joints, as they are weighted. */
  private colorHeld(): void {
    const held = this.contacts.held(this.time, this.heldNow);
    const lit = this.hovered?.joint;
    this.weights.forEach(({ firstVertex, vertexCount, influenceFirst, influenceJoint, influenceWeight, joints }) => {
      for (let u = 0; u < vertexCount; u++) {
        let amount = 0;
        let near = 0;
        for (let i = influenceFirst[u]; i < influenceFirst[u + 1]; i++) {
          const joint = joints[influenceJoint[i]];
          amount += influenceWeight[i] * held[joint];
          if (joint === lit) near += influenceWeight[i];
        }
        this.put(firstVertex + u, SKIN, HELD, amount, LIT * near);
      }
    });
  }

  private colorParts(): void {
    const { ofVertex } = this.rigid.actual;
    const possible = this.rigid.possible.ofVertex;
    const lit = this.hovered?.aim?.vertices ?? this.pointed;
    for (let u = 0; u < ofVertex.length; u++) {
      const part = possible[u] >= 0 ? possible[u] : ofVertex[u]; // a color stays the same when others change
      const tint = ofVertex[u] >= 0 ? PARTS[part % PARTS.length] : part >= 0 ? LOOSE : SKIN;
      this.put(u, tint, tint, 0, lit?.[u] ? LIT : 0);
    }
  }

  private put(u: number, from: Rgb, to: Rgb, amount: number, light: number): void {
    for (let k = 0; k < 3; k++) this.colors[3 * u + k] = mix(mix(from[k], to[k], amount), 1, light);
  }

  // --- pointer ---

  private vertexAt(x: number, y: number): number | undefined {
    return this.app.picker.hit(this.app.viewer.ray(x, y))?.vertex;
  }

  press(x: number, y: number): void {
    this.pressed = { x, y };
  }

  // The camera captures the pointer, so the end of a click is detected here.
  private readonly up = (event: PointerEvent): void => {
    const box = this.app.viewer.element.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const from = this.pressed;
    this.pressed = undefined;
    if (!from || Math.hypot(x - from.x, y - from.y) > CLICK_PIXELS) return;
    const vertex = this.vertexAt(x, y);
    if (vertex === undefined) return;
    this.app.whenWorn(() => this.click(vertex, event.shiftKey)); // what it means depends on what stands or is rigid
  };

  private click(vertex: number, shift: boolean): void {
    if (this.mode.value === 'contacts') this.clickContact(vertex);
    else if (this.mode.value === 'rigid' && shift) this.picked.emit(this.rigid.partAt(vertex));
    else if (this.mode.value === 'rigid') this.clickPart(vertex);
    this.hovered = undefined;
    this.app.viewer.invalidate();
  }

  private clickContact(vertex: number): void {
    if (!this.session.clips.length) {
      say({ kind: 'info', text: 'The file has no clips: nothing stands' });
      return;
    }
    const joint = this.contacts.jointFor(this.app.picker.jointOfVertex(vertex));
    this.app.joint.value = joint;
    this.tell(this.contacts.toggle(joint, this.time, this.scope.value));
  }

  private clickPart(vertex: number): void {
    const aim = this.rigid.aim(vertex);
    if (aim) return this.tell(this.rigid.toggle(aim));
    say({
      kind: 'info',
      text: 'This is the body: it bends',
      detail: 'Paint the layer “rigid” to keep a piece of it stiff.',
    });
  }

  private tell(fault: string | undefined): void {
    if (fault) say({ kind: 'error', text: 'This cannot be changed', detail: fault });
  }

  hover(x: number, y: number): void {
    const vertex = this.mode.value === 'colliders' ? undefined : this.vertexAt(x, y);
    const before = this.hovered;
    if (vertex === undefined) this.hovered = undefined;
    else if (this.mode.value === 'contacts')
      this.hovered = { joint: this.contacts.jointFor(this.app.picker.jointOfVertex(vertex)), x, y };
    else this.hovered = { aim: this.rigid.aim(vertex), x, y };
    this.app.viewer.element.style.cursor = this.hovered ? 'pointer' : '';
    if (before || this.hovered) this.app.viewer.invalidate();
  }

  /** Lights up a part, as when it is under the pointer. */
  point(vertices: Uint8Array | undefined): void {
    this.pointed = vertices;
    this.app.viewer.invalidate();
  }

  /** Says what a part is; undefined: as it is found. */
  setKind(aim: RigidAim, kind: Kind | undefined): void {
    this.tell(this.rigid.setKind(aim, kind));
  }

  leave(): void {
    if (this.hovered) this.app.viewer.invalidate();
    this.hovered = undefined;
    this.app.viewer.element.style.cursor = '';
  }

  // --- over the picture ---

  overlay(overlay: Overlay): void {
    if (this.mode.value === 'contacts') this.drawContacts(overlay);
    const text = this.hint();
    if (text && this.hovered) label(overlay.context, text, new Vector3(this.hovered.x, this.hovered.y - 22, 0));
  }

  /** A dot where a joint stands; a ring where it does so, or does not, because of a correction. */
  private drawContacts({ context, project }: Overlay): void {
    const place = new Vector3();
    for (const { index, node } of this.session.joints) {
      const stands = this.contacts.standsAt(index, this.time) !== undefined;
      const correction = this.contacts.correctionAt(index, this.time);
      if (!stands && !correction) continue;
      const { x, y } = project(node.getWorldPosition(place));
      if (stands) dot(context, x, y, 5, css(HELD));
      if (correction) ring(context, x, y, css(correction.amount === 0 ? REMOVED : ADDED));
    }
  }

  private hint(): string | undefined {
    const { joint, aim } = this.hovered ?? {};
    if (joint !== undefined) {
      const { label: name, name: full } = this.session.joints[joint];
      const stands = this.contacts.standsAt(joint, this.time) !== undefined;
      return `${name || full} ${stands ? 'stands. Click: it does not' : 'does not stand. Click: it does'}`;
    }
    if (this.mode.value !== 'rigid') return undefined;
    if (!aim) return 'The body bends';
    const what = aim.count > 1 ? `${aim.count} parts: ${aim.name} …` : aim.name;
    return `${what} ${aim.isRigid ? 'stiff. Click: let it bend' : 'bends. Click: keep it stiff'}`;
  }

  stop(): void {
    this.stops.forEach((stop) => stop());
    this.contacts.stop();
    this.view.stop();
    this.app.showColliders.value = this.hadColliders;
    this.app.viewer.element.style.cursor = '';
    this.app.viewer.invalidate();
  }
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number, fill: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.strokeStyle = '#fff';
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
}

function ring(context: CanvasRenderingContext2D, x: number, y: number, stroke: string): void {
  for (const [width, style] of [
    [5, '#fff'],
    [3, stroke],
  ] as const) {
    context.beginPath();
    context.arc(x, y, 9, 0, 2 * Math.PI);
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }
}
