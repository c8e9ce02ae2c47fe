#include "base/json_write.h"

static char last_character(const limberi_json_writer* writer) {
    return writer->out->length ? writer->out->data[writer->out->length - 1] : 0;
}

static void new_line(limberi_json_writer* writer) {
    if (!writer->indent || writer->flat)
        return;
    limberi_buffer_fill(writer->out, '\n', 1);
    limberi_buffer_fill(writer->out, ' ', (size_t)writer->depth * writer->indent);
}

// What stands before the next value or key follows from the last character: no state to keep per level.
static void separate(limberi_json_writer* writer) {
    char last = last_character(writer);
    if (last == 0 || last == ':' || last == ' ')
        return;
    bool first = last == '{' || last == '[';
    if (!first)
        limberi_buffer_add(writer->out, ",");
    if (writer->flat && writer->indent && !first)
        limberi_buffer_add(writer->out, " ");
    new_line(writer);
}

void limberi_json_open(limberi_json_writer* writer, char bracket) {
    separate(writer);
    limberi_buffer_fill(writer->out, bracket, 1);
    writer->depth++;
}

void limberi_json_close(limberi_json_writer* writer, char bracket) {
    char last = last_character(writer);
    writer->depth -= writer->depth > 0;
    if (last != '{' && last != '[')
        new_line(writer);
    limberi_buffer_fill(writer->out, bracket, 1);
}

void limberi_json_flat(limberi_json_writer* writer, bool flat) {
    if (flat)
        writer->flat++;
    else
        writer->flat -= writer->flat > 0;
}

void limberi_json_quote(limberi_buffer* out, const char* text) {
    static const char digits[] = "0123456789abcdef";
    limberi_buffer_add(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            char escaped[2] = {'\\', *text};
            limberi_buffer_add_bytes(out, escaped, 2);
        } else if (c < 32) {
            char escaped[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
            limberi_buffer_add_bytes(out, escaped, 6);
        } else {
            limberi_buffer_add_bytes(out, text, 1);
        }
    }
    limberi_buffer_add(out, "\"");
}

void limberi_json_key(limberi_json_writer* writer, const char* key) {
    separate(writer);
    limberi_json_quote(writer->out, key);
    limberi_buffer_add(writer->out, writer->indent ? ": " : ":");
}

void limberi_json_string(limberi_json_writer* writer, const char* text) {
    separate(writer);
    limberi_json_quote(writer->out, text);
}

void limberi_json_raw(limberi_json_writer* writer, const char* json) {
    separate(writer);
    limberi_buffer_add(writer->out, json);
}

void limberi_json_number(limberi_json_writer* writer, double number) {
    separate(writer);
    limberi_buffer_format(writer->out, "%g", number);
}

// Closes what ends before each node, so that no recursion is needed.
void limberi_json_subtree(limberi_json_writer* writer, const limberi_json* json, uint32_t node) {
    uint32_t end = json->nodes[node].end, open = UINT32_MAX, outside = json->nodes[node].parent;
    for (uint32_t i = node; i <= end; i++) {
        while (open != UINT32_MAX && open != outside && json->nodes[open].end <= i) {
            limberi_json_close(writer, json->nodes[open].type == LIMBERI_JSON_ARRAY ? ']' : '}');
            open = open == node ? UINT32_MAX : json->nodes[open].parent;
        }
        if (i == end)
            break;
        const limberi_json_node* n = &json->nodes[i];
        if (n->key && i != node)
            limberi_json_key(writer, n->key);
        if (n->type == LIMBERI_JSON_ARRAY || n->type == LIMBERI_JSON_OBJECT) {
            limberi_json_open(writer, n->type == LIMBERI_JSON_ARRAY ? '[' : '{');
            open = i;
        } else if (n->type == LIMBERI_JSON_STRING) {
            limberi_json_string(writer, n->text);
        } else if (n->type == LIMBERI_JSON_NUMBER) {
            limberi_json_raw(writer, n->text);
        } else {
            limberi_json_raw(writer, n->type == LIMBERI_JSON_NULL ? "null" : n->truth ? "true" : "false");
        }
    }
}
