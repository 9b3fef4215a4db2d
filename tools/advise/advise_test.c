/* SPDX-License-Identifier: BSD-3-Clause */
/* What records say: exchange and waiting are told apart, bounds and gains are right, and what is no record
 * is refused. */
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "advise.h"
#include "core/complain.h"

/* ---- making records ------------------------------------------------------------------------------------ */

#define SITE "site\t1\tMPI_Alltoallv\t/none/app+0x10:f\t/none/app+0x20:main\n"

/* Adds the file of a rank: its first lines, and what follows. */
static int add(record *record, int rank, int ranks, const char *lines) {
    char name[64], *text = print_text("quadrille-record\t1\nrank\t%d\t%d\thost\nprogram\t/none/app\n%s", rank,
                                      ranks, lines);
    snprintf(name, sizeof name, "rank-%d", rank);
    int good = record_add(record, name, text, strlen(text));
    free(text);
    return good;
}

static void judge(record *record, const char *machine, advice *advice) {
    assert_true(record_join(record));
    assert_int_equal(advice_judge(advice, record, "folder", machine), EXIT_GOOD);
    advice_say(advice);
}

static void forget(record *record, advice *advice) {
    advice_clear(advice);
    record_clear(record);
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Two ranks send each other 1 MB, in 0.01 s at best; rank 1 is late once. */
static void waiting_is_not_exchange(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    assert_true(add(&record, 0, 2,
                    "comm\t7\t0\t2\t0\n" SITE "row\t1\t1:1000000\n"
                    "call\t7\t1\t1\tplain\t0\t0.01\ncall\t7\t1\t1\tplain\t1\t0.5\nend\t2\n"));
    assert_true(add(&record, 1, 2,
                    "comm\t7\t1\t2\t0\n" SITE "row\t1\t0:1000000\n"
                    "call\t7\t1\t1\tplain\t0\t0.01\ncall\t7\t1\t1\tplain\t1.47\t0.03\nend\t4\n"));
    judge(&record, NULL, &advice);
    assert_int_equal(advice.groups, 1);
    assert_int_equal(advice.patterns, 1);
    const advice_group *group = &advice.group[0];
    assert_int_equal(group->calls, 2);
    assert_near(group->seconds, 0.275);
    assert_near(group->seconds_most, 0.51);
    assert_near(group->waiting, 0.235);
    assert_near(group->exchange, 0.04);
    assert_int_equal(group->late_rank, 1);
    assert_near(group->late_share, 1);
    assert_near(advice.rate[0], 1e8);
    assert_true(isnan(advice.rate[1]));
    assert_near(group->gain, 0.03 - 1.1 * 0.01);
    assert_near(group->ratio, 3);
    assert_near(advice.run, 4);
    assert_near(group->share, 0.275 / 4);
    assert_int_equal(group->kind, ADVICE_WAITING);
    assert_non_null(strstr(group->sentence, "The exchange itself takes 3.0 times its bound."));
    assert_string_equal(group->how, "look at what rank 1 does before this call");
    assert_int_equal(advice.notes, 0);
    forget(&record, &advice);
}

/* Three ranks that send 100 kB to each other in `calls` calls, one every second. */
typedef struct moment {
    double entry, seconds;
} moment;

static void add_three(record *record, int calls, moment (*of)(int rank, int call)) {
    for (int rank = 0; rank < 3; rank++) {
        char *lines = NULL;
        size_t length;
        FILE *memory = open_memstream(&lines, &length);
        fprintf(memory, "comm\t0\t%d\t3\t0\n" SITE "row\t1\t%d:100000\t%d:100000\n", rank, (rank + 1) % 3,
                (rank + 2) % 3);
        for (int i = 0; i < calls; i++)
            fprintf(memory, "call\t0\t1\t1\tplain\t%.9f\t%.9f\n", i + of(rank, i).entry, of(rank, i).seconds);
        fclose(memory);
        assert_true(add(record, rank, 3, lines));
        free(lines);
    }
}

static moment late_in_turn(int rank, int call) {
    return rank == call % 3 ? (moment){0.19, 0.01} : (moment){0, 0.2};
}

/* Who is late changes: all of them are to be looked at. */
static void changing_ranks_are_not_blamed(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    add_three(&record, 3, late_in_turn);
    judge(&record, NULL, &advice);
    assert_int_equal(advice.group[0].kind, ADVICE_WAITING);
    assert_near(advice.group[0].late_share, 1.0 / 3);
    assert_near(advice.group[0].waiting, 3 * 0.38 / 3);
    assert_near(advice.group[0].gain, 0);
    assert_string_equal(advice.group[0].how, "look at how the work before this call is divided");
    forget(&record, &advice);
}

/* All come together. In the first call all is well; then one rank gets its messages at once, the others lose
 * some. */
static moment flooded(int rank, int call) {
    return call == 0 || rank == call % 3 ? (moment){0, 0.01} : (moment){0, 0.2};
}

static void a_flood_is_not_waiting(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    add_three(&record, 4, flooded);
    judge(&record, NULL, &advice);
    const advice_group *group = &advice.group[0];
    assert_int_equal(group->kind, ADVICE_FLOOD);
    assert_near(group->waiting, 0);
    assert_int_equal(group->late_rank, -1);
    assert_near(group->exchange, 0.01 + 3 * 0.41 / 3);
    assert_near(group->ratio, 20);
    assert_near(group->gain, 3 * (0.2 - 1.1 * 0.01));
    assert_null(strstr(group->sentence, "waiting"));
    assert_non_null(strstr(group->how, "LD_PRELOAD"));
    forget(&record, &advice);
}

/* Rank 2 has next to nothing to do: it comes last and is gone at once, which is not how long the exchange
 * takes; and rank 1 cannot have waited for longer than it was there. */
static void ranks_may_leave_early(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    assert_true(add(&record, 0, 3,
                    "comm\t0\t0\t3\t0\n" SITE
                    "row\t1\t0:99\t1:1000000\ncall\t0\t1\t1\tplain\t0.001\t0.012\nend\t1\n"));
    assert_true(add(&record, 1, 3,
                    "comm\t0\t1\t3\t0\n" SITE
                    "row\t1\t0:800000\t2:5\ncall\t0\t1\t1\tplain\t0\t0.002\nend\t1\n"));
    assert_true(add(&record, 2, 3,
                    "comm\t0\t2\t3\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t0.003\t0.000001\nend\t1\n"));
    judge(&record, NULL, &advice);
    assert_near(advice.call[0].exchange, 0.01);
    assert_near(advice.call[0].waiting, (0.002 + 0.002) / 3);
    assert_int_equal(advice.call[0].late, 2);
    const advice_pattern *pattern = &advice.pattern[0];
    assert_int_equal(pattern->messages, 3); /* the diagonal does not count */
    assert_int_equal(pattern->bytes, 1800005);
    assert_int_equal(pattern->traffic, 1000000);
    assert_int_equal(pattern->degree, 2);
    forget(&record, &advice);
}

/* Two communicators that exchange side by side take the time of one. */
static void communicators_beside_each_other_are_not_added(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    for (int rank = 0; rank < 4; rank++) {
        char *lines = print_text("comm\t%d\t%d\t2\t0\n" SITE
                                 "row\t1\t%d:1000000\ncall\t%d\t1\t1\tplain\t0\t%s\nend\t1\n",
                                 rank / 2, rank % 2, 1 - rank % 2, rank / 2, rank < 2 ? "0.1" : "0.3");
        assert_true(add(&record, rank, 4, lines));
        free(lines);
    }
    judge(&record, NULL, &advice);
    const advice_group *group = &advice.group[0];
    assert_int_equal(advice.groups, 1);
    assert_int_equal(group->calls, 2);
    assert_int_equal(group->comms, 2);
    assert_int_equal(group->members, 4);
    assert_int_equal(advice.patterns, 1);
    assert_near(group->seconds, 0.2);
    assert_near(group->gain, (0.3 - 1.1 * 0.1) / 2);
    assert_near(advice.share, 0.2);
    assert_int_equal(group->kind, ADVICE_FLOOD);
    assert_non_null(strstr(group->how, "third call")); /* such communicators are not paced */
    forget(&record, &advice);
}

/* What all ranks have in common counts, and the reader is told. */
static void a_program_may_die(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    assert_true(add(&record, 0, 4,
                    "comm\t0\t0\t3\t0\n" SITE "row\t1\t1:100\ncall\t0\t1\t1\tplain\t0\t0.1\n"
                    "call\t0\t1\t1\tplain\t0\t0.1\nrow\t2\t2:3\ncall\t0\t1\t2\tplain\t0\t0.1\nend\t9\n"));
    assert_true(add(&record, 1, 4,
                    "comm\t0\t1\t3\t0\n" SITE "row\t1\t0:100\ncall\t0\t1\t1\tplain\t0\t0.2\n"
                    "call\t0\t1\t1\tplain\t0\t0.1\ncall\t0\t1\t1\tpla"));
    judge(&record, NULL, &advice);
    assert_int_equal(advice.calls, 2);
    assert_int_equal(advice.notes, 3);
    assert_non_null(strstr(advice.note[0], "no file of ranks 2, 3:"));
    assert_non_null(strstr(advice.note[1], "of rank 1 has no end"));
    assert_non_null(strstr(advice.note[2], "1 calls are left out"));
    forget(&record, &advice);
}

/* One call in two hundred that is a thousand times faster than all others is not what the network can do. */
static void freaks_do_not_set_the_rate(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    for (int rank = 0; rank < 2; rank++) {
        char *lines = NULL;
        size_t length;
        FILE *memory = open_memstream(&lines, &length);
        fprintf(memory, "comm\t0\t%d\t2\t0\n" SITE "row\t1\t%d:1000000\n", rank, 1 - rank);
        for (int i = 0; i < 200; i++)
            fprintf(memory, "call\t0\t1\t1\tplain\t0\t%s\n", i == 77 ? "0.00001" : "0.01");
        fclose(memory);
        assert_true(add(&record, rank, 2, lines));
        free(lines);
    }
    judge(&record, NULL, &advice);
    assert_true(isnan(advice.run) && isnan(advice.group[0].share));
    assert_near(advice.rate[0], 1e8);
    assert_near(advice.group[0].gain, 0);
    assert_int_equal(advice.group[0].kind, ADVICE_NEAR);
    forget(&record, &advice);
}

/* On a machine: bounds are its own, predictions are made, and ranks of one node have neither. */
static void machines_have_bounds(void **state) {
    (void)state;
    record record = {0};
    advice advice;
    for (int rank = 0; rank < 2; rank++) {
        char *lines =
            print_text("comm\t0\t%d\t2\t0\n" SITE "row\t1\t%d:1000000\ncall\t0\t1\t1\tplain\t0\t0.05\n"
                       "comm\t1\t%d\t2\t1\ncall\t1\t1\t1\tplain\t0\t0.04\nend\t1\n",
                       rank, 1 - rank, rank);
        assert_true(add(&record, rank, 2, lines));
        free(lines);
    }
    judge(&record, "crossbar:tau=0s,rate=100MB/s", &advice);
    assert_int_equal(advice.groups, 2);
    assert_near(advice.group[0].ratio, 5);
    assert_near(advice.group[0].gain, 0.05 - 1.1 * 0.01);
    assert_near(advice.group[0].predicted, 0.01);
    assert_string_equal(advice.group[0].chosen, "async");
    assert_int_equal(advice.group[0].kind, ADVICE_FLOOD);
    assert_int_equal(advice.group[1].kind, ADVICE_ONE_NODE);
    assert_true(isnan(advice.group[1].ratio) && isnan(advice.group[1].predicted));
    assert_near(advice.group[1].gain, 0);
    forget(&record, &advice);
}

/* Where both ways were measured, the better one is known. */
static void trials_are_believed(void **state) {
    (void)state;
    for (int faster = 0; faster < 2; faster++) {
        record record = {0};
        advice advice;
        for (int rank = 0; rank < 2; rank++) {
            char *lines =
                print_text("comm\t0\t%d\t2\t0\n" SITE "row\t1\t%d:1000000\ncall\t0\t1\t1\tplain\t0\t0.05\n"
                           "call\t0\t1\t1\tpaced\t0\t%s\ncall\t0\t1\t1\tplain\t0\t0.05\nend\t1\n",
                           rank, 1 - rank, faster ? "0.01" : "0.06");
            assert_true(add(&record, rank, 2, lines));
            free(lines);
        }
        judge(&record, "crossbar:tau=0s,rate=100MB/s", &advice);
        assert_near(advice.group[0].plain_to_paced, faster ? 5 : 5.0 / 6);
        assert_int_equal(advice.group[0].kind, faster ? ADVICE_FLOOD : ADVICE_TRIED);
        assert_true(faster ? advice.group[0].gain > 0 : advice.group[0].gain == 0);
        forget(&record, &advice);
    }
}

/* A neighbor that is named twice gets one message of both sizes. */
static void repeated_neighbors_are_one(void **state) {
    (void)state;
    record record = {0};
    qdr_pattern *pattern;
    assert_true(add(&record, 0, 2,
                    "comm\t0\t0\t2\t0\n" SITE "row\t1\t1:10\t0:3\t1:5\ncall\t0\t1\t1\tplain\t0\t0.05\n"));
    assert_true(record_join(&record));
    assert_int_equal(record_pattern(&record, 0, 0, &pattern), QDR_OK);
    qdr_pattern_view view = qdr_pattern_look(pattern);
    assert_int_equal(view.messages, 1);
    assert_int_equal(view.items[0], 15);
    assert_int_equal(view.local[0], 3);
    qdr_pattern_destroy(&pattern);
    record_clear(&record);
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void nonsense_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {"call\t0\t1\t1\tplain\t0\t1\n", "rank-1:4: there is no line 'comm' for communicator 0"},
        {"comm\t0\t2\t3\t0\n",
         "rank-1:4: found '2'; expected a rank of the communicator, a whole number from 0 to 1"},
        {"comm\t0\t1\t1\t0\n", "rank-1:4: found '1'; expected the ranks"},
        {"comm\t0\t0\t3\t0\n", "rank-1:4: found '3'"},
        {"comm\t0\t0\t1\t2\n", "rank-1:4: found '2'; expected whether"},
        {"comm\t99999999999999999999\t0\t1\t0\n", "rank-1:4: found '99999999999999999999'"},
        {"comm\t-1\t0\t1\t0\n", "rank-1:4: found '-1'"},
        {"comm\t0\t0\t1\t0\ncomm\t0\t0\t1\t0\n", "rank-1:5: communicator 0 comes a second time"},
        {"row\t2\n", "rank-1:4: the number of the row is 2; expected 1"},
        {"row\t1\t2:5\n", "rank-1:4: found '2:5'; expected RANK:BYTES"},
        {"row\t1\t1:0\n", "rank-1:4: found '1:0'"},
        {"row\t1\t1:\n", "rank-1:4: found '1:'"},
        {"row\t1\t1:5x\n", "rank-1:4: found '1:5x'"},
        {"row\t1\t1:4398046511105\n", "rank-1:4: found"},
        {"row\t1\t1:4398046511104\t0:1\n", "rank-1:4: a row of more than 4 TiB"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\t1:5\ncall\t0\t1\t1\tplain\t0\t1\n",
         "rank-1:7: row 1 sends to rank 1"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t2\t1\tplain\t0\t1\n",
         "rank-1:7: found '2'; expected the number of a site"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tquick\t1\n",
         "rank-1:7: found 'quick'; expected plain or paced"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t-1\t1\n",
         "rank-1:7: found '-1'; expected the entry in seconds, a number from 0 to 1e9"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t2e9\t1\n",
         "rank-1:7: found '2e9'; expected the entry"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t0\t-1\n",
         "rank-1:7: found '-1'; expected the time in seconds"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t0\tnan\n", "rank-1:7: found 'nan'"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\n",
         "rank-1:7: found ''; expected the entry"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t1\n",
         "rank-1:7: found ''; expected the time"},
        {"comm\t0\t0\t1\t0\n" SITE "row\t1\ncall\t0\t1\t1\tplain\t0\t1\t1\n",
         "rank-1:7: found '1'; expected the end of the line"},
        {"end\t1e99\n", "rank-1:4: found '1e99'"},
        {"rank\t0\t2\thost\n", "rank-1:4: expected one line 'rank'"},
        {"something\n", "rank-1:4: found 'something'"},
        {"\n", "rank-1:4: found ''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record record = {0};
        assert_false(add(&record, 1, 2, cases[i].lines));
        if (!strstr(record.error, cases[i].message))
            fail_msg("'%s' lacks '%s'", record.error, cases[i].message);
        record_clear(&record);
    }
}

static void other_runs_are_refused(void **state) {
    (void)state;
    record record = {0};
    assert_true(add(&record, 0, 2, ""));
    assert_false(add(&record, 1, 3, ""));
    assert_non_null(strstr(record.error, "rank-1:2: is of another run, with 3 ranks where rank-0 has 2"));
    record_clear(&record);
    assert_true(add(&record, 0, 2, ""));
    assert_true(add(&record, 0, 2, ""));
    assert_false(record_join(&record));
    assert_non_null(strstr(record.error, "two files are of rank 0"));
    record_clear(&record);
    assert_true(add(&record, 0, 2, "comm\t5\t0\t2\t0\n"));
    assert_true(add(&record, 1, 2, "comm\t5\t0\t2\t0\n"));
    assert_false(record_join(&record));
    assert_non_null(
        strstr(record.error, "the files of ranks 0 and 1 both say that they are rank 0 of communicator 5"));
    record_clear(&record);
    assert_true(add(&record, 0, 2, "comm\t5\t0\t2\t0\n"));
    assert_false(add(&record, 1, 2, "comm\t5\t0\t1\t0\n"));
    assert_non_null(strstr(record.error, "communicator 5 is another one in the file of rank 0"));
    record_clear(&record);
    assert_false(record_add(&record, "empty", "", 0));
    assert_non_null(strstr(record.error, "the file ends before the line 'rank'"));
    record_clear(&record);
    assert_false(record_add(&record, "late", "quadrille-record\t2\n", 19));
    assert_non_null(strstr(record.error, "late:1: found '2'; expected version 1"));
    record_clear(&record);
}

/* ---- call sites ---------------------------------------------------------------------------------------- */

static void frames_are_found(void **state) {
    (void)state;
    record record = {0};
    assert_true(add(&record, 0, 1,
                    "site\t1\tMPI_Alltoallv\t/none/libmpi.so.40+0x1:inside\t/none/a:b+0x1+c+0x7f:Vec::go\t/"
                    "none/app+0xabc:"
                    "\t/none/app+0x1:main\t/none/app+0x2:more\t/lib/libc.so.6+0x5:__libc_start_main\n"
                    "site\t2\tMPI_Alltoallv\nsite\t3\tMPI_Alltoallv\tnonsense\t+0x:\t:\n"));
    record_find_lines(&record);
    /* Symbols with colons cannot be told from their objects' names; mangled ones have none. */
    assert_string_equal(record.site[0].text, "app+0xabc < main < more");
    assert_string_equal(record.site[1].text, "an unknown place");
    assert_string_equal(record.site[2].text, "an unknown place");
    record_clear(&record);
}

/* A function of this program itself. */
static void lines_are_found(void **state) {
    (void)state;
    record record = {0};
    Dl_info info;
    char path[4096] = "";
    if (system("addr2line --version > /dev/null 2>&1")) skip();
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    assert_true(dladdr((void *)(uintptr_t)lines_are_found, &info));
    char *lines = print_text("site\t1\tMPI_Alltoallv\t%s+0x%" PRIxPTR ":\t/none/app+0x1:main\n", path,
                             (uintptr_t)lines_are_found - (uintptr_t)info.dli_fbase);
    assert_true(add(&record, 0, 1, lines));
    record_find_lines(&record);
    assert_non_null(strstr(record.site[0].text, "lines_are_found at advise_test.c:"));
    free(lines);
    record_clear(&record);
}

/* Of this program without its symbols, all but one: that one names what it covers, and nothing behind it. */
static void symbols_name_what_they_cover(void **state) {
    (void)state;
    record record = {0};
    Dl_info info;
    char path[4096] = "", copy[] = "/tmp/advise_test.XXXXXX";
    if (system("addr2line --version > /dev/null 2>&1 && strip --version > /dev/null 2>&1")) skip();
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    assert_true(dladdr((void *)(uintptr_t)frames_are_found, &info));
    uintptr_t base = (uintptr_t)info.dli_fbase, frames = (uintptr_t)frames_are_found - base,
              lines = (uintptr_t)lines_are_found - base;
    const char *kept = frames < lines ? "frames_are_found" : "lines_are_found";
    int descriptor = mkstemp(copy);
    assert_true(descriptor >= 0 && close(descriptor) == 0);
    char *command = print_text("strip --strip-all --keep-symbol=%s -o %s '%s'", kept, copy, path);
    char *sites =
        print_text("site\t1\tMPI_Alltoallv\t%s+0x%" PRIxPTR ":\nsite\t2\tMPI_Alltoallv\t%s+0x%" PRIxPTR ":\n",
                   copy, frames < lines ? frames : lines, copy, frames < lines ? lines : frames);
    char *nameless = print_text("%s+0x%" PRIxPTR, strrchr(copy, '/') + 1, frames < lines ? lines : frames);
    assert_int_equal(system(command), 0);
    assert_true(add(&record, 0, 1, sites));
    record_find_lines(&record);
    assert_string_equal(record.site[0].text, kept);
    assert_string_equal(record.site[1].text, nameless);
    unlink(copy);
    free(command);
    free(sites);
    free(nameless);
    record_clear(&record);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_is_not_exchange),
        cmocka_unit_test(changing_ranks_are_not_blamed),
        cmocka_unit_test(a_flood_is_not_waiting),
        cmocka_unit_test(ranks_may_leave_early),
        cmocka_unit_test(communicators_beside_each_other_are_not_added),
        cmocka_unit_test(a_program_may_die),
        cmocka_unit_test(freaks_do_not_set_the_rate),
        cmocka_unit_test(machines_have_bounds),
        cmocka_unit_test(trials_are_believed),
        cmocka_unit_test(repeated_neighbors_are_one),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(other_runs_are_refused),
        cmocka_unit_test(frames_are_found),
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(symbols_name_what_they_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
