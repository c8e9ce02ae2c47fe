// Filling a limber_error without stdio, so that the core also compiles where there is none.
#ifndef LIMBERI_ERROR_H
#define LIMBERI_ERROR_H

#include <limber/base.h>
#include <stdarg.h>

#if defined(__MINGW32__) && !defined(__clang__) // where plain `printf` means that of Windows, without %zu
#define LIMBERI_PRINTF(format_index, first) __attribute__((format(gnu_printf, format_index, first)))
#elif defined(__GNUC__)
#define LIMBERI_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define LIMBERI_PRINTF(format_index, first)
#endif

// Understands %s, %c, %d, %u, %zu, %llu, %g (six digits) and %%; always terminates `out`.
void limberi_format(char* out, size_t size, const char* format, ...) LIMBERI_PRINTF(3, 4);
void limberi_format_list(char* out, size_t size, const char* format, va_list arguments);

// Sets the message of `error` (may be NULL) and returns `result`; clears the place.
limber_result limberi_fail(limber_error* error, limber_result result, const char* format, ...) LIMBERI_PRINTF(3, 4);

// "limber/light has no WHAT": this build was made without it (base/build.h).
limber_result limberi_fail_absent(limber_error* error, const char* what);

// "not enough memory": the one wording of it. Only messages with a size that the user chose say more.
limber_result limberi_fail_memory(limber_error* error);

// Stages that only return a result, such as the evaluation of a frame, have no words: whoever calls them empties the error
// first and puts in some at the end, unless somebody else did.
void limberi_error_empty(limber_error* error);
limber_result limberi_error_fill(limber_error* error, limber_result result);

// Sets the place; meant to follow limberi_fail. Returns error's result so that it can end a function.
limber_result limberi_at(limber_error* error, limber_result result, const char* format, ...) LIMBERI_PRINTF(3, 4);

#endif
