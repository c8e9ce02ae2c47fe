// A square under the character; four corners from the vertex number.
out vec3 place;

uniform mat4 projection;
uniform vec4 ground; // centre x, height, centre z, half width; stage units

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = vec3(ground.x + corner.x * ground.w, ground.y, ground.z + corner.y * ground.w);
    gl_Position = projection * vec4(place, 1.0);
}
