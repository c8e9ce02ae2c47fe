// The nodes of a glTF file: parents, moving a mesh to another node, channels.
import type { GltfFile, Json } from './glb';

const TRANSFORM = ['matrix', 'translation', 'rotation', 'scale'];

export class NodeTree {
  constructor(private readonly file: GltfFile) {}

  at(node: number): Json {
    return this.file.nodes[node];
  }

  parent(node: number): number {
    return this.file.nodes.findIndex((one) => one.children?.includes(node));
  }

  root(node: number): number {
    for (let steps = this.file.nodes.length; steps > 0; steps--) {
      const above = this.parent(node);
      if (above < 0) break;
      node = above;
    }
    return node;
  }

  private get animations(): Json[] {
    return this.file.json.animations ?? [];
  }

  private moves(node: number): boolean {
    return this.animations.some(({ channels }) =>
      channels.some(({ target }: Json) => target.node === node && target.path !== 'weights'),
    );
  }

  isJoint(node: number): boolean {
    return (this.file.json.skins ?? []).some((skin: Json) => skin.skeleton === node || skin.joints.includes(node));
  }

  add(object: Json, parent?: number): number {
    const index = this.file.push('nodes', object);
    if (parent !== undefined) (this.at(parent).children ??= []).push(index);
    return index;
  }

  /** Adds a root node to every scene that shows `beside`. */
  show(node: number, beside: number): void {
    for (const scene of this.file.json.scenes ?? [])
      if (scene.nodes?.includes(beside) && !scene.nodes.includes(node)) scene.nodes.push(node);
  }

  /** Moves the mesh to a new node of the same name, together with its weight channels. */
  private split(node: number): number {
    const object = this.at(node);
    const fresh: Json = {};
    for (const key of ['name', 'mesh', 'skin', 'weights']) if (key in object) fresh[key] = object[key];
    for (const key of ['mesh', 'skin', 'weights']) delete object[key];
    const index = this.file.push('nodes', fresh);
    for (const { channels } of this.animations)
      for (const { target } of channels) if (target.node === node && target.path === 'weights') target.node = index;
    return index;
  }

  private detach(node: number): void {
    const above = this.parent(node);
    if (above >= 0) this.at(above).children = this.at(above).children.filter((one: number) => one !== node);
  }

  /** Moves the mesh to the root, where no other node affects it. */
  toRoot(node: number): number {
    const object = this.at(node);
    const placed = TRANSFORM.some((key) => key in object);
    const moves = this.moves(node);
    if (this.parent(node) < 0 && !placed && !moves) return node;
    const root = this.root(node);
    const needed =
      moves || this.isJoint(node) || object.children?.length || object.camera !== undefined || object.extensions;
    let carrier = node;
    if (needed) carrier = this.split(node);
    else {
      this.detach(node);
      for (const key of TRANSFORM) delete object[key];
    }
    this.show(carrier, root);
    return carrier;
  }

  /** Players also apply the weights of a node to its descendants, so a mesh with new targets must not have any. */
  toLeaf(node: number): number {
    if (!this.isJoint(node) && !this.at(node).children?.length) return node;
    const leaf = this.split(node);
    (this.at(node).children ??= []).push(leaf);
    return leaf;
  }

  under(child: number, parent: number): void {
    this.detach(child);
    (this.at(parent).children ??= []).push(child);
  }

  /** The mesh of the node; cloned if other nodes share it. */
  ownMesh(node: number): Json {
    const index: number = this.at(node).mesh;
    const meshes = this.file.list('meshes');
    if (this.file.nodes.filter((one) => one.mesh === index).length < 2) return meshes[index];
    this.at(node).mesh = this.file.push('meshes', structuredClone(meshes[index]));
    return meshes[this.at(node).mesh];
  }

  // --- channels ---

  static channel(animation: Json, node: number, path: string): Json | undefined {
    return animation.channels?.find(({ target }: Json) => target.node === node && target.path === path);
  }

  /** Adds a channel, replacing an existing one for the same node and path. */
  static setChannel(
    animation: Json,
    node: number,
    path: string,
    sampler: { input: number; output: number; interpolation: string },
  ): void {
    const samplers: Json[] = (animation.samplers ??= []);
    const channels: Json[] = (animation.channels ??= []);
    let channel = NodeTree.channel(animation, node, path);
    if (!channel) channels.push((channel = { target: { node, path } }));
    const alone =
      channel.sampler !== undefined && channels.filter((one) => one.sampler === channel.sampler).length === 1;
    if (alone) samplers[channel.sampler] = sampler;
    else channel.sampler = samplers.push(sampler) - 1;
  }
}
