// What a program has to do on Windows before it can talk UTF-8.
#include "cli/cli.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <shellapi.h>

// Progress is drawn over itself with an escape sequence, which older consoles print unless they are asked not to.
static void set_console(void) {
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    DWORD mode;
    SetConsoleOutputCP(CP_UTF8);
    if (GetConsoleMode(console, &mode))
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

static char* narrow(const wchar_t* text) {
    int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char* out = count > 0 ? malloc((size_t)count) : NULL;
    if (out)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, out, count, NULL, NULL);
    return out;
}

char** cli_windows_start(int* argc) {
    set_console();
    wchar_t** given = CommandLineToArgvW(GetCommandLineW(), argc);
    char** arguments = given ? calloc((size_t)*argc + 1, sizeof *arguments) : NULL;
    for (int i = 0; arguments && i < *argc; i++) {
        arguments[i] = narrow(given[i]);
        if (!arguments[i])
            return NULL;
    }
    LocalFree(given);
    return arguments; // until the program ends
}
