// Materials as UsdPreviewSurface: base color, and its texture where that is a file of its own.
#include "io/cache/usd_skel.h"

#include <string.h>

bool limberi_usd_open_materials(limberi_usd* usd) {
    uint32_t count = usd->model->material_count;
    limberi_name_set set;
    usd->material_names = LIMBERI_ALLOCATE(&usd->arena, const char*, count);
    if (!usd->material_names || !limberi_name_set_open(&usd->arena, count, &set))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const char* own = usd->model->materials[i].name;
        const char* wanted = limberi_cache_name(&usd->arena, own && *own ? own : "material", LIMBERI_CACHE_IDENTIFIERS);
        usd->material_names[i] = wanted ? limberi_name_claim(&set, &usd->arena, wanted) : NULL;
        if (!usd->material_names[i])
            return false;
    }
    return true;
}

// PNG and JPEG are all that a .usdz may have.
static const char* picture_ending(const limber_image* image) {
    static const uint8_t png[4] = {0x89, 'P', 'N', 'G'};
    static const uint8_t jpeg[3] = {0xff, 0xd8, 0xff};
    if (image->bytes && image->byte_count > sizeof png && memcmp(image->bytes, png, sizeof png) == 0)
        return "png";
    bool is_jpeg = image->bytes && image->byte_count > sizeof jpeg && memcmp(image->bytes, jpeg, sizeof jpeg) == 0;
    return is_jpeg ? "jpg" : NULL;
}

bool limberi_usd_open_pictures(limberi_usd* usd) {
    enum { NAME_BYTES = 32 };
    usd->packed = LIMBERI_ALLOCATE(&usd->arena, const char*, (size_t)usd->model->image_count + 1);
    for (uint32_t i = 0; usd->packed && i < usd->model->image_count; i++) {
        const char* ending = picture_ending(&usd->model->images[i]);
        char* name = ending ? LIMBERI_ALLOCATE(&usd->arena, char, NAME_BYTES) : NULL;
        if (name)
            limberi_format(name, NAME_BYTES, "textures/%u.%s", i, ending);
        usd->packed[i] = name;
    }
    return !usd->arena.failed;
}

// The texture's file, NULL when there is none or USD could not name it.
static const char* texture_of(const limberi_usd* usd, const limber_material* material) {
    if (usd->packed)
        return material->image >= 0 ? usd->packed[material->image] : NULL;
    const char* file = material->image >= 0 && usd->job->textures ? usd->job->textures[material->image] : NULL;
    for (const char* c = file; c && *c; c++)
        if (*c == '@' || (unsigned char)*c < 32)
            return NULL;
    return file && *file ? file : NULL;
}

static void put_connection(limberi_usd* usd, const char* before, const char* material, const char* what) {
    limberi_out_string(&usd->out, before);
    limberi_out_string(&usd->out, ".connect = <");
    limberi_usd_path(usd, usd->materials, material, what);
    limberi_out_string(&usd->out, ">\n");
}

static void put_number(limberi_usd* usd, const char* before, float value) {
    limberi_out_string(&usd->out, before);
    limberi_out_tuple(&usd->out, "", &value, 1, "", "\n");
}

static void put_surface(limberi_usd* usd, const limber_material* material, const char* name, bool texture) {
    limberi_out_string(&usd->out, "            def Shader \"surface\"\n            {\n                uniform token "
                                  "info:id = \"UsdPreviewSurface\"\n");
    if (texture) {
        put_connection(usd, "                color3f inputs:diffuseColor", name, "texture.outputs:rgb");
    } else {
        limberi_out_string(&usd->out, "                color3f inputs:diffuseColor = ");
        limberi_out_tuple(&usd->out, "(", material->base_color, 3, ", ", ")\n");
    }
    put_number(usd, "                float inputs:metallic = ", material->metallic);
    put_number(usd, "                float inputs:opacity = ", material->blend ? material->base_color[3] : 1);
    put_number(usd, "                float inputs:roughness = ", material->roughness);
    limberi_out_string(&usd->out, "                token outputs:surface\n            }\n");
}

static void put_texture(limberi_usd* usd, const limber_material* material, const char* name, const char* file) {
    const char* wrap = material->ends ? "clamp" : "repeat";
    limberi_out_string(&usd->out, "\n            def Shader \"texture\"\n            {\n                uniform token "
                                  "info:id = \"UsdUVTexture\"\n                asset inputs:file = @");
    limberi_out_string(&usd->out, file);
    limberi_out_string(&usd->out, "@\n                float4 inputs:scale = ");
    limberi_out_tuple(&usd->out, "(", material->base_color, 4, ", ", ")\n");
    limberi_out_string(&usd->out, "                token inputs:sourceColorSpace = \"sRGB\"\n");
    put_connection(usd, "                float2 inputs:st", name, "coordinates.outputs:result");
    limberi_out_string(&usd->out, "                token inputs:wrapS = \"");
    limberi_out_string(&usd->out, wrap);
    limberi_out_string(&usd->out, "\"\n                token inputs:wrapT = \"repeat\"\n"
                                  "                float3 outputs:rgb\n            }\n\n"
                                  "            def Shader \"coordinates\"\n            {\n"
                                  "                uniform token info:id = \"UsdPrimvarReader_float2\"\n"
                                  "                string inputs:varname = \"st\"\n"
                                  "                float2 outputs:result\n            }\n");
}

static void put_material(limberi_usd* usd, uint32_t index) {
    const limber_material* material = &usd->model->materials[index];
    const char* name = usd->material_names[index];
    const char* file = texture_of(usd, material);
    limberi_out_string(&usd->out, index ? "\n        def Material \"" : "        def Material \"");
    limberi_out_string(&usd->out, name);
    limberi_out_string(&usd->out, "\"\n        {\n");
    put_connection(usd, "            token outputs:surface", name, "surface.outputs:surface");
    put_surface(usd, material, name, file != NULL);
    if (file)
        put_texture(usd, material, name, file);
    limberi_out_string(&usd->out, "        }\n");
}

void limberi_usd_put_materials(limberi_usd* usd) {
    if (!usd->model->material_count)
        return;
    limberi_out_string(&usd->out, "\n    def Scope \"");
    limberi_out_string(&usd->out, usd->materials);
    limberi_out_string(&usd->out, "\"\n    {\n");
    for (uint32_t i = 0; i < usd->model->material_count; i++)
        put_material(usd, i);
    limberi_out_string(&usd->out, "    }\n");
}

static void put_relationship(limberi_usd* usd, const char* indent, int32_t material) {
    if (material < 0)
        return;
    limberi_out_string(&usd->out, indent);
    limberi_out_string(&usd->out, "rel material:binding = <");
    limberi_usd_path(usd, usd->materials, usd->material_names[material], NULL);
    limberi_out_string(&usd->out, ">\n");
}

void limberi_usd_put_binding(limberi_usd* usd, const limber_mesh* mesh) {
    if (mesh->part_count == 1)
        put_relationship(usd, "        ", mesh->parts[0].material);
    else if (mesh->part_count > 1)
        limberi_out_string(&usd->out,
                           "        uniform token subsetFamily:materialBind:familyType = \"nonOverlapping\"\n");
}

static void put_subset(limberi_usd* usd, const limber_part* part, uint32_t number) {
    limberi_out_string(&usd->out, "\n        def GeomSubset \"part_");
    limberi_out_unsigned(&usd->out, number);
    limberi_out_string(&usd->out, "\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n"
                                  "        {\n            uniform token elementType = \"face\"\n"
                                  "            uniform token familyName = \"materialBind\"\n"
                                  "            int[] indices = [");
    for (uint32_t t = 0; t < part->triangle_count; t++) {
        if (t)
            limberi_out_string(&usd->out, ", ");
        limberi_out_unsigned(&usd->out, part->first_triangle + t);
    }
    limberi_out_string(&usd->out, "]\n");
    put_relationship(usd, "            ", part->material);
    limberi_out_string(&usd->out, "        }\n");
}

void limberi_usd_put_subsets(limberi_usd* usd, const limber_mesh* mesh) {
    for (uint32_t p = 0; mesh->part_count > 1 && p < mesh->part_count; p++)
        put_subset(usd, &mesh->parts[p], p);
}
