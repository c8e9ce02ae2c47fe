// Small .fbx files whose vertices are known, by FBX's formula for transforms: for import.mjs.
//
//   local = T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1, then the geometric transform for a node's own mesh
//
// A skinned triangle on two bones that turn, with three more below, and one that hangs on the second bone without a skin.
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

// --- where vertices are ---

const turn = (angles, order) => new Matrix4().makeRotationFromEuler(new Euler(...angles.map(MathUtils.degToRad), ORDERS[order ?? 0]));
const move = (by = [0, 0, 0]) => new Matrix4().makeTranslation(...by);
const product = (...all) => all.reduce((a, b) => a.multiply(b), new Matrix4());

function localTransform(sample, name, key) {
  const p = sample.nodes?.[name] ?? {};
  const angles = (key !== null && TURNS[name]?.[key]) || p['Lcl Rotation'] || [0, 0, 0];
  return product(
    move(PLACES[name]), move(p.RotationOffset), move(p.RotationPivot), turn(p.PreRotation ?? [0, 0, 0]), turn(angles, p.RotationOrder),
    turn(p.PostRotation ?? [0, 0, 0]).invert(), move(p.RotationPivot).invert(), move(p.ScalingOffset), move(p.ScalingPivot),
    new Matrix4().makeScale(...(p['Lcl Scaling'] ?? [1, 1, 1])), move(p.ScalingPivot).invert(),
  );
}

/** Key null: the bind pose. */
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
  const all = { 'Lcl Translation': PLACES[name], ...sample.nodes?.[name], ...saved };
  const lines = Object.entries(all).map(([key, value]) => (Array.isArray(value) ? vector(key, value) : whole(key, value)));
  return `Model: ${IDS[name]}, "Model::${name}", "${kind}" {\nVersion: 232\n${block('P: "RotationActive", "bool", "", "",1', whole('InheritType', 1), ...lines)}\n}`;
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
function curveTexts(kind, first, values) {
  const times = [...Array(KEYS).keys()].map((k) => (k * SECOND) / 2);
  return [
    `AnimationCurveNode: ${first}, "AnimCurveNode::${kind}", "" {\n${block(...AXES.map((axis) => `P: "d|${axis}", "Number", "", "A",0`))}\n}`,
    ...AXES.map((_, i) => `AnimationCurve: ${first + 1 + i}, "AnimCurve::", "" {\nDefault: 0\nKeyVer: 4008\n${array('KeyTime', times)}\n${array('KeyValueFloat', values.map((value) => value[i]))}
${array('KeyAttrFlags', [4])}\n${array('KeyAttrDataFloat', [0, 0, 0, 0])}\n${array('KeyAttrRefCount', [KEYS])}\n}`),
  ];
}

/** [kind, bone, first of its numbers, values] of everything that has keys. */
function curves(sample) {
  const turns = Object.entries(TURNS).map(([bone, values], i) => ['R', bone, 500 + 10 * i, values]);
  const moves = ['Bone1', 'Bone2', 'Bone3', 'Bone4'].map((bone, i) => ['T', bone, 600 + 10 * i, Array(KEYS).fill(PLACES[bone].map((c) => c * sample.longer))]);
  return sample.longer ? [...turns, ...moves] : turns;
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
    'AnimationLayer: 401, "AnimLayer::Layer", "" {\n}', ...curves(sample).flatMap(([kind, , first, values]) => curveTexts(kind, first, values)),
  ].join('\n');
}

function connections(sample) {
  const skin = [0, 1, 2, 3, 4].flatMap((i) => [[301 + i, 300], [IDS[`Bone${i}`], 301 + i]]);
  if (sample.boundTwice) skin.push([310, 201], [311, 310], [312, 310], [IDS.Bone0, 311], [IDS.Bone1, 312]);
  const plain = [...Object.entries(PARENTS).map(([name, parent]) => [IDS[name], IDS[parent] ?? 0]), [200, IDS.Body], [201, IDS.Prop], [300, 200], ...skin, [401, 400]];
  const names = { R: 'Lcl Rotation', T: 'Lcl Translation' };
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
