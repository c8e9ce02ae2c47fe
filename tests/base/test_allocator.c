// A program's own allocator: everything comes from it and goes back to it, and running short is an error like any other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "characters/characters.h"
#include "io/system.h"
#include "kit/sanitized.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

enum { HEADER = 64, MARK = 0x600df00d };

typedef struct ledger {
    uint32_t open, made; // blocks
    uint32_t fail_at;    // the number of the allocation that fails; 0: none
    bool failed;
} ledger;

// What does not come from here has no mark, and what free() gets from here is not its own.
static void* count_up(void* user, size_t byte_count) {
    ledger* l = user;
    assert_true(byte_count > 0);
    if (++l->made == l->fail_at) {
        l->failed = true;
        return NULL;
    }
    uint32_t* memory = malloc(byte_count + HEADER);
    assert_non_null(memory);
    memory[0] = MARK;
    memset((char*)memory + HEADER, 0xa5, byte_count); // nobody may count on zeros
    l->open++;
    return (char*)memory + HEADER;
}

static void count_down(void* user, void* given) {
    ledger* l = user;
    assert_non_null(given);
    uint32_t* memory = (uint32_t*)((char*)given - HEADER);
    assert_int_equal(memory[0], MARK);
    memory[0] = 0;
    l->open--;
    free(memory);
}

typedef struct job {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
    limber_live* live;
    limber_bake* bake;
    limber_asset* subdivided;
    limber_error error;
} job;

static const char style_text[] =
    "{\"effects\": {\"floppy\": {\"angular\": \"0.3 * height\", \"filter\": {\"type\": \"spring\"}},"
    " \"squash\": {\"linear\": 0.1}}, \"joints\": {\"Bend*\": {\"floppy\": 1.5}},"
    " \"smear\": {\"elongate\": {\"amount\": \"2 * offset\", \"subdivide\": 1, \"tear\": 0.001},"
    " \"multiples\": {\"past\": 1}, \"lines\": {\"count\": 4}},"
    " \"exaggerate\": {\"filter\": {\"amount\": 0.4}}}";

static limber_result open_all(job* j, const char* file) {
    limber_result result = limber_gltf_load_file(file, NULL, &j->gltf, &j->error);
    if (!result)
        result = limber_style_create(&j->style, &j->error);
    if (!result)
        result = limber_style_read_preset(j->style, "cartoon", &j->error);
    if (!result)
        result = limber_style_read(j->style, style_text, strlen(style_text), &j->error);
    if (!result && !limber_style_text(j->style))
        result = LIMBER_ERROR_MEMORY;
    if (!result)
        result = limber_pipeline_create(limber_gltf_asset(j->gltf), j->style, &j->pipeline, &j->error);
    return result ? result : limber_live_create(j->pipeline, NULL, &j->live, &j->error);
}

static limber_result evaluate_all(job* j) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(j->gltf));
    limber_frame frame;
    limber_smeared smeared;
    limber_result result = limber_pipeline_evaluate(j->pipeline, 0, 0.5, &frame);
    for (int i = 0; !result && i < 3; i++)
        result = limber_pipeline_evaluate_smeared(j->pipeline, 0, 0.5 + i / 30.0, 30, &smeared);
    for (int i = 0; !result && i < 3; i++) {
        result = limber_live_push(j->live, model->rig.rest_local, NULL, i / 60.0);
        if (!result)
            result = limber_live_evaluate_smeared(j->live, &smeared);
    }
    return result;
}

static limber_result save_all(job* j, const char* file) {
    limber_edited_clip edited;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.range_end_s = 0.3;
    settings.tolerance = 0.001;
    limber_result result = limber_pipeline_bake(j->pipeline, &settings, &j->bake, &j->error);
    edits.bake = j->bake;
    edits.clips = &edited;
    edits.clip_count = limber_pipeline_edited_clip(j->pipeline, 0, &edited);
    if (!result)
        result = limber_gltf_save_file(j->gltf, &edits, file, &j->error);
    return result ? result : limber_pipeline_subdivide(j->pipeline, &settings, &j->subdivided, &j->error);
}

static limber_result run(const char* in, const char* out) {
    job j;
    memset(&j, 0, sizeof j);
    limber_result result = open_all(&j, in);
    if (!result)
        result = evaluate_all(&j);
    if (!result)
        result = save_all(&j, out);
    limber_asset_destroy(j.subdivided);
    limber_bake_destroy(j.bake);
    limber_live_destroy(j.live);
    limber_pipeline_destroy(j.pipeline);
    limber_style_destroy(j.style);
    limber_gltf_destroy(j.gltf);
    remove(out);
    return result;
}

static char in[512], out[528];

static int write_character(void** state) {
    limber_asset* asset;
    limber_gltf* gltf;
    limber_error error;
    const char* folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    (void)state;
    snprintf(in, sizeof in, "%s/limber_allocator_%u.glb", folder, limberi_system_process());
    snprintf(out, sizeof out, "%s.out.glb", in);
    if (limberi_character_create("cylinder", 1, &asset, &error) != LIMBER_OK ||
        limber_gltf_from_asset(asset, &gltf, &error) != LIMBER_OK)
        return 1;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_result result = limber_gltf_save_file(gltf, &edits, in, &error);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return result != LIMBER_OK;
}

static int remove_character(void** state) {
    (void)state;
    return remove(in);
}

static ledger books;
static const limber_allocator own = {count_up, count_down, &books};

static void all_memory_comes_from_the_allocator_and_goes_back(void** state) {
    (void)state;
    memset(&books, 0, sizeof books);
    limber_set_allocator(&own);
    limber_result result = run(in, out);
    limber_set_allocator(NULL);
    assert_int_equal(result, LIMBER_OK);
    print_message("%u allocations\n", books.made);
    assert_true(books.made > 100);
    assert_int_equal(books.open, 0);
}

static void many_of_nothing_can_be_asked_for_and_more_than_there_is_cannot(void** state) {
    (void)state;
    memset(&books, 0, sizeof books);
    limber_set_allocator(&own);
    void* nothing = limberi_allocate_zeroed(3, 0);
    void* too_much = limberi_allocate_zeroed(SIZE_MAX / 2, 3);
    limberi_release(nothing);
    limber_set_allocator(NULL);
    assert_null(too_much);
    assert_int_equal(books.open, 0);
}

static void a_failing_allocation_is_an_error_and_leaks_nothing(void** state) {
    (void)state;
    memset(&books, 0, sizeof books);
    limber_set_allocator(&own);
    assert_int_equal(run(in, out), LIMBER_OK);
    uint32_t all = books.made, tried = 0;
    for (uint32_t n = 1; n <= all; n += 1 + n / (TEST_SANITIZED ? 10 : 25)) {
        memset(&books, 0, sizeof books);
        books.fail_at = n;
        limber_result result = run(in, out);
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %u of %u fails: result %d", n, all, (int)result);
        assert_true(books.failed);
        assert_int_equal(books.open, 0);
        tried++;
    }
    limber_set_allocator(NULL);
    print_message("%u of %u allocations failed in turn\n", tried, all);
    assert_int_equal(run(in, out), LIMBER_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_memory_comes_from_the_allocator_and_goes_back),
        cmocka_unit_test(many_of_nothing_can_be_asked_for_and_more_than_there_is_cannot),
        cmocka_unit_test(a_failing_allocation_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, write_character, remove_character);
}
