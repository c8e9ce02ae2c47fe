// How much of the sky each point of the ground loses to the character above it. A horizontal patch dA at height h and
// distance d covers the share h^2 dA / (pi (d^2 + h^2)^2) of a cosine-weighted sky; rings at geometric distances sum it
// up, each reading the mip level whose texels are as large as the gaps between its samples.
in vec2 position;
out vec4 fragment;

uniform sampler2D heights; // covered, covered * sqrt(height)
uniform vec2 region;       // width and depth of the map, stage units

const int RINGS = 10;
const int SPOKES = 12;
const float NEAREST = 0.008; // stage units
const float FARTHEST = 0.8;
const float LOWEST = 0.012; // a touching foot still lets some light in
const float PI = 3.14159265;

// Share of the texel that is covered, and the height there.
vec2 cover_at(vec2 place, float size) {
    float texels = size / max(region.x, region.y) * float(textureSize(heights, 0).x);
    vec2 value = textureLod(heights, place, log2(max(texels, 1.0))).rg;
    float root = value.y / max(value.x, 1e-3);
    return vec2(value.x, max(root * root, LOWEST));
}

void main() {
    vec2 here = cover_at(position, NEAREST);
    float covered = here.x * NEAREST * NEAREST / (NEAREST * NEAREST + here.y * here.y);
    float ratio = FARTHEST / NEAREST;
    float patch_size = log(ratio) / float(RINGS) * 2.0 * PI / float(SPOKES);
    for (int ring = 0; ring < RINGS; ring++) {
        float d = NEAREST * pow(ratio, (float(ring) + 0.5) / float(RINGS));
        for (int spoke = 0; spoke < SPOKES; spoke++) {
            float angle = 2.0 * PI * (float(spoke) + 0.618034 * float(ring)) / float(SPOKES);
            vec2 there = cover_at(position + d * vec2(cos(angle), sin(angle)) / region, 0.6 * d);
            float h = there.y;
            float reach = d * d + h * h;
            covered += there.x * h * h * d * d / (PI * reach * reach) * patch_size;
        }
    }
    fragment = vec4(clamp(covered, 0.0, 1.0), 0.0, 0.0, 1.0);
}
