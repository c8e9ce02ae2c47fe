// Firefox on a screen in memory (Xvfb; without any screen it has no WebGL), driven over its Marionette socket. The
// protocol is "LENGTH:JSON", where a command is [0, id, name, parameters] and its answer [1, id, error, result].
/* global Services, Ci -- of Firefox, in functions that it runs */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { PATIENCE_MS } from './browser.mjs';

function find(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** Why there is no Firefox here, or false. */
export const missing = () =>
  ['firefox-esr', 'Xvfb'].every(find) ? false : 'needs the Debian packages firefox-esr and xvfb';

const SETTINGS = {
  'marionette.port': 0, // any free one
  'webgl.force-enabled': true, // also without a graphics card
  'ui.prefersReducedMotion': 1,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.update.enabled': false,
  'extensions.update.enabled': false,
  'browser.region.network.url': '',
  'services.settings.server': 'data:,',
};

/** Starts a screen; returns its name (":3") and its process. */
async function makeScreen() {
  const program = spawn(find('Xvfb'), ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    program.stdio[3].once('data', (bytes) => resolve(String(bytes).trim()));
    program.once('exit', (status) => reject(new Error(`Xvfb ended with status ${status}`)));
  });
  return { display: `:${number}`, program };
}

const later = (ms) => new Promise((done) => setTimeout(done, ms));

/** The port that Firefox has chosen; it writes it into its profile. */
async function portOf(profile, program) {
  const file = path.join(profile, 'MarionetteActivePort');
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await later(100)) {
    const port = fs.existsSync(file) && Number(fs.readFileSync(file, 'utf8'));
    if (port) return port;
    if (program.exitCode !== null) throw new Error(`firefox-esr ended with status ${program.exitCode}`);
  }
  throw new Error('firefox-esr does not listen');
}

/** Sends commands one after another. */
class Line {
  #socket;
  #waiting = new Map();
  #text = Buffer.alloc(0);
  #count = 0;

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#read(bytes));
  }

  #read(bytes) {
    this.#text = Buffer.concat([this.#text, bytes]);
    for (;;) {
      const colon = this.#text.indexOf(':');
      const length = Number(this.#text.subarray(0, colon));
      if (colon < 0 || this.#text.length < colon + 1 + length) return;
      const message = JSON.parse(this.#text.subarray(colon + 1, colon + 1 + length));
      this.#text = this.#text.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue; // the greeting
      const [, id, error, result] = message;
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      error ? reject(new Error(`${error.error}: ${error.message}`)) : resolve(result);
    }
  }

  send(name, parameters = {}) {
    const id = ++this.#count;
    const text = JSON.stringify([0, id, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

export async function launchFirefox() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-firefox-'));
  const settings = Object.entries(SETTINGS).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  fs.writeFileSync(path.join(home, 'user.js'), settings.join('\n'));
  const screen = await makeScreen();
  const program = spawn(
    find('firefox-esr'),
    ['--marionette', '--remote-allow-system-access', '--no-remote', '--profile', home],
    {
      stdio: 'ignore',
      env: { ...process.env, HOME: home, DISPLAY: screen.display, MOZ_CRASHREPORTER_DISABLE: '1' },
    },
  );
  const socket = net.connect(await portOf(home, program), '127.0.0.1');
  const line = new Line(socket);
  await line.send('WebDriver:NewSession', { strictFileInteractability: true });
  await line.send('WebDriver:SetTimeouts', { script: PATIENCE_MS, pageLoad: PATIENCE_MS });
  const call = async (work, ...args) => {
    const script = `return (${work})(...arguments)`;
    return (await line.send('WebDriver:ExecuteScript', { script, args })).value;
  };
  return {
    goto: (url) => line.send('WebDriver:Navigate', { url }),
    evaluate: call,
    /** Waits until a function of the page returns something. */
    until: async (work, ...args) => {
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await later(100)) {
        const found = await call(work, ...args);
        if (found) return found;
      }
      throw new Error(`never true in Firefox: ${work}`);
    },
    /** Errors of the page since the browser was started. */
    faults: async () => {
      await line.send('Marionette:SetContext', { value: 'chrome' });
      const found = await call(() =>
        Services.console
          .getMessageArray()
          .filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & 1) && /content/.test(one.category))
          .map((one) => one.errorMessage),
      );
      await line.send('Marionette:SetContext', { value: 'content' });
      return found;
    },
    close: async () => {
      const ended = new Promise((done) => program.once('exit', done));
      await line.send('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => undefined);
      await ended;
      screen.program.kill();
      socket.destroy();
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
