// Depth seen from below becomes numbers that average well in mip levels: how much of a texel is covered, and the
// height of what covers it over the ground. The root gives the low heights, which matter most, most of the 8 bits.
in vec2 position;
out vec4 fragment;

uniform sampler2D lowest;
uniform vec2 range; // height of the map and of the ground in it, stage units

void main() {
    float depth = texture(lowest, position).r;
    float height = clamp(depth * range.x - range.y, 0.0, 1.0);
    fragment = depth < 1.0 ? vec4(1.0, sqrt(height), 0.0, 1.0) : vec4(0.0);
}
