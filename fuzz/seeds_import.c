// Writes the corpus of fuzz_import: fuzz_seeds_import FOLDER. Scenes of any kind, long enough to be complete.
#include <stdint.h>
#include <stdio.h>

enum { FILES = 32, BYTES = 1024 };

int main(int argc, char** argv) {
    uint32_t state = 1;
    for (int i = 0; argc == 2 && i < FILES; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/scene%d", argv[1], i);
        FILE* file = fopen(path, "wb");
        for (int k = 0; file && k < BYTES; k++) {
            state = state * 1103515245u + 12345u;
            fputc((int)(state >> 16 & 255), file);
        }
        if (!file || fclose(file) != 0)
            return 1;
    }
    return argc == 2 ? 0 : 2;
}
