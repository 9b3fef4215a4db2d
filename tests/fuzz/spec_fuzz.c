/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile specs of machines and algorithms.
 *
 *     spec_fuzz [inputs]        20000 inputs unless told otherwise
 *
 * Each input is a valid spec with one to four mutations (mutate.h). A refusal must leave one line and nothing
 * else. A machine that is accepted must have finite figures and routes that stay on its links; an algorithm
 * that is accepted must build a schedule that the checker passes.
 */
#include <math.h>

#include "mutate.h"
#include "quadrille.h"

static const char *const machines[] = {
    "crossbar:tau=88us,rate=20MB/s,ports=half,sends=synchronous",
    "crossbar:mu=1ns,buffer=64K,packet=20,payload=16",
    "mesh:columns=8,tau=1us,mu=1ns",
    "torus:columns=4,rows=4,hop=5ns,link=1GB/s",
    "mesh:columns=2,switching=circuit,barrier=5us",
    "hypercube:switching=circuit,ports=paired",
    "fattree:arity=4,growth=2,tau=5us",
    "dragonfly:groups=4",
    "grid",
    "node:k=4",
    "cm5:ports=full",
    "ipsc860:hop=10us",
    "slingshot:tau=2us",
    "infiniband:n=64",
};

static const char *const algorithms[] = {
    "async",
    "pairwise",
    "recursive",
    "greedy",
    "coloring",
    "random:seed=7",
    "random-link:seed=2",
    "random-split:limit=0.2,seed=3",
    "random-split:items=4",
    "RS_NLH:limit=0.7",
    "two-stage:scheme=source,tight=no",
    "two-stage:scheme=destination,shuffle,seed=5",
    "split:tau=5",
    "paced",
    "distributed",
};

static qdr_pattern *pattern;
static qdr_machine *mesh;

/* ---- machines ------------------------------------------------------------------------------------------ */

static int is_time(double seconds) {
    return isfinite(seconds) && seconds >= 0;
}

static void check_route(const input *text, const qdr_machine *machine, int from, int to, int64_t *route) {
    int limit = qdr_machine_route_limit(machine), length = qdr_machine_route(machine, from, to, route);
    if (length < 0 || length > limit || (from == to && length)) complain(text, "a route is too long");
    if (qdr_machine_route(machine, from, to, NULL) != length) complain(text, "a route changes its length");
    for (int i = 0; i < length; i++) {
        double bandwidth = qdr_machine_link_bandwidth(machine, route[i]);
        if (route[i] < 0 || route[i] >= qdr_machine_links(machine))
            complain(text, "a route leaves the links");
        if (!(bandwidth > 0) || !isfinite(bandwidth)) complain(text, "a link has no bandwidth");
        if (qdr_machine_link_streams(machine, route[i]) < 1) complain(text, "a link has no stream");
    }
    if (!is_time(qdr_machine_latency(machine, from, to))) complain(text, "a latency is no time");
}

static void check_machine(qdri_random *random, const input *text, const qdr_machine *machine) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    const double times[] = {p->tau, p->mu, p->hop, p->copy, p->barrier, p->combine, p->scan};
    const int64_t bytes[] = {0, 1, 1000, INT64_MAX};
    int64_t *route = calloc((size_t)qdr_machine_route_limit(machine) + 1, sizeof *route);
    for (size_t i = 0; i < COUNT(times); i++)
        if (!is_time(times[i])) complain(text, "a parameter is no time");
    for (size_t i = 0; i < COUNT(bytes); i++)
        if (qdr_machine_wire_bytes(machine, bytes[i]) < bytes[i])
            complain(text, "bytes are lost on the wire");
    if (strcmp(qdr_machine_spec(machine), text->bytes) != 0) complain(text, "the spec is another");
    for (int i = 0; i < 20; i++)
        check_route(text, machine, (int)qdri_random_below(random, (uint64_t)p->ranks),
                    (int)qdri_random_below(random, (uint64_t)p->ranks), route);
    free(route);
}

static int try_machine(qdri_random *random, const input *text) {
    static const int ranks[] = {1, 2, 7, 16, 64, 1000, 0, -3, 2147483647};
    qdr_machine *machine = NULL;
    if (qdr_machine_create(text->bytes, ranks[qdri_random_below(random, COUNT(ranks))], &machine)) {
        if (machine) complain(text, "refused with a machine");
        check_message(text);
        return 0;
    }
    check_machine(random, text, machine);
    qdr_machine_destroy(&machine);
    return 1;
}

/* ---- algorithms ---------------------------------------------------------------------------------------- */

static int try_algorithm(const input *text) {
    qdr_schedule *schedule = NULL;
    const qdr_algorithm_info *info;
    qdr_status found = qdr_algorithm_find(text->bytes, &info);
    qdr_status status = qdr_schedule_create(pattern, text->bytes, mesh, &schedule);
    if (status != QDR_OK) {
        if (schedule) complain(text, "refused with a schedule");
        check_message(text);
        if (status == QDR_ERR_RUNTIME && (found || !info->at_run_time)) complain(text, "is not for run time");
        return 0;
    }
    if (found) complain(text, "is built, but not found");
    if (qdr_schedule_check(schedule)) complain(text, "builds a broken schedule");
    qdr_schedule_destroy(&schedule);
    return 1;
}

int main(int argc, char **argv) {
    long inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 20000, accepted = 0;
    qdri_random random = qdri_random_seed(20240609);
    static input text;
    set_text(&text, "", 0);
    if (qdr_pattern_from_spec("random:n=12,density=0.4,bytes=1..60,seed=4", &pattern) ||
        qdr_machine_create("mesh:columns=4", 12, &mesh))
        complain(&text, "no stage to stand on");
    for (long i = 0; i < inputs; i++) {
        int is_machine = qdri_random_below(&random, 2) == 0;
        const char *const *table = is_machine ? machines : algorithms;
        size_t count = is_machine ? COUNT(machines) : COUNT(algorithms);
        const char *from = pick(&random, table, count);
        set_text(&text, from, strlen(from));
        for (int mutations = (int)qdri_random_below(&random, 5); mutations > 0; mutations--)
            mutate(&random, &text, pick(&random, table, count));
        text.size = strlen(text.bytes);
        accepted += is_machine ? try_machine(&random, &text) : try_algorithm(&text);
    }
    qdr_pattern_destroy(&pattern);
    qdr_machine_destroy(&mesh);
    printf("spec_fuzz: %ld inputs, %ld accepted, %ld refused\n", inputs, accepted, inputs - accepted);
    return 0;
}
