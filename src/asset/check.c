// Rejects models that later stages could not compute with, and says where the fault is.
#include "asset/asset.h"
#include "asset/asset_private.h"
#include "asset/channel.h"
#include "base/math.h"

static bool finite_floats(const float* values, size_t count, size_t* where) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            *where = i;
            return false;
        }
    }
    return true;
}

static bool finite_transform(const limber_transform* t) {
    const float v[10] = {t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
                         t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z};
    size_t where;
    return finite_floats(v, 10, &where);
}

static limber_result check_rig(const limber_rig* rig, limber_error* error) {
    if (rig->joint_count > LIMBER_JOINT_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many joints (%u, max %u)", rig->joint_count,
                            LIMBER_JOINT_LIMIT);
    if (rig->joint_count && (!rig->parents || !rig->rest_local))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the rig has no parents or no rest transforms");
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_result bad = LIMBER_OK;
        if (rig->parents[j] < LIMBER_NO_PARENT || rig->parents[j] >= (int32_t)j)
            bad = limberi_fail(error, LIMBER_ERROR_DATA, "it must come after its parent");
        else if (!finite_transform(&rig->rest_local[j]))
            bad = limberi_fail(error, LIMBER_ERROR_DATA, "its rest transform is not finite");
        if (bad)
            return limberi_at(error, bad, "joint %u '%s'", j, rig->names ? rig->names[j] : "");
    }
    return LIMBER_OK;
}

static limber_result check_skin(const limber_model* model, uint32_t s, limber_error* error) {
    const limber_skin* skin = &model->skins[s];
    limber_result bad = LIMBER_OK;
    if (!skin->joint_count || skin->joint_count > LIMBER_JOINT_LIMIT || !skin->joints || !skin->joint_from_mesh) {
        bad =
            limberi_fail(error, LIMBER_ERROR_DATA, "has %u joints; it needs 1 to %u, each with an inverse bind matrix",
                         skin->joint_count, LIMBER_JOINT_LIMIT);
        return limberi_at(error, bad, "skin %u", s);
    }
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        if (skin->joints[k] >= model->rig.joint_count)
            bad = limberi_fail(error, LIMBER_ERROR_DATA, "joint %u is out of range", k);
        else if (!limberi_mat4_is_finite(&skin->joint_from_mesh[k]))
            bad = limberi_fail(error, LIMBER_ERROR_DATA, "inverse bind matrix %u is not finite", k);
        if (bad)
            return limberi_at(error, bad, "skin %u", s);
    }
    return LIMBER_OK;
}

static limber_result check_influences(const limber_model* model, const limber_mesh* mesh, limber_error* error) {
    const limber_skin* skin = &model->skins[mesh->skin];
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t first = mesh->influence_first[u];
        uint32_t end = mesh->influence_first[u + 1];
        if (end <= first || end - first > LIMBER_JOINT_LIMIT)
            return limberi_fail(error, LIMBER_ERROR_DATA, "vertex %u has no joint", u);
        double sum = 0;
        for (uint32_t i = first; i < end; i++) {
            float weight = mesh->influence_weight[i];
            if (mesh->influence_joint[i] >= skin->joint_count)
                return limberi_fail(error, LIMBER_ERROR_DATA,
                                    "vertex %u refers to joint %u, but its skin has %u joints", u,
                                    (unsigned)mesh->influence_joint[i], skin->joint_count);
            if (!isfinite(weight) || weight < 0)
                return limberi_fail(error, LIMBER_ERROR_DATA, "vertex %u has a weight that is negative or not finite",
                                    u);
            sum += (double)weight;
        }
        if (!(sum > 1e-20))
            return limberi_fail(error, LIMBER_ERROR_DATA, "the weights of vertex %u add up to zero", u);
    }
    return LIMBER_OK;
}

static limber_result check_topology(const limber_model* model, const limber_mesh* mesh, limber_error* error) {
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        if (mesh->triangles[i] >= mesh->vertex_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "triangle %zu refers to vertex %u, but there are %u vertices",
                                i / 3, mesh->triangles[i], mesh->vertex_count);
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        const limber_part* part = &mesh->parts[p];
        if (part->first_vertex > mesh->vertex_count || part->vertex_count > mesh->vertex_count - part->first_vertex ||
            part->first_triangle > mesh->triangle_count ||
            part->triangle_count > mesh->triangle_count - part->first_triangle || part->material < -1 ||
            part->material >= (int32_t)model->material_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "part %u is out of range", p);
    }
    return LIMBER_OK;
}

static limber_result check_extras(const limber_mesh* mesh, limber_error* error) {
    size_t where;
    size_t vertices = mesh->vertex_count;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const limber_morph* morph = &mesh->morphs[i];
        if (!morph->positions || !finite_floats(morph->positions, 3 * vertices, &where) ||
            (morph->normals && !finite_floats(morph->normals, 3 * vertices, &where)))
            return limberi_fail(error, LIMBER_ERROR_DATA, "morph target %u is not finite", i);
    }
    if (mesh->morph_defaults && !finite_floats(mesh->morph_defaults, mesh->morph_count, &where))
        return limberi_fail(error, LIMBER_ERROR_DATA, "its default morph weights are not finite");
    for (uint32_t i = 0; i < mesh->layer_count; i++) {
        const limber_layer* layer = &mesh->layers[i];
        if (!layer->name || !layer->values || !finite_floats(layer->values, vertices, &where))
            return limberi_fail(error, LIMBER_ERROR_DATA, "layer %u has no name, or a value that is not finite", i);
    }
    return LIMBER_OK;
}

static limber_result check_mesh(const limber_model* model, uint32_t m, limber_error* error) {
    const limber_mesh* mesh = &model->meshes[m];
    size_t where = 0;
    limber_result bad = LIMBER_OK;
    if (mesh->skin >= model->skin_count)
        bad = limberi_fail(error, LIMBER_ERROR_DATA, "its skin is out of range");
    else if (mesh->vertex_count && (!mesh->positions || !mesh->influence_first || !mesh->influence_joint ||
                                    !mesh->influence_weight || (mesh->triangle_count && !mesh->triangles)))
        bad = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "its positions, weights or triangles are missing");
    else if (!finite_floats(mesh->positions, 3 * (size_t)mesh->vertex_count, &where))
        bad = limberi_fail(error, LIMBER_ERROR_DATA, "the position of vertex %zu is not finite", where / 3);
    if (!bad)
        bad = check_influences(model, mesh, error);
    if (!bad)
        bad = check_topology(model, mesh, error);
    if (!bad)
        bad = check_extras(mesh, error);
    return bad ? limberi_at(error, bad, "mesh %u '%s'", m, mesh->name ? mesh->name : "") : LIMBER_OK;
}

// `nodes`: how many things there are to move.
static limber_result check_channel(const limber_model* model, const limber_channel* channel, uint32_t nodes,
                                   limber_error* error) {
    bool weights = channel->path == LIMBER_CHANNEL_WEIGHTS;
    if (channel->path > LIMBER_CHANNEL_WEIGHTS || channel->interpolation > LIMBER_INTERPOLATION_CUBIC)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "unknown path or interpolation");
    if (channel->target >= (weights ? model->mesh_count : nodes))
        return limberi_fail(error, LIMBER_ERROR_DATA, "its target is out of range");
    if (!channel->key_count || !channel->times || !channel->values)
        return limberi_fail(error, LIMBER_ERROR_DATA, "has no keys");
    size_t per_key = limberi_channel_numbers_per_key(model, channel);
    size_t where;
    for (uint32_t k = 0; k < channel->key_count; k++)
        if (!isfinite(channel->times[k]) || (k && channel->times[k] <= channel->times[k - 1]))
            return limberi_fail(error, LIMBER_ERROR_DATA, "key %u is not later than the previous one", k);
    if (!finite_floats(channel->values, per_key * channel->key_count, &where))
        return limberi_fail(error, LIMBER_ERROR_DATA, "key %zu is not finite", where / (per_key ? per_key : 1));
    return LIMBER_OK;
}

static limber_result check_clip(const limber_model* model, uint32_t c, limber_error* error) {
    const limber_clip* clip = &model->clips[c];
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        limber_result bad = check_channel(model, &clip->channels[i], model->rig.joint_count, error);
        if (bad)
            return limberi_at(error, bad, "clip %u '%s' channel %u", c, clip->name ? clip->name : "", i);
    }
    for (uint32_t i = 0; i < clip->camera_channel_count; i++) {
        const limber_channel* channel = &clip->camera_channels[i];
        limber_result bad = channel->path == LIMBER_CHANNEL_WEIGHTS
                                ? limberi_fail(error, LIMBER_ERROR_DATA, "a camera has no morph targets")
                                : check_channel(model, channel, model->camera_node_count, error);
        if (bad)
            return limberi_at(error, bad, "clip %u '%s' camera channel %u", c, clip->name ? clip->name : "", i);
    }
    return LIMBER_OK;
}

static limber_result check_colliders(const limber_model* model, limber_error* error) {
    for (uint32_t i = 0; i < model->collider_count; i++)
        if (!limberi_collider_is_valid(&model->colliders[i], model->rig.joint_count))
            return limberi_fail(error, LIMBER_ERROR_DATA,
                                "collider %u has a bad joint, a number that is not finite, a negative radius or no "
                                "normal",
                                i);
    return LIMBER_OK;
}

static limber_result check_cameras(const limber_model* model, limber_error* error) {
    for (uint32_t i = 0; i < model->camera_node_count; i++) {
        const limber_camera_node* node = &model->camera_nodes[i];
        if (node->parent >= (int32_t)i || node->parent < -1 || node->joint < -1 ||
            node->joint >= (int32_t)model->rig.joint_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "camera node %u must come after its parent", i);
        if (!finite_transform(&node->rest_local))
            return limberi_fail(error, LIMBER_ERROR_DATA, "the transform of camera node %u is not finite", i);
    }
    for (uint32_t i = 0; i < model->camera_count; i++)
        if (model->cameras[i].node >= model->camera_node_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "the node of camera %u is out of range", i);
    return LIMBER_OK;
}

limber_result limberi_model_check(const limber_model* model, limber_error* error) {
    limber_result bad = check_rig(&model->rig, error);
    if (bad)
        return bad;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        bad = check_skin(model, s, error);
        if (bad)
            return bad;
    }
    uint64_t vertices = 0;
    uint64_t triangles = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        bad = check_mesh(model, m, error);
        if (bad)
            return bad;
        vertices += model->meshes[m].vertex_count;
        triangles += model->meshes[m].triangle_count;
    }
    if (vertices > UINT32_MAX / 4 || triangles > UINT32_MAX / 4)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many vertices (%llu)", (unsigned long long)vertices);
    for (uint32_t i = 0; i < model->material_count; i++)
        if (model->materials[i].image < -1 || model->materials[i].image >= (int32_t)model->image_count)
            return limberi_fail(error, LIMBER_ERROR_DATA, "the image of material %u is out of range", i);
    bad = check_cameras(model, error);
    if (!bad)
        bad = check_colliders(model, error);
    if (bad)
        return bad;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        bad = check_clip(model, c, error);
        if (bad)
            return bad;
    }
    return LIMBER_OK;
}
