// limber for @react-three/fiber:
//
//     import { useLimber } from 'limber/react';
//     const toon = useLimber(gltf.scene, 'cartoon'); // null until it is ready
//
// or, as a component around a character: <Limber style="cartoon"><primitive object={gltf.scene} /></Limber>
import { useFrame, useThree } from '@react-three/fiber';
import type { ThreeElements } from '@react-three/fiber';
import { createElement, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Mesh, Object3D, Quaternion, SkinnedMesh, Vector3 } from 'three';
import type { Engine } from './engine.js';
import type { StyleSource } from './style.js';
import { sharedEngine } from './three.js';
import { expectArguments } from './three/border.js';
import { styleOf } from './three/gltf.js';
import type { Technique } from './three/material.js';
import { Toon } from './three/toon.js';
import type { ToonOptions } from './three/toon.js';

export { LimberError, sharedEngine } from './three.js';
export type { PresetName, Style, StyleChanges, StyleSource, StyleText, Toon, ToonOptions } from './three.js';

// --- the rest pose ---

interface Local {
  position: Vector3;
  quaternion: Quaternion;
  scale: Vector3;
}

/** Poses of nodes when they were first seen: before an animation, and before the engine had loaded. */
const rests = new WeakMap<Object3D, Local>();

const localOf = ({ position, quaternion, scale }: Object3D): Local => ({
  position: position.clone(),
  quaternion: quaternion.clone(),
  scale: scale.clone(),
});

function put(node: Object3D, { position, quaternion, scale }: Local): void {
  node.position.copy(position);
  node.quaternion.copy(quaternion);
  node.scale.copy(scale);
}

/** All nodes of a character but the object itself, which others may move. */
function nodesOf(object: Object3D): Set<Object3D> {
  const nodes = new Set<Object3D>();
  object.traverse((node) => {
    nodes.add(node);
    for (const bone of (node as Partial<SkinnedMesh>).skeleton?.bones ?? []) nodes.add(bone);
  });
  nodes.delete(object);
  return nodes;
}

function remember(object: Object3D): void {
  for (const node of nodesOf(object)) if (!rests.has(node)) rests.set(node, localOf(node));
}

/** Calls `work` while the character is in its rest pose. */
function inRest<T>(object: Object3D, work: () => T): T {
  const poses = [...nodesOf(object)].map((node) => ({ node, now: localOf(node) }));
  for (const { node } of poses) put(node, rests.get(node) ?? localOf(node));
  try {
    return work();
  } finally {
    for (const { node, now } of poses) put(node, now);
  }
}

const isMesh = (node: Object3D): node is Mesh => (node as Partial<Mesh>).isMesh === true;

function hasMesh(object: Object3D): boolean {
  let found = false;
  object.traverse((node) => (found ||= isMesh(node)));
  return found;
}

function isInside(node: Object3D, root: Object3D): boolean {
  for (let at: Object3D | null = node; at; at = at.parent) if (at === root) return true;
  return false;
}

// --- hooks ---

/** How to draw: the nodes of WebGPURenderer are loaded only with that renderer. */
async function techniqueOf(renderer: unknown): Promise<Technique | undefined> {
  if ((renderer as { isWebGPURenderer?: boolean }).isWebGPURenderer !== true) return undefined;
  return (await import('./three/webgpu.js')).NODES;
}

async function loadAll(options: ToonOptions, renderer: unknown): Promise<[Engine, Technique | undefined]> {
  return Promise.all([options.engine ?? sharedEngine(), techniqueOf(renderer)]);
}

function make(
  object: Object3D,
  style: StyleSource | undefined,
  options: ToonOptions,
  loaded: [Engine, Technique?],
): Toon {
  const [engine, technique] = loaded;
  const worn = style ?? styleOf(object) ?? 'cartoon';
  const toon = inRest(object, () => new Toon(engine, object, worn, options, technique));
  toon.reset(); // the next pose is the first
  return toon;
}

const keyOf = (style: StyleSource | undefined): string =>
  typeof style === 'object' ? JSON.stringify(style) : (style ?? '');

/**
 * Gives a loaded object cartoon motion. Returns null until the engine has loaded; until then the object moves plainly.
 * Call it after the hook that animates the object: it updates in `useFrame`, in that order. Another style takes effect
 * at once, and the motion goes on. Everything is freed when the component goes. Errors go to the error boundary.
 */
export function useLimber(
  object: Object3D | null | undefined,
  style?: StyleSource,
  options: ToonOptions = {},
): Toon | null {
  const renderer = useThree((state) => state.gl);
  const invalidate = useThree((state) => state.invalidate);
  const [toon, setToon] = useState<Toon | null>(null);
  const [round, setRound] = useState(0); // counts characters that were replaced inside of the object
  const latest = useRef({ style, options });
  const worn = useRef('');
  const waiting = useRef(false);
  const living = useRef<Toon | null>(null); // frames may come between the end of a Toon and the next rendering
  const { engine, rigid, compute } = options;

  useLayoutEffect(() => {
    latest.current = { style, options };
  });
  useLayoutEffect(() => {
    if (object) remember(object);
  }, [object, round]);

  useEffect(() => {
    waiting.current = object ? !hasMesh(object) : false; // such as for a child that is still loading
    if (!object || waiting.current) return undefined;
    let gone = false;
    let made: Toon | undefined;
    const fail = (error: unknown) =>
      setToon(() => {
        throw error;
      });
    const start = async () => {
      expectArguments(object, latest.current.options);
      const loaded = await loadAll(latest.current.options, renderer);
      if (gone) return; // such as by the first of the two effects of StrictMode
      made = make(object, latest.current.style, latest.current.options, loaded);
      worn.current = keyOf(latest.current.style);
      living.current = made;
      setToon(made);
      invalidate();
    };
    start().catch((error: unknown) => gone || fail(error));
    return () => {
      gone = true;
      living.current = null;
      made?.dispose();
      setToon(null);
    };
  }, [object, round, renderer, invalidate, engine, rigid, compute]);

  const key = keyOf(style);
  useEffect(() => {
    if (!toon || toon !== living.current || worn.current === key) return;
    worn.current = key;
    toon.style = latest.current.style ?? styleOf(toon.root) ?? 'cartoon';
    invalidate();
  }, [toon, key, invalidate]);

  // Whoever subscribes later is called later: with the Toon comes another priority, and with it another subscription,
  // after all those that were there when the component was mounted.
  const tick = useCallback(
    (_: unknown, step: number) => {
      const now = living.current;
      const lost = now?.meshes.some((mesh) => !isInside(mesh, now.root));
      const come = waiting.current && object && hasMesh(object);
      if (lost || come) setRound((n) => n + 1);
      else now?.update(step);
      if (come) waiting.current = false;
    },
    [object],
  );
  useFrame(tick, toon ? 0 : -1);
  return toon;
}

/** Properties of the component `Limber`. */
export type LimberProps = Omit<ThreeElements['group'], 'style' | 'children' | 'ref'> & {
  /** A preset, an object or JSON text. Default: the style stored in the file, else `cartoon`. */
  style?: StyleSource;
  /** The character. Without it, the children are the character. */
  object?: Object3D;
  /** Options of `limber()`. */
  options?: ToonOptions;
  /** Called when the character is ready. */
  onReady?: (toon: Toon) => void;
  children?: ReactNode;
};

/**
 * A group whose character has cartoon motion: `<Limber object={gltf.scene} style="cartoon" />`, or around a
 * `<primitive object={gltf.scene} />` or `<skinnedMesh>`. Other properties (position, scale, …) are those of the group.
 */
export function Limber({ style, object, options, onReady, children, ...group }: LimberProps): ReactElement {
  const [root, setRoot] = useState<Object3D | null>(null);
  const toon = useLimber(object ?? root, style, options);
  const ready = useRef(onReady);
  useLayoutEffect(() => {
    ready.current = onReady;
  });
  useEffect(() => {
    if (toon) ready.current?.(toon);
  }, [toon]);
  const own = object ? createElement('primitive', { object, key: object.uuid }) : null;
  return createElement('group', { ...group, ref: setRoot } as object, own, children);
}
