// The negative controls of the sanitizers: `controls FAULT` does one thing that they must see, `controls none` nothing.

#include "common.h"

int main(int count, char **arguments) {
    CHECK(count == 2);
    const char *fault = arguments[1];
    size_t length = 4;
    char *json = malloc(length);
    CHECK(json != NULL);
    memcpy(json, "[1]\n", length);
    // The library reads what it is told that there is.
    if (strcmp(fault, "overrun") == 0) length++;
    pg_text *canonical;
    CHECK(pg_canonicalize(bytes_of(json, length), &canonical, NULL) == PG_OK);
    pg_bytes bytes = pg_text_bytes(canonical);
    if (strcmp(fault, "leak") != 0) pg_text_free(canonical);
    // What the library gave lives as long as its handle.
    if (strcmp(fault, "stale") == 0) CHECK(bytes.data[0] == '[');
    volatile int most = 2147483647;
    if (strcmp(fault, "undefined") == 0) most++;
    free(json);
    canonical = NULL;
    return 0;
}
