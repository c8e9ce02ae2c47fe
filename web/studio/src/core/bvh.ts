// A BVH file as three.js objects: bones, a simple body, one clip. The engine reads the file and builds the body.
import type { Object3D } from 'three';
import {
  AnimationClip,
  Bone,
  BufferAttribute,
  BufferGeometry,
  Group,
  Matrix4,
  MeshStandardMaterial,
  QuaternionKeyframeTrack,
  Skeleton,
  SkinnedMesh,
  VectorKeyframeTrack,
} from 'three';
import { LimberError } from 'limber/engine';
import type { Character, ClipData, Engine, MeshData } from 'limber/engine';
import type { SourceFile } from './document';
import { FileError } from './file_error';

const TRACKS = { translation: 'position', rotation: 'quaternion', scale: 'scale' } as const;
const INFLUENCES = 4;

function bonesOf(character: Character): Bone[] {
  const bones = character.joints.map(({ name, rest }, i) => {
    const bone = new Bone();
    bone.name = `joint_${i}`;
    bone.userData.name = name;
    bone.position.fromArray(rest, 0);
    bone.quaternion.fromArray(rest, 3);
    bone.scale.fromArray(rest, 7);
    return bone;
  });
  character.joints.forEach(({ parent }, i) => parent >= 0 && bones[parent].add(bones[i]));
  return bones;
}

/** The four largest influences of each vertex. */
function influencesOf(mesh: MeshData): { joints: Uint16Array; weights: Float32Array } {
  const joints = new Uint16Array(INFLUENCES * mesh.vertexCount);
  const weights = new Float32Array(INFLUENCES * mesh.vertexCount);
  for (let u = 0; u < mesh.vertexCount; u++) {
    const all = [];
    for (let i = mesh.influenceFirst[u]; i < mesh.influenceFirst[u + 1]; i++)
      all.push({ joint: mesh.influenceJoint[i], weight: mesh.influenceWeight[i] });
    all.sort((a, b) => b.weight - a.weight);
    all.slice(0, INFLUENCES).forEach(({ joint, weight }, k) => {
      joints[INFLUENCES * u + k] = joint;
      weights[INFLUENCES * u + k] = weight;
    });
  }
  return { joints, weights };
}

function geometryOf(mesh: MeshData): BufferGeometry {
  const geometry = new BufferGeometry();
  const { joints, weights } = influencesOf(mesh);
  geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
  geometry.setAttribute('skinIndex', new BufferAttribute(joints, INFLUENCES));
  geometry.setAttribute('skinWeight', new BufferAttribute(weights, INFLUENCES));
  geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
  return geometry;
}

/** Converts a channel of the engine's clip to a track of the bone `joint_N`. */
export function animationOf(clip: ClipData, nodeOf: (joint: number) => string): AnimationClip {
  const tracks = clip.channels.flatMap((channel) => {
    if (channel.path === 'weights') return [];
    const Track = channel.path === 'rotation' ? QuaternionKeyframeTrack : VectorKeyframeTrack;
    return [
      new Track(
        `${nodeOf(channel.target)}.${TRACKS[channel.path]}`,
        channel.times as unknown as number[],
        channel.values as unknown as number[],
      ),
    ];
  });
  return new AnimationClip(clip.name, clip.end, tracks);
}

function build(character: Character, title: string): { object: Object3D; clips: AnimationClip[] } {
  const object = new Group();
  const bones = bonesOf(character);
  object.name = title;
  character.joints.forEach(({ parent }, i) => parent < 0 && object.add(bones[i]));
  const material = new MeshStandardMaterial({ color: 0xd8b07c, roughness: 0.6, metalness: 0 });
  character.meshes.forEach((info, i) => {
    const skin = character.skin(info.skin);
    const inverses: Matrix4[] = [];
    const skinBones = [...skin.joints].map(
      (j, k) => (inverses.push(new Matrix4().fromArray(skin.inverseBindMatrices, 16 * k)), bones[j]),
    );
    const mesh = new SkinnedMesh(geometryOf(character.mesh(i)), material);
    mesh.name = info.name;
    object.add(mesh);
    mesh.bind(new Skeleton(skinBones, inverses), new Matrix4());
  });
  const clips = character.clips.map((_, i) => animationOf(character.clip(i), (joint) => bones[joint].name));
  return { object, clips };
}

export function objectOfBvh(engine: Engine, file: SourceFile): { object: Object3D; clips: AnimationClip[] } {
  const title = file.name.replace(/\.bvh$/i, '');
  let character: Character;
  try {
    character = engine.bvh(file.bytes, title);
  } catch (error) {
    if (error instanceof LimberError) throw new FileError(`${file.name} cannot be read`, error.message);
    throw error;
  }
  try {
    return build(character, title);
  } finally {
    character.dispose();
  }
}
