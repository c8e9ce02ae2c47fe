// Writes what fuzzing of JOBS.json starts from: seeds_batch FOLDER.
#include <stdio.h>
#include <string.h>

static void write_seed(const char* folder, int index, const char* text, size_t length) {
    char path[512];
    snprintf(path, sizeof path, "%s/jobs-%d", folder, index);
    FILE* file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(text, 1, length, file);
    fclose(file);
}

int main(int count, char** arguments) {
    static const char all[] =
        "{\"inputs\": [\"in/**/*.glb\"], \"clips\": [\"Walk*\"], \"output\": \"{style}/{name}.glb\",\n"
        "\"styles\": [\"cartoon\", {\"name\": \"wild\", \"style\": \"jelly\", \"set\": {\"strength\": 2}}],\n"
        "\"options\": {\"fps\": 24, \"range\": \"0:1\", \"skinning\": \"linear\", \"bake\": \"bones\",\n"
        "\"tolerance\": 0.5, \"targets\": 4, \"normals\": false, \"compress\": true,\n"
        "\"smear_meshes\": \"none\", \"set\": {\"effects.floppy.linear\": 0.1}},\n"
        "\"jobs\": [{}, {\"inputs\": \"fox.glb\"}] // the end\n}";
    static const char pattern[] = "{\"inputs\": \"a.glb\"}\0W[a-k]?k*[!x]\0Walking";
    if (count < 2)
        return 2;
    write_seed(arguments[1], 0, all, sizeof all - 1);
    write_seed(arguments[1], 1, pattern, sizeof pattern - 1);
    return 0;
}
