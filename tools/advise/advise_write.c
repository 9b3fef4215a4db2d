/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice as text and as JSON, and the patterns behind it as files. The text is a table, in which sites are
 * compared, and then what to do, site by site; it is never wider than 130 columns.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "core/complain.h"
#include "core/json.h"
#include "core/output.h"
#include "report/page.h"
#include "core/table.h"
#include "core/units.h"

enum { SITES_SHOWN = 30, FRAME_SHOWN = 34, WIDTH = 110, PATTERNS_SAVED = 32 };

/* ---- parts --------------------------------------------------------------------------------------------- */

const char *advice_bytes(double bytes, char text[ADVICE_TEXT]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 6; unit++) bytes /= 1000;
    snprintf(text, ADVICE_TEXT, "%.3g %s", bytes, units[unit]);
    return text;
}

const char *advice_served(const advice_group *group, char text[ADVICE_TEXT]) {
    if (group->paced == 0 || group->paced == group->calls)
        snprintf(text, ADVICE_TEXT, "%s", group->paced ? "paced" : "plain");
    else
        snprintf(text, ADVICE_TEXT, "%.0f%% paced", 100 * (double)group->paced / (double)group->calls);
    return text;
}

const char *advice_gain(const advice_group *group, char text[ADVICE_TEXT]) {
    char seconds[UNITS_TEXT];
    snprintf(text, ADVICE_TEXT, "%.31s", group->gain > 0 ? units_seconds(group->gain, seconds) : "-");
    return text;
}

const char *advice_site(const advice *advice, const advice_group *group) {
    const char *text = advice->record->site[group->site].text;
    return text ? text : "an unknown place";
}

void advice_frame(const advice *advice, const advice_group *group, char *text, int most) {
    const char *site = advice_site(advice, group), *end = strstr(site, " < ");
    int length = end ? (int)(end - site) : (int)strlen(site);
    snprintf(text, (size_t)most + 1, "%.*s", length, site);
    if (length > most) memcpy(text + most - 3, "...", 3);
}

char *advice_command(const advice *advice, int mpich) {
    const char *program =
        advice->record->program && advice->record->program[0] ? advice->record->program : "PROGRAM";
    return print_text(mpich ? "mpiexec -n %d -genv LD_PRELOAD libquadrille-mpi-mpich.so %s ..."
                            : "mpirun -n %d -x LD_PRELOAD=libquadrille-mpi-openmpi.so %s ...",
                      advice->record->ranks, program);
}

char *advice_title(const advice *advice) {
    const record *record = advice->record;
    char run[UNITS_TEXT] = "", share[64] = "";
    if (advice->run > 0) {
        units_seconds(advice->run, run);
        snprintf(share, sizeof share, ", %.1f%% of the run", 100 * advice->share);
    }
    return print_text("%s, %d rank%s on %d host%s%s%s; %" PRId64 " call%s from %" PRId64 " site%s%s",
                      record->program && record->program[0] ? record->program : "a program", record->ranks,
                      record->ranks == 1 ? "" : "s", advice->hosts, advice->hosts == 1 ? "" : "s",
                      advice->run > 0 ? ", " : "", run, advice->calls, advice->calls == 1 ? "" : "s",
                      advice->groups, advice->groups == 1 ? "" : "s", share);
}

char *advice_method(const advice *advice) {
    char between[UNITS_TEXT], inside[UNITS_TEXT], *rates;
    if (advice->machine)
        return print_text("bounds are those of the machine %s for direct schedules", advice->machine);
    if (isnan(advice->rate[0]) && isnan(advice->rate[1]))
        return print_text("there are no bounds: nothing was sent");
    if (!isnan(advice->rate[0]) && !isnan(advice->rate[1]))
        rates = print_text("%s between nodes and %s inside one", units_rate(advice->rate[0], between),
                           units_rate(advice->rate[1], inside));
    else
        rates = print_text("%s", units_rate(advice->rate[isnan(advice->rate[0])], between));
    char *text = print_text("bounds come from the best rate in this record, %s; if all of it was slow, only "
                            "-m MACHINE shows it",
                            rates);
    free(rates);
    return text;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static int64_t shown(const advice *advice) {
    return advice->groups < SITES_SHOWN ? advice->groups : SITES_SHOWN;
}

static void put_percent(table *table, double part) {
    if (isfinite(part))
        table_cell(table, "%.1f%%", 100 * part);
    else
        table_cell(table, "-");
}

static void put_row(table *table, const advice *advice, int64_t number) {
    const advice_group *group = &advice->group[number];
    char frame[FRAME_SHOWN + 1], text[UNITS_TEXT], gain[ADVICE_TEXT];
    advice_frame(advice, group, frame, FRAME_SHOWN);
    table_cell(table, "%" PRId64, number + 1);
    table_cell(table, "%s", frame);
    table_cell(table, "%d", group->ranks);
    table_cell(table, "%" PRId64, group->calls);
    table_cell(table, "%s", advice_bytes((double)group->bytes_median, text));
    table_cell(table, "%s", advice_served(group, text));
    table_cell(table, "%s", units_seconds(group->seconds, text));
    put_percent(table, group->share);
    put_percent(table, group->seconds > 0 ? group->waiting / group->seconds : NAN);
    table_cell(table, isfinite(group->ratio) ? "%.2f" : "-", group->ratio);
    table_cell(table, "%s", advice_gain(group, gain));
}

static void write_table(const advice *advice, FILE *out) {
    table table;
    table_open(&table,
               ">#|<call site|>ranks|>calls|>bytes/call|<served|>time|>of run|>waiting|>x bound|>gain");
    for (int64_t i = 0; i < shown(advice); i++) put_row(&table, advice, i);
    table_write(&table, 0, out);
    table_close(&table);
}

/* Words up to the width; the first line begins with one text, the others with another. */
static void write_folded(const char *text, const char *first, const char *others, FILE *out) {
    int column = fprintf(out, "%s", first), words = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (words++ && column + 1 + length > WIDTH)
            column = fprintf(out, "\n%s", others) - 1;
        else if (words > 1)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void write_remark(const char *text, FILE *out) {
    write_folded(text, "# ", "#   ", out);
}

static void write_advice(const advice *advice, int64_t number, FILE *out) {
    const advice_group *group = &advice->group[number];
    char *place = print_text("%s, %s", advice->record->site[group->site].call, advice_site(advice, group));
    char *heading = print_text("\n%" PRId64 ". ", number + 1);
    write_folded(place, heading, "   ", out);
    write_folded(group->sentence, "   ", "   ", out);
    if (group->how[0]) write_folded(group->how, "   -> ", "      ", out);
    free(heading);
    free(place);
}

/* "# less than 1% of the run each; leave them: 4, 5, 6" */
static void write_negligible(const advice *advice, FILE *out) {
    int count = 0;
    for (int64_t i = 0; i < shown(advice); i++)
        if (advice->group[i].kind == ADVICE_NEGLIGIBLE)
            fprintf(out, "%s%" PRId64,
                    count++ ? ", " : "# less than 1% of the run each; leave them: ", i + 1);
    if (count) fputc('\n', out);
}

static void write_footer(const advice *advice, FILE *out) {
    double rest = 0;
    int floods = 0;
    char text[UNITS_TEXT];
    for (int64_t i = 0; i < advice->groups; i++) {
        floods |= strstr(advice->group[i].how, "LD_PRELOAD") != NULL;
        if (i >= SITES_SHOWN) rest += advice->group[i].seconds;
    }
    fputc('\n', out);
    write_negligible(advice, out);
    if (advice->groups > SITES_SHOWN)
        fprintf(out, "# %" PRId64 " more sites, %s in all; --json has them\n", advice->groups - SITES_SHOWN,
                units_seconds(rest, text));
    if (floods) {
        char *command = advice_command(advice, 1);
        fprintf(out, "# to pace: unset QDR_PRELOAD if it says plain; with MPICH: %s\n", command);
        free(command);
    }
    fputs("# times are of one rank, mean over those that take part; docs/advise.md says how they are found\n",
          out);
}

void advice_write_text(const advice *advice, FILE *out) {
    char *title = advice_title(advice), *method = advice_method(advice);
    write_remark(title, out);
    write_remark(method, out);
    for (int i = 0; i < advice->notes; i++) write_remark(advice->note[i], out);
    free(title);
    free(method);
    if (advice->groups == 0) {
        fputs("# no calls were recorded\n", out);
        return;
    }
    write_table(advice, out);
    for (int64_t i = 0; i < shown(advice); i++)
        if (advice->group[i].kind != ADVICE_NEGLIGIBLE) write_advice(advice, i, out);
    write_footer(advice, out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *json_late(const advice_group *group) {
    if (group->late_rank < 0) return json_null();
    return json_pack("{s:i, s:f}", "rank", group->late_rank, "share_of_waiting", group->late_share);
}

static json_t *json_pattern(const advice *advice, const advice_group *group) {
    const advice_heavy *heavy = &group->heavy_pattern[0];
    const advice_pattern *pattern = &advice->pattern[heavy->pattern];
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:f, s:o}", "calls", (json_int_t)heavy->calls,
                     "messages", (json_int_t)pattern->messages, "bytes", (json_int_t)pattern->bytes,
                     "max_degree", (json_int_t)pattern->degree, "max_traffic", (json_int_t)pattern->traffic,
                     "busiest_rank", group->busiest, "exchange_seconds",
                     heavy->seconds / (double)heavy->calls, "bound_seconds",
                     pattern->bound > 0 ? json_real(pattern->bound) : json_null());
}

static json_t *json_group(const advice *advice, const advice_group *group) {
    json_t *object = json_pack(
        "{s:o, s:o, s:i, s:b, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:f, s:f}", "site",
        json_text(advice_site(advice, group)), "call", json_text(advice->record->site[group->site].call),
        "ranks", group->ranks, "one_node", group->one_node, "calls", (json_int_t)group->calls, "paced_calls",
        (json_int_t)group->paced, "median_bytes", (json_int_t)group->bytes_median, "max_bytes",
        (json_int_t)group->bytes_most, "seconds", group->seconds, "max_seconds", group->seconds_most,
        "share_of_run", json_number_or_null(group->share), "exchange_seconds", group->exchange,
        "waiting_seconds", group->waiting);
    json_t *more = json_pack(
        "{s:o, s:o, s:f, s:o, s:o, s:o, s:I, s:o, s:s, s:o, s:o}", "late", json_late(group), "ratio_to_bound",
        json_number_or_null(group->ratio), "gain_seconds", group->gain, "plain_to_paced",
        json_number_or_null(group->plain_to_paced), "predicted_seconds",
        json_number_or_null(group->predicted), "chosen",
        group->chosen ? json_string(group->chosen) : json_null(), "patterns", (json_int_t)group->patterns,
        "heaviest_pattern", json_pattern(advice, group), "kind", advice_names[group->kind], "advice",
        json_text(group->sentence), "how", json_text(group->how));
    json_join(object, more);
    return object;
}

int advice_write_json(const advice *advice, FILE *out) {
    json_t *sites = json_array(), *notes = json_array();
    for (int64_t i = 0; i < advice->groups; i++) json_add(sites, json_group(advice, &advice->group[i]));
    for (int i = 0; i < advice->notes; i++) json_add(notes, json_text(advice->note[i]));
    return json_print(json_pack("{s:s, s:i, s:o, s:i, s:i, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o}",
                                "quadrille", "advice", "version", 1, "program",
                                json_text(advice->record->program ? advice->record->program : ""), "ranks",
                                advice->record->ranks, "hosts", advice->hosts, "run_seconds",
                                json_number_or_null(advice->run), "share_of_run",
                                json_number_or_null(advice->share), "calls", (json_int_t)advice->calls,
                                "machine", advice->machine ? json_text(advice->machine) : json_null(),
                                "observed_rate", json_number_or_null(advice->rate[0]), "observed_node_rate",
                                json_number_or_null(advice->rate[1]), "notes", notes, "sites", sites),
                      out);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static int save_pattern(const advice *advice, const advice_heavy *heavy, const char *path) {
    const advice_pattern *of = &advice->pattern[heavy->pattern];
    qdr_pattern *pattern = NULL;
    int code = EXIT_GOOD;
    if (record_pattern(advice->record, of->comm, of->call, &pattern) ||
        qdr_pattern_write(pattern, output_open(path)))
        code = complain_library();
    qdr_pattern_destroy(&pattern);
    return code;
}

static int is_saved(const int64_t *saved, int count, int64_t pattern) {
    for (int i = 0; i < count; i++)
        if (saved[i] == pattern) return 1;
    return 0;
}

/* A pattern of several sites has the name of the first. */
int advice_save_patterns(const advice *advice, const char *folder) {
    int64_t saved[PATTERNS_SAVED];
    int code = EXIT_GOOD, count = 0;
    output_folder(folder);
    for (int64_t i = 0; i < advice->groups; i++)
        for (int k = 0; k < advice->group[i].heavy && count < PATTERNS_SAVED && !code; k++) {
            const advice_heavy *heavy = &advice->group[i].heavy_pattern[k];
            if (is_saved(saved, count, heavy->pattern)) continue;
            saved[count++] = heavy->pattern;
            char *path = print_text("%s/site%" PRId64 "-pattern%d.mtx", folder, i + 1, k + 1);
            code = save_pattern(advice, heavy, path);
            free(path);
        }
    return code;
}
