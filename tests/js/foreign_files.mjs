// A triangle on six bones as an .fbx and as a .dae, written by hand: inches, Z up, bones below a pre-rotation.
const BONES = 6;
const SECOND = 46186158000; // FBX counts time so
const quoted = (list) => list.join(',');
const block = (name, values) => `${name}: *${values.length} {\n a: ${quoted(values)}\n}`;
const property = (name, type, kind, ...values) => `P: "${name}", "${type}", "${kind}", "A",${quoted(values)}`;
const properties = (...lines) => `Properties70: {\n${lines.join('\n')}\n}`;

/** Column-major: a quarter turn about Z, which the rig's pre-rotation is. */
const TURN = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const TURN_BACK = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const CORNERS = [0, 0, 0, 3, 0, 0, 0, 0, 4];

function fbxObjects(mesh) {
  const bones = [...Array(BONES).keys()];
  const takes = [['move', 'X', 60], ['rise', 'Z', 30]];
  return [
    `Geometry: 100, "Geometry::Body", "Mesh" {\n${block('Vertices', CORNERS)}\n${block('PolygonVertexIndex', [0, 1, -3])}\nGeometryVersion: 124\n
LayerElementMaterial: 0 {\nVersion: 101\nName: ""\nMappingInformationType: "AllSame"\nReferenceInformationType: "IndexToDirect"\n${block('Materials', [0])}\n}\n
Layer: 0 {\nVersion: 100\nLayerElement: {\nType: "LayerElementMaterial"\nTypedIndex: 0\n}\n}\n}`,
    `Model: 101, "Model::Body", "Mesh" {\nVersion: 232\n${properties()}\n}`,
    `Model: 102, "Model::Rig", "Null" {\nVersion: 232\n${properties(property('RotationActive', 'bool', '', 1), property('PreRotation', 'Vector3D', 'Vector', 0, 0, 90))}\n}`,
    `Material: 103, "Material::Red", "" {\nVersion: 102\nShadingModel: "phong"\n${properties(property('DiffuseColor', 'Color', '', 1, 0.25, 0))}\n}`,
    `Deformer: 104, "Deformer::Skin", "Skin" {\nVersion: 101\n}`,
    ...bones.map((i) => `Model: ${200 + i}, "Model::Bone${i}", "LimbNode" {\nVersion: 232\n${properties()}\n}`),
    ...bones.map((i) => `Deformer: ${300 + i}, "SubDeformer::Cluster${i}", "Cluster" {\nVersion: 100\n${block('Indexes', [0, 1, 2])}\n${block('Weights', [1, 1, 1].map((w) => w / BONES))}\n${block('Transform', TURN_BACK)}\n${block('TransformLink', TURN)}\n}`),
    ...takes.flatMap(([name, , far], t) => [
      `AnimationStack: ${400 + t}, "AnimStack::${name}", "" {\n${properties(property('LocalStart', 'KTime', 'Time', 0), property('LocalStop', 'KTime', 'Time', SECOND))}\n}`,
      `AnimationLayer: ${410 + t}, "AnimLayer::${name}", "" {\n}`,
      `AnimationCurveNode: ${420 + t}, "AnimCurveNode::T", "" {\n${properties(property('d|X', 'Number', '', 0), property('d|Y', 'Number', '', 0), property('d|Z', 'Number', '', 0))}\n}`,
      `AnimationCurve: ${430 + t}, "AnimCurve::", "" {\nDefault: 0\nKeyVer: 4008\n${block('KeyTime', [0, SECOND])}\n${block('KeyValueFloat', [0, far])}\n}`,
    ]),
  ].filter((text) => mesh || !/^(Geometry|Deformer|Material|Model: 101,)/.test(text)).join('\n');
}

function fbxConnections(mesh) {
  const bones = [...Array(BONES).keys()];
  const links = [[101, 0], [102, 0], [100, 101], [103, 101], [104, 100]];
  for (const i of bones) links.push([200 + i, 102], [300 + i, 104], [200 + i, 300 + i]);
  const named = ['X', 'Z'].flatMap((axis, t) => {
    links.push([410 + t, 400 + t], [420 + t, 410 + t]);
    return [`C: "OP",${420 + t},${200 + BONES - 1}, "Lcl Translation"`, `C: "OP",${430 + t},${420 + t}, "d|${axis}"`];
  });
  const ofMesh = (id) => id >= 100 && id <= 104 && id !== 102 || id >= 300 && id < 310;
  const kept = links.filter((link) => mesh || !link.some(ofMesh));
  return [...kept.map(([from, to]) => `C: "OO",${from},${to}`), ...named].join('\n');
}

/** Without the mesh: a skeleton and its motion, as downloads of motions are. */
export function makeFbx({ mesh = true } = {}) {
  const axes = { UpAxis: 2, UpAxisSign: 1, FrontAxis: 1, FrontAxisSign: -1, CoordAxis: 0, CoordAxisSign: 1 };
  const settings = [...Object.entries(axes).map(([name, value]) => property(name, 'int', 'Integer', value)), property('UnitScaleFactor', 'double', 'Number', 2.54)];
  return `; FBX 7.4.0 project file
FBXHeaderExtension: {
FBXHeaderVersion: 1003
FBXVersion: 7400
}
GlobalSettings: {
Version: 1000
${properties(...settings)}
}
Definitions: {
Version: 100
}
Objects: {
${fbxObjects(mesh)}
}
Connections: {
${fbxConnections(mesh)}
}
`;
}

// --- Collada ---

const rows = (m) => [0, 1, 2, 3].flatMap((r) => [0, 1, 2, 3].map((c) => m[4 * c + r])).join(' ');
const source = (id, type, values, stride, params) => `<source id="${id}"><${type}_array id="${id}-a" count="${values.length}">${values.join(' ')}</${type}_array>
<technique_common><accessor source="#${id}-a" count="${values.length / stride}" stride="${stride}">${params.map(([n, t]) => `<param name="${n}" type="${t}"/>`).join('')}</accessor></technique_common></source>`;
const xyz = [['X', 'float'], ['Y', 'float'], ['Z', 'float']];

export function makeDae() {
  const bones = [...Array(BONES).keys()];
  const names = bones.map((i) => `Bone${i}`);
  const moved = [IDENTITY, [...IDENTITY.slice(0, 12), 60, 0, 0, 1]].map(rows).join(' ').split(' ');
  const pairs = [0, 1, 2].map(() => bones.map((i) => `${i} 0`).join(' ')).join(' ');
  return `<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="red-fx"><profile_COMMON><technique sid="common"><phong><diffuse><color>1 0.25 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red" name="Red"><instance_effect url="#red-fx"/></material></library_materials>
<library_geometries><geometry id="body" name="Body"><mesh>
${source('body-p', 'float', CORNERS, 3, xyz)}
<vertices id="body-v"><input semantic="POSITION" source="#body-p"/></vertices>
<triangles material="red" count="1"><input semantic="VERTEX" source="#body-v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_controllers><controller id="skin"><skin source="#body"><bind_shape_matrix>${rows(IDENTITY)}</bind_shape_matrix>
${source('skin-j', 'Name', names, 1, [['JOINT', 'name']])}
${source('skin-b', 'float', bones.flatMap(() => rows(TURN_BACK).split(' ')), 16, [['TRANSFORM', 'float4x4']])}
${source('skin-w', 'float', [1 / BONES], 1, [['WEIGHT', 'float']])}
<joints><input semantic="JOINT" source="#skin-j"/><input semantic="INV_BIND_MATRIX" source="#skin-b"/></joints>
<vertex_weights count="3"><input semantic="JOINT" source="#skin-j" offset="0"/><input semantic="WEIGHT" source="#skin-w" offset="1"/>
<vcount>6 6 6</vcount><v>${pairs}</v></vertex_weights></skin></controller></library_controllers>
<library_animations><animation id="move">
${source('move-t', 'float', [0, 1], 1, [['TIME', 'float']])}
${source('move-m', 'float', moved, 16, [['TRANSFORM', 'float4x4']])}
${source('move-i', 'Name', ['LINEAR', 'LINEAR'], 1, [['INTERPOLATION', 'name']])}
<sampler id="move-s"><input semantic="INPUT" source="#move-t"/><input semantic="OUTPUT" source="#move-m"/><input semantic="INTERPOLATION" source="#move-i"/></sampler>
<channel source="#move-s" target="Bone5/transform"/></animation></library_animations>
<library_visual_scenes><visual_scene id="scene">
<node id="Rig" name="Rig" type="NODE"><matrix sid="transform">${rows(TURN)}</matrix>
${names.map((name) => `<node id="${name}" name="${name}" sid="${name}" type="JOINT"><matrix sid="transform">${rows(IDENTITY)}</matrix></node>`).join('\n')}
</node>
<node id="BodyNode" name="Body" type="NODE"><instance_controller url="#skin"><skeleton>#Rig</skeleton><bind_material><technique_common><instance_material symbol="red" target="#red"/></technique_common></bind_material></instance_controller></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
`;
}
