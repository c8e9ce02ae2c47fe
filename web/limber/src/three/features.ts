// Which parts of the shader are compiled: those that the styles of a character have asked for so far.
//
// A program for everything takes several times as long to compile as one for a preset. Parts are few, and only ever
// added, so that going back and forth between styles does not compile again.

// Bits of limber_settings[1].
const JOINT_KINDS = 63; // of the effects of the papers, but for lift
const LIFT = 64;
const OVERLAP = 128;
const HOSE = 256;
const FOLDS = 31;
// Of limber_settings[3]: what drives lift. All but stretch cost as much to compile as the effects themselves.
const STRETCH = 16;
const SOURCES = 31;

/** The defines that leave a part of the shader out or in, as `limber_deform.glsl` names them. */
const NOTHING = {
  LIMBER_MAY_SKINNING: 0,
  LIMBER_MAY_KINDS: 0,
  LIMBER_MAY_FOLDS: 0,
  LIMBER_MAY_SOURCES: 0,
  LIMBER_MAY_CHAIN: 0,
  LIMBER_MAY_RIGID: 0,
  LIMBER_MAY_GROUND: 0,
  LIMBER_MAY_COLLIDERS: 0,
  LIMBER_MAY_LIFT_NORMAL: 0,
  LIMBER_CROWD: 0,
};
export type Defines = typeof NOTHING;

type Part = Partial<Defines>;
const DUAL_QUATERNIONS: Part = { LIMBER_MAY_SKINNING: 1 };
const PAPERS: Part = { LIMBER_MAY_KINDS: JOINT_KINDS, LIMBER_MAY_FOLDS: FOLDS };
const LIFTED: Part = { LIMBER_MAY_KINDS: LIFT, LIMBER_MAY_SOURCES: STRETCH, LIMBER_MAY_LIFT_NORMAL: 1 };
const DRIVEN: Part = { LIMBER_MAY_SOURCES: SOURCES };
const PRESETS: Part = {
  LIMBER_MAY_KINDS: OVERLAP,
  LIMBER_MAY_CHAIN: 1,
  LIMBER_MAY_RIGID: 1,
  LIMBER_MAY_GROUND: 1,
};
const HOSES: Part = { LIMBER_MAY_KINDS: HOSE };
const COLLIDERS: Part = { LIMBER_MAY_COLLIDERS: 1 };

/** What a style needs, from the numbers of `limber_settings`. */
function needed(settings: Int32Array): Part[] {
  const [skinning, kinds, folds] = settings;
  const preset = kinds & OVERLAP || settings[9] || settings[10] >= 0 || settings[11];
  return [
    ...(skinning ? [DUAL_QUATERNIONS] : []),
    ...(kinds & JOINT_KINDS || folds ? [PAPERS] : []),
    ...(kinds & LIFT ? [LIFTED] : []),
    ...(settings[3] & ~STRETCH ? [DRIVEN] : []),
    ...(preset ? [PRESETS] : []),
    ...(kinds & HOSE ? [HOSES] : []),
    ...(settings[13] >= 0 ? [COLLIDERS] : []),
  ];
}

export class Features {
  /** Grows with every change of `defines`. */
  version = 0;
  readonly defines: Defines;

  /** `crowd`: meshes are instances, one per member. */
  constructor(crowd = false) {
    this.defines = { ...NOTHING, LIMBER_CROWD: crowd ? 1 : 0 };
  }

  /** Adds what a style needs. */
  add(settings: Int32Array): void {
    let changed = false;
    for (const part of needed(settings))
      for (const name of Object.keys(part) as (keyof Defines)[]) {
        const sum = this.defines[name] | part[name]!;
        changed ||= sum !== this.defines[name];
        this.defines[name] = sum;
      }
    if (changed) this.version++;
  }
}
