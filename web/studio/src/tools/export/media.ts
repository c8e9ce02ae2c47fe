// Pictures and films of the view, and downloads.
import { Color } from 'three';
import type { App } from '../../app';
import { breathe } from './bake';
import type { Progress } from './bake';

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/** Keeps only characters that every file system allows. */
export const fileName = (text: string): string =>
  text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '') || 'limber';

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
  fps: number;
  transparent: boolean;
}

const MIMES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

export const filmsWork = (): boolean =>
  'MediaRecorder' in window && MIMES.some((mime) => MediaRecorder.isTypeSupported(mime));

/**
 * Records the clip as a film. Each frame is computed for its own time and shown for its duration, so that a slow
 * machine makes the same film as a fast one. MediaRecorder works in real time, so recording takes at least as long as
 * the clip.
 */
export async function exportFilm(app: App, { fps, transparent }: FilmOptions, progress: Progress): Promise<Blob> {
  const { player, viewer } = app;
  const { start } = player.span.value;
  const frames = Math.max(1, Math.round(player.duration * fps));
  const before = player.time.value;
  player.playing.value = false;
  return bare(app, transparent, async () => {
    const canvas = viewer.renderer.domElement;
    const stream = canvas.captureStream(0);
    const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
    const recorder = new MediaRecorder(stream, {
      mimeType: MIMES.find((mime) => MediaRecorder.isTypeSupported(mime)),
      videoBitsPerSecond: 12e6,
    });
    const pieces: Blob[] = [];
    const ended = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    try {
      recorder.start();
      recorder.pause();
      for (let i = 0; i < frames; i++) {
        await progress(i, frames, `Frame ${i + 1} of ${frames}`);
        player.seek(start + i / fps);
        await breathe();
        await hold(recorder, track, 1000 / fps);
      }
      recorder.stop();
      await ended;
      return new Blob(pieces, { type: 'video/webm' });
    } finally {
      if (recorder.state !== 'inactive') recorder.stop();
      track.stop();
      player.seek(before);
    }
  });
}

/** The clock of the recorder runs only while a finished frame is on display. */
async function hold(
  recorder: MediaRecorder,
  track: CanvasCaptureMediaStreamTrack,
  milliseconds: number,
): Promise<void> {
  recorder.resume();
  track.requestFrame();
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  recorder.pause();
}
