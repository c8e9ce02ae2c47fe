// Tangents for surfaces with a normal map that come without. Players then make up their own, each its own way, which
// the validator warns about; and a vertex bake has to drop those that belong to the undeformed mesh.
//
// Per corner as MikkTSpace does (Mikkelsen 2008): the direction of growing u in the plane of the vertex normal,
// weighted by the corner's angle. A vertex that joins mirrored pieces, which cannot be split here, goes with the larger
// one.
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

enum { NAME_BYTES = 24 };

typedef struct surface {
    const limber_mesh* mesh;
    limber_part part;
    const float* positions; // of the whole mesh, like normals
    const float* normals;
    const float* uvs; // of the part
} surface;

// Sums over the corners of a vertex, for either handedness.
typedef struct corner_sums {
    limber_vec3 tangent[2];
    float weight[2];
} corner_sums;

static const limberi_json* tangent_texture(const limberi_json* material) {
    const limberi_json* extensions = limberi_json_get(material, "extensions");
    const limberi_json* texture = limberi_json_get(material, "normalTexture");
    if (!texture)
        texture = limberi_json_get(limberi_json_get(extensions, "KHR_materials_clearcoat"), "clearcoatNormalTexture");
    if (!texture)
        texture = limberi_json_get(limberi_json_get(extensions, "KHR_materials_anisotropy"), "anisotropyTexture");
    return texture;
}

// Accessor of the coordinates that the normal map uses; UINT32_MAX when the primitive needs no tangents.
static uint32_t needed_uvs(const limberi_writer* writer, const limberi_json* primitive) {
    const limberi_json* attributes = limberi_json_get(primitive, "attributes");
    const limberi_json* texture =
        tangent_texture(limberi_item(writer->json.root, "materials", limberi_index(primitive, "material")));
    if (!texture || limberi_json_get(attributes, "TANGENT") || !limberi_json_get(attributes, "NORMAL"))
        return UINT32_MAX;
    const limberi_json* transform = limberi_json_get(limberi_json_get(texture, "extensions"), "KHR_texture_transform");
    uint32_t set = limberi_index(transform, "texCoord");
    set = set == UINT32_MAX ? limberi_index(texture, "texCoord") : set;
    char name[NAME_BYTES];
    limberi_format(name, sizeof name, "TEXCOORD_%u", set == UINT32_MAX ? 0 : set);
    return limberi_index(attributes, name);
}

static limber_vec3 vertex_of(const float* values, uint32_t vertex) {
    return limberi_load3(values + 3 * (size_t)vertex);
}

static void add_triangle(const surface* s, const uint32_t* triangle, corner_sums* sums) {
    limber_vec3 p[3];
    const float* uv[3];
    for (int c = 0; c < 3; c++) {
        p[c] = vertex_of(s->positions, triangle[c]);
        uv[c] = s->uvs + 2 * (size_t)(triangle[c] - s->part.first_vertex);
    }
    limber_vec3 a = limberi_sub(p[1], p[0]);
    limber_vec3 b = limberi_sub(p[2], p[0]);
    float au = uv[1][0] - uv[0][0];
    float av = uv[1][1] - uv[0][1];
    float bu = uv[2][0] - uv[0][0];
    float bv = uv[2][1] - uv[0][1];
    float area = au * bv - bu * av;
    limber_vec3 along = limberi_sub(limberi_scale(a, bv), limberi_scale(b, av)); // times the sign of the area
    int side = area < 0;
    along = limberi_normalize(limberi_scale(along, side ? -1.0f : 1.0f));
    for (int c = 0; area != 0 && c < 3; c++) {
        limber_vec3 normal = limberi_normalize(vertex_of(s->normals, triangle[c]));
        limber_vec3 to_next = limberi_across(limberi_sub(p[(c + 1) % 3], p[c]), normal);
        limber_vec3 to_last = limberi_across(limberi_sub(p[(c + 2) % 3], p[c]), normal);
        float angle = acosf(fminf(fmaxf(limberi_dot(to_next, to_last), -1.0f), 1.0f));
        corner_sums* sum = &sums[triangle[c] - s->part.first_vertex];
        sum->tangent[side] = limberi_add(sum->tangent[side], limberi_scale(limberi_across(along, normal), angle));
        sum->weight[side] += angle;
    }
}

// glTF's bitangent points against v, which grows downwards: the sign is the opposite of the coordinates' handedness.
static void store_tangent(const corner_sums* sum, limber_vec3 normal, float* out) {
    int side = sum->weight[1] > sum->weight[0];
    limber_vec3 tangent = limberi_across(sum->tangent[side], normal);
    if (!(limberi_dot(tangent, tangent) > 0.5f))
        tangent = limberi_across(fabsf(normal.x) < 0.8f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0), normal);
    limberi_store3(out, tangent);
    out[3] = side ? 1.0f : -1.0f;
}

static float* make_tangents(limberi_writer* writer, const surface* s) {
    uint32_t count = s->part.vertex_count;
    limberi_arena scratch = {0};
    corner_sums* sums = LIMBERI_ALLOCATE(&scratch, corner_sums, count);
    float* tangents = LIMBERI_ALLOCATE(&writer->arena, float, 4 * (size_t)count);
    for (uint32_t t = 0; sums && tangents && t < s->part.triangle_count; t++) {
        const uint32_t* triangle = s->mesh->triangles + 3 * (size_t)(s->part.first_triangle + t);
        bool inside = true;
        for (int c = 0; c < 3; c++)
            inside = inside && triangle[c] - s->part.first_vertex < count;
        if (inside)
            add_triangle(s, triangle, sums);
    }
    for (uint32_t v = 0; sums && tangents && v < count; v++)
        store_tangent(&sums[v], limberi_normalize(vertex_of(s->normals, s->part.first_vertex + v)),
                      tangents + 4 * (size_t)v);
    limberi_scratch_free(writer, &scratch);
    return tangents;
}

static void repair_primitive(limberi_writer* writer, surface* s, limberi_json* primitive) {
    uint32_t accessor = needed_uvs(writer, primitive);
    limberi_arena scratch = {0};
    limberi_values uvs;
    if (accessor != UINT32_MAX && s->normals && limberi_read_values(writer, &scratch, accessor, &uvs) &&
        uvs.width == 2 && uvs.count == s->part.vertex_count) {
        s->uvs = uvs.values;
        writer->repaired[LIMBER_REPAIR_TANGENTS]++;
        float* tangents = make_tangents(writer, s);
        limberi_primitive_touch(primitive);
        if (tangents)
            limberi_put_integer(writer, limberi_json_get(primitive, "attributes"), "TANGENT",
                                limberi_floats_add(writer, tangents, uvs.count, "VEC4", LIMBERI_GLTF_VERTICES, false));
    }
    limberi_scratch_free(writer, &scratch);
}

// A bake that moves a mesh has dropped its tangents.
static bool lost_tangents(const limberi_writer* writer, uint32_t mesh, uint32_t part) {
    const limberi_json* root = writer->document->json.root;
    const limberi_json* primitives =
        limberi_json_get(limberi_item(root, "meshes", writer->document->meshes[mesh].mesh), "primitives");
    return limberi_json_get(limberi_json_get(limberi_json_at(primitives, part), "attributes"), "TANGENT");
}

void limberi_repair_tangents(limberi_writer* writer, const limber_bake* bake) {
    bool all = limberi_repairs(writer, LIMBER_REPAIR_TANGENTS);
    const limber_model* model = limber_asset_model(writer->document->asset);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_bake_mesh* baked = bake ? &bake->meshes[m] : NULL;
        bool moved = baked && baked->base_positions;
        const limberi_json* node = limberi_item(writer->json.root, "nodes", writer->carriers[m]);
        const limberi_json* object = limberi_item(writer->json.root, "meshes", limberi_index(node, "mesh"));
        for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
            surface s = {mesh, limberi_part_at(mesh, p), moved ? baked->base_positions : mesh->positions,
                         moved ? baked->base_normals : mesh->normals, NULL};
            if (all || (moved && lost_tangents(writer, m, p)))
                repair_primitive(writer, &s, limberi_json_at(limberi_json_get(object, "primitives"), p));
        }
    }
}
