/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines as objects: what a spec says, what presets mean, how each mistake is named. Routes: route_test.c.
 */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static qdr_machine *make(const char *spec, int ranks) {
    qdr_machine *machine = NULL;
    qdr_status status = qdr_machine_create(spec, ranks, &machine);
    if (status != QDR_OK) fail_msg("%s, %d ranks: %s", spec, ranks, qdr_error_message());
    return machine;
}

static void close_to(double value, double expected) {
    double error = value > expected ? value - expected : expected - value;
    if (error > 1e-9 * expected) fail_msg("%.15g is not %.15g", value, expected);
}

static void refuse(const char *spec, int ranks, qdr_status expected, const char *part) {
    qdr_machine *machine = NULL;
    qdr_status status = qdr_machine_create(spec, ranks, &machine);
    if (status != expected || !strstr(qdr_error_message(), part))
        fail_msg("'%s', %d ranks: status %d, '%s'; expected %d, '%s'", spec, ranks, (int)status,
                 qdr_error_message(), (int)expected, part);
    assert_null(machine);
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static void all_parameters_are_read(void **state) {
    (void)state;
    qdr_machine *machine =
        make("crossbar:tau=2us,mu=3ns,hop=4ns,copy=5ns,ports=paired,sends=synchronous,buffer=2Ki,"
             "switching=circuit,packet=100,payload=80,barrier=6us,combine=7us,scan=8us,n=50",
             7);
    const qdr_machine_parameters *look = qdr_machine_look(machine);
    assert_int_equal(look->ranks, 7);
    close_to(look->tau, 2e-6);
    close_to(look->mu, 3e-9);
    close_to(look->hop, 4e-9);
    close_to(look->copy, 5e-9);
    assert_int_equal(look->ports, QDR_PORTS_PAIRED);
    assert_int_equal(look->sends, QDR_SENDS_SYNCHRONOUS);
    assert_int_equal(look->buffer, 2048);
    assert_int_equal(look->switching, QDR_SWITCHING_CIRCUIT);
    assert_int_equal(look->packet, 100);
    assert_int_equal(look->payload, 80);
    close_to(look->barrier, 6e-6);
    close_to(look->combine, 7e-6);
    close_to(look->scan, 8e-6);
    assert_string_equal(qdr_machine_topology(machine), "crossbar");
    qdr_machine_destroy(&machine);
    assert_null(machine);
}

static void words_are_in_the_order_of_the_enumerations(void **state) {
    static const char *const ports[] = {"crossbar:ports=full", "crossbar:ports=half",
                                        "crossbar:ports=paired"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        qdr_machine *machine = make(ports[i], 2);
        assert_int_equal(qdr_machine_look(machine)->ports, i);
        assert_int_equal(qdr_machine_look(machine)->sends, QDR_SENDS_BUFFERED);
        assert_int_equal(qdr_machine_look(machine)->switching, QDR_SWITCHING_PACKET);
        qdr_machine_destroy(&machine);
    }
}

static void collectives_have_derived_defaults(void **state) {
    (void)state;
    qdr_machine *machine = make("crossbar:tau=10us,mu=1ns", 33);
    close_to(qdr_machine_look(machine)->barrier, 60e-6);
    close_to(qdr_machine_look(machine)->combine, 16e-9);
    close_to(qdr_machine_look(machine)->scan, 48e-9);
    qdr_machine_destroy(&machine);
    machine = make("crossbar:tau=10us", 1);
    assert_true(qdr_machine_look(machine)->barrier == 0);
    qdr_machine_destroy(&machine);
}

static double mu_of(const char *spec) {
    qdr_machine *machine = make(spec, 4);
    double mu = qdr_machine_look(machine)->mu;
    qdr_machine_destroy(&machine);
    return mu;
}

static void rate_and_mu_replace_each_other(void **state) {
    (void)state;
    close_to(mu_of("crossbar:rate=20MB/s"), 50e-9);
    close_to(mu_of("cm5:rate=20MB/s"), 50e-9);
    close_to(mu_of("cm5:mu=7ns"), 7e-9);
    close_to(mu_of("ethernet"), 0.8e-9);
    close_to(mu_of("ethernet:mu=7ns"), 7e-9);
    close_to(mu_of("ethernet:rate=1GB/s"), 1e-9);
    close_to(mu_of("grid"), 40e-9);
}

static void packets_round_up(void **state) {
    (void)state;
    qdr_machine *machine = make("cm5", 32);
    assert_int_equal(qdr_machine_wire_bytes(machine, 0), 0);
    assert_int_equal(qdr_machine_wire_bytes(machine, 1), 20);
    assert_int_equal(qdr_machine_wire_bytes(machine, 16), 20);
    assert_int_equal(qdr_machine_wire_bytes(machine, 17), 40);
    assert_int_equal(qdr_machine_wire_bytes(machine, 256), 320);
    assert_int_equal(qdr_machine_wire_bytes(machine, -5), 0);
    assert_true(qdr_machine_wire_bytes(machine, INT64_MAX) == INT64_MAX);
    qdr_machine_destroy(&machine);
    machine = make("crossbar", 2);
    assert_int_equal(qdr_machine_wire_bytes(machine, 17), 17);
    assert_true(qdr_machine_wire_bytes(machine, INT64_MAX) == INT64_MAX);
    qdr_machine_destroy(&machine);
}

/* ---- presets ------------------------------------------------------------------------------------------- */

static void everything_known_builds(void **state) {
    static const int more[] = {64, 100, 127, 256, 1000, 1 << 24};
    const qdr_machine_info *info;
    int presets = 0, index = 0;
    (void)state;
    for (; (info = qdr_machine_known(index)); index++) {
        assert_true(info->is_preset >= presets); /* topologies first */
        presets = info->is_preset;
        assert_non_null(strstr(info->options, "tau="));
        assert_true(strlen(info->summary) > 0 && strlen(info->source) > 0);
        for (int i = 0; i < 40 + (int)(sizeof more / sizeof more[0]); i++) {
            int ranks = i < 40 ? i + 1 : more[i - 40];
            qdr_machine *machine = make(info->name, ranks), *same = make(info->spec, ranks);
            assert_string_equal(qdr_machine_spec(machine), info->name);
            assert_string_equal(qdr_machine_spec(same), info->spec);
            assert_string_equal(qdr_machine_topology(machine), qdr_machine_topology(same));
            if (info->is_preset) {
                assert_memory_equal(qdr_machine_look(machine), qdr_machine_look(same),
                                    sizeof(qdr_machine_parameters));
                assert_int_equal(qdr_machine_links(machine), qdr_machine_links(same));
            }
            qdr_machine_destroy(&machine);
            qdr_machine_destroy(&same);
        }
    }
    assert_true(index >= 16);
    assert_int_equal(presets, 1);
    assert_null(qdr_machine_known(index));
    assert_null(qdr_machine_known(-1));
}

static void names_occur_once(void **state) {
    const qdr_machine_info *first, *second;
    (void)state;
    for (int i = 0; (first = qdr_machine_known(i)); i++)
        for (int j = 0; j < i && (second = qdr_machine_known(j)); j++)
            assert_string_not_equal(first->name, second->name);
}

static void presets_bend_to_the_user(void **state) {
    (void)state;
    qdr_machine *machine = make("cm5:tau=50us,ports=full,packet=0,payload=0", 32);
    const qdr_machine_parameters *look = qdr_machine_look(machine);
    close_to(look->tau, 50e-6);
    assert_int_equal(look->ports, QDR_PORTS_FULL);
    assert_int_equal(look->sends, QDR_SENDS_SYNCHRONOUS);
    assert_int_equal(qdr_machine_wire_bytes(machine, 17), 17);
    assert_string_equal(qdr_machine_spec(machine), "cm5:tau=50us,ports=full,packet=0,payload=0");
    assert_string_equal(qdr_machine_topology(machine), "fattree");
    qdr_machine_destroy(&machine);
    machine = make("CM5_AM", 2); /* names in any case, with - or _ */
    assert_string_equal(qdr_machine_topology(machine), "fattree");
    qdr_machine_destroy(&machine);
}

static double message(const qdr_machine *machine, int64_t bytes) {
    const qdr_machine_parameters *look = qdr_machine_look(machine);
    return look->tau + look->mu * (double)qdr_machine_wire_bytes(machine, bytes);
}

/* Table 11 of the CM-5 paper, pairwise at 75%: 31 steps of two messages each. */
static void cm5_agrees_with_its_paper(void **state) {
    (void)state;
    qdr_machine *machine = make("cm5", 32);
    double small = 62 * message(machine, 256), large = 62 * message(machine, 512);
    assert_true(small > 0.97 * 7.882e-3 && small < 1.03 * 7.882e-3);
    assert_true(large > 0.97 * 10.52e-3 && large < 1.03 * 10.52e-3);
    qdr_machine_destroy(&machine);
    machine = make("cm5-am", 32);
    close_to(message(machine, 16), 3.3e-6);
    close_to(message(machine, 160), 18.6e-6);
    qdr_machine_destroy(&machine);
}

static void ipsc860_agrees_with_bokhari(void **state) {
    (void)state;
    qdr_machine *machine = make("ipsc860", 64);
    close_to(message(machine, 1000) + qdr_machine_latency(machine, 0, 7), 95e-6 + 394e-6 + 3 * 10.3e-6);
    assert_int_equal(qdr_machine_look(machine)->ports, QDR_PORTS_PAIRED);
    assert_int_equal(qdr_machine_look(machine)->switching, QDR_SWITCHING_CIRCUIT);
    qdr_machine_destroy(&machine);
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

static void mistakes_are_named(void **state) {
    qdr_machine *machine = NULL;
    (void)state;
    assert_int_equal(qdr_machine_create(NULL, 4, &machine), QDR_ERR_INVALID);
    assert_int_equal(qdr_machine_create("crossbar", 4, NULL), QDR_ERR_INVALID);
    refuse("warp", 4, QDR_ERR_UNKNOWN,
           "'warp' is not a machine; there are crossbar, hypercube, mesh, torus, fattree, dragonfly, node, "
           "grid, "
           "cm5, cm5-am, ipsc860, delta, asci-red, ethernet, infiniband, slingshot");
    refuse("", 4, QDR_ERR_SYNTAX, "expected NAME");
    refuse("crossbar", 0, QDR_ERR_RANGE, "0 ranks; expected 1 to 16777216");
    refuse("cm5", -3, QDR_ERR_RANGE, "-3 ranks");
    refuse("mesh", (1 << 24) + 1, QDR_ERR_RANGE, "expected 1 to 16777216");
    refuse("mesh", INT32_MAX, QDR_ERR_RANGE, "expected 1 to 16777216");
    refuse("torus:n=16", 20, QDR_ERR_RANGE, "it holds n=16 ranks, not 20");
    refuse("crossbar:n=0", 1, QDR_ERR_RANGE, "'n=0' is out of range");
    refuse("crossbar:mu=1ns,rate=1GB/s", 4, QDR_ERR_SYNTAX, "'mu' and 'rate'");
    refuse("cm5:mu=1ns,rate=1GB/s", 4, QDR_ERR_SYNTAX, "'mu' and 'rate'");
    refuse("crossbar:mu=0", 4, QDR_ERR_RANGE, "'mu=0' is out of range");
    refuse("crossbar:packet=20", 4, QDR_ERR_SYNTAX, "'packet' and 'payload'");
    refuse("cm5:payload=0", 4, QDR_ERR_SYNTAX, "'packet' and 'payload'");
    refuse("crossbar:packet=20,payload=21", 4, QDR_ERR_RANGE, "payload=21 does not fit into packet=20");
    refuse("crossbar:ports=some", 4, QDR_ERR_SYNTAX, "expected one of full half paired");
    refuse("crossbar:tau=-1us", 4, QDR_ERR_RANGE, "'tau=-1us'");
    refuse("crossbar:tau=1us,tau=2us", 4, QDR_ERR_SYNTAX, "given twice");
    refuse("crossbar:columns=3", 4, QDR_ERR_SYNTAX, "'columns' is not a key; crossbar takes tau, mu");
    refuse("cm5:columns=3", 4, QDR_ERR_SYNTAX,
           "machine 'cm5:columns=3': 'columns' is not a key; cm5 takes arity");
    refuse("cm5:", 4, QDR_ERR_SYNTAX, "nothing follows the colon");
    refuse("grid:", 4, QDR_ERR_SYNTAX, "nothing follows the colon");
}

static void shapes_that_do_not_fit_are_named(void **state) {
    (void)state;
    refuse("mesh:columns=3,rows=4", 13, QDR_ERR_RANGE, "its 12 places cannot hold 13 ranks");
    refuse("mesh:columns=3,rows=4,n=40", 12, QDR_ERR_RANGE, "its 12 places cannot hold 40 ranks");
    refuse("torus:dimensions=1,rows=4", 4, QDR_ERR_RANGE, "'rows' is an axis beyond dimensions=1");
    refuse("mesh:dimensions=7", 4, QDR_ERR_RANGE, "'dimensions=7'");
    refuse("mesh:columns=16M,rows=16M,planes=16M", 4, QDR_ERR_RANGE, "more than 268435456 nodes");
    refuse("mesh:columns=0", 4, QDR_ERR_RANGE, "'columns=0'");
    refuse("fattree:arity=1", 4, QDR_ERR_RANGE, "'arity=1'");
    refuse("fattree:growth=0", 4, QDR_ERR_RANGE, "'growth=0'");
    refuse("dragonfly:groups=2,routers=2,hosts=2", 9, QDR_ERR_RANGE, "its 8 places cannot hold 9 ranks");
    refuse("dragonfly:routers=1,hosts=1", 100000, QDR_ERR_RANGE, "need more than 65536 groups");
    refuse("dragonfly:groups=65536", 4, QDR_ERR_RANGE,
           "it has 4295032832 links; expected at most 2147483647");
    refuse("torus:columns=16M,rows=16,dimensions=6", 4, QDR_ERR_RANGE, "it has 3072000000 links");
    refuse("node:k=0", 4, QDR_ERR_RANGE, "'k=0'");
    refuse("grid:clusters=0", 4, QDR_ERR_RANGE, "'clusters=0'");
}

/* ---- owners -------------------------------------------------------------------------------------------- */

static void the_last_owner_frees(void **state) {
    (void)state;
    qdr_machine *first = make("hypercube", 8);
    qdr_machine *second = qdri_machine_retain(first), *third = qdri_machine_retain(second);
    assert_ptr_equal(first, third);
    qdr_machine_destroy(&first);
    qdr_machine_destroy(&second);
    assert_null(first);
    assert_string_equal(qdr_machine_topology(third), "hypercube");
    qdr_machine_destroy(&third);
    qdr_machine_destroy(&third);
    qdr_machine_destroy(NULL);
    assert_null(qdri_machine_retain(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parameters_are_read),
        cmocka_unit_test(words_are_in_the_order_of_the_enumerations),
        cmocka_unit_test(collectives_have_derived_defaults),
        cmocka_unit_test(rate_and_mu_replace_each_other),
        cmocka_unit_test(packets_round_up),
        cmocka_unit_test(everything_known_builds),
        cmocka_unit_test(names_occur_once),
        cmocka_unit_test(presets_bend_to_the_user),
        cmocka_unit_test(cm5_agrees_with_its_paper),
        cmocka_unit_test(ipsc860_agrees_with_bokhari),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(shapes_that_do_not_fit_are_named),
        cmocka_unit_test(the_last_owner_frees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
