// Draws all exhibits with one renderer, one after another, and copies each picture to the canvas of its tile.
import { NeutralToneMapping, PCFShadowMap, PerspectiveCamera, WebGLRenderer } from 'three';
import { Stage } from '../../studio/src/view/stage';
import type { Actor } from './actor';
import { FIELD } from './actor';

export interface Picture {
  actor: Actor;
  canvas: HTMLCanvasElement;
  time: number;
  /** Where the plain picture ends and the styled one begins, from 0 to 1. */
  wipe: number;
  /** Colors behind the character. */
  plain: string;
  styled: string;
  shadow: number;
}

export class Projector {
  private readonly renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
  private readonly stage = new Stage(this.renderer);
  private readonly camera = new PerspectiveCamera(FIELD);

  constructor() {
    const { renderer } = this;
    renderer.toneMapping = NeutralToneMapping;
    renderer.toneMappingExposure = 1.15;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.setScissorTest(true);
    renderer.setSize(2, 2, false);
  }

  /** The drawing buffer only grows: tiles of different sizes share it. */
  private makeRoom(width: number, height: number): void {
    const { width: w, height: t } = this.renderer.domElement;
    if (width > w || height > t) this.renderer.setSize(Math.max(width, w), Math.max(height, t), false);
  }

  draw(picture: Picture): void {
    if (this.renderer.getContext().isContextLost()) return; // the last picture stays
    const { actor, canvas, time } = picture;
    const { width, height } = canvas;
    this.makeRoom(width, height);
    const { scene } = this.stage;
    actor.show(time);
    const at = Math.round(width * picture.wipe);
    actor.aim(this.camera, width / height, time);
    this.stage.reflect(actor.styled);
    this.stage.fit(actor.reach.moved(actor.place(time)).box, actor.size, actor.floor);
    scene.add(actor.plain, actor.styled);
    this.pane('plain', picture, 0, at);
    this.pane('styled', picture, at, width);
    scene.remove(actor.plain, actor.styled);
    const top = this.renderer.domElement.height - height;
    canvas.getContext('2d')!.drawImage(this.renderer.domElement, 0, top, width, height, 0, 0, width, height);
  }

  private pane(which: 'plain' | 'styled', { actor, canvas, ...picture }: Picture, from: number, to: number): void {
    if (to <= from) return;
    actor.plain.visible = which === 'plain';
    actor.styled.visible = which === 'styled';
    this.stage.paint({ background: picture[which], horizon: picture[which], shadow: picture.shadow });
    this.renderer.setViewport(0, 0, canvas.width, canvas.height);
    this.renderer.setScissor(from, 0, to - from, canvas.height);
    this.renderer.render(this.stage.scene, this.camera);
  }
}
