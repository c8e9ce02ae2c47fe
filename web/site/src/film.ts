// What moves on the first page before anything heavy is there: a film whose frames hold the plain picture on the left and
// the styled one on the right. A canvas shows a part of each.
import { theme } from '../../studio/src/ui/theme';
import dark from './film/dark.webm?url';
import light from './film/light.webm?url';
import type { Wipe } from './wipe';

export class Film {
  private readonly context: CanvasRenderingContext2D;
  private readonly stop: () => void;
  private last = 0;
  private over = false;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly wipe: Wipe,
  ) {
    this.context = canvas.getContext('2d')!;
    video.addEventListener('loadeddata', () => this.draw());
    this.load();
    this.stop = theme.listen(() => this.load());
    this.wait();
  }

  private load(): void {
    const isPlaying = !this.video.paused;
    this.video.src = theme.value === 'dark' ? dark : light;
    if (isPlaying) this.play(true);
  }

  play(isPlaying: boolean): void {
    if (isPlaying)
      this.video.play().catch(() => undefined); // a browser may refuse; the still is there
    else this.video.pause();
  }

  /** The live scene has the canvas now. */
  end(): void {
    this.over = true;
    this.stop();
    this.video.remove();
  }

  /** Draws the present frame on both sides of the divider. */
  draw(): void {
    const { videoWidth, videoHeight: tall } = this.video;
    if (this.over || !videoWidth || this.video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    const { width, height } = this.canvas;
    const wide = videoWidth / 2;
    const at = Math.round(width * this.wipe.at);
    const from = (wide * at) / width;
    if (at > 0) this.context.drawImage(this.video, 0, 0, from, tall, 0, 0, at, height);
    if (at < width) this.context.drawImage(this.video, wide + from, 0, wide - from, tall, at, 0, width - at, height);
  }

  private wait(): void {
    const turn = (now: number) => {
      if (this.over) return;
      if (!this.video.paused) this.wipe.glide(Math.min((now - this.last) / 1000, 0.1));
      this.last = now;
      this.draw();
      this.wait();
    };
    if ('requestVideoFrameCallback' in this.video) this.video.requestVideoFrameCallback(turn);
    else requestAnimationFrame(turn);
  }
}
