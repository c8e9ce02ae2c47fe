// The first page before anybody touches it: a film with a divider to drag. The live scene, with the engine and three.js,
// is prepared when a pointer or the focus comes to its controls, and takes the film's place with the first change.
import { Signal } from '../../studio/src/core/signal';
import { Film } from './film';
import type { Show } from './live';
import { Wipe } from './wipe';

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

/** With reduced motion everything stands still until somebody presses play. */
const playing = new Signal(!calm.matches);
const wipe = new Wipe(get('stage'), get<HTMLInputElement>('wipe'), () => {
  film.draw();
  window.show?.invalidate();
});
const film = new Film(get<HTMLVideoElement>('film'), get<HTMLCanvasElement>('picture'), wipe);

let show: Promise<Show> | undefined;

/** The live scene, which is not seen yet. */
function prepare(): Promise<Show> {
  show ??= import('./live')
    .then(({ Show }) => Show.open(playing, wipe))
    .catch((error: unknown) => {
      show = undefined; // the next change tries again
      throw error;
    });
  return show;
}

/** The live scene in the place of the film; nothing if it cannot be opened, which is said. */
async function live(): Promise<Show | undefined> {
  const state = get('state');
  if (!window.show) state.textContent = 'Opening the live scene …';
  state.hidden = Boolean(window.show);
  try {
    const now = await prepare();
    film.end();
    now.begin();
    return now;
  } catch (error) {
    state.textContent = `The live scene is not available: ${(error as Error).message}`;
    return undefined;
  }
}

const byName = (a: File, b: File) =>
  Number(/\.(glb|vrm|gltf|fbx|bvh)$/i.test(b.name)) - Number(/\.(glb|vrm|gltf|fbx|bvh)$/i.test(a.name));

/** Opens files that were dropped or chosen: the character, and what lies beside it. */
async function take(files: readonly File[]): Promise<void> {
  const [first] = [...files].sort(byName);
  if (first) await (await live())?.take(first, files);
}

function addControls(): void {
  const controls = get('controls');
  const amount = get<HTMLInputElement>('amount');
  const say = () => (get('percent').textContent = `${Math.round(100 * amount.valueAsNumber)} %`);
  const preset = () => controls.querySelector<HTMLInputElement>('[name=preset]:checked')!.value;
  const wear = () => void live().then((now) => now?.wear(preset(), amount.valueAsNumber));
  controls.addEventListener('change', (event) => {
    if ((event.target as HTMLInputElement).name !== 'preset') return;
    get('styled').textContent = preset();
    wear();
  });
  amount.addEventListener('input', () => {
    say();
    wear();
  });
  const file = get<HTMLInputElement>('file');
  file.addEventListener('change', () => void take([...file.files!]));
  say();
}

function addDrop(): void {
  const isFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  let depth = 0;
  const mark = (change: number) => document.body.classList.toggle('dropping', (depth += change) > 0);
  addEventListener('dragenter', (event) => isFile(event) && mark(1));
  addEventListener('dragleave', (event) => isFile(event) && mark(-1));
  addEventListener('dragover', (event) => isFile(event) && event.preventDefault());
  addEventListener('drop', (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    mark(-depth);
    void take([...event.dataTransfer!.files]);
  });
}

function addPlay(): void {
  const button = get('play');
  button.addEventListener('click', () => (playing.value = !playing.value));
  playing.watch((isPlaying) => {
    button.textContent = isPlaying ? 'Pause' : 'Play';
    film.play(isPlaying);
  });
  button.hidden = false;
}

function waitForInterest(): void {
  const place = get('controls');
  const begin = () => void prepare().catch(() => undefined); // a change says what is wrong
  for (const kind of ['pointerenter', 'pointerdown', 'focusin']) place.addEventListener(kind, begin, { once: true });
}

addPlay();
addControls();
addDrop();
waitForInterest();
