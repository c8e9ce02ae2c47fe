// Where every vertex goes, by a compute shader over the same buffers (OpenGL ES 3.1).
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer surface_buffer {
    float surface[]; // positions and normals
};
layout(std430, binding = 1) readonly buffer joint_buffer {
    uint joint_words[]; // 16 bits for each joint, then the weights
};
layout(std430, binding = 2) readonly buffer column_buffer {
    uint column_words[];
};
layout(std430, binding = 3) writeonly buffer deformed_buffer {
    float deformed[];
};

uniform int character_texels, vertex_count, column_stride; // the last in words

vec3 surface_at(int at) {
    return vec3(surface[at], surface[at + 1], surface[at + 2]);
}

void put(int at, vec3 v) {
    deformed[at] = v.x;
    deformed[at + 1] = v.y;
    deformed[at + 2] = v.z;
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

void main() {
    int index = int(gl_GlobalInvocationID.x), character = int(gl_GlobalInvocationID.y);
    if (index >= vertex_count)
        return;
    limber_vertex vertex;
    vertex.position = surface_at(6 * index);
    vertex.normal = surface_at(6 * index + 3);
    read_joints(index, vertex);
    read_columns(index, vertex);
    vec3 position, normal;
    limber_deform(vertex, character * character_texels, position, normal);
    int at = 6 * (character * vertex_count + index);
    put(at, position);
    put(at + 3, normal);
}
