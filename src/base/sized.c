/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs of callers that grow from release to release.
 */
#include "base/sized.h"

#include <ctype.h>
#include <string.h>

/* Further than this no later release goes; a size beyond it was never set. */
enum { MOST_BYTES = 4096 };

static int is_zero(const char *bytes, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (bytes[i]) return 0;
    return 1;
}

static int suits(const void *given, size_t size, size_t bytes) {
    return size > 0 && size <= MOST_BYTES && is_zero(given, bytes, size);
}

static void copy(void *known, size_t bytes, const void *given, size_t size) {
    size_t common = size < bytes ? size : bytes;
    memset(known, 0, bytes);
    memcpy(known, given, common);
}

void qdri_sized_read(void *known, size_t bytes, const void *given) {
    size_t size = bytes;
    memset(known, 0, bytes);
    if (given) {
        memcpy(&size, given, sizeof size);
        int is_fine = size >= sizeof size && suits(given, size, bytes);
        if (is_fine) copy(known, bytes, given, size);
        if (is_fine) size = bytes;
    }
    memcpy(known, &size, sizeof size);
}

qdr_status qdri_sized_refuse(const char *type, size_t size, size_t bytes) {
    if (size == bytes) return QDR_OK;
    if (size > bytes && size <= MOST_BYTES)
        return qdri_fail(
            QDR_ERR_INVALID,
            "%s: fields beyond its first %zu bytes are set, which this library, version %s, does not have",
            type, bytes, QDR_VERSION);
    char initialiser[60] = "";
    for (size_t i = 0; type[i] && type[i] != ' ' && i + 1 < sizeof initialiser; i++)
        initialiser[i] = (char)toupper((unsigned char)type[i]);
    return qdri_fail(QDR_ERR_INVALID, "%s.size is %zu, which is not a size of it; initialise it with %s",
                     type, size, initialiser);
}

qdr_status qdri_element_read(const char *type, void *known, size_t bytes, const void *array, size_t element,
                             int64_t index) {
    const char *given = (const char *)array + (size_t)index * element;
    if (!suits(given, element, bytes)) return qdri_sized_refuse(type, element, bytes);
    copy(known, bytes, given, element);
    return QDR_OK;
}

void qdri_sized_fill(void *given, size_t given_bytes, const void *known, size_t bytes) {
    size_t common = given_bytes < bytes ? given_bytes : bytes;
    memcpy(given, known, common);
    memset((char *)given + common, 0, given_bytes - common);
}
