/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of a machine has the machine's ranks, links and routes, and no more lines than it needs. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille/machine.h"

static char *platform(const char *spec, int ranks) {
    qdr_machine *machine;
    char *text = NULL;
    size_t size;
    assert_int_equal(qdr_machine_create(spec, ranks, &machine), QDR_OK);
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(qdr_machine_write_simgrid(machine, stream), QDR_OK);
    fclose(stream);
    qdr_machine_destroy(&machine);
    return text;
}

static int64_t occurrences(const char *text, const char *word) {
    int64_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

static void assert_has(const char *text, const char *word) {
    if (!strstr(text, word)) fail_msg("there is no %s in\n%.3000s", word, text);
}

static void a_crossbar_is_one_cluster(void **state) {
    (void)state;
    char *text = platform("crossbar:tau=20us,rate=1GB/s", 1024);
    assert_int_equal(occurrences(text, "<cluster "), 1);
    assert_int_equal(occurrences(text, "<zoneRoute "), 0);
    assert_has(text, "radical=\"0-1023\"");
    assert_has(text, "bw=\"1e+09Bps\"");
    assert_has(text, "\"smpi/ois\" value=\"0:2e-05:0\"");
    assert_has(text, "sharing_policy=\"SPLITDUPLEX\"");
    free(text);
}

static void ports_sends_and_packets(void **state) {
    (void)state;
    char *text = platform("cm5", 8);
    assert_int_equal(occurrences(text, "<cluster "), 2);
    assert_has(text, "bw=\"6250000Bps\" lat=\"4.272e-05s\" sharing_policy=\"SHARED\""); /* 20 bytes for 16 */
    assert_has(text, "\"smpi/ois\" value=\"0:0:0\""); /* both ends wait for the startup */
    assert_has(text, "\"smpi/send-is-detached-thresh\" value=\"0\"");
    assert_has(text, "<link id=\"link0\" bandwidth=\"32000000Bps\"");
    free(text);
}

static void the_memory_of_a_node_is_inside(void **state) {
    (void)state;
    char *text = platform("node:k=4", 8);
    assert_int_equal(occurrences(text, "<zone id=\"group"), 2);
    assert_int_equal(occurrences(text, "<zoneRoute "), 2);
    assert_int_equal(occurrences(text, "<link id=\"link2\""), 1);
    assert_has(
        text,
        "<route src=\"rank0\" dst=\"rank3\" symmetrical=\"NO\"><link_ctn id=\"port0\" direction=\"UP\"/>"
        "<link_ctn id=\"link2\"/><link_ctn id=\"port3\" direction=\"DOWN\"/></route>");
    free(text);
}

static void far_clusters_have_a_latency(void **state) {
    (void)state;
    char *text = platform("grid:clusters=3,latency=7ms", 12);
    assert_int_equal(occurrences(text, "<cluster "), 3);
    assert_int_equal(occurrences(text, "latency=\"0.007s\" sharing_policy=\"FATPIPE\""), 6);
    free(text);
}

/* Where no two ranks are twins, every route is written, link by link. */
static void routes_are_the_machines(void **state) {
    static const char *const specs[] = {"mesh:columns=5", "hypercube", "torus:dimensions=3"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        enum { RANKS = 20, LINKS = 32, TEXT = 2048 };
        qdr_machine *machine;
        char *text = platform(specs[s], RANKS), line[TEXT];
        assert_int_equal(qdr_machine_create(specs[s], RANKS, &machine), QDR_OK);
        assert_int_equal(occurrences(text, "<zoneRoute "), RANKS * (RANKS - 1));
        for (int i = 0; i < RANKS; i++)
            for (int j = 0; j < RANKS; j++) {
                int64_t route[LINKS];
                int length = qdr_machine_route(machine, i, j, route);
                int used = snprintf(line, TEXT,
                                    "src=\"group%d\" dst=\"group%d\" gw_src=\"gate%d\" gw_dst=\"gate%d\" "
                                    "symmetrical=\"NO\">",
                                    i, j, i, j);
                for (int k = 0; k < length; k++)
                    used += snprintf(line + used, (size_t)(TEXT - used), "<link_ctn id=\"link%lld\"/>",
                                     (long long)route[k]);
                snprintf(line + used, (size_t)(TEXT - used), "</zoneRoute>");
                if (i != j) assert_has(text, line);
            }
        qdr_machine_destroy(&machine);
        free(text);
    }
}

/* Ranks at one router have one route; and a machine of one rank is one, too. */
static void twins_are_found(void **state) {
    (void)state;
    char *text = platform("dragonfly:hosts=4,routers=4", 64);
    assert_int_equal(occurrences(text, "<cluster "), 16);
    assert_int_equal(occurrences(text, "<zoneRoute "), 16 * 15);
    free(text);
    text = platform("fattree:arity=8", 20); /* the last switch has four */
    assert_has(text, "radical=\"16-19\"");
    assert_int_equal(occurrences(text, "<zoneRoute "), 6);
    free(text);
    text = platform("torus", 1);
    assert_has(text, "radical=\"0-0\"");
    free(text);
}

static void what_does_not_go(void **state) {
    (void)state;
    qdr_machine *machine;
    FILE *full = fopen("/dev/full", "w");
    assert_int_equal(qdr_machine_create("crossbar", 4, &machine), QDR_OK);
    assert_int_equal(qdr_machine_write_simgrid(machine, NULL), QDR_ERR_INVALID);
    assert_int_equal(qdr_machine_write_simgrid(NULL, stdout), QDR_ERR_INVALID);
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(qdr_machine_write_simgrid(machine, full), QDR_ERR_FILE);
        fclose(full);
    }
    qdr_machine_destroy(&machine);
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(qdr_machine_create("mesh", 1024, &machine), QDR_OK);
    assert_int_equal(qdr_machine_write_simgrid(machine, stream), QDR_ERR_RANGE);
    assert_non_null(strstr(qdr_error_message(), "1024 ranks"));
    qdr_machine_destroy(&machine);
    assert_int_equal(qdr_machine_create("crossbar", 1 << 20, &machine), QDR_OK);
    assert_int_equal(qdr_machine_write_simgrid(machine, stream), QDR_ERR_RANGE);
    qdr_machine_destroy(&machine);
    fclose(stream);
    assert_int_equal(size, 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crossbar_is_one_cluster),
        cmocka_unit_test(ports_sends_and_packets),
        cmocka_unit_test(the_memory_of_a_node_is_inside),
        cmocka_unit_test(far_clusters_have_a_latency),
        cmocka_unit_test(routes_are_the_machines),
        cmocka_unit_test(twins_are_found),
        cmocka_unit_test(what_does_not_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
