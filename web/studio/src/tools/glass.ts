// Ghosts are drawn like glass, which is seen at its rim: a fragment shader gets the normal and the way to the eye.
export const GLASS_VERTEX = /* glsl */ `
varying vec3 facing;
varying vec3 toEye;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  facing = normalMatrix * normal;
  toEye = -eye.xyz;
  gl_Position = projectionMatrix * eye;
}`;
