// What the gallery shows: a style, and the built-in character and clip that show it best.
import { PRESETS } from 'limber/engine';
import type { PresetName, Style } from 'limber/engine';
import { sentence } from '../../studio/src/ui/dom';

export interface Exhibit {
  /** Part of the address: #floppy. */
  id: string;
  title: string;
  /** One sentence. */
  words: string;
  character: string;
  clip: string;
  /** Seconds of the clip to play. Default: all of it. */
  range?: [number, number];
  /** Seconds to rest at the end, where the clip does not loop. */
  rest?: number;
  /** The moment to show while nothing plays. */
  still: number;
  /** Where the camera stands, in degrees: 0 in front, 90 on the character's left. */
  yaw?: number;
  /** Where the wipe is while nothing plays. Default: 0.5. */
  wipe?: number;
  /** How much further away the camera stands than the motion needs, for smears. */
  far?: number;
  /** Playing speed. Default: 1. */
  speed?: number;
  /** Whether the camera goes along with a character that travels. */
  follow?: boolean;
  style: PresetName | Style;
  /** The color behind the styled character, in degrees. */
  hue: number;
}

export interface Room {
  id: string;
  title: string;
  words: string;
  exhibits: Exhibit[];
}

function preset(name: PresetName, rest: Omit<Exhibit, 'id' | 'title' | 'words' | 'style'>): Exhibit {
  const { summary } = PRESETS.find((one) => one.name === name)!;
  return { id: name, title: name, words: `${sentence(summary)}.`, style: name, ...rest };
}

const lowpass = { type: 'lowpass', gamma: 0.3 } as const;

/** The first picture of the page. */
export const FACE = preset('cartoon', { character: 'dog', clip: 'jump', still: 1.12, yaw: 50, hue: 28 });

const presets: Exhibit[] = [
  preset('subtle', { character: 'hero', clip: 'run', still: 0.2, yaw: 60, hue: 95 }),
  { ...FACE, character: 'dog', clip: 'run', still: 0.2, yaw: 60, hue: 28 },
  preset('rubberhose', { character: 'toon', clip: 'run', still: 0.2, yaw: 50, hue: 210 }),
  preset('jelly', { character: 'cow', clip: 'jump', still: 1.25, yaw: 55, hue: 330 }),
  preset('snappy', { character: 'hero', clip: 'swing', still: 0.9, yaw: 60, rest: 0.4, hue: 15 }),
  preset('heavy', { character: 'cow', clip: 'jump', still: 1.25, yaw: 55, hue: 240 }),
  preset('skirt', { character: 'dancer', clip: 'twirl', still: 1.5, yaw: 10, hue: 350 }),
  preset('smear', {
    character: 'ball',
    clip: 'dash-stop',
    range: [0.75, 1.5],
    rest: 0.4,
    still: 0.97,
    yaw: 90,
    speed: 0.4,
    follow: true,
    far: 1.7,
    wipe: 0.4,
    hue: 260,
  }),
  preset('drybrush', {
    character: 'toon',
    clip: 'swing',
    still: 0.93,
    yaw: 20,
    speed: 0.5,
    rest: 0.2,
    wipe: 0.2,
    hue: 170,
  }),
  preset('mocap-toon', { character: 'hero', clip: 'swing', still: 0.9, yaw: 60, rest: 0.4, hue: 45 }),
];

const acting: Exhibit[] = [
  {
    id: 'timing',
    title: 'Timing',
    words: 'Key poses are held, the way between them is short, and leaps hang in the air. The length stays.',
    character: 'toon',
    clip: 'jump',
    still: 1.05,
    yaw: 50,
    rest: 0.3,
    style: { contact: 1, timing: { snap: 1, hang: 1.4 } },
    hue: 50,
  },
  {
    id: 'pose',
    title: 'Pose',
    words: "The character's own poses, larger: deeper crouches, wider swings. Feet that stand stay.",
    character: 'hero',
    clip: 'swing',
    still: 0.9,
    yaw: 60,
    rest: 0.4,
    style: { contact: 1, pose: { exaggerate: 1.4, anticipate: 0.8 } },
    hue: 120,
  },
  {
    id: 'body',
    title: 'Body',
    words: 'The whole figure squashes, stretches and bends, and keeps its volume.',
    character: 'cow',
    clip: 'jump',
    still: 1.25,
    yaw: 55,
    style: { contact: 1, body: { squash: 2, bend: 1.5 } },
    hue: 300,
  },
  {
    id: 'stone',
    title: 'Bodies of stone',
    words: 'Soft flesh around hard parts: the shell keeps its shape while everything else trails.',
    character: 'snail',
    clip: 'dash-stop',
    still: 1.2,
    yaw: 90,
    follow: true,
    rest: 0.3,
    style: {
      contact: 1,
      rigid: 'auto',
      compose: 'chain',
      effects: {
        overlap: { frequency: 1.9, damping: 0.35, gain: 4, max: 40, smooth: 0.03, linear: 1, max_linear: 0.06 },
      },
    },
    hue: 180,
  },
  {
    id: 'animals',
    title: 'Four legs',
    words: 'Hooves that stand stand still, whatever the body above them does.',
    character: 'horse',
    clip: 'kick',
    still: 1.1,
    yaw: 75,
    style: 'heavy',
    hue: 30,
  },
  {
    id: 'rigged',
    title: 'Rigs of animators',
    words: 'The paws of this dog hang on its root, as inverse kinematics leaves them, and still go with their legs.',
    character: 'rigged',
    clip: 'run',
    still: 0.3,
    yaw: 60,
    follow: true,
    style: 'cartoon',
    hue: 90,
  },
  {
    id: 'borrowed',
    title: 'A borrowed motion',
    words: "The hero's punch on the dancer, whose skeleton is another: limber puts any clip on any character.",
    character: 'borrowed',
    clip: 'swing',
    still: 0.9,
    yaw: 60,
    rest: 0.4,
    style: 'cartoon',
    hue: 0,
  },
];

const effects: Exhibit[] = [
  {
    id: 'overlap',
    title: 'Overlap',
    words: 'A spring follows every joint: the skin drags when a motion starts, overshoots when it stops, and settles.',
    character: 'dog',
    clip: 'shake',
    still: 1,
    yaw: 20,
    rest: 0.3,
    style: {
      compose: 'chain',
      effects: { overlap: { frequency: 1.9, damping: 0.35, gain: 4, max: 40, smooth: 0.03, ahead: 0.03 } },
    },
    hue: 330,
  },
  {
    id: 'floppy',
    title: 'Floppy',
    words: 'Parts trail behind the motion that carries them: the faster the joint, the further they lag.',
    character: 'giraffe',
    clip: 'neck-swing-stop',
    range: [0.2, 2.4],
    rest: 0.3,
    still: 0.9,
    yaw: 25,
    style: { effects: { floppy: { angular: 0.35, max_bend: 60 } } },
    hue: 212,
  },
  {
    id: 'squash',
    title: 'Squash and stretch',
    words: 'Shapes stretch along their motion and thin across it, like a thrown ball, and keep their volume.',
    character: 'ball',
    clip: 'bounce',
    still: 0.18,
    yaw: 20,
    style: { effects: { squash: { linear: 0.17 } } },
    hue: 22,
  },
  {
    id: 'drag',
    title: 'Drag',
    words: 'While a joint speeds up, the parts it moves stay behind.',
    character: 'flower',
    clip: 'whip-stop',
    range: [0.5, 2.2],
    still: 0.95,
    wipe: 0.35,
    speed: 0.75,
    style: { effects: { drag: { angular: 0.02, max_bend: 60, filter: lowpass } } },
    hue: 262,
  },
  {
    id: 'followthrough',
    title: 'Follow-through',
    words: 'While a joint slows down, the parts it moves carry on, and swing a few times before they rest.',
    character: 'cow',
    clip: 'headshake-stop',
    still: 1.3,
    yaw: 20,
    style: {
      effects: {
        followthrough: { angular: 0.02, max_bend: 50, filter: { type: 'spring', frequency: 3, damping: 0.25 } },
      },
    },
    hue: 165,
  },
  {
    id: 'stretch',
    title: 'Spin stretch',
    words: 'A spin pulls parts outward, like thrown pizza dough.',
    character: 'dancer',
    clip: 'spin',
    still: 0.5,
    style: { effects: { stretch: { angular: 0.004, layer: 'skirt' } } },
    hue: 45,
  },
  {
    id: 'lift',
    title: 'Lift',
    words: 'Skirts, coats and hair fly up in a spin.',
    character: 'dancer',
    clip: 'twirl',
    still: 1.5,
    style: {
      effects: {
        lift: {
          angular: '0.16 / (1 + 0.6 * speed * speed)',
          cone: { joints: ['Skirt', 'Ponytail1 > Ponytail5'] },
          filter: { type: 'spring', frequency: 1.5, damping: 0.5 },
        },
      },
    },
    hue: 345,
  },
  {
    id: 'derivative',
    title: 'Derivative',
    words:
      'Parts go against a derivative of their motion that you choose, here the jerk: it winds up before it swings.',
    character: 'flower',
    clip: 'whip-stop',
    range: [0.5, 2.2],
    still: 1.05,
    speed: 0.75,
    style: { effects: { derivative: { angular: 0.0006, max_bend: 50, filter: lowpass } } },
    hue: 195,
  },
];

const world: Exhibit[] = [
  {
    id: 'impact',
    title: 'Impact',
    words: 'What lands squashes, springs back and settles, and nothing sinks into the floor.',
    character: 'ball',
    clip: 'bounce',
    still: 1.03,
    yaw: 20,
    style: { contact: 1, impact: { gain: 1.2 } },
    hue: 60,
  },
  {
    id: 'contact',
    title: 'Contacts',
    words: 'Everything lags and swings, but feet that stand stay where the animation has them.',
    character: 'toon',
    clip: 'stop',
    still: 1.2,
    yaw: 60,
    follow: true,
    rest: 0.3,
    style: {
      contact: 1,
      rigid: 'auto',
      compose: 'chain',
      effects: {
        overlap: { frequency: 1.7, damping: 0.4, gain: 3.4, max: 35, smooth: 0.04, linear: 1, max_linear: 0.06 },
      },
    },
    hue: 140,
  },
  {
    id: 'wind',
    title: 'Wind',
    words: 'Air that moves, as three numbers or formulas, bends everything that is soft.',
    character: 'flower',
    clip: 'sway',
    still: 1,
    style: {
      wind: ['1.1 * sin(6.2832 * phase) + 0.5 * noise(cos(6.2832 * phase), sin(6.2832 * phase))', 0, 0.2],
      compose: 'chain',
      effects: { overlap: { frequency: 1.9, damping: 0.5, gain: 3.6, max: 30, linear: 1, max_linear: 0.05 } },
    },
    hue: 200,
  },
];

const smears: Exhibit[] = [
  {
    id: 'drawn',
    title: 'As drawn',
    words: 'Thick parts stretch back to the last drawing, thin ones leave a ribbon with a few strokes.',
    character: 'toon',
    clip: 'swing',
    still: 0.93,
    yaw: 20,
    speed: 0.5,
    rest: 0.2,
    wipe: 0.2,
    style: 'smear',
    hue: 235,
  },
  {
    id: 'elongate',
    title: 'Elongation',
    words: 'Fast parts are drawn along their path, further behind than ahead.',
    character: 'ball',
    clip: 'dash-stop',
    range: [0.75, 1.5],
    rest: 0.4,
    still: 0.97,
    yaw: 90,
    speed: 0.4,
    follow: true,
    far: 1.7,
    wipe: 0.4,
    style: {
      smear: {
        motion: { ignore_spin: 'balls' },
        offsets: { smooth: 2 },
        elongate: { amount: '3 * min(offset, 0) + max(offset, 0)' },
      },
    },
    hue: 345,
  },
  {
    id: 'multiples',
    title: 'In-between copies',
    words: 'Fading copies show where a fast part has been.',
    character: 'toon',
    clip: 'swing',
    still: 0.93,
    yaw: 20,
    speed: 0.5,
    rest: 0.2,
    wipe: 0.2,
    style: {
      smear: {
        offsets: { smooth: 2 },
        multiples: { past: 4, future: 1, overlap: 3, min_speed: 0.015, opacity: '0.7 / abs(copy)' },
      },
    },
    hue: 275,
  },
  {
    id: 'lines',
    title: 'Motion lines',
    words: 'Lines in the color of the surface trail from fast parts.',
    character: 'hero',
    clip: 'run',
    still: 0.2,
    yaw: 65,
    speed: 0.5,
    style: {
      smear: {
        lines: { count: 120, length: '6 * min(offset, 0)', gap: 0.4, radius: 0.006, point: 1, min_speed: 0.02 },
      },
    },
    hue: 225,
  },
];

const skeleton: Exhibit[] = [
  {
    id: 'anticipation',
    title: 'Anticipation and overshoot',
    words: 'The cartoon filter winds every joint up before a motion and lets it overshoot at the end.',
    character: 'toon',
    clip: 'jump',
    still: 0.6,
    yaw: 50,
    rest: 0.3,
    style: { contact: 1, exaggerate: { filter: { amount: 1, sigma: 0.12 } } },
    hue: 85,
  },
  {
    id: 'rubber',
    title: 'Rubber bones',
    words: 'The fastest bones get longer at the peak of each motion.',
    character: 'hero',
    clip: 'swing',
    still: 0.9,
    yaw: 60,
    rest: 0.4,
    style: { contact: 1, exaggerate: { constraints: 'auto', strength: 0.12, limit: 0.3, smooth: 2 } },
    hue: 15,
  },
];

export const ROOMS: readonly Room[] = [
  { id: 'presets', title: 'Presets', words: 'Pick one, look at it, then change a number or two.', exhibits: presets },
  {
    id: 'acting',
    title: 'Acting',
    words: 'What an animator would do to the clip itself, and to the body as a whole.',
    exhibits: acting,
  },
  {
    id: 'effects',
    title: 'Effects',
    words: 'Each one alone, a little stronger than you would use it.',
    exhibits: effects,
  },
  {
    id: 'world',
    title: 'Ground and world',
    words: 'What a character stands on, lands on and is blown by.',
    exhibits: world,
  },
  { id: 'smears', title: 'Smears', words: 'Fast action in few frames, here in slow motion.', exhibits: smears },
  {
    id: 'skeleton',
    title: 'Skeleton',
    words: 'The clip itself, exaggerated before the skin moves.',
    exhibits: skeleton,
  },
];
