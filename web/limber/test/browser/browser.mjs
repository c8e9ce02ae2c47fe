// Chromium with a page that can import three and limber from this repository, for tests.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const web = fileURLToPath(new URL('../../..', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.css': 'text/css',
};

/** Whatever takes longer hangs, on any machine: no test may fail because one is slow or busy. */
export const PATIENCE_MS = 300_000;

const PAGE = `<!doctype html><meta charset="utf-8"><title>limber</title>
<script type="importmap">{"imports": {
  "three": "/node_modules/three/build/three.module.js",
  "three/webgpu": "/node_modules/three/build/three.webgpu.js",
  "three/tsl": "/node_modules/three/build/three.tsl.js",
  "three/addons/": "/node_modules/three/examples/jsm/",
  "limber/three": "/limber/dist/three.js",
  "limber/webgpu": "/limber/dist/webgpu.js",
  "limber/engine": "/limber/dist/engine.js"
}}</script>`;

function respond(response, status, type, body) {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

/** Serves folders by prefix, and an empty page at /. */
export async function serve(folders) {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    if (name === '/favicon.ico') return respond(response, 200, 'image/x-icon', '');
    if (name === '/' && !folders['/']) return respond(response, 200, 'text/html', PAGE);
    const prefix = Object.keys(folders)
      .filter((one) => name.startsWith(one))
      .sort((a, b) => b.length - a.length)[0];
    const root = prefix && path.resolve(folders[prefix]);
    let file = root && path.join(root, name.slice(prefix.length));
    if (
      file &&
      (file === root || file.startsWith(root + path.sep)) &&
      fs.existsSync(file) &&
      fs.statSync(file).isDirectory()
    )
      file = path.join(file, 'index.html');
    if (!file || !file.startsWith(root + path.sep) || !fs.existsSync(file))
      return respond(response, 404, 'text/plain', 'no such file');
    respond(response, 200, TYPES[path.extname(file)] ?? 'application/octet-stream', fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** WebGPU without a graphics card. */
export const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader'];

/** Mesa's software driver takes a fraction of the time to compile a shader, and keeps the result for the next browser. */
const hasMesa = () =>
  fs
    .readdirSync('/usr/lib', { withFileTypes: true })
    .some(
      ({ name }) =>
        fs.existsSync(`/usr/lib/${name}/libEGL_mesa.so.0`) && fs.existsSync(`/usr/lib/${name}/dri/swrast_dri.so`),
    );
const drawing = () =>
  process.platform === 'linux' && hasMesa()
    ? ['--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist']
    : ['--enable-unsafe-swiftshader'];

export async function launch(more = []) {
  return chromium.launch({
    timeout: PATIENCE_MS,
    env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1' }, // the same with and without a graphics card
    executablePath: process.env.LIMBER_CHROMIUM || '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-gpu-compositing', // pages are put together faster without that driver; it draws what is WebGL
      '--disable-gpu-watchdog', // a busy machine without a graphics card draws slowly, and must not lose the picture
      ...drawing(),
      '--js-flags=--expose-gc',
      '--enable-precise-memory-info',
      ...more,
    ],
  });
}

/** Opens a page at `address` and collects its errors and WebGL warnings. */
export async function openPage(browser, address, viewport = { width: 640, height: 480 }) {
  const page = await browser.newPage({ viewport });
  page.context().setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (
      ['error', 'warning'].includes(message.type()) &&
      !/GPU stall|Automatic fallback to software|favicon|Service Worker registration blocked/.test(message.text())
    )
      faults.push(message.text());
  });
  await page.goto(address);
  return { page, faults };
}

/** The setup for tests of the package; `models` is a folder of .glb files, `more` are options of the browser. */
export async function stage(models, more) {
  const server = await serve({
    '/node_modules/': path.join(web, 'node_modules'),
    '/limber/': path.join(web, 'limber'),
    ...(models && { '/models/': models }),
  });
  const browser = await launch(more);
  const { page, faults } = await openPage(browser, server.address);
  return {
    page,
    faults,
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}
