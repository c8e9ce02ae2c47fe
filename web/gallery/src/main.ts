// The gallery: every preset and effect on a built-in character, plain and styled.
import { Signal } from '../../studio/src/core/signal';
import { h } from '../../studio/src/ui/dom';
import { theme, themeChoice } from '../../studio/src/ui/theme';
import { colorsOf } from './colors';
import { FACE, ROOMS } from './exhibits';
import type { Exhibit } from './exhibits';
import { WORKER } from './places';
import { Projector } from './projector';
import { Tile } from './tile';
import { wobble } from './wobble';

declare global {
  interface Window {
    /** For tests and the browser's console. */
    gallery?: { tiles: readonly Tile[] };
  }
}

const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

function makeTiles(): Tile[] {
  const make = (exhibit: Exhibit, heading: 'h1' | 'h3' = 'h3') => new Tile(exhibit, !calm.matches, colorsOf, heading);
  const face = make(FACE, 'h1');
  document.getElementById('stage')!.append(face.element);
  const tiles = [face];
  const rooms = document.getElementById('rooms')!;
  for (const room of ROOMS) {
    const inside = room.exhibits.map((exhibit) => make(exhibit));
    tiles.push(...inside);
    rooms.append(
      h(
        'section',
        { class: 'room', id: room.id, 'aria-labelledby': `${room.id}-title` },
        h('header', {}, h('h2', { id: `${room.id}-title` }, room.title), h('p', {}, room.words)),
        h('div', { class: 'tiles' }, ...inside.map(({ element }) => element)),
      ),
    );
  }
  return tiles;
}

/** Characters are loaded and drawn only where somebody looks. */
function watch(tiles: readonly Tile[]): void {
  const byElement = new Map(tiles.map((tile) => [tile.element as Element, tile]));
  const seen = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const tile = byElement.get(target)!;
      tile.visible = isIntersecting;
      tile.invalidate();
      if (isIntersecting) tile.open();
    }
  });
  tiles.forEach(({ element }) => seen.observe(element));
}

function run(tiles: readonly Tile[]): void {
  const projector = new Projector();
  let last = performance.now();
  const turn = (now: number) => {
    const seconds = Math.min(Math.max((now - last) / 1000, 0), 0.1);
    last = now;
    for (const tile of tiles) tile.draw(projector, seconds);
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
  const again = () => tiles.forEach((tile) => tile.invalidate());
  theme.listen(again);
  addEventListener('resize', again);
}

function addButtons(tiles: readonly Tile[]): void {
  const playing = new Signal(!calm.matches);
  const play = document.getElementById('play-all')!;
  play.addEventListener('click', () => (playing.value = !playing.value));
  playing.watch((now) => (play.textContent = now ? 'Pause all' : 'Play all'));
  playing.listen((now) => tiles.forEach((tile) => (tile.playing.value = now)));
  calm.addEventListener('change', () => (playing.value = !calm.matches));
  const lamp = document.getElementById('theme')!;
  lamp.addEventListener('click', () => (themeChoice.value = theme.value === 'dark' ? 'light' : 'dark'));
  theme.watch((now) => (lamp.textContent = now === 'dark' ? 'Light' : 'Dark'));
}

/** After the first visit the gallery works without a network. */
function keep(): void {
  if (import.meta.env.PROD && 'serviceWorker' in navigator && window.isSecureContext)
    navigator.serviceWorker.register(WORKER).catch(() => undefined); // it works, but only online
}

function start(): void {
  const tiles = makeTiles();
  addButtons(tiles);
  keep();
  if (!document.createElement('canvas').getContext('webgl2')) {
    document.getElementById('fault')!.hidden = false;
    return;
  }
  window.gallery = { tiles };
  watch(tiles);
  run(tiles);
  wobble(document.getElementById('name')!, calm);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

start();
