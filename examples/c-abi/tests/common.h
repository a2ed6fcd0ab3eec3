// What the C tests share. An assertion that fails ends the program, also with NDEBUG.
#ifndef COMMON_H
#define COMMON_H

#define PG_FEATURE_ISSUE
#define PG_FEATURE_CASES
#include "parley_grants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);        \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static inline pg_bytes bytes_of(const void *data, size_t length) {
    pg_bytes bytes = {(const uint8_t *)data, length};
    return bytes;
}

// Of a literal, or of another text that ends with a zero.
static inline pg_bytes text_of(const char *text) {
    return bytes_of(text, strlen(text));
}

static inline int is_text(pg_bytes bytes, const char *text) {
    return bytes.length == strlen(text) && (bytes.length == 0 || memcmp(bytes.data, text, bytes.length) == 0);
}

// A C string of what a pg_text says, which is freed; NULL for NULL.
static inline char *take_text(pg_text *text) {
    if (text == NULL) return NULL;
    pg_bytes bytes = pg_text_bytes(text);
    char *copy = malloc(bytes.length + 1);
    CHECK(copy != NULL);
    memcpy(copy, bytes.data, bytes.length);
    copy[bytes.length] = '\0';
    pg_text_free(text);
    return copy;
}

#endif
