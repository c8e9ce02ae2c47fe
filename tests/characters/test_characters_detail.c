// Characters of other sizes than the standard one, up to a million vertices and beyond what is allowed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "kit/models.h"

static uint32_t vertices_at(const char* name, double detail) {
    limber_asset* asset = test_built_in(name, detail);
    uint32_t count = limber_asset_model(asset)->vertex_count;
    limber_asset_destroy(asset);
    return count;
}

static void vertices_grow_with_the_square_of_detail(void** state) {
    (void)state;
    for (uint32_t i = 0; i < limberi_character_common_count(); i++) {
        const char* name = limberi_character_at(i)->name;
        double one = vertices_at(name, 1), two = vertices_at(name, 2), three = vertices_at(name, 3);
        print_message("%-9s detail 2: x%.2f, detail 3: x%.2f\n", name, two / one, three / one);
        assert_true(two / one > 3.5 && two / one < 4.5);
        assert_true(three / one > 7.5 && three / one < 10.5);
        assert_true(vertices_at(name, 0.5) < 0.5 * one);
    }
}

static void a_million_vertices_are_built(void** state) {
    (void)state;
    static const struct {
        const char* name;
        double detail;
    } large[] = {{"cow", 17.6}, {"giraffe", 22.2}};
    for (int i = 0; i < 2; i++) {
        limber_asset* asset = test_built_in(large[i].name, large[i].detail);
        const limber_model* model = limber_asset_model(asset);
        assert_in_range(model->vertex_count, 930000, LIMBERI_CHARACTER_VERTEX_LIMIT);
        limber_asset_destroy(asset);
    }
}

static void a_little_beyond_the_limit_is_refused(void** state) {
    (void)state;
    for (uint32_t i = 0; i < limberi_character_common_count(); i++) {
        limber_asset* asset;
        limber_error error;
        assert_int_equal(limberi_character_create(limberi_character_at(i)->name, 60, &asset, &error),
                         LIMBER_ERROR_LIMIT);
        assert_null(asset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_grow_with_the_square_of_detail),
        cmocka_unit_test(a_million_vertices_are_built),
        cmocka_unit_test(a_little_beyond_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
