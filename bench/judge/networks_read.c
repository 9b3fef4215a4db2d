/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading what scripts/bench-networks has measured. Each file is one launch of one method:
 *
 *     {"network": NAME, "setting": TEXT, "scenario": NAME, "pattern": TEXT, "hosts": N,
 *      "bound": SECONDS or null, "method": NAME, "round": N, "build": TEXT,
 *      "bench": what `quadrille bench --json` printed, or null when it failed}
 *
 * Launches of one pattern in one scenario on one network make one cell.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "networks.h"

const char *const method_names[METHODS] = {
    "paced",    "window-0.25",   "window-0.5", "window-0.83",   "window-1",
    "window-2", "window-4",      "default",    "mpi-alltoallv", "mpi-alltoallv-tuned",
    "isend",    "isend-shifted", "persistent", "mpi-neighbor",
};

int is_steady(const cell *cell) {
    return !strcmp(cell->scenario, "steady");
}

static int find_method(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (!strcmp(method_names[i], name)) return i;
    return -1;
}

static void know_network(measured *all, const char *network) {
    for (int i = 0; i < all->networks; i++)
        if (!strcmp(all->network[i], network)) return;
    all->network = checked(reallocarray(all->network, (size_t)all->networks + 1, sizeof *all->network));
    all->network[all->networks++] = network;
}

static cell *find_cell(measured *all, const cell *like) {
    for (int i = 0; i < all->cells; i++) {
        cell *c = &all->cell[i];
        if (!strcmp(c->network, like->network) && !strcmp(c->scenario, like->scenario) &&
            !strcmp(c->pattern, like->pattern) && c->hosts == like->hosts)
            return c;
    }
    know_network(all, like->network);
    all->cell = checked(reallocarray(all->cell, (size_t)all->cells + 1, sizeof *all->cell));
    all->cell[all->cells] = *like;
    return &all->cell[all->cells++];
}

/* A launch is of one method. */
static const char *read_launch(json_t *bench, cell *cell, launch *l) {
    json_t *samples, *value, *extra = NULL;
    size_t index;
    int verified;
    if (l->samples > 0) return "the same launch as another file";
    if (json_unpack(bench, "{s:b, s:[{s:F, s:o}]}", "verified", &verified, "methods", "first", &l->first,
                    "samples", &samples) ||
        !json_unpack(bench, "{s:[o, o]}", "methods", &value, &extra) || json_array_size(samples) == 0)
        return "expected one method with first and samples";
    cell->wrong |= !verified;
    l->sample = checked(calloc(json_array_size(samples), sizeof *l->sample));
    json_array_foreach (samples, index, value) {
        if (!(json_number_value(value) > 0)) return "a sample that is not a time";
        l->sample[l->samples++] = json_number_value(value);
    }
    return NULL;
}

int networks_read(const char *path, measured *all) {
    const char *method, *build, *why = NULL;
    cell like = {.bound = NAN};
    json_t *bound, *bench;
    json_error_t error;
    int round, number;
    json_t *file = json_load_file(path, 0, &error);
    if (!file) return refuse(path, error.text);
    json_array_append_new(all->files, file);
    if (json_unpack_ex(file, &error, 0, "{s:s, s:s, s:s, s:s, s:i, s:o, s:s, s:i, s:s, s:o}", "network",
                       &like.network, "setting", &like.setting, "scenario", &like.scenario, "pattern",
                       &like.pattern, "hosts", &like.hosts, "bound", &bound, "method", &method, "round",
                       &round, "build", &build, "bench", &bench))
        return refuse(path, error.text);
    if ((number = find_method(method)) < 0) return refuse(path, "a method that is unknown");
    if (round < 1 || round > MOST_ROUNDS) return refuse(path, "a round that is not from 1 to 8");
    if (json_is_number(bound)) like.bound = json_number_value(bound);
    if (!all->build) all->build = build;
    all->builds_differ |= strcmp(all->build, build) != 0;
    cell *c = find_cell(all, &like);
    if (json_is_null(bench))
        c->failed++;
    else
        why = read_launch(bench, c, &c->launch[number][round - 1]);
    return why ? refuse(path, why) : REACHED;
}

void networks_clear(measured *all) {
    for (int i = 0; i < all->cells; i++)
        for (int k = 0; k < METHODS * MOST_ROUNDS; k++)
            free(all->cell[i].launch[k / MOST_ROUNDS][k % MOST_ROUNDS].sample);
    free(all->cell);
    free(all->network);
    json_decref(all->files);
}
