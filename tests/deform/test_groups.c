// The sorted vertices: nothing lost, nothing twice, and the same weights as the mesh has.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/groups.h"
#include "kit/models.h"
#include "kit/random_rigs.h"

enum { RIGS = TEST_SANITIZED ? 33 : 66 };

typedef void (*mesh_check)(const limber_model* model, const limber_mesh* mesh, const struct limberi_groups* groups);

static void check_asset(const limber_asset* asset, mesh_check check) {
    const limber_model* model = limber_asset_model(asset);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        check(model, &model->meshes[m], limberi_asset_groups(asset)[m]);
}

enum { MAX_CHARACTERS = 64 };

static limber_asset* characters[MAX_CHARACTERS];
static limber_gltf* files[MAX_CHARACTERS];

static int load_characters(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count() && i < MAX_CHARACTERS; i++)
        characters[i] = test_character_load(i, &files[i]);
    return 0;
}

static int free_characters(void** state) {
    (void)state;
    for (uint32_t i = 0; i < MAX_CHARACTERS; i++)
        test_character_free(characters[i], files[i]);
    return 0;
}

static void check_all(mesh_check check) {
    for (uint32_t i = 0; i < RIGS; i++) {
        test_rig_recipe recipe = test_recipe(i);
        limber_asset* asset = test_random_rig(&recipe);
        check_asset(asset, check);
        limber_asset_destroy(asset);
    }
    for (uint32_t i = 0; i < MAX_CHARACTERS && characters[i]; i++)
        check_asset(characters[i], check);
}

static void check_vertices(const limber_model* model, const limber_mesh* mesh, const struct limberi_groups* groups) {
    (void)model;
    uint8_t* seen = calloc((size_t)mesh->vertex_count + 1, 1);
    uint32_t at = 0, count = 0;
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* g = &groups->groups[i];
        assert_int_equal(g->first, at);
        assert_true(g->count > 0 && g->count <= LIMBER_BLOCK && g->width <= LIMBER_BLOCK);
        assert_int_equal(g->width, (g->count + LIMBERI_GROUP_STEP - 1) / LIMBERI_GROUP_STEP * LIMBERI_GROUP_STEP);
        for (uint32_t v = 0; v < g->width; v++) {
            uint32_t u = groups->vertices[g->first + v];
            assert_true(u < mesh->vertex_count);
            for (int c = 0; c < 3; c++)
                assert_true(groups->positions[c][g->first + v] == mesh->positions[3 * (size_t)u + (size_t)c]);
            if (v >= g->count)
                assert_int_equal(u, groups->vertices[g->first + g->count - 1]);
            else
                assert_false(seen[u]++);
        }
        at += g->width;
        count += g->count;
    }
    assert_int_equal(at, groups->width);
    assert_int_equal(count, mesh->vertex_count);
    free(seen);
}

static void every_vertex_is_in_one_group_once_and_padding_repeats_the_last(void** state) {
    (void)state;
    check_all(check_vertices);
}

static void check_weights(const limber_model* model, const limber_mesh* mesh, const struct limberi_groups* groups) {
    uint32_t joints = model->skins[mesh->skin].joint_count;
    float *given = malloc(joints * sizeof *given), *got = malloc(joints * sizeof *got);
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* g = &groups->groups[i];
        for (uint32_t v = 0; v < g->width; v++) {
            uint32_t u = groups->vertices[g->first + v];
            memset(given, 0, joints * sizeof *given);
            memset(got, 0, joints * sizeof *got);
            for (uint32_t k = mesh->influence_first[u]; k < mesh->influence_first[u + 1]; k++)
                given[mesh->influence_joint[k]] += mesh->influence_weight[k];
            for (uint32_t k = 0; k < g->slot_count; k++) {
                assert_true(got[groups->slots[g->slot_first + k]] == 0); // a joint has one slot
                got[groups->slots[g->slot_first + k]] = limberi_group_weight(groups, g, NULL, k)[v];
            }
            for (uint32_t k = 0; k < joints;
                 k++) // one that carries a vertex alone has weight 1, however it was rounded
                assert_true(fabsf(given[k] - got[k]) <= (g->slot_count == 1 ? 1e-6f : 0));
        }
    }
    free(given);
    free(got);
}

static void weights_of_the_groups_are_those_of_the_mesh(void** state) {
    (void)state;
    check_all(check_weights);
}

// What the chains and sums of a group say about one vertex, for every joint of the rig.
static void upward_by_chains(const limber_model* model, const struct limberi_groups* groups, const limberi_group* g,
                             const float* sums, uint32_t v, float* dense) {
    memset(dense, 0, model->rig.joint_count * sizeof *dense);
    for (uint32_t c = 0; c < g->chain_count; c++) {
        limberi_chain chain = groups->chains[g->chain_first + c];
        float weight = limberi_group_weight(groups, g, sums, chain.weight)[v];
        int32_t j = (int32_t)chain.first;
        for (; j >= 0 && j != chain.stop; j = model->rig.parents[j]) {
            assert_true(dense[j] == 0); // no joint is in two chains
            dense[j] = weight;
        }
        assert_int_equal(j, chain.stop);
    }
}

static void check_chains(const limber_model* model, const limber_mesh* mesh, const struct limberi_groups* groups) {
    size_t joints = model->rig.joint_count;
    float *want = malloc(joints * sizeof *want), *got = malloc(joints * sizeof *got);
    float* sums = malloc((size_t)(groups->max_weights + 1) * LIMBER_BLOCK * sizeof *sums);
    double pairs = 0;
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* g = &groups->groups[i];
        assert_true(g->slot_count + g->sum_count <= groups->max_weights);
        limberi_group_sums(groups, g, sums);
        for (uint32_t v = 0; v < g->count; v++) {
            limber_mesh_upward_weights(model, mesh, groups->vertices[g->first + v], want);
            upward_by_chains(model, groups, g, sums, v, got);
            for (size_t j = 0; j < joints; j++) {
                if (!(fabsf(want[j] - got[j]) <= 1e-6f))
                    fail_msg("joint %zu: %g instead of %g", j, (double)got[j], (double)want[j]);
                pairs += want[j] > 0;
            }
        }
    }
    assert_true(groups->pairs == pairs && groups->padded_pairs >= pairs);
    free(want);
    free(got);
    free(sums);
}

static void chains_and_sums_are_the_upward_weights(void** state) {
    (void)state;
    check_all(check_chains);
}

// --- enormous rigs ---

static limber_asset* wide_rig(test_shape shape, uint32_t joints, uint32_t vertices) {
    test_rig_recipe recipe;
    memset(&recipe, 0, sizeof recipe);
    recipe.seed = 77;
    recipe.shape = shape;
    recipe.joint_count = joints;
    recipe.mesh_count = 1;
    recipe.vertex_count = vertices;
    recipe.influence_count = 4;
    return test_random_rig(&recipe);
}

static void ten_thousand_joints_take_little_memory(void** state) {
    (void)state;
    for (int shape = TEST_CHAIN; shape <= TEST_TREE; shape++) {
        limber_asset* asset = wide_rig((test_shape)shape, 10000, 20000);
        const limber_mesh* mesh = &limber_asset_model(asset)->meshes[0];
        const struct limberi_groups* groups = limberi_asset_groups(asset)[0];
        size_t influences = mesh->influence_first[mesh->vertex_count], slots = 0, sums = 0, chains = 0, weights = 0;
        for (uint32_t i = 0; i < groups->group_count; i++) {
            const limberi_group* g = &groups->groups[i];
            slots += g->slot_count;
            sums += g->sum_count;
            chains += g->chain_count;
            weights += (size_t)g->slot_count * g->width;
        }
        print_message("shape %d: %u groups, %zu influences, %zu weights with padding, %zu chains\n", shape,
                      groups->group_count, influences, weights, chains);
        assert_true(slots <= influences && sums <= slots && chains <= 2 * slots); // not a joint each
        assert_true(weights <= 16 * influences); // sets join where that saves work on the joints above them
        limber_asset_destroy(asset);
    }
}

// With a single joint nothing is stored.
static void a_vertex_on_one_joint_hangs_on_it_wholly(void** state) {
    (void)state;
    limberi_group group = {.slot_count = 1};
    const float* weights = limberi_group_weight(NULL, &group, NULL, 0);
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        assert_true(weights[i] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_is_in_one_group_once_and_padding_repeats_the_last),
        cmocka_unit_test(weights_of_the_groups_are_those_of_the_mesh),
        cmocka_unit_test(a_vertex_on_one_joint_hangs_on_it_wholly),
        cmocka_unit_test(chains_and_sums_are_the_upward_weights),
        cmocka_unit_test(ten_thousand_joints_take_little_memory),
    };
    return cmocka_run_group_tests_name("groups", tests, load_characters, free_characters);
}
