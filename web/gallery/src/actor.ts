// A character of an exhibit, plain and styled, and where the camera stands to see its whole motion.
import type { PerspectiveCamera } from 'three';
import { Group, MathUtils, Vector3 } from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import type { Engine, Style } from 'limber/engine';
import { sharedEngine } from 'limber/three';
import { load } from '../../studio/src/core/load';
import type { Loaded } from '../../studio/src/core/load';
import { Reach } from '../../studio/src/core/reach';
import { Session } from '../../studio/src/core/session';
import type { Travel } from '../../studio/src/core/travel';
import { placeToSee } from '../../studio/src/view/framing';
import type { Exhibit } from './exhibits';
import { STUDIO } from './places';

export const FIELD = 30;
const MARGIN = 0.1; // free space around the character, of half the view
const TILT = 0.2; // how much the camera looks down
const MOMENTS = 24;

/** The studio has the characters. */
const addressOf = (name: string) => `${STUDIO}characters/${name}.glb`;

const files = new Map<string, Promise<Loaded>>();

async function fetchCharacter(engine: Engine, name: string): Promise<Loaded> {
  const response = await fetch(addressOf(name));
  if (!response.ok) throw new Error(`${name}.glb: status ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return load(engine, { name: `${name}.glb`, kind: 'glb', bytes, builtIn: name });
}

/** A copy of a character that shares its meshes with all other copies. */
async function copyOf(engine: Engine, name: string): Promise<Loaded> {
  if (!files.has(name)) files.set(name, fetchCharacter(engine, name));
  const loaded = await files.get(name)!;
  const object = clone(loaded.object);
  new Group().add(object);
  return { ...loaded, object };
}

export class Actor {
  readonly start: number;
  readonly end: number;
  readonly floor: number;
  readonly reach = new Reach();
  readonly size: number;
  private readonly clip: number;
  private readonly travel: Travel | undefined;
  private readonly from: Vector3;

  private constructor(
    readonly exhibit: Exhibit,
    private readonly session: Session,
  ) {
    this.clip = session.clips.findIndex(({ name }) => name === exhibit.clip);
    if (this.clip < 0) throw new Error(`${exhibit.character} has no clip '${exhibit.clip}'`);
    const info = session.clipInfo(this.clip);
    [this.start, this.end] = exhibit.range ?? [info.start, info.end];
    if (exhibit.follow) this.travel = session.travel(this.clip);
    const yaw = MathUtils.degToRad(exhibit.yaw ?? 0);
    this.from = new Vector3(Math.sin(yaw), TILT, Math.cos(yaw)).normalize();
    this.size = session.size;
    this.measure();
    this.floor = session.floor(this.clip, this.reach.box.min.y + (this.travel?.at(this.start).y ?? 0));
  }

  static async open(exhibit: Exhibit): Promise<Actor> {
    return Actor.of(await copyOf(await sharedEngine(), exhibit.character), exhibit);
  }

  /** A character that was loaded already. */
  static async of(loaded: Loaded, exhibit: Exhibit): Promise<Actor> {
    const engine = await sharedEngine();
    const session = await Session.open(engine, loaded, engine.parseStyle(exhibit.style));
    await session.preparePlain();
    return new Actor(exhibit, session);
  }

  /** Changes the style. The camera stays. */
  wear(style: Style): void {
    this.session.toon.style = style;
  }

  /** Styled vertices at a time, in world space, by the engine alone. */
  positions(time: number): Float32Array {
    const { pipeline, clip } = this.session.pipeline(this.clip);
    const positions = new Float32Array(3 * this.session.character.vertexCount);
    pipeline.evaluate(clip, time, { positions });
    return positions;
  }

  dispose(): void {
    this.session.dispose();
  }

  get styled(): Group {
    return this.session.styled;
  }

  get plain(): Group {
    return this.session.plain;
  }

  show(time: number): void {
    this.session.show(this.clip, time, true);
  }

  /** What the motion sweeps, relative to the path of the character if the camera follows it. */
  private measure(): void {
    const { pipeline, clip } = this.session.pipeline(this.clip);
    const plain = pipeline.character.pipeline({});
    const positions = new Float32Array(3 * this.session.character.vertexCount);
    for (let i = 0; i <= MOMENTS; i++) {
      const time = this.start + ((this.end - this.start) * i) / MOMENTS;
      for (const one of [pipeline, plain]) {
        one.evaluate(clip, time, { positions });
        this.reach.add(positions, this.travel?.at(time).negate());
      }
    }
    plain.dispose();
  }

  /** Where the character is, if the camera follows it. */
  place(time: number): Vector3 {
    return this.travel?.at(time) ?? new Vector3();
  }

  aim(camera: PerspectiveCamera, aspect: number, time: number): void {
    const half = Math.tan((FIELD * Math.PI) / 360) * (1 - MARGIN);
    const seen = placeToSee(this.reach.points, this.from, {
      side: half * aspect,
      above: half,
      below: half,
    });
    const target = seen.target.add(this.place(time));
    const distance = seen.distance * (this.exhibit.far ?? 1);
    camera.aspect = aspect;
    camera.near = distance / 100;
    camera.far = distance * 30;
    camera.position.copy(target).addScaledVector(this.from, distance);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
