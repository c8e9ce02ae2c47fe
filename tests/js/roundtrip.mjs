// node roundtrip.mjs PROGRAM [ASSET...]: a converted file equals its input; with --repair all, except for the repairs
// listed here, and then it passes the validator.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assetsFor } from './assets.mjs';
import { readGltf } from './gltf_file.mjs';
import { writeRichFiles } from './rich.mjs';
import { Report, run, temporaryFolder } from './run.mjs';
import { describe, isFault, validate } from './validate.mjs';

const [program, ...named] = process.argv.slice(2);
const report = new Report();
const folder = temporaryFolder();
const assets = assetsFor(program, named, folder);

const TRANSFORM = ['matrix', 'translation', 'rotation', 'scale'];
const MESH_KEYS = ['mesh', 'skin', 'weights'];

const without = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

// Differences between two trees as paths, for messages.
function differences(a, b, at = '', out = []) {
  if (isDeepStrictEqual(a, b)) return out;
  const deep = a && b && typeof a === 'object' && typeof b === 'object' && Array.isArray(a) === Array.isArray(b);
  if (!deep) out.push(`${at}: ${JSON.stringify(a)?.slice(0, 60)} became ${JSON.stringify(b)?.slice(0, 60)}`);
  else for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) differences(a[key], b[key], `${at}/${key}`, out);
  return out;
}

// Undoes on `after` what the writer may repair, noting each; what is left must equal `before`.
class Repairs {
  constructor(before, after, faults) {
    this.before = before;
    this.after = structuredClone(after);
    this.faults = faults; // of the input
    this.notes = [];
  }

  faulty(code) {
    return this.faults.some((message) => message.code === code);
  }

  undo() {
    this.undoRoots();
    this.undoNodes();
    this.undoWeights();
    this.undoTangents();
    this.undoAppended();
    return this.after;
  }

  // Joints in several trees get a plain node above them.
  undoRoots() {
    const { before, after } = this;
    if (!this.faulty('SKIN_NO_COMMON_ROOT')) return;
    const wrapper = after.nodes.length - 1;
    const { children, ...rest } = after.nodes.pop();
    report.expect('the common root only holds others', wrapper >= before.nodes.length && isDeepStrictEqual(rest, { name: 'root' }));
    after.scenes.forEach((scene) => (scene.nodes = scene.nodes.flatMap((n) => (n === wrapper ? children : [n]))));
    this.notes.push('common root added');
  }

  // A node with a skinned mesh moves under the scene without its transform, or hands its mesh to a new node there.
  undoNodes() {
    const { before, after } = this;
    const allowed = ['NODE_SKINNED_MESH_NON_ROOT', 'NODE_SKINNED_MESH_LOCAL_TRANSFORMS', 'ANIMATION_CHANNEL_TARGET_NODE_SKIN'];
    if (!allowed.some((code) => this.faulty(code))) return;
    const parentIn = (json, i) => json.nodes.findIndex((n) => n.children?.includes(i));
    const moved = new Set();
    before.nodes.forEach((node, i) => {
      if (node.skin === undefined || node.mesh === undefined) return;
      const split = after.nodes[i].mesh === undefined;
      if (split) this.undoSplit(i);
      else if (isDeepStrictEqual(without(node, TRANSFORM), after.nodes[i])) after.nodes[i] = node;
      const detached = parentIn(before, i) >= 0 && parentIn(after, i) < 0;
      if (detached) moved.add(i);
      if (split || detached) this.notes.push(`node ${i} moved`);
    });
    before.nodes.forEach((node, i) => {
      if (!node.children?.some((child) => moved.has(child))) return;
      const left = node.children.filter((child) => !moved.has(child));
      if (isDeepStrictEqual(left, after.nodes[i].children ?? [])) after.nodes[i] = { ...after.nodes[i], children: node.children };
    });
    after.scenes.forEach((scene, i) => {
      const kept = before.scenes[i].nodes.length;
      if (scene.nodes.slice(kept).every((n) => moved.has(n) || n >= before.nodes.length)) scene.nodes.length = kept;
    });
    after.nodes.length = before.nodes.length;
  }

  undoSplit(i) {
    const { before, after } = this;
    const fresh = after.nodes.findIndex((n, k) => k >= before.nodes.length && n.name === (before.nodes[i].name && `${before.nodes[i].name}.mesh`));
    if (fresh < 0) return;
    for (const key of MESH_KEYS) if (after.nodes[fresh][key] !== undefined) after.nodes[i][key] = after.nodes[fresh][key];
    for (const animation of after.animations ?? [])
      for (const channel of animation.channels) if (channel.target.node === fresh) channel.target.node = i;
  }

  undoWeights() {
    const { before, after } = this;
    const allowed = ['ACCESSOR_WEIGHTS_NON_NORMALIZED', 'ACCESSOR_JOINTS_USED_ZERO_WEIGHT', 'ACCESSOR_JOINTS_INDEX_DUPLICATE'];
    if (!allowed.some((code) => this.faulty(code))) return;
    before.meshes.forEach((mesh, m) => mesh.primitives.forEach((primitive, p) => {
      const attributes = after.meshes[m].primitives[p].attributes;
      for (const [name, accessor] of Object.entries(primitive.attributes)) {
        if (!/^(JOINTS|WEIGHTS)_\d+$/.test(name) || attributes[name] === accessor) continue;
        if (attributes[name] >= before.accessors.length) attributes[name] = accessor;
        this.notes.push(`${name} of mesh ${m} rewritten`);
      }
    }));
  }

  // A normal map without tangents gets some.
  undoTangents() {
    if (!this.faulty('MESH_PRIMITIVE_GENERATED_TANGENT_SPACE')) return;
    this.before.meshes.forEach((mesh, m) => mesh.primitives.forEach(({ attributes }, p) => {
      const now = this.after.meshes[m].primitives[p].attributes;
      if (attributes.TANGENT !== undefined || !(now.TANGENT >= this.before.accessors.length)) return;
      delete now.TANGENT;
      this.notes.push(`tangents for mesh ${m}`);
    }));
  }

  // Accessors, views and bytes may only be added at the end, and only for a repair or for embedded pictures.
  undoAppended() {
    const { before, after } = this;
    const embedded = (before.images ?? []).filter((image, i) => image.uri && after.images[i].uri === undefined);
    embedded.forEach((image) => this.notes.push(`${image.uri.slice(0, 20)} embedded`));
    if (!this.notes.length) return;
    for (const list of ['accessors', 'bufferViews']) if (before[list]) after[list].length = before[list].length;
    after.images = after.images?.map((image, i) =>
      before.images[i].uri && image.uri === undefined ? { ...without(image, ['bufferView', 'mimeType']), ...before.images[i] } : image);
  }
}

// The single buffer of the output starts with the input's buffers, in order.
function checkBytes(name, before, after) {
  let at = 0;
  const good = before.buffers.every((buffer) => {
    at = Math.ceil(at / 4) * 4;
    const same = Buffer.compare(Buffer.from(buffer), Buffer.from(after.buffers[0].subarray(at, at + buffer.length))) === 0;
    at += buffer.length;
    return same;
  });
  report.expect(`${name}: the bytes that were there are there`, good && after.json.buffers.length <= 1);
}

// What the views point to must be the same bytes, whatever buffer they are in now.
function checkViews(name, before, after) {
  const bytes = ({ json, buffers }, i) => {
    const view = json.bufferViews[i];
    return Buffer.from(buffers[view.buffer]).subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
  };
  const good = (before.json.bufferViews ?? []).every((_, i) => Buffer.compare(bytes(before, i), bytes(after, i)) === 0);
  report.expect(`${name}: every view sees the same bytes`, good);
}

function normalise(json, single) {
  const tree = structuredClone(json);
  delete tree.buffers;
  if (!single) tree.bufferViews?.forEach((view) => { delete view.buffer; delete view.byteOffset; });
  return tree;
}

const withoutUris = (json) => ({ ...json, images: json.images?.map((image) => without(image, ['uri', 'bufferView', 'mimeType'])) });

/** What convert says besides the line of what it has written. */
const said = (text) => text.split('\n').filter((line) => line && !/: converted, [\d.]+ [a-zA-Z]+, [\d.]+ s$/.test(line));

/** Pictures beside the file come into the .glb: images, and views at the end, are all that may differ. */
function checkUntouched(input) {
  const name = path.basename(input);
  const out = path.join(folder, 'out', `${path.parse(input).name}.glb`);
  const { stderr } = spawnSync(program, ['convert', input, '-o', out], { encoding: 'utf8' });
  const before = readGltf(input);
  const after = readGltf(out);
  const single = before.buffers.length === 1;
  const trees = [before.json, after.json].map((json) => normalise(json, single));
  if (trees[0].images?.some((image) => image.uri)) {
    trees[1].bufferViews?.splice(trees[0].bufferViews?.length ?? 0);
    if (!trees[0].bufferViews) delete trees[1].bufferViews;
    trees.forEach((tree, i) => (trees[i] = withoutUris(tree)));
  }
  const left = differences(...trees);
  report.expect(`${name}: convert changes nothing and says nothing`, !left.length && !said(stderr).length, left.slice(0, 10).join('; '));
  checkBytes(name, before, after);
  checkAgain(name, out);
}

async function checkFile(input, faults, tolerated = []) {
  checkUntouched(input);
  const name = `${path.basename(input)}, repaired`;
  const out = path.join(folder, 'out', `${path.parse(input).name}.glb`);
  const { stderr } = spawnSync(program, ['convert', input, '--repair', 'all', '-o', out], { encoding: 'utf8' });
  const before = readGltf(input);
  const after = readGltf(out);
  const bad = (await validate(out)).filter((message) => isFault(message) && !tolerated.includes(message.code));
  report.expect(`${name}: the output passes the validator`, !bad.length, bad.slice(0, 5).map(describe).join('; '));
  const repairs = new Repairs(before.json, after.json, faults);
  const single = before.buffers.length === 1;
  const left = differences(normalise(before.json, single), normalise(repairs.undo(), single));
  const lines = stderr.split('\n').filter((line) => /: repaired [a-z]+ of \d+ /.test(line));
  const made = repairs.notes.some((note) => !note.endsWith('embedded'));
  report.expect(`${name}: ${lines.length} kinds of repairs are listed`, made ? lines.length > 0 : said(stderr).length === lines.length, stderr);
  report.expect(`${name}: the tree comes back (${repairs.notes.length} repairs)`, !left.length, left.slice(0, 10).join('; '));
  checkBytes(name, before, after);
  checkViews(name, before, after);
  checkAgain(name, out, '--repair', 'all');
}

// .glb -> .glb changes nothing any more; neither does .glb -> .gltf -> .glb.
function checkAgain(name, first, ...options) {
  const again = path.join(folder, 'again.glb');
  run(program, 'convert', first, '-o', again, ...options);
  report.expect(`${name}: a second conversion changes no byte`, fs.readFileSync(first).equals(fs.readFileSync(again)));
  const text = path.join(folder, 'a name with spaces & ü.gltf');
  run(program, 'convert', first, '-o', text);
  const back = path.join(folder, 'back.glb');
  run(program, 'convert', text, '-o', back);
  report.expect(`${name}: .glb -> .gltf -> .glb changes no byte`, fs.readFileSync(first).equals(fs.readFileSync(back)));
  const strays = fs.readdirSync(folder).filter((file) => file.endsWith('.tmp'));
  report.expect(`${name}: no temporary files are left`, !strays.length, strays.join(' '));
}

fs.mkdirSync(path.join(folder, 'out'));
const wrong = spawnSync(program, ['convert', assets[0], '--repair', 'weights,bonds', '-o', path.join(folder, 'out', 'wrong.glb')], { encoding: 'utf8' });
report.expect('an unknown repair is refused', wrong.status === 2 && wrong.stderr.includes("did you mean 'bounds'"), wrong.stderr);
for (const asset of assets) await checkFile(asset, (await validate(asset)).filter(isFault));
for (const { file, faults, tolerated } of writeRichFiles(folder)) await checkFile(file, faults, tolerated);
report.end();
