// Generates TypeScript from the module's table of style keys: types with the help texts as comments, and tables.
const KINDS = ['number', 'constant', 'switch', 'choice', 'text', 'list', 'vector', 'other'];
const EFFECTS = ['floppy', 'squash', 'drag', 'followthrough', 'stretch', 'lift', 'overlap', 'derivative', 'hose'];

async function open(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const wasm = instance.exports;
  const text = (pointer) => {
    if (!pointer) return null;
    const memory = new Uint8Array(wasm.memory.buffer);
    return new TextDecoder().decode(memory.subarray(pointer, memory.indexOf(0, pointer)));
  };
  return { wasm, text };
}

function readKeys({ wasm, text }) {
  const keys = [];
  for (let i = 0; i < wasm.key_count(); i++) {
    const [path, unit, defaultText, choices, help] = [0, 1, 2, 3, 4].map((field) => text(wasm.key_text(i, field)));
    const [type, min, max, minIsExcluded, effects] = [0, 1, 2, 3, 4].map((field) => wasm.key_number(i, field));
    keys.push({
      path,
      type: KINDS[type],
      unit,
      ...(max > min ? { min, max, minIsExcluded: minIsExcluded !== 0 } : {}),
      default: defaultText === null ? undefined : JSON.parse(defaultText),
      choices: choices === null ? undefined : choices.split(' '),
      help,
      effects: EFFECTS.filter((_, bit) => (effects >> bit) & 1),
    });
  }
  return keys;
}

function readPresets({ wasm, text }) {
  return Array.from({ length: wasm.preset_count() }, (_, i) => ({
    name: text(wasm.preset_text(i, 0)),
    summary: text(wasm.preset_text(i, 1)),
    text: text(wasm.preset_text(i, 2)),
  }));
}

const word = (choice) => (choice === 'true' || choice === 'false' ? choice : `'${choice}'`);

function typeOf(key) {
  const words = (key.choices ?? []).map(word);
  switch (key.type) {
    case 'number':
      return 'NumberOrFormula';
    case 'constant':
      return ['number', ...words].join(' | ');
    case 'switch':
      return 'boolean';
    case 'choice':
      return words.join(' | ');
    case 'text':
      return 'string';
    case 'list':
      return words.length ? `(${words.join(' | ')})[]` : 'string[]';
    case 'vector':
      return '[number, number, number]';
    default:
      if (key.path === 'colliders') return `${words.join(' | ')} | ('auto' | Collider)[]`;
      if (key.path === 'wind') return '[number | string, number | string, number | string]';
      if (key.path === 'gravity') return 'number | [number, number, number]';
      if (key.path === 'rigid')
        return `${words.join(' | ')} | { only?: string[]; except?: string[]; mass?: string[]; prop?: string[]; appendage?: string[] }`;
      if (key.path === 'contacts')
        return '{ joint: string; clip?: string; from?: number; to?: number; amount?: number; shift?: number }[]';
      if (key.path === 'timing.holds') return '{ clip?: string; at: number; length: number }[]';
      return key.path.endsWith('.keys') ? '[number, [number, number, number]][]' : `'auto' | Constraint[]`;
  }
}

function comment(key, indent) {
  const notes = [];
  if (key.default !== undefined) notes.push(`default ${JSON.stringify(key.default)}`);
  if (key.unit) notes.push(key.unit);
  if (key.min !== undefined && key.max < 1e6) notes.push(`${key.minIsExcluded ? 'above ' : ''}${key.min} … ${key.max}`);
  const text = `${key.help[0].toUpperCase()}${key.help.slice(1)}.${notes.length ? ` (${notes.join('; ')})` : ''}`;
  return `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}

const quoted = (name) => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`);

// Builds a tree of the paths; its leaves are keys.
function plant(tree, names, key) {
  const [first, ...rest] = names;
  if (!rest.length) tree[first] = key;
  else plant((tree[first] ??= {}), rest, key);
}

function print(tree, indent) {
  let out = '';
  for (const [name, node] of Object.entries(tree)) {
    if (isKey(node)) out += `${comment(node, indent)}${indent}${quoted(name)}?: ${typeOf(node)};\n`;
    else out += `${indent}${quoted(name)}?: {\n${print(node, `${indent}  `)}${indent}};\n`;
  }
  return out;
}

const isKey = (node) => typeof node.path === 'string';

/** Each group of keys with the type that the style has for it: `effects`, `effects.floppy`, … */
function groupsIn(tree, path = '', type = 'Style') {
  return Object.entries(tree).flatMap(([name, node]) => {
    if (isKey(node)) return [];
    const own = { path: path + name, type: `NonNullable<${type}['${name}']>` };
    return [own, ...groupsIn(node, `${own.path}.`, own.type)];
  });
}

/** The keys of the tree by path, as members of a type. */
function printChanges(tree, path = '') {
  return Object.entries(tree)
    .map(([name, node]) =>
      isKey(node) ? `  '${path}${name}'?: ${typeOf(node)};\n` : printChanges(node, `${path}${name}.`),
    )
    .join('');
}

/** The type in which every group is there. */
function printGroups(tree, type, indent) {
  return Object.entries(tree)
    .filter(([, node]) => !isKey(node))
    .map(([name, node]) => {
      const own = `NonNullable<${type}['${name}']>`;
      const below = printGroups(node, own, `${indent}  `);
      return `${indent}${name}: ${own}${below ? ` & {\n${below}${indent}}` : ''};\n`;
    })
    .join('');
}

/** Only the groups of a tree, as a value. */
const groupTree = (tree) =>
  Object.fromEntries(
    Object.entries(tree)
      .filter(([, node]) => !isKey(node))
      .map(([name, node]) => [name, groupTree(node)]),
  );

const printMeshChanges = (tree) =>
  printChanges(tree, 'meshes.${string}.').replace(/^ {2}'(.*)'\?:/gm, '  [path: `$1`]:');

function trees(keys) {
  const style = {};
  const joint = {};
  const constraint = {};
  const mesh = {};
  for (const key of keys) {
    if (key.path.startsWith('joints.*.')) joint[key.path.slice('joints.*.'.length)] = key;
    else if (key.path.startsWith('meshes.*.')) plant(mesh, key.path.slice('meshes.*.'.length).split('.'), key);
    else if (key.path.startsWith('exaggerate.constraints[].')) constraint[key.path.split('.').at(-1)] = key;
    else if (key.path.startsWith('effects.*.'))
      for (const effect of key.effects) plant(style, key.path.replace('*', effect).split('.'), key);
    else plant(style, key.path.split('.'), key);
  }
  return { style, joint, mesh, constraint };
}

export async function styleSource(bytes) {
  const module = await open(bytes);
  const keys = readKeys(module);
  const presets = readPresets(module);
  const { style, joint, mesh, constraint } = trees(keys);
  const names = presets.map((p) => `'${p.name}'`).join(' | ');
  return `// Generated by scripts/build.mjs from the table of keys in src/style/table.c.

/** A number, or a formula such as \`"0.4 * smoothstep(0.2, 1, height)"\`. */
export type NumberOrFormula = number | string;

/** Settings of joints whose name matches a pattern: \`{"Leg*": {"*": 0}}\`. */
export interface JointStyle {
${print(joint, '  ')}}

/** Settings of meshes whose name matches a pattern: \`{"Cape*": {"effects": {"floppy": 2}}}\`. */
export interface MeshStyle {
${print(mesh, '  ')}}

/** A joint that is pulled along its bone, or to positions at given times. */
export interface Constraint {
${print(constraint, '  ')}}

/** What a collider of any shape may have. */
export interface ColliderScope {
  /** A layer from 0 to 1 that scales how much a vertex obeys. */
  layer?: string;
  /** The joints whose skin obeys; names may contain stars. */
  obey?: string[];
}

/** A body that effects do not push skin into. Numbers are in the frame of the joint, or in the world without one. */
export type Collider = ColliderScope &
  (
    | { capsule: { joint?: string; from?: [number, number, number]; to: [number, number, number]; radius: number } }
    | { sphere: { joint?: string; center?: [number, number, number]; radius: number } }
    | { plane: { joint?: string; point?: [number, number, number]; normal?: [number, number, number] } }
  );

/** A style. Every key is optional; an effect that is left out is off. */
export interface Style {
${print(style, '  ')}  /** Settings of individual joints; names may contain stars. */
  joints?: Record<string, JointStyle>;
  /** Settings of individual meshes; names may contain stars. */
  meshes?: Record<string, MeshStyle>;
}

/** A style that a character has: groups of keys are there, also empty ones, so that keys can be read without \`?.\`. */
export type CurrentStyle = Style & {
${printGroups(style, 'Style', '  ')}};

/** Keys by path and their new values: \`{ 'effects.floppy.angular': 0.5, 'joints.Leg*.*': 0 }\`. */
export type StyleChanges = {
${printChanges(style)}${groupsIn(style)
    .map(({ path, type }) => `  '${path}'?: ${type};\n`)
    .join('')}  joints?: Style['joints'];
  meshes?: Style['meshes'];
${printMeshChanges(mesh)}} & {
  [K in keyof JointStyle as \`joints.\${string}.\${K}\`]?: JointStyle[K];
};

/** The groups of keys. */
export const GROUPS: object = ${JSON.stringify(groupTree(style))};

/** One key of a style, for user interfaces. A star in the path stands for any effect, joint or mesh. */
export interface StyleKey {
  /** "effects.floppy.angular". */
  path: string;
  /** What its value is. */
  type: ${KINDS.map((k) => `'${k}'`).join(' | ')};
  /** "degrees", "s", … or empty. */
  unit: string;
  /** The range of a number. */
  min?: number;
  /** The range of a number. */
  max?: number;
  /** \`min\` itself is not allowed. */
  minIsExcluded?: boolean;
  /** The value when the key is left out. */
  default?: unknown;
  /** Allowed words. */
  choices?: string[];
  /** What it does, in one line. */
  help: string;
  /** Effects that have the key; empty: it does not belong to one. */
  effects: string[];
}

/** Every key of a style. */
export const KEYS: readonly StyleKey[] = ${JSON.stringify(keys, null, 2)};

/** The names of the presets. */
export type PresetName = ${names};

/** The presets. The text is JSON with comments. */
export const PRESETS: readonly { name: PresetName; summary: string; text: string }[] = ${JSON.stringify(presets, null, 2)};
`;
}
