// What is made from the table: the schema, the help, the documentation, and the files of them that ship.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/schema_check.h"
#include "kit/style_kit.h"
#include "style/table.h"

static limberi_json_document parse(const char* text) {
    limberi_json_document json;
    limber_error error;
    if (limberi_json_read(text, strlen(text), NULL, &json, &error) != LIMBER_OK)
        fail_msg("%s: %s\n%s", error.place, error.message, text);
    return json;
}

static const char* against_schema(const char* text) {
    limberi_json_document schema = parse(limber_style_schema()), json = parse(text);
    const char* found = schema_check(schema.root, json.root);
    limberi_json_free(&schema);
    limberi_json_free(&json);
    return found;
}

// --- the schema ---

// The example of the documentation of the format, without the sections that are still to come.
static const char full_example[] =
    "{\n"
    "  \"limber\": 1,\n"
    "  \"size\": \"auto\",                  // or a number (1 = the papers' raw units)\n"
    "  \"skinning\": \"linear\",            // or \"dualquat\"\n"
    "  \"derivative_step\": \"auto\",       // seconds\n"
    "  \"effects\": {\n"
    "    \"floppy\":        {\"linear\": 0.05, \"angular\": 0.4, \"max_bend\": 60, \"twist\": 1, \"bend\": 1, "
    "\"layer\": "
    "\"floppy\", \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.8}},\n"
    "    \"squash\":        {\"linear\": 0.1, \"angular\": 0.1, \"about\": \"axis\", \"layer\": \"squash\"},\n"
    "    \"drag\":          {\"linear\": 0, \"angular\": 0, \"turn\": 0.06},\n"
    "    \"followthrough\": {\"linear\": 0, \"angular\": 0, \"turn\": 0.06, \"filter\": {\"type\": \"spring\", "
    "\"frequency\": 3, \"damping\": 0.3}},\n"
    "    \"stretch\":       {\"angular\": 0, \"profile\": \"linear\"},\n"
    "    \"lift\":          {\"angular\": 0, \"source\": [\"stretch\"], \"normals\": \"cone\", \"cone\": {\"joint\": "
    "\"Skirt\", \"fit\": \"auto\"}}\n"
    "  },\n"
    "  \"joints\": {\"Leg*\": {\"*\": 0}, \"Head\": {\"floppy\": 1.5, \"squash.angular\": 0, \"centroid_offset\": [0, "
    "0.1, 0]}},\n"
    "}\n";

static void schema_accepts_what_the_reader_accepts(void** state) {
    (void)state;
    assert_string_equal(against_schema(full_example), "");
    assert_string_equal(against_schema("{}"), "");
    for (uint32_t i = 0; i < limber_preset_count(); i++)
        assert_string_equal(against_schema(limber_preset_at(i)->text), "");
    for (uint32_t i = 0; i < limberi_section_count(); i++) {
        assert_string_equal(against_schema(limberi_section_at(i)->example), "");
        limber_style_destroy(style_kit_read(limberi_section_at(i)->example));
    }
    limber_style* style = style_kit_read(full_example);
    limber_asset* asset = style_kit_asset();
    limber_bound_style_destroy(style_kit_bind(style, asset));
    limber_asset_destroy(asset);
    limber_style_destroy(style);
}

static void schema_rejects_what_the_reader_rejects(void** state) {
    (void)state;
    const char* texts[] = {
        "[]",
        "{\"limber\": 2}",
        "{\"size\": 0}",
        "{\"size\": \"big\"}",
        "{\"loop\": \"true\"}",
        "{\"loop\": 1}",
        "{\"skinning\": \"dual\"}",
        "{\"smear\": 1}",
        "{\"smear\": {\"step\": 0}}",
        "{\"smear\": {\"offsets\": {\"prune\": [\"\"]}}}",
        "{\"smear\": {\"elongate\": {\"amount\": [1]}}}",
        "{\"derivative_step\": 2}",
        "{\"effects\": {\"flopy\": {}}}",
        "{\"effects\": {\"floppy\": 1}}",
        "{\"effects\": {\"floppy\": {\"angular\": true}}}",
        "{\"effects\": {\"floppy\": {\"angular\": \"\"}}}",
        "{\"effects\": {\"floppy\": {\"angular\": 1e7}}}",
        "{\"effects\": {\"floppy\": {\"turn\": 1}}}",
        "{\"effects\": {\"squash\": {\"max_bend\": 1}}}",
        "{\"effects\": {\"stretch\": {\"linear\": 1}}}",
        "{\"effects\": {\"stretch\": {\"filter\": {\"velocity\": {}}}}}",
        "{\"effects\": {\"floppy\": {\"filter\": {\"acceleration\": {}}}}}",
        "{\"effects\": {\"drag\": {\"filter\": {\"gamma\": 0}}}}",
        "{\"effects\": {\"overlap\": {\"ahead\": \"t\"}}}",
        "{\"effects\": {\"drag\": {\"filter\": {\"velocity\": {\"type\": \"x\"}}}}}",
        "{\"effects\": {\"lift\": {\"source\": []}}}",
        "{\"effects\": {\"lift\": {\"source\": [\"lift\"]}}}",
        "{\"effects\": {\"lift\": {\"source\": [\"drag\", \"drag\"]}}}",
        "{\"effects\": {\"lift\": {\"cone\": {\"axis\": [0, 1]}}}}",
        "{\"effects\": {\"lift\": {\"cone\": {\"half_angle\": 90}}}}",
        "{\"joints\": {\"Head\": {\"flopy\": 1}}}",
        "{\"joints\": {\"Head\": {\"floppy\": \"\"}}}",
        "{\"joints\": {\"Head\": 1}}",
        "{\"joints\": {\"Head\": {\"about\": \"x\"}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        limber_style* style = style_kit_read("{}");
        limber_error error;
        if (limber_style_read(style, texts[i], strlen(texts[i]), &error) == LIMBER_OK || !against_schema(texts[i])[0])
            fail_msg("accepted: %s", texts[i]);
        limber_style_destroy(style);
    }
}

static uint32_t count_keys(const limberi_json* value, const char* key) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < limberi_json_count(value); i++) {
        const char* own = limberi_json_key_at(value, i);
        count += (own && strcmp(own, key) == 0) + count_keys(limberi_json_at(value, i), key);
    }
    return count;
}

// Every concrete key has a rule that takes its default and says its help.
static void schema_knows_every_key(void** state) {
    (void)state;
    limberi_json_document schema = parse(limber_style_schema());
    uint32_t described = count_keys(schema.root, "default"), expected = 0;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        bool of_all = strncmp(row->key.path, "effects.*.", 10) == 0;
        for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
            expected += row->key.default_text && (of_all ? limberi_row_effects(row) >> e & 1 : e == 0);
    }
    assert_int_equal(described, expected);
    assert_true(described > 150);
    limberi_json_free(&schema);
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        char quoted[64];
        const char* last = strrchr(limber_key_at(i)->path, '.');
        snprintf(quoted, sizeof quoted, "\"%s\"", last ? last + 1 : limber_key_at(i)->path);
        if (strncmp(limber_key_at(i)->path, "joints.", 7) == 0)
            snprintf(quoted, sizeof quoted, "\"%s\"", limber_key_at(i)->path + strlen("joints.*."));
        assert_non_null(strstr(limber_style_schema(), quoted));
    }
}

// --- help and documentation ---

static void check_mentions(const char* text, const char* heading_format) {
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        const limberi_section* section = limberi_section_at(limberi_section_of(row));
        char heading[96], name[64];
        snprintf(heading, sizeof heading, heading_format, section->path[0] ? section->path : section->title);
        const char* start = strstr(text, heading);
        if (!start)
            fail_msg("no heading '%s'", heading);
        size_t length = strlen(section->path);
        snprintf(name, sizeof name, "%s", row->key.path + length + (length > 0));
        // Filters of one quantity are one line: the quantity's name, then the same keys as above.
        if (limberi_row_is_filter(row))
            name[strcspn(name, ".")] = 0;
        const char* end = strstr(start + strlen(heading), "\n\n");
        const char* found = strstr(start + strlen(heading), name);
        if (!found || (end && strcmp(heading_format, "\n%s\n") == 0 && found > end))
            fail_msg("%s is not mentioned under %s", row->key.path, heading);
        assert_non_null(strstr(text, section->path));
    }
}

static void help_mentions_every_key(void** state) {
    (void)state;
    const char* help = limber_style_help();
    check_mentions(help, "\n%s\n");
    for (const char* line = help; line;) {
        const char* end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (length > 100 || (length && line[length - 1] == ' '))
            fail_msg("%.*s", (int)length, line);
        line = end ? end + 1 : NULL;
    }
    for (uint32_t i = 0; i < limber_preset_count(); i++) {
        char name[64];
        snprintf(name, sizeof name, "\n  %s ", limber_preset_at(i)->name);
        assert_non_null(strstr(help, name));
    }
}

static void documentation_mentions_every_key(void** state) {
    (void)state;
    const char* text = limber_style_markdown();
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        const limberi_section* section = limberi_section_at(limberi_section_of(row));
        char heading[96], cell[80];
        size_t length = strlen(section->path);
        snprintf(heading, sizeof heading, "\n## %s\n", section->title);
        snprintf(cell, sizeof cell, "| `%s", row->key.path + length + (length > 0));
        if (strstr(row->key.path, ".filter."))
            cell[strcspn(cell, ".")] = 0;
        strcat(cell, "` |");
        const char *start = strstr(text, heading), *found = start ? strstr(start, cell) : NULL;
        const char* next = start ? strstr(start + 1, "\n## ") : NULL;
        if (!found || (next && found > next))
            fail_msg("%s is not mentioned", row->key.path);
    }
}

static void examples_of_the_documentation_are_styles(void** state) {
    (void)state;
    uint32_t count = 0;
    for (const char* p = limber_style_markdown(); (p = strstr(p, "```jsonc\n")); count++) {
        p += strlen("```jsonc\n");
        const char* end = strstr(p, "```");
        limber_style* style;
        limber_error error;
        assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
        if (limber_style_read(style, p, (size_t)(end - p), &error) != LIMBER_OK)
            fail_msg("%s: %s", error.place, error.message);
        limber_style_destroy(style);
        p = end + 3;
    }
    assert_int_equal(count, limberi_section_count());
}

// --- files ---

// With LIMBER_UPDATE set the file is written instead.
static void check_file(const char* name, const char* expected) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", LIMBER_SOURCE_DIR, name);
    if (getenv("LIMBER_UPDATE")) {
        FILE* out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(expected, 1, strlen(expected), out), strlen(expected));
        assert_int_equal(fclose(out), 0);
    }
    FILE* in = fopen(path, "rb");
    if (!in)
        fail_msg("%s is missing; run this test with LIMBER_UPDATE=1", name);
    char* text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, in);
    fclose(in);
    bool same = length == strlen(expected) && memcmp(text, expected, length) == 0;
    free(text);
    if (!same)
        fail_msg("%s does not match the table any more; run this test with LIMBER_UPDATE=1", name);
}

static void files_are_up_to_date(void** state) {
    (void)state;
    check_file("docs/style.md", limber_style_markdown());
    check_file("schema/limber-style.schema.json", limber_style_schema());
}

static void texts_are_made_once(void** state) {
    (void)state;
    assert_ptr_equal(limber_style_schema(), limber_style_schema());
    assert_ptr_equal(limber_style_help(), limber_style_help());
    assert_ptr_equal(limber_style_markdown(), limber_style_markdown());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema_accepts_what_the_reader_accepts),
        cmocka_unit_test(schema_rejects_what_the_reader_rejects),
        cmocka_unit_test(schema_knows_every_key),
        cmocka_unit_test(help_mentions_every_key),
        cmocka_unit_test(documentation_mentions_every_key),
        cmocka_unit_test(examples_of_the_documentation_are_styles),
        cmocka_unit_test(files_are_up_to_date),
        cmocka_unit_test(texts_are_made_once),
    };
    return cmocka_run_group_tests_name("style_texts", tests, NULL, NULL);
}
