// Shows a layer on the character: white is 0, magenta 1, cyan -1, as in `limber render --view layers`.
import { BufferAttribute, MeshStandardMaterial } from 'three';
import type { Session } from '../../core/session';

const ATTRIBUTE = 'layer_shown';

const HEAD = /* glsl */ `
varying float layerShown;`;

// Mixed in sRGB, so that the steps look even.
const COLOR = /* glsl */ `
  vec3 layerEnd = layerShown < 0.0 ? vec3(0.0, 0.667, 0.804) : vec3(0.863, 0.118, 0.58);
  vec3 layerColor = mix(vec3(0.925, 0.918, 0.902), layerEnd, min(abs(layerShown), 1.0));
  diffuseColor.rgb = pow(layerColor, vec3(2.2));`;

export const LAYER_COLORS = {
  less: 'rgb(0, 170, 205)',
  none: 'rgb(236, 234, 230)',
  more: 'rgb(220, 30, 148)',
} as const;

function layerMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.75, metalness: 0, side: 2 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute float ${ATTRIBUTE};${HEAD}\n${shader.vertexShader.replace('#include <begin_vertex>', `#include <begin_vertex>\n  layerShown = ${ATTRIBUTE};`)}`;
    shader.fragmentShader = `${HEAD}\n${shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>\n${COLOR}`)}`;
  };
  material.customProgramCacheKey = () => 'layer';
  return material;
}

export class LayerView {
  private readonly material = layerMaterial();
  private shown = false;

  constructor(private readonly session: Session) {}

  /** Shows values, one per vertex of all meshes; undefined restores the original materials. */
  show(values: Float32Array | undefined): void {
    const { session } = this;
    if (values)
      session.toon.meshes.forEach((mesh, i) => {
        const { firstVertex, vertexCount } = session.character.meshes[i];
        const part = values.subarray(firstVertex, firstVertex + vertexCount);
        const known = mesh.geometry.getAttribute(ATTRIBUTE) as BufferAttribute | undefined;
        if (known && known.count === vertexCount) {
          known.array.set(part);
          known.needsUpdate = true;
        } else mesh.geometry.setAttribute(ATTRIBUTE, new BufferAttribute(part.slice(), 1));
      });
    if (this.shown === (values !== undefined)) return;
    this.shown = values !== undefined;
    session.overrideMaterial(values ? this.material : undefined);
  }

  stop(): void {
    this.show(undefined);
    for (const mesh of this.session.toon.meshes) mesh.geometry.deleteAttribute(ATTRIBUTE);
    this.material.dispose();
  }
}
