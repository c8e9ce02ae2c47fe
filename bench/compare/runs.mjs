// What every tool is asked to play, and what is read off the paths of the tip. Lengths are in lengths of the tail (1 m).
import { bodyAt, DURATION_S, frame, playing, stiffTip } from './scene.mjs';

export const RATES = [24, 30, 60, 144];
export const ROUNDS = [1, 2, 4]; // after how many the seam of a loop is looked at
const JUMPS_S = [0.4, 0.5, 0.6, 0.8, 1, 1.4, 1.6, 1.8];
const SCALES = [0.01, 100];
const BACK = { from_s: 1.5, to_s: 0.6 };
const USUAL = 60;

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const at = (tips, fps, time) => tips[Math.round(time * fps)];

export function allRuns() {
  const there = playing(USUAL, 1).slice(0, BACK.from_s * USUAL + 1);
  return [
    ...RATES.map((fps) => ({ fps, scale: 1, frames: playing(fps, ROUNDS.at(-1)) })),
    ...JUMPS_S.map((time) => ({ fps: USUAL, scale: 1, frames: [frame(0, time)] })),
    { fps: USUAL, scale: 1, frames: [...there, frame(there.length / USUAL, BACK.to_s)] },
    ...SCALES.map((scale) => ({ fps: USUAL, scale, frames: playing(USUAL, 1) })),
  ];
}

// Frames of the same moment in films of two rates.
function rateDifference(paths) {
  let worst = 0;
  for (let a = 0; a < RATES.length; a++) {
    for (let b = a + 1; b < RATES.length; b++) {
      for (let i = 0; i < paths[a].length; i++) {
        const other = (i * RATES[b]) / RATES[a];
        if (Number.isInteger(other)) worst = Math.max(worst, distance(paths[a][i], paths[b][other]));
      }
    }
  }
  return worst;
}

/** Numbers of one tool from the tips of allRuns(). */
export function measure(tips) {
  const paths = tips.slice(0, RATES.length);
  const jumps = tips.slice(RATES.length, RATES.length + JUMPS_S.length);
  const [back, ...scaled] = tips.slice(RATES.length + JUMPS_S.length);
  const played = paths[RATES.indexOf(USUAL)];
  const round = (n) => at(played, USUAL, n * DURATION_S);
  const swing = Math.max(...played.map((tip, i) => distance(tip, stiffTip(i / USUAL))));
  return {
    swing,
    rate: rateDifference(paths),
    jump: Math.max(...JUMPS_S.map((time, i) => distance(jumps[i].at(-1), at(played, USUAL, time)))),
    back: distance(back.at(-1), at(played, USUAL, BACK.to_s)),
    loop: ROUNDS.map((n) => distance(round(n), round(n - 1))),
    scale: SCALES.map((scale, s) => Math.max(...scaled[s].map((tip, i) => distance(tip.map((x) => x / scale), played[i])))),
  };
}

/** For the picture: how far the tip is off to the side, seen from the body, in the second round; and where jumps end. */
export function curves(tips) {
  const aside = ([x, , z], time) => {
    const { yaw } = bodyAt(time);
    return x * Math.cos(yaw) - z * Math.sin(yaw);
  };
  const played = RATES.map((fps, i) => {
    const shown = tips[i].slice(0, 2 * DURATION_S * fps + 1);
    return { fps, points: shown.map((tip, k) => [k / fps, aside(tip, k / fps)]) };
  });
  const jumps = JUMPS_S.map((time, i) => [time, aside(tips[RATES.length + i].at(-1), time)]);
  return { played, jumps };
}
