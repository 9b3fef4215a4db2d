/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille bench: real exchanges, measured side by side, in parallel (parallel.h). Rank 0 reads or generates the pattern, complains and prints; the others are
 * silent, from before MPI has started on, as far as their launcher says who they are. All ranks return the
 * same exit code.
 */
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arguments.h"
#include "bench.h"
#include "parallel.h"
#include "core/complain.h"
#include "core/hosts.h"
#include "core/input.h"
#include "core/progress.h"
#include "core/units.h"
#include "base/likeness.h"

/* ---- what was asked for -------------------------------------------------------------------------------- */

static const char changing_name[] = "paced-changing";

static bench_method *add_method(bench *bench, const bench_kind *kind, const char *name, char *algorithm,
                                int asked) {
    bench->method = reallocate(bench->method, bench->methods + 1, sizeof *bench->method);
    bench_method *method = &bench->method[bench->methods++];
    *method = (bench_method){
        .kind = kind, .name = copy_text(name), .algorithm = algorithm, .asked = asked, .load = &bench->fixed};
    return method;
}

/* `default` and `auto` are the default rule, `none` is nothing. */
static void add_plan(bench *bench, char *name, int asked) {
    int by_rule = !strcmp(name, "default") || !strcmp(name, "auto");
    if (strcmp(name, "none"))
        add_method(bench, &bench_plan, by_rule ? "default" : name, by_rule ? NULL : copy_text(name), asked);
    free(name);
}

static int add_opponents(const arguments *arguments, bench *bench) {
    const char *text;
    char *name;
    int code = EXIT_GOOD;
    for (int i = 0; (text = argument_nth(arguments, "with", i)); i++)
        while (!code && (name = next_name(&text))) {
            const bench_kind *kind;
            code = bench_find_opponent(name, &kind);
            if (!code) add_method(bench, kind, name, NULL, 1);
            free(name);
        }
    return code;
}

static int choose_methods(const arguments *arguments, bench *bench) {
    static const char standard[] = "default,paced,coloring,pairwise,async";
    const char *text = argument(arguments, "algorithm");
    char *name;
    int asked = text != NULL;
    if (!asked)
        for (text = standard; (name = next_name(&text));) add_plan(bench, name, 0);
    for (int i = 0; asked && (text = argument_nth(arguments, "algorithm", i)); i++)
        while ((name = next_name(&text))) add_plan(bench, name, 1);
    if (bench->changing)
        add_method(bench, &bench_plan, changing_name, copy_text("paced"), 1)->load = &bench->changed;
    if (!asked && !argument(arguments, "with"))
        add_method(bench, bench_opponents[0], bench_opponents[0]->name, NULL, 0);
    int code = add_opponents(arguments, bench);
    return code || bench->methods ? code
                                  : complain("there is nothing to measure; give --algorithm or --with");
}

static int read_pacing(const arguments *arguments, bench *bench) {
    char list[200] = "";
    const qdr_pacing_info *info;
    const char *pacing = bench->options.pacing = argument(arguments, "pacing");
    if (!pacing) return EXIT_GOOD;
    for (int i = 0; (info = qdr_pacing(i)); i++) {
        if (!strcmp(pacing, info->name)) return EXIT_GOOD;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", info->name);
    }
    return complain("--pacing %.60s is unknown; %s%s", pacing, qdri_did_you_mean(pacing, list), list);
}

static int read_rate(const arguments *arguments, bench *bench) {
    const char *rate = argument(arguments, "rate");
    if (!rate && argument(arguments, "burst")) return complain("--burst needs --rate");
    if (!rate && argument(arguments, "ranks-per-host")) return complain("--ranks-per-host needs --rate");
    if (rate && !units_read_rate(rate, &bench->rate))
        return complain("--rate %.60s is not valid; expected a rate such as 50Mbit/s or 20MB/s", rate);
    int code = argument_count(arguments, "burst", 0, INT64_C(1) << 40, &bench->burst);
    return code ? code : hosts_ranks(arguments, &bench->per_host);
}

/* A folder that is not there would be noticed only after all the measuring. */
static int check_trace(const arguments *arguments, bench *bench) {
    bench->trace = argument(arguments, "trace");
    if (!bench->trace) return EXIT_GOOD;
    char *path = copy_text(bench->trace);
    int good = access(dirname(path), W_OK | X_OK) == 0;
    free(path);
    return good ? EXIT_GOOD
                : complain("cannot write '%s': its folder is not there or not writable", bench->trace);
}

enum { MOST_TOGETHER = 64 };

static int read_settings(const arguments *arguments, bench *bench) {
    const int64_t most = INT64_C(1) << 40;
    int code = argument_count(arguments, "repeat", 1, 1000000, &bench->repeat);
    if (!code) code = argument_count(arguments, "fewest", 1, 1000000, &bench->fewest);
    if (!code) code = argument_count(arguments, "warmup", 0, 1000000, &bench->warmup);
    if (!code) code = argument_count(arguments, "seed", 0, most, &bench->seed);
    if (!code) code = argument_count(arguments, "item-bytes", 1, 1 << 20, &bench->item_bytes);
    if (!code) code = argument_count(arguments, "chunk", 1, most, &bench->options.chunk);
    if (!code) code = argument_count(arguments, "window", 1, most, &bench->options.window);
    if (!code) code = argument_count(arguments, "reuse", 0, most, &bench->options.reuse);
    if (!code) code = argument_number(arguments, "pause", 0, 60000, &bench->pause);
    if (!code) code = argument_number(arguments, "seconds", 0, 1e6, &bench->limit);
    if (!code) code = argument_number(arguments, "late", 0, 60000, &bench->late);
    if (!code) code = argument_count(arguments, "together", 1, MOST_TOGETHER, &bench->together);
    if (!code) code = read_pacing(arguments, bench);
    if (!code) code = read_rate(arguments, bench);
    if (!code) code = check_trace(arguments, bench);
    if (!code) code = choose_methods(arguments, bench);
    bench->pause /= 1e3;
    bench->late /= 1e3;
    return code;
}

/* ---- the pattern --------------------------------------------------------------------------------------- */

/* The buffers of the largest rank, held against this machine's memory before any are made. */
static int check_size(const bench *bench) {
    qdr_pattern_view view = qdr_pattern_look(bench->pattern);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), most = 0;
    for (int rank = 0; rank < view.ranks; rank++) {
        double items = 2 * (double)view.local[rank];
        for (int64_t k = view.row_start[rank]; k < view.row_start[rank + 1]; k++)
            items += (double)view.items[k];
        for (int64_t k = view.column_start[rank]; k < view.column_start[rank + 1]; k++)
            items += (double)view.items[view.column_message[k]];
        most = fmax(most, items * (double)(bench->item_bytes * bench->together) * (bench->changing ? 2 : 1));
    }
    if (most <= memory) return EXIT_GOOD;
    return complain("the buffers of one rank would need %.0f bytes; this machine has %.0f", most, memory);
}

static int read_pattern(const arguments *arguments, bench *bench) {
    bench->text = bench->filled = input_fill_ranks(bench->text, bench->ranks);
    int code = input_pattern(arguments, bench->text, &bench->pattern);
    if (code) return code;
    int ranks = qdr_pattern_look(bench->pattern).ranks;
    if (ranks != bench->ranks)
        return complain("the pattern has %d rank%s, MPI has %d; run it under mpirun -n %d", ranks,
                        ranks == 1 ? "" : "s", bench->ranks, ranks);
    return check_size(bench);
}

/* The messages, diagonal included, as one array. */
static qdr_message *list_messages(const qdr_pattern *pattern, int64_t *count) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    qdr_message *messages = ALLOCATE(qdr_message, view.messages + view.ranks);
    *count = 0;
    for (int64_t m = 0; m < view.messages; m++)
        messages[(*count)++] = (qdr_message){view.origin[m], view.destination[m], view.items[m]};
    for (int rank = 0; rank < view.ranks; rank++)
        if (view.local[rank]) messages[(*count)++] = (qdr_message){rank, rank, view.local[rank]};
    return messages;
}

/* Rank 0 has it or has complained; all get it. */
static int share_pattern(const arguments *arguments, bench *bench) {
    enum { PART = 1 << 20 };
    int64_t header[2] = {EXIT_GOOD, 0};
    qdr_message *messages = NULL;
    if (bench->rank == 0) {
        header[0] = read_pattern(arguments, bench);
        if (!header[0]) messages = list_messages(bench->pattern, &header[1]);
    }
    MPI_Bcast(header, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (header[0]) return (int)header[0];
    if (bench->rank > 0) messages = ALLOCATE(qdr_message, header[1]);
    for (int64_t done = 0; done < header[1]; done += PART) {
        int64_t part = header[1] - done < PART ? header[1] - done : PART;
        MPI_Bcast(messages + done, (int)(part * (int64_t)sizeof *messages), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    qdr_pattern_destroy(
        &bench->pattern); /* rank 0's may have messages without bytes, for which nothing is sent */
    if (qdr_pattern_create(bench->ranks, header[1], messages, &bench->pattern)) {
        set_silent(0);
        complain_library();
        MPI_Abort(MPI_COMM_WORLD, EXIT_USE);
    }
    free(messages);
    qdr_pattern_measure(bench->pattern, &bench->statistics);
    return EXIT_GOOD;
}

/* ---- the bound ----------------------------------------------------------------------------------------- */

/* Most items through the port of a host. */
static int find_traffic(const bench *bench, int64_t *items) {
    qdr_pattern *hosts = NULL;
    qdr_pattern_statistics statistics;
    *items = bench->statistics.traffic;
    if (bench->per_host == 1) return EXIT_GOOD;
    if (hosts_join(bench->pattern, bench->per_host, &hosts)) return complain_library();
    qdr_pattern_measure(hosts, &statistics);
    *items = statistics.traffic;
    qdr_pattern_destroy(&hosts);
    return EXIT_GOOD;
}

/* 1448 of the 1514 bytes of an Ethernet frame carry data; a burst may leave at once. */
static int find_wire_bound(bench *bench) {
    int64_t items;
    int code = find_traffic(bench, &items);
    double bytes = (double)items * (double)(bench->item_bytes * bench->together);
    double seconds = (bytes * 1514 / 1448 - (double)bench->burst) / bench->rate;
    if (!code && seconds > 0) bench->bound = bench->any_bound = seconds;
    return code;
}

static int find_bound(bench *bench) {
    qdr_bounds bounds;
    bench->bound = bench->any_bound = NAN;
    if (bench->rate > 0) return find_wire_bound(bench);
    if (!bench->machine) return EXIT_GOOD;
    if (qdr_bounds_compute(bench->pattern, bench->machine, bench->item_bytes, &bounds))
        return complain_library();
    if (bounds.direct > 0) bench->bound = bounds.direct * (double)bench->together;
    if (bounds.any > 0) bench->any_bound = bounds.any * (double)bench->together;
    return EXIT_GOOD;
}

/* ---- the flow ------------------------------------------------------------------------------------------ */

static int same_text(const char *first, const char *second) {
    return !strcmp(first ? first : "", second ? second : "");
}

static void mark_chosen(bench *bench) {
    const bench_method *rule = NULL;
    for (int i = 0; i < bench->methods; i++)
        if (bench->method[i].kind == &bench_plan && !bench->method[i].algorithm && !bench->method[i].refusal)
            rule = &bench->method[i];
    for (int i = 0; rule && i < bench->methods; i++) {
        bench_method *method = &bench->method[i];
        method->chosen = method->kind == &bench_plan && !method->refusal && method->load == &bench->fixed &&
                         same_text(method->info.algorithm, rule->info.algorithm) &&
                         same_text(method->info.pacing, rule->info.pacing) &&
                         same_text(method->info.transport, rule->info.transport) &&
                         method->info.chunk == rule->info.chunk && method->info.window == rule->info.window;
    }
}

static char *refuse_together(const bench *bench, const bench_method *method) {
    if (bench->together == 1 || method->kind == &bench_plan) return NULL;
    return copy_text("it runs one exchange at a time; --together is for plans");
}

static int create_methods(bench *bench) {
    const bench_side *out = &bench->fixed.out, *in = &bench->fixed.in;
    int usable = 0, needs_partners = 0;
    for (int i = 0; i < bench->methods; i++) needs_partners |= bench->method[i].kind == &bench_plan;
    if (needs_partners && qdr_partners_from_both(MPI_COMM_WORLD, out->count, out->partner, out->items,
                                                 in->count, in->partner, in->items, 0, &bench->partners))
        return complain_library();
    for (int i = 0; i < bench->methods; i++) {
        bench_method *method = &bench->method[i];
        progress_say("preparing %s", method->name);
        method->refusal = refuse_together(bench, method);
        if (!method->refusal) method->refusal = method->kind->create(bench, method);
        if (method->refusal && method->asked) return complain("%s: %s", method->name, method->refusal);
        usable += !method->refusal;
    }
    if (!usable)
        return complain("no method can run it: %s: %s", bench->method[0].name, bench->method[0].refusal);
    return EXIT_GOOD;
}

static void look_at_methods(bench *bench) {
    for (int i = 0; i < bench->methods; i++)
        if (bench->method[i].kind->look && !bench->method[i].refusal)
            bench->method[i].kind->look(bench, &bench->method[i]);
    mark_chosen(bench);
}

static int measure(const arguments *arguments, bench *bench, FILE *out) {
    int code = share_pattern(arguments, bench);
    if (!code) code = input_machine(arguments, NULL, bench->ranks, &bench->machine);
    if (!code) code = find_bound(bench);
    if (code) return code;
    bench_load_open(bench, &bench->fixed);
    if (bench->changing) bench_load_open(bench, &bench->changed);
    code = create_methods(bench);
    if (code) return code;
    bench_measure(bench);
    look_at_methods(bench);
    if (bench->ranks == 1 && !in_parallel())
        hint("one rank has nobody to exchange with; run it under mpirun, as in: mpirun -n 8 quadrille bench "
             "%s",
             arguments->operand[0]);
    if (bench->trace) bench_write_trace(bench);
    if (bench->rank == 0)
        code = argument(arguments, "json") ? bench_write_json(bench, out) : bench_write_text(bench, out);
    return code ? code : bench->wrong ? EXIT_CHECK : EXIT_GOOD;
}

static void clean_up(bench *bench) {
    for (int i = 0; i < bench->methods; i++) {
        bench_method *method = &bench->method[i];
        if (method->state) method->kind->destroy(method);
        free(method->name);
        free(method->algorithm);
        free(method->refusal);
        free(method->ran);
        free(method->seconds);
    }
    free(bench->method);
    free(bench->wrong);
    free(bench->filled);
    bench_load_close(&bench->fixed);
    bench_load_close(&bench->changed);
    qdr_partners_destroy(&bench->partners);
    qdr_machine_destroy(&bench->machine);
    qdr_pattern_destroy(&bench->pattern);
}

static int run(const arguments *arguments, FILE *out) {
    bench bench = {
        .text = arguments->operand[0],
        .repeat = 9,
        .fewest = 3,
        .warmup = 1,
        .seed = 1,
        .item_bytes = 1,
        .together = 1,
        .changing = argument(arguments, "changing") != NULL,
        .explain = argument(arguments, "explain") != NULL,
        .options = QDR_PLAN_OPTIONS,
    };
    bench.options.barrier = argument(arguments, "barrier") != NULL;
    int code = read_settings(arguments, &bench);
    if (!code) {
        parallel_start(&bench.rank, &bench.ranks);
        code = measure(arguments, &bench, out);
    }
    clean_up(&bench);
    parallel_end();
    return code;
}

static const option options[] = {
    {'a', "algorithm", "NAMES", "plans to run: A,B,C, or one with options; 'default', 'none'",
     OPTION_REPEATS},
    {0, "with", "NAMES",
     "opponents: mpi-alltoallv, mpi-alltoallv-pairwise, mpi-neighbor, isend, isend-shifted, persistent",
     OPTION_REPEATS},
    {0, "chunk", "BYTES", "bytes that go as one message", OPTION_ONCE},
    {0, "window", "BYTES", "bytes that may be under way to one receiver", OPTION_ONCE},
    {0, "pacing", "WORD",
     "free, arrivals, grants, requests, stages or turns, instead of what suits the algorithm", OPTION_ONCE},
    {0, "reuse", "R",
     "exchanges with these very sizes that plans are told to expect (default 0: sizes may differ)",
     OPTION_ONCE},
    {0, "barrier", NULL, "all ranks meet after each phase", OPTION_ONCE},
    {0, "changing", NULL, "also run paced with sizes that change at every call", OPTION_ONCE},
    {0, "item-bytes", "B", "bytes of one item, if the pattern counts items (default 1)", OPTION_ONCE},
    {0, "repeat", "R", "repetitions that count (default 9)", OPTION_ONCE},
    {0, "warmup", "R", "repetitions before that (default 1)", OPTION_ONCE},
    {0, "seconds", "LIMIT", "seconds that each method may take in all", OPTION_ONCE},
    {0, "fewest", "R", "repetitions that each method has in spite of that limit (default 3)", OPTION_ONCE},
    {0, "pause", "MS", "milliseconds of rest before each exchange (default 0)", OPTION_ONCE},
    {0, "late", "MS", "milliseconds by which one rank, drawn each time, comes late (default 0)", OPTION_ONCE},
    {0, "together", "N", "exchanges at once: a method is N plans, timed together (default 1)", OPTION_ONCE},
    {0, "seed", "N", "seed of the order of methods and of changing sizes (default 1)", OPTION_ONCE},
    {0, "rate", "RATE", "rate of every port, such as 50Mbit/s, for the bound of the wire", OPTION_ONCE},
    {0, "burst", "BYTES", "bytes that a port lets pass at once, for the same bound (default 0)", OPTION_ONCE},
    OPTION_RANKS_PER_HOST,
    OPTION_MACHINE("the machine of the bound, unless --rate is given, and of algorithms that need one"),
    {0, "explain", NULL, "say why each plan runs as it does", OPTION_ONCE},
    {0, "trace", "FILE", "run each method once more and write its events, for 'quadrille draw'", OPTION_ONCE},
    OPTION_JSON,
    OPTION_BYTES,
    OPTIONS_END,
};

const command bench_command = {
    .name = "bench",
    .summary = "run real exchanges under mpirun, checked and measured side by side",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "Runs under mpirun with as many processes as the pattern has ranks; a spec without n=\n"
                   "gets it from mpirun. Each repetition runs every method once, in a fresh random order,\n"
                   "and checks every byte that arrives. The time of an exchange is that of the slowest\n"
                   "rank. It prints median, smallest and largest, and ratios of the median to the fastest\n"
                   "method and to the bound. 'default' is what a plan without any options runs; the method\n"
                   "that it chose is marked.\n"
                   "\n"
                   "The bound of the wire is (bytes * 1514/1448 - burst) / rate for the rank that sends or\n"
                   "receives most: frames of 1514 bytes carry 1448. With --ranks-per-host, that of hosts.\n"
                   "\n"
                   "Without -a: default, paced, coloring, pairwise, async, and without --with also\n"
                   "mpi-alltoallv. mpi-alltoallv-pairwise is written by hand, because MPI libraries do not\n"
                   "let a program choose. Which MPI it is and what it was told, by mpirun --mca or in the\n"
                   "environment, stands above the table, and what concerns its collective calls beside\n"
                   "their times. The exit code is 1 when contents were wrong.\n"
                   "\n"
                   "With --together N a method is N plans, each with data of its own, started one after\n"
                   "the other and then waited for; opponents cannot do this. A rank that --late holds\n"
                   "up sleeps first, and its exchange is timed from when the others began.\n",
    .examples = "mpirun -n 16 quadrille bench complete:bytes=64Ki --rate 50Mbit/s --burst 32Ki\n"
                "mpirun -n 8 quadrille bench zipf:density=0.5,bytes=64K -a paced --with isend --changing\n"
                "mpirun -n 8 quadrille bench mesh:points=2800 --trace trace.json --json\n",
    .run = run,
    .prepare = parallel_prepare,
};
