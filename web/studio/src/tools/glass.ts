// Vertex shader for ghosts. They are drawn like glass, visible mostly at the rim, so the fragment shader needs the
// normal and the direction to the camera.
export const GLASS_VERTEX = /* glsl */ `
varying vec3 facing;
varying vec3 toEye;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  facing = normalMatrix * normal;
  toEye = -eye.xyz;
  gl_Position = projectionMatrix * eye;
}`;
