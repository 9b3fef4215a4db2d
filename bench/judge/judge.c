/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kinds of judges share: see judge.h. */
#include "judge.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*judge)(int count, char **words);
} kinds[] = {{"node", judge_node},         {"builds", judge_builds}, {"cluster", judge_cluster},
             {"networks", judge_networks}, {"auto", judge_auto},     {"preload", judge_preload}};

static const char *judge_name = "judge";
static json_t *verdicts; /* that were said */

/* ---- memory and words ---------------------------------------------------------------------------------- */

void *checked(void *block) {
    if (block) return block;
    fprintf(stderr, "%s: out of memory\n", judge_name);
    exit(UNREADABLE);
}

char *print_text(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return checked(length < 0 ? NULL : text);
}

int refuse(const char *path, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", judge_name, path, why);
    return UNREADABLE;
}

/* ---- medians ------------------------------------------------------------------------------------------- */

/* By insertion: there are few, again and again. */
double median_of(double *value, int count) {
    if (count == 0) return NAN;
    for (int i = 1; i < count; i++) {
        double moved = value[i];
        int k = i;
        for (; k > 0 && value[k - 1] > moved; k--) value[k] = value[k - 1];
        value[k] = moved;
    }
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

interval median_interval(double *value, int count) {
    interval found = {median_of(value, count), 0, INFINITY};
    /* How likely it is that at most `place` of the values lie below the true median, at both ends. */
    double one = exp2(-count), sum = one;
    int place = 0;
    while (2 * sum <= 0.05) {
        one = one * (count - place) / (place + 1);
        sum += one;
        place++;
    }
    if (place > 0) {
        found.low = value[place - 1];
        found.high = value[count - place];
    }
    return found;
}

/* ---- what is written ----------------------------------------------------------------------------------- */

void write_number(int digits, double value) {
    if (isfinite(value))
        printf(" %.*f |", digits, value);
    else
        printf(" - |");
}

int say(int reached, const char *where, const char *sentence, const char *detail) {
    printf("- %s: %s%s%s%s\n", reached ? "reached" : "**MISSED**", where ? where : "", where ? ": " : "",
           sentence, detail);
    char *text = print_text("%s%s", sentence, detail);
    if (!verdicts) verdicts = checked(json_array());
    json_array_append_new(verdicts, checked(json_pack("{s:b, s:s*, s:s}", "reached", reached, "where", where,
                                                      "sentence", text)));
    free(text);
    return !reached;
}

int verdicts_write_json(const char *path) {
    size_t index;
    json_t *verdict;
    int reached = 1;
    json_array_foreach (verdicts, index, verdict)
        reached &= json_is_true(json_object_get(verdict, "reached"));
    json_t *all =
        checked(json_pack("{s:b, s:O}", "reached", reached, "verdicts", verdicts ? verdicts : json_array()));
    int failed = json_dump_file(all, path, JSON_INDENT(1));
    json_decref(all);
    return !failed;
}

/* ---- the program --------------------------------------------------------------------------------------- */

/* Takes `--json FILE` off the words. */
static const char *take_json(int *count, char **words) {
    for (int i = 0; i + 1 < *count; i++)
        if (!strcmp(words[i], "--json")) {
            const char *path = words[i + 1];
            memmove(&words[i], &words[i + 2], (size_t)(*count - i - 1) * sizeof *words);
            *count -= 2;
            return path;
        }
    return NULL;
}

int main(int count, char **words) {
    int rest = count - 2;
    const char *path = count > 2 ? take_json(&rest, words + 2) : NULL;
    for (int i = 0; count > 1 && i < COUNT(kinds); i++) {
        if (strcmp(kinds[i].name, words[1]) != 0) continue;
        judge_name = kinds[i].name;
        int code = kinds[i].judge(rest, words + 2);
        if (path && code != UNREADABLE && !verdicts_write_json(path))
            code = refuse(path, "cannot be written");
        return code;
    }
    fprintf(stderr, "judge: expected node, builds, cluster, networks or preload, and what was measured\n");
    return UNREADABLE;
}
