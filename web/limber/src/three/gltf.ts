// The style stored in a .glb: the extension LIMBER_style of its scene.
import type { Object3D } from 'three';
import type { Style } from '../style.generated.js';

const NAME = 'LIMBER_style';

interface Parser {
  json: { scenes?: { extensions?: Record<string, unknown> }[] };
}

/**
 * A plugin for GLTFLoader: `loader.register((parser) => new LimberStyle(parser))`. Then `limber(gltf.scene)` applies
 * the style stored in the file.
 */
export class LimberStyle {
  /** Of the extension. */
  readonly name = NAME;

  /** `parser`: that of the loader. */
  constructor(private readonly parser: object) {}

  /** Called by the loader when the file is read. */
  async afterRoot(gltf: { scenes: Object3D[] }): Promise<void> {
    const scenes = (this.parser as Parser).json.scenes ?? [];
    gltf.scenes.forEach((scene, i) => {
      const style = scenes[i]?.extensions?.[NAME];
      if (style) scene.userData.limberStyle = style;
    });
  }
}

/** The style stored with an object or one of its ancestors, whether the plugin was used or not. */
export function styleOf(object: Object3D): Style | undefined {
  for (let at: Object3D | null = object; at; at = at.parent) {
    const style = at.userData.limberStyle ?? at.userData.gltfExtensions?.[NAME];
    if (style) return style as Style;
  }
  return undefined;
}
