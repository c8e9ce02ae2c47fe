// What the page and its twin, a worker with an engine of its own, tell each other.
import type { Contact, EngineState, Style } from 'limber/engine';
import type { SourceFile, Take } from '../core/document';
import type { Wish } from '../core/opening';

/** Opens a file, makes the character, and hands it over. */
export interface OpenJob {
  kind: 'open';
  file: SourceFile;
  wish: Wish;
  /** Name or index of the clip to look at. */
  clip?: string | number;
  /** Whether the plain character is needed, too. */
  plain: boolean;
}

/** What the page's character is made of, besides the file. */
export interface Worn {
  layers: Readonly<Record<string, Float32Array>>;
  takes: readonly Take[];
  /** Whether a mesh is hidden, in the order of the character's. */
  hidden: boolean[];
}

/** Gives the character a style, or looks at another clip, and hands it over. */
export interface WearJob {
  kind: 'wear';
  style: Style;
  clip: number;
  time: number;
  /** The style that it is compared with, if it is. */
  comparison?: Style;
  /** Whether to look at what the clip sweeps. */
  look: boolean;
}

/** The character that the jobs after it are about: another file, or the same one with other layers, takes or meshes. */
export interface CharacterJob {
  kind: 'character';
  file?: SourceFile;
  worn?: Worn;
}

/** Pictures of presets in the liveliest moment of a clip: first all frames of one of them, then a still one each. */
export interface StripsJob {
  kind: 'strips';
  clip: number;
  size: number;
  /** Presets by name, with the frames to draw; -1 stands for the still one. */
  wanted: { preset: string; frames: number[] }[];
}

/** A picture of each clip. */
export interface StillsJob {
  kind: 'stills';
  size: number;
}

/** How far a style moves the vertices of a joint, at times of a clip. */
export interface StrengthJob {
  kind: 'strength';
  clip: number;
  style: Style;
  joint: number;
  times: Float32Array;
}

export type Job = OpenJob | WearJob | CharacterJob | StripsJob | StillsJob | StrengthJob;

/** A job with its number, or the number of one that is not wanted any more. */
export type Message = { id: number; job: Job } | { id: number; end: true };

/** A character that was made for the page. */
export interface Made {
  state: EngineState;
  style: Style;
  /** The clip that was looked at. */
  seen?: Seen;
}

export interface Seen {
  clip: number;
  /** What it sweeps: 3 numbers per outermost point, and its box. */
  points: Float32Array;
  box: number[];
  floor: number;
  contacts: readonly Contact[];
}

export type Answer =
  | { told: string }
  | { at: number; bytes: Uint8Array }
  | { made: Made }
  /** The frame to show while nothing moves. */
  | { still: number }
  | { preset: string; frame: number; pixels: Uint8ClampedArray }
  | { clip: number; pixels: Uint8ClampedArray }
  | { values: Float32Array }
  | { done: true }
  | { error: string; detail?: string };
