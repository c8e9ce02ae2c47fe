// Fuzzes what limber makes of Assimp's scenes: the bytes build a scene of any shape, with wrong weights, times and
// indices; an error or a character comes out. What Assimp makes of broken files is kept away in another process.
#include "cli/import/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { NODES = 6, VERTICES = 5, FACES = 3, BONES = 3, WEIGHTS = 4, KEYS = 4 };

typedef struct source {
    const uint8_t* data;
    size_t size;
} source;

static uint32_t take(source* s, uint32_t below) {
    if (!s->size)
        return 0;
    s->size--;
    return *s->data++ % below;
}

static float number(source* s) {
    static const float odd[] = {0, 1, -1, 0.5f, 1e-20f, 1e20f, INFINITY, -INFINITY, NAN, 100};
    uint32_t kind = take(s, 40);
    return kind < 10 ? odd[kind] : (float)take(s, 256) / 64 - 2;
}

typedef struct bench {
    struct aiScene scene;
    struct aiNode nodes[NODES];
    struct aiNode* children[NODES][NODES];
    unsigned mesh_index[2];
    struct aiMesh mesh, *meshes[1];
    struct aiVector3D positions[VERTICES], shape_positions[VERTICES];
    struct aiFace faces[FACES];
    unsigned corners[FACES][3];
    struct aiBone bones[BONES], *bone_list[BONES];
    struct aiVertexWeight weights[BONES][WEIGHTS];
    struct aiAnimMesh shape, *shapes[1];
    struct aiAnimation clip, *clips[1];
    struct aiNodeAnim channels[2], *channel_list[2];
    struct aiVectorKey moves[2][KEYS];
    struct aiQuatKey turns[2][KEYS];
    struct aiMaterial material, *materials[1];
} bench;

static void put_name(source* s, struct aiString* out) {
    static const char* const names[] = {"a", "b", "c_$AssimpFbx$_PreRotation", "c", "\xff\xfe", "", "RootNode"};
    strcpy(out->data, names[take(s, 7)]);
    out->length = (unsigned)strlen(out->data);
}

static void put_matrix(source* s, struct aiMatrix4x4* m) {
    float* values = &m->a1;
    for (int i = 0; i < 16; i++)
        values[i] = i % 5 == 0 ? 1.0f : 0.0f;
    for (uint32_t i = take(s, 4); i > 0; i--)
        values[take(s, 16)] = number(s);
}

static void build_nodes(source* s, bench* b) {
    for (uint32_t n = 0; n < NODES; n++) {
        put_name(s, &b->nodes[n].mName);
        put_matrix(s, &b->nodes[n].mTransformation);
        b->nodes[n].mChildren = b->children[n];
        struct aiNode* parent = n ? &b->nodes[take(s, n)] : NULL;
        if (parent)
            parent->mChildren[parent->mNumChildren++] = &b->nodes[n];
        if (take(s, 3) == 0) {
            b->nodes[n].mMeshes = b->mesh_index;
            b->nodes[n].mNumMeshes = 1 + take(s, 2);
        }
    }
    b->scene.mRootNode = &b->nodes[0];
}

static void build_mesh(source* s, bench* b) {
    b->mesh.mNumVertices = take(s, VERTICES + 1);
    b->mesh.mVertices = b->positions;
    for (uint32_t v = 0; v < VERTICES; v++) {
        b->positions[v] = (struct aiVector3D){number(s), number(s), number(s)};
        b->shape_positions[v].x = number(s);
    }
    b->mesh.mNumFaces = take(s, FACES + 1);
    b->mesh.mFaces = b->faces;
    for (uint32_t f = 0; f < FACES; f++) {
        b->faces[f] = (struct aiFace){1 + take(s, 3), b->corners[f]};
        for (int c = 0; c < 3; c++)
            b->corners[f][c] = take(s, VERTICES + 2);
    }
    b->mesh.mPrimitiveTypes = take(s, 8) ? aiPrimitiveType_TRIANGLE : aiPrimitiveType_POINT;
    b->shape.mVertices = b->shape_positions;
    b->shape.mNumVertices = take(s, VERTICES + 1);
    b->shapes[0] = &b->shape;
    b->mesh.mAnimMeshes = b->shapes;
    b->mesh.mNumAnimMeshes = take(s, 2);
    b->meshes[0] = &b->mesh;
    b->scene.mMeshes = b->meshes;
    b->scene.mNumMeshes = 1;
}

static void build_bones(source* s, bench* b) {
    b->mesh.mNumBones = take(s, BONES + 1);
    b->mesh.mBones = b->bone_list;
    for (uint32_t i = 0; i < BONES; i++) {
        b->bone_list[i] = &b->bones[i];
        put_name(s, &b->bones[i].mName);
        put_matrix(s, &b->bones[i].mOffsetMatrix);
        b->bones[i].mWeights = b->weights[i];
        b->bones[i].mNumWeights = take(s, WEIGHTS + 1);
        for (uint32_t w = 0; w < WEIGHTS; w++)
            b->weights[i][w] = (struct aiVertexWeight){take(s, VERTICES + 2), number(s)};
    }
}

static void build_clip(source* s, bench* b) {
    b->clip.mTicksPerSecond = (double)number(s);
    b->clip.mChannels = b->channel_list;
    b->clip.mNumChannels = take(s, 3);
    for (uint32_t c = 0; c < 2; c++) {
        struct aiNodeAnim* channel = b->channel_list[c] = &b->channels[c];
        put_name(s, &channel->mNodeName);
        channel->mNumPositionKeys = take(s, KEYS + 1);
        channel->mNumRotationKeys = take(s, KEYS + 1);
        channel->mPositionKeys = b->moves[c];
        channel->mRotationKeys = b->turns[c];
        for (uint32_t k = 0; k < KEYS; k++) {
            b->moves[c][k] = (struct aiVectorKey){(double)number(s), {number(s), number(s), number(s)}};
            b->turns[c][k] = (struct aiQuatKey){(double)number(s), {number(s), number(s), number(s), number(s)}};
        }
    }
    b->clips[0] = &b->clip;
    b->scene.mAnimations = b->clips;
    b->scene.mNumAnimations = take(s, 4) ? 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    source s = {data, size};
    limber_gltf* gltf = NULL;
    limber_error error;
    bench* b = calloc(1, sizeof *b);
    if (!b)
        abort();
    build_nodes(&s, b);
    build_mesh(&s, b);
    build_bones(&s, b);
    build_clip(&s, b);
    b->materials[0] = &b->material;
    b->scene.mMaterials = b->materials;
    b->scene.mNumMaterials = 1;
    limber_result result = import_scene_read(&b->scene, "/nowhere", &gltf, &error);
    if ((result == LIMBER_OK) != (gltf != NULL) || (result != LIMBER_OK && !error.message[0]))
        abort();
    limber_gltf_destroy(gltf);
    free(b);
    return 0;
}
