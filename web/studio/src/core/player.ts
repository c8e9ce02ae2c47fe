// The clock of the current clip.
import { Signal } from './signal';

export interface Span {
  start: number;
  end: number;
  fps: number;
}

/** The end of a loop shows the same as its start. */
export class Player {
  /** Seconds, within the span. */
  readonly time = new Signal(0);
  readonly playing = new Signal(false);
  readonly looping = new Signal(true);
  readonly speed = new Signal(1);
  readonly span = new Signal<Span>({ start: 0, end: 1, fps: 30 });

  get duration(): number {
    return Math.max(this.span.value.end - this.span.value.start, 1e-6);
  }

  get frameCount(): number {
    return Math.max(1, Math.round(this.duration * this.span.value.fps));
  }

  /** The frame nearest to the playhead. */
  get frame(): number {
    return Math.round((this.time.value - this.span.value.start) * this.span.value.fps);
  }

  setSpan(span: Span): void {
    this.span.value = span;
    this.seek(this.time.value);
  }

  seek(time: number): void {
    const { start, end } = this.span.value;
    this.time.value = Math.min(Math.max(time, start), end);
  }

  /** Steps by whole frames. Pauses, and wraps around in a loop. */
  step(frames: number): void {
    this.playing.value = false;
    const { start, fps } = this.span.value;
    const last = this.frameCount;
    let frame = this.frame + frames;
    if (this.looping.value) frame = ((frame % last) + last) % last;
    this.seek(start + frame / fps);
  }

  toggle(): void {
    if (!this.playing.value && !this.looping.value && this.time.value >= this.span.value.end - 1e-4)
      this.seek(this.span.value.start);
    this.playing.value = !this.playing.value;
  }

  /** Advances by `seconds` of wall-clock time. */
  advance(seconds: number): void {
    if (!this.playing.value) return;
    const { start, end } = this.span.value;
    const next = this.time.value + seconds * this.speed.value;
    if (next < end) this.seek(next);
    else if (this.looping.value) this.seek(start + ((next - start) % this.duration));
    else {
      this.seek(end);
      this.playing.value = false;
    }
  }
}
