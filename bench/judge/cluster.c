/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables and the verdict of `make bench-cluster`, from what scripts/bench-cluster measured.
 *
 *     judge cluster FILE.json ...
 *
 * Each file is one launch: {"setting": TEXT, "part": PART, "launch": TEXT, "bench": what `quadrille bench
 * --json` printed}. Launches of one pattern in one setting make one row. A part has a subject, the one method
 * of ours that its bars speak of. Two kinds of figures, never mixed:
 *
 *     To the bound: ours from the launch `calm`, in which nothing else runs; opponents from their own.
 *     To an opponent: both medians from the opponent's launch, where it and the subject ran in turn.
 *
 * In the launch `tuned` the algorithm of MPI_Alltoallv was chosen for the whole process, so there it is another
 * opponent with the same name, and gets a name of its own here. Exits with 1 when a bar is missed, with 2 when
 * a file is not as expected.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* ---- what was measured --------------------------------------------------------------------------------- */

typedef struct figure {
    char *method;
    int ours;
    double median, least, most; /* seconds */
    double against;             /* the subject's median in the same launch, for opponents */
    char *way;                  /* how a plan ran: its one setting */
} figure;

/* In the order of their columns, ours first. */
static const struct {
    const char *name;
    int ours;
} methods[] = {
    {"pairwise", 1},      {"paced", 1},
    {"default", 1},       {"paced-changing", 1},
    {"mpi-alltoallv", 0}, {"mpi-alltoallv tuned", 0},
    {"isend", 0},         {"mpi-alltoallv-pairwise", 0},
    {"isend-shifted", 0}, {"persistent", 0},
    {"mpi-neighbor", 0},
};

typedef struct row {
    const char *setting, *part, *pattern;
    double bound;  /* seconds; NAN: there is none */
    double beside; /* the subject's largest median in an opponent's launch; 0: there was none */
    int figures, wrong;
    figure figure[COUNT(methods)];
} row;

typedef struct part {
    const char *name, *title, *subject;
} part;

static const part parts[] = {
    {"complete", "Complete exchange", "pairwise"},
    {"irregular", "Irregular patterns", "paced"},
    {"changing", "Sizes that change at every call", "paced"},
};

typedef struct measured {
    row *row;
    int rows;
    const char **setting; /* in the order of the files */
    int settings;
    json_t *files; /* owns the texts */
} measured;

static const part *find_part(const char *name) {
    for (int i = 0; i < COUNT(parts); i++)
        if (!strcmp(parts[i].name, name)) return &parts[i];
    return NULL;
}

static int is_known(const figure *f) {
    for (int i = 0; i < COUNT(methods); i++)
        if (!strcmp(methods[i].name, f->method)) return methods[i].ours == f->ours;
    return 0;
}

static const figure *find_figure(const row *row, const char *method) {
    for (int i = 0; i < row->figures; i++)
        if (!strcmp(row->figure[i].method, method)) return &row->figure[i];
    return NULL;
}

/* The least, over opponents, of how many times as fast as it the subject is; NULL when there is none. */
static const figure *best_opponent(const row *row) {
    const figure *best = NULL;
    for (int i = 0; i < row->figures; i++) {
        const figure *f = &row->figure[i];
        if (!f->ours && (!best || f->median / f->against < best->median / best->against)) best = f;
    }
    return best;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static row *find_row(measured *all, const char *setting, const char *part, const char *pattern) {
    int known = 0;
    for (int i = 0; i < all->rows; i++)
        if (!strcmp(all->row[i].setting, setting) && !strcmp(all->row[i].part, part) &&
            !strcmp(all->row[i].pattern, pattern))
            return &all->row[i];
    for (int i = 0; i < all->settings; i++) known |= !strcmp(all->setting[i], setting);
    if (!known) {
        all->setting = checked(reallocarray(all->setting, (size_t)all->settings + 1, sizeof *all->setting));
        all->setting[all->settings++] = setting;
    }
    all->row = checked(reallocarray(all->row, (size_t)all->rows + 1, sizeof *all->row));
    all->row[all->rows] = (row){.setting = setting, .part = part, .pattern = pattern, .bound = NAN};
    return &all->row[all->rows++];
}

static int read_figure(json_t *object, figure *f) {
    const char *method, *algorithm = NULL, *pacing = "";
    json_int_t chunk = 0, window = 0;
    if (json_unpack(object, "{s:s, s:F, s:F, s:F, s?s, s?s, s?I, s?I}", "method", &method, "median_seconds",
                    &f->median, "min_seconds", &f->least, "max_seconds", &f->most, "algorithm", &algorithm,
                    "pacing", &pacing, "chunk", &chunk, "window", &window) ||
        !(f->median > 0))
        return 0;
    f->method = print_text("%s", method);
    f->ours = algorithm != NULL;
    if (f->ours)
        f->way = print_text("`%s`: %s, %s, chunk %lld, window %lld", method, algorithm, pacing,
                            (long long)chunk, (long long)window);
    return 1;
}

static void free_figure(figure *f) {
    free(f->method);
    free(f->way);
    *f = (figure){.method = NULL};
}

/* Ours count in the calm launch; in another they are what its opponents are held against. */
static const char *read_methods(row *row, const char *launch, json_t *methods) {
    int calm = !strcmp(launch, "calm"), first = row->figures;
    const char *subject = find_part(row->part)->subject;
    double against = 0;
    json_t *object;
    size_t index;
    json_array_foreach (methods, index, object) {
        figure f = {.method = NULL};
        if (!read_figure(object, &f)) return "a method without a name or times";
        if (!calm && !strcmp(f.method, subject)) against = f.median;
        if (f.ours && !calm) {
            free_figure(&f);
            continue;
        }
        if (!strcmp(launch, "tuned") && !strcmp(f.method, "mpi-alltoallv")) {
            free(f.method);
            f.method = print_text("mpi-alltoallv tuned");
        }
        if (!is_known(&f) || find_figure(row, f.method) || f.ours != calm) {
            free_figure(&f);
            return "a method that is unknown or there twice, or an opponent in the calm launch";
        }
        row->figure[row->figures++] = f;
    }
    if (!calm && against == 0) return "no subject to hold the opponents against";
    for (int i = first; i < row->figures; i++) row->figure[i].against = against;
    row->beside = fmax(row->beside, against);
    return NULL;
}

static int read_file(const char *path, measured *all) {
    const char *setting, *part, *launch, *pattern, *why = NULL;
    json_t *bound, *methods;
    json_error_t error;
    int verified;
    json_t *file = json_load_file(path, 0, &error);
    if (!file) return refuse(path, error.text);
    json_array_append_new(all->files, file);
    if (json_unpack_ex(file, &error, 0, "{s:s, s:s, s:s, s:{s:{s:s}, s:o, s:b, s:o}}", "setting", &setting,
                       "part", &part, "launch", &launch, "bench", "pattern", "text", &pattern,
                       "bound_seconds", &bound, "verified", &verified, "methods", &methods))
        return refuse(path, error.text);
    if (!find_part(part)) return refuse(path, "a part that is unknown");
    row *row = find_row(all, setting, part, pattern);
    row->wrong |= !verified;
    if (json_is_number(bound)) row->bound = json_number_value(bound);
    why = read_methods(row, launch, methods);
    return why ? refuse(path, why) : REACHED;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

/* The rows of one table, and the methods that are its columns, ours first. */
typedef struct section {
    const part *part;
    const row **row;
    int rows, columns;
    const char *column[COUNT(methods)];
    int ours;
} section;

static section open_section(const measured *all, const char *setting, const part *part) {
    section s = {.part = part, .row = checked(calloc((size_t)all->rows + 1, sizeof(row *)))};
    for (int i = 0; i < all->rows; i++)
        if (!strcmp(all->row[i].setting, setting) && !strcmp(all->row[i].part, part->name))
            s.row[s.rows++] = &all->row[i];
    for (int m = 0; m < COUNT(methods); m++) {
        int there = 0;
        for (int i = 0; i < s.rows; i++) there |= find_figure(s.row[i], methods[m].name) != NULL;
        if (there) s.column[s.columns++] = methods[m].name;
        if (there) s.ours += methods[m].ours;
    }
    return s;
}

static void write_headings(const section *s) {
    int opponents = s->columns > s->ours;
    printf("| pattern | bound [ms] |");
    for (int i = 0; i < s->columns; i++) {
        if (i == s->ours) printf(" `%s` beside |", s->part->subject);
        printf(" `%s` |", s->column[i]);
    }
    printf(" %s |\n|---|", opponents ? "best opponent / ours" : "changing / fixed");
    for (int i = 0; i < s->columns + 2 + opponents; i++) printf("---:|");
    printf("\n");
}

static double changing_ratio(const row *row) {
    const figure *fixed = find_figure(row, "paced"), *changing = find_figure(row, "paced-changing");
    return fixed && changing ? changing->median / fixed->median : NAN;
}

static void write_figure(const figure *f, double bound) {
    if (!f || isnan(bound))
        printf(" - |");
    else
        printf(" %.2f (%.2f..%.2f) |", f->median / bound, f->least / bound, f->most / bound);
}

static void write_row(const section *s, const row *row) {
    const figure *best = best_opponent(row);
    printf("| `%s` |", row->pattern);
    write_number(1, 1e3 * row->bound);
    for (int i = 0; i < s->columns; i++) {
        if (i == s->ours) write_number(2, row->beside > 0 ? row->beside / row->bound : NAN);
        write_figure(find_figure(row, s->column[i]), row->bound);
    }
    if (best)
        printf(" %.2f `%s` |\n", best->median / best->against, best->method);
    else {
        write_number(3, changing_ratio(row));
        printf("\n");
    }
}

/* One line for each setting that a method of ours had: there should be one. */
static void write_ways(const section *s) {
    for (int column = 0; column < s->ours; column++) {
        const char *before = NULL;
        for (int i = 0; i < s->rows; i++) {
            const figure *f = find_figure(s->row[i], s->column[column]);
            if (f && (!before || strcmp(before, f->way))) printf("- %s\n", f->way);
            if (f) before = f->way;
        }
    }
}

static void write_section(const section *s) {
    printf("### %s\n\nTime / wire bound: median (least..most).\n\n", s->part->title);
    write_headings(s);
    for (int i = 0; i < s->rows; i++) write_row(s, s->row[i]);
    printf("\n");
    write_ways(s);
    printf("\n");
}

/* ---- bars ---------------------------------------------------------------------------------------------- */

/* A measure gives a number for a row; the worst row decides. NAN: not measured. */
typedef double measure(const row *row, const char *opponent);

static double to_bound(const row *row, const char *opponent) {
    const figure *f = find_figure(row, find_part(row->part)->subject);
    (void)opponent;
    return f && f->ours ? f->median / row->bound : NAN;
}

static double to_opponent(const row *row, const char *opponent) {
    const figure *f = opponent ? find_figure(row, opponent) : best_opponent(row);
    return f && !f->ours ? f->median / f->against : NAN;
}

static double changing(const row *row, const char *opponent) {
    (void)opponent;
    return changing_ratio(row);
}

typedef struct bar {
    const char *part, *sentence, *opponent;
    measure *measure;
    double limit;
    int at_least; /* the measure must be at least the limit, else at most */
} bar;

/* "Never slower" allows for 2% of noise. */
static const bar bars[] = {
    {"complete", "`pairwise` takes at most 1.10 of the wire bound", NULL, to_bound, 1.10, 0},
    {"complete", "`pairwise` is 2 times as fast as MPI_Alltoallv", "mpi-alltoallv", to_opponent, 2, 1},
    {"complete", "`pairwise` is 2 times as fast as isend", "isend", to_opponent, 2, 1},
    {"complete", "`pairwise` is 1.35 times as fast as MPI_Alltoallv tuned to pairwise", "mpi-alltoallv tuned",
     to_opponent, 1.35, 1},
    {"irregular", "`paced` takes at most 1.25 of the wire bound", NULL, to_bound, 1.25, 0},
    {"irregular", "`paced` is slower than no opponent (opponent / ours at least 0.98)", NULL, to_opponent,
     0.98, 1},
    {"changing", "`paced` with changing sizes takes at most 1.05 of fixed ones", NULL, changing, 1.05, 0},
};

static int judge(const section *s, const char *setting, const bar *bar) {
    const row *worst = NULL;
    double found = NAN;
    for (int i = 0; i < s->rows; i++) {
        double value = bar->measure(s->row[i], bar->opponent);
        if (worst && !isnan(value) && (bar->at_least ? value >= found : value <= found)) continue;
        worst = s->row[i];
        found = value;
        if (isnan(value)) break; /* what was not measured is not reached */
    }
    int reached = bar->at_least ? found >= bar->limit : found <= bar->limit;
    const figure *best = bar->measure == to_opponent && !bar->opponent ? best_opponent(worst) : NULL;
    char *detail = isnan(found) ? print_text("; not measured with `%s`", worst->pattern)
                                : print_text("; worst of %d: %.3f%s%s, `%s`", s->rows, found,
                                             best ? " to " : "", best ? best->method : "", worst->pattern);
    int missed = say(reached, setting, bar->sentence, detail);
    free(detail);
    return missed;
}

/* The bars speak of one fixed setting, not of the best for each pattern. */
static int judge_setting(const section *s, const char *setting) {
    const figure *first = find_figure(s->row[0], s->part->subject);
    int same = first != NULL, right = 1;
    for (int i = 0; i < s->rows; i++) {
        const figure *f = find_figure(s->row[i], s->part->subject);
        same = same && f && !strcmp(f->way, first->way);
        right = right && !s->row[i]->wrong;
    }
    int missed = 0;
    if (!same) missed += say(0, setting, s->part->title, ": more than one setting of the subject");
    if (!right) missed += say(0, setting, s->part->title, ": contents were wrong");
    return missed;
}

static int judge_section(const section *s, const char *setting) {
    int missed = judge_setting(s, setting);
    for (int i = 0; i < COUNT(bars); i++)
        if (!strcmp(bars[i].part, s->part->name)) missed += judge(s, setting, &bars[i]);
    return missed;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static int report(const measured *all) {
    int missed = 0;
    for (int verdict = 0; verdict < 2; verdict++) {
        if (verdict) printf("## Bars\n\n");
        for (int i = 0; i < all->settings; i++) {
            if (!verdict) printf("## %s\n\n", all->setting[i]);
            for (int k = 0; k < COUNT(parts); k++) {
                section s = open_section(all, all->setting[i], &parts[k]);
                if (s.rows && verdict) missed += judge_section(&s, all->setting[i]);
                if (s.rows && !verdict) write_section(&s);
                free(s.row);
            }
        }
    }
    return missed ? MISSED : REACHED;
}

static void clean_up(measured *all) {
    for (int i = 0; i < all->rows; i++)
        for (int k = 0; k < all->row[i].figures; k++) free_figure(&all->row[i].figure[k]);
    free(all->row);
    free(all->setting);
    json_decref(all->files);
}

int judge_cluster(int count, char **words) {
    measured all = {.files = json_array()};
    int code = count > 0 ? REACHED : refuse("no file", "expected those of scripts/bench-cluster");
    for (int i = 0; i < count && !code; i++) code = read_file(words[i], &all);
    if (!code) code = report(&all);
    clean_up(&all);
    return code;
}
