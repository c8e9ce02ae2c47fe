// Sky above, grass below, cut by the horizon.
in vec2 position;

uniform vec3 eye, right, up, forward; // right and up reach to the picture's edges at distance 1
uniform vec3 haze;
uniform float haze_per_distance;

out vec4 color;

float noise(vec2 p) {
    vec2 cell = floor(p), f = fract(p), u = f * f * (3.0 - 2.0 * f);
    vec4 h = fract(sin(vec4(dot(cell, vec2(12.9898, 78.233)), dot(cell + vec2(1.0, 0.0), vec2(12.9898, 78.233)),
                            dot(cell + vec2(0.0, 1.0), vec2(12.9898, 78.233)),
                            dot(cell + vec2(1.0, 1.0), vec2(12.9898, 78.233)))) * 43758.5453);
    return mix(mix(h.x, h.y, u.x), mix(h.z, h.w, u.x), u.y);
}

void main() {
    vec2 at = 2.0 * position - 1.0;
    vec3 ray = normalize(forward + at.x * right + at.y * up);
    vec3 sky = mix(haze, vec3(0.13, 0.32, 0.68), smoothstep(0.0, 0.45, ray.y));
    if (ray.y >= -1e-4) {
        color = vec4(sky, 1.0);
        return;
    }
    float far = eye.y / -ray.y;
    vec2 ground = (eye + far * ray).xz;
    float grass = 0.5 * noise(0.15 * ground) + 0.3 * noise(0.9 * ground) + 0.2 * noise(6.0 * ground);
    vec3 green = mix(vec3(0.10, 0.22, 0.035), vec3(0.24, 0.38, 0.07), grass);
    color = vec4(mix(haze, green, exp(-haze_per_distance * far)), 1.0);
}
