// Small .fbx files whose vertices are known, by FBX's formula for transforms: for import.mjs.
//
//   local = T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1, then the geometric transform for a node's own mesh
//
// A skinned triangle on two bones that turn, with three more below, and one that hangs on the second bone without a skin.
import { deflateSync } from 'node:zlib';
import { Euler, MathUtils, Matrix4, Vector3 } from 'three';

const SECOND = 46186158000; // FBX counts time so
const KEYS = 3; // one per half second
const CORNERS = [[0, 0, 0], [3, 0, 0], [0, 4, 1]];
const ORDERS = ['ZYX', 'YZX', 'XZY', 'ZXY', 'YXZ', 'XYZ']; // three's names are the other way round
const TURNS = { Bone0: [[10, 20, 30], [40, -10, 25], [70, 15, -20]], Bone1: [[0, 0, 0], [-30, 50, 5], [20, -45, 60]] };
const PLACES = { Rig: [0, 0, 0], Bone0: [0, 2, 0], Bone1: [1, 3, 0.5], Bone2: [0, 1, 0], Bone3: [0, 1, 0], Bone4: [0, 1, 0], Body: [0, 0, 0], Prop: [0.5, 1, 0] };
const PARENTS = { Rig: null, Bone0: 'Rig', Bone1: 'Bone0', Bone2: 'Bone1', Bone3: 'Bone2', Bone4: 'Bone3', Body: null, Prop: 'Bone1' };

/** What differs from the plain file: properties of nodes, of the file, and bones that are saved in a key's pose. */
export const SAMPLES = {
  plain: {},
  'pre-rotation': { nodes: { Bone0: { PreRotation: [90, 0, 45] }, Bone1: { PreRotation: [-120, -76, -148] } } },
  'post-rotation': { nodes: { Bone0: { PostRotation: [0, 60, 0] }, Bone1: { PreRotation: [0, 0, 180], PostRotation: [30, 0, 20] } } },
  pivots: { nodes: { Bone0: { RotationPivot: [1, 0, 2], RotationOffset: [0, 1, 0] }, Bone1: { PreRotation: [0, 90, 0], ScalingPivot: [2, 0, 0], ScalingOffset: [0, 0.5, 0], 'Lcl Scaling': [1.5, 1.5, 1.5] } } },
  'geometric transform': { nodes: { Prop: { GeometricTranslation: [1, 2, 3], GeometricRotation: [0, 90, 30], GeometricScaling: [2, 1, 0.5] }, Body: { GeometricTranslation: [0, 0.5, 0], GeometricRotation: [-90, 0, 0] } } },
  'rotation orders': { nodes: { Bone0: { RotationOrder: 4 }, Bone1: { RotationOrder: 1, PreRotation: [10, 20, 30] } } },
  'inches, Z up': { file: { UnitScaleFactor: 2.54, UpAxis: 2, FrontAxis: 1, FrontAxisSign: -1 } },
  'meters, turned and scaled body': { file: { UnitScaleFactor: 100 }, nodes: { Body: { 'Lcl Rotation': [-90, 0, 0], 'Lcl Scaling': [0.5, 0.5, 0.5] }, Rig: { 'Lcl Scaling': [1.2, 1.2, 1.2], PreRotation: [0, 30, 0] } } },
  'a scale of its own': { nodes: { Bone0: { 'Lcl Scaling': [2, 2, 2] }, Bone1: { InheritType: 2, PreRotation: [0, 0, 30] } } },
  'growing, with a scale of its own': { grows: [1, 2, 1.5], nodes: { Bone1: { InheritType: 2 }, Bone2: { InheritType: 2 } } },
  'saved in a pose': { saved: 1, nodes: { Bone1: { PreRotation: [0, 0, 180] } } },
};

/** Files that cannot be right, and what limber says about them. */
export const PROBLEMS = {
  'far away': [{ boundAway: 100 }, /mesh 'Body' is far from its bones \(5 of 5\)/],
  'bound twice': [{ boundTwice: true }, /mesh '(Prop|Body)' was bound in another pose than the meshes before it: 0\.\d\d? of the size/],
  'longer bones': [{ longer: 2 }, /clip 'turn' has bones of other lengths than the bind pose \(half of them by 2 times\)/],
  'bones a bit longer': [{ longer: 1.3 }, null],
  'too large': [{ file: { UnitScaleFactor: 1e5 } }, /is .* m large: the unit of length/],
  'lying': [{ file: { UpAxis: 2, FrontAxis: 1, FrontAxisSign: -1 }, called: { Bone0: 'LeftFoot', Bone1: 'Head' } }, /its head is not above its feet/],
  'standing': [{ called: { Bone0: 'LeftFoot', Bone1: 'Head' } }, null],
};

/** The kinds of curves between keys half a second apart: flags, tangents of all keys, and the value halfway from key i on. */
const HALF = 0.5;
const hermite = (v, i, right, left) => (v[i] + v[i + 1]) / 2 + (HALF / 8) * (right - left);
const slopes = (v) => [(v[1] - v[0]) / HALF, (v[2] - v[1]) / HALF];
const calm = (v) => {
  const [a, b] = slopes(v);
  return a * b <= 0 ? 0 : Math.sign(a) * Math.min(Math.abs(v[2] - v[0]), 3 * Math.abs(a), 3 * Math.abs(b));
};
export const CURVES = {
  'slopes of the user': [0x408, [120, -60, 0, 0], (v, i) => hermite(v, i, 120, -60)],
  'weighted slopes': [0x3000408, [120, -60, 6000 + 65536 * 6000, 0], (v, i) => (v[i] + v[i + 1]) / 2 + (3 / 8) * 0.6 * HALF * 180],
  'automatic slopes': [0x2108, [0, 0, 0, 0], (v, i) => hermite(v, i, i ? v[2] - v[0] : slopes(v)[0], i ? slopes(v)[1] : v[2] - v[0])],
  'automatic slopes that stay between': [0x6108, [0, 0, 0, 0], (v, i) => hermite(v, i, i ? calm(v) : 0, i ? 0 : calm(v))],
  'tension, continuity, bias': [0x208, [0.5, 0.5, 0, 0], (v, i) => {
    const [a, b] = slopes(v);
    const at = (side) => 0.25 * ((1 + side * 0.5) * a + (1 - side * 0.5) * b);
    return hermite(v, i, i ? at(1) : 0.5 * 0.5 * a, i ? 0.5 * 0.5 * b : at(-1));
  }],
  held: [0x2, [0, 0, 0, 0], (v, i) => v[i]],
  'held from the next': [0x102, [0, 0, 0, 0], (v, i) => v[i + 1]],
  'far turns': [0x4, [0, 0, 0, 0], (v, i) => (v[i] + v[i + 1]) / 2],
};

/** Angles of both bones halfway from key i on. */
export function anglesBetween([, , middle], i) {
  return Object.fromEntries(Object.entries(TURNS).map(([bone, rows]) => [bone, [0, 1, 2].map((axis) => middle(rows.map((row) => row[axis]), i))]));
}

// --- where vertices are ---

const turn = (angles, order) => new Matrix4().makeRotationFromEuler(new Euler(...angles.map(MathUtils.degToRad), ORDERS[order ?? 0]));
const move = (by = [0, 0, 0]) => new Matrix4().makeTranslation(...by);
const product = (...all) => all.reduce((a, b) => a.multiply(b), new Matrix4());

function scaleOf(sample, name, key) {
  const saved = sample.nodes?.[name]?.['Lcl Scaling'] ?? [1, 1, 1];
  return sample.grows && name === 'Bone0' && key !== null ? Array(3).fill(sample.grows[key]) : saved;
}

function localTransform(sample, name, key) {
  const p = sample.nodes?.[name] ?? {};
  const above = p.InheritType === 2 ? scaleOf(sample, PARENTS[name], key) : [1, 1, 1]; // even, as all scales of bones here
  const turned = key !== null && (key[name] ?? TURNS[name]?.[key]);
  const angles = turned || p['Lcl Rotation'] || [0, 0, 0];
  return product(
    move(PLACES[name]), move(p.RotationOffset), move(p.RotationPivot), turn(p.PreRotation ?? [0, 0, 0]), turn(angles, p.RotationOrder),
    turn(p.PostRotation ?? [0, 0, 0]).invert(), move(p.RotationPivot).invert(), move(p.ScalingOffset), move(p.ScalingPivot),
    new Matrix4().makeScale(...scaleOf(sample, name, key).map((c, i) => c / above[i])), move(p.ScalingPivot).invert(),
  );
}

/** Key null: the bind pose; or angles of bones. */
function world(sample, name, key) {
  const local = localTransform(sample, name, key);
  return PARENTS[name] ? world(sample, PARENTS[name], key).multiply(local) : local;
}

function geometric(sample, name) {
  const p = sample.nodes?.[name] ?? {};
  return product(move(p.GeometricTranslation), turn(p.GeometricRotation ?? [0, 0, 0]), new Matrix4().makeScale(...(p.GeometricScaling ?? [1, 1, 1])));
}

/** The corners of both triangles at a key, in meters and Y up; corner c of the first has weight c / 3 on the second bone. */
export function verticesOfSample(sample, key) {
  const upright = sample.file?.UpAxis === 2 ? new Matrix4().makeRotationX(-Math.PI / 2) : new Matrix4();
  const meters = 0.01 * (sample.file?.UnitScaleFactor ?? 1);
  const bones = ['Bone0', 'Bone1'].map((name) => world(sample, name, key).multiply(world(sample, name, null).invert()));
  const bound = world(sample, 'Body', null).multiply(geometric(sample, 'Body'));
  const prop = world(sample, 'Prop', key).multiply(geometric(sample, 'Prop'));
  const skinned = CORNERS.map((corner, c) => {
    const [a, b] = bones.map((bone) => new Vector3(...corner).applyMatrix4(bound).applyMatrix4(bone));
    return a.lerp(b, c / 3);
  });
  const hung = CORNERS.map((corner) => new Vector3(...corner).applyMatrix4(prop));
  return [skinned, hung].map((list) => list.flatMap((v) => v.applyMatrix4(upright).multiplyScalar(meters).toArray()));
}

// --- the file ---

const array = (name, values) => `${name}: *${values.length} {\n a: ${values.join(',')}\n}`;
const vector = (name, values) => `P: "${name}", "Vector3D", "Vector", "A",${values.join(',')}`;
const whole = (name, value) => `P: "${name}", "enum", "", "",${value}`;
const block = (...lines) => `Properties70: {\n${lines.join('\n')}\n}`;
const IDS = Object.fromEntries(Object.keys(PARENTS).map((name, i) => [name, 100 + i]));

function nodeText(sample, name) {
  const kind = { Body: 'Mesh', Prop: 'Mesh', Rig: 'Null' }[name] ?? 'LimbNode';
  const saved = TURNS[name] && sample.saved !== undefined ? { 'Lcl Rotation': TURNS[name][sample.saved] } : {};
  const all = { InheritType: 1, 'Lcl Translation': PLACES[name], ...sample.nodes?.[name], ...saved };
  const lines = Object.entries(all).map(([key, value]) => (Array.isArray(value) ? vector(key, value) : whole(key, value)));
  return `Model: ${IDS[name]}, "Model::${name}", "${kind}" {\nVersion: 232\n${block('P: "RotationActive", "bool", "", "",1', ...lines)}\n}`;
}

function meshText(id, name) {
  return `Geometry: ${id}, "Geometry::${name}", "Mesh" {\n${array('Vertices', CORNERS.flat())}\n${array('PolygonVertexIndex', [0, 1, -3])}\nGeometryVersion: 124\n}`;
}

function clusterText(sample, id, bone, weights, away = sample.boundAway ?? 0) {
  const link = world(sample, bone, null);
  const transform = link.clone().invert().multiply(world(sample, 'Body', null));
  transform.multiply(move([0, away, 0]));
  const used = weights ? `${array('Indexes', [0, 1, 2])}\n${array('Weights', weights)}\n` : '';
  return `Deformer: ${id}, "SubDeformer::${bone}", "Cluster" {\nVersion: 100\n${used}
${array('Transform', transform.elements)}\n${array('TransformLink', link.elements)}\n}`;
}

const AXES = ['X', 'Y', 'Z'];
// Whole numbers with the bits of the floats, as in the programs that write such files; weights are packed into one.
const asBits = ([right, left, weights, speeds]) => [...new Int32Array(new Float32Array([right, left]).buffer), weights, speeds];
function curveTexts(kind, first, values, [flags, tangents] = CURVES['far turns']) {
  const times = [...Array(KEYS).keys()].map((k) => (k * SECOND) / 2);
  return [
    `AnimationCurveNode: ${first}, "AnimCurveNode::${kind}", "" {\n${block(...AXES.map((axis) => `P: "d|${axis}", "Number", "", "A",0`))}\n}`,
    ...AXES.map((_, i) => `AnimationCurve: ${first + 1 + i}, "AnimCurve::", "" {\nDefault: 0\nKeyVer: 4008\n${array('KeyTime', times)}\n${array('KeyValueFloat', values.map((value) => value[i]))}
${array('KeyAttrFlags', [flags])}\n${array('KeyAttrDataFloat', asBits(tangents))}\n${array('KeyAttrRefCount', [KEYS])}\n}`),
  ];
}

/** [kind, bone, first of its numbers, values] of everything that has keys. */
function curves(sample) {
  const turns = Object.entries(TURNS).map(([bone, values], i) => ['R', bone, 500 + 10 * i, values]);
  const moves = ['Bone1', 'Bone2', 'Bone3', 'Bone4'].map((bone, i) => ['T', bone, 600 + 10 * i, Array(KEYS).fill(PLACES[bone].map((c) => c * sample.longer))]);
  const scales = ['S', 'Bone0', 700, sample.grows?.map((c) => [c, c, c])];
  return [...turns, ...(sample.longer ? moves : []), ...(sample.grows ? [scales] : [])];
}

function objects(sample) {
  const end = (KEYS - 1) * 0.5 * SECOND;
  return [
    meshText(200, 'Body'), meshText(201, 'Prop'), ...Object.keys(PARENTS).map((name) => nodeText(sample, name)),
    'Deformer: 300, "Deformer::Skin", "Skin" {\nVersion: 101\n}',
    clusterText(sample, 301, 'Bone0', CORNERS.map((_, c) => 1 - c / 3)), clusterText(sample, 302, 'Bone1', CORNERS.map((_, c) => c / 3)),
    ...(sample.boundTwice ? ['Deformer: 310, "Deformer::Skin2", "Skin" {\nVersion: 101\n}', clusterText(sample, 311, 'Bone0', [0.5, 0.5, 0.5], 0), clusterText(sample, 312, 'Bone1', [0.5, 0.5, 0.5], 1)] : []),
    ...[2, 3, 4].map((i) => clusterText(sample, 301 + i, `Bone${i}`)),
    `AnimationStack: 400, "AnimStack::turn", "" {\n${block(`P: "LocalStop", "KTime", "Time", "",${end}`)}\n}`,
    'AnimationLayer: 401, "AnimLayer::Layer", "" {\n}', ...curves(sample).flatMap(([kind, , first, values]) => curveTexts(kind, first, values, sample.curve)),
  ].join('\n');
}

function connections(sample) {
  const skin = [0, 1, 2, 3, 4].flatMap((i) => [[301 + i, 300], [IDS[`Bone${i}`], 301 + i]]);
  if (sample.boundTwice) skin.push([310, 201], [311, 310], [312, 310], [IDS.Bone0, 311], [IDS.Bone1, 312]);
  const plain = [...Object.entries(PARENTS).map(([name, parent]) => [IDS[name], IDS[parent] ?? 0]), [200, IDS.Body], [201, IDS.Prop], [300, 200], ...skin, [401, 400]];
  const names = { R: 'Lcl Rotation', T: 'Lcl Translation', S: 'Lcl Scaling' };
  const animated = curves(sample).flatMap(([kind, bone, first]) => [
    `C: "OO",${first},401`, `C: "OP",${first},${IDS[bone]}, "${names[kind]}"`, ...AXES.map((axis, i) => `C: "OP",${first + 1 + i},${first}, "d|${axis}"`),
  ]);
  return [...plain.map(([from, to]) => `C: "OO",${from},${to}`), ...animated].join('\n');
}

export function makeSample(sample) {
  const settings = { UpAxis: 1, UpAxisSign: 1, FrontAxis: 2, FrontAxisSign: 1, CoordAxis: 0, CoordAxisSign: 1, UnitScaleFactor: 1, ...sample.file };
  const lines = Object.entries(settings).map(([key, value]) => (key === 'UnitScaleFactor' ? `P: "${key}", "double", "Number", "",${value}` : `P: "${key}", "int", "Integer", "",${value}`));
  const text = `; FBX 7.4.0 project file
FBXHeaderExtension: {
FBXHeaderVersion: 1003
FBXVersion: 7400
}
GlobalSettings: {
Version: 1000
${block(...lines)}
}
Objects: {
${objects(sample)}
}
Connections: {
${connections(sample)}
}
`;
  return Object.entries(sample.called ?? {}).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

// --- the same, binary ---

// The text's own shape is enough: a record per line, braces, arrays with a star.
function* records(lines) {
  for (let line = lines.next(); !line.done && line.value !== '}'; line = lines.next()) {
    const [, name, rest] = line.value.match(/^(\w+): ?(.*)$/);
    const open = rest.endsWith('{');
    const values = (open ? rest.slice(0, -1) : rest).match(/"[^"]*"|[^,\s]+/g) ?? [];
    const children = open ? [...records(lines)] : null;
    const isArray = values[0]?.startsWith('*');
    yield isArray ? { name, array: children[0].values.map(Number) } : { name, values, children };
  }
}

const KINDS = { KeyTime: 'l', KeyValueFloat: 'f', KeyAttrFlags: 'i', KeyAttrRefCount: 'i', PolygonVertexIndex: 'i', Indexes: 'i' };
const asArray = { l: (list) => BigInt64Array.from(list, BigInt), f: (list) => Float32Array.from(list), i: (list) => Int32Array.from(list), d: (list) => Float64Array.from(list) };

function arrayBytes({ name, array: list }) {
  const kind = name === 'KeyAttrDataFloat' ? 'f' : KINDS[name] ?? 'd';
  const raw = Buffer.from((name === 'KeyAttrDataFloat' ? Int32Array.from(list) : asArray[kind](list)).buffer);
  const packed = list.length > 2 ? deflateSync(raw) : raw;
  const head = Buffer.alloc(13);
  head.write(kind);
  [list.length, list.length > 2 ? 1 : 0, packed.length].forEach((word, i) => head.writeUInt32LE(word, 1 + 4 * i));
  return Buffer.concat([head, packed]);
}

const WHOLE = /^(Model|Geometry|Deformer|AnimationStack|AnimationLayer|AnimationCurveNode|AnimationCurve|C)$/;
function valueBytes(name, text) {
  const bytes = Buffer.alloc(9);
  if (text.startsWith('"')) {
    const [, first, second] = text.match(/^"(?:(\w*)::)?(.*)"$/);
    const word = first === undefined ? second : `${second}\0\x01${first}`;
    const length = Buffer.alloc(5, 'S');
    length.writeUInt32LE(word.length, 1);
    return Buffer.concat([length, Buffer.from(word, 'latin1')]);
  }
  if (WHOLE.test(name) || Math.abs(Number(text)) > 2 ** 31) {
    bytes.write('L');
    bytes.writeBigInt64LE(BigInt(text), 1);
    return bytes;
  }
  const isWhole = Number.isInteger(Number(text)) && !/Vector|double|Number/.test(name);
  bytes.write(isWhole ? 'I' : 'D');
  if (isWhole) bytes.writeInt32LE(Number(text), 1);
  else bytes.writeDoubleLE(Number(text), 1);
  return isWhole ? bytes.subarray(0, 5) : bytes;
}

function recordBytes(record, at, wide) {
  const { name, values, children } = record;
  const kind = name === 'P' ? values[1] : name; // of a property
  const list = record.array ? [arrayBytes(record)] : values.map((text) => valueBytes(kind, text));
  const properties = Buffer.concat(list);
  const size = (wide ? 25 : 13) + name.length;
  const inside = children ? listBytes(children, at + size + properties.length, wide) : Buffer.alloc(0);
  const head = Buffer.alloc(size);
  const words = [at + size + properties.length + inside.length, list.length, properties.length];
  words.forEach((word, i) => (wide ? head.writeBigUInt64LE(BigInt(word), 8 * i) : head.writeUInt32LE(word, 4 * i)));
  head[wide ? 24 : 12] = name.length;
  head.write(name, size - name.length);
  return Buffer.concat([head, properties, inside]);
}

function listBytes(list, from, wide) {
  const parts = [];
  let at = from;
  for (const record of list) {
    parts.push(recordBytes(record, at, wide));
    at += parts.at(-1).length;
  }
  return Buffer.concat([...parts, Buffer.alloc(wide ? 25 : 13)]);
}

export function toBinary(text, version) {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith(';'));
  const head = Buffer.alloc(27);
  head.write('Kaydara FBX Binary  \0\x1a\0', 'latin1');
  head.writeUInt32LE(version, 23);
  return Buffer.concat([head, listBytes([...records(lines.values())], head.length, version >= 7500)]);
}

export const makeBinarySample = (sample, version) => toBinary(makeSample(sample), version);
