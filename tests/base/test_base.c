// Maths, formatting and suggestions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "text/text.h"

static float noise(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static limber_transform random_transform(uint32_t* seed) {
    limber_quat q = {noise(seed), noise(seed), noise(seed), noise(seed) + 1.5f};
    limber_transform t = {{noise(seed), noise(seed), noise(seed)},
                          limberi_quat_normalize(q),
                          {1.5f + noise(seed), 1.5f + noise(seed), 1.5f + noise(seed)}};
    return t;
}

static void inverse_times_matrix_is_identity(void** state) {
    (void)state;
    uint32_t seed = 1;
    for (int i = 0; i < 200; i++) {
        limber_transform t = random_transform(&seed);
        limber_mat4 a = limberi_mat4_from_transform(&t), b, identity = limber_mat4_identity();
        assert_true(limberi_mat4_inverse(&a, &b));
        limber_mat4 c = limberi_mat4_mul(&b, &a);
        for (int e = 0; e < 16; e++)
            assert_true(fabsf(c.m[e] - identity.m[e]) < 2e-5f);
    }
}

static void flat_matrix_has_no_inverse(void** state) {
    (void)state;
    limber_transform t = limber_transform_identity();
    t.scale.y = 0;
    limber_mat4 a = limberi_mat4_from_transform(&t), b;
    assert_false(limberi_mat4_inverse(&a, &b));
    memset(&a, 0, sizeof a);
    assert_false(limberi_mat4_inverse(&a, &b));
    assert_true(b.m[0] == 1 && b.m[5] == 1);
}

static void decompose_gives_back_the_parts(void** state) {
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 200; i++) {
        limber_transform t = random_transform(&seed), back;
        if (i % 2)
            t.scale.x = -t.scale.x;
        limber_mat4 a = limberi_mat4_from_transform(&t);
        assert_true(limberi_mat4_decompose(&a, &back) < 1e-5f);
        limber_mat4 b = limberi_mat4_from_transform(&back);
        for (int e = 0; e < 16; e++)
            assert_true(fabsf(a.m[e] - b.m[e]) < 1e-5f);
    }
}

static void decompose_reports_shear(void** state) {
    (void)state;
    limber_mat4 a = limber_mat4_identity();
    a.m[4] = 0.7f;
    limber_transform t;
    assert_true(limberi_mat4_decompose(&a, &t) > 0.05f);
}

static void polar_rotation_is_orthonormal_and_proper(void** state) {
    (void)state;
    uint32_t seed = 3;
    for (int i = 0; i < 200; i++) {
        limber_transform t = random_transform(&seed);
        if (i % 2)
            t.scale.z = -t.scale.z;
        limber_mat4 a = limberi_mat4_from_transform(&t);
        float r[9];
        float sign = limberi_mat4_rotation(&a, r);
        assert_true(sign == (i % 2 ? -1.0f : 1.0f));
        limber_vec3 x = limberi_load3(r), y = limberi_load3(r + 3), z = limberi_load3(r + 6);
        assert_true(fabsf(limberi_dot(x, y)) < 1e-5f && fabsf(limberi_dot(y, z)) < 1e-5f);
        assert_true(fabsf(limberi_dot(x, limberi_cross(y, z)) - 1) < 1e-5f);
    }
}

// Joints that a clip scales to nothing along some axes.
static void flat_matrices_have_a_rotation_of_numbers(void** state) {
    (void)state;
    uint32_t seed = 7;
    for (int flat = 1; flat < 8; flat++) {
        limber_transform t = random_transform(&seed);
        t.rotation = (limber_quat){0, 0, 0, 1};
        t.scale = limberi_vec3(flat & 1 ? 0 : t.scale.x, flat & 2 ? 0 : t.scale.y, flat & 4 ? 0 : t.scale.z);
        limber_mat4 a = limberi_mat4_from_transform(&t);
        float r[9];
        (void)limberi_mat4_rotation(&a, r);
        for (int i = 0; i < 9; i++)
            assert_true(isfinite(r[i]));
    }
}

static void exponential_and_rotation_agree(void** state) {
    (void)state;
    limber_quat q = limberi_quat_exp(limberi_vec3(0, 0, (float)(LIMBERI_PI / 2)));
    limber_vec3 v = limberi_quat_rotate(q, limberi_vec3(1, 0, 0));
    assert_true(fabsf(v.x) < 1e-6f && fabsf(v.y - 1) < 1e-6f);
}

// Turns about many axes, up to whole ones, that scale as well: the matrix says what the parts say.
static void matrices_move_points_as_their_parts_do(void** state) {
    (void)state;
    uint32_t seed = 5;
    for (int i = 0; i < 400; i++) {
        limber_vec3 axis = i < 60 ? limberi_vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2)
                                  : limberi_normalize(limberi_vec3(noise(&seed), noise(&seed), noise(&seed)));
        limber_transform t = random_transform(&seed);
        t.rotation = limberi_quat_exp(limberi_scale(axis, (float)(i % 41) * (float)LIMBERI_PI / 20));
        limber_vec3 p = limberi_vec3(noise(&seed), noise(&seed), noise(&seed));
        limber_vec3 scaled = limberi_vec3(p.x * t.scale.x, p.y * t.scale.y, p.z * t.scale.z);
        limber_vec3 wanted = limberi_add(t.translation, limberi_quat_rotate(t.rotation, scaled));
        limber_mat4 a = limberi_mat4_from_transform(&t);
        assert_true(limberi_length(limberi_sub(limberi_mat4_point(&a, p), wanted)) < 1e-5f);
        float r[9];
        limberi_mat4_rotation(&a, r);
        limber_vec3 turned = limberi_quat_rotate(limberi_quat_from_rotation(r), scaled);
        assert_true(limberi_length(limberi_sub(limberi_add(t.translation, turned), wanted)) < 1e-4f);
    }
}

// Some files have anything in the last row of their matrices.
static void products_of_matrices_move_and_turn_and_nothing_else(void** state) {
    (void)state;
    limber_mat4 a = limber_mat4_identity(), b = a;
    for (int i = 0; i < 4; i++)
        a.m[4 * i + 3] = b.m[4 * i + 3] = 5;
    limber_mat4 c = limberi_mat4_mul(&a, &b);
    assert_true(c.m[3] == 0 && c.m[7] == 0 && c.m[11] == 0 && c.m[15] == 1);
}

// A billionth of its width: thinner, and positions carry no information across the thin side.
static void thin_matrices_have_an_inverse_and_flat_ones_do_not(void** state) {
    (void)state;
    static const struct {
        float width, thickness;
        bool inverse;
    } cases[] = {{1, 3.2e-10f, true}, {1, 2.7e-10f, false}, {1000, 3.2e-7f, true}, {1000, 2.7e-7f, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limber_transform t = limber_transform_identity();
        t.scale = limberi_vec3(cases[i].width, cases[i].thickness, -cases[i].width);
        limber_mat4 a = limberi_mat4_from_transform(&t), b;
        assert_true(limberi_mat4_inverse(&a, &b) == cases[i].inverse);
    }
}

static void format_covers_its_conversions(void** state) {
    (void)state;
    char out[96];
    limberi_format(out, sizeof out, "%s|%d|%u|%zu|%llu|%c|%%", "ab", -5, 7u, (size_t)8, 9ull, 'x');
    assert_string_equal(out, "ab|-5|7|8|9|x|%");
    limberi_format(out, sizeof out, "%g %g %g %g %g", 0.5, 1234567.0, 0.0, -2.25, 1e-7);
    assert_string_equal(out, "0.5 1234567 0 -2.25 1e-7");
    limberi_format(out, 4, "%s", "truncated");
    assert_string_equal(out, "tru");
}

// Six digits are enough for a person, and as many are shown of small numbers as of large ones.
static void format_shows_six_digits_of_a_number(void** state) {
    (void)state;
    const struct {
        double value;
        const char* text;
    } numbers[] = {{0.123456789, "0.123457"},
                   {0.0123456789, "0.0123457"},
                   {0.00123456789, "0.00123457"},
                   {0.000123456, "0.000123456"},
                   {1.23456789, "1.23457"},
                   {12.3456789, "12.3457"},
                   {123.456789, "123.457"},
                   {12345.6789, "12345.7"},
                   {123456.789, "123457"},
                   {999999999, "999999999"},
                   {1e9, "1e9"},
                   {1.5e300, "1.5e300"},
                   {0.00009, "9e-5"},
                   {1.25e-300, "1.25e-300"},
                   {-0.3, "-0.3"},
                   {INFINITY, "inf"},
                   {-INFINITY, "-inf"},
                   {NAN, "nan"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char out[64];
        limberi_format(out, sizeof out, "%g", numbers[i].value);
        assert_string_equal(out, numbers[i].text);
    }
}

static void arena_gives_aligned_zeroed_memory_and_refuses_overflow(void** state) {
    (void)state;
    limberi_arena arena = {NULL, false};
    for (size_t i = 1; i < 3000; i += 37) {
        unsigned char* p = limberi_arena_allocate(&arena, i, 3);
        assert_non_null(p);
        assert_true((uintptr_t)p % 64 == 0);
        for (size_t k = 0; k < 3 * i; k++)
            assert_true(p[k] == 0);
        memset(p, 0xff, 3 * i);
    }
    assert_non_null(limberi_arena_allocate(&arena, 0, 8));
    assert_null(limberi_arena_allocate(&arena, SIZE_MAX / 2, 8));
    assert_true(arena.failed);
    limberi_arena_free(&arena);
}

static void empty_pieces_of_an_arena_have_a_place_of_their_own(void** state) {
    (void)state;
    limberi_arena arena = {NULL, false};
    char* pieces[4] = {limberi_arena_allocate(&arena, 0, 8), limberi_arena_allocate(&arena, 8, 0),
                       limberi_arena_allocate(&arena, 1, 8), limberi_arena_allocate(&arena, 1, 8)};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_true(pieces[i] && pieces[i] != pieces[k]);
    limberi_arena_free(&arena);
}

// --- an allocator of the program's own ---

typedef struct counted_memory {
    int allocated, released;
} counted_memory;

static void* allocate_dirty(void* user, size_t byte_count) {
    ((counted_memory*)user)->allocated++;
    assert_true(byte_count > 0);
    void* memory = malloc(byte_count);
    return memory ? memset(memory, 0xa5, byte_count) : NULL;
}

static void release_counted(void* user, void* memory) {
    ((counted_memory*)user)->released++;
    assert_non_null(memory);
    free(memory);
}

static void an_allocator_is_asked_for_whole_sizes_only(void** state) {
    (void)state;
    counted_memory counted = {0, 0};
    const limber_allocator own = {allocate_dirty, release_counted, &counted};
    limber_set_allocator(&own);
    char *zeroed = limberi_allocate_zeroed(5, 3), *none = limberi_allocate_zeroed(7, 0), *tiny = limberi_allocate(0);
    assert_true(zeroed && none && tiny && counted.allocated == 3);
    for (int i = 0; i < 15; i++)
        assert_true(zeroed[i] == 0);
    assert_null(limberi_allocate_zeroed(SIZE_MAX / 4, 5)); // more than there are bytes: nobody is asked
    assert_int_equal(counted.allocated, 3);
    memcpy(zeroed, "fourteen bytes", 15);
    char* longer = limberi_reallocate(zeroed, 15, 40);
    assert_string_equal(longer, "fourteen bytes");
    char* shorter = limberi_reallocate(longer, 40, 4);
    assert_memory_equal(shorter, "four", 4);
    limberi_release(NULL);
    limberi_release(shorter);
    limberi_release(none);
    limber_release(tiny);
    limber_set_allocator(NULL);
    assert_true(counted.allocated == 5 && counted.released == 5);
}

static void a_text_grows_whatever_its_length(void** state) {
    (void)state;
    char words[1100];
    for (size_t length = 1; length < sizeof words; length += length < 240 || length > 530 ? 97 : 1) {
        limberi_buffer text = {NULL, 0, 0, false};
        memset(words, 'w', length);
        words[length] = 0;
        limberi_buffer_format(&text, "%s!", words);
        limberi_buffer_add(&text, words);
        limberi_buffer_fill(&text, ' ', length);
        limberi_buffer_format(&text, "%u", 7u);
        assert_true(!text.failed && text.length == 3 * length + 2 && strlen(text.data) == text.length);
        assert_true(text.data[length] == '!' && text.data[2 * length] == 'w' && text.data[3 * length + 1] == '7');
        limberi_buffer_free(&text);
    }
}

static void a_text_that_cannot_grow_stays_as_it_is(void** state) {
    (void)state;
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "kept");
    limberi_buffer_fill(&text, ' ', SIZE_MAX / 2);
    limberi_buffer_add(&text, "lost");
    assert_true(text.failed);
    assert_string_equal(text.data, "kept");
    limberi_buffer_free(&text);
}

static const char* name_at(const void* user, size_t i) {
    return ((const char* const*)user)[i];
}

static void suggestion_finds_typing_errors_and_nothing_far(void** state) {
    (void)state;
    static const char* const names[] = {"floppy", "squash", "followthrough", "Head"};
    assert_string_equal(limberi_suggest("flopyp", name_at, names, 4), "floppy");
    assert_string_equal(limberi_suggest("folowthrough", name_at, names, 4), "followthrough");
    assert_string_equal(limberi_suggest("head", name_at, names, 4), "Head");
    assert_null(limberi_suggest("zzzzzz", name_at, names, 4));
    assert_int_equal(limberi_edit_distance("abcd", "abdc"), 1);
    assert_int_equal(limberi_edit_distance("", "abc"), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_times_matrix_is_identity),
        cmocka_unit_test(flat_matrix_has_no_inverse),
        cmocka_unit_test(decompose_gives_back_the_parts),
        cmocka_unit_test(decompose_reports_shear),
        cmocka_unit_test(polar_rotation_is_orthonormal_and_proper),
        cmocka_unit_test(flat_matrices_have_a_rotation_of_numbers),
        cmocka_unit_test(exponential_and_rotation_agree),
        cmocka_unit_test(matrices_move_points_as_their_parts_do),
        cmocka_unit_test(products_of_matrices_move_and_turn_and_nothing_else),
        cmocka_unit_test(thin_matrices_have_an_inverse_and_flat_ones_do_not),
        cmocka_unit_test(format_covers_its_conversions),
        cmocka_unit_test(format_shows_six_digits_of_a_number),
        cmocka_unit_test(arena_gives_aligned_zeroed_memory_and_refuses_overflow),
        cmocka_unit_test(empty_pieces_of_an_arena_have_a_place_of_their_own),
        cmocka_unit_test(an_allocator_is_asked_for_whole_sizes_only),
        cmocka_unit_test(a_text_grows_whatever_its_length),
        cmocka_unit_test(a_text_that_cannot_grow_stays_as_it_is),
        cmocka_unit_test(suggestion_finds_typing_errors_and_nothing_far),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
