// Which parts keep their shape: the key `rigid` of the style or, where there is one, the layer `rigid`.
import type { Character, Pipeline, RigidKind, RigidPart, RigidParts, Style } from 'limber/engine';
import type { App } from '../../app';
import { setKey } from '../../core/document';
import type { Session } from '../../core/session';
import { islandOf } from './island';

export const LAYER = 'rigid';
const MOST = 0.5; // a piece with more than this share of all vertices is the body

/** What a click on a vertex would do. */
export interface RigidAim {
  /** Its vertices: 1. */
  vertices: Uint8Array;
  name: string;
  /** How many parts it changes. */
  count: number;
  isRigid: boolean;
  /** The name in the style; none: it takes the layer. */
  pattern?: string;
}

/** What the style can say that a part is. Riders are only found. */
export const KINDS = ['mass', 'prop', 'appendage'] as const satisfies readonly RigidKind[];
export type Kind = (typeof KINDS)[number];

const LISTS = ['only', 'except', ...KINDS] as const;
type Lists = Record<(typeof LISTS)[number], string[]>;

const isOff = ({ rigid }: Style): boolean => (rigid ?? 'off') === 'off';

/** The names of the style's key, without one of them in some lists. */
function listsOf({ rigid }: Style, pattern = '', from: readonly (keyof Lists)[] = []): Lists {
  const given: Partial<Lists> = typeof rigid === 'object' ? rigid : {};
  return Object.fromEntries(
    LISTS.map((list) => [list, (given[list] ?? []).filter((one) => one !== pattern || !from.includes(list))]),
  ) as Lists;
}

function keyOf(lists: Lists): Style['rigid'] {
  const used = LISTS.filter((list) => lists[list].length);
  return used.length ? Object.fromEntries(used.map((list) => [list, lists[list]])) : 'auto';
}

/** The style's key after a name was chosen, or no longer is. */
export function choose(style: Style, pattern: string, on: boolean): Style['rigid'] {
  if (isOff(style)) return on ? { only: [pattern] } : 'off';
  const before = listsOf(style);
  const lists = listsOf(style, pattern, ['only', 'except']);
  if (on && before.only.length) lists.only.push(pattern);
  if (!on && !before.only.includes(pattern)) lists.except.push(pattern);
  if (before.only.length && !lists.only.length) return 'off'; // an empty `only` would mean all parts
  return keyOf(lists);
}

/** The style's key after it was said what a part is; undefined: as it is found. */
export function chooseKind(style: Style, pattern: string, kind: Kind | undefined): Style['rigid'] {
  const lists = listsOf(style, pattern, KINDS);
  if (kind) lists[kind].push(pattern);
  return keyOf(lists);
}

export class RigidEditor {
  private all: { of: Character; found: RigidParts } | undefined;
  private shown: { of: Pipeline; key: string; found: RigidParts } | undefined;
  private readonly aims = new Map<number, { pattern?: string; parts: number[] }>();

  constructor(
    private readonly app: App,
    private readonly session: Session,
  ) {}

  private get style(): Style {
    return this.app.store.current.style;
  }

  get isOn(): boolean {
    return !isOff(this.style);
  }

  /** Whether a layer says which vertices are rigid; names then choose among the painted parts only. */
  get isPainted(): boolean {
    return this.session.layerNames.includes(LAYER);
  }

  private pipeline(): Pipeline {
    return this.session.pipeline(this.app.store.current.clip).pipeline;
  }

  /** All parts that could be rigid. */
  get possible(): RigidParts {
    const character = this.pipeline().character as Character;
    if (this.all?.of !== character) {
      this.all = { of: character, found: character.rigidParts() };
      this.aims.clear();
    }
    return this.all.found;
  }

  /** Those that are, with this style. */
  get actual(): RigidParts {
    const of = this.pipeline();
    const key = JSON.stringify(this.style.rigid);
    if (this.shown?.of !== of || this.shown.key !== key) this.shown = { of, key, found: of.rigidParts() };
    return this.shown.found;
  }

  nameOf(part: RigidPart): string {
    const joint = this.session.joints[part.joint];
    return [part.name, joint && `on ${joint.label || joint.name}`].filter(Boolean).join(' ');
  }

  /** The name that chooses a part and as few others as possible, and the parts that it chooses. */
  private named(part: number): { pattern?: string; parts: number[] } {
    const known = this.aims.get(part);
    if (known) return known;
    const { parts } = this.possible;
    const tries = this.candidates(parts[part]).map((pattern) => ({ pattern, parts: this.chosenBy(pattern) }));
    const [best] = tries.filter((one) => one.parts.includes(part)).sort((a, b) => a.parts.length - b.parts.length);
    const made = best ?? { parts: [part] };
    this.aims.set(part, made);
    return made;
  }

  /** Names of meshes that three.js made up do not exist in the file, so the command line would not know them. */
  private candidates({ name, joint }: RigidPart): string[] {
    const mesh = this.session.toon.meshes.find((one) => (one.userData.name ?? one.name) === name);
    const { joints } = this.session;
    const of = joints[joint];
    return [mesh?.userData.name === name ? name : '', of?.name ?? '', joints[of?.parent ?? -1]?.name ?? ''].filter(
      Boolean,
    );
  }

  private chosenBy(pattern: string): number[] {
    const { ofVertex } = this.possible;
    try {
      const trial = this.pipeline().character.pipeline({ rigid: { only: [pattern] } });
      const chosen = trial.rigidParts().ofVertex;
      trial.dispose();
      const found = new Set<number>();
      ofVertex.forEach((part, u) => part >= 0 && chosen[u] >= 0 && found.add(part));
      return [...found];
    } catch {
      return []; // no part has this name
    }
  }

  /** What a click on a vertex would do; undefined: nothing, since it is the body. */
  aim(vertex: number): RigidAim | undefined {
    const { parts, ofVertex } = this.possible;
    const isRigid = this.actual.ofVertex[vertex] >= 0;
    const part = ofVertex[vertex];
    if (part >= 0 && !this.isPainted) {
      const { pattern, parts: group } = this.named(part);
      const vertices = Uint8Array.from(ofVertex, (one) => (group.includes(one) ? 1 : 0));
      return { vertices, name: this.nameOf(parts[part]), count: group.length, isRigid, pattern };
    }
    const vertices =
      part >= 0 ? Uint8Array.from(ofVertex, (one) => (one === part ? 1 : 0)) : islandOf(this.session.character, vertex);
    const size = vertices.reduce((sum, one) => sum + one, 0);
    if (!isRigid && size > MOST * vertices.length) return undefined;
    const mesh = this.session.character.meshes.findLast(({ firstVertex }) => vertex >= firstVertex);
    return { vertices, name: part >= 0 ? this.nameOf(parts[part]) : (mesh?.name ?? 'piece'), count: 1, isRigid };
  }

  /** The part of the style at a vertex; -1: none. */
  partAt(vertex: number): number {
    return this.actual.ofVertex[vertex] ?? -1;
  }

  /** What a part of the style is by itself, and what the style says that it is. */
  kindOf(part: number): { found: RigidKind; said: Kind | undefined; aim: RigidAim | undefined } {
    const vertex = this.actual.ofVertex.indexOf(part);
    const aim = this.aim(vertex);
    const { parts, ofVertex } = this.possible;
    const lists = listsOf(this.style);
    const said = KINDS.findLast((kind) => aim?.pattern !== undefined && lists[kind].includes(aim.pattern));
    return { found: (parts[ofVertex[vertex]] ?? this.actual.parts[part]).kind, said, aim };
  }

  /** Says what a part is; undefined: as it is found. Returns what is wrong, if anything. */
  setKind({ name, pattern }: RigidAim, kind: Kind | undefined): string | undefined {
    if (pattern === undefined) return 'Parts without a name in the file cannot be chosen';
    const label = kind
      ? `${name} is ${kind === 'appendage' ? 'an' : 'a'} ${kind}`
      : `${name} is what it is found to be`;
    const fault = this.app.changeStyle(label, (style) => setKey(style, 'rigid', chooseKind(style, pattern, kind)));
    this.app.store.settle();
    return fault;
  }

  /** Makes it rigid, or lets it bend. Returns what is wrong, if anything. */
  toggle(aim: RigidAim): string | undefined {
    const label = `${aim.isRigid ? 'Let' : 'Keep'} ${aim.name} ${aim.isRigid ? 'bend' : 'stiff'}`;
    const fault = aim.pattern ? this.chooseName(label, aim) : this.paint(label, aim);
    this.app.store.settle();
    return fault;
  }

  private chooseName(label: string, { pattern, isRigid }: RigidAim): string | undefined {
    return this.app.changeStyle(label, (style) => setKey(style, 'rigid', choose(style, pattern!, !isRigid)));
  }

  /** Paints the layer: what is rigid now, and this piece. */
  private paint(label: string, { vertices, isRigid }: RigidAim): string | undefined {
    const { ofVertex } = this.actual;
    const painted = this.isPainted ? this.session.layer(LAYER) : undefined;
    const values = Float32Array.from(ofVertex, (part, u) =>
      vertices[u] ? (isRigid ? 0 : 1) : painted ? painted[u] : part >= 0 ? 1 : 0,
    );
    this.app.store.change(label, (document) => ({
      ...document,
      layers: { ...document.layers, [LAYER]: values },
      style: this.isOn ? document.style : setKey(document.style, 'rigid', 'auto'),
    }));
    return this.app.styleFault.value;
  }
}
