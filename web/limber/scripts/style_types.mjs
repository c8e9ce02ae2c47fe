// The style's table of keys, asked from the module, as TypeScript: types with the help as comments, and tables.
const KINDS = ['number', 'constant', 'switch', 'choice', 'text', 'list', 'vector', 'other'];
const EFFECTS = ['floppy', 'squash', 'drag', 'followthrough', 'stretch', 'lift'];

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

// A tree of the paths: leaves are keys.
function plant(tree, names, key) {
  const [first, ...rest] = names;
  if (!rest.length) tree[first] = key;
  else plant((tree[first] ??= {}), rest, key);
}

function print(tree, indent) {
  let out = '';
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node.path === 'string') out += `${comment(node, indent)}${indent}${quoted(name)}?: ${typeOf(node)};\n`;
    else out += `${indent}${quoted(name)}?: {\n${print(node, `${indent}  `)}${indent}};\n`;
  }
  return out;
}

function trees(keys) {
  const style = {};
  const joint = {};
  const constraint = {};
  for (const key of keys) {
    if (key.path.startsWith('joints.*.')) joint[key.path.slice('joints.*.'.length)] = key;
    else if (key.path.startsWith('exaggerate.constraints[].')) constraint[key.path.split('.').at(-1)] = key;
    else if (key.path.startsWith('effects.*.'))
      for (const effect of key.effects) plant(style, key.path.replace('*', effect).split('.'), key);
    else plant(style, key.path.split('.'), key);
  }
  return { style, joint, constraint };
}

export async function styleSource(bytes) {
  const module = await open(bytes);
  const keys = readKeys(module);
  const presets = readPresets(module);
  const { style, joint, constraint } = trees(keys);
  const names = presets.map((p) => `'${p.name}'`).join(' | ');
  return `// Made by scripts/build.mjs from the table of keys in src/style/table.c: the one place where keys are described.

/** A number, or a formula such as \`"0.4 * smoothstep(0.2, 1, height)"\`. */
export type NumberOrFormula = number | string;

/** What joints change, by name with stars: \`{"Leg*": {"*": 0}}\`. */
export interface JointStyle {
${print(joint, '  ')}}

/** A joint that is pulled away, along its bone or to places at given times. */
export interface Constraint {
${print(constraint, '  ')}}

/** How a character's motion should be like. Every key may be left out; an effect that is left out is off. */
export interface Style {
${print(style, '  ')}  /** What single joints do otherwise; names may hold stars. */
  joints?: Record<string, JointStyle>;
}

/** One key of a style, for user interfaces. A star in the path stands for any effect, or any joint. */
export interface StyleKey {
  path: string;
  type: ${KINDS.map((k) => `'${k}'`).join(' | ')};
  /** "degrees", "s", … or empty. */
  unit: string;
  min?: number;
  max?: number;
  /** \`min\` itself is not allowed. */
  minIsExcluded?: boolean;
  /** The value when the key is left out. */
  default?: unknown;
  /** The words it may be. */
  choices?: string[];
  help: string;
  /** Effects that have the key; empty: it does not belong to one. */
  effects: string[];
}

export const KEYS: readonly StyleKey[] = ${JSON.stringify(keys, null, 2)};

export type PresetName = ${names};

/** Styles that ship: the text is JSON with comments. */
export const PRESETS: readonly { name: PresetName; summary: string; text: string }[] = ${JSON.stringify(presets, null, 2)};
`;
}
