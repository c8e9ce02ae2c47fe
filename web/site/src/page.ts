// What every page does: the theme, copy buttons, the list of pages on narrow screens, exhibits that come alive, search,
// and a service worker that keeps the site for visits without a network. It begins with the first interaction, so that
// a visitor who only looks loads nothing more.
import '../../gallery/src/tokens.css';
import '../../gallery/src/tile.css';
import './page.css';
import './prose.css';
import './home.css';
import { theme, themeChoice } from '../../studio/src/ui/theme';

const ROOT = document.documentElement.dataset.root!;

function addTheme(): void {
  const lamp = document.getElementById('theme')!;
  lamp.addEventListener('click', () => (themeChoice.value = theme.value === 'dark' ? 'light' : 'dark'));
  theme.watch((now) => lamp.setAttribute('aria-pressed', String(now === 'dark')));
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

/**
 * A button on the code that a pointer or the focus comes to. Browsers offer the clipboard over https and on localhost
 * only.
 */
function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  const add = ({ target }: Event) => {
    const holder = (target as Element).closest('.code');
    if (!holder || holder.querySelector('.copy')) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(button, holder.querySelector('code')!.textContent!));
    holder.append(button);
  };
  for (const kind of ['pointerover', 'focusin']) document.addEventListener(kind, add, { passive: true });
}

function addPages(): void {
  const button = document.getElementById('open-pages');
  button?.addEventListener('click', () => {
    const isOpen = document.body.classList.toggle('pages-open');
    button.setAttribute('aria-expanded', String(isOpen));
  });
  const list = document.getElementById('pages');
  const here = list?.querySelector<HTMLElement>('[aria-current=page]');
  if (list && here) requestAnimationFrame(() => (list.scrollTop = here.offsetTop - list.clientHeight / 3));
}

/** Pictures of exhibits: a click makes them move. */
function addExhibits(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure.exhibit'))
    figure.querySelector('a')!.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void import('./exhibit').then(({ enliven }) => enliven(figure));
    });
}

function addSearch(): void {
  const open = () => void import('./search').then(({ openSearch }) => openSearch(ROOT));
  document.getElementById('search')!.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as HTMLElement).closest('input:not([type=range]), textarea, select, dialog');
    const isAsked = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isAsked || isTyping) return;
    event.preventDefault();
    open();
  });
}

/** Marks the heading that is being read in the list of headings. */
function followHeadings(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [link.hash.slice(1), link]),
  );
  const seen = new IntersectionObserver(
    (changes) => {
      const first = changes.find(({ isIntersecting }) => isIntersecting);
      if (!first) return;
      links.forEach((link) => link.removeAttribute('aria-current'));
      links.get(first.target.id)?.setAttribute('aria-current', 'true');
    },
    { rootMargin: '-60px 0px -70% 0px' },
  );
  for (const id of links.keys()) seen.observe(document.getElementById(decodeURIComponent(id))!);
}

function keep(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || !window.isSecureContext) return;
  const begin = () => {
    for (const kind of KINDS) removeEventListener(kind, begin, true);
    navigator.serviceWorker.register(`${ROOT}sw.js`).catch(() => undefined); // it works, but only online
  };
  const KINDS = ['pointerdown', 'keydown', 'wheel', 'touchstart'];
  for (const kind of KINDS) addEventListener(kind, begin, { capture: true, passive: true });
}

addTheme();
addCopyButtons();
addPages();
addExhibits();
addSearch();
followHeadings();
keep();
