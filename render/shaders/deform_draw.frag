// Sun, sky and bounced light, fading into the haze with distance.
in vec3 world_position;
in vec3 world_normal;
in vec3 base_color;

uniform vec3 eye, haze;
uniform float haze_per_distance;

out vec4 color;

void main() {
    vec3 n = normalize(world_normal), to_eye = eye - world_position;
    float far = length(to_eye);
    n = dot(n, to_eye) < 0.0 ? -n : n;
    float sun = max(dot(n, normalize(vec3(0.45, 0.8, 0.4))), 0.0);
    float rim = pow(1.0 - max(dot(n, to_eye / far), 0.0), 3.0);
    vec3 light = 1.15 * sun * vec3(1.0, 0.94, 0.84) + mix(vec3(0.16, 0.17, 0.12), vec3(0.34, 0.42, 0.52), 0.5 + 0.5 * n.y);
    vec3 lit = base_color * light + 0.10 * rim * haze;
    color = vec4(mix(haze, lit, exp(-haze_per_distance * far)), 1.0);
}
