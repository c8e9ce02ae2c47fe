// The joint that a measured vertex belongs to, for sentences that name it.
#include "review/review.h"

uint32_t limberi_review_joint(const limber_model* model, uint32_t vertex) {
    uint32_t m = 0;
    while (m + 1 < model->mesh_count && vertex >= model->meshes[m + 1].first_vertex)
        m++;
    const limber_mesh* mesh = &model->meshes[m];
    uint32_t u = vertex - mesh->first_vertex;
    uint32_t first = mesh->influence_first[u];
    uint32_t max = first;
    for (uint32_t i = first; i < mesh->influence_first[u + 1]; i++)
        max = mesh->influence_weight[i] > mesh->influence_weight[max] ? i : max;
    if (first == mesh->influence_first[u + 1])
        return 0;
    return model->skins[mesh->skin].joints[mesh->influence_joint[max]];
}
