// The character at another moment: one colour, like tracing paper, denser towards its edges.
in vec3 place;
in vec3 surface_normal;
in vec2 surface_uv;
in vec4 surface_color;
out vec4 fragment;

uniform vec4 eye;   // w 0: a direction
uniform vec4 color; // linear, straight alpha
uniform vec3 key_direction;

void main() {
    vec3 to_eye = normalize(eye.xyz - place * eye.w);
    vec3 facet = cross(dFdx(place), dFdy(place));
    float size = length(surface_normal);
    vec3 n = size < 1e-6 ? facet / max(length(facet), 1e-20) : surface_normal / size;
    n = dot(n, to_eye) < 0.0 ? -n : n;
    float edge = 1.0 - clamp(dot(n, to_eye), 0.0, 1.0);
    float light = 0.75 + 0.25 * clamp(dot(n, key_direction) * 0.6 + 0.4, 0.0, 1.0);
    float alpha = color.a * mix(0.55, 1.0, edge * edge);
    fragment = vec4(color.rgb * light, 1.0) * alpha;
}
