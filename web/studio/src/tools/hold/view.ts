// Shows one color per vertex on the character.
import { BufferAttribute, MeshStandardMaterial } from 'three';
import type { Session } from '../../core/session';

const ATTRIBUTE = 'hold_shown';

const HEAD = /* glsl */ `
varying vec3 holdShown;`;

// Mixed in sRGB, so that the steps look even.
const COLOR = /* glsl */ `
  diffuseColor.rgb = pow(clamp(holdShown, 0.0, 1.0), vec3(2.2));`;

function colorMaterial(): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.8, metalness: 0, side: 2 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute vec3 ${ATTRIBUTE};${HEAD}\n${shader.vertexShader.replace('#include <begin_vertex>', `#include <begin_vertex>\n  holdShown = ${ATTRIBUTE};`)}`;
    shader.fragmentShader = `${HEAD}\n${shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>\n${COLOR}`)}`;
  };
  material.customProgramCacheKey = () => 'hold';
  return material;
}

export class ColorView {
  private readonly material = colorMaterial();
  /** What the colors are on: another one after layers were added. */
  private shownOn: unknown;

  constructor(private readonly session: Session) {}

  /** Shows colors, three numbers (sRGB, 0 to 1) per vertex of all meshes; undefined restores the materials. */
  show(colors: Float32Array | undefined): void {
    const { session } = this;
    const { toon } = session;
    if (colors)
      toon.meshes.forEach((mesh, i) => {
        const { firstVertex, vertexCount } = session.character.meshes[i];
        const part = colors.subarray(3 * firstVertex, 3 * (firstVertex + vertexCount));
        const known = mesh.geometry.getAttribute(ATTRIBUTE) as BufferAttribute | undefined;
        if (known?.count === vertexCount) {
          known.array.set(part);
          known.needsUpdate = true;
        } else mesh.geometry.setAttribute(ATTRIBUTE, new BufferAttribute(part.slice(), 3));
      });
    if (this.shownOn === (colors && toon)) return;
    this.shownOn = colors && toon;
    session.overrideMaterial(colors && this.material);
  }

  stop(): void {
    this.show(undefined);
    for (const mesh of this.session.toon.meshes) mesh.geometry.deleteAttribute(ATTRIBUTE);
    this.material.dispose();
  }
}
