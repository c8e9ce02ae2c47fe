// Writes the corpus of fuzz_draco: fuzz_seeds_draco FOLDER. Small meshes that Draco has packed in both of its ways.
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>

#include <cstdio>
#include <string>

static bool write_seed(const std::string& path, int faces, int method) {
    draco::TriangleSoupMeshBuilder builder;
    builder.Start(faces);
    int position = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
    for (int f = 0; f < faces; f++) {
        float at = static_cast<float>(f), corners[3][3] = {{at, 0, 0}, {at + 1, 0, 0}, {at, 1, 0}};
        builder.SetAttributeValuesForFace(position, draco::FaceIndex(static_cast<uint32_t>(f)), corners[0], corners[1],
                                          corners[2]);
    }
    auto mesh = builder.Finalize();
    draco::Encoder encoder;
    draco::EncoderBuffer bytes;
    encoder.SetEncodingMethod(method);
    encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 11);
    if (!mesh || !encoder.EncodeMeshToBuffer(*mesh, &bytes).ok())
        return false;
    FILE* file = fopen(path.c_str(), "wb");
    if (!file)
        return false;
    fputc(static_cast<int>(mesh->num_points()), file);
    fputc(static_cast<int>(mesh->num_faces()), file);
    fwrite(bytes.data(), 1, bytes.size(), file);
    return fclose(file) == 0;
}

int main(int argc, char** argv) {
    bool good = argc == 2;
    for (int faces = 1; good && faces <= 30; faces += 7)
        for (int method = 0; good && method < 2; method++)
            good = write_seed(std::string(argv[1]) + "/mesh" + std::to_string(2 * faces + method), faces, method);
    return good ? 0 : 1;
}
