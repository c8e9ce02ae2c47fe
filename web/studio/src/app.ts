// The whole studio: document, character, clock, view, and the active tool. The parts of the window observe it and ask
// it for changes; they do not know each other.
import { LimberError } from 'limber/engine';
import type { Engine, Style, StyleSource, StyleText } from 'limber/engine';
import { takeAsked } from './core/address';
import { takesOfMotion } from './core/motion';
import type { MotionOptions } from './core/motion';
import type { Asked, Served } from './core/address';
import { FIRST_CLIP } from './core/built_in';
import { Company } from './core/company';
import { getKey, keyNames, newDocument, setKey } from './core/document';
import type { Document, SourceFile } from './core/document';
import { Keyboard } from './core/keyboard';
import { FileError, messageOf } from './core/file_error';
import { load } from './core/load';
import { openFitting } from './core/opening';
import type { Wish } from './core/opening';
import { note, timed } from './core/perf';
import { Player } from './core/player';
import { withOwn, withoutOwn } from './core/presets';
import { readProject, takesFit } from './core/project';
import { restore, save } from './core/save';
import type { Reach } from './core/reach';
import { isStyleLink, styleOfLink } from './core/share';
import type { Look, Session } from './core/session';
import { Emitter, Signal } from './core/signal';
import type { Travel } from './core/travel';
import { Store } from './core/store';
import { chosenOf } from './import/beside';
import type { Beside } from './import/beside';
import { sourceOf } from './import/source';
import type { ActiveTool, Tool } from './tools/tool';
import { sentence } from './ui/dom';
import { NoWorker, Twin } from './twin';
import type { Ready } from './twin';
import type { Answer, StillsJob, StrengthJob, StripsJob, Worn } from './twin/job';
import { readPreference, writePreference } from './ui/preferences';
import { clearErrors, clearMessages, say } from './ui/widgets';
import { ColliderWires } from './view/colliders';
import { MotionArrows } from './view/motion';
import type { MotionView } from './view/motion';
import { Picker } from './view/picker';
import { Viewer } from './view/viewer';

const SAVE_MS = 400;
const LONG_MS = 500; // what takes longer is said
const LARGE_BYTES = 4 << 20; // such a file takes long enough to say so

export class App {
  readonly store = new Store();
  readonly player = new Player();
  readonly viewer = new Viewer();
  readonly picker = new Picker();
  readonly keyboard = new Keyboard();
  /** Does what takes long. */
  readonly twin = new Twin();
  /** The current character. */
  readonly session = new Signal<Session | undefined>(undefined);
  readonly busy = new Signal(false);
  /** What is done to a file that is being opened. */
  readonly opening = new Signal<string | undefined>(undefined);
  /** Whether the character has not yet the style or the clip of the document: the twin makes them. */
  readonly behind = new Signal(false);
  /** A style that does not fit the character. */
  private refused: Style | undefined;
  /** Why the document's style does not fit the character, if it does not. */
  readonly styleFault = new Signal<string | undefined>(undefined);
  /** Index of the selected joint; -1 for none. */
  readonly joint = new Signal(-1);
  /** Whether to show joints and bones on top of the character. */
  readonly showBones = new Signal(false);
  /** Whether to show colliders as wires. */
  readonly showColliders = new Signal(false);
  /** What of the joints' motion to show as arrows. */
  readonly motionView = new Signal<MotionView>('off');
  /** What the style is compared with; undefined: the plain animation. */
  readonly compareWith = new Signal<{ name: string; style: Style } | undefined>(undefined);
  /** Path of the selected part of the style: 'effects.floppy', 'smear.lines'. */
  readonly part = new Signal('');
  readonly tool = new Signal<Tool<App> | undefined>(undefined);
  readonly activeTool = new Signal<ActiveTool | undefined>(undefined);
  /** Emitted after a frame was computed, with the milliseconds of CPU time. */
  readonly frameCost = new Emitter<number>();
  /** How many places the last dab of a brush has looked at, for tests. */
  paintWork = { visited: 0, all: 0 };
  private readonly colliderWires = new ColliderWires();
  private readonly arrows = new MotionArrows();
  /** Characters beside this one, to compare. */
  readonly company: Company;
  /** A drag is one step of the history, however slow it is. */
  private pointerIsDown = false;
  private saveTimer = 0;
  /** What the picker knows; undefined: a pose of a tool. */
  private picked: { document: Document; time: number } | undefined;
  /** Until the character of the document is shown. */
  private adopted: Promise<void> = Promise.resolve();
  private ready: Session | undefined;
  /** The path of the current clip; computed when the camera first follows it. */
  private way: { travel: Travel; around: Reach } | undefined;

  constructor(
    readonly engine: Engine,
    readonly tools: readonly Tool<App>[],
  ) {
    this.store.document.listen((now, before) => now && this.follow(now, before));
    this.player.time.listen(() => this.viewer.invalidate());
    this.player.playing.listen(() => this.viewer.invalidate());
    this.viewer.compare.listen(() => void this.preparePlain());
    this.compareWith.listen(() => void this.preparePlain());
    this.viewer.beforeFrame.listen((seconds) => this.frame(seconds));
    this.viewer.drawOverlay.listen((overlay) => this.activeTool.value?.overlay?.(overlay));
    this.player.playing.listen(() => this.saveSoon());
    this.joint.listen(() => this.viewer.invalidate());
    this.showBones.listen(() => this.viewer.invalidate());
    this.showColliders.listen(() => this.viewer.invalidate());
    this.motionView.listen(() => this.viewer.invalidate());
    this.viewer.helpers.add(this.colliderWires.object, this.arrows.object);
    this.company = new Company(engine);
    this.viewer.stage.scene.add(this.company.object);
    this.viewer.lost.listen((lost) => (lost ? this.sayLost() : clearErrors()));
    for (const [type, down] of [
      ['pointerdown', true],
      ['pointerup', false],
      ['pointercancel', false],
    ] as const)
      window.addEventListener(type, () => (this.pointerIsDown = down), { capture: true });
  }

  private sayLost(): void {
    say({
      kind: 'error',
      text: 'The browser has taken the graphics away',
      detail: 'The picture comes back as soon as it gives them back. Your work is kept.',
      action: { text: 'Reload', run: () => window.location.reload() },
    });
  }

  // --- frames ---

  private frame(seconds: number): void {
    const session = this.session.value;
    const tool = this.activeTool.value;
    if (!session) return;
    this.player.advance(seconds);
    const start = performance.now();
    const posed = tool?.show?.(seconds) ?? false;
    if (!posed && this.isSeen(session, this.store.current)) this.showMoment(session);
    this.colliderWires.show(this.showColliders.value ? session.toon.colliders() : [], session.size);
    this.arrows.show(posed ? 'off' : this.motionView.value, session, this.store.current.clip, this.player.time.value);
    this.goAlong(session);
    const now = posed ? undefined : { document: this.store.current, time: this.player.time.value };
    if (!now || now.document !== this.picked?.document || now.time !== this.picked.time) this.picker.moved();
    this.picked = now;
    note('frame', performance.now() - start);
    note('draw', this.viewer.drawMilliseconds); // of the frame before
    this.frameCost.emit(performance.now() - start);
    this.viewer.running = this.player.playing.value || (tool?.running?.() ?? false);
  }

  private showMoment(session: Session): void {
    const { clip } = this.store.current;
    const comparing = this.viewer.compare.value !== 'off' && session.plainReady;
    session.show(clip, this.player.time.value, comparing);
    this.company.show(session.clip(clip)?.name ?? '', this.player.time.value - this.player.span.value.start);
  }

  private goAlong(session: Session): void {
    const { follow } = this.viewer;
    if (follow.value && !this.way) {
      const travel = session.travel(this.store.current.clip);
      this.way = { travel, around: session.reach(this.store.current.clip, travel) };
    }
    this.viewer.goAlong(
      follow.value && this.way
        ? { place: this.way.travel.at(this.player.time.value), around: this.way.around }
        : undefined,
    );
  }

  async preparePlain(): Promise<void> {
    const session = this.session.value;
    if (!session || this.viewer.compare.value === 'off') return;
    await session.preparePlain();
    try {
      session.comparison = this.compareWith.value?.style ?? {};
    } catch {
      say({
        kind: 'info',
        text: `${this.compareWith.value?.name} does not fit this character: compared with the plain`,
      });
      this.compareWith.value = undefined;
    }
    this.viewer.invalidate();
  }

  /** Compares with another style, side by side if nothing is compared yet; undefined: with the plain animation. */
  compareTo(other: { name: string; style: Style } | undefined): void {
    this.compareWith.value = other;
    if (this.viewer.compare.value === 'off') this.viewer.compare.value = 'split';
  }

  // --- files ---

  /** Opens a file. If that fails, it shows an error and the document stays unchanged. */
  async open(
    name: string,
    bytes: Uint8Array,
    options: { style?: StyleSource; builtIn?: string; clip?: string; beside?: Beside } = {},
  ): Promise<boolean> {
    this.busy.value = true;
    try {
      await this.tell(`Reading ${name}`, bytes);
      const file = await sourceOf(name, bytes, options.builtIn, options.beside);
      const clip = options.clip ?? FIRST_CLIP[options.builtIn ?? ''];
      const wish = { style: options.style, current: this.store.document.value?.style };
      const session = await this.openSession(file, wish, clip);
      await this.tell('Looking at the motion', bytes);
      this.ready = session;
      const wanted = session.clips.findIndex(({ name: known }) => known === clip);
      const style = structuredClone<Style>(session.toon.style); // without the empty groups that a Toon adds
      const document = newDocument(file, style, Math.max(wanted, 0));
      if (this.store.document.value) this.store.change(`Open ${name}`, () => document);
      else this.store.open(document);
      this.player.seek(this.player.span.value.start);
      clearMessages();
      this.offerCaptureStyle(file, options.style);
      return true;
    } catch (error) {
      this.complain(error, name);
      return false;
    } finally {
      this.busy.value = false;
      this.opening.value = undefined;
    }
  }

  /** Says what is going on; of a large file, the page draws it before it goes on. */
  private async tell(what: string, bytes: Uint8Array): Promise<void> {
    this.opening.value = what;
    if (bytes.length > LARGE_BYTES)
      await new Promise<void>((done) => requestAnimationFrame(() => window.setTimeout(done)));
  }

  /** A style for captured motion, one click away. */
  private offerCaptureStyle({ name }: SourceFile, style?: StyleSource): void {
    if (style || !/\.bvh$/i.test(name)) return;
    const wear = () => {
      this.chooseStyle('Preset mocap-toon', withOwn(this.engine.parseStyle('mocap-toon'), this.store.current.style));
    };
    say({
      kind: 'info',
      text: 'Captured motion',
      detail: 'The preset mocap-toon is made for it.',
      action: { text: 'Use mocap-toon', run: wear },
      stay: true,
    });
  }

  private complain(error: unknown, name: string): void {
    if (error instanceof FileError) say({ kind: 'error', text: error.message, detail: error.detail });
    else say({ kind: 'error', text: `${name} cannot be opened`, detail: messageOf(error) });
  }

  /** The character of a file. The twin makes it; `clip` is the one to look at first. */
  private async openSession(file: SourceFile, wish: Wish, clip?: string | number): Promise<Session> {
    const start = performance.now();
    const made = await this.makeAway(file, wish, clip);
    const engine = made?.engine ?? this.engine;
    const loaded = await load(engine, file);
    note('file', performance.now() - start);
    await this.tell('Making the character', file.bytes);
    const begin = performance.now();
    const session = await openFitting(engine, loaded, made ? { style: made.style, only: true } : wish);
    session.seen = made?.seen;
    note('character', performance.now() - begin);
    return session;
  }

  /** The twin's character; undefined where there is no twin. */
  private async makeAway(file: SourceFile, wish: Wish, clip?: string | number): Promise<Ready | undefined> {
    const plain = this.viewer.compare.value !== 'off';
    try {
      return await this.twin.open({ file, wish, clip, plain }, (what) => (this.opening.value = what));
    } catch (error) {
      if (error instanceof NoWorker) return undefined;
      throw error;
    } finally {
      this.opening.value = undefined;
    }
  }

  async openFile(file: File, beside?: Beside): Promise<boolean> {
    if (/\.jsonc?$/i.test(file.name)) return this.wear(file.name, (await file.text()) as StyleText);
    const bytes = new Uint8Array(await file.arrayBuffer());
    return /\.limber$/i.test(file.name) ? this.openProject(file.name, bytes) : this.open(file.name, bytes, { beside });
  }

  /** Opens a project with everything in it. If that fails, it shows an error and the document stays unchanged. */
  async openProject(name: string, bytes: Uint8Array): Promise<boolean> {
    this.busy.value = true;
    try {
      const { document, time } = readProject(name, bytes);
      const session = await this.openSession(document.file, { style: document.style, only: true }, document.clip);
      const { vertexCount, joints, meshes } = session.character;
      const [layer] = Object.entries(document.layers).find(([, values]) => values.length !== vertexCount) ?? [];
      const stranger = layer === undefined ? 'A take' : `Its layer ${layer}`;
      if (layer !== undefined || !takesFit(document.takes, joints.length, meshes.length)) {
        session.dispose();
        throw new FileError(`${name} cannot be opened`, `${stranger} is of another character.`);
      }
      this.ready = session;
      if (this.store.document.value) this.store.change(`Open ${name}`, () => document);
      else this.store.open(document);
      this.player.seek(time);
      clearMessages();
      return true;
    } catch (error) {
      this.complain(error, name);
      return false;
    } finally {
      this.busy.value = false;
    }
  }

  /** Adds the clips of a file to the open character. If that fails, it shows an error and nothing changes. */
  async addMotion(file: File, options: MotionOptions = {}): Promise<boolean> {
    const session = this.session.value;
    if (!session) return this.openFile(file);
    this.busy.value = true;
    try {
      const { bytes } = await sourceOf(file.name, new Uint8Array(await file.arrayBuffer()));
      const names = session.clips.map((clip) => clip.name);
      const { takes, match } = await takesOfMotion(session, file.name, bytes, names, options);
      const first = session.clips.length;
      this.store.change(`Add the motion of ${file.name}`, (document) => ({
        ...document,
        takes: [...document.takes, ...takes],
        clip: first,
      }));
      this.player.seek(this.player.span.value.start);
      clearErrors();
      const text = takes.length === 1 ? `${takes[0].name} is added` : `${takes.length} clips are added`;
      say({ kind: 'info', text, detail: match });
      return true;
    } catch (error) {
      this.complain(error, file.name);
      return false;
    } finally {
      this.busy.value = false;
    }
  }

  /** Opens files that came together, by their paths: first the character, so that a style fits it. */
  async openFiles(files: ReadonlyMap<string, File>): Promise<void> {
    const chosen = chosenOf(files);
    const [, style] = [...files].find(([path]) => /\.jsonc?$/i.test(path)) ?? [];
    if (chosen && !(await this.openFile(chosen.file, chosen.beside))) return;
    if (style) await this.openFile(style);
  }

  /**
   * Applies a style that comes from elsewhere. What it says about joints and parts of another character is left out,
   * where that does not fit.
   */
  wear(name: string, source: StyleSource): boolean {
    const title = /\.jsonc?$/i.test(name) ? name : sentence(name);
    let fault = this.checkStyle(source);
    let style: Style | undefined;
    let left = false;
    if (fault === undefined) style = this.engine.parseStyle(source);
    else
      try {
        style = withoutOwn(this.engine.parseStyle(source));
        left = this.checkStyle(style) === undefined;
      } catch {
        style = undefined; // it is no style at all
      }
    if (fault === undefined || left) fault = this.chooseStyle(`Apply ${name}`, style!);
    if (fault !== undefined) {
      const [detail] = fault.split('\n');
      say({ kind: 'error', text: `${title} cannot be used`, detail });
      return false;
    }
    clearErrors();
    say({
      kind: 'info',
      text: `${title} is applied`,
      detail: left ? 'Settings for joints and parts of another character are left out.' : undefined,
    });
    return true;
  }

  /** Applies the style in the address, and takes it out of there: a reload keeps what is edited afterwards. */
  async wearLink(link: string): Promise<boolean> {
    if (!isStyleLink(link)) return false;
    if (link === window.location.href) window.history.replaceState(null, '', link.split('#')[0]);
    try {
      return this.wear('the style of the link', (await styleOfLink(link)) as StyleText);
    } catch (error) {
      say({ kind: 'error', text: messageOf(error) });
      return false;
    }
  }

  /** Puts a built-in character beside this one, with the same style. */
  async addBeside(name: string): Promise<void> {
    const host = this.session.value;
    if (!host || this.company.isFull) return say({ kind: 'info', text: 'There is no room for another character' });
    this.busy.value = true;
    try {
      const response = await fetch(`./characters/${name}.glb`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      await this.company.add(
        { name: `${name}.glb`, kind: 'glb', bytes, builtIn: name },
        host,
        this.store.current.style,
      );
      this.viewer.beside = this.company.width;
      this.viewer.frame();
    } catch (error) {
      this.complain(error, name);
    } finally {
      this.busy.value = false;
    }
  }

  sendAway(): void {
    this.company.clear();
    this.viewer.beside = 0;
    this.viewer.frame();
  }

  async openBuiltIn(name: string, options: { clip?: string; style?: StyleSource } = {}): Promise<boolean> {
    const response = await fetch(`./characters/${name}.glb`);
    if (!response.ok) {
      say({
        kind: 'error',
        text: `The built-in character ${name} is missing`,
        detail: `The server answered ${response.status}.`,
      });
      return false;
    }
    return this.open(`${name}.glb`, new Uint8Array(await response.arrayBuffer()), { ...options, builtIn: name });
  }

  /**
   * Opens the file that `limber studio FILE` was started with, else what the address asks for, else the last document,
   * else the cow, with the style from `--style`.
   */
  async begin(): Promise<'session' | 'restored' | 'first'> {
    const served = await this.served();
    const asked = takeAsked();
    const began = (await this.openServed(served)) ? 'session' : await this.beginAsked(asked);
    if (began !== 'session' && !asked) this.applyServedStyle(served);
    await this.adopted;
    await this.wearLink(window.location.href);
    window.addEventListener('hashchange', () => void this.wearLink(window.location.href));
    return began;
  }

  private async beginAsked(asked: Asked | undefined): Promise<'restored' | 'first'> {
    if (!asked) return this.beginAlone();
    let fault: string | undefined;
    try {
      if (asked.style !== undefined) this.engine.parseStyle(asked.style);
    } catch (error) {
      fault = messageOf(error);
    }
    const opened = await this.openBuiltIn(asked.character, fault === undefined ? asked : { clip: asked.clip });
    if (opened && fault !== undefined)
      say({ kind: 'error', text: 'The style in the address cannot be used', detail: fault.split('\n')[0] });
    return opened ? 'first' : this.beginAlone();
  }

  private async beginAlone(): Promise<'restored' | 'first'> {
    const saved = await restore().catch(() => undefined);
    if (saved) {
      try {
        const { file, style, clip } = saved.document;
        this.ready = await this.openSession(file, { style, only: true }, clip);
        this.store.open({ ...saved.document, base: saved.document.base ?? saved.document.style });
        this.player.seek(saved.time);
        return 'restored';
      } catch (error) {
        say({ kind: 'error', text: 'The last document cannot be opened', detail: messageOf(error) });
      }
    }
    await this.openBuiltIn('cow');
    return 'first';
  }

  private async served(): Promise<Served> {
    try {
      const response = await fetch('./session.json', { cache: 'no-store' });
      return response.ok && /json/.test(response.headers.get('content-type') ?? '')
        ? ((await response.json()) as Served)
        : {};
    } catch {
      return {};
    }
  }

  private async openServed({ name, file, style }: Served): Promise<boolean> {
    if (!name || !file) return false;
    try {
      const bytes = await fetch(file);
      return bytes.ok && (await this.open(name, new Uint8Array(await bytes.arrayBuffer()), { style }));
    } catch {
      return false;
    }
  }

  /**
   * Applies a style that came without a file, once per start of the program. After a reload, the edited style is kept.
   */
  private applyServedStyle({ style, styleName = 'style' }: Served): void {
    const start = window.location.pathname; // contains a token that is new for every start
    if (!style || readPreference('served', '') === start) return;
    writePreference('served', start);
    const fault = this.checkStyle(style) ?? this.chooseStyle(`Style ${styleName}`, this.engine.parseStyle(style));
    if (fault) say({ kind: 'error', text: `The style ${styleName} does not fit this character`, detail: fault });
  }

  // --- the twin ---

  /** Starts a job about the current character, away from the page. Calling the result ends it. */
  ask(job: StripsJob | StillsJob | StrengthJob, hear: (answer: Answer) => void): () => void {
    const session = this.session.value;
    if (!session) return () => {};
    return this.twin.ask(session, this.wornBy(session), job, hear);
  }

  private wornBy(session: Session): Worn {
    const { layers, takes } = this.store.current;
    return { layers, takes, hidden: session.toon.meshes.map((mesh) => !mesh.visible) };
  }

  /** Lets the twin make the style and the clip of the document, as long as one is missing. */
  private async catchUp(): Promise<void> {
    if (this.behind.value) return;
    this.behind.value = true;
    const start = performance.now();
    let made = false;
    try {
      while (await this.makeMissing()) made = true;
    } finally {
      this.behind.value = false;
    }
    if (!made) return;
    note('style', performance.now() - start);
    this.store.tellAgain();
    this.viewer.invalidate();
  }

  /** Does something as soon as the character has the style and the clip of the document. */
  whenWorn(work: () => void): void {
    if (!this.behind.value) return work();
    const stop = this.behind.listen(() => {
      stop();
      work();
    });
  }

  /** Whether there may be more to do. */
  private async makeMissing(): Promise<boolean> {
    const session = this.session.value;
    const document = this.store.document.value;
    if (!session || !document || session.file !== document.file) return false;
    const look = !this.isSeen(session, document);
    const isWorn = session.wears(document.style) || document.style === this.refused;
    if (isWorn && !look) return false;
    const style = isWorn ? structuredClone<Style>(session.toon.style) : document.style;
    const fresh = () => this.session.value === session && this.sameContents(document);
    try {
      const made = await this.wearAway(session, style, look);
      if (!fresh()) return true;
      const before = timed('swap', () => session.resume(made.engine, style, document.clip, this.player.time.value));
      if (before !== this.engine) this.twin.recycle(before);
      this.picked = undefined;
      if (made.seen) this.fitSeen(session, made.seen);
      if (!isWorn) this.styleFault.value = undefined;
    } catch (error) {
      if (!fresh()) return true;
      if (isWorn || error instanceof NoWorker) this.makeHere(session, document);
      else this.refuse(document.style, error);
    }
    this.viewer.invalidate();
    return true;
  }

  private wearAway(session: Session, style: Style, look: boolean): Promise<Ready> {
    const { clip } = this.store.current;
    const comparison = session.plainReady && this.viewer.compare.value !== 'off' ? session.comparison : undefined;
    const long = window.setTimeout(() => (this.opening.value = 'Making the style'), LONG_MS);
    const job = { style, clip, time: this.player.time.value, comparison, look };
    const tell = (what: string) => this.opening.value !== undefined && (this.opening.value = what);
    return this.twin.wear(session, this.wornBy(session), job, tell).finally(() => {
      window.clearTimeout(long);
      this.opening.value = undefined;
    });
  }

  /** Where there is no twin. */
  private makeHere(session: Session, document: Document): void {
    try {
      session.apply(document);
      this.styleFault.value = undefined;
    } catch (error) {
      this.refuse(document.style, error);
    }
    this.fitClip(session, document.clip);
  }

  private refuse(style: Style, error: unknown): void {
    this.refused = style;
    this.styleFault.value = messageOf(error);
  }

  private isSeen(session: Session, { clip }: Document): boolean {
    return session.seen?.clip === clip;
  }

  /** Whether the document has the takes and layers of this one; the values of layers may differ. */
  private sameContents({ takes, layers }: Document): boolean {
    const { takes: takesNow, layers: layersNow } = this.store.current;
    return takes === takesNow && Object.keys(layers).join('\n') === Object.keys(layersNow).join('\n');
  }

  // --- the document ---

  private follow(now: Document, before: Document | undefined): void {
    this.saveSoon();
    if (!before || now.file !== before.file || !this.session.value) this.adopted = this.adopt(now);
    else this.apply(now, before);
    this.viewer.invalidate();
  }

  /** The document has another file: load it, unless `open` has just done so (as it has not after an undo). */
  private async adopt(document: Document): Promise<void> {
    let session = this.ready?.file === document.file ? this.ready : undefined;
    this.ready = undefined;
    try {
      session ??= await this.openSession(document.file, { style: document.style, only: true }, document.clip);
    } catch (error) {
      return this.complain(error, document.file.name);
    }
    if (this.store.document.value?.file !== document.file) return session.dispose();
    const old = this.session.value;
    this.joint.value = -1;
    this.viewer.setSession(session);
    this.picker.setSession(session);
    this.session.value = session;
    this.apply(this.store.current);
    this.viewer.frame();
    await this.preparePlain();
    this.restartTool();
    // Dispose of the old session after the first frame of the new one, so that shared shaders are not recompiled.
    requestAnimationFrame(() => requestAnimationFrame(() => old?.dispose()));
  }

  private apply(document: Document, before?: Document): void {
    const session = this.session.value!;
    const { toon } = session;
    try {
      session.applyContents(document);
      if (document.style !== before?.style) this.company.wear(document.style);
      if (session.wears(document.style)) this.styleFault.value = undefined;
    } catch (error) {
      this.styleFault.value = messageOf(error);
    }
    if (document.style !== before?.style) this.refused = undefined;
    if (before && document.takes !== before.takes) this.fitClip(session, document.clip);
    else if (document.clip !== before?.clip) this.fitSpan(session, document);
    if (session.toon !== toon) this.picker.setSession(session);
    void this.catchUp();
  }

  /** The time of another clip at once; what it sweeps as soon as it is known. */
  private fitSpan(session: Session, document: Document): void {
    const { motionStart: start, end, fps } = session.clipInfo(document.clip);
    this.player.setSpan({ start, end: Math.max(end, start + 1e-3), fps: fps || 30 });
    if (this.isSeen(session, document)) this.fitSeen(session, session.seen!);
  }

  private fitSeen(session: Session, seen: Look): void {
    session.seen = seen;
    this.viewer.fit(seen.reach, session.size, seen.floor);
    this.way = undefined;
    this.goAlong(session);
  }

  /** Looks at a clip here, which takes long. */
  private fitClip(session: Session, clip: number): void {
    this.fitSpan(session, this.store.current);
    const reach = session.reach(clip);
    const floor = session.floor(clip, reach.box.min.y);
    this.fitSeen(session, { clip, reach, floor, contacts: session.contacts(clip) });
  }

  /** Changes the style. If the engine rejects it, this returns the error message and nothing changes. */
  changeStyle(label: string, edit: (style: Style) => Style, merge?: string): string | undefined {
    const style = edit(this.store.current.style);
    const fault = this.checkStyle(style, false);
    if (fault !== undefined) return fault;
    this.store.change(label, (document) => ({ ...document, style }), { merge, hold: this.pointerIsDown });
    return undefined;
  }

  /** Replaces the style by another one, such as a preset or a file. */
  chooseStyle(label: string, style: Style): string | undefined {
    const fault = this.checkStyle(style, false);
    this.store.settle();
    this.store.change(label, (document) => ({ ...document, style, base: style, shelf: {} }));
    return fault;
  }

  /** Sets one key of the style; undefined removes it. */
  setKey(path: string, value: unknown, merge?: string): string | undefined {
    if (Object.is(getKey(this.store.current.style, path), value)) return undefined;
    return this.changeStyle(
      `Change ${keyNames(path).slice(-2).join(' ')}`,
      (style) => setKey(style, path, value),
      merge,
    );
  }

  /**
   * The error message for a style, or undefined if it is valid: a sentence (with its place in the text), then lines
   * that show the error. Joint names are checked as well.
   */
  checkStyle(style: StyleSource, withPlace = true): string | undefined {
    try {
      this.engine.parseStyle(style);
      const session = this.session.value;
      // The character with its clips: corrections of contacts name them.
      session?.exactCharacter.expectStyle(style);
      return undefined;
    } catch (error) {
      if (!(error instanceof LimberError)) return messageOf(error);
      const sentence = withPlace || !error.place ? error.message : error.message.slice(error.place.length + 2);
      return error.detail ? `${sentence}\n${error.detail}` : sentence;
    }
  }

  setClip(clip: number): void {
    this.store.change('Select clip', (document) => (document.clip === clip ? document : { ...document, clip }));
    this.player.seek(this.player.span.value.start);
  }

  undo(): void {
    const label = this.store.undo();
    if (label) say({ kind: 'info', text: `Undone: ${label}` });
  }

  redo(): void {
    const label = this.store.redo();
    if (label) say({ kind: 'info', text: `Redone: ${label}` });
  }

  private saveSoon(): void {
    window.clearTimeout(this.saveTimer);
    this.saveTimer = window.setTimeout(() => void this.saveNow(), SAVE_MS);
  }

  async saveNow(): Promise<void> {
    const document = this.store.document.value;
    if (document) await save({ document, time: this.player.time.value }).catch(() => undefined);
  }

  // --- tools ---

  choose(tool: Tool<App>): void {
    if (this.tool.value === tool) return;
    this.stopTool();
    this.tool.value = tool;
    this.restartTool();
  }

  /** Saves with the settings of the export tool, from any tool. */
  save(what: 'glb' | 'picture'): void {
    const exporter = this.tools.find((tool) => tool.id === 'export');
    if (exporter) this.choose(exporter);
    this.activeTool.value?.save?.(what);
  }

  private stopTool(): void {
    this.activeTool.value?.stop?.();
    this.activeTool.value = undefined;
  }

  private restartTool(): void {
    this.stopTool();
    if (this.tool.value && this.session.value) this.activeTool.value = this.tool.value.start(this);
    this.viewer.invalidate();
  }
}
