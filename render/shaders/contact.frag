// How much of the sky each point of the ground loses to the character above it. Along every spoke the map is read as a
// row of blocks that begin at the height seen from below and are THICKNESS tall. A block at distance d hides the
// elevations from e1 to e2, which are the share sin^2 e2 - sin^2 e1 of a cosine-weighted sky; going outwards, each block
// adds only what lies below those before it. Each ring reads the mip level whose texels are as large as the gaps between
// its samples.
in vec2 position;
out vec4 fragment;

uniform sampler2D heights; // covered, covered * sqrt(height)
uniform vec2 region;       // width and depth of the map, stage units

const int RINGS = 10;
const int SPOKES = 12;
const float NEAREST = 0.008; // stage units
const float STEP = 1.58;     // ten rings reach 0.8
const float LOWEST = 0.012;  // a touching foot still lets some light in
const float THICKNESS = 0.12;

// Share of the texel that is covered, and the height there.
vec2 cover_at(vec2 place, float size) {
    float texels = size / max(region.x, region.y) * float(textureSize(heights, 0).x);
    vec2 value = textureLod(heights, place, log2(max(texels, 1.0))).rg;
    float root = value.y / max(value.x, 1e-3);
    return vec2(value.x, max(root * root, LOWEST));
}

float hidden_below(float height, float d) {
    return height * height / (height * height + d * d);
}

float hidden_along(vec2 spoke, vec2 here) {
    float lowest = mix(1.0, hidden_below(here.y, NEAREST), here.x);
    float hidden = 1.0 - lowest;
    float d = NEAREST;
    for (int ring = 0; ring < RINGS; ring++) {
        d *= STEP;
        vec2 there = cover_at(position + d * spoke / region, 0.6 * d);
        float from = hidden_below(there.y, d);
        float to = min(hidden_below(there.y + THICKNESS, d), lowest);
        hidden += there.x * max(to - from, 0.0);
        lowest = mix(lowest, min(lowest, from), there.x);
    }
    return hidden;
}

void main() {
    vec2 here = cover_at(position, NEAREST);
    float hidden = 0.0;
    for (int spoke = 0; spoke < SPOKES; spoke++) {
        float angle = 6.2831853 * (float(spoke) + 0.5) / float(SPOKES);
        hidden += hidden_along(vec2(cos(angle), sin(angle)), here);
    }
    fragment = vec4(clamp(hidden / float(SPOKES), 0.0, 1.0), 0.0, 0.0, 1.0);
}
