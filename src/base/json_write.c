#include "base/json_write.h"

#include "base/decimal.h"

#include <string.h>

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

// Characters that JSON has a short name for; the other control characters are written as numbers.
static void put_escape(limberi_buffer* out, char c) {
    static const char special[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt", digits[] = "0123456789ABCDEF";
    const char* found = c ? strchr(special, c) : NULL;
    char escape[6] = {'\\', found ? names[found - special] : 'u', '0', '0', digits[c >> 4 & 15], digits[c & 15]};
    limberi_buffer_add_bytes(out, escape, found ? 2 : 6);
}

static bool needs_escape(char c) {
    return (unsigned char)c < 32 || c == '"' || c == '\\';
}

static void quote(limberi_buffer* out, const char* text, size_t length) {
    limberi_buffer_add_bytes(out, "\"", 1);
    for (size_t start = 0, end; start < length; start = end + 1) {
        for (end = start; end < length && !needs_escape(text[end]);)
            end++;
        limberi_buffer_add_bytes(out, text + start, end - start);
        if (end < length)
            put_escape(out, text[end]);
    }
    limberi_buffer_add_bytes(out, "\"", 1);
}

void limberi_json_quote(limberi_buffer* out, const char* text) {
    quote(out, text, strlen(text));
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

void limberi_json_integer(limberi_json_writer* writer, int64_t integer) {
    char digits[20];
    size_t first = sizeof digits;
    uint64_t rest = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    do
        digits[--first] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (integer < 0)
        digits[--first] = '-';
    separate(writer);
    limberi_buffer_add_bytes(writer->out, digits + first, sizeof digits - first);
}

// "5.0", not "5", and "1e20", not "1e+20".
void limberi_json_real(limberi_json_writer* writer, double real) {
    char text[LIMBERI_DECIMAL_CHARS + 2];
    size_t length = limberi_decimal_format(real, writer->digits ? writer->digits : LIMBERI_DECIMAL_DIGITS, text);
    char* exponent = memchr(text, 'e', length);
    if (exponent) {
        char* from = exponent + 2;
        char* to = exponent + 1 + (exponent[1] == '-');
        while (*from == '0')
            from++;
        memmove(to, from, length - (size_t)(from - text));
        length -= (size_t)(from - to);
    } else if (!memchr(text, '.', length)) {
        memcpy(text + length, ".0", 2);
        length += 2;
    }
    separate(writer);
    limberi_buffer_add_bytes(writer->out, text, length);
}

void limberi_json_switch(limberi_json_writer* writer, bool truth) {
    limberi_json_raw(writer, truth ? "true" : "false");
}

static void write_container(limberi_json_writer* writer, const limberi_json* value) {
    bool object = value->type == LIMBERI_JSON_OBJECT;
    limberi_json_open(writer, object ? '{' : '[');
    for (uint32_t i = 0; i < value->count; i++) {
        if (object)
            limberi_json_key(writer, limberi_json_key_at(value, i));
        limberi_json_tree(writer, limberi_json_at(value, i));
    }
    limberi_json_close(writer, object ? '}' : ']');
}

// As deep as the tree, which the reader limits.
void limberi_json_tree(limberi_json_writer* writer, const limberi_json* value) {
    if (limberi_json_is_number(value) && writer->source && value->count) {
        separate(writer);
        limberi_buffer_add_bytes(writer->out, writer->source + value->place, value->count);
    } else if (value->type == LIMBERI_JSON_INTEGER) {
        limberi_json_integer(writer, value->integer);
    } else if (value->type == LIMBERI_JSON_REAL) {
        limberi_json_real(writer, value->real);
    } else if (value->type == LIMBERI_JSON_STRING) {
        separate(writer);
        quote(writer->out, value->text, value->count);
    } else if (value->type == LIMBERI_JSON_SWITCH) {
        limberi_json_switch(writer, value->truth);
    } else if (value->type == LIMBERI_JSON_NULL) {
        limberi_json_raw(writer, "null");
    } else {
        write_container(writer, value);
    }
}
