/* SPDX-License-Identifier: BSD-3-Clause */
/* What another process sent: see decode.h. */
#include "base/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { WHO = 120 };

static const char *name_sender(qdri_teller sender, char who[WHO]) {
    if (sender.rank < 0)
        snprintf(who, WHO, "%s", sender.program ? sender.program : "some rank");
    else if (sender.program)
        snprintf(who, WHO, "rank %d of %.90s", sender.rank, sender.program);
    else
        snprintf(who, WHO, "rank %d", sender.rank);
    return who;
}

/* ---- words --------------------------------------------------------------------------------------------- */

qdr_status qdri_refuse_word(qdri_teller sender, const char *name, int64_t word, int64_t least, int64_t most) {
    char who[WHO];
    if (least == most)
        return qdri_fail(QDR_ERR_MISMATCH, "%s sent %" PRId64 " as %s; expected %" PRId64,
                         name_sender(sender, who), word, name, least);
    return qdri_fail(QDR_ERR_MISMATCH, "%s sent %" PRId64 " as %s; expected %" PRId64 " to %" PRId64,
                     name_sender(sender, who), word, name, least, most);
}

qdr_status qdri_decode(qdri_teller sender, const qdri_expected *table, int words, const void *message) {
    for (int i = 0; i < words; i++) {
        int64_t word;
        memcpy(&word, (const char *)message + table[i].at, sizeof word);
        QDRI_TRY(qdri_decode_word(sender, table[i].name, word, table[i].least, table[i].most));
    }
    return QDR_OK;
}

qdr_status qdri_decode_length(qdri_teller sender, const char *what, int64_t came, int64_t expected) {
    char who[WHO];
    if (came == expected) return QDR_OK;
    return qdri_fail(QDR_ERR_MISMATCH, "%s sent %" PRId64 " bytes as %s; expected %" PRId64,
                     name_sender(sender, who), came, what, expected);
}

qdr_status qdri_decode_failure(qdri_teller sender, int64_t status) {
    enum {
        COUNTED_OK,
#define COUNT(name, text) COUNTED_##name,
        QDR_ERROR_TABLE(COUNT)
#undef COUNT
            STATUSES
    };
    return qdri_decode_word(sender, "the status of a failure", status, QDR_OK + 1, STATUSES - 1);
}

void qdri_decode_text(char *text, size_t size) {
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

/* ---- messages of no fixed length ----------------------------------------------------------------------- */

qdr_status qdri_cursor_take(qdri_cursor *cursor, const char *name, int64_t count, int64_t each,
                            const char **begin) {
    char who[WHO];
    if (count < 0 || each < 0 || (each > 0 && count > cursor->left / each))
        return qdri_fail(QDR_ERR_MISMATCH,
                         "%s sent %s with %" PRId64 " times %" PRId64 " bytes as %s; %" PRId64 " were left",
                         name_sender(cursor->sender, who), cursor->what, count, each, name, cursor->left);
    *begin = cursor->at;
    cursor->at += count * each;
    cursor->left -= count * each;
    return QDR_OK;
}

qdr_status qdri_cursor_copy(qdri_cursor *cursor, const char *name, void *to, size_t bytes) {
    const char *begin;
    QDRI_TRY(qdri_cursor_take(cursor, name, 1, (int64_t)bytes, &begin));
    memcpy(to, begin, bytes);
    return QDR_OK;
}

qdr_status qdri_cursor_number(qdri_cursor *cursor, const char *name, int64_t least, int64_t most,
                              int64_t *number) {
    char who[WHO];
    uint64_t word;
    int taken = qdri_number_read((const unsigned char *)cursor->at, cursor->left, &word);
    if (!taken)
        return qdri_fail(QDR_ERR_MISMATCH, "%s sent %s that ends, or has no number, in the place of %s",
                         name_sender(cursor->sender, who), cursor->what, name);
    cursor->at += taken;
    cursor->left -= taken;
    *number = word > INT64_MAX ? INT64_MAX : (int64_t)word;
    return qdri_decode_word(cursor->sender, name, *number, least, most);
}

qdr_status qdri_cursor_end(const qdri_cursor *cursor) {
    char who[WHO];
    if (cursor->left == 0) return QDR_OK;
    return qdri_fail(QDR_ERR_MISMATCH, "%s sent %s with %" PRId64 " bytes behind its end",
                     name_sender(cursor->sender, who), cursor->what, cursor->left);
}
