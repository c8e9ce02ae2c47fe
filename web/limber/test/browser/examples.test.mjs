// The examples, and the package as users get it (packed, in an empty Vite project), as pages in Chromium.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { program, sampleFile, temporary } from '../kit.mjs';
import { findings } from './axe.mjs';
import { launch, openPage, serve } from './browser.mjs';

const web = fileURLToPath(new URL('../../..', import.meta.url));
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Opens a page, waits for some frames, and returns its errors and what axe-core finds. */
async function look(address, file) {
  const { page, faults } = await openPage(browser, address, { width: 320, height: 200 });
  await page.waitForFunction(() => Number(document.body.dataset.frames) > 2);
  if (file) await page.screenshot({ path: file });
  const drawn = await page.evaluate(() => document.body.dataset.frames);
  const found = await findings(page);
  await page.close();
  return { faults, drawn, found };
}

test('the examples are built and run', async () => {
  const folder = temporary('examples');
  const models = path.join(web, 'examples');
  execFileSync(path.join(models, 'models.sh'), [program]);
  await build({
    configFile: path.join(models, 'vite.config.js'),
    logLevel: 'silent',
    build: { outDir: folder, emptyOutDir: true },
  });
  const server = await serve({ '/': folder });
  try {
    for (const name of ['two-lines/', 'crowd/?count=8', 'puppet/']) {
      const { faults, found } = await look(
        server.address + name,
        process.env.LIMBER_SHOTS && path.join(process.env.LIMBER_SHOTS, `${name.split('/')[0]}.png`),
      );
      assert.deepEqual(faults, [], name);
      assert.deepEqual(found, [], name);
    }
  } finally {
    await server.close();
  }
});

const PAGE = `
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { limber } from 'limber/three';
const renderer = new THREE.WebGLRenderer(), scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera();
document.body.append(renderer.domElement);
const gltf = await new GLTFLoader().loadAsync('/models/cylinder.glb');
scene.add(gltf.scene, new THREE.HemisphereLight());
camera.position.z = 5;
const toon = await limber(gltf.scene, 'cartoon');
renderer.setAnimationLoop(() => {
  gltf.scene.position.x += 0.01;
  toon.update(1 / 60);
  renderer.render(scene, camera);
  document.body.dataset.frames = renderer.info.render.frame;
});
`;

test('packed, it installs into an empty Vite project and runs', async () => {
  const folder = temporary('empty');
  const modules = path.join(folder, 'node_modules', 'limber');
  const out = path.join(folder, 'out');
  fs.mkdirSync(modules, { recursive: true });
  const run = (where, command, ...args) =>
    execFileSync(command, args, { cwd: where, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const tarball = JSON.parse(run(path.join(web, 'limber'), 'npm', 'pack', '--json', '--pack-destination', folder))[0]
    .filename;
  run(folder, 'tar', 'xzf', tarball, '-C', modules, '--strip-components=1');
  fs.symlinkSync(path.join(web, 'node_modules/three'), path.join(folder, 'node_modules/three'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
  fs.writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><body><script type="module" src="/main.js"></script>',
  );
  fs.writeFileSync(path.join(folder, 'main.js'), PAGE);
  await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    resolve: { preserveSymlinks: true },
    build: { target: 'es2022', outDir: out },
  });
  const server = await serve({ '/': out, '/models/': path.dirname(sampleFile('cylinder')) });
  try {
    const { faults } = await look(server.address);
    assert.deepEqual(faults, []);
  } finally {
    await server.close();
  }
});

test('packed, limber/three runs in plain node', () => {
  const folder = temporary('plain');
  const modules = path.join(folder, 'node_modules');
  fs.cpSync(path.join(temporary('empty'), 'node_modules/limber'), path.join(modules, 'limber'), { recursive: true });
  fs.symlinkSync(path.join(web, 'node_modules/three'), path.join(modules, 'three'));
  fs.writeFileSync(
    path.join(folder, 'use.mjs'),
    `
    import * as THREE from 'three';
    import { limber } from 'limber';
    const mesh = new THREE.Mesh(new THREE.BoxGeometry());
    const toon = await limber(mesh, 'jelly');
    mesh.position.x = 0.1;
    toon.update(1 / 60);
    console.log(toon.positions().length);`,
  );
  assert.equal(execFileSync(process.execPath, ['use.mjs'], { cwd: folder, encoding: 'utf8' }).trim(), '72');
});
