// Pictures and films of the view.
import { Color } from 'three';
import type { App } from '../../app';
import type { Progress } from './bake';
import { filmWriter } from './film/encode';
import type { FilmFormat, FilmSize } from './film/encode';

/** Hides the tools; with `transparent`, also the stage. */
async function bare<T>({ viewer }: App, transparent: boolean, work: () => Promise<T>): Promise<T> {
  const { scene, ground } = viewer.stage;
  const { background } = scene;
  const before = viewer.renderer.getClearColor(new Color());
  const alpha = viewer.renderer.getClearAlpha();
  if (transparent) {
    scene.background = null;
    ground.visible = false;
    viewer.renderer.setClearColor(0x000000, 0);
  }
  try {
    return await work();
  } finally {
    scene.background = background;
    ground.visible = true;
    viewer.renderer.setClearColor(before, alpha);
    viewer.invalidate();
  }
}

export const exportPicture = (app: App, transparent: boolean): Promise<Blob> =>
  bare(app, transparent, () => app.viewer.picture());

export interface FilmOptions {
  format: FilmFormat;
  /** Undefined: as large as the view. */
  size?: { width: number; height: number };
  fps: number;
  transparent: boolean;
  /** Plain on the left, styled on the right. */
  both: boolean;
  /** The camera goes round the character once. */
  turntable: boolean;
  /** The names of frames start with it. */
  stem: string;
}

/** Encoders want even numbers of pixels. */
const even = (value: number): number => Math.max(2, 2 * Math.floor(value / 2));

export function filmSize({ viewer }: App, size: FilmOptions['size'], fps: number): FilmSize {
  const { width, height } = size ?? viewer.renderer.domElement;
  return { width: even(width), height: even(height), fps };
}

export const filmFrames = ({ player }: App, fps: number): number => Math.max(1, Math.round(player.duration * fps));

/** Runs `work` while the plain animation is on the left, whatever the view compares. */
async function besidePlain<T>(app: App, work: () => Promise<T>): Promise<T> {
  const { viewer, compareWith } = app;
  const before = { compare: viewer.compare.value, other: compareWith.value };
  viewer.compare.value = 'split';
  compareWith.value = undefined;
  try {
    await app.preparePlain();
    return await work();
  } finally {
    compareWith.value = before.other;
    viewer.compare.value = before.compare;
  }
}

/**
 * Makes a film of the clip. Every frame is computed for its own time and encoded once, so that a slow machine makes the
 * same film as a fast one.
 */
export async function exportFilm(app: App, options: FilmOptions, progress: Progress): Promise<Blob> {
  const { player, viewer } = app;
  const { format, fps } = options;
  const { start } = player.span.value;
  const frames = filmFrames(app, fps);
  const before = player.time.value;
  const size = filmSize(app, options.size, fps);
  player.playing.value = false;
  const writer = await filmWriter(format, size, options.stem);
  let turned = 0;
  const shoot = async () => {
    for (let i = 0; i < frames; i++) {
      await progress(i, frames, `Frame ${i + 1} of ${frames}`);
      player.seek(start + i / fps);
      await writer.add(viewer.shoot());
      if (options.turntable) viewer.orbit((2 * Math.PI) / frames); // after all of them it is where it was
      turned++;
    }
    await progress(frames, frames, 'Writing the file');
    return writer.finish();
  };
  const film = () => bare(app, options.transparent && format === 'png', () => viewer.inSize(size, shoot));
  try {
    return await (options.both ? besidePlain(app, film) : film());
  } finally {
    if (options.turntable) viewer.orbit((-2 * Math.PI * turned) / frames);
    writer.close();
    player.seek(before);
  }
}
