// Fuzzes JSON, written by hand and exact: any bytes in, an error with a place or a tree out. A tree that is written and
// read again is written the same.
#include "fuzz/kit/bytes.h"
#include "text/json_write.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static limberi_buffer text_of(const limberi_json_document* json) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text};
    limberi_json_tree(&writer, json->root);
    FUZZ_CHECK(!text.failed);
    return text;
}

static void check_tree(const limberi_json_document* json) {
    limberi_json_rules exact = limberi_json_rules_exact();
    limberi_json_document again;
    limber_error error;
    limberi_buffer first = text_of(json);
    FUZZ_CHECK(limberi_json_read(first.data, first.length, &exact, &again, &error) == LIMBER_OK);
    limberi_buffer second = text_of(&again);
    FUZZ_CHECK(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    limberi_json_free(&again);
    limberi_buffer_free(&first);
    limberi_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limberi_json_rules rules[2] = {limberi_json_rules_hand_written(), limberi_json_rules_exact()};
    for (int i = 0; i < 2; i++) {
        limberi_json_document json;
        limber_error error;
        limber_result result = limberi_json_read((const char*)data, size, &rules[i], &json, &error);
        if (result == LIMBER_OK)
            check_tree(&json);
        else
            FUZZ_CHECK(error.message[0] && error.place[0] && !strpbrk(error.message, "\r\n"));
        limberi_json_free(&json);
    }
    return 0;
}
