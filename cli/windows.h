// What a program has to do on Windows before it can talk UTF-8.
#ifndef LIMBER_CLI_WINDOWS_H
#define LIMBER_CLI_WINDOWS_H

// The command line in UTF-8, and a console that shows it; output keeps its line ends. NULL when memory is short.
char** cli_windows_start(int* argc);

#endif
