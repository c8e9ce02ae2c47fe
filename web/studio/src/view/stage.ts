// The set around the character: lights, ground, background.
import {
  CircleGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  PMREMGenerator,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Sphere,
  Vector3,
} from 'three';
import type { MeshStandardMaterial, Object3D, Texture, Box3, WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

export interface StageColors {
  background: string;
  horizon: string;
  /** Without a color there is no grid. */
  grid?: string;
  shadow: number;
}

/** Intensities of the sun, of the light from behind and of the sky, of what they are by default. */
export const LIGHTS = {
  studio: { sun: 1, rim: 1, sky: 1 },
  soft: { sun: 0.45, rim: 0.6, sky: 1.5 },
  dramatic: { sun: 1.25, rim: 3, sky: 0.25 },
} as const;

export type LightName = keyof typeof LIGHTS;

const GRID_VERTEX = /* glsl */ `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// Grid lines one pixel wide that fade out in the distance.
const GRID_FRAGMENT = /* glsl */ `
uniform float cell;
uniform float reach;
uniform vec2 center;
uniform vec3 color;
uniform float strength;
varying vec2 place;
float lines(float size) {
  vec2 at = place / size, width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  float blur = max(width.x, width.y);
  return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, blur));
}
void main() {
  float far = distance(place, center) / reach;
  float alpha = max(0.45 * lines(cell), lines(5.0 * cell)) * (1.0 - smoothstep(0.25, 1.0, far));
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(color, alpha * strength);
  #include <colorspace_fragment>
}`;

const SUN = 2.2;
const RIM = 0.9;

export class Stage {
  readonly scene = new Scene();
  /** Ground and grid; tools may hide it. */
  readonly ground = new Group();
  private readonly sun = new DirectionalLight(0xfff4e6, SUN);
  private readonly rim = new DirectionalLight(0xcfe0ff, RIM);
  private readonly sky = new HemisphereLight(0xffffff, 0x9a9ca6, 0.55);
  private readonly shade = new ShadowMaterial({ opacity: 0.3, depthWrite: false });
  private readonly grid = new ShaderMaterial({
    vertexShader: GRID_VERTEX,
    fragmentShader: GRID_FRAGMENT,
    transparent: true,
    depthWrite: false,
    uniforms: {
      cell: { value: 1 },
      reach: { value: 10 },
      center: { value: { x: 0, y: 0 } },
      color: { value: new Color() },
      strength: { value: 1 },
    },
  });

  constructor(private readonly renderer: WebGLRenderer) {
    const disc = new CircleGeometry(1, 96).rotateX(-Math.PI / 2);
    const floor = new Mesh(disc, this.shade);
    const lines = new Mesh(disc, this.grid);
    floor.receiveShadow = true;
    floor.renderOrder = -2;
    lines.renderOrder = -1;
    this.ground.add(floor, lines);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.scene.add(this.ground, this.sun, this.sun.target, this.rim, this.rim.target, this.sky);
  }

  /** Metallic materials need an environment to reflect. It is left out for all others, which draw faster without. */
  reflect(object: Object3D): void {
    let metal = false;
    object.traverse((one) =>
      [(one as Mesh).material ?? []]
        .flat()
        .forEach((material) => (metal ||= (material as MeshStandardMaterial).metalness > 0.1)),
    );
    if (metal && !this.room) {
      const generator = new PMREMGenerator(this.renderer);
      this.room = generator.fromScene(new RoomEnvironment(), 0.04).texture;
      generator.dispose();
    }
    this.scene.environment = metal ? this.room! : null;
    this.skyIntensity = metal ? 0.7 : 1.7;
    this.light(this.lightNow);
  }

  light(name: LightName): void {
    const { sun, rim, sky } = LIGHTS[name];
    this.lightNow = name;
    this.sun.intensity = SUN * sun;
    this.rim.intensity = RIM * rim;
    this.sky.intensity = this.skyIntensity * sky;
    this.scene.environmentIntensity = 0.45 * sky;
  }

  private lightNow: LightName = 'studio';
  private skyIntensity = 1.7;

  private room: Texture | undefined;

  /** What was drawn into textures is gone with a lost context. */
  restore(object: Object3D | undefined): void {
    this.room?.dispose();
    this.room = undefined;
    if (object) this.reflect(object);
    this.sun.shadow.needsUpdate = true;
  }

  paint(colors: StageColors): void {
    this.scene.background = new Color(colors.background);
    this.grid.visible = colors.grid !== undefined;
    (this.grid.uniforms.color.value as Color).set(colors.grid ?? colors.background);
    this.shade.opacity = colors.shadow;
  }

  /** Fits light and shadow to the bounds of the motion, and the ground to its floor. */
  fit(box: Box3, size: number, floor: number): void {
    const sphere = box.getBoundingSphere(new Sphere());
    const reach = Math.max(sphere.radius, size * 0.5) * 1.15;
    const center = sphere.center;
    this.ground.position.set(center.x, floor, center.z);
    this.ground.scale.setScalar(reach * 9);
    const cell = 10 ** Math.round(Math.log10(size / 6));
    this.grid.uniforms.cell.value = cell;
    this.grid.uniforms.reach.value = reach * 6;
    this.grid.uniforms.center.value = { x: center.x, y: center.z };
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new Vector3(0.55, 1.25, 0.75).normalize().multiplyScalar(reach * 4));
    this.rim.target.position.copy(center);
    this.rim.position.copy(center).add(new Vector3(-0.8, 0.6, -1).multiplyScalar(reach * 3));
    const { camera } = this.sun.shadow;
    const half = reach * 1.6;
    camera.left = camera.bottom = -half;
    camera.right = camera.top = half;
    camera.near = reach * 0.5;
    camera.far = reach * 9;
    camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = reach * 0.006;
    this.sun.shadow.needsUpdate = true;
  }
}
