/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile text for the reader of records.
 *
 *     record_fuzz [inputs]         20000 inputs unless told otherwise
 *
 * A record is the files of three ranks, of which one or two are damaged: bytes flipped, deleted, inserted
 * or repeated, numbers exchanged for awkward ones, the end cut off, the tail of another file attached. The
 * stream is fixed, so a failure repeats. A refusal must leave one line of text that names the file. What is
 * accepted must go all the way to advice, with times that add up, and be written as text and as JSON.
 */
#include <math.h>
#include <stdint.h>

#include "advise/advise.h"
#include "mutate.h"

enum { FILES = 3 };

static const char *const files[FILES] = {
    "quadrille-record\t1\nrank\t0\t3\tnorth\nprogram\t/none/app\ncomm\t0\t0\t3\t0\n"
    "site\t1\tMPI_Alltoallv\t/none/app+0x10:f\t/none/app+0x20:main\nrow\t1\t0:7\t1:500000\t2:300000\n"
    "call\t0\t1\t1\tplain\t0.004\t0.012\ncall\t0\t1\t1\tpaced\t0.5\t0.006\n"
    "row\t2\t1:64\ncall\t0\t1\t2\tplain\t0.7\t0.001\n"
    "comm\t1\t0\t2\t1\nsite\t2\tMPI_Neighbor_alltoallw\t/none/app+0x30:\ncall\t1\t2\t2\tplain\t0\t0.001\n"
    "rest\t5\t0.5\nend\t1.5\n",
    "quadrille-record\t1\nrank\t1\t3\tnorth\nprogram\t/none/app\ncomm\t0\t1\t3\t0\n"
    "site\t1\tMPI_Alltoallv\t/none/app+0x10:f\t/none/app+0x20:main\nrow\t1\t0:500000\t2:300000\n"
    "call\t0\t1\t1\tplain\t0.006\t0.010\ncall\t0\t1\t1\tpaced\t0.5\t0.006\n"
    "row\t2\ncall\t0\t1\t2\tplain\t0.7001\t0.002\n"
    "comm\t1\t1\t2\t1\nsite\t2\tMPI_Neighbor_alltoallw\t/none/app+0x30:\nrow\t3\t0:9\t1:3\t0:5\n"
    "call\t1\t2\t3\tplain\t0.001\t0.002\nend\t1.5\n",
    "quadrille-record\t1\nrank\t2\t3\tsouth\nprogram\t/none/app\ncomm\t0\t2\t3\t0\n"
    "site\t1\tMPI_Alltoallv\t/none/app+0x10:f\t/none/app+0x20:main\nrow\t1\t0:500000\t1:300000\n"
    "call\t0\t1\t1\tplain\t0\t0.020\ncall\t0\t1\t1\tpaced\t0.5\t0.006\n"
    "row\t2\t1:64\ncall\t0\t1\t2\tplain\t0.7\t0.001\nend\t1.5\n",
};

static void check_refusal(const record *record, const input *text) {
    if (!record->error[0]) complain(text, "refused without a message");
    if (strchr(record->error, '\n')) complain(text, "refused with more than one line");
}

/* Every time is a number, and the parts are not more than the whole. */
static void check_group(const advice_group *group, const input *text) {
    const double little = 1e-9 * (1 + group->seconds);
    int good = group->calls > 0 && group->members > 0 && group->heavy > 0 && group->paced <= group->calls;
    good = good && group->seconds >= 0 && group->waiting >= 0 && group->gain >= 0 && group->left >= 0;
    good = good && fabs(group->exchange + group->waiting - group->seconds) <= little;
    good = good && group->seconds_most >= group->seconds - little && group->late_share <= 1 + 1e-9;
    good = good && group->bytes_median <= group->bytes_most && group->bytes_median >= 0;
    if (!good) complain(text, "times do not add up");
    if (!group->sentence[0]) complain(text, "there is no advice");
}

/* A rank does not wait for longer than it is in the call. */
static void check_call(const advice_call *call, const input *text) {
    if (!(call->exchange >= 0 && call->waiting >= 0 && call->waiting <= call->mean * (1 + 1e-9)))
        complain(text, "a call has impossible times");
}

static void check_pattern(const advice *advice, const advice_group *group, const input *text) {
    const advice_pattern *of = &advice->pattern[group->heavy_pattern[0].pattern];
    qdr_pattern *pattern = NULL;
    qdr_pattern_statistics statistics;
    if (record_pattern(advice->record, of->comm, of->call, &pattern))
        complain(text, "a pattern cannot be made");
    qdr_pattern_measure(pattern, &statistics);
    if (statistics.items != of->bytes || statistics.traffic != of->traffic)
        complain(text, "a pattern is not what was counted");
    qdr_pattern_destroy(&pattern);
}

static void check_accepted(record *record, const char *machine, FILE *sink, const input *text) {
    advice advice;
    if (advice_judge(&advice, record, "folder", machine)) complain(text, "what was read cannot be judged");
    advice_say(&advice);
    for (int64_t i = 0; i < advice.calls; i++) check_call(&advice.call[i], text);
    for (int64_t i = 0; i < advice.groups; i++) {
        check_group(&advice.group[i], text);
        check_pattern(&advice, &advice.group[i], text);
    }
    advice_write_text(&advice, sink);
    if (advice_write_json(&advice, sink)) complain(text, "JSON cannot be made");
    advice_clear(&advice);
}

static int try_record(qdri_random *random, FILE *sink) {
    static input damaged[FILES];
    record record = {0};
    int last = (int)qdri_random_below(random, FILES), good = 1;
    for (int i = 0; i < FILES; i++) set_text(&damaged[i], files[i], strlen(files[i]));
    for (uint64_t hits = 1 + qdri_random_below(random, 4); hits > 0; hits--) {
        mutate(random, &damaged[last], files[qdri_random_below(random, FILES)]);
        if (qdri_random_below(random, 4) == 0) last = (int)qdri_random_below(random, FILES);
    }
    for (int i = 0; i < FILES && good; i++) {
        good = record_add(&record, "rank.txt", damaged[i].bytes, damaged[i].size);
        last = i;
    }
    good = good && record_join(&record);
    if (good)
        check_accepted(&record, qdri_random_below(random, 2) ? "ethernet" : NULL, sink, &damaged[last]);
    else
        check_refusal(&record, &damaged[last]);
    record_clear(&record);
    return good;
}

int main(int count, char **words) {
    long inputs = count > 1 ? atol(words[1]) : 20000, accepted = 0;
    qdri_random random = qdri_random_seed(1);
    FILE *sink = fopen("/dev/null", "w");
    if (!sink) return 1;
    for (long i = 0; i < inputs; i++) accepted += try_record(&random, sink);
    fclose(sink);
    printf("record_fuzz: %ld inputs, %ld accepted, %ld refused\n", inputs, accepted, inputs - accepted);
    return accepted == 0 || accepted == inputs; /* then nothing was tested */
}
