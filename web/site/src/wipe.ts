// The divider of the first page, between the plain picture and the styled one: a range over the picture. It sweeps by
// itself until somebody takes it.
const SWEEP_S = 9; // to and fro
const SWEEP = 0.2; // how far from the middle

export class Wipe {
  /** Where the plain picture ends, from 0 to 1. */
  at = 0.5;
  private taken = false;
  private sweep = 0;

  constructor(
    private readonly stage: HTMLElement,
    private readonly input: HTMLInputElement,
    moved: () => void,
  ) {
    const take = () => (this.taken = true);
    for (const kind of ['pointerdown', 'focus']) input.addEventListener(kind, take);
    input.addEventListener('input', () => {
      take();
      this.moveTo(input.valueAsNumber / 100);
      moved();
    });
    this.moveTo(input.valueAsNumber / 100); // some browsers keep it over a reload
  }

  /** Moves on by itself. */
  glide(seconds: number): void {
    if (this.taken) return;
    this.sweep += seconds;
    this.moveTo(0.5 + SWEEP * Math.sin((2 * Math.PI * this.sweep) / SWEEP_S));
    this.input.value = String(100 * this.at);
  }

  private moveTo(at: number): void {
    this.at = at;
    this.stage.style.setProperty('--wipe', String(at));
    this.input.setAttribute('aria-valuetext', `${Math.round(100 * at)} % plain`);
  }
}
