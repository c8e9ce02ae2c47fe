// Shows motion offsets on the character: leading parts are red, trailing parts blue.
import { BufferAttribute, MeshStandardMaterial } from 'three';
import type { Session } from '../../core/session';

const ATTRIBUTE = 'offset_shown';

const HEAD = /* glsl */ `
varying float offsetShown;`;

// Mixed in sRGB, so that the steps look even.
const COLOR = /* glsl */ `
  vec3 offsetEnd = offsetShown < 0.0 ? vec3(0.13, 0.38, 0.92) : vec3(0.9, 0.16, 0.16);
  vec3 offsetColor = mix(vec3(0.93, 0.92, 0.91), offsetEnd, min(abs(offsetShown), 1.0));
  diffuseColor.rgb = pow(offsetColor, vec3(2.2));`;

export const OFFSET_COLORS = {
  trails: 'rgb(33, 97, 235)',
  none: 'rgb(237, 235, 232)',
  leads: 'rgb(230, 41, 41)',
} as const;

function offsetMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.8, metalness: 0, side: 2 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute float ${ATTRIBUTE};${HEAD}\n${shader.vertexShader.replace('#include <begin_vertex>', `#include <begin_vertex>\n  offsetShown = ${ATTRIBUTE};`)}`;
    shader.fragmentShader = `${HEAD}\n${shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>\n${COLOR}`)}`;
  };
  material.customProgramCacheKey = () => 'offset';
  return material;
}

export class OffsetView {
  private readonly material = offsetMaterial();
  private readonly values: Float32Array;
  private shown = false;

  constructor(private readonly session: Session) {
    this.values = new Float32Array(session.character.vertexCount);
  }

  /** Call it before the frame is shown. */
  show(clip: number, time: number): void {
    const { session, values } = this;
    const { pipeline, clip: number } = session.pipeline(clip);
    values.fill(0);
    pipeline.evaluateSmeared(number, time, 0, { offsets: values });
    session.toon.meshes.forEach((mesh, i) => {
      const { firstVertex, vertexCount } = session.character.meshes[i];
      const part = values.subarray(firstVertex, firstVertex + vertexCount);
      const known = mesh.geometry.getAttribute(ATTRIBUTE) as BufferAttribute | undefined;
      if (known?.count === vertexCount) {
        known.array.set(part);
        known.needsUpdate = true;
      } else mesh.geometry.setAttribute(ATTRIBUTE, new BufferAttribute(part.slice(), 1));
    });
    if (!this.shown) session.overrideMaterial(this.material);
    this.shown = true;
  }

  hide(): void {
    if (this.shown) this.session.overrideMaterial(undefined);
    this.shown = false;
  }

  dispose(): void {
    this.hide();
    for (const mesh of this.session.toon.meshes) mesh.geometry.deleteAttribute(ATTRIBUTE);
    this.material.dispose();
  }
}
