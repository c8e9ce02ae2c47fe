// What both parts of a BVH file expect next, and the errors when something else is there.
#include "io/bvh/load.h"

limber_result limberi_bvh_fail_word(limberi_bvh_reader* reader, limberi_bvh_word word, const char* expected) {
    if (!word.length)
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA, "the file ends here; expected %s",
                                expected);
    return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA, "expected %s, found '%s'", expected,
                            limberi_bvh_show(word).text);
}

limber_result limberi_bvh_read_number(limberi_bvh_reader* reader, const char* what, double* number) {
    limberi_bvh_skip_space(&reader->scanner);
    limberi_bvh_word word = limberi_bvh_peek(&reader->scanner);
    if (!word.length)
        return limberi_bvh_fail_word(reader, word, what);
    limberi_number_result result = limberi_bvh_number(&reader->scanner, number);
    if (result == LIMBERI_NUMBER_ENDLESS)
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA,
                                "%s is '%s', which is too large or not finite", what, limberi_bvh_show(word).text);
    return result == LIMBERI_NUMBER_OK ? LIMBER_OK : limberi_bvh_fail_word(reader, word, what);
}
