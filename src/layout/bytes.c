/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptions travel as sequences of whole numbers, each in as few bytes as it needs
 * (base/number.h); the sign is folded into the lowest bit. Most numbers of a schedule take one to three bytes.
 *
 * A reader believes nothing: each number is held against its bounds, each number has one spelling, and a
 * count is held against the bytes that are left before anything is allocated.
 */
#include "bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"

static uint64_t fold(int64_t number) {
    return ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0);
}

static int64_t unfold(uint64_t word) {
    uint64_t magnitude = word >> 1;
    return word & 1 ? -(int64_t)magnitude - 1 : (int64_t)magnitude;
}

void qdri_put(qdri_writer *writer, int64_t number) {
    if (writer->digesting) {
        writer->digest = qdri_mix(writer->digest ^ (uint64_t)number);
        return;
    }
    if (writer->failed ||
        !qdri_grow(&writer->bytes, &writer->capacity, writer->size + QDRI_LONGEST_NUMBER, 1)) {
        writer->failed = 1;
        return;
    }
    writer->size += qdri_number_write(fold(number), writer->bytes + writer->size);
}

void qdri_put_all(qdri_writer *writer, int64_t count, const int64_t *number) {
    for (int64_t i = 0; i < count; i++) qdri_put(writer, number[i]);
}

qdr_status qdri_writer_take(qdri_writer *writer, void **bytes, int64_t *size) {
    if (writer->failed) {
        free(writer->bytes);
        return qdri_fail_memory();
    }
    *bytes = writer->bytes;
    *size = writer->size;
    return QDR_OK;
}

/* 0 when there is no number. */
static int take_word(qdri_reader *reader, uint64_t *word) {
    int taken = qdri_number_read(reader->bytes, reader->left, word);
    reader->bytes += taken;
    reader->left -= taken;
    return taken > 0;
}

qdr_status qdri_get(qdri_reader *reader, const char *name, int64_t low, int64_t high, int64_t *number) {
    uint64_t word;
    if (!take_word(reader, &word))
        return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s end, or hold no number, where %s was expected",
                         reader->what, name);
    int64_t value = unfold(word);
    if (value < low || value > high)
        return qdri_fail(QDR_ERR_SYNTAX, "in the bytes of %s, %s is %" PRId64 ", not %" PRId64 "..%" PRId64,
                         reader->what, name, value, low, high);
    *number = value;
    return QDR_OK;
}

qdr_status qdri_get_count(qdri_reader *reader, const char *name, int64_t *count) {
    int64_t value;
    QDRI_TRY(qdri_get(reader, name, 0, INT64_MAX, &value));
    if (value > reader->left)
        return qdri_fail(QDR_ERR_SYNTAX,
                         "the bytes of %s claim %" PRId64 " %s, more than the %" PRId64 " bytes left",
                         reader->what, value, name, reader->left);
    *count = value;
    return QDR_OK;
}

qdr_status qdri_get_array(qdri_reader *reader, const char *name, int64_t count, int64_t **number) {
    if (count > reader->left)
        return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s end before %s", reader->what, name);
    int64_t *array = QDRI_ARRAY(int64_t, count);
    if (!array) return qdri_fail_memory();
    for (int64_t i = 0; i < count; i++) {
        qdr_status status = qdri_get(reader, name, 0, INT64_C(1) << 62, array + i);
        if (status) {
            free(array);
            return status;
        }
    }
    *number = array;
    return QDR_OK;
}

qdr_status qdri_reader_end(const qdri_reader *reader) {
    if (reader->left == 0) return QDR_OK;
    return qdri_fail(QDR_ERR_SYNTAX, "behind the bytes of %s there are %" PRId64 " more", reader->what,
                     reader->left);
}

qdr_status qdri_reader_blame(const qdri_reader *reader, qdr_status status) {
    if (status == QDR_OK || status == QDR_ERR_MEMORY || status == QDR_ERR_SYNTAX) return status;
    char sentence[400];
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    return qdri_fail(QDR_ERR_SYNTAX, "the bytes of %s: %s", reader->what, sentence);
}
