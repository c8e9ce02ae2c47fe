// Signs, not things: lit from the viewer's upper side just enough to have a shape.
in vec3 place;
in vec3 surface_normal;
in vec4 surface_color;
out vec4 fragment;

uniform vec4 eye; // w 0: a direction
uniform vec3 up;

void main() {
    vec3 to_eye = normalize(eye.xyz - place * eye.w);
    vec3 n = normalize(surface_normal + to_eye * 1e-4);
    float light = 0.62 + 0.38 * clamp(dot(n, normalize(to_eye + 0.8 * up)), 0.0, 1.0);
    if (surface_color.a <= 0.0)
        discard;
    fragment = vec4(surface_color.rgb * light, 1.0) * surface_color.a;
}
