// Around limber_deform.glsl in node materials: a vertex of the rest pose becomes a deformed one, in mesh space.
// draw: 1 if positions and normals were computed on the CPU; texels of columns per vertex; first joint of the mesh's skin
// in the list of all skins; first vertex of the mesh in the list of all meshes. Returns position, normal, and zeros.
float limber_short(int bits) {
    return float((bits << 16) >> 16) / 32767.0;
}

mat3 limber_run(ivec4 draw, int index, vec3 position, vec3 normal, uvec4 joints, vec4 weights, mat4 local, mat3 local_normal) {
    vec3 p, n;
    int u = draw.w + index;
    if (draw.x == 1) {
        int at = 2 * u;
        p = texelFetch(limber_place_texture, ivec2(at & 1023, at >> 10), 0).xyz;
        n = texelFetch(limber_place_texture, ivec2((at + 1) & 1023, at >> 10), 0).xyz;
    } else {
        limber_vertex vertex;
        float sum = dot(weights, vec4(1.0));
        vertex.position = position;
        vertex.normal = normal;
        vertex.joints[0] = joints + uvec4(uint(draw.z));
        vertex.weights[0] = sum > 0.0 ? weights / sum : vec4(1.0, 0.0, 0.0, 0.0);
        for (int i = 0; i < LIMBER_COLUMN_VECTORS; i++) {
            vertex.columns[i] = vec4(1.0);
            if (i < draw.y) {
                int at = u * draw.y + i;
                ivec4 two = texelFetch(limber_column_texture, ivec2((at >> 1) & 511, at >> 10), 0);
                ivec2 bits = (at & 1) == 0 ? two.xy : two.zw;
                vertex.columns[i] = vec4(limber_short(bits.x), limber_short(bits.x >> 16), limber_short(bits.y), limber_short(bits.y >> 16));
            }
        }
        limber_deform(vertex, 0, p, n);
    }
    return mat3((local * vec4(p, 1.0)).xyz, local_normal * n, vec3(0.0));
}
