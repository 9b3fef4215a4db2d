/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile text for the two readers of patterns: Matrix Market files and specs.
 *
 *     pattern_fuzz [inputs]        20000 inputs unless told otherwise
 *
 * Every input is a valid seed with one to four mutations: bytes flipped, deleted, inserted or repeated,
 * numbers exchanged for awkward ones, the end cut off, the tail of another seed attached. The stream is
 * fixed, so a failure repeats. A refusal must leave one line of text and no pattern; what is accepted must be
 * measurable and must come back equal from a file of its own.
 *
 * A spec may rightly ask for a gigabyte of messages. So that a run stays small, numbers of four to eight
 * digits are cut to three in specs; hostile ones are longer, and the code itself must refuse them.
 */
#include "mutate.h"
#include "quadrille/pattern.h"

enum { SPEC_DIGITS = 3, HOSTILE_DIGITS = 9 };

static const char *const files[] = {
    "%%MatrixMarket matrix coordinate integer general\n4 4 5\n1 2 10\n2 1 20\n3 3 5\n4 1 7\n1 4 1024\n",
    "%%MatrixMarket matrix coordinate real general\n% comment\n\n3 3 3\n1 2 1.0e1\n2 3 2.50E+2\n3 1 7\n",
    "%%MatrixMarket matrix coordinate pattern general\n5 5 4\n1 2\n2 3\n3 4\n5 1\n",
    "%%MatrixMarket matrix coordinate integer symmetric\r\n4 4 4\r\n2 1 3\r\n3 1 4\r\n4 4 9\r\n4 3 2\r\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
    "%%MatrixMarket matrix coordinate integer general\n1 1 0\n",
};

static const char *const specs[] = {
    "complete:n=9,bytes=1..99,sizes=log,seed=3",
    "random:n=24,density=0.25,bytes=512,seed=1",
    "random:n=24,degree=5,bytes=1..100",
    "random:n=24,degree=5,bytes=0..4Ki,unit=256",
    "complete:n=9,bytes=0",
    "transport:n=16,fanout=8,traffic=999,skew=1/8",
    "permutation:n=12,bytes=1",
    "shift:n=7,by=-3",
    "transpose:n=16",
    "alltoone:n=8,root=3,bytes=2..4",
    "onetoall:n=8,root=3",
    "hotspot:n=16,hot=2,factor=16,density=0.5",
    "zipf:n=20,density=0.3,exponent=1.2",
    "powerlaw:n=20,exponent=2,max=9",
    "moe:n=8,experts=16,tokens=50,top=2,skew=1,bytes=64",
    "halo2d:n=12,columns=4,points=10,width=2,corners,periodic",
    "halo3d:n=24,columns=4,rows=3,points=4,periodic=yes",
    "paper:P,bytes=256",
};

/* Cuts the numbers that are legal and large, and breaks the units that make them so. */
static void tame(input *text) {
    for (size_t i = 0; i < text->size; i++) {
        size_t length = 0;
        while (i + length < text->size && isdigit((unsigned char)text->bytes[i + length])) length++;
        if (length > SPEC_DIGITS && length < HOSTILE_DIGITS) replace(text, i, length - SPEC_DIGITS, "", 0);
        if (length && length < HOSTILE_DIGITS) length = length > SPEC_DIGITS ? SPEC_DIGITS : length;
        i += length;
        if (length && i < text->size && strchr("kKMGeE", text->bytes[i]) && text->bytes[i])
            text->bytes[i] = '_';
    }
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static int same(const void *a, const void *b, int64_t count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static int equal(const qdr_pattern *a, const qdr_pattern *b) {
    qdr_pattern_view one = qdr_pattern_look(a), two = qdr_pattern_look(b);
    return one.ranks == two.ranks && one.messages == two.messages &&
           same(one.origin, two.origin, one.messages, sizeof(int)) &&
           same(one.destination, two.destination, one.messages, sizeof(int)) &&
           same(one.items, two.items, one.messages, sizeof(int64_t)) &&
           same(one.column_message, two.column_message, one.messages, sizeof(int64_t)) &&
           same(one.local, two.local, one.ranks, sizeof(int64_t));
}

/* A file does not bring back messages without items. */
static int same_but_for_empty(const qdr_pattern *pattern, const qdr_pattern *back) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_message *list = malloc(((size_t)view.messages + (size_t)view.ranks) * sizeof *list);
    qdr_pattern *full = NULL;
    int64_t count = 0;
    for (int64_t m = 0; list && m < view.messages; m++)
        list[count++] = (qdr_message){view.origin[m], view.destination[m], view.items[m]};
    for (int rank = 0; list && rank < view.ranks; rank++)
        list[count++] = (qdr_message){rank, rank, view.local[rank]};
    int same = list && qdr_pattern_create(view.ranks, count, list, &full) == QDR_OK && equal(full, back);
    qdr_pattern_destroy(&full);
    free(list);
    return same;
}

static void check_accepted(const input *text, const qdr_pattern *pattern, int is_file) {
    char *file = NULL;
    size_t size = 0;
    qdr_pattern *back = NULL;
    qdr_pattern_statistics statistics;
    qdr_pattern_measure(pattern, &statistics);
    if (statistics.messages > 0 && (statistics.smallest < is_file || statistics.traffic < statistics.largest))
        complain(text, "the statistics contradict themselves");
    FILE *stream = open_memstream(&file, &size);
    if (!stream || qdr_pattern_write(pattern, stream) != QDR_OK) complain(text, "cannot be written");
    fclose(stream);
    stream = fmemopen(file, size, "r");
    if (!stream || qdr_pattern_read(stream, "back", 0, &back) != QDR_OK)
        complain(text, "cannot be read back");
    if (!(statistics.smallest > 0 ? equal : same_but_for_empty)(pattern, back))
        complain(text, "comes back different");
    fclose(stream);
    free(file);
    qdr_pattern_destroy(&back);
}

static int run(const input *text, int is_file) {
    qdr_pattern *pattern = NULL;
    qdr_status status;
    if (is_file) {
        FILE *stream = text->size ? fmemopen((void *)text->bytes, text->size, "r") : fopen("/dev/null", "r");
        if (!stream) complain(text, "no stream");
        status = qdr_pattern_read(stream, "fuzz.mtx", 64, &pattern);
        fclose(stream);
    } else {
        status = qdr_pattern_from_spec(text->bytes, &pattern);
    }
    if (status == QDR_OK) {
        if (!pattern) complain(text, "accepted without a pattern");
        check_accepted(text, pattern, is_file);
        qdr_pattern_destroy(&pattern);
        return 1;
    }
    if (pattern) complain(text, "refused with a pattern");
    check_message(text);
    if (is_file && strncmp(qdr_error_message(), "fuzz.mtx:", 9))
        complain(text, "refused without the file's name");
    return 0;
}

int main(int argc, char **argv) {
    long inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 20000, accepted = 0;
    qdri_random random = qdri_random_seed(20240607);
    for (long i = 0; i < inputs; i++) {
        int is_file = qdri_random_below(&random, 2) == 0;
        const char *const *table = is_file ? files : specs;
        size_t count = is_file ? COUNT(files) : COUNT(specs);
        const char *seed = pick(&random, table, count);
        static input text;
        set_text(&text, seed, strlen(seed));
        for (int mutations = 1 + (int)qdri_random_below(&random, 4); mutations > 0; mutations--)
            mutate(&random, &text, pick(&random, table, count));
        if (!is_file) tame(&text);
        accepted += run(&text, is_file);
    }
    printf("pattern_fuzz: %ld inputs, %ld accepted, %ld refused\n", inputs, accepted, inputs - accepted);
    return 0;
}
