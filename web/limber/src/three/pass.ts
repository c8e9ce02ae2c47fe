// Passes that write texels: points, one texel each, drawn into a texture of floats. Deformed vertices and smears are made
// by them once per frame, and all materials, shadows and depths read the result.
import {
  BufferAttribute,
  OrthographicCamera,
  FloatType,
  InstancedBufferGeometry,
  NearestFilter,
  Points,
  RGBAFormat,
  Scene,
  WebGLRenderTarget,
} from 'three';
import type { Material, Mesh, RenderTarget, WebGLRenderer, BufferGeometry } from 'three';

/** Texels in a row. */
export const WIDTH = 1024;

export function makeTarget(texels: number): RenderTarget {
  const target = new WebGLRenderTarget(WIDTH, Math.max(1, Math.ceil(texels / WIDTH)), {
    type: FloatType,
    format: RGBAFormat,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: false,
    generateMipmaps: false,
  });
  return target;
}

export function pointsOf(geometry: BufferGeometry, material: Material): Points {
  const points = new Points(geometry, material);
  points.frustumCulled = false;
  return points;
}

/** As many points as asked for; nothing is read from them. */
export function bare(count: number, instances: number): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * count), 3));
  geometry.instanceCount = instances;
  return geometry;
}

/** The vertices of a mesh as points, twice. */
export function vertexPoints(mesh: Mesh): InstancedBufferGeometry {
  const { geometry } = mesh;
  const made = new InstancedBufferGeometry();
  for (const name of ['position', 'normal', 'skinIndex', 'skinWeight'])
    if (geometry.hasAttribute(name)) made.setAttribute(name, geometry.getAttribute(name) as BufferAttribute);
  made.morphAttributes = geometry.morphAttributes;
  made.morphTargetsRelative = geometry.morphTargetsRelative;
  made.instanceCount = 2;
  return made;
}

const camera = new OrthographicCamera();

/** Draws a scene of points into a target, and leaves the renderer as it was. */
export function drawInto(renderer: WebGLRenderer, scene: Scene, target: RenderTarget): void {
  const { autoClear, xr, shadowMap } = renderer;
  const before = renderer.getRenderTarget();
  const outside = xr?.enabled;
  const shadows = shadowMap?.autoUpdate;
  renderer.autoClear = false;
  if (xr) xr.enabled = false;
  if (shadowMap) shadowMap.autoUpdate = false;
  try {
    renderer.setRenderTarget(target as WebGLRenderTarget);
    renderer.render(scene, camera);
  } finally {
    renderer.setRenderTarget(before);
    renderer.autoClear = autoClear;
    if (xr) xr.enabled = outside;
    if (shadowMap) shadowMap.autoUpdate = shadows;
  }
}

export function sceneOf(...all: Points[]): Scene {
  const scene = new Scene();
  scene.matrixWorldAutoUpdate = false;
  scene.add(...all);
  return scene;
}
