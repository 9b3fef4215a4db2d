/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille machine: what a machine spec stands for: its parameters, its links, some routes and what messages
 * cost.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/json.h"
#include "quadrille.h"
#include "core/table.h"
#include "core/units.h"

static const char *const port_words[] = {"full", "half", "paired"};
static const char *const send_words[] = {"buffered", "synchronous"};
static const char *const switching_words[] = {"packet", "circuit"};

static const int64_t example_bytes[] = {0, 1024, 1048576};
enum { EXAMPLES = 3, ROUTES = 3, ROUTE_TEXT = 256 };

/* Of a message alone, which a link may hold back that is slower than its ports; NAN: there is no memory. */
static double transfer_seconds(const qdr_machine *machine, int from, int to, int64_t bytes) {
    qdr_step step = {.from = from, .to = to, .items = bytes};
    qdr_prediction prediction;
    return qdr_steps_predict(1, &step, machine, 1, &prediction) ? NAN : prediction.seconds;
}

/* The ranks whose routes are shown: the neighbour, the middle and the last, as far as they differ. */
static int route_targets(int ranks, int target[ROUTES]) {
    const int wanted[ROUTES] = {1, ranks / 2, ranks - 1};
    int count = 0;
    for (int i = 0; i < ROUTES; i++) {
        int known = wanted[i] < 1 || wanted[i] >= ranks;
        for (int j = 0; j < count; j++) known |= target[j] == wanted[i];
        if (!known) target[count++] = wanted[i];
    }
    return count;
}

static json_t *json_route(const qdr_machine *machine, int to) {
    int limit = qdr_machine_route_limit(machine);
    int64_t *link = ALLOCATE(int64_t, limit);
    int length = qdr_machine_route(machine, 0, to, link);
    json_t *links = json_array();
    for (int i = 0; i < length; i++) json_add(links, json_integer(link[i]));
    free(link);
    return json_pack("{s:i, s:i, s:o, s:f}", "from", 0, "to", to, "links", links, "latency_seconds",
                     qdr_machine_latency(machine, 0, to));
}

static int write_json(const qdr_machine *machine, FILE *out) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    int target[ROUTES], routes = route_targets(p->ranks, target);
    json_t *route = json_array(), *transfer = json_array();
    for (int i = 0; i < routes; i++) json_add(route, json_route(machine, target[i]));
    for (int i = 0; i < EXAMPLES && p->ranks > 1; i++)
        json_add(transfer, json_pack("{s:i, s:i, s:I, s:f}", "from", 0, "to", p->ranks - 1, "bytes",
                                     (json_int_t)example_bytes[i], "seconds",
                                     transfer_seconds(machine, 0, p->ranks - 1, example_bytes[i])));
    return json_print(
        json_pack("{s:o, s:s, s:i, s:f, s:f, s:f, s:f, s:s, s:s, s:I, s:s, s:I, s:I, s:f, s:f, s:f, s:f, "
                  "s:I, s:f, s:I, s:o, s:o}",
                  "machine", json_text(qdr_machine_spec(machine)), "topology", qdr_machine_topology(machine),
                  "ranks", p->ranks, "tau", p->tau, "mu", p->mu, "hop", p->hop, "copy", p->copy, "ports",
                  port_words[p->ports], "sends", send_words[p->sends], "buffer", (json_int_t)p->buffer,
                  "switching", switching_words[p->switching], "packet", (json_int_t)p->packet, "payload",
                  (json_int_t)p->payload, "barrier", p->barrier, "combine", p->combine, "scan", p->scan,
                  "broadcast", p->broadcast, "queue", (json_int_t)p->queue, "timeout", p->timeout, "links",
                  (json_int_t)qdr_machine_links(machine), "routes", route, "transfers", transfer),
        out);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void put(table *table, const char *name, const char *value, const char *meaning) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", value);
    table_cell(table, "%s", meaning);
}

static void put_time(table *table, const char *name, double seconds, const char *meaning) {
    char text[UNITS_TEXT];
    put(table, name, units_seconds(seconds, text), meaning);
}

static void put_count(table *table, const char *name, int64_t count, const char *meaning) {
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "%" PRId64, count);
    put(table, name, text, meaning);
}

static void write_parameters(const qdr_machine *machine, FILE *out) {
    const qdr_machine_parameters *p = qdr_machine_look(machine);
    char rate[UNITS_TEXT];
    table table;
    table_open(&table, "<|<|<");
    put(&table, "topology", qdr_machine_topology(machine), "");
    put_count(&table, "ranks", p->ranks, "");
    put_time(&table, "tau", p->tau, "startup per message");
    put_time(&table, "mu", p->mu, "per byte on the wire");
    if (p->mu > 0) put(&table, "rate", units_rate(1 / p->mu, rate), "of a port: 1 / mu");
    put_time(&table, "hop", p->hop, "per link of the route");
    put_time(&table, "copy", p->copy, "per byte copied inside a rank");
    put(&table, "ports", port_words[p->ports], "");
    put(&table, "sends", send_words[p->sends], "");
    if (p->buffer)
        put_count(&table, "buffer", p->buffer, "bytes of unconfirmed messages a receiver can hold");
    put(&table, "switching", switching_words[p->switching], "");
    if (p->packet) {
        put_count(&table, "packet", p->packet, "bytes of a packet on the wire");
        put_count(&table, "payload", p->payload, "bytes of data in it");
    }
    put_time(&table, "barrier", p->barrier, "synchronising all ranks");
    put_time(&table, "combine", p->combine, "reduction, per element");
    put_time(&table, "scan", p->scan, "prefix sum, per element");
    if (p->broadcast > 0)
        put_time(&table, "broadcast", p->broadcast, "per byte to all ranks, by a network for that");
    if (p->queue > 0) {
        put_count(&table, "queue", p->queue, "bytes a port of a switch holds");
        put_time(&table, "timeout", p->timeout, "after which what was lost comes again");
    }
    put_count(&table, "links", qdr_machine_links(machine), "");
    table_write(&table, 0, out);
    table_close(&table);
}

/* The links of a route, each with its bandwidth where that is not the one before. */
static void write_route(const qdr_machine *machine, int to, FILE *out) {
    int limit = qdr_machine_route_limit(machine);
    int64_t *link = ALLOCATE(int64_t, limit);
    int length = qdr_machine_route(machine, 0, to, link);
    double before = -1;
    fprintf(out, "  0 -> %d:%s", to, length ? "" : " none");
    for (int i = 0; i < length; i++) {
        char rate[UNITS_TEXT];
        double bandwidth = qdr_machine_link_bandwidth(machine, link[i]);
        fprintf(out, " %" PRId64, link[i]);
        if (bandwidth != before)
            fprintf(out, " (%s, %" PRId64 " at full speed)", units_rate(bandwidth, rate),
                    qdr_machine_link_streams(machine, link[i]));
        before = bandwidth;
    }
    fputc('\n', out);
    free(link);
}

static void write_routes(const qdr_machine *machine, FILE *out) {
    int target[ROUTES], routes = route_targets(qdr_machine_look(machine)->ranks, target);
    if (!routes || !qdr_machine_links(machine)) return;
    fputs("\nroutes, by link\n", out);
    for (int i = 0; i < routes; i++) write_route(machine, target[i], out);
}

static void write_transfers(const qdr_machine *machine, FILE *out) {
    int last = qdr_machine_look(machine)->ranks - 1;
    char seconds[UNITS_TEXT];
    table table;
    if (last < 1) return;
    fprintf(out, "\none message from 0 to %d, nobody in the way\n", last);
    table_open(&table, ">|>");
    for (int i = 0; i < EXAMPLES; i++) {
        table_cell(&table, "%" PRId64 " bytes", example_bytes[i]);
        table_cell(&table, "%s",
                   units_seconds(transfer_seconds(machine, 0, last, example_bytes[i]), seconds));
    }
    table_write(&table, 2, out);
    table_close(&table);
}

static int run(const arguments *arguments, FILE *out) {
    int64_t ranks = 32;
    qdr_machine *machine = NULL;
    int code = argument_count(arguments, "ranks", 1, 1 << 30, &ranks);
    if (code) return code;
    if (qdr_machine_create(arguments->operand[0], (int)ranks, &machine)) return complain_library();
    if (argument(arguments, "simgrid"))
        code = qdr_machine_write_simgrid(machine, out) ? complain_library() : 0;
    else if (argument(arguments, "json"))
        code = write_json(machine, out);
    else {
        fprintf(out, "# %s\n", qdr_machine_spec(machine));
        write_parameters(machine, out);
        write_routes(machine, out);
        write_transfers(machine, out);
    }
    qdr_machine_destroy(&machine);
    return code;
}

static const option options[] = {
    {'n', "ranks", "RANKS", "for this many ranks (default 32)", OPTION_ONCE},
    {0, "simgrid", NULL, "print it as a platform of SimGrid, for smpirun", OPTION_ONCE},
    OPTION_JSON,
    OPTIONS_END,
};

const command machine_command = {
    .name = "machine",
    .summary = "what a machine is: parameters, links, routes, the cost of a message",
    .operands = "NAME",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "NAME is a preset or a topology, with options if wanted; 'quadrille list machines' has\n"
                   "them. A link carries some transfers at full port speed at once; with more, packet\n"
                   "switching slows all of them down, circuit switching makes the later ones wait.\n",
    .examples = "quadrille machine cm5 -n 64\n"
                "quadrille machine mesh:columns=8,tau=1us,rate=1GB/s --json\n",
    .run = run,
};
