// Which parts keep their shape: the key `rigid` of the style or, where there is one, the layer `rigid`.
import type { Character, Pipeline, RigidPart, RigidParts, Style } from 'limber/engine';
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

type Choice = { only: string[]; except: string[] };

const choiceOf = ({ rigid }: Style): Choice | 'auto' | 'off' =>
  typeof rigid === 'object' ? { only: [...(rigid.only ?? [])], except: [...(rigid.except ?? [])] } : (rigid ?? 'off');

/** The style's key after a name was chosen, or no longer is. */
export function choose(style: Style, pattern: string, on: boolean): Style['rigid'] {
  const now = choiceOf(style);
  if (now === 'auto') return on ? 'auto' : { except: [pattern] };
  if (now === 'off') return on ? { only: [pattern] } : 'off';
  const without = (list: string[]) => list.filter((one) => one !== pattern);
  const only = without(now.only);
  const except = without(now.except);
  if (on && now.only.length) only.push(pattern);
  if (!on && !now.only.includes(pattern)) except.push(pattern);
  if (now.only.length && !only.length) return 'off'; // an empty `only` would mean all parts
  if (!only.length && !except.length) return 'auto';
  return { ...(only.length ? { only } : {}), ...(except.length ? { except } : {}) };
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
    return choiceOf(this.style) !== 'off';
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
