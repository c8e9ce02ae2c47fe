// The name of the page lags behind when the page is scrolled, overshoots and settles.
const FREQUENCY = 2.2; // per second
const DAMPING = 0.22;
const MAX_DEG = 24;

export function wobble(name: HTMLElement, calm: MediaQueryList): void {
  const letters = [...name.textContent!].map((letter) => {
    const span = document.createElement('span');
    span.textContent = letter;
    span.setAttribute('aria-hidden', 'true');
    return span;
  });
  name.setAttribute('aria-label', name.textContent!);
  name.setAttribute('role', 'img');
  name.replaceChildren(...letters);
  const state = letters.map(() => ({ lag: 0, speed: 0 }));
  let place = scrollY;
  let last = 0;
  let running = false;
  const turn = (now: number) => {
    const seconds = Math.min((now - last) / 1000, 0.03);
    last = now;
    const push = (scrollY - place) * 0.9;
    place = scrollY;
    let most = 0;
    state.forEach((one, i) => {
      const stiff = (2 * Math.PI * FREQUENCY * (1 + 0.07 * i)) ** 2;
      one.speed += push * (1 + 0.15 * i) * 2;
      one.speed -= (stiff * one.lag + 2 * DAMPING * Math.sqrt(stiff) * one.speed) * seconds;
      one.lag += one.speed * seconds;
      const angle = MAX_DEG * Math.tanh(one.lag / MAX_DEG);
      letters[i].style.transform = `skewX(${(-0.5 * angle).toFixed(2)}deg) rotate(${(0.5 * angle).toFixed(2)}deg)`;
      most = Math.max(most, Math.abs(one.lag) + Math.abs(one.speed) * 0.05);
    });
    running = most > 0.05;
    if (running) requestAnimationFrame(turn);
  };
  const wake = () => {
    if (running || calm.matches) return;
    running = true;
    last = performance.now();
    requestAnimationFrame(turn);
  };
  addEventListener('scroll', wake, { passive: true });
  name.addEventListener('pointerenter', () => {
    if (calm.matches) return;
    state.forEach((one, i) => (one.speed += 260 + 30 * i));
    wake();
  });
}
