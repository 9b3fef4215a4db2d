/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meeting and parting, and the physics. To the physics it makes no difference whether nodes form a grid or a
 * mesh, nor how they are dealt out: a rank owns some, by their numbers, and knows the neighbours of each. Who
 * owns those is found by qdr_resolve_map() (docs/directory.md), once.
 */
#include "common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- agreed -------------------------------------------------------------------------------------------- */

/* Walls are mirrors: beside the spot itself stand its images, and the images of these. */
static double bell(double at, double centre, double length, double variance) {
    double sum = 0;
    for (int image = -2; image <= 2; image++) {
        double right = at - centre - 2 * length * image, left = at + centre - 2 * length * image;
        sum += exp(-right * right / (2 * variance)) + exp(-left * left / (2 * variance));
    }
    return sum;
}

double exact(double x, double y, int tick) {
    double first = 0.13 * 0.13, variance = first + 2 * TICK * tick;
    return first / variance * bell(x, 0.78, 2, variance) * bell(y, 0.6, 1, variance);
}

/* ---- a program and the other one ----------------------------------------------------------------------- */

/* The same calls whether the programs were launched together or not. MPI_COMM_WORLD may hold both; `comm`
 * holds this one. Without options the other is waited for 60 seconds, or as long as QDR_DEADLINE says.
 * */
side meet(int *argc, char ***argv, const char *name, const char *other) {
    side self = {.name = name, .comm = MPI_COMM_WORLD};
    MPI_Init(argc, argv);
    check(&self, qdr_program_create(MPI_COMM_WORLD, name, 0, &self.program));
    self.comm = qdr_program_comm(self.program);
    MPI_Comm_rank(self.comm, &self.rank);
    MPI_Comm_size(self.comm, &self.ranks);
    say(&self, "%d ranks; waiting for %s ...", self.ranks, other);
    check(&self, qdr_coupling_create(self.program, other, NULL, &self.coupling));
    say(&self, "coupled: %s", qdr_coupling_look(self.coupling).how);
    return self;
}

void leave(side *self) {
    check(self, qdr_coupling_destroy(&self->coupling));
    check(self, qdr_program_destroy(&self->program));
    MPI_Finalize();
}

void say(const side *self, const char *format, ...) {
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (self->rank == 0) printf("%s: %s\n", self->name, line);
    fflush(stdout);
}

void say_stream(const side *self, const qdr_stream *stream) {
    qdr_stream_view view = qdr_stream_look(stream);
    say(self, "stream %s: %lld elements; %s", view.name, (long long)view.elements, view.why);
}

/* All ranks have the same sentence, so one says it; the others let it finish before they end the program. */
void check(const side *self, qdr_status status) {
    if (!status) return;
    if (self->rank == 0) fprintf(stderr, "%s: %s\n", self->name, qdr_error_message());
    MPI_Barrier(self->comm);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *room(int64_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, bytes);
    if (!memory) abort();
    return memory;
}

/* ---- what a rank owns ---------------------------------------------------------------------------------- */

piece make_piece(int64_t own, int64_t most_bonds) {
    piece all = {.own = own};
    all.id = room(own, sizeof *all.id);
    all.capacity = room(own, sizeof *all.capacity);
    all.flow = room(own, sizeof *all.flow);
    all.temperature = room(own + most_bonds, sizeof *all.temperature);
    all.bond = room(most_bonds, sizeof *all.bond);
    return all;
}

void add_bond(piece *all, int64_t here, int64_t there, double conductance) {
    all->bond[all->bonds++] = (bond){here, there, conductance};
}

static int by_number(const void *one, const void *other) {
    const int64_t *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

/* -1: it is not there. */
static int64_t find(const int64_t *list, int64_t count, int64_t number) {
    const int64_t *at = count > 0 ? bsearch(&number, list, (size_t)count, sizeof number, by_number) : NULL;
    return at ? at - list : -1;
}

/* Neighbours that others own, each once. */
static int64_t *list_ghosts(piece *all) {
    int64_t *ghost = room(all->bonds, sizeof *ghost), listed = 0;
    for (int64_t b = 0; b < all->bonds; b++)
        if (find(all->id, all->own, all->bond[b].there) < 0) ghost[listed++] = all->bond[b].there;
    qsort(ghost, (size_t)listed, sizeof *ghost, by_number);
    for (int64_t i = 0; i < listed; i++)
        if (i == 0 || ghost[i] != ghost[i - 1]) ghost[all->ghosts++] = ghost[i];
    return ghost;
}

void attach(const side *self, piece *all) {
    int64_t *ghost = list_ghosts(all);
    check(self, qdr_resolve_map(self->comm, all->own, all->id, all->ghosts, ghost, NULL, NULL, &all->map));
    for (int64_t b = 0; b < all->bonds; b++) {
        bond *one = &all->bond[b];
        int64_t place = find(all->id, all->own, one->there);
        one->here = find(all->id, all->own, one->here);
        one->there = place >= 0 ? place : all->own + find(ghost, all->ghosts, one->there);
    }
    free(ghost);
}

void let_flow(const side *self, piece *all) {
    double *temperature = all->temperature;
    qdr_field field = {
        .source = temperature, .target = temperature + all->own, .type = QDR_DOUBLE, .width = 1};
    check(self, qdr_map_exchange(all->map, QDR_FORWARD, 1, &field));
    for (int64_t i = 0; i < all->own; i++) all->flow[i] = 0;
    for (int64_t b = 0; b < all->bonds; b++) {
        const bond *one = &all->bond[b];
        all->flow[one->here] += one->conductance * (temperature[one->there] - temperature[one->here]);
    }
}

void free_piece(piece *all) {
    qdr_map_destroy(&all->map);
    free(all->id);
    free(all->temperature);
    free(all->capacity);
    free(all->flow);
    free(all->bond);
}
