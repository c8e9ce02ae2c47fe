// .fbx and .dae files, read by the library Assimp in a process of its own.
#ifndef LIMBER_CLI_IMPORT_H
#define LIMBER_CLI_IMPORT_H

#include <limber/gltf.h>

// Prints the reason and returns CLI_FAILED when it cannot.
int cli_import(const char* path, limber_gltf** gltf);

#endif
