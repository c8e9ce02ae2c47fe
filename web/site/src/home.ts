// The first page before anybody touches it: a film of the scene. The scene itself, with the engine and three.js, is
// loaded when a pointer comes near, a control gets the focus, or a file is dropped.
import { theme } from '../../studio/src/ui/theme';
import type { Show } from './live';
import dark from './film/dark.webm?url';
import light from './film/light.webm?url';

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const film = get<HTMLVideoElement>('film');
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

let show: Promise<Show> | undefined;

/** The live scene; with reduced motion it stands still until somebody presses play. */
function live(): Promise<Show> {
  show ??= import('./live').then(({ Show }) => Show.open(!calm.matches));
  return show;
}

/** While nothing is live, a film of the same scene plays. */
function roll(): void {
  film.src = theme.value === 'dark' ? dark : light;
  film.play().catch(() => undefined); // a browser may refuse; the still is there
}

const byName = (a: File, b: File) =>
  Number(/\.(glb|vrm|gltf|fbx|bvh)$/i.test(b.name)) - Number(/\.(glb|vrm|gltf|fbx|bvh)$/i.test(a.name));

/** Opens files that were dropped or chosen: the character, and what lies beside it. */
async function take(files: readonly File[]): Promise<void> {
  const [first] = [...files].sort(byName);
  if (first) await (await live()).take(first, files);
}

function addControls(): void {
  const controls = get('controls');
  const amount = get<HTMLInputElement>('amount');
  const say = () => (get('percent').textContent = `${Math.round(100 * amount.valueAsNumber)} %`);
  const preset = () => controls.querySelector<HTMLInputElement>('[name=preset]:checked')!.value;
  const wear = () => void live().then((now) => now.wear(preset(), amount.valueAsNumber));
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

function waitForInterest(): void {
  const place = get('demo');
  const begin = () => void live();
  for (const kind of ['pointerenter', 'pointerdown', 'focusin']) place.addEventListener(kind, begin, { once: true });
}

if (!calm.matches) {
  roll();
  theme.listen(() => film.isConnected && roll());
}
addControls();
addDrop();
waitForInterest();
