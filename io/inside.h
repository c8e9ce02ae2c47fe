// The names by which a character refers to other files. Everything that opens such a file takes its path from here and
// opens it with limberi_file_read_below or limberi_system_open_below: only plain files in the folder and below, without
// waiting, and no link is followed.
#ifndef LIMBERI_INSIDE_H
#define LIMBERI_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int limberi_hex_digit(char c); // -1: none

// Replaces %41 by A; `out` has room for strlen(text) bytes. A percent sign without two digits stands for itself.
size_t limberi_percent_decode(const char* text, uint8_t* out);

// Takes "." and "a/.." out of a path, in place. False when it leaves the folder it is relative to, names nothing or a
// hidden file: those hold keys and settings, never meshes.
bool limberi_inside_settle(char* path);

// The path that a relative URI leads to, without "." and ".."; `out` has room for strlen(uri) + 1 bytes. False when it
// leaves the folder, names nothing, a hidden file or one on another machine.
bool limberi_inside_path(const char* uri, char* out);

#endif
