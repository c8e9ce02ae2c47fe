// The current character: the three.js objects of a file, with and without a style, and their counterparts in the
// engine.
import { AnimationClip, BufferAttribute, Group, Vector3 } from 'three';
import type { Material, Mesh, Object3D, Quaternion } from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import type {
  Character,
  ClipInfo,
  Contact,
  Engine,
  WhatIfMotion,
  Pipeline,
  PipelineCharacter,
  Style,
} from 'limber/engine';
import { limber } from 'limber/three';
import type { Toon } from 'limber/three';
import { CameraMotion, camerasOf } from './cameras';
import type { FileCamera } from './cameras';
import { frontOf } from './front';
import { animationOf } from './bvh';
import type { Document, SourceFile, Take } from './document';
import type { Loaded } from './load';
import { withoutPrefix } from './names';
import { Reach } from './reach';
import { rootJoint, Travel } from './travel';

const LAYER = '_limber_';
const BOX_MOMENTS = 12;
const MOST_MOMENTS = 60;
const FOOTING = 0.25; // a level on which something stands this much as long as on any is part of the floor
const BUDGET = 1e6; // vertices to look at, more or less

/** A joint, with the same index as in the engine. */
export interface JointNode {
  index: number;
  name: string;
  /** The name to show, without a prefix that nearly all joints have, such as "mixamorig:". */
  label: string;
  parent: number;
  depth: number;
  node: Object3D;
}

/** Frees the GPU resources of a file. */
function disposeObject(object: Object3D): void {
  object.traverse((one) => {
    const { geometry, material } = one as Mesh;
    geometry?.dispose();
    for (const each of material ? [material].flat() : []) {
      for (const value of Object.values(each)) if (value?.isTexture) value.dispose();
      each.dispose();
    }
  });
}

/** The original materials, before limber replaces them. */
function materialsOf(object: Object3D): Map<Mesh, Mesh['material']> {
  const found = new Map<Mesh, Mesh['material']>();
  object.traverse((one) => (one as Mesh).isMesh && found.set(one as Mesh, (one as Mesh).material));
  return found;
}

const GHOST_OPACITY = 0.4;
const solid = new WeakMap<Material, { transparent: boolean; opacity: number; depthWrite: boolean }>();

/** Makes a material transparent, or what it was. Unmoved parts hide their ghost, which is pushed back slightly. */
function makeGhost(material: Material, on: boolean): void {
  const { transparent, opacity, depthWrite } = material;
  if (on) solid.set(material, { transparent, opacity, depthWrite });
  Object.assign(material, on ? { transparent: true, opacity: GHOST_OPACITY, depthWrite: false } : solid.get(material));
  material.polygonOffset = on;
  material.polygonOffsetFactor = on ? 2 : 0;
  material.polygonOffsetUnits = on ? 24 : 0;
  material.needsUpdate = true;
}

interface Rest {
  node: Object3D;
  position: Vector3;
  rotation: Quaternion;
  scale: Vector3;
}

function restOf(object: Object3D): Rest[] {
  const all: Rest[] = [];
  object.traverse((node) =>
    all.push({ node, position: node.position.clone(), rotation: node.quaternion.clone(), scale: node.scale.clone() }),
  );
  return all;
}

/** What there is to know of a clip before it is shown. */
export interface Look {
  clip: number;
  reach: Reach;
  floor: number;
  contacts: readonly Contact[];
}

export class Session {
  /** The character with its style, in the scene. */
  readonly styled = new Group();
  /** The same character without a style, for comparison. */
  readonly plain = new Group();
  readonly joints: readonly JointNode[];
  /** Of the file. */
  readonly cameras: readonly FileCamera[];
  private readonly cameraMotion: CameraMotion;
  /** The rest pose in the file. */
  private readonly restPose: readonly Rest[];
  private plainToon: Toon | undefined;
  private plainMade: Promise<Toon> | undefined; // asked for, at most once
  private takes = new Map<Take, AnimationClip>();
  /** Original values of the file's layers that were painted over. */
  private readonly fileLayers = new Map<Mesh, Map<string, Float32Array>>();
  private shownLayers: Document['layers'] = {};
  private allClips: AnimationClip[];

  private constructor(
    private engineNow: Engine,
    readonly loaded: Loaded,
    private toonNow: Toon,
    private readonly plainObject: Object3D,
    private readonly materials: Map<Mesh, Mesh['material']>,
  ) {
    this.allClips = [...loaded.clips];
    this.styled.add(loaded.object.parent ?? loaded.object);
    this.plain.add(plainObject);
    this.joints = this.readJoints();
    this.cameras = camerasOf(loaded.object);
    const joints = new Set(this.joints.map(({ node }) => node));
    this.cameraMotion = new CameraMotion(loaded.object, this.cameras, (node) => joints.has(node));
    this.styled.updateMatrixWorld(true);
    this.front = frontOf(this.joints.map(({ name, node }) => ({ name, place: node.getWorldPosition(new Vector3()) })));
    this.restPose = [...restOf(loaded.object), ...restOf(plainObject)];
  }

  /** Creates a character from a loaded file. Throws if the engine rejects the file or the style. */
  static async open(engine: Engine, loaded: Loaded, style: Style): Promise<Session> {
    const plainObject = clone(loaded.object);
    const materials = materialsOf(loaded.object);
    const toon = await limber(loaded.object, style, { engine, clips: loaded.clips });
    try {
      const session = new Session(engine, loaded, toon, plainObject, materials);
      session.pipeline(0); // a style may name clips, which only the pipeline of exact frames knows
      return session;
    } catch (error) {
      toon.dispose();
      throw error;
    }
  }

  /** What another thread has found out about a clip. */
  seen: Look | undefined;

  /** Where the character looks at rest: radians about the vertical from +z. */
  readonly front: number;

  /** Hides a mesh in the view, or shows it again. What is exported has it. */
  setHidden(mesh: Mesh, hidden: boolean): void {
    const [styled, plain] = [this.loaded.object, this.plainObject].map((object) => [...materialsOf(object).keys()]);
    mesh.visible = !hidden;
    const twin = plain[styled.indexOf(mesh)];
    if (twin) twin.visible = !hidden;
  }

  get engine(): Engine {
    return this.engineNow;
  }

  get file(): SourceFile {
    return this.loaded.file;
  }

  get toon(): Toon {
    return this.toonNow;
  }

  /** The engine's character, without clips. */
  get character(): Character {
    return this.toonNow.character;
  }

  /** The diameter of the smallest ball around the rest pose, in world space. */
  get size(): number {
    return this.character.size;
  }

  private readJoints(): JointNode[] {
    const nodes = new Map<string, Object3D[]>();
    this.loaded.object.traverse((node) => {
      const name = typeof node.userData.name === 'string' ? node.userData.name : node.name;
      nodes.set(name, [...(nodes.get(name) ?? []), node]);
    });
    const depths: number[] = [];
    const labels = withoutPrefix(this.character.joints.map(({ name }) => name));
    return this.character.joints.map(({ name, parent }, index) => {
      depths[index] = parent < 0 ? 0 : depths[parent] + 1;
      return {
        index,
        name,
        label: labels[index],
        parent,
        depth: depths[index],
        node: nodes.get(name)?.shift() ?? this.loaded.object,
      };
    });
  }

  /** The name of a joint to show: its label, or the name itself if there is no such joint. */
  labelOf(name: string): string {
    return this.joints.find((one) => one.name === name)?.label || name;
  }

  // --- clips ---

  /** The clips of the file, followed by the takes. */
  get clips(): readonly AnimationClip[] {
    return this.allClips;
  }

  clip(index: number): AnimationClip | undefined {
    return this.allClips[Math.min(index, this.allClips.length - 1)];
  }

  /** Information about a clip. A file without clips has one second of rest pose. */
  clipInfo(index: number): ClipInfo {
    const clip = this.clip(index);
    if (!clip) return { name: 'rest pose', start: 0, end: 1, fps: 30, motionStart: 0, loops: true, travels: false };
    const { pipeline, clip: number } = this.toonNow.exactPipeline(clip);
    return pipeline.character.clips[number];
  }

  /**
   * The pipeline for exact frames of a clip, for curves, what-ifs and bakes; clip -1 is the rest pose. Ask again after
   * every change to the document.
   */
  pipeline(index: number): { pipeline: Pipeline; clip: number } {
    const clip = this.clipOrRest(index);
    return this.toonNow.exactPipeline(clip);
  }

  /** The engine's character with all clips. */
  get exactCharacter(): PipelineCharacter {
    return this.pipeline(0).pipeline.character;
  }

  private restClip: AnimationClip | undefined;

  // --- display ---

  /** Shows an exact frame, independent of earlier frames. */
  show(index: number, time: number, withPlain: boolean): void {
    const clip = this.clipOrRest(index);
    this.toonNow.exact(clip, time);
    this.cameraMotion.pose(clip, time);
    if (!withPlain) return;
    this.plainToonNow.exact(clip, time);
  }

  /** Shows a what-if: a frozen pose with the given joint velocities. */
  whatIf(index: number, time: number, motion: readonly WhatIfMotion[], amount: number): void {
    this.toonNow.whatIf(this.clipOrRest(index), time, motion, amount);
  }

  private clipOrRest(index: number): AnimationClip {
    return this.clip(index) ?? (this.restClip ??= new AnimationClip('rest pose', 1, []));
  }

  private get plainToonNow(): Toon {
    if (!this.plainToon) throw new Error('the plain character is not ready');
    return this.plainToon;
  }

  get plainReady(): boolean {
    return this.plainToon !== undefined;
  }

  /** Must finish before the first frame that compares with the plain animation. */
  async preparePlain(): Promise<void> {
    this.plainMade ??= limber(this.plainObject, {}, { engine: this.engine, clips: this.allClips });
    this.plainToon ??= await this.plainMade;
  }

  /** The style that is compared with; {}: the plain animation. Throws if it does not fit the character. */
  get comparison(): Style {
    return this.comparisonNow;
  }

  set comparison(style: Style) {
    const before = this.comparisonNow;
    if (JSON.stringify(style) === JSON.stringify(before)) return;
    const toon = this.plainToonNow;
    try {
      toon.style = style;
      toon.exactPipeline(this.clipOrRest(0));
      this.comparisonNow = style;
    } catch (error) {
      toon.style = before;
      throw error;
    }
  }

  private comparisonNow: Style = {};

  /** Whether the plain character is transparent, to be drawn over the styled one. */
  get ghost(): boolean {
    return this.isGhost;
  }

  set ghost(on: boolean) {
    if (on === this.isGhost) return;
    this.isGhost = on;
    for (const [mesh, materials] of materialsOf(this.plainObject)) {
      mesh.castShadow = !on;
      for (const one of [materials].flat()) makeGhost(one, on);
    }
  }

  private isGhost = false;

  /**
   * What a clip sweeps, in world space: the outermost points of many moments, plain and styled. With `travel`, relative
   * to the character's position.
   */
  reach(index: number, travel?: Travel): Reach {
    if (this.seen?.clip === index && !travel) return this.seen.reach;
    const reach = new Reach();
    const { motionStart: start, end, fps } = this.clipInfo(index);
    const { pipeline, clip } = this.pipeline(index);
    const plain = pipeline.character.pipeline({});
    const positions = new Float32Array(3 * this.character.vertexCount);
    const most = Math.min(Math.max(Math.round(BUDGET / this.character.vertexCount), BOX_MOMENTS), MOST_MOMENTS);
    const moments = Math.min(Math.max(Math.round((end - start) * (fps || 30)), BOX_MOMENTS), most);
    try {
      for (let i = 0; i <= moments; i++) {
        const time = start + ((end - start) * i) / moments;
        for (const one of [pipeline, plain]) {
          one.evaluate(clip, time, { positions });
          reach.add(positions, travel?.at(time).negate());
        }
      }
    } finally {
      plain.dispose();
    }
    return reach;
  }

  /**
   * The height of the ground that the character stands on: of the floor that the engine finds in the motion, else, of
   * what flies, that of the lowest point.
   */
  floor(index: number, lowest: number): number {
    if (this.seen?.clip === index) return this.seen.floor;
    const { pipeline, clip } = this.pipeline(index);
    const { levels, contacts } = pipeline.character.contacts(clip);
    const near = (height: number) =>
      levels.reduce((best, one) => (Math.abs(one - height) < Math.abs(best - height) ? one : best));
    const seconds = new Map(levels.map((level) => [level, 0]));
    for (const { from, to, height } of levels.length ? contacts : [])
      seconds.set(near(height), seconds.get(near(height))! + to - from);
    const enough = FOOTING * Math.max(0, ...seconds.values());
    return levels.find((level) => seconds.get(level)! >= enough) ?? lowest;
  }

  /** What stands on the ground in a clip, and when. */
  contacts(index: number): readonly Contact[] {
    if (this.seen?.clip === index) return this.seen.contacts;
    const { pipeline, clip } = this.pipeline(index);
    return pipeline.character.contacts(clip).contacts;
  }

  /** The path of the character in a clip, without a style. */
  travel(index: number): Travel {
    const { start, end } = this.clipInfo(index);
    const { pipeline, clip } = this.pipeline(index);
    const plain = pipeline.character.pipeline({});
    const at = 16 * (this.root ??= rootJoint(this.character)) + 12;
    const worlds = new Float32Array(16 * this.character.jointCount);
    try {
      return new Travel(start, end, this.size, (time) => {
        plain.evaluateJoints(clip, time);
        return new Vector3().fromArray(plain.worldMatrices(worlds), at);
      });
    } finally {
      plain.dispose();
    }
  }

  private root: number | undefined;

  /** Replaces the materials of the styled character (to show layers or offsets); undefined restores them. */
  overrideMaterial(material: Material | undefined): void {
    for (const mesh of this.toonNow.meshes) mesh.material = material ?? this.materials.get(mesh) ?? mesh.material;
  }

  /** The original material of a mesh of the styled character. */
  materialOf(mesh: Mesh): Mesh['material'] {
    return this.materials.get(mesh) ?? mesh.material;
  }

  // --- changes to the document ---

  /** Applies the changes in the document. If the style does not fit, this throws and the old style is kept. */
  apply(document: Document): void {
    this.applyContents(document);
    if (!this.wears(document.style)) this.toonNow.style = document.style;
    this.given = document.style;
  }

  /** The same for layers and takes. The style comes along only where the character has to be made again. */
  applyContents(document: Document): void {
    const painted = this.applyLayers(document.layers);
    this.applyTakes(document.takes);
    if (painted === 'others') {
      this.remake(document.style);
      this.given = document.style;
    } else if (painted === 'values') this.toonNow.repaint();
  }

  wears(style: Style): boolean {
    if (this.given === style) return true;
    const text = JSON.stringify(style);
    return JSON.stringify(this.toonNow.style) === text || JSON.stringify(this.given) === text;
  }

  /** The style as it was given; the toon's own may have its keys in another order. */
  private given: Style | undefined;

  /**
   * Wears a style that another thread has made, in the memory of this engine, and shows a frame. Returns the engine that
   * it had.
   */
  resume(engine: Engine, style: Style, clip: number, time: number): Engine {
    const before = this.engineNow;
    this.toonNow.resume(engine, style);
    this.plainToon?.resume(engine, this.comparison);
    this.show(clip, time, this.plainReady);
    this.toonNow.repaint(); // layers may have been painted meanwhile
    this.engineNow = engine;
    this.given = style;
    return before;
  }

  /**
   * Adding or removing layers requires a new character. The plain character shares the engine's data, so it is created
   * again as well.
   */
  private remake(style: Style): void {
    const before = this.toonNow;
    const plain = this.plainToon;
    before.dispose();
    plain?.dispose();
    // The current pose becomes the rest pose.
    for (const { node, position, rotation, scale } of this.restPose) {
      node.position.copy(position);
      node.quaternion.copy(rotation);
      node.scale.copy(scale);
    }
    const Maker = before.constructor as new (
      engine: Engine,
      object: Object3D,
      style: Style,
      options: { clips: readonly AnimationClip[] },
    ) => Toon;
    this.toonNow = new Maker(this.engine, this.loaded.object, style, { clips: this.allClips });
    if (plain) this.plainToon = new Maker(this.engine, this.plainObject, this.comparison, { clips: this.allClips });
  }

  private applyTakes(takes: readonly Take[]): void {
    if (takes.length === this.allClips.length - this.loaded.clips.length && takes.every((take) => this.takes.has(take)))
      return;
    const nodeOf = (joint: number) => this.joints[joint].node.name;
    for (const take of takes)
      if (!this.takes.has(take)) this.takes.set(take, animationOf({ ...take.clip, name: take.name }, nodeOf));
    this.allClips = [...this.loaded.clips, ...takes.map((take) => this.takes.get(take)!)];
    for (const toon of [this.toonNow, this.plainToon]) toon?.setClips(this.allClips);
  }

  private applyLayers(layers: Document['layers']): 'same' | 'values' | 'others' {
    const before = this.shownLayers;
    if (layers === before) return 'same';
    this.shownLayers = layers;
    let others = false;
    for (const name of new Set([...Object.keys(before), ...Object.keys(layers)]))
      if (layers[name] !== before[name]) others = this.writeLayer(name, layers[name]) || others;
    return others ? 'others' : 'values';
  }

  /** Returns true if an attribute was added to or removed from a geometry. */
  private writeLayer(name: string, values: Float32Array | undefined): boolean {
    let others = false;
    this.toonNow.meshes.forEach((mesh, i) => {
      const { firstVertex, vertexCount } = this.character.meshes[i];
      const { geometry } = mesh;
      const key = Object.keys(geometry.attributes).find((one) => one.toLowerCase() === LAYER + name) ?? LAYER + name;
      const own = this.fileLayers.get(mesh) ?? new Map<string, Float32Array>();
      this.fileLayers.set(mesh, own);
      const present = geometry.getAttribute(key);
      if (present && !own.has(name) && !this.paintedHere.has(name))
        own.set(
          name,
          Float32Array.from({ length: present.count }, (_, u) => present.getX(u)),
        );
      const next = values?.subarray(firstVertex, firstVertex + vertexCount) ?? own.get(name);
      if (
        next &&
        this.paintedHere.has(name) &&
        present?.array instanceof Float32Array &&
        present.array.length === next.length
      ) {
        present.array.set(next);
        present.needsUpdate = true;
      } else if (next) geometry.setAttribute(key, new BufferAttribute(next.slice(), 1));
      else geometry.deleteAttribute(key);
      others ||= !present !== !next;
    });
    if (values) this.paintedHere.add(name);
    return others;
  }

  private readonly paintedHere = new Set<string>();

  /** The names of all layers, both from the file and painted in the studio. */
  get layerNames(): string[] {
    return [...new Set(this.character.meshes.flatMap((mesh) => mesh.layers))].sort();
  }

  /** The values of a layer for all vertices. Meshes without the layer have the value 1, as in the engine. */
  layer(name: string): Float32Array {
    const out = new Float32Array(this.character.vertexCount).fill(1);
    this.character.meshes.forEach(
      (mesh, i) => mesh.layers.includes(name) && out.set(this.character.layer(i, name), mesh.firstVertex),
    );
    return out;
  }

  dispose(): void {
    this.styled.removeFromParent();
    this.plain.removeFromParent();
    this.toonNow.dispose();
    this.plainToon?.dispose();
    this.overrideMaterial(undefined);
    disposeObject(this.loaded.object);
    disposeObject(this.plainObject);
  }
}
