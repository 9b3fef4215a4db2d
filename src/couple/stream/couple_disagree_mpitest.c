/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of one program that do not say the same of a stream that runs: other times, other promises, a call
 * that is refused on one of them. All ranks of both programs are told. Arguments: those of couple_pair_testing.h.
 */
#include "mpi_check.h"

#include "couple/stream/couple_values_testing.h"

static void test_different_imports(int exporter) {
    static const char *const word[] = {"differ", "'torn'", NULL};
    for (int what = 0; what < 3; what++) {
        qdr_stream *stream = open_one("torn", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
        int other = own_rank == own_ranks - 1, ranks = side == exporter ? peer_ranks : own_ranks;
        qdr_status status = QDR_OK;
        if (!stream) return;
        if (ranks > 1 && side != exporter)
            status =
                qdr_import(stream, what == 0 && other ? 2 : 1, what == 1 && other ? QDR_AFTER : QDR_BEFORE,
                           what == 2 && other ? 2 : 1, (void *[]){in.bytes}, NULL);
        else if (ranks > 1)
            status = qdr_stream_destroy(&stream);
        if (ranks > 1) EXPECT("imports", status, QDR_ERR_MISMATCH, word);
        status = qdr_stream_destroy(&stream);
        CHECK(status == (ranks > 1 && side != exporter ? QDR_ERR_MISMATCH : QDR_OK));
    }
}

/* The import may have ended well on ranks that the wrong export did not reach; the next call has not. */
static void test_different_exports(int exporter) {
    qdr_stream *stream = open_one("split", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
    int ranks = side == exporter ? own_ranks : peer_ranks;
    qdr_status status = QDR_OK;
    if (!stream) return;
    if (ranks > 1 && side == exporter) {
        status = give(stream, own_rank == 0 ? 1.25 : 1); /* a late one may hear of it already here */
        for (int i = 0; !status && i < 5000; i++) {
            status = qdr_stream_promise(stream, 5);
            nap(0.001);
        }
    } else if (ranks > 1) {
        for (int i = 0; status != QDR_ERR_MISMATCH && i < 5000; i++) {
            status = qdr_import(stream, 2, QDR_BEFORE, 2, (void *[]){in.bytes}, NULL);
            CHECK(status == QDR_OK || status == QDR_ERR_MISMATCH);
            nap(0.001);
        }
    }
    if (ranks > 1)
        CHECK_SAYING(status == QDR_ERR_MISMATCH && strstr(qdr_error_message(), "disagree"), "%s: %s",
                     qdr_status_text(status), status ? qdr_error_message() : "");
    status = qdr_stream_destroy(&stream);
    CHECK(status == (ranks > 1 ? QDR_ERR_MISMATCH : QDR_OK));
}

/* One rank's call is refused, or another than that of the rest, where nobody votes: all of both programs are
 * told, long before any deadline, with the rank and the reason. */
static void test_one_is_wrong(int exporter, int fails_when_full) {
    enum { NO_ARRAYS, NOT_HIGHER, NO_TIME, NO_PROMISE, OTHER_PROMISE, KINDS };
    static const char *const reason[] = {"NULL", "not later", "nan", "nan", "promised 6"};
    for (int kind = 0; kind < (fails_when_full ? NO_PROMISE : KINDS); kind++) {
        qdr_stream_options options = QDR_STREAM_OPTIONS;
        options.fails_when_full = side == exporter && fails_when_full;
        qdr_stream *stream = open_one("wrong", exporter, options);
        const char *const word[] = {"'wrong'", fails_when_full ? "rank" : reason[kind], pair_name[exporter],
                                    NULL};
        int ranks = side == exporter ? own_ranks : peer_ranks, is_wrong = own_rank == ranks - 1;
        qdr_status status = QDR_OK;
        double begin = MPI_Wtime(), right = kind == NO_PROMISE || kind == OTHER_PROMISE ? 5 : 2;
        if (!stream) return;
        if (side == exporter && ranks > 1) {
            const void *data[] = {out.bytes};
            FINE(give(stream, 1));
            if (right == 5)
                status = qdr_stream_promise(stream, !is_wrong ? 5 : kind == NO_PROMISE ? NAN : 6);
            else if (is_wrong)
                status = qdr_export(stream,
                                    kind == NOT_HIGHER ? 1
                                    : kind == NO_TIME  ? NAN
                                                       : 2,
                                    kind == NO_ARRAYS ? NULL : data);
            else
                status = give(stream, 2);
            /* Who made the mistake is told at once, by itself. */
            for (int i = 0; (!status || status == QDR_ERR_INVALID) && i < 5000; i++) {
                nap(0.001);
                status = qdr_stream_promise(stream, 1); /* changes nothing */
            }
        } else if (ranks > 1) {
            status = qdr_import(stream, 2, QDR_EXACT, 0, (void *[]){in.bytes}, NULL);
            for (int i = 0; (!status || status == QDR_ERR_UNMATCHED) && i < 5000; i++) {
                nap(0.001);
                status = qdr_stream_promise(stream, 2);
            }
        }
        if (ranks > 1) {
            int said = status == QDR_ERR_MISMATCH;
            for (int i = 0; i < 3; i++) said &= strstr(qdr_error_message(), word[i]) != NULL;
            CHECK_SAYING(said, "kind %d: %s: %s", kind, qdr_status_text(status), qdr_error_message());
            CHECK_SAYING(MPI_Wtime() - begin < 25, "it took %.1f s", MPI_Wtime() - begin);
        }
        status = qdr_stream_destroy(&stream);
        CHECK(status == (ranks > 1 ? QDR_ERR_MISMATCH : QDR_OK));
    }
}

/* The same of imports, which vote. */
static void test_one_imports_wrong(int exporter) {
    for (int kind = 0; kind < 2; kind++) {
        qdr_stream *stream = open_one("askew", exporter, (qdr_stream_options)QDR_STREAM_OPTIONS);
        int ranks = side == exporter ? peer_ranks : own_ranks, is_wrong = own_rank == ranks - 1;
        qdr_status status = QDR_OK;
        if (!stream) return;
        if (side != exporter && ranks > 1) {
            void *data[] = {in.bytes};
            status = qdr_import(stream, 1, is_wrong && kind ? (qdr_match)9 : QDR_EXACT, 0,
                                is_wrong && !kind ? NULL : data, NULL);
            CHECK(status == (is_wrong ? QDR_ERR_INVALID : QDR_ERR_MISMATCH));
            for (int i = 0; status != QDR_ERR_MISMATCH && i < 5000; i++) {
                nap(0.001);
                status = qdr_stream_promise(stream, 1);
            }
        } else if (ranks > 1) {
            for (int i = 0; !status && i < 5000; i++) {
                nap(0.001);
                status = qdr_stream_promise(stream, 1);
            }
        }
        char name[80];
        snprintf(name, sizeof name, "rank %d of %s", ranks - 1, pair_name[1 - exporter]);
        if (ranks > 1)
            CHECK_SAYING(status == QDR_ERR_MISMATCH && strstr(qdr_error_message(), name), "%s: %s",
                         qdr_status_text(status), qdr_error_message());
        status = qdr_stream_destroy(&stream);
        CHECK(status == (ranks > 1 ? QDR_ERR_MISMATCH : QDR_OK));
    }
}

int main(int argc, char **argv) {
    open_pair(argc, argv);
    if (coupling) {
        open_array(&out, 0, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
        open_array(&in, 1, own_ranks, ELEMENTS, QDR_DOUBLE, 1);
        for (int exporter = 0; exporter < 2; exporter++) {
            test_different_imports(exporter);
            test_different_exports(exporter);
            test_one_is_wrong(exporter, 0);
            test_one_is_wrong(exporter, 1);
            test_one_imports_wrong(exporter);
        }
        close_array(&out);
        close_array(&in);
    }
    return close_pair();
}
