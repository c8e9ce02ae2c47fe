// The view of the character: camera, drawing on demand, comparison with the plain animation.
import type { Ray } from 'three';
import {
  Group,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { FileCamera } from '../core/cameras';
import { Reach } from '../core/reach';
import type { Session } from '../core/session';
import { Emitter, Signal } from '../core/signal';
import { fitCanvas, h } from '../ui/dom';
import { placeToSee } from './framing';
import type { Free } from './framing';
import { Stage } from './stage';
import type { LightName, StageColors } from './stage';

/** `ghost`: the plain character is transparent, over the styled one. */
export type Compare = 'off' | 'wipe' | 'split' | 'ghost';

/** A part of the view, in CSS pixels of the viewport. */
export interface Pane {
  which: 'styled' | 'plain';
  x: number;
  y: number;
  width: number;
  height: number;
  /** The visible columns; the rest is covered by another pane. */
  from: number;
  to: number;
}

/** A character that the camera follows: where it is, and what it sweeps around that place. */
export interface Followed {
  place: Vector3;
  around: Reach;
}

/** The 2D canvas for tools, drawn over the picture once per frame. */
export interface Overlay {
  context: CanvasRenderingContext2D;
  pane: Pane;
  /** Projects a point in world space to the canvas; z above 1 or below -1 is out of view. */
  project(place: Vector3): Vector3;
}

const FIELD = 35;
const MARGIN = 0.06; // free space around the character, of half the view
const UP = new Vector3(0, 1, 0);
const FROM = new Vector3(0.55, 0.24, 1).normalize();
/** Where the camera looks from, for a character that looks along +z. */
export const VIEWS = [
  { name: 'Angle', from: FROM },
  { name: 'Front', from: new Vector3(0, 0.06, 1).normalize() },
  { name: 'Side', from: new Vector3(1, 0.06, 0).normalize() },
  { name: 'Back', from: new Vector3(0, 0.06, -1).normalize() },
];

/** The vertical field of view [degrees] that shows all of a picture that is `wider` times as wide as there is room. */
function wideEnough(field: number, wider: number): number {
  return (Math.atan(Math.tan((field * Math.PI) / 360) * Math.max(wider, 1)) * 360) / Math.PI;
}

export class Viewer {
  readonly element: HTMLElement;
  readonly renderer: WebGLRenderer;
  readonly stage: Stage;
  readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** 3D objects of tools, drawn with the styled character. */
  readonly helpers = new Group();
  readonly compare = new Signal<Compare>('off');
  /** Whether the browser has taken the graphics away, as phones do with pages in the background. */
  readonly lost = new Signal(false);
  /** Whether the camera follows a character that travels. */
  readonly follow = new Signal(false);
  /** A camera of the file to look through. Moving the camera, and any other view, ends it. */
  readonly shot = new Signal<FileCamera | undefined>(undefined);
  /** Position of the wipe divider, from 0 to 1. */
  readonly wipe = new Signal(0.5);
  /** Emitted before a frame is drawn, with the seconds since the last one. Only while playing or after `invalidate`. */
  readonly beforeFrame = new Emitter<number>();
  /** Emitted to draw on the canvas over the picture. */
  readonly drawOverlay = new Emitter<Overlay>();
  /** Keeps drawing frames, as during playback. */
  running = false;
  /** Height in CSS pixels of what covers the bottom of the view; `frame` keeps the character above it. */
  covered = 0;
  /** How far other characters reach beside this one; `frame` shows them, too. */
  beside = 0;
  /** Duration of the last call to the renderer in milliseconds, for the cost display. */
  drawMilliseconds = 0;
  private readonly canvas = h('canvas', { class: 'view-canvas' });
  private readonly overlay = h('canvas', { class: 'view-overlay' });
  private session: Session | undefined;
  private invalid = true;
  private last = 0;
  private home = new Reach();
  /** The size of the picture while it is not that of the view: for films. */
  private output: { width: number; height: number } | undefined;
  /** The position and bounds of the character that the camera follows. */
  private followed: Followed | undefined;
  /** Whether the camera has not been moved by hand since `frame`. */
  private framed = true;
  private framedFrom: Vector3 = FROM;

  constructor() {
    this.element = h(
      'div',
      {
        class: 'viewport',
        tabindex: '0',
        role: 'application',
        'aria-label': 'View of the character: drag to orbit, wheel to zoom, right-drag to pan',
      },
      this.canvas,
      this.overlay,
    );
    this.renderer = new WebGLRenderer({
      canvas: this.canvas,
      antialias: true,
      preserveDrawingBuffer: true,
      powerPreference: 'high-performance',
    });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.15;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.stage = new Stage(this.renderer);
    this.stage.scene.add(this.helpers);
    this.controls = new OrbitControls(this.camera, this.element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => this.takeOver());
    this.follow.listen(() => this.invalidate());
    this.shot.listen(() => this.invalidate());
    this.compare.listen(() => this.frameAgain());
    this.wipe.listen(() => this.invalidate());
    new ResizeObserver(() => this.frameAgain()).observe(this.element);
    this.canvas.addEventListener('webglcontextlost', () => (this.lost.value = true));
    this.canvas.addEventListener('webglcontextrestored', () => this.restore());
    requestAnimationFrame((now) => this.turn(now));
  }

  invalidate(): void {
    this.invalid = true;
  }

  /** The graphics are back: three.js uploads everything again, but for what was drawn once. */
  private restore(): void {
    this.stage.restore(this.session?.styled);
    this.lost.value = false;
    this.invalidate();
  }

  paint(colors: StageColors): void {
    this.stage.paint(colors);
    this.invalidate();
  }

  light(name: LightName): void {
    this.stage.light(name);
    this.invalidate();
  }

  /** Turns the camera about what it looks at [rad]. */
  orbit(angle: number): void {
    if (this.shot.value) return; // it has its own way
    const { target } = this.controls;
    this.camera.position.sub(target).applyAxisAngle(UP, angle).add(target);
    this.camera.lookAt(target);
    this.camera.updateMatrixWorld();
    this.invalidate();
  }

  // --- character ---

  setSession(session: Session | undefined): void {
    if (this.session) this.stage.scene.remove(this.session.styled, this.session.plain);
    this.session = session;
    if (session) {
      this.stage.reflect(session.styled);
      this.stage.scene.add(session.styled, session.plain);
    }
    this.invalidate();
  }

  /** Fits the stage to the bounds of a motion, and remembers them for `frame`. */
  fit(reach: Reach, size: number, floor: number): void {
    this.home = reach;
    this.stage.fit(reach.box, size, floor);
    this.reframe();
    this.invalidate();
  }

  /** Moves the camera along with the character; undefined stops following. */
  goAlong(followed: Followed | undefined): void {
    const before = this.followed;
    this.followed = followed;
    if (before && followed) return this.shift(followed.place.clone().sub(before.place));
    if (!before === !followed) return;
    if (this.framed) return this.reframe();
    if (followed && !this.sees(followed.place))
      this.shift(followed.place.clone().add(followed.around.box.getCenter(new Vector3())).sub(this.controls.target));
  }

  private shift(by: Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.camera.updateMatrixWorld();
  }

  private sees(place: Vector3): boolean {
    const pane = this.styledPane();
    const { x, y, z } = this.project(place, pane);
    return Math.abs(z) < 1 && x > pane.x && x < pane.x + pane.width && y > pane.y && y < pane.y + pane.height;
  }

  /**
   * Moves the camera so that the whole motion is in view or, while following, the whole character. `from`: the direction
   * to look from, as the character is turned.
   */
  frame(from: Vector3 = FROM): void {
    const reach = this.followed ? this.followed.around.moved(this.followed.place) : this.home;
    this.shot.value = undefined;
    if (!reach.points.length) return;
    const sphere = reach.box.getBoundingSphere(new Sphere());
    const away = from.clone().applyAxisAngle(UP, this.session?.front ?? 0);
    const aside = this.beside ? reach.moved(new Vector3(this.beside, 0, 0)).points : [];
    const { target, distance } = placeToSee([...reach.points, ...aside], away, this.free());
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, distance);
    this.camera.near = Math.max(distance / 500, 1e-4);
    this.camera.far = (distance + sphere.radius) * 60;
    this.controls.minDistance = sphere.radius * 0.05;
    this.controls.maxDistance = Math.max(sphere.radius * 30, distance);
    this.controls.update();
    this.framed = true;
    this.framedFrom = from;
    this.invalidate();
  }

  private reframe(): void {
    if (this.framed && !this.shot.value) this.frame(this.framedFrom);
  }

  /** The user moves the camera. After a shot it goes on from where it is, about the middle of the motion. */
  private takeOver(): void {
    const { camera, controls } = this;
    this.framed = false;
    if (!this.shot.value) return;
    this.shot.value = undefined;
    const away = this.home.box.getCenter(new Vector3()).distanceTo(camera.position);
    controls.target
      .copy(camera.position)
      .addScaledVector(camera.getWorldDirection(new Vector3()), Math.max(away, 1e-3));
  }

  nextView(): void {
    const at = VIEWS.findIndex((one) => one.from === this.framedFrom);
    this.frame(VIEWS[(at + 1) % VIEWS.length].from);
  }

  /** What the character may fill: not the margin, nor what is covered. */
  private free(): Free {
    const { clientWidth, clientHeight } = this.element;
    const half = Math.tan((FIELD * Math.PI) / 360);
    const width = this.compare.value === 'split' ? clientWidth / 2 : clientWidth;
    const height = Math.max(clientHeight, 1);
    const covered = Math.min((2 * this.covered) / height, 1);
    return {
      side: half * Math.max(width / height, 0.1) * (1 - MARGIN),
      above: half * (1 - MARGIN),
      below: half * Math.max(1 - MARGIN - covered, -0.5),
    };
  }

  /** Frames again after the view changed, unless the camera was moved by hand. */
  frameAgain(): void {
    if (!this.output) this.reframe();
    this.invalidate();
  }

  // --- view geometry ---

  private get extent(): { width: number; height: number } {
    return this.output ?? { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  panes(): Pane[] {
    const { width, height } = this.extent;
    const all = { x: 0, y: 0, width, height };
    if (this.compare.value === 'wipe') {
      const at = Math.round(width * this.wipe.value);
      return [
        { which: 'plain', ...all, from: 0, to: at },
        { which: 'styled', ...all, from: at, to: width },
      ];
    }
    if (this.compare.value === 'split') {
      const half = Math.floor(width / 2);
      return [
        { which: 'plain', x: 0, y: 0, width: half, height, from: 0, to: half },
        { which: 'styled', x: half, y: 0, width: width - half, height, from: half, to: width },
      ];
    }
    return [{ which: 'styled', ...all, from: 0, to: width }];
  }

  /** The pane at a position in the viewport. */
  paneAt(x: number): Pane {
    const panes = this.panes();
    return panes.find((pane) => x >= pane.from && x < pane.to) ?? panes[panes.length - 1];
  }

  /** A picture narrower than the view shows what the view shows, with more above and below. */
  private fieldOf(aspect: number): number {
    const shot = this.shot.value?.camera;
    if (shot) return wideEnough(shot.fov, shot.aspect / aspect);
    if (!this.output) return FIELD;
    const panes = this.compare.value === 'split' ? 2 : 1;
    const shown = this.element.clientWidth / panes / Math.max(this.element.clientHeight, 1);
    return wideEnough(FIELD, shown / aspect);
  }

  /** The place and the depths of the shot's camera. */
  private lookThrough({ camera: shot }: FileCamera): void {
    shot.updateWorldMatrix(true, false);
    shot.matrixWorld.decompose(this.camera.position, this.camera.quaternion, new Vector3());
    this.camera.near = shot.near;
    this.camera.far = shot.far;
  }

  private aim(pane: Pane): void {
    if (this.shot.value) this.lookThrough(this.shot.value);
    this.camera.aspect = pane.width / Math.max(pane.height, 1);
    this.camera.fov = this.fieldOf(this.camera.aspect);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** The ray in world space through a position in the viewport. */
  ray(x: number, y: number): Ray {
    const pane = this.paneAt(x);
    this.aim(pane);
    const caster = new Raycaster();
    caster.setFromCamera(
      new Vector2(((x - pane.x) / pane.width) * 2 - 1, 1 - ((y - pane.y) / pane.height) * 2),
      this.camera,
    );
    return caster.ray;
  }

  /** Projects a point in world space to a pane (default: the styled one), in CSS pixels of the viewport. */
  project(place: Vector3, pane: Pane = this.styledPane()): Vector3 {
    this.aim(pane);
    const at = place.clone().project(this.camera);
    return at.set(pane.x + ((at.x + 1) / 2) * pane.width, pane.y + ((1 - at.y) / 2) * pane.height, at.z);
  }

  styledPane(): Pane {
    return this.panes().find((pane) => pane.which === 'styled')!;
  }

  // --- frames ---

  private turn(now: number): void {
    requestAnimationFrame((next) => this.turn(next));
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    if (!this.invalid && !this.running) return;
    this.invalid = false;
    this.beforeFrame.emit(seconds);
    this.draw();
  }

  /** Draws immediately, for pictures. */
  draw(): void {
    if (this.lost.value) return;
    const start = performance.now();
    const { width, height, ratio } = this.fitPicture();
    if (!width || !height) return;
    this.renderer.setViewport(
      0,
      0,
      this.canvas.width / this.renderer.getPixelRatio(),
      this.canvas.height / this.renderer.getPixelRatio(),
    );
    this.renderer.setScissorTest(true);
    for (const pane of this.panes()) this.drawPane(pane, ratio, height);
    this.drawMilliseconds = performance.now() - start;
    if (!this.output) this.drawOverlays();
  }

  private fitPicture(): { width: number; height: number; ratio: number } {
    if (!this.output) return fitCanvas(this.canvas);
    const { width, height } = this.output;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    return { width, height, ratio: 1 };
  }

  /** Runs `work` while pictures have another size than the view. */
  async inSize<T>(size: { width: number; height: number }, work: () => Promise<T>): Promise<T> {
    this.output = size;
    try {
      return await work();
    } finally {
      this.output = undefined;
      this.invalidate();
    }
  }

  /** Computes and draws the current frame at once. */
  shoot(): HTMLCanvasElement {
    this.invalid = false;
    this.beforeFrame.emit(0);
    this.draw();
    return this.canvas;
  }

  private drawPane(pane: Pane, ratio: number, height: number): void {
    const { session, renderer } = this;
    const pixel = (value: number) => Math.round(value * ratio);
    if (pane.to <= pane.from) return;
    if (session) {
      const ghost = this.compare.value === 'ghost' && session.plainReady;
      session.ghost = ghost;
      session.styled.visible = pane.which === 'styled';
      session.plain.visible = pane.which === 'plain' || ghost;
    }
    this.helpers.visible = pane.which === 'styled';
    this.aim(pane);
    renderer.setViewport(pixel(pane.x), pixel(height - pane.y - pane.height), pixel(pane.width), pixel(pane.height));
    renderer.setScissor(pixel(pane.from), 0, pixel(pane.to) - pixel(pane.from), pixel(height));
    renderer.clear();
    renderer.render(this.stage.scene, this.camera);
  }

  private drawOverlays(): void {
    const { ratio } = fitCanvas(this.overlay);
    const context = this.overlay.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pane = this.styledPane();
    context.save();
    context.beginPath();
    context.rect(pane.from, 0, pane.to - pane.from, pane.height);
    context.clip();
    this.drawOverlay.emit({ context, pane, project: (place) => this.project(place, pane) });
    context.restore();
  }

  /** The current picture, without overlays. */
  async picture(): Promise<Blob> {
    this.draw();
    return new Promise((resolve, reject) =>
      this.canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the picture cannot be encoded'))),
        'image/png',
      ),
    );
  }
}
