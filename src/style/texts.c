// Help and documentation of the style, from the table.
#include "style/style_private.h"

#include "keys/value.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, PAGE_WIDTH = 120, DEFAULT_COLUMNS = 13 };

static const char formula_names[] = "t frame phase x y z nx ny nz u v height rand speed paint.<layer>";
static const char formula_functions[] =
    "abs min max clamp mix step smoothstep sin cos exp log sqrt pow floor fract noise voronoi warp key";

// --- pieces ---

// The key as it stands inside its section.
static const char* short_path(const limberi_row* row) {
    size_t length = strlen(limberi_section_at(limberi_section_of(row))->path);
    return row->key.path + length + (length > 0);
}

// Keys of filters for single quantities say the same as those for all: one line stands for the four of them.
static bool is_repeated(const limberi_row* row) {
    return limberi_row_is_filter(row) && row->part != LIMBERI_QUANTITY_ALL;
}

static bool starts_quantity(const limberi_row* row) {
    return is_repeated(row) && row->key.type == LIMBER_KEY_CHOICE;
}

static void name_of(const limberi_row* row, char* out, size_t size) {
    limberi_format(out, size, "%s", short_path(row));
    if (starts_quantity(row))
        *strchr(out, '.') = 0;
}

// "number or formula, 0 ... 180 degrees". Ranges that only catch slips of the keyboard are left out.
static void value_of(const limberi_row* row, char* out, size_t size) {
    const limber_key* key = &row->key;
    char what[160];
    char range[64] = "";
    char words[96] = "";
    limberi_words_list(key->choices, words, sizeof words);
    limberi_key_expects(key, what, sizeof what);
    if (key->type == LIMBER_KEY_NUMBER)
        limberi_format(what, sizeof what, "number or formula");
    else if (key->type == LIMBER_KEY_CONSTANT)
        limberi_format(what, sizeof what, key->choices ? "%s or number" : "number", words);
    else if (key->type == LIMBER_KEY_VECTOR)
        limberi_format(what, sizeof what, "three numbers");
    else if (key->type == LIMBER_KEY_TEXT)
        limberi_format(what, sizeof what, "name");
    else if (key->type == LIMBER_KEY_LIST)
        limberi_format(what, sizeof what, key->choices ? "list of: %s" : "list of names", key->choices);
    else if (row->reader && row->reader->shown)
        limberi_format(what, sizeof what, "%s", row->reader->shown);
    else if (key->type == LIMBER_KEY_OTHER)
        limberi_format(what, sizeof what, key->choices ? "\"%s\" or list" : "list", key->choices);
    bool number = key->type == LIMBER_KEY_NUMBER || key->type == LIMBER_KEY_CONSTANT;
    bool symmetric = key->min < 0 && key->min == -key->max;
    if (number && key->max < 1e6 && !symmetric)
        limberi_key_range(key, range, sizeof range);
    else if (number && key->min >= 0)
        limberi_format(range, sizeof range, key->min_is_excluded ? "above %g" : "%g or more", key->min);
    const char* gap = range[0] ? " " : ", "; // before the unit
    limberi_format(out, size, "%s%s%s%s%s", what, range[0] ? ", " : "", range, key->unit[0] ? gap : "", key->unit);
}

static void quantity_text(const limberi_row* row, char* out, size_t size) {
    limberi_format(out, size, "the same keys for this quantity only; in");
    for (uint32_t e = 0, first = 1; e < LIMBER_EFFECT_COUNT; e++) {
        if (!(limberi_row_effects(row) >> e & 1))
            continue;
        size_t length = strlen(out);
        limberi_format(out + length, size - length, first ? " %s" : ", %s", limber_effect_name((limber_effect)e));
        first = 0;
    }
}

// Breaks at blanks; lines after the first start at column `indent`.
static void add_wrapped_to(limberi_buffer* out, const char* text, size_t indent, size_t column, size_t width) {
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > indent && column + 1 + length > width) {
            limberi_buffer_add(out, "\n");
            limberi_buffer_fill(out, ' ', indent);
            column = indent;
        } else if (column > indent) {
            limberi_buffer_add(out, " ");
            column++;
        }
        limberi_buffer_add_bytes(out, text, length);
        column += length;
        text += length;
        text += *text == ' ';
    }
    limberi_buffer_add(out, "\n");
}

static void add_wrapped(limberi_buffer* out, const char* text, size_t indent, size_t column) {
    add_wrapped_to(out, text, indent, column, WIDTH);
}

static void add_padded(limberi_buffer* out, const char* text, size_t width) {
    size_t length = strlen(text);
    limberi_buffer_add(out, text);
    limberi_buffer_fill(out, ' ', length < width ? width - length : 1);
}

// --- help ---

// Keys of objects in a list stand at the end of the section that the list is in. NULL: there is none.
static const limberi_reader* list_in(uint32_t section) {
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (row->reader && row->reader->items && limberi_section_of(row) == section)
            return row->reader;
    }
    return NULL;
}

static size_t widest_name(uint32_t section) {
    size_t widest = 0;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (limberi_section_of(row) != section || (is_repeated(row) && !starts_quantity(row)))
            continue;
        char name[64];
        name_of(row, name, sizeof name);
        widest = strlen(name) > widest ? strlen(name) : widest;
    }
    const limberi_reader* list = list_in(section);
    for (uint32_t i = 0; list && i < list->item_count; i++) {
        size_t length = strlen(short_path(&list->items[i]));
        widest = length > widest ? length : widest;
    }
    return widest;
}

static void help_row(limberi_buffer* out, const limberi_row* row, size_t name_width) {
    char name[64], value[256], text[512];
    name_of(row, name, sizeof name);
    value_of(row, value, sizeof value);
    if (starts_quantity(row))
        quantity_text(row, text, sizeof text);
    else
        limberi_format(text, sizeof text, "%s [%s]", row->key.help, value);
    limberi_buffer_add(out, "  ");
    add_padded(out, name, name_width + 2);
    add_padded(out, starts_quantity(row) || !row->key.default_text ? "-" : row->key.default_text, DEFAULT_COLUMNS);
    size_t indent = 2 + name_width + 2 + DEFAULT_COLUMNS;
    size_t standard = row->key.default_text ? strlen(row->key.default_text) + 1 : 0;
    add_wrapped(out, text, indent, standard > DEFAULT_COLUMNS ? indent + standard - DEFAULT_COLUMNS : indent);
}

// Every effect may have a filter, which is a separate section.
static bool has_filter(const limberi_section* section) {
    return strncmp(section->path, "effects.", 8) == 0 && limberi_effect_find(section->path + 8) >= 0;
}

static void help_section(limberi_buffer* out, uint32_t index) {
    const limberi_section* section = limberi_section_at(index);
    limberi_buffer_format(out, "\n%s\n  ", section->path[0] ? section->path : section->title);
    add_wrapped(out, section->text, 2, 2);
    size_t width = widest_name(index);
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (limberi_section_of(row) == index && (!is_repeated(row) || starts_quantity(row)))
            help_row(out, row, width);
    }
    const limberi_reader* list = list_in(index);
    for (uint32_t i = 0; list && i < list->item_count; i++)
        help_row(out, &list->items[i], width);
    if (has_filter(section)) {
        limberi_buffer_add(out, "  ");
        add_padded(out, "filter", width + 2);
        add_padded(out, "-", DEFAULT_COLUMNS);
        limberi_buffer_add(out, "an object, see effects.*.filter\n");
    }
}

static void write_help(limberi_buffer* out) {
    add_wrapped(
        out,
        "A style is a JSON text; comments and trailing commas are allowed. Every key is optional; the second column "
        "below is its default. An effect that is left out is off.",
        0, 0);
    add_wrapped(out, "On the command line: --set effects.floppy.angular=0.5 --set joints.Leg*.floppy=0", 0, 0);
    limberi_buffer_add(out, "\nFormulas\n  ");
    add_wrapped(
        out, "Where it says \"number or formula\", you may write a text such as \"0.4 * smoothstep(0.2, 1, height)\".",
        2, 2);
    limberi_buffer_add(out, "  names      ");
    add_wrapped(out, formula_names, 13, 13);
    limberi_buffer_add(out, "  functions  ");
    add_wrapped(out, formula_functions, 13, 13);
    for (uint32_t i = 0; i < limberi_section_count(); i++)
        help_section(out, i);
    limberi_buffer_add(out, "\nPresets (--style NAME)\n");
    for (uint32_t i = 0; i < limber_preset_count(); i++) {
        limberi_buffer_add(out, "  ");
        add_padded(out, limber_preset_at(i)->name, 18);
        add_wrapped(out, limber_preset_at(i)->summary, 20, 20);
    }
}

// --- documentation ---

static void add_cell(limberi_buffer* out, const char* text) {
    limberi_buffer_add(out, " ");
    for (; *text; text++) {
        if (*text == '|' || *text == '*' || *text == '<')
            limberi_buffer_add(out, "\\");
        limberi_buffer_add_bytes(out, text, 1);
    }
    limberi_buffer_add(out, " |");
}

static void markdown_row(limberi_buffer* out, const limberi_row* row) {
    char name[64], value[256], text[256];
    name_of(row, name, sizeof name);
    value_of(row, value, sizeof value);
    limberi_buffer_format(out, "| `%s` |", name);
    if (starts_quantity(row)) {
        quantity_text(row, text, sizeof text);
        add_cell(out, "object");
        limberi_buffer_add(out, " |");
        add_cell(out, text);
    } else {
        add_cell(out, value);
        if (row->key.default_text)
            limberi_buffer_format(out, " `%s` |", row->key.default_text);
        else
            limberi_buffer_add(out, " |");
        add_cell(out, row->key.help);
    }
    limberi_buffer_add(out, "\n");
}

static void markdown_section(limberi_buffer* out, uint32_t index) {
    const limberi_section* section = limberi_section_at(index);
    limberi_buffer_format(out, "\n## %s\n\n", section->title);
    if (section->path[0])
        limberi_buffer_format(out, "At `%s`.", section->path);
    add_wrapped_to(out, section->text, 0, section->path[0] ? strlen(section->path) + 6 : 0, PAGE_WIDTH);
    limberi_buffer_add(out, "\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (limberi_section_of(row) == index && (!is_repeated(row) || starts_quantity(row)))
            markdown_row(out, row);
    }
    const limberi_reader* list = list_in(index);
    for (uint32_t i = 0; list && i < list->item_count; i++)
        markdown_row(out, &list->items[i]);
    if (has_filter(section))
        limberi_buffer_add(out, "| `filter` | object | | see [filter](#filter) |\n");
    limberi_buffer_format(out, "\n```jsonc\n%s\n```\n", section->example);
}

static const char introduction[] =
    "<!-- Generated from src/style/table.c; `LIMBER_UPDATE=1 ctest -R style_texts` regenerates it. -->\n"
    "# The style file\n\n"
    "A style says how the motion of a character is exaggerated. It is a JSON text; comments and trailing commas are\n"
    "allowed. Every key is optional, `{}` is a valid style, and an effect that is left out is off.\n\n"
    "- Unknown keys, words and joints are errors that name the line and suggest the nearest known one.\n"
    "- `--set path=value` sets one key and overrides the file: `--set effects.floppy.angular=0.5`,\n"
    "  `--set joints.Leg*.floppy=0`. The value is JSON, or a bare word or formula. Quote joint names that contain "
    "dots:\n"
    "  `joints.\"Arm.L\".floppy`.\n"
    "- Several styles can be layered: later ones override earlier ones, key by key.\n"
    "- Editors complete and check a style that starts with `\"$schema\": \"limber-style.schema.json\"`; the schema is\n"
    "  installed to `share/limber`.\n"
    "- Gains are relative to the character's size `L`, so a style fits characters in meters and in centimeters.\n\n"
    "## Formulas\n\n"
    "Where the tables say *number or formula*, you may write a text instead of a number:\n"
    "`\"angular\": \"0.4 * smoothstep(0.2, 1, height) * paint.ears\"`.\n\n";

static void write_markdown(limberi_buffer* out) {
    limberi_buffer_add(out, introduction);
    limberi_buffer_format(out, "- names: `%s`\n- functions: `%s`\n", formula_names, formula_functions);
    for (uint32_t i = 0; i < limberi_section_count(); i++)
        markdown_section(out, i);
    limberi_buffer_add(out, "\n## Presets\n\n`--style NAME` applies a preset. The files are installed to "
                            "`share/limber/presets`; copy one to "
                            "start your own.\n\n| preset | what it does |\n|---|---|\n");
    for (uint32_t i = 0; i < limber_preset_count(); i++) {
        limberi_buffer_format(out, "| `%s` |", limber_preset_at(i)->name);
        add_cell(out, limber_preset_at(i)->summary);
        limberi_buffer_add(out, "\n");
    }
}

// --- made once ---

// Two threads may both make the text; the one that comes second throws its copy away.
static const char* made_once(_Atomic(char*)* made, void (*write)(limberi_buffer* out)) {
    char* text = atomic_load(made);
    if (text)
        return text;
    limberi_buffer buffer = {NULL, 0, 0, false};
    write(&buffer);
    if (buffer.failed) {
        limberi_buffer_free(&buffer);
        return NULL;
    }
    if (atomic_compare_exchange_strong(made, &text, buffer.data))
        return buffer.data;
    limberi_buffer_free(&buffer);
    return text;
}

const char* limber_style_schema(void) {
    static _Atomic(char*) made;
    return made_once(&made, limberi_write_schema);
}

const char* limber_style_help(void) {
    static _Atomic(char*) made;
    return made_once(&made, write_help);
}

const char* limber_style_markdown(void) {
    static _Atomic(char*) made;
    return made_once(&made, write_markdown);
}
