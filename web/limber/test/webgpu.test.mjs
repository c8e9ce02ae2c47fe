// limber/webgpu in node, where nothing is drawn: what it does to materials, and what it refuses.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as THREE from 'three';
import { limber, LimberError } from '../dist/webgpu.js';
import { tube } from './three_kit.mjs';

test('a mesh gets a positionNode, and its own material back', async () => {
  const { group, mesh } = tube();
  const { material } = mesh;
  const toon = await limber(group, 'cartoon');
  assert.equal(toon.computed.on, 'gpu');
  assert.ok(mesh.material.positionNode.isNode);
  assert.equal(material.positionNode, undefined);
  assert.notEqual(mesh.material.id, material.id);
  material.color.set('red');
  assert.equal(mesh.material.color.getHex(), 0xff0000);
  assert.equal(mesh.customDepthMaterial, undefined);
  toon.dispose();
  assert.equal(mesh.material, material);
});

test('a part of the shader that a style asks for is a new node and version; going back is not', async () => {
  const { group, mesh } = tube();
  const toon = await limber(group, {});
  const { version, positionNode } = mesh.material;
  assert.equal(mesh.material.positionNode, positionNode);
  toon.style = { effects: { floppy: { angular: 0.5 } } };
  const next = mesh.material.positionNode;
  assert.ok(mesh.material.version > version);
  assert.notEqual(next, positionNode);
  toon.style = {};
  toon.style = { effects: { floppy: { angular: 0.7 } } };
  assert.equal(mesh.material.positionNode, next);
  toon.dispose();
});

test('materials with a positionNode, ShaderMaterials and WebGLRenderer are refused', async () => {
  const own = tube();
  own.mesh.material.positionNode = {};
  await assert.rejects(limber(own.group, {}), (error) => error instanceof LimberError && /positionNode/.test(error));
  const shader = tube();
  shader.mesh.material = new THREE.ShaderMaterial();
  await assert.rejects(limber(shader.group, {}), /ShaderMaterial/);
  const { group, mesh } = tube();
  const toon = await limber(group, {});
  assert.throws(() => mesh.onBeforeRender({ isWebGLRenderer: true }), /mesh 'Tube': .*'limber\/three'/);
  toon.dispose();
});

test('morph targets are added on the GPU', async () => {
  const { group, mesh } = tube();
  const { geometry } = mesh;
  geometry.morphAttributes.position = [geometry.getAttribute('position').clone()];
  geometry.morphTargetsRelative = true;
  mesh.updateMorphTargets();
  const toon = await limber(group, 'cartoon', { compute: 'gpu' });
  assert.equal(toon.computed.on, 'gpu');
  toon.dispose();
});
