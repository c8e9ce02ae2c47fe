// Around limber_deform.glsl in node materials: a vertex of the rest pose becomes a deformed one, in mesh space.
// draw: 1 if positions and normals were computed on the CPU, 2 for a crowd; texels of columns per vertex; first joint of
// the mesh's skin in the list of all skins; first vertex of the mesh in the list of all meshes. Returns position, normal,
// and zeros. The texture of a crowd starts with four texels per instance: the rows of its matrix, and where its frame is.
float limber_short(int bits) {
    return float((bits << 16) >> 16) / 32767.0;
}

mat3 limber_run(ivec4 draw, int index, int instance, vec3 position, vec3 normal, uvec4 joints, vec4 weights, mat4 local, mat3 local_normal) {
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
        limber_deform(vertex, draw.x == 2 ? int(limber_texel(4 * instance + 3).x) : 0, p, n);
    }
    if (draw.x == 2) {
        vec4 x = limber_texel(4 * instance), y = limber_texel(4 * instance + 1), z = limber_texel(4 * instance + 2);
        vec3 a = cross(y.xyz, z.xyz), b = cross(z.xyz, x.xyz), c = cross(x.xyz, y.xyz); // the inverse transpose, scaled
        vec3 place = vec3(dot(x.xyz, p) + x.w, dot(y.xyz, p) + y.w, dot(z.xyz, p) + z.w);
        return mat3(place, sign(dot(x.xyz, a)) * vec3(dot(a, n), dot(b, n), dot(c, n)), vec3(0.0));
    }
    return mat3((local * vec4(p, 1.0)).xyz, local_normal * n, vec3(0.0));
}
