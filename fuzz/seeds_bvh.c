// Writes what fuzzing of BVH files starts from: seeds_bvh FOLDER. A few valid files and every malformed one that is not
// large.
#include "kit/bvh_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_seed(const char* folder, const char* name, const void* bytes, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.bvh", folder, name);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        return 1;
    }
    return 0;
}

int main(int count, char** arguments) {
    if (count < 2)
        return 2;
    bvh_text chain = bvh_chain(4, 3), crowd = bvh_crowd(7, 2);
    int bad = write_seed(arguments[1], "good", bvh_good, strlen(bvh_good)) ||
              write_seed(arguments[1], "chain", chain.text, chain.length) ||
              write_seed(arguments[1], "crowd", crowd.text, crowd.length);
    free(chain.text);
    free(crowd.text);
    for (uint32_t i = 0; !bad && i < bvh_malformed_count(); i++) {
        malformed_file file = bvh_malformed_make(i);
        if (file.size < 10000)
            bad = write_seed(arguments[1], file.name, file.bytes, file.size);
        free(file.bytes);
    }
    return bad;
}
