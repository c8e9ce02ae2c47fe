// The search: a dialog that is ready when it is first asked for. The index was made with the site
// (scripts/search_index.mjs), so it works without a network.
import { h } from '../../studio/src/ui/dom';

interface Index {
  /** Path, title and section. */
  pages: [string, string, string][];
  /** Page, anchor, heading, first words. */
  parts: [number, string, string, string][];
  words: string;
  places: string;
}

interface Place {
  part: number;
  isTitle: boolean;
}

const MOST = 12; // results
const MOST_WORDS = 60; // that begin with what was typed
const TITLE = 8; // how much a word in a heading counts more
const WHOLE = 2; // and one that was typed to its end

class Finder {
  private readonly words: string[];
  private readonly places: string[];

  constructor(readonly index: Index) {
    this.words = index.words.split(' ');
    this.places = index.places.split('\n');
  }

  /** The first word that is not before `prefix`. */
  private first(prefix: string): number {
    let [low, high] = [0, this.words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.words[middle] < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private placesOf(word: number): Place[] {
    let part = 0;
    return this.places[word].split(' ').map((text) => {
      const isTitle = text.startsWith('!');
      part += parseInt(isTitle ? text.slice(1) : text, 36);
      return { part, isTitle };
    });
  }

  /** How well each part fits one word. */
  private scores(prefix: string): Map<number, number> {
    const found = new Map<number, number>();
    const from = this.first(prefix);
    for (let w = from; w < from + MOST_WORDS && this.words[w]?.startsWith(prefix); w++) {
      const places = this.placesOf(w);
      const rare = Math.log(1 + this.index.parts.length / places.length);
      for (const { part, isTitle } of places) {
        const score = rare * (isTitle ? TITLE : 1) * (this.words[w] === prefix ? WHOLE : 1);
        found.set(part, Math.max(found.get(part) ?? 0, score));
      }
    }
    return found;
  }

  /** Parts that have all words, the best first. */
  find(text: string): number[] {
    const wanted = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
    if (!wanted.length) return [];
    const [first, ...others] = wanted.map((word) => this.scores(word));
    const all = [...first].filter(([part]) => others.every((one) => one.has(part)));
    const total = ([part, score]: [number, number]) => others.reduce((sum, one) => sum + one.get(part)!, score);
    const ranked = all.map((one) => [one[0], total(one)] as const).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return ranked.slice(0, MOST).map(([part]) => part);
  }
}

class SearchDialog {
  readonly element: HTMLDialogElement;
  private readonly input = h('input', {
    type: 'search',
    placeholder: 'Search the documentation',
    autocomplete: 'off',
    spellcheck: 'false',
    role: 'combobox',
    'aria-label': 'Search',
    'aria-controls': 'search-results',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
  });
  private readonly list = h('div', {
    class: 'results',
    id: 'search-results',
    role: 'listbox',
    'aria-label': 'Results',
  });
  private readonly note = h('p', { class: 'note', role: 'status' });
  private at = 0;
  private finder: Finder | undefined;

  constructor(private readonly root: string) {
    this.element = h('dialog', { class: 'search', 'aria-label': 'Search' }, this.input, this.list, this.note);
    document.body.append(this.element);
    this.input.addEventListener('input', () => this.update());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('click', (event) => event.target === this.element && this.element.close());
  }

  async load(): Promise<void> {
    if (this.finder) return;
    this.note.textContent = 'Loading the index …';
    try {
      const response = await fetch(`${this.root}search.json`);
      if (!response.ok) throw new Error(`search.json: status ${response.status}`);
      this.finder = new Finder((await response.json()) as Index);
      this.update();
    } catch (error) {
      this.note.textContent = `The search is not available: ${(error as Error).message}`;
    }
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
    this.input.select();
    void this.load();
  }

  private update(): void {
    if (!this.finder) return;
    const { pages, parts } = this.finder.index;
    const found = this.finder.find(this.input.value);
    this.list.replaceChildren(
      ...found.map((part, i) => {
        const [page, id, heading, excerpt] = parts[part];
        const [path, title, section] = pages[page];
        const href = `${this.root}${path}${id ? `#${id}` : ''}`;
        return h(
          'a',
          {
            class: 'result',
            role: 'option',
            id: `result-${i}`,
            'aria-selected': 'false',
            href,
            tabindex: '-1',
            onclick: () => this.element.close(),
          },
          h('strong', {}, heading ? `${title}: ${heading}` : title),
          h('small', {}, section),
          h('span', {}, excerpt),
        );
      }),
    );
    const isAsked = this.input.value.trim() !== '';
    this.note.textContent = found.length
      ? ''
      : isAsked
        ? 'Nothing found.'
        : 'Names of effects, keys, functions, options …';
    this.select(0);
  }

  private select(at: number): void {
    const options = [...this.list.children];
    this.at = Math.min(Math.max(at, 0), Math.max(options.length - 1, 0));
    options.forEach((one, i) => one.setAttribute('aria-selected', String(i === this.at)));
    options[this.at]?.scrollIntoView({ block: 'nearest' });
    if (options.length) this.input.setAttribute('aria-activedescendant', `result-${this.at}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') this.select(this.at + 1);
    else if (event.key === 'ArrowUp') this.select(this.at - 1);
    else if (event.key === 'Enter') (this.list.children[this.at] as HTMLElement | undefined)?.click();
    else return;
    event.preventDefault();
  }
}

let dialog: SearchDialog | undefined;

export function openSearch(root: string): void {
  dialog ??= new SearchDialog(root);
  dialog.open();
}
