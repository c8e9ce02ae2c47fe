// Paints layers on the deformed surface. Layers make effects stronger, weaker, or reversed.
import { Vector3 } from 'three';
import type { App } from '../../app';
import type { Session } from '../../core/session';
import { Signal } from '../../core/signal';
import { readPreference, writePreference } from '../../ui/preferences';
import { say } from '../../ui/widgets';
import type { Overlay } from '../../view/viewer';
import { layersAsked } from './layers';
import { Nearby } from './nearby';
import { placeNormals, Stroke } from './stroke';
import type { Brush, Falloff, Mode } from './stroke';
import { Surface } from './surface';
import { LAYER_COLORS, LayerView } from './view';
import type { ViewPointer } from '../tool';

/** Brush settings that are kept between visits. The radius is relative to the character's size. */
export interface BrushSettings {
  mode: Mode;
  radius: number;
  strength: number;
  falloff: Falloff;
  mirror: boolean;
  through: boolean;
  colors: boolean;
}

const DEFAULTS: BrushSettings = {
  mode: 'add',
  radius: 0.06,
  strength: 0.5,
  falloff: 'smooth',
  mirror: false,
  through: true,
  colors: true,
};
export const RADIUS = { min: 0.004, max: 0.4 } as const;
export const RADIUS_STEP = 1.15;
/** Distance between dabs, relative to the radius. */
const SPACING = 0.25;
/** Characters with more vertices than this keep their shape during a stroke. */
const LARGE = 200_000;
const OTHER_SIGN: Partial<Record<Mode, Mode>> = { add: 'subtract', subtract: 'add' };
/** The color of the dot in the center of the brush. */
const MODE_TINT: Record<Mode, string> = {
  add: LAYER_COLORS.more,
  subtract: LAYER_COLORS.less,
  smooth: '#ffd166',
  zero: LAYER_COLORS.none,
  one: LAYER_COLORS.more,
};

const settings = new Signal<BrushSettings>({ ...DEFAULTS, ...readPreference<Partial<BrushSettings>>('brush', {}) });
settings.listen((now) => writePreference('brush', now));
/** The last layer, kept while other tools are in use. */
let lastLayer = '';

/** The state of the active paint tool; the panel calls its methods. */
export class Painter {
  readonly settings = settings;
  readonly layer: Signal<string>;
  /** The value under the pointer, for the color scale. */
  readonly under = new Signal<number | undefined>(undefined);
  private readonly surface: Surface;
  private readonly view: LayerView;
  private readonly triangles: Uint32Array;
  /** Effects follow at the end of a stroke; until then only its colors are shown. */
  private readonly large: boolean;
  /** Normals of the places, for the whole stroke. */
  private normals: Float32Array | undefined;
  private finishing = false;
  private known: { of: unknown; name: string; values: Float32Array } | undefined;
  private stroke: Stroke | undefined;
  private from: { x: number; y: number } | undefined;
  private pending = false;
  private brushAt: { point: Vector3; normal: Vector3; vertex: number } | undefined;
  private modifiers = { shift: false, control: false };
  private readonly stops: (() => void)[];
  /** Duration of the last step of a stroke in milliseconds: dabs, effects, colors. */
  stepMilliseconds = 0;

  constructor(
    readonly app: App,
    readonly session: Session,
  ) {
    this.surface = new Surface(session.character);
    this.view = new LayerView(session);
    this.triangles = trianglesOf(session);
    this.large = session.character.vertexCount > LARGE;
    app.picker.prepare();
    const names = this.names();
    this.layer = new Signal(
      names.includes(lastLayer) ? lastLayer : (layersAsked(app.store.current.style)[0] ?? names[0] ?? 'floppy'),
    );
    this.stops = [
      this.layer.watch((name) => {
        lastLayer = name;
        this.showColors();
      }),
      settings.listen(() => this.showColors()),
      app.store.document.listen(() => this.follow()),
    ];
  }

  /** Layers in the file, painted in the studio, or named in the style. */
  names(): string[] {
    return [...new Set([...this.session.layerNames, ...layersAsked(this.app.store.current.style)])].sort();
  }

  exists(name: string): boolean {
    return this.session.layerNames.includes(name);
  }

  values(): Float32Array {
    const { layers } = this.app.store.current;
    const name = this.layer.value;
    if (this.known?.of !== layers || this.known.name !== name)
      this.known = { of: layers, name, values: this.session.layer(name) };
    return this.known.values;
  }

  private follow(): void {
    this.stroke = undefined;
    if (!this.names().includes(this.layer.value) && this.names().length) this.layer.value = this.names()[0];
    this.showColors();
  }

  private showColors(): void {
    this.view.show(
      settings.value.colors ? (this.stroke ? this.surface.spread(this.stroke.values) : this.values()) : undefined,
    );
    this.app.viewer.invalidate();
  }

  change(part: Partial<BrushSettings>): void {
    settings.value = { ...settings.value, ...part };
  }

  resize(factor: number): void {
    this.change({ radius: Math.min(Math.max(settings.value.radius * factor, RADIUS.min), RADIUS.max) });
  }

  /** Replaces the values of the current layer, as one step. */
  put(label: string, values: Float32Array): void {
    const name = this.layer.value;
    const whole = this.surface.spread(this.surface.gather(values));
    for (let i = 0; i < whole.length; i++) whole[i] = Math.min(Math.max(whole[i], -1), 1);
    this.app.store.change(`${label} ${name}`, (document) => ({
      ...document,
      layers: { ...document.layers, [name]: whole },
    }));
    this.app.store.settle();
  }

  /** Adds a layer with the value 0 everywhere. */
  create(name: string): void {
    this.layer.value = name;
    this.put('New layer', new Float32Array(this.session.character.vertexCount));
  }

  /** Restores the layer from the file, or deletes it if it was created in the studio. */
  reset(): void {
    const name = this.layer.value;
    if (!(name in this.app.store.current.layers))
      return say({ kind: 'info', text: `${name} is already as in the file` });
    this.app.store.change(`Reset ${name}`, (document) => {
      const { [name]: _gone, ...layers } = document.layers;
      return { ...document, layers };
    });
  }

  // --- strokes ---

  private mode(): Mode {
    const { mode } = settings.value;
    if (this.modifiers.control) return 'smooth';
    return this.modifiers.shift ? (OTHER_SIGN[mode] ?? mode) : mode;
  }

  private get radius(): number {
    return settings.value.radius * this.session.size;
  }

  private brush(): Brush {
    const { strength, falloff, mirror, through } = settings.value;
    return { mode: this.mode(), radius: this.radius, strength, falloff, mirror, through };
  }

  private noteModifiers(event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): void {
    this.modifiers = { shift: event.shiftKey, control: event.ctrlKey || event.metaKey };
  }

  hover(pointer: ViewPointer): void {
    this.noteModifiers(pointer.event);
    const hit = pointer.pane.which === 'styled' ? pointer.hit() : undefined;
    this.brushAt = hit;
    this.under.value = hit && this.values()[hit.vertex];
    this.app.viewer.element.style.cursor = hit ? 'none' : '';
    this.app.viewer.invalidate();
  }

  leave(): void {
    this.brushAt = undefined;
    this.under.value = undefined;
    this.app.viewer.element.style.cursor = '';
    this.app.viewer.invalidate();
  }

  down(pointer: ViewPointer): boolean {
    if (pointer.event.button !== 0 || pointer.pane.which !== 'styled') return false;
    this.noteModifiers(pointer.event);
    const hit = pointer.hit();
    if (!hit) return false;
    if (this.finishing) return true;
    this.app.player.playing.value = false;
    const brush = this.brush();
    this.app.picker.frozen = this.large;
    const nearby = this.large
      ? new Nearby(this.app.picker.positions, this.surface.vertexOf, Math.max(brush.radius, 1e-9))
      : undefined;
    this.normals = undefined;
    this.stroke = new Stroke(this.surface, this.firstValues(brush.mode), brush, nearby);
    this.from = { x: pointer.x, y: pointer.y };
    this.dabAt(pointer.x, pointer.y);
    return true;
  }

  /**
   * A layer that is not painted yet acts everywhere. The first stroke that adds says where it acts, and one that takes
   * away where it does not: either can be seen.
   */
  private firstValues(mode: Mode): Float32Array {
    const values = this.values();
    const fresh = !this.exists(this.layer.value) && (mode === 'add' || mode === 'one');
    return fresh ? new Float32Array(values.length) : values;
  }

  drag(pointer: ViewPointer): void {
    if (!this.stroke || !this.from) return;
    const away = Math.hypot(pointer.x - this.from.x, pointer.y - this.from.y);
    const step = Math.max(this.pixels() * SPACING, 2);
    const count = Math.min(Math.floor(away / step), 24);
    const start = this.from;
    for (let i = 1; i <= count; i++) {
      const x = start.x + ((pointer.x - start.x) * i) / count;
      const y = start.y + ((pointer.y - start.y) * i) / count;
      this.dabAt(x, y);
      this.from = { x, y };
    }
  }

  /** The radius on the screen, at the position of the brush. */
  private pixels(): number {
    const { viewer } = this.app;
    const at = this.brushAt?.point;
    if (!at) return 12;
    const side = new Vector3().setFromMatrixColumn(viewer.camera.matrixWorld, 0).multiplyScalar(this.radius);
    return viewer.project(at).distanceTo(viewer.project(side.add(at)));
  }

  private dabAt(x: number, y: number): void {
    const { app, stroke } = this;
    const start = performance.now();
    const hit = app.picker.hit(app.viewer.ray(x, y));
    this.brushAt = hit ?? this.brushAt;
    if (!hit || !stroke) return;
    const positions = app.picker.positions;
    // Back-facing triangles have a reversed normal.
    const normal = hit.normal.clone();
    if (normal.dot(app.viewer.camera.position.clone().sub(hit.point)) < 0) normal.negate();
    const normals = stroke.brush.through
      ? undefined
      : (this.large && this.normals) || placeNormals(this.surface, this.triangles, positions);
    this.normals = normals;
    stroke.dab(hit.point, normal, positions, normals);
    app.paintWork = { visited: stroke.visited, all: this.surface.placeCount };
    this.under.value = stroke.values[this.surface.placeOf[hit.vertex]];
    this.stepMilliseconds = performance.now() - start;
    this.pending = true;
    app.viewer.invalidate();
  }

  /** Applies what was painted since the last frame. */
  act(): void {
    if (!this.pending || !this.stroke) return;
    this.pending = false;
    const start = performance.now();
    const { app, session } = this;
    const document = app.store.current;
    const { toon } = session;
    const values = this.surface.spread(this.stroke.values);
    this.preview = { ...document.layers, [this.layer.value]: values };
    if (!this.large) {
      session.apply({ ...document, layers: this.preview });
      app.picker.moved();
      if (session.toon !== toon) app.picker.setSession(session);
    }
    if (settings.value.colors) this.view.show(values);
    this.stepMilliseconds += performance.now() - start;
  }

  private preview: Record<string, Float32Array> | undefined;

  up(): void {
    if (!this.stroke) return;
    this.act();
    const layers = this.preview;
    const verb = this.stroke.brush.mode === 'smooth' ? 'Smooth' : 'Paint';
    this.stroke = undefined;
    this.preview = undefined;
    this.app.picker.frozen = false;
    const { store, busy } = this.app;
    const finish = () => {
      if (layers) store.change(`${verb} ${this.layer.value}`, (document) => ({ ...document, layers }));
      store.settle();
    };
    if (!this.large) return finish();
    // The engine needs a while: first let the browser draw the stroke and the sign that says so.
    this.finishing = true;
    busy.value = true;
    requestAnimationFrame(() =>
      window.setTimeout(() => {
        finish();
        this.finishing = false;
        busy.value = false;
      }),
    );
  }

  /** Cancels the current stroke. */
  cancel(): boolean {
    if (!this.stroke) return false;
    this.stroke = undefined;
    this.preview = undefined;
    this.pending = false;
    this.app.picker.frozen = false;
    this.app.picker.moved();
    this.session.apply(this.app.store.current);
    this.showColors();
    return true;
  }

  // --- over the picture ---

  overlay({ context, project }: Overlay): void {
    const at = this.brushAt;
    if (!at) return;
    const { mirror, falloff } = settings.value;
    const tint = MODE_TINT[this.mode()];
    this.circle(context, project, at.point, at.normal, this.radius, '#fff', 2);
    if (falloff !== 'flat')
      this.circle(context, project, at.point, at.normal, this.radius * (falloff === 'sharp' ? 0.3 : 0.5), '#fff', 1);
    const middle = project(at.point);
    dot(context, middle, tint);
    if (!mirror) return;
    const partner = this.surface.partners[this.surface.placeOf[at.vertex]];
    if (partner < 0) return;
    const other = new Vector3().fromArray(this.app.picker.positions, 3 * this.surface.vertexOf[partner]);
    const toward = this.app.viewer.camera.position.clone().sub(other).normalize();
    context.setLineDash([4, 4]);
    this.circle(context, project, other, toward, this.radius, '#fff', 1.5);
    context.setLineDash([]);
    dot(context, project(other), tint);
  }

  private circle(
    context: CanvasRenderingContext2D,
    project: Overlay['project'],
    center: Vector3,
    normal: Vector3,
    radius: number,
    tint: string,
    width: number,
  ): void {
    const side = new Vector3(Math.abs(normal.x) < 0.9 ? 1 : 0, Math.abs(normal.x) < 0.9 ? 0 : 1, 0)
      .cross(normal)
      .normalize();
    const up = side.clone().cross(normal).normalize();
    context.beginPath();
    for (let i = 0; i <= 48; i++) {
      const angle = (i * Math.PI) / 24;
      const point = center
        .clone()
        .addScaledVector(side, radius * Math.cos(angle))
        .addScaledVector(up, radius * Math.sin(angle));
      const at = project(point);
      if (i) context.lineTo(at.x, at.y);
      else context.moveTo(at.x, at.y);
    }
    context.lineWidth = width + 2;
    context.strokeStyle = 'rgba(10, 12, 18, 0.5)';
    context.stroke();
    context.lineWidth = width;
    context.strokeStyle = tint;
    context.stroke();
  }

  stop(): void {
    this.cancel();
    this.app.viewer.element.style.cursor = '';
    this.stops.forEach((stop) => stop());
    this.view.stop();
  }
}

function trianglesOf({ character }: Session): Uint32Array {
  const meshes = character.meshes.map(({ firstVertex }, m) => ({ firstVertex, list: character.mesh(m).triangles }));
  const all = new Uint32Array(meshes.reduce((sum, { list }) => sum + list.length, 0));
  let at = 0;
  for (const { firstVertex, list } of meshes) for (let t = 0; t < list.length; t++) all[at++] = list[t] + firstVertex;
  return all;
}

function dot(context: CanvasRenderingContext2D, at: Vector3, tint: string): void {
  context.beginPath();
  context.arc(at.x, at.y, 3.5, 0, 2 * Math.PI);
  context.fillStyle = tint;
  context.strokeStyle = '#fff';
  context.lineWidth = 1.25;
  context.fill();
  context.stroke();
}
