// Which joints the vertices of an island hang on.
#include "rigid/islands.h"

#include <string.h>

limberi_influences limberi_influences_of(const limberi_islands* s, uint32_t vertex) {
    const limber_mesh* mesh = &s->model->meshes[s->mesh_of_vertex[vertex]];
    uint32_t u = vertex - mesh->first_vertex;
    uint32_t first = mesh->influence_first[u];
    limberi_influences result = {s->model->skins[mesh->skin].joints, mesh->influence_joint + first,
                                 mesh->influence_weight + first, mesh->influence_first[u + 1] - first};
    return result;
}

float limberi_island_weight(const limberi_islands* s, uint32_t vertex, uint32_t joint) {
    limberi_influences in = limberi_influences_of(s, vertex);
    float sum = 0;
    for (uint32_t i = 0; i < in.count; i++)
        sum += s->fused[in.joints[in.slots[i]]] == joint ? in.weights[i] : 0;
    return sum;
}

uint32_t limberi_island_main_joint(const limberi_islands* s, uint32_t vertex) {
    limberi_influences in = limberi_influences_of(s, vertex);
    uint32_t best = 0;
    float max = -1;
    for (uint32_t i = 0; i < in.count; i++) {
        uint32_t joint = s->fused[in.joints[in.slots[i]]];
        float weight = limberi_island_weight(s, vertex, joint);
        if (weight > max || (weight == max && joint < best)) {
            max = weight;
            best = joint;
        }
    }
    return best;
}

uint32_t limberi_island_mean_weights(limberi_islands* s, const limberi_island* island, bool fuse) {
    uint32_t best = 0;
    memset(s->mean, 0, s->model->rig.joint_count * sizeof *s->mean);
    for (uint32_t i = 0; i < island->count; i++) {
        limberi_influences in = limberi_influences_of(s, s->vertices[island->first + i]);
        for (uint32_t k = 0; k < in.count; k++) {
            uint32_t joint = in.joints[in.slots[k]];
            s->mean[fuse ? s->fused[joint] : joint] += (double)in.weights[k] / island->count;
        }
    }
    for (uint32_t j = 1; j < s->model->rig.joint_count; j++)
        best = s->mean[j] > s->mean[best] + 1e-6 ? j : best;
    return best;
}
