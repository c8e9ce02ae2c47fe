// A document saved to memory has the bytes of the file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "kit/gltf_save.h"
#include <limber/limber.h>

typedef struct cow {
    limber_asset* asset;
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
} cow;

static cow make_cow(void) {
    cow c;
    assert_int_equal(limberi_character_create("cow", 1, &c.asset, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_from_asset(c.asset, &c.gltf, NULL), LIMBER_OK);
    assert_int_equal(limber_style_create(&c.style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(c.style, "cartoon", NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(c.asset, c.style, &c.pipeline, NULL), LIMBER_OK);
    return c;
}

static void end_cow(cow* c) {
    limber_pipeline_destroy(c->pipeline);
    limber_style_destroy(c->style);
    limber_gltf_destroy(c->gltf);
    limber_asset_destroy(c->asset);
}

static limber_bake* bake_cow(const cow* c, limber_bake_kind kind, const limber_bake_store* store) {
    limber_bake_settings settings = limber_bake_settings_default();
    limber_bake* bake;
    settings.kind = kind;
    settings.fps = 10;
    settings.store = store;
    assert_int_equal(limber_pipeline_bake(c->pipeline, &settings, &bake, NULL), LIMBER_OK);
    return bake;
}

static void expect_bytes_of_file(const limber_gltf* gltf, const limber_gltf_edits* edits) {
    limber_error error;
    void* bytes;
    size_t count;
    assert_int_equal(limber_gltf_save_file(gltf, edits, in_folder("file.glb"), &error), LIMBER_OK);
    assert_int_equal(limber_gltf_save_memory(gltf, edits, &bytes, &count, &error), LIMBER_OK);
    char* file = malloc(count + 1);
    FILE* stream = fopen(in_folder("file.glb"), "rb");
    assert_non_null(stream);
    assert_int_equal(fread(file, 1, count + 1, stream), count);
    assert_memory_equal(file, bytes, count);
    fclose(stream);
    free(file);
    limber_release(bytes);
    assert_int_equal(count_files(true), 1);
}

static void memory_has_the_bytes_of_the_file(void** state) {
    (void)state;
    cow c = make_cow();
    expect_bytes_of_file(c.gltf, NULL);
    for (limber_bake_kind kind = LIMBER_BAKE_CORRECTIVE; kind <= LIMBER_BAKE_VERTEX; kind++) {
        limber_gltf_edits edits = limber_gltf_edits_default();
        limber_bake* bake = bake_cow(&c, kind, NULL);
        edits.bake = bake;
        edits.style = limber_style_text(c.style);
        edits.repairs = LIMBER_REPAIR_ALL;
        expect_bytes_of_file(c.gltf, &edits);
        limber_bake_destroy(bake);
    }
    end_cow(&c);
}

// Targets on the disk, also in a .glb that is never finished.
static void targets_in_a_store_are_read_back(void** state) {
    (void)state;
    cow c = make_cow();
    limber_bake_store* store;
    for (int inside = 0; inside < 2; inside++) {
        if (inside)
            assert_int_equal(limber_gltf_store_open_inside(c.gltf, 100, in_folder("never.glb"), &store, NULL),
                             LIMBER_OK);
        else
            assert_int_equal(limber_gltf_store_open(in_folder("never.glb"), &store, NULL), LIMBER_OK);
        limber_bake *stored = bake_cow(&c, LIMBER_BAKE_CORRECTIVE, store),
                    *held = bake_cow(&c, LIMBER_BAKE_CORRECTIVE, NULL);
        limber_gltf_edits edits = limber_gltf_edits_default();
        void *a, *b;
        size_t a_count, b_count;
        edits.bake = stored;
        assert_int_equal(limber_gltf_save_memory(c.gltf, &edits, &a, &a_count, NULL), LIMBER_OK);
        edits.bake = held;
        assert_int_equal(limber_gltf_save_memory(c.gltf, &edits, &b, &b_count, NULL), LIMBER_OK);
        assert_int_equal(a_count, b_count);
        assert_memory_equal(a, b, a_count);
        limber_release(a);
        limber_release(b);
        limber_bake_destroy(stored);
        limber_bake_destroy(held);
        limber_gltf_store_close(store);
    }
    assert_int_equal(count_files(true), 0);
    end_cow(&c);
}

// Zeros at the end of a view are left out.
static size_t pack_tail(const limber_gltf_unpacked* view) {
    size_t size = view->count * view->stride;
    while (view->out && size > 1 && !view->bytes[size - 1])
        size--;
    if (view->out)
        memcpy(view->out, view->bytes, size);
    return size;
}

static bool unpack_tail(const limber_gltf_packed* packed) {
    size_t size = packed->count * packed->stride;
    if (packed->byte_count > size)
        return false;
    memcpy(packed->out, packed->bytes, packed->byte_count);
    memset(packed->out + packed->byte_count, 0, size - packed->byte_count);
    return true;
}

static void packed_views_are_the_same_in_memory(void** state) {
    (void)state;
    cow c = make_cow();
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_bake* bake = bake_cow(&c, LIMBER_BAKE_CORRECTIVE, NULL);
    edits.bake = bake;
    edits.pack = pack_tail;
    edits.unpack = unpack_tail;
    expect_bytes_of_file(c.gltf, &edits);
    limber_bake_destroy(bake);
    end_cow(&c);
}

static void memory_comes_back_without_a_file(void** state) {
    (void)state;
    cow c = make_cow();
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.style = "{\"limber\": 1}";
    void* bytes;
    size_t count;
    limber_gltf* back;
    assert_int_equal(limber_gltf_save_memory(c.gltf, &edits, &bytes, &count, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_load_memory(bytes, count, NULL, NULL, &back, NULL), LIMBER_OK);
    limber_release(bytes);
    assert_non_null(limber_gltf_style(back));
    const limber_model *a = limber_asset_model(c.asset), *b = limber_asset_model(limber_gltf_asset(back));
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->meshes[0].positions, b->meshes[0].positions, 3 * a->meshes[0].vertex_count * sizeof(float));
    assert_int_equal(a->clip_count, b->clip_count);
    limber_gltf_destroy(back);
    end_cow(&c);
}

static void edits_that_are_wrong_give_no_memory(void** state) {
    (void)state;
    cow c = make_cow();
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    void* bytes = &edits;
    size_t count = 1;
    edits.style = "[]";
    assert_int_equal(limber_gltf_save_memory(c.gltf, &edits, &bytes, &count, &error), LIMBER_ERROR_ARGUMENT);
    assert_true(!bytes && !count && strstr(error.message, "style"));
    edits.struct_size = 0;
    bytes = &edits;
    assert_int_equal(limber_gltf_save_memory(c.gltf, &edits, &bytes, &count, &error), LIMBER_ERROR_ARGUMENT);
    assert_true(!bytes && !count && strstr(error.message, "limber_gltf_edits_default"));
    limber_release(NULL);
    end_cow(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_has_the_bytes_of_the_file),    cmocka_unit_test(targets_in_a_store_are_read_back),
        cmocka_unit_test(packed_views_are_the_same_in_memory), cmocka_unit_test(memory_comes_back_without_a_file),
        cmocka_unit_test(edits_that_are_wrong_give_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
