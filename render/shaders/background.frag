// A soft studio wall: a vertical gradient, a little brighter behind the character.
in vec2 position;
out vec4 fragment;

uniform vec3 top;    // linear
uniform vec3 bottom; // linear

// Breaks up the bands that 8 bits leave in slow gradients.
float dither(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))) - 0.5;
}

void main() {
    vec3 color = mix(bottom, top, smoothstep(0.0, 1.0, position.y));
    vec2 offset = (position - vec2(0.5, 0.5)) * vec2(1.0, 1.1);
    color *= 1.0 + 0.06 * (1.0 - smoothstep(0.0, 0.75, length(offset)));
    color *= 1.0 + dither(gl_FragCoord.xy) / 100.0;
    fragment = vec4(color, 1.0);
}
