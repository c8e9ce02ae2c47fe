// The export tool: saves a .glb that plays anywhere, the style, a picture or a film.
import type { App } from '../../app';
import { messageOf } from '../../core/file_error';
import { Signal } from '../../core/signal';
import { h, once } from '../../ui/dom';
import { ICONS } from '../../ui/icons';
import { numberField } from '../../ui/number_field';
import { readPreference, writePreference } from '../../ui/preferences';
import { copyText } from '../../ui/copy';
import { codeMenu } from '../../ui/copy_code';
import { download, fileName } from '../../ui/download';
import { saveProject } from '../../ui/save_project';
import { copyStyleLink } from '../../ui/share';
import { button, openMenu, say, section, segmented, select, toggle } from '../../ui/widgets';
import { breathe, exportGlb } from './bake';
import type { GlbOptions, Progress } from './bake';
import { filmFormats } from './film/encode';
import type { FilmFormat } from './film/encode';
import { exportFilm, exportPicture, filmFrames, filmSize } from './media';
import type { Tool } from '../tool';

class Stopped extends Error {}

const kind = new Signal<GlbOptions['kind']>(readPreference('export.kind', 'corrective'));
const which = new Signal<'this' | 'all'>(readPreference('export.clips', 'this'));
kind.listen((now) => writePreference('export.kind', now));
which.listen((now) => writePreference('export.clips', now));

const KINDS: Record<GlbOptions['kind'], string> = {
  corrective: 'Keeps skin and clips; morph targets add the effects.',
  vertex: 'No skin: every frame is a morph target. Plays anywhere.',
  plain: 'The original file plus style, layers and takes.',
};

const FORMATS: Record<FilmFormat, { text: string; ending: string; tip: string }> = {
  mp4: { text: 'MP4', ending: '.mp4', tip: 'H.264 film, plays everywhere' },
  webm: { text: 'WebM', ending: '.webm', tip: 'VP9 film for web pages' },
  gif: { text: 'GIF', ending: '.gif', tip: 'Loops in chats and documents; 256 colors per frame' },
  png: { text: 'PNG', ending: '-frames.zip', tip: 'Frames as PNG pictures in a .zip, with transparency' },
};

const SIZES: Record<string, string> = {
  view: 'As the view',
  '1280x720': '1280 × 720',
  '1920x1080': '1920 × 1080',
  '3840x2160': '3840 × 2160',
  '1080x1080': '1080 × 1080 (square)',
  '1080x1920': '1080 × 1920 (upright)',
};

function row(label: string, control: HTMLElement, tip?: string): HTMLElement {
  return h('label', { class: 'tool-row', 'data-tip': tip }, h('span', {}, label), control);
}

/** A progress bar with a Stop button. */
class Work {
  private readonly bar = h('div', { class: 'progress-fill' });
  private readonly text = h('span', { class: 'progress-text' });
  private stopped = false;
  readonly running = new Signal(false);
  readonly element = h(
    'div',
    {
      class: 'progress',
      hidden: true,
      role: 'progressbar',
      'aria-label': 'Export',
      'aria-valuemin': 0,
      'aria-valuemax': 100,
    },
    h('div', { class: 'progress-track' }, this.bar),
    h(
      'div',
      { class: 'progress-line' },
      this.text,
      button('Stop', () => (this.stopped = true), { class: 'small' }),
    ),
  );

  private readonly progress: Progress = async (done, of, what) => {
    const share = Math.round((100 * done) / of);
    this.bar.style.width = `${share}%`;
    this.text.textContent = what;
    this.element.setAttribute('aria-valuenow', String(share));
    await breathe();
    if (this.stopped) throw new Stopped();
  };

  async run(make: (progress: Progress) => Promise<Blob>, name: string): Promise<void> {
    if (this.running.value) return;
    this.stopped = false;
    this.running.value = true;
    this.element.hidden = false;
    this.element.scrollIntoView({ block: 'nearest' });
    try {
      const blob = await make(this.progress);
      download(blob, name);
      say({ kind: 'info', text: `Saved ${name}`, detail: readableSize(blob.size) });
    } catch (error) {
      if (error instanceof Stopped) say({ kind: 'info', text: `Stopped: ${name} is not saved` });
      else say({ kind: 'error', text: `${name} cannot be saved`, detail: messageOf(error) });
    } finally {
      this.running.value = false;
      this.element.hidden = true;
    }
  }

  stop(): void {
    this.stopped = true;
  }
}

function readableSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

class ExportPanel {
  private readonly work = new Work();
  private readonly transparent = toggle('Transparent background', readPreference('export.transparent', false), (on) =>
    writePreference('export.transparent', on),
  );
  private readonly both = toggle('Before and after', readPreference('export.both', false), (on) =>
    writePreference('export.both', on),
  );
  private readonly turntable = toggle('Turntable', readPreference('export.turntable', false), (on) =>
    writePreference('export.turntable', on),
  );
  private tolerance = readPreference('export.tolerance-thousandths', 0);
  private fps = readPreference('export.fps', 0);
  private filmFps = readPreference('export.film', 30);
  private filmFormat = new Signal<FilmFormat>(readPreference('export.film-format', 'mp4'));
  private filmSize = readPreference('export.film-size', 'view');
  private readonly filmNote = h('p', { class: 'tool-note faint' });
  private smearMeshes = readPreference('export.extras', true);
  private readonly note = h('p', { class: 'tool-note' });
  private readonly estimate = h('p', { class: 'tool-note faint' });
  readonly element: HTMLElement;
  private readonly stops: (() => void)[] = [];

  constructor(private readonly app: App) {
    this.element = h(
      'div',
      { class: 'tool-body export-tool' },
      this.glbPart(),
      this.bonesPart(),
      this.stylePart(),
      this.projectPart(),
      this.mediaPart(),
      this.work.element,
    );
    const refresh = once(() => this.refresh());
    this.stops.push(
      kind.listen(refresh),
      which.listen(refresh),
      app.store.document.listen(refresh),
      app.player.span.listen(refresh),
      this.work.running.listen((running) =>
        this.element.querySelectorAll<HTMLButtonElement>('.export-button').forEach((one) => (one.disabled = running)),
      ),
    );
    this.refresh();
  }

  private get stem(): string {
    return fileName(this.app.store.current.file.name.replace(/\.(glb|gltf|vrm|bvh|fbx)$/i, ''));
  }

  private get clipName(): string {
    const { session, store } = this.app;
    return fileName(session.value?.clip(store.current.clip)?.name || 'rest');
  }

  private number(
    label: string,
    value: number,
    range: { from: number; to: number; unit?: string; whole?: boolean; zero?: string },
    change: (value: number) => void,
  ): HTMLElement {
    const field = numberField({
      label,
      min: range.from,
      ...range,
      change: (next) => {
        if (typeof next === 'number') change(next);
        this.refresh();
        return undefined;
      },
    });
    field.set(value);
    return field.element;
  }

  private glbPart(): HTMLElement {
    const fps = this.number('Frame rate', this.fps, { from: 0, to: 60, whole: true, zero: "the clip's" }, (value) =>
      writePreference('export.fps', (this.fps = value)),
    );
    const tolerance = this.number('Tolerance', this.tolerance, { from: 0, to: 10, unit: '1/1000 L' }, (value) =>
      writePreference('export.tolerance-thousandths', (this.tolerance = value)),
    );
    const smearMeshes = toggle('Smear meshes', this.smearMeshes, (on) =>
      writePreference('export.extras', (this.smearMeshes = on)),
    );
    return section('Character', [
      segmented('Contents of the file', kind, [
        { value: 'corrective', text: 'Skinned', tip: 'Skin with corrective morph targets' },
        { value: 'vertex', text: 'Mesh', tip: 'Mesh without skin' },
        { value: 'plain', text: 'Style', tip: 'Style only' },
      ]),
      this.note,
      button('Save .glb', () => void this.saveGlb(), { class: 'primary wide export-button', icon: 'export' }),
      this.estimate,
      h(
        'div',
        { class: 'bake-rows' },
        h(
          'div',
          { class: 'tool-row' },
          h('span', {}, 'Clips'),
          segmented('Clips', which, [
            { value: 'this', text: 'This', tip: 'This clip' },
            { value: 'all', text: 'All', tip: 'All clips' },
          ]),
        ),
        row('Frame rate', fps, "Baked frames per second (0: the clip's own rate)"),
        row(
          'Tolerance',
          tolerance,
          "Max error in thousandths of the character's size L (0: exact); larger values make smaller files",
        ),
        row('Smear meshes', smearMeshes, 'Export in-between copies and motion lines as separate meshes'),
      ),
    ]);
  }

  /** The page writes no bones; the program does, with the saved style. */
  private bonesPart(): HTMLElement {
    const command = h('code', { class: 'command' });
    this.stops.push(
      this.app.store.document.watch(() => {
        const { name } = this.app.store.current.file;
        const word = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
        command.textContent = `limber apply ${word(name)} --style ${word(`${this.stem}.style.json`)} --bake bones -o ${word(`${this.stem}-bones.glb`)}`;
      }),
    );
    return section(
      'Bones for games',
      [
        h('p', { class: 'tool-note' }, 'No morph targets: helper bones carry the effects. Save the style, then run'),
        command,
        button('Save style and copy command', () => void this.copyBones(command.textContent ?? ''), {
          class: 'wide export-button',
        }),
      ],
      { open: false },
    );
  }

  private async copyBones(command: string): Promise<void> {
    this.saveStyle();
    await copyText(command, 'Command copied');
  }

  private stylePart(): HTMLElement {
    const code: HTMLButtonElement = button('Copy as code…', () => openMenu(code, codeMenu(this.app)), {
      class: 'wide export-button',
      tip: 'For three.js, C or the command line',
    });
    code.setAttribute('aria-haspopup', 'menu');
    return section('Style', [
      h('p', { class: 'tool-note' }, 'For limber apply --style, for other characters, and for games.'),
      button('Save style', () => this.saveStyle(), { class: 'wide export-button' }),
      button('Copy link', () => void copyStyleLink(this.app), {
        class: 'wide export-button',
        tip: 'The style is in the link itself; nothing is uploaded',
      }),
      code,
    ]);
  }

  private projectPart(): HTMLElement {
    return section('Project', [
      h('p', { class: 'tool-note' }, 'Character, style, paint and takes in one file, to go on later or elsewhere.'),
      button('Save project', () => void saveProject(this.app), { class: 'wide export-button' }),
    ]);
  }

  private mediaPart(): HTMLElement {
    const film = this.number('Frame rate', this.filmFps, { from: 1, to: 60, whole: true }, (value) =>
      writePreference('export.film', (this.filmFps = value)),
    );
    const size = select(
      'Film size',
      Object.entries(SIZES).map(([value, text]) => ({ value, text })),
      this.filmSize in SIZES ? this.filmSize : 'view',
      (value) => {
        writePreference('export.film-size', (this.filmSize = value));
        this.refresh();
      },
    );
    this.stops.push(
      this.filmFormat.listen((format) => {
        writePreference('export.film-format', format);
        this.refresh();
      }),
    );
    const formats = h('div', { class: 'film-formats' });
    void this.offerFormats(formats);
    return section('Picture and film', [
      row('Transparent', this.transparent, 'No background: in pictures and PNG frames'),
      button('Save picture', () => void this.savePicture(), { class: 'wide export-button' }),
      formats,
      row('Film size', size),
      row('Before and after', this.both, 'The plain animation on the left, the styled one on the right'),
      row('Turntable', this.turntable, 'The camera goes round the character once'),
      row('Frame rate', film, 'Frames per second of the film'),
      button('Save film', () => void this.saveFilm(), {
        class: 'wide export-button',
        tip: 'The whole clip, every frame exact',
      }),
      this.filmNote,
    ]);
  }

  /** Formats that this browser cannot encode are not offered; PNG frames always work. */
  private async offerFormats(holder: HTMLElement): Promise<void> {
    const formats = await filmFormats({ width: 1280, height: 720, fps: 30 });
    if (!formats.includes(this.filmFormat.value)) this.filmFormat.value = formats[0];
    holder.replaceChildren(
      segmented(
        'Film format',
        this.filmFormat,
        formats.map((value) => ({ value, text: FORMATS[value].text, tip: FORMATS[value].tip })),
      ),
    );
  }

  private get chosenSize(): { width: number; height: number } | undefined {
    const [width, height] = this.filmSize.split('x').map(Number);
    return width && height ? { width, height } : undefined;
  }

  private get chosenClips(): number[] {
    const { session, store } = this.app;
    const count = session.value?.clips.length ?? 0;
    if (!count) return [];
    return which.value === 'all'
      ? Array.from({ length: count }, (_, i) => i)
      : [Math.min(store.current.clip, count - 1)];
  }

  /** Estimates the size of an exact bake. */
  private refresh(): void {
    const session = this.app.session.value;
    this.note.textContent = KINDS[kind.value];
    const { width, height } = filmSize(this.app, this.chosenSize, this.filmFps);
    this.filmNote.textContent = `${filmFrames(this.app, this.filmFps)} frames of ${width} × ${height}`;
    this.element.querySelector<HTMLElement>('.bake-rows')!.hidden = kind.value === 'plain';
    this.estimate.hidden = kind.value === 'plain';
    if (!session || kind.value === 'plain') return;
    const frames = this.chosenClips.reduce((sum, index) => {
      const { start, end, fps } = session.clipInfo(index);
      return sum + Math.round((end - start) * (this.fps || fps || 30)) + 1;
    }, 0);
    const size = frames * session.character.vertexCount * 24;
    this.estimate.textContent = frames
      ? `${frames} frames${this.tolerance ? '' : `, about ${readableSize(size + session.file.bytes.length)}`}`
      : 'The file has no clips. Only style and layers are written.';
  }

  saveGlb(): Promise<void> {
    const { app } = this;
    const session = app.session.value!;
    const options: GlbOptions = {
      kind: kind.value,
      clips: this.chosenClips,
      fps: this.fps,
      tolerance: this.tolerance,
      smearMeshes: this.smearMeshes ? 'separate' : 'none',
    };
    app.player.playing.value = false;
    return this.work.run(
      (progress) => exportGlb(session, app.store.current, options, progress),
      `${this.stem}-${kind.value === 'plain' ? 'style' : 'toon'}.glb`,
    );
  }

  saveStyle(): void {
    const text = `${JSON.stringify(this.app.store.current.style, null, 2)}\n`;
    download(new Blob([text], { type: 'application/json' }), `${this.stem}.style.json`);
  }

  savePicture(): Promise<void> {
    const frame = String(this.app.player.frame).padStart(3, '0');
    return this.work.run(
      () => exportPicture(this.app, this.transparent.checked),
      `${this.stem}-${this.clipName}-${frame}.png`,
    );
  }

  saveFilm(): Promise<void> {
    const format = this.filmFormat.value;
    const { checked: both } = this.both;
    const stem = `${this.stem}-${this.clipName}${both ? '-before-after' : ''}`;
    const { checked: transparent } = this.transparent;
    const { checked: turntable } = this.turntable;
    const options = { format, size: this.chosenSize, fps: this.filmFps, transparent, both, turntable, stem };
    return this.work.run((progress) => exportFilm(this.app, options, progress), stem + FORMATS[format].ending);
  }

  dispose(): void {
    this.work.stop();
    this.stops.forEach((stop) => stop());
  }
}

export const exportTool: Tool<App> = {
  id: 'export',
  name: 'Export',
  summary: 'Save the character, the style, a picture or a film',
  icon: ICONS.export,
  key: 'x',
  start: (app) => {
    const panel = new ExportPanel(app);
    return {
      panel: panel.element,
      save: (what) => void (what === 'picture' ? panel.savePicture() : panel.saveGlb()),
      stop: () => panel.dispose(),
    };
  },
};
