// Memory may run out at any allocation of an edit or a solver: it then says so, and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/models.h"
#include <limber/stages/exaggerate.h>

static void hold_some(const void* user, double time_s, float* holds) {
    (void)user;
    for (int j = 0; j < 6; j++)
        holds[j] = j == 4 && time_s > 0.2 ? 1 : 0;
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(6, 2, 30, true);
    const limber_model* model = limber_asset_model(asset);
    limber_target_key keys[2] = {{0.3, {0.1f, 0, 0}}, {0.5, {0, 0.1f, 0}}};
    limber_constraint tip = limber_constraint_default();
    tip.joint = 5;
    tip.keys = keys;
    tip.key_count = 2;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = 0.5;
    settings.delay_s = 0.02;
    settings.automatic = true;
    settings.smooth = 1;
    settings.constraints = &tip;
    settings.constraint_count = 1;
    settings.hold = hold_some;
    long failures = 0;
    for (;; failures++) {
        limber_exaggerated* edited;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_exaggerate(model, &model->clips[0], 0, &settings, &edited, &error);
        bool done = !test_memory_end();
        limber_exaggerated_destroy(edited);
        if (done) {
            assert_int_equal(result, LIMBER_OK);
            break;
        }
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %ld failed and the answer is %d", failures, result);
    }
    print_message("%ld allocations\n", failures);
    assert_true(failures > 40);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failing_allocation_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
