// The shortest program with an installed limber: one vertex of a styled frame.
#include <limber/limber.h>
#include <stdio.h>

int main(int argc, char** argv) {
    limber_gltf* gltf;
    limber_pipeline* pipeline;
    limber_frame frame;
    limber_error error;
    if (argc < 2 || limber_gltf_load_file(argv[1], NULL, &gltf, &error) != LIMBER_OK ||
        limber_pipeline_create(limber_gltf_asset(gltf), NULL, &pipeline, &error) != LIMBER_OK ||
        limber_pipeline_evaluate(pipeline, 0, 0.5, &frame) != LIMBER_OK)
        return 1;
    printf("%g %g %g\n", (double)frame.positions[0], (double)frame.positions[1], (double)frame.positions[2]);
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(gltf);
    return 0;
}
