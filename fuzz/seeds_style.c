// Writes what fuzzing of styles starts from: seeds_style FOLDER.
#include "style/table.h"

#include <stdio.h>
#include <string.h>

static void write_seed(const char* folder, const char* name, uint32_t index, const char* text, size_t length) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%u", folder, name, index);
    FILE* file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(text, 1, length, file);
    fclose(file);
}

int main(int count, char** arguments) {
    if (count < 2)
        return 2;
    for (uint32_t i = 0; i < limber_preset_count(); i++)
        write_seed(arguments[1], "preset", i, limber_preset_at(i)->text, strlen(limber_preset_at(i)->text));
    for (uint32_t i = 0; i < limberi_section_count(); i++)
        write_seed(arguments[1], "example", i, limberi_section_at(i)->example, strlen(limberi_section_at(i)->example));
    // One key of every kind on top of an empty style.
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        char text[256];
        const limber_key* key = limber_key_at(i);
        int length =
            snprintf(text, sizeof text, "{}%c%s%c%s", 0, key->path, 0, key->default_text ? key->default_text : "0");
        write_seed(arguments[1], "key", i, text, (size_t)length);
    }
    return 0;
}
