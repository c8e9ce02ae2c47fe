// Pages of @react-three/fiber with limber/react; bundled by react.test.mjs, runs in the page.
import { Canvas, useFrame, useLoader } from '@react-three/fiber';
import { Component, createElement as h, StrictMode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Limber, useLimber } from 'limber/react';

const state = { toons: [], faults: [], frames: 0 };
globalThis.state = state;

class Boundary extends Component {
  state = { message: '' };
  static getDerivedStateFromError({ message }) {
    return { message };
  }
  componentDidCatch(error) {
    state.faults.push(error.message);
  }
  render() {
    return this.state.message ? null : this.props.children;
  }
}

/** Where three.js would draw the vertices of the toon, and where they are. */
function compare(toon) {
  const point = new Vector3();
  let most = 0;
  for (const mesh of toon.meshes) {
    mesh.updateWorldMatrix(true, false);
    for (const bone of mesh.skeleton.bones) bone.updateWorldMatrix(true, false);
    const places = toon.positions(mesh);
    for (let u = 0; 3 * u < places.length; u++) {
      mesh.getVertexPosition(u, point).applyMatrix4(mesh.matrixWorld);
      most = Math.max(most, point.distanceTo({ x: places[3 * u], y: places[3 * u + 1], z: places[3 * u + 2] }));
    }
  }
  return most / toon.character.size;
}

function useMixer({ scene, animations }) {
  const [mixer] = useState(() => new AnimationMixer(scene));
  useEffect(() => {
    const action = mixer.clipAction(animations[0]).play();
    return () => void action.stop();
  }, [mixer, animations]);
  useFrame((_, step) => mixer.update(Math.min(step, 0.05)));
}

function see(toon) {
  if (!state.toons.includes(toon)) state.toons.push(toon);
}

function WithHook({ file, style, options }) {
  const gltf = useLoader(GLTFLoader, file);
  useMixer(gltf);
  const toon = useLimber(gltf.scene, style, options);
  if (toon) see(toon);
  return h('primitive', { object: gltf.scene });
}

// The component below the one that animates.
function WithObject({ file, style }) {
  const gltf = useLoader(GLTFLoader, file);
  useMixer(gltf);
  return h(Limber, { object: gltf.scene, style, onReady: see, position: [0, 0.5, 0] });
}

function Plain({ file }) {
  const gltf = useLoader(GLTFLoader, file);
  useMixer(gltf);
  return h('primitive', { object: gltf.scene });
}

// Around a child that is still loading, and may become another.
const WithChildren = ({ file, style }) =>
  h(Limber, { style, onReady: see }, h(Suspense, { fallback: null }, h(Plain, { key: file, file })));

const PAGES = { WithHook, WithObject, WithChildren };
const Count = () => (useFrame(() => void state.frames++), null);
let root;

/** Draws a page in StrictMode with these properties, or nothing. */
export function show(page, properties) {
  root ??= createRoot(document.body.appendChild(document.createElement('div')));
  const inside = page && h(Boundary, { key: page }, h(Suspense, { fallback: null }, h(PAGES[page], properties)));
  root.render(h(StrictMode, null, page ? h(Canvas, null, inside, h(Count)) : null));
}

/** Waits until some frames have been drawn. */
export async function frames(count) {
  const end = state.frames + count;
  while (state.frames < end) await new Promise((resolve) => requestAnimationFrame(resolve));
}

async function until(test) {
  for (const end = Date.now() + 90_000; !test(); await new Promise((resolve) => requestAnimationFrame(resolve)))
    if (Date.now() > end) throw new Error(`never: ${test}`);
}

const alive = (toon) => {
  try {
    toon.positions();
    return true;
  } catch {
    return false;
  }
};

/** What there is now: the living Toons, how far they are from the plain skin, and their styles. */
export const look = () => ({
  alive: state.toons.filter(alive).length,
  made: state.toons.length,
  apart: state.toons.filter(alive).map(compare),
  faults: state.faults.splice(0),
});

export const ready = (made) => until(() => state.toons.length >= made && alive(state.toons.at(-1)));
export const living = (count) => until(() => state.toons.filter(alive).length === count);
export const worn = (effect) => until(() => state.toons.filter(alive).some((toon) => effect in toon.style.effects));
export const failed = () => until(() => state.faults.length > 0);

/** The largest of many frames. */
export async function largest(count) {
  let most = 0;
  for (let i = 0; i < count; i++) {
    await frames(1);
    most = Math.max(most, ...look().apart);
  }
  return most;
}
