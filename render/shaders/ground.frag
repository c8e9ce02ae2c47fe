// The floor: a pool of light that fades into the background, darkened by the key light's shadow and by contact.
in vec3 place;
out vec4 fragment;

uniform vec4 ground;
uniform vec2 fade; // distances from the centre between which the floor disappears
uniform vec3 color; // linear
uniform bool shadow_only;
uniform sampler2D contact;
uniform vec4 contact_region; // corner x and z, width and depth of the map

const vec3 SHADOW_TINT = vec3(0.10, 0.08, 0.16);

float contact_at(vec2 p) {
    vec2 at = (p - contact_region.xy) / contact_region.zw;
    vec2 edge = smoothstep(vec2(0.0), vec2(0.08), at) * smoothstep(vec2(0.0), vec2(0.08), 1.0 - at);
    return texture(contact, at).r * edge.x * edge.y;
}

void main() {
    float distance_out = length(place.xz - ground.xz);
    float presence = 1.0 - smoothstep(fade.x, fade.y, distance_out);
    if (presence <= 0.0)
        discard;
    float lit = key_light_reaching(place, vec3(0.0, 1.0, 0.0));
    float open = 1.0 - contact_at(place.xz);
    float light = mix(0.62, 1.0, lit) * mix(0.30, 1.0, open);
    if (shadow_only) // black, because 8 bits cannot hold a tint that is nearly transparent
        fragment = vec4(0.0, 0.0, 0.0, max(1.0 - light - 0.02, 0.0) * presence);
    else
        fragment = vec4(mix(SHADOW_TINT * color, color, light), 1.0) * presence;
}
