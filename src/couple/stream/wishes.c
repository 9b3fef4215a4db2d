/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of a stream, over the ranks of both programs. It may be asked for in either program; the
 * exporter's wish goes before the importer's, and whoever wishes nothing follows. Wishes travel in an
 * agreement: those who decide put them into words, the others put in less than any word is, and all have
 * the maxima. (A machine does not travel: for algorithms that need one both programs give it.)
 */
#include <stdio.h>
#include <string.h>

#include "couple/stream/run.h"
#include "base/sized.h"

/* What travels, in whole words. */
typedef struct wishes {
    char algorithm[128], pacing[16], transport[16];
    int64_t chunk, window, barrier;
} wishes;
enum { WORDS = sizeof(wishes) / sizeof(int64_t) };
_Static_assert((int)WORDS <= (int)QDRI_TERMS, "wishes are the terms of one agreement");

static qdr_status copy_word(const char *word, char *to, size_t size) {
    if (!word) return QDR_OK;
    if (strlen(word) >= size)
        return qdri_fail(QDR_ERR_RANGE,
                         "'%.140s' is too long a name in the plan of a stream; expected less than %zu", word,
                         size);
    memcpy(to, word, strlen(word) + 1);
    return QDR_OK;
}

static qdr_status make_wishes(const qdr_plan_options *options, wishes *wanted) {
    QDRI_TRY(qdri_sized_refuse("qdr_plan_options", options->size, sizeof *options));
    *wanted = (wishes){.chunk = options->chunk, .window = options->window, .barrier = options->barrier != 0};
    QDRI_TRY(copy_word(options->algorithm, wanted->algorithm, sizeof wanted->algorithm));
    QDRI_TRY(copy_word(options->pacing, wanted->pacing, sizeof wanted->pacing));
    return copy_word(options->transport, wanted->transport, sizeof wanted->transport);
}

static qdr_status decode_wishes(wishes *wanted) {
    static const qdri_expected expected[] = {
        QDRI_MEMBER(wishes, chunk, "bytes of a chunk", 0, INT64_MAX),
        QDRI_MEMBER(wishes, window, "bytes of the window", 0, INT64_MAX),
        QDRI_MEMBER(wishes, barrier, "whether there is a barrier", 0, 1),
    };
    qdri_decode_text(wanted->algorithm, sizeof wanted->algorithm);
    qdri_decode_text(wanted->pacing, sizeof wanted->pacing);
    qdri_decode_text(wanted->transport, sizeof wanted->transport);
    return qdri_decode(QDRI_SOMEBODY, expected, 3, wanted);
}

/* Both: what those who decide asked for, on all ranks. */
static qdr_status share_wishes(qdri_running *running, wishes *wanted, double deadline) {
    const qdr_stream *stream = running->stream;
    int decides = running->plan_wished_by_exporter ? stream->exports : stream->imports;
    int64_t word[WORDS];
    qdri_term term[WORDS];
    qdr_status status = QDR_OK;
    for (int i = 0; i < (int)WORDS; i++) word[i] = INT64_MIN;
    if (stream->options.plan) {
        qdr_plan_options known;
        qdri_sized_read(&known, sizeof known, stream->options.plan);
        status = make_wishes(&known, wanted);
    }
    if (decides && stream->options.plan && !status) memcpy(word, wanted, sizeof *wanted);
    for (int i = 0; i < (int)WORDS; i++)
        term[i] = QDRI_IS_MOST("a wish for the plan", word[i], INT64_MIN, INT64_MAX);
    qdri_lock(running->wire);
    status = qdri_agree(running->wire, &(qdri_agreement){.call = "qdr_stream_create",
                                                         .status = status,
                                                         .term = term,
                                                         .terms = WORDS,
                                                         .deadline = deadline});
    qdri_unlock(running->wire);
    QDRI_TRY(status);
    for (int i = 0; i < (int)WORDS; i++) word[i] = term[i].value;
    memcpy(wanted, word, sizeof *wanted);
    return decode_wishes(wanted);
}

static const char *unless_empty(const char *word) {
    return *word ? word : NULL;
}

static void fill_options(const qdr_stream *stream, const wishes *wanted, qdr_plan_options *options) {
    if (stream->options.plan)
        qdri_sized_read(options, sizeof *options, stream->options.plan); /* machine, tracing, deadline */
    options->algorithm = unless_empty(wanted->algorithm);
    options->pacing = unless_empty(wanted->pacing);
    options->transport = unless_empty(wanted->transport);
    options->chunk = wanted->chunk;
    options->window = wanted->window;
    options->barrier = (int)wanted->barrier;
    options->in_flight = 1;
    if (!options->deadline) options->deadline = stream->seconds;
}

qdr_status qdri_plan_open(qdri_running *running) {
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    wishes wanted = {.chunk = 0};
    if (running->plan_is_wished)
        QDRI_TRY(share_wishes(running, &wanted, qdri_deadline(running->stream->seconds)));
    fill_options(running->stream, &wanted, &options);
    return qdr_plan_create(running->partners, &options, &running->plan);
}
