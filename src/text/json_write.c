// Writes JSON into a buffer, putting the commas where they belong.
#include "text/json_write.h"

#include "text/text.h"

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

// Characters that JSON has a short name for; the others that are not written as they are become numbers.
static void put_escape(limberi_buffer* out, uint32_t number) {
    static const char special[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    static const char digits[] = "0123456789ABCDEF";
    const char* found = number && number < 128 ? strchr(special, (char)number) : NULL;
    char escape[6] = {'\\',
                      found ? names[found - special] : 'u',
                      digits[number >> 12 & 15],
                      digits[number >> 8 & 15],
                      digits[number >> 4 & 15],
                      digits[number & 15]};
    limberi_buffer_add_bytes(out, escape, found ? 2 : 6);
}

// How many bytes of a character must not be written as they are; 0: they may. JSON asks for some; the others would steer
// the terminal that shows it (U+007F does not). What is no UTF-8 is left alone.
static int escaped_length(const char* p, const char* end) {
    int length = (unsigned char)*p < 0x80 ? 1 : limberi_utf8_length(p, end);
    if (length > 3 || !length)
        return 0;
    uint32_t number = limberi_utf8_number(p, length);
    bool steers = limberi_utf8_steers(number) && number != 0x7F;
    return number == '"' || number == '\\' || steers ? length : 0;
}

static void quote(limberi_buffer* out, const char* text, size_t length) {
    const char* end = text + length;
    limberi_buffer_add_bytes(out, "\"", 1);
    while (text < end) {
        const char* start = text;
        int escaped = 0;
        while (text < end && !(escaped = escaped_length(text, end)))
            text++;
        limberi_buffer_add_bytes(out, start, (size_t)(text - start));
        if (escaped)
            put_escape(out, limberi_utf8_number(text, escaped));
        text += escaped;
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
    size_t length =
        writer->digits ? limberi_decimal_format(real, writer->digits, text) : limberi_decimal_format_short(real, text);
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
