// A toy under studio light: soft key with shadow, cool fill, rim, sky and floor as ambient light.
in vec3 place;
in vec3 surface_normal;
in vec2 surface_uv;
in vec4 surface_color;
out vec4 fragment;

uniform vec4 eye;           // w 0: a direction
uniform vec3 key_direction; // towards the light, unit length, as the next two
uniform vec3 fill_direction;
uniform vec3 rim_direction;
uniform float floor_height;
uniform vec4 base_color; // linear
uniform vec2 surface;    // metallic, roughness
uniform bool blended;
uniform float opacity;
uniform bool textured;
uniform sampler2D base_texture;

const vec3 KEY = vec3(1.00, 0.95, 0.87) * 0.98;
const vec3 FILL = vec3(0.70, 0.83, 1.00) * 0.17;
const vec3 RIM = vec3(1.00, 0.97, 0.92) * 0.65;
const vec3 SKY = vec3(0.78, 0.88, 1.00) * 0.31;
const vec3 FLOOR = vec3(1.00, 0.87, 0.76) * 0.25;

// The side that faces the viewer, whatever the winding; facets where the mesh has no normals.
vec3 facing_normal(vec3 to_eye) {
    vec3 facet = cross(dFdx(place), dFdy(place));
    facet = dot(facet, facet) > 0.0 ? normalize(facet) : to_eye;
    facet = dot(facet, to_eye) < 0.0 ? -facet : facet;
    float size = length(surface_normal);
    if (size < 1e-6)
        return facet;
    vec3 n = surface_normal / size;
    return dot(n, facet) < 0.0 ? -n : n;
}

// Light that reaches a little around the edge, so that round things look round and soft.
float wrapped(float cosine, float wrap) {
    float d = clamp((cosine + wrap) / (1.0 + wrap), 0.0, 1.0);
    return d * d * (3.0 - 2.0 * d) * 0.4 + d * 0.6;
}

// Keeps colours as painted up to 0.6 and rolls off what the lights add above, so that white things keep their shape.
vec3 soft_limit(vec3 x) {
    vec3 over = max(x - 0.6, 0.0);
    return min(x, 0.6) + 0.4 * (1.0 - exp(-over / 0.4));
}

vec3 ambient(vec3 n, float height) {
    float up = n.y * 0.5 + 0.5;
    // The floor is in the character's own shade, so what is low and looks down gets less.
    float open = mix(mix(0.35, 1.0, up), 1.0, smoothstep(0.0, 0.25, height));
    return mix(FLOOR, SKY, up) * open;
}

vec3 highlight(vec3 n, vec3 to_eye, vec3 albedo, float key) {
    float gloss = 1.0 - clamp(surface.y, 0.15, 1.0);
    float shininess = exp2(3.0 + 6.0 * gloss);
    vec3 tint = mix(vec3(0.04 + 0.05 * gloss), albedo, surface.x * 0.8);
    float lobe = pow(max(dot(n, normalize(key_direction + to_eye)), 0.0), shininess);
    return tint * lobe * key * (0.6 + 2.5 * gloss);
}

void main() {
    vec4 paint = base_color * surface_color;
    if (textured)
        paint *= texture(base_texture, surface_uv);
    vec3 to_eye = normalize(eye.xyz - place * eye.w);
    vec3 n = facing_normal(to_eye);
    vec3 albedo = clamp(paint.rgb, 0.0, 1.0);

    float key_cosine = dot(n, key_direction);
    // Facets turned away are dark already; the map would only draw its jagged line across the soft terminator.
    float shadow = key_cosine > -0.2 ? key_light_reaching(place, n) : 1.0;
    shadow = mix(1.0, shadow, smoothstep(-0.05, 0.25, key_cosine));
    float key = wrapped(key_cosine, 0.30) * shadow;

    vec3 light = KEY * key + FILL * wrapped(dot(n, fill_direction), 0.5) + ambient(n, place.y - floor_height);
    float edge = pow(1.0 - clamp(dot(n, to_eye), 0.0, 1.0), 3.0);
    vec3 rim = RIM * edge * clamp(dot(n, rim_direction) * 0.7 + 0.3, 0.0, 1.0);

    // Shade in a painter's way: deeper colour, not just less light.
    vec3 deep = mix(albedo, albedo * albedo * 1.25, 0.3 * (1.0 - key));
    vec3 color = deep * light * (1.0 - 0.25 * surface.x);
    color += highlight(n, to_eye, albedo, key) + rim * mix(vec3(0.25), albedo, 0.6);
    float alpha = opacity * (blended ? clamp(paint.a, 0.0, 1.0) : 1.0);
    fragment = vec4(soft_limit(color) * alpha, alpha);
}
