// Shared data of characters. Clones made by SkeletonUtils.clone have the same geometries, so the engine keeps one
// character for all of them, and one pipeline per style in use. Both are freed with their last user.
import type { AnimationClip, BufferGeometry, DataTexture } from 'three';
import type { Character } from '../character.js';
import type { ClipDescription } from '../description.js';
import type { Engine } from '../engine.js';
import type { Pack, Pipeline } from '../pipeline.js';
import type { StyleSource } from '../style.js';
import { GROUPS } from '../style.generated.js';
import type { CurrentStyle, Style } from '../style.generated.js';
import { describeClip } from './clip.js';
import { textureOf } from './picture.js';
import { describe, layersOf } from './rig.js';
import type { Rig } from './rig.js';
import { emptyFloats, floatTable, integerTable, spreadColumns } from './texture.js';
import type { Table } from './texture.js';
import { LimberError } from '../wasm.js';

/** Where to compute the vertices: on the GPU if the shader supports the style, or always on the GPU or the CPU. */
export type Compute = 'auto' | 'gpu' | 'cpu';

/** A character with a style. */
export class StyledCharacter {
  users = 0;
  readonly pipeline: Pipeline;
  /** Undefined if the vertices are computed on the CPU. */
  readonly pack: Pack | undefined;
  /** What the GPU needs for the effects; undefined where the CPU computes them. */
  effects: Pack | undefined;
  /** Why the GPU is not used. */
  readonly reason: string = '';
  private table: Table<Int16Array> | undefined;
  private obeyedTable: Table<Float32Array> | undefined;
  private tableStale = false;

  constructor(
    readonly key: string,
    readonly character: Character,
    style: StyleSource,
    compute: Compute,
    private readonly forget: () => unknown,
  ) {
    this.pipeline = character.pipeline(style);
    const { light } = this.pipeline.heap;
    try {
      if (compute === 'cpu' && light)
        throw new LimberError('limber/light computes on the GPU only; use the whole module', 'unsupported');
      else if (compute === 'cpu') this.reason = 'requested';
      else if (this.pipeline.smears) this.reason = 'smears';
      else this.effects = this.pack = this.pipeline.pack();
    } catch (error) {
      if (!(error instanceof LimberError) || error.kind === 'memory' || compute === 'gpu' || light) {
        this.pipeline.dispose();
        throw error;
      }
      this.reason = error.message;
    }
  }

  /** The pack for smears that come after the effects on the GPU. Throws where the shader does not do them. */
  packEffects(): Pack {
    return (this.effects ??= this.pipeline.pack());
  }

  /**
   * The column texture, for styles whose columns change only when a layer is repainted. Call it after the first frame.
   */
  columns(): DataTexture {
    if (!this.table || this.tableStale) this.table = this.fillColumns(this.table ?? this.makeColumns());
    this.tableStale = false;
    return this.table.texture;
  }

  /** The texture of which colliders vertices obey. */
  obeyed(): DataTexture {
    const pack = this.effects!;
    if (!pack.obeyedTexels) return emptyFloats().texture;
    if (!this.obeyedTable) {
      this.obeyedTable = floatTable(pack.obeyedTexels);
      pack.obeyed(this.obeyedTable.data);
    }
    return this.obeyedTable.texture;
  }

  /** Marks the columns as outdated after a layer has changed. */
  repaint(): void {
    this.tableStale = true;
  }

  makeColumns(): Table<Int16Array> {
    return integerTable(Math.ceil(this.effects!.columnCount / 4) * this.character.vertexCount);
  }

  fillColumns(table: Table<Int16Array>): Table<Int16Array> {
    const { columnStride, columnCount } = this.effects!;
    spreadColumns(this.effects!.columns(), columnStride, columnCount, this.character.vertexCount, table.data);
    table.texture.needsUpdate = true;
    return table;
  }

  release(): void {
    if (--this.users > 0) return;
    this.table?.texture.dispose();
    this.obeyedTable?.texture.dispose();
    this.pipeline.dispose();
    this.forget();
  }
}

/** A character of the engine, and one StyledCharacter per style in use. */
class Actor {
  private readonly inStyle = new Map<string, StyledCharacter>();

  constructor(
    readonly character: Character,
    private readonly rig: Rig,
  ) {}

  /** Pixels are read when the first style has motion lines or ribbons. */
  private addTextures(style: Style): void {
    if (
      this.character.textured ||
      !(style.smear?.lines?.count || style.smear?.ribbon?.amount || style.smear?.strokes?.count)
    )
      return;
    this.character.textured = true;
    this.rig.parts.forEach(({ mesh }, i) => {
      const picture = textureOf(mesh);
      if (picture) this.character.setTexture(i, picture);
    });
  }

  styled(style: Style, compute: Compute): StyledCharacter {
    this.addTextures(style);
    const key = `${compute} ${typeof style === 'string' ? style : JSON.stringify(style)}`;
    let one = this.inStyle.get(key);
    if (!one) {
      const made: StyledCharacter = new StyledCharacter(
        key,
        this.character,
        style,
        compute,
        (): unknown => this.inStyle.get(key) === made && this.inStyle.delete(key),
      );
      this.inStyle.set(key, made);
      one = made;
    }
    one.users++;
    return one;
  }

  repaint(layers: readonly Record<string, Float32Array>[]): void {
    let changed = false;
    layers.forEach((all, mesh) =>
      Object.entries(all).forEach(
        ([name, values]) => (changed = this.character.setLayer(mesh, name, values) || changed),
      ),
    );
    if (changed) for (const one of this.inStyle.values()) one.repaint();
  }
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameRig(a: Rig, b: Rig): boolean {
  return (
    a.parts.length === b.parts.length &&
    a.nodes.length === b.nodes.length &&
    a.skins.length === b.skins.length &&
    a.parts.every(
      (part, i) =>
        part.mesh.geometry === b.parts[i].mesh.geometry &&
        part.skin === b.parts[i].skin &&
        part.skinned === b.parts[i].skinned,
    ) &&
    a.nodes.every((node, i) => i === 0 || node.name === b.nodes[i].name) &&
    sameNumbers(a.parents, b.parents) &&
    sameNumbers(a.rest, b.rest) &&
    a.skins.every(
      (skin, i) =>
        sameNumbers(skin.joints, b.skins[i].joints) &&
        sameNumbers(skin.inverseBindMatrices, b.skins[i].inverseBindMatrices),
    )
  );
}

type OfClip = { clip?: string };
const isNamed = ({ clip }: OfClip): boolean => clip !== undefined;
const forAll = <T extends OfClip>(list: T[]): T[] => list.filter((one) => !isNamed(one));

/**
 * Corrections of contacts and holds in clips mean nothing to live poses, and the live character has no clips of these
 * names.
 */
function forLive(style: Style): Style {
  const { contacts, timing } = style;
  let live = style;
  if (Array.isArray(contacts) && contacts.some(isNamed)) live = { ...live, contacts: forAll(contacts) };
  if (Array.isArray(timing?.holds) && timing.holds.some(isNamed))
    live = { ...live, timing: { ...timing, holds: forAll(timing.holds) } };
  return live;
}

/** The character of a rig with clips: made, unless another engine has made it. */
function characterOf(engine: Engine, rig: Rig, clips: ClipDescription[]): Character {
  const fits = ({ jointCount, clips: known, meshes }: Character) =>
    jointCount === rig.nodes.length &&
    known.length === clips.length &&
    known.every(({ name }, i) => name === clips[i].name) &&
    meshes.length === rig.parts.length &&
    rig.parts.every(({ mesh }, i) => mesh.geometry.getAttribute('position')?.count === meshes[i].vertexCount);
  const character = engine.readyCharacter(fits) ?? engine.character(describe(rig, clips));
  character.rigOrder = rig.order;
  return character;
}

/** All characters with the same geometries and rig. */
export class Cast {
  users = 0;
  private readonly live: Actor;
  private exact: Actor | undefined;
  private clips: AnimationClip[] = [];
  private described: ClipDescription[] = [];

  constructor(
    readonly engine: Engine,
    readonly rig: Rig,
    private readonly forget: () => void,
  ) {
    this.live = new Actor(characterOf(engine, rig, []), rig);
  }

  get character(): Character {
    return this.live.character;
  }

  styled(style: Style, compute: Compute): StyledCharacter {
    return this.live.styled(forLive(style), compute);
  }

  /**
   * Returns the character with these clips. Adding clips replaces the character, so older StyledCharacters become
   * invalid.
   */
  learn(clips: readonly AnimationClip[], warnings: string[]): Character {
    const fresh = [...new Set(clips)].filter((clip) => !this.clips.includes(clip));
    if (this.exact && !fresh.length) return this.exact.character;
    const described = [...this.described, ...fresh.map((clip) => describeClip(clip, this.rig, warnings))];
    const character = characterOf(this.engine, this.rig, described);
    this.exact?.character.dispose();
    this.clips = [...this.clips, ...fresh];
    this.described = described;
    this.exact = new Actor(character, this.rig);
    return character;
  }

  exactStyled(style: Style, compute: Compute): StyledCharacter {
    return this.exact!.styled(style, compute);
  }

  clipIndex(clip: AnimationClip): number {
    return this.clips.indexOf(clip);
  }

  clipAt(index: number): AnimationClip {
    return this.clips[index];
  }

  /** Reads the layers from the geometries again; returns false if layers were added or removed. */
  repaint(): boolean {
    const layers = this.rig.parts.map((part) => layersOf(part.mesh.geometry));
    const known = this.character.meshes.map((mesh) => [...mesh.layers].sort().join());
    if (
      layers.some(
        (all, i) =>
          Object.keys(all)
            .map((name) => name.toLowerCase())
            .sort()
            .join() !== known[i],
      )
    )
      return false;
    this.live.repaint(layers);
    this.exact?.repaint(layers);
    return true;
  }

  /** Whether the clip animates the root. */
  movesRoot(index: number): boolean {
    return this.described[index].channels.some((channel) => channel.path !== 'weights' && channel.target === 0);
  }

  release(): void {
    if (--this.users > 0) return;
    this.exact?.character.dispose();
    this.character.dispose();
    this.forget();
  }
}

const casts = new WeakMap<BufferGeometry, Set<Cast>>();

/** Finds or creates the cast of a rig. Call `release` when done. */
export function join(engine: Engine, rig: Rig): Cast {
  const { geometry } = rig.parts[0].mesh;
  const known = casts.get(geometry) ?? new Set<Cast>();
  casts.set(geometry, known);
  let cast = [...known].find((one) => one.engine === engine && sameRig(one.rig, rig));
  if (!cast) {
    const made = new Cast(engine, rig, () => known.delete(made));
    known.add(made);
    cast = made;
  }
  cast.users++;
  return cast;
}

/** Adds the groups that an object does not have, unseen by whoever copies, compares or prints it. */
function addGroups(object: object, groups: object): void {
  for (const [name, below] of Object.entries(groups)) {
    const known = (object as Record<string, unknown>)[name];
    const group = typeof known === 'object' && known !== null ? known : {};
    addGroups(group, below as object);
    if (known === undefined) Object.defineProperty(object, name, { value: Object.freeze(group), enumerable: false });
  }
}

/** Makes a style deeply read-only, so that nobody edits a copy in vain, and all its groups readable. */
export function frozen(style: Style): CurrentStyle {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  };
  addGroups(style, GROUPS);
  freeze(style);
  return style as CurrentStyle;
}
