// Soft shadows of the key light: percentage-closer filtering whose width grows with the distance to what casts them.
uniform sampler2DShadow shadow_compare;
uniform sampler2D shadow_depth; // the same map, read as numbers
uniform mat4 shadow_projection;
uniform vec3 shadow_extent; // of the map in stage units: width, height, depth

const int BLOCKER_TAPS = 12;
const int FILTER_TAPS = 24;
const float LIGHT_SPREAD = 0.16;    // penumbra width per distance; a large soft box
const float NARROWEST = 0.004;      // stage units
const float WIDEST = 0.09;

float pixel_noise(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// Turning by the golden angle from tap to tap while the radius grows as a root spreads taps evenly over a disc (Vogel's
// sunflower).
const mat2 NEXT_TAP = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

float tap_radius(int tap, int count) {
    return sqrt((float(tap) + 0.5) / float(count));
}

// 1: fully lit.
float key_light_reaching(vec3 p, vec3 normal) {
    vec4 clip = shadow_projection * vec4(p + normal * 0.006, 1.0);
    vec3 place = clip.xyz * 0.5 + 0.5;
    if (any(lessThan(place.xy, vec2(0.0))) || any(greaterThan(place.xy, vec2(1.0))))
        return 1.0; // the map covers everything that casts
    float turn = 6.2831853 * pixel_noise(gl_FragCoord.xy);
    vec2 direction = vec2(cos(turn), sin(turn));
    float bias = 0.002 / shadow_extent.z;

    float blockers = 0.0;
    float distance_sum = 0.0;
    vec2 reach = WIDEST / shadow_extent.xy;
    for (int i = 0; i < BLOCKER_TAPS; i++) {
        direction = NEXT_TAP * direction;
        float depth = texture(shadow_depth, place.xy + direction * tap_radius(i, BLOCKER_TAPS) * reach).r;
        if (depth < 1.0 && depth < place.z - bias) {
            blockers += 1.0;
            distance_sum += place.z - depth;
        }
    }
    if (blockers == 0.0)
        return 1.0;
    float gap = distance_sum / blockers * shadow_extent.z;
    float width = clamp(gap * LIGHT_SPREAD, NARROWEST, WIDEST);

    float lit = 0.0;
    float threshold = place.z - bias * (1.0 + width * 200.0);
    reach = width / shadow_extent.xy;
    for (int i = 0; i < FILTER_TAPS; i++) {
        direction = NEXT_TAP * direction;
        lit += texture(shadow_compare, vec3(place.xy + direction * tap_radius(i, FILTER_TAPS) * reach, threshold));
    }
    return lit / float(FILTER_TAPS);
}
