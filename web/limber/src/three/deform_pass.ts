// Deforms all vertices of a character into a texture, once per frame.
import { Matrix3, Matrix4 } from 'three';
import type { Points, RenderTarget, Scene, Texture, WebGLRenderer } from 'three';
import type { PassTechnique, Put, Technique } from './material.js';
import { drawInto, makeTarget, pointsOf, sceneOf, vertexPoints } from './pass.js';
import type { Screen } from './screen.js';
import { emptyFloats } from './texture.js';

export class DeformPass {
  private readonly target: RenderTarget;
  private readonly put: Put = { value: 0 };
  private readonly points: Points[];
  private readonly scene: Scene;

  /** `places`: how many frames are kept, each in `placeTexels` texels. */
  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly technique: Technique & { passes: PassTechnique },
    private readonly screen: Screen,
    places: number,
    private readonly placeTexels: number,
  ) {
    this.target = makeTarget(places * placeTexels);
    const rows = this.target.height;
    this.points = screen.shown.map(({ part: { mesh, skinned }, materials }) => {
      const uniforms = {
        ...materials.uniforms,
        limber_local: { value: new Matrix4() },
        limber_local_normal: { value: new Matrix3() },
        limber_places: { value: 0 },
        limber_place_texture: { value: emptyFloats().texture }, // not the one that is written
      };
      const material = technique.passes.deform(mesh, skinned, uniforms, screen.features, this.put, rows);
      return pointsOf(vertexPoints(mesh), material);
    });
    this.scene = sceneOf(...this.points);
  }

  get texture(): Texture {
    return this.target.texture;
  }

  draw(place: number): void {
    this.put.value = place * this.placeTexels;
    this.points.forEach((points, i) => {
      points.morphTargetInfluences = this.screen.shown[i].part.mesh.morphTargetInfluences;
      this.technique.refresh?.(points.material as never);
    });
    drawInto(this.renderer, this.scene, this.target);
  }

  /** @internal For tests. */
  get result(): RenderTarget {
    return this.target;
  }

  dispose(): void {
    for (const points of this.points) {
      points.geometry.dispose();
      (points.material as { dispose(): void }).dispose();
    }
    this.target.dispose();
  }
}
