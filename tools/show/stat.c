/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille stat: what is in a pattern, with the letters of the papers, and every lower bound by name. With
 * full-duplex ports the larger of a rank's row and column bounds an exchange, with half-duplex ports their
 * sum.
 */
#include <inttypes.h>

#include "core/arguments.h"
#include "core/complain.h"
#include "core/hosts.h"
#include "core/input.h"
#include "core/json.h"
#include "core/progress.h"
#include "core/table.h"
#include "core/units.h"

typedef struct facts {
    const char *pattern;
    const qdr_machine *machine;
    qdr_pattern_statistics statistics;
    qdr_bounds bounds;
    int64_t per_host;             /* 1: hosts are not asked for */
    qdr_pattern_statistics hosts; /* of their matrix */
} facts;

/* The lower bounds in seconds, in one list for text and JSON. */
typedef struct bound {
    const char *name, *key, *meaning;
    double seconds;
} bound;

enum { BOUNDS = 6 };

static void list_bounds(const qdr_bounds *bounds, bound list[BOUNDS]) {
    list[0] = (bound){"full-duplex", "full_duplex", "direct, synchronous: a rank sends and receives at once",
                      bounds->full_duplex};
    list[1] = (bound){"half-duplex", "half_duplex", "direct, synchronous: a rank does one at a time",
                      bounds->half_duplex};
    list[2] = (bound){"link", "link", "direct: the most loaded link", bounds->link};
    list[3] = (bound){"relay", "relay", "any: data may be forwarded", bounds->relay};
    list[4] = (bound){"direct", "direct", "what holds here for direct schedules", bounds->direct};
    list[5] = (bound){"any", "any", "what holds here for every schedule", bounds->any};
}

static const char *yes(int value) {
    return value ? "yes" : "no";
}

static void put_count(table *table, const char *name, const char *letter, int64_t value,
                      const char *meaning) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", letter);
    table_cell(table, "%" PRId64, value);
    table_cell(table, "%s", meaning);
}

static void put_text(table *table, const char *name, const char *value, const char *meaning) {
    table_cell(table, "%s", name);
    table_cell(table, "%s", "");
    table_cell(table, "%s", value);
    table_cell(table, "%s", meaning);
}

static void put_real(table *table, const char *name, double value, const char *meaning) {
    char text[UNITS_TEXT];
    snprintf(text, sizeof text, "%.4g", value);
    put_text(table, name, text, meaning);
}

static void write_facts(const qdr_pattern_statistics *s, FILE *out) {
    table table;
    table_open(&table, "<|<|>|<");
    put_count(&table, "ranks", "n", s->ranks, "");
    put_count(&table, "messages", "", s->messages, "between different ranks");
    put_count(&table, "bytes", "", s->items, "in all of them");
    put_count(&table, "local bytes", "", s->local_items, "on the diagonal: copies inside a rank");
    put_real(&table, "density", s->density, "messages / n(n-1)");
    put_text(&table, "class", qdr_pattern_class_text(s->kind), "");
    put_text(&table, "uniform", yes(s->uniform), "all messages have the same size");
    put_text(&table, "equal traffic", yes(s->equal_traffic), "every rank sends and receives exactly t");
    put_text(&table, "symmetric", yes(s->symmetric_structure), "i sends to j exactly when j sends to i");
    put_count(&table, "smallest", "", s->smallest, "bytes of a message");
    put_count(&table, "largest", "", s->largest, "");
    put_real(&table, "mean", s->mean, "");
    put_real(&table, "deviation", s->deviation, "");
    put_count(&table, "fan-out", "f", s->fan_out, "most messages out of one rank");
    put_count(&table, "fan-in", "g", s->fan_in, "most messages into one rank");
    put_count(&table, "degree", "h", s->degree, "max(f, g)");
    put_count(&table, "traffic out", "r", s->out_traffic, "most bytes out of one rank");
    put_count(&table, "traffic in", "c", s->in_traffic, "most bytes into one rank");
    put_count(&table, "traffic", "t", s->traffic, "max(r, c)");
    table_write(&table, 0, out);
    table_close(&table);
}

static void write_bounds(const facts *facts, FILE *out) {
    const qdr_pattern_statistics *s = &facts->statistics;
    bound list[BOUNDS];
    char text[UNITS_TEXT];
    table table;
    fprintf(out, "\nlower bounds\n");
    table_open(&table, "<|>|<");
    table_cell(&table, "phases");
    table_cell(&table, "%" PRId64, s->degree);
    table_cell(&table, "h: no fewer, with one message at a time");
    table_cell(&table, "full-duplex bytes");
    table_cell(&table, "%" PRId64, s->traffic);
    table_cell(&table, "t: through the busiest port");
    table_cell(&table, "half-duplex bytes");
    table_cell(&table, "%" PRId64, s->both_traffic);
    table_cell(&table, "max(r_i + c_i): out of and into the same rank");
    table_write(&table, 2, out);
    table_close(&table);
    fprintf(out, "\nlower bounds on %s\n", qdr_machine_spec(facts->machine));
    list_bounds(&facts->bounds, list);
    table_open(&table, "<|>|<");
    for (int i = 0; i < BOUNDS; i++) {
        table_cell(&table, "%s", list[i].name);
        table_cell(&table, "%s", units_seconds(list[i].seconds, text));
        table_cell(&table, "%s", list[i].meaning);
    }
    table_write(&table, 2, out);
    table_close(&table);
}

static void write_hosts(const facts *facts, FILE *out) {
    const qdr_pattern_statistics *h = &facts->hosts;
    table table;
    fprintf(out, "\nhosts with %" PRId64 " ranks\n", facts->per_host);
    table_open(&table, "<|<|>|<");
    put_count(&table, "hosts", "", h->ranks, "");
    put_count(&table, "pairs", "", h->messages, "of hosts, of which one has something for the other");
    put_count(&table, "bytes", "", h->items, "between hosts");
    put_count(&table, "local bytes", "", h->local_items, "inside of hosts");
    put_count(&table, "traffic out", "", h->out_traffic, "most bytes out of one host");
    put_count(&table, "traffic in", "", h->in_traffic, "most bytes into one host");
    put_count(&table, "traffic", "", h->traffic, "through the busiest port of a host");
    table_write(&table, 2, out);
    table_close(&table);
}

static json_t *json_hosts(const facts *facts) {
    const qdr_pattern_statistics *h = &facts->hosts;
    return json_pack("{s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "ranks_per_host",
                     (json_int_t)facts->per_host, "hosts", h->ranks, "pairs", (json_int_t)h->messages,
                     "bytes", (json_int_t)h->items, "local_bytes", (json_int_t)h->local_items, "traffic_out",
                     (json_int_t)h->out_traffic, "traffic_in", (json_int_t)h->in_traffic, "max_traffic",
                     (json_int_t)h->traffic);
}

static int write_json(const facts *facts, FILE *out) {
    const qdr_pattern_statistics *s = &facts->statistics;
    bound list[BOUNDS];
    json_t *bounds = json_object();
    list_bounds(&facts->bounds, list);
    for (int i = 0; i < BOUNDS; i++) json_put(bounds, list[i].key, json_number_or_null(list[i].seconds));
    json_t *all = json_pack(
        "{s:o, s:i, s:I, s:I, s:I, s:f, s:s, s:b, s:b, s:b, s:I, s:I, s:f, s:f, s:I, s:I, s:I, "
        "s:I, s:I, s:I, "
        "s:{s:I, s:I, s:I}, s:o, s:o}",
        "pattern", json_text(facts->pattern), "ranks", s->ranks, "messages", (json_int_t)s->messages, "bytes",
        (json_int_t)s->items, "local_bytes", (json_int_t)s->local_items, "density", s->density, "class",
        qdr_pattern_class_text(s->kind), "uniform", s->uniform, "equal_traffic", s->equal_traffic,
        "symmetric", s->symmetric_structure, "smallest", (json_int_t)s->smallest, "largest",
        (json_int_t)s->largest, "mean", s->mean, "deviation", s->deviation, "fan_out", (json_int_t)s->fan_out,
        "fan_in", (json_int_t)s->fan_in, "max_degree", (json_int_t)s->degree, "traffic_out",
        (json_int_t)s->out_traffic, "traffic_in", (json_int_t)s->in_traffic, "max_traffic",
        (json_int_t)s->traffic, "bounds", "phases", (json_int_t)s->degree, "full_duplex_bytes",
        (json_int_t)s->traffic, "half_duplex_bytes", (json_int_t)s->both_traffic, "machine",
        json_text(qdr_machine_spec(facts->machine)), "bound_seconds", bounds);
    if (facts->per_host > 1) json_put(all, "hosts", json_hosts(facts));
    return json_print(all, out);
}

static int measure_hosts(const qdr_pattern *pattern, facts *facts) {
    qdr_pattern *hosts = NULL;
    if (facts->per_host == 1) return EXIT_GOOD;
    if (hosts_join(pattern, facts->per_host, &hosts)) return complain_library();
    qdr_pattern_measure(hosts, &facts->hosts);
    qdr_pattern_destroy(&hosts);
    return EXIT_GOOD;
}

static int run(const arguments *arguments, FILE *out) {
    facts facts = {.pattern = arguments->operand[0]};
    qdr_pattern *pattern = NULL;
    qdr_machine *machine = NULL;
    int code = hosts_ranks(arguments, &facts.per_host);
    if (!code) code = input_pattern(arguments, facts.pattern, &pattern);
    if (!code) code = input_machine(arguments, default_machine, qdr_pattern_look(pattern).ranks, &machine);
    if (!code) {
        progress_say("measuring");
        facts.machine = machine;
        qdr_pattern_measure(pattern, &facts.statistics);
        if (qdr_bounds_compute(pattern, machine, 1, &facts.bounds)) code = complain_library();
    }
    if (!code) code = measure_hosts(pattern, &facts);
    if (!code && argument(arguments, "json"))
        code = write_json(&facts, out);
    else if (!code) {
        fprintf(out, "# %s\n", facts.pattern);
        write_facts(&facts.statistics, out);
        write_bounds(&facts, out);
        if (facts.per_host > 1) write_hosts(&facts, out);
    }
    qdr_machine_destroy(&machine);
    qdr_pattern_destroy(&pattern);
    return code;
}

static const option options[] = {
    OPTION_MACHINE("the machine of the bounds in seconds (default ethernet)"),
    OPTION_RANKS_PER_HOST,
    OPTION_JSON,
    OPTION_BYTES,
    OPTIONS_END,
};

const command stat_command = {
    .name = "stat",
    .summary = "what is in a pattern: sizes, degrees, traffic, lower bounds",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "The letters are those of the papers: f and g are the most messages out of and into\n"
                   "one rank, h the larger of them; r and c the most bytes out of and into one rank, t\n"
                   "the larger. Every lower bound has a name and says which schedules it binds. Where\n"
                   "ranks share hosts, --ranks-per-host shows what goes between these, too.\n",
    .examples = "quadrille stat paper:P\n"
                "quadrille stat mesh:n=32,points=2800 -m cm5\n"
                "quadrille stat zipf:n=32,bytes=4K..400K --ranks-per-host 4\n"
                "quadrille stat matrix.mtx --json\n",
    .run = run,
};
