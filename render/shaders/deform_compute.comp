// Where every vertex goes, by a compute shader over the same buffers (OpenGL ES 3.1).
layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer surface_buffer {
    float surface[]; // positions and normals
};
layout(std430, binding = 1) readonly buffer joint_buffer {
    uint joint_words[]; // 16 bits for each joint, then the weights
};
layout(std430, binding = 2) readonly buffer column_buffer {
    uint column_words[];
};
#ifdef LIMBER_AVERAGED // deform_normals.comp goes on from here
layout(std430, binding = 4) writeonly buffer surfaces_buffer {
    vec4 surfaces[];
};
#else
layout(std430, binding = 3) writeonly buffer deformed_buffer {
    float deformed[];
};
#endif

uniform int character_texels, vertex_count, column_stride; // the last in words
uniform int first_character, skinned_first;

vec3 surface_at(int at) {
    return vec3(surface[at], surface[at + 1], surface[at + 2]);
}

void read_joints(int index, inout limber_vertex vertex) {
    int at = index * LIMBER_INFLUENCES * 3 / 2;
    for (int i = 0; i < LIMBER_INFLUENCES / 4; i++) {
        uint xy = joint_words[at + 2 * i], zw = joint_words[at + 2 * i + 1];
        int weight = at + LIMBER_INFLUENCES / 2 + 4 * i;
        vertex.joints[i] = uvec4(xy & 0xffffu, xy >> 16, zw & 0xffffu, zw >> 16);
        vertex.weights[i] = uintBitsToFloat(uvec4(joint_words[weight], joint_words[weight + 1],
                                                  joint_words[weight + 2], joint_words[weight + 3]));
    }
}

void read_columns(int index, inout limber_vertex vertex) {
    for (int i = 0; i < LIMBER_COLUMN_VECTORS; i++) {
        int at = index * column_stride + 2 * i, left = column_stride - 2 * i;
        vec2 xy = left > 0 ? unpackSnorm2x16(column_words[at]) : vec2(0.0);
        vec2 zw = left > 1 ? unpackSnorm2x16(column_words[at + 1]) : vec2(0.0);
        vertex.columns[i] = vec4(xy, zw);
    }
}

#ifdef LIMBER_AVERAGED
vec2 fold(vec3 n) {
    float sum = abs(n.x) + abs(n.y) + abs(n.z);
    if (!(sum > 0.0))
        return vec2(2.0);
    n /= sum;
    return n.z < 0.0 ? (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0) : n.xy;
}

void write(int index, int character, vec3 skinned, vec3 position, vec3 normal) {
    int at = (character - first_character) * vertex_count + index;
    vec2 folded = fold(normal);
    surfaces[at] = vec4(position, folded.x);
    surfaces[skinned_first + at] = vec4(skinned, folded.y);
}
#else
void put(int at, vec3 v) {
    deformed[at] = v.x;
    deformed[at + 1] = v.y;
    deformed[at + 2] = v.z;
}

void write(int index, int character, vec3 skinned, vec3 position, vec3 normal) {
    int at = 6 * (character * vertex_count + index);
    put(at, position);
    put(at + 3, normal);
}
#endif

void deform(int index, int character, int first_texel) {
    limber_vertex vertex;
    vertex.position = surface_at(6 * index);
    vertex.normal = surface_at(6 * index + 3);
    read_joints(index, vertex);
    read_columns(index, vertex);
    vec3 position, normal;
    limber_skin(vertex, first_texel, position, normal);
    vec3 skinned = position;
    limber_displace(vertex, first_texel, position, normal);
    write(index, character, skinned, position, normal);
}

void main() {
    int character = first_character + int(gl_WorkGroupID.y), first_texel = character * character_texels;
    int step = int(gl_WorkGroupSize.x * gl_NumWorkGroups.x);
#ifdef LIMBER_SHARED_TEXELS
    for (int i = int(gl_LocalInvocationID.x); i < character_texels; i += int(gl_WorkGroupSize.x))
        limber_shared[i] = limber_fetch(first_texel + i);
    memoryBarrierShared();
    barrier();
    first_texel = 0;
#endif
    for (int index = int(gl_GlobalInvocationID.x); index < vertex_count; index += step)
        deform(index, character, first_texel);
}
