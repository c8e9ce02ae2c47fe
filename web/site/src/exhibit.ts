// An exhibit of the gallery inside a page of text: its picture becomes the live scene.
import { theme } from '../../studio/src/ui/theme';
import { colorsOf } from '../../gallery/src/colors';
import { ROOMS } from '../../gallery/src/exhibits';
import { Projector } from '../../gallery/src/projector';
import { Tile } from '../../gallery/src/tile';

const tiles: Tile[] = [];
let projector: Projector | undefined;

/** One renderer draws all of them, in turn. */
function begin(): void {
  if (projector) return;
  const draw = (projector = new Projector());
  let last = performance.now();
  const turn = (now: number) => {
    const seconds = Math.min((now - last) / 1000, 0.1);
    last = now;
    for (const tile of tiles) tile.draw(draw, seconds);
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
  theme.listen(() => tiles.forEach((tile) => tile.invalidate()));
}

export async function enliven(figure: HTMLElement): Promise<void> {
  const exhibit = ROOMS.flatMap(({ exhibits }) => exhibits).find(({ id }) => id === figure.dataset.exhibit);
  if (!exhibit || figure.dataset.live) return;
  figure.dataset.live = 'true';
  const tile = new Tile(exhibit, true, colorsOf);
  figure.replaceChildren(tile.element);
  tile.element.querySelector<HTMLElement>('[role=slider]')!.focus();
  new IntersectionObserver(([change]) => {
    tile.visible = change.isIntersecting;
    tile.invalidate();
  }).observe(tile.element);
  tiles.push(tile);
  await tile.open();
  begin();
}
