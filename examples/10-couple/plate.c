/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The left half: heat in a plate, on a regular grid whose rows are dealt out to the ranks in turn, four at a
 * time, and whose columns are cut into blocks. mesh.c has the right half, and says how to run the two and
 * what they tell each other:
 *
 *     meet()            who I am, and whom I talk to (common.c): qdr_program_create, qdr_coupling_create
 *     describe()        how my array lies on my ranks, and which of its elements are meant: layout, region
 *     open_streams()    what goes to the other program, and what comes: qdr_stream_create
 *     step()            qdr_export, qdr_stream_promise, qdr_import
 *
 * At the end one rank has both fields: those of the mesh are imported, and those of the plate come by a
 * coupling of this program with itself (result.c). It writes the picture, holds all temperatures against the
 * exact solution, adds up the heat, of which nothing may be lost, and prints a digest of the temperatures. The
 * digest is the same for any number of ranks of either program, launched together or not. (The nodes at the
 * interface are common to both; they are the plate's.)
 */
#include <stdio.h>
#include <stdlib.h>

#include "plate.h"

/* ---- what it owns -------------------------------------------------------------------------------------- */

static void describe(const side *self, half *all) {
    int parts[2] = {0, 0};
    MPI_Dims_create(self->ranks, 2, parts);
    qdr_axis axis[] = {{.extent = SIDE, .spread = QDR_CYCLIC, .block = 4, .parts = parts[0]},
                       {.extent = SIDE, .spread = QDR_BLOCK, .parts = parts[1]}};
    int64_t lower[] = {0, SIDE - 1}, upper[] = {SIDE, SIDE};
    check(self, qdr_layout_regular(2, axis, NULL, &all->layout));
    check(self, qdr_region_create(2, QDR_ROW_MAJOR, &all->interface));
    check(self, qdr_region_add_box(all->interface, lower, upper, NULL));
    say(self, "%d x %d nodes, CYCLIC(4) x BLOCK on %d x %d ranks; steps of %d ticks", SIDE, SIDE, parts[0],
        parts[1], PLATE_STEP);
}

/* Nodes at a wall, and those at the interface as far as they are the plate's, have half the area, and half
 * the section along it. */
static double share(int64_t index) {
    return index == 0 || index == SIDE - 1 ? 0.5 : 1;
}

static void add_bonds(piece *heat, int64_t row, int64_t column) {
    int64_t id = row * SIDE + column;
    if (row > 0) add_bond(heat, id, id - SIDE, share(column));
    if (column > 0) add_bond(heat, id, id - 1, share(row));
    if (column < SIDE - 1) add_bond(heat, id, id + 1, share(row));
    if (row < SIDE - 1) add_bond(heat, id, id + SIDE, share(column));
}

/* The layout knows which node lies at which place of this rank's memory. */
static void make_nodes(const side *self, half *all) {
    int64_t own, most;
    check(self, qdr_layout_share(all->layout, self->rank, &own, &most)); /* the same: there are no ghosts */
    all->heat = make_piece(own, 4 * own);
    all->inflow = room(own, sizeof *all->inflow);
    all->before = room(own, sizeof *all->before);
    all->owner = room(own, sizeof *all->owner);
    for (int64_t place = 0; place < own; place++) {
        int64_t index[2];
        check(self, qdr_layout_index(all->layout, self->rank, place, index));
        all->heat.id[place] = index[0] * SIDE + index[1];
        all->heat.capacity[place] = share(index[0]) * share(index[1]) * SPACING * SPACING;
        all->heat.temperature[place] = exact((double)index[1] * SPACING, (double)index[0] * SPACING, 0);
        all->owner[place] = self->rank;
        add_bonds(&all->heat, index[0], index[1]);
    }
    attach(self, &all->heat);
}

static void free_half(half *all) {
    free_piece(&all->heat);
    qdr_layout_destroy(&all->layout);
    qdr_region_destroy(&all->interface);
    free(all->inflow);
    free(all->before);
    free(all->owner);
}

/* ---- what it has to do with the mesh ------------------------------------------------------------------- */

/* What the mesh adds to the nodes at the interface. Elsewhere nothing is written. */
static void take_over_capacity(const side *self, half *all) {
    qdr_coupled field = {
        .name = "capacity", .layout = all->layout, .region = all->interface, .type = QDR_DOUBLE};
    double *more = room(all->heat.own, sizeof *more);
    void *data = more;
    qdr_stream *stream;
    check(self, qdr_stream_create(self->coupling, "capacity", 0, NULL, 1, &field, NULL, &stream));
    check(self, qdr_import(stream, 0, QDR_EXACT, 0, &data, NULL));
    check(self, qdr_stream_destroy(&stream));
    for (int64_t i = 0; i < all->heat.own; i++) all->heat.capacity[i] += more[i];
    free(more);
}

static streams open_streams(const side *self, const half *all) {
    qdr_coupled interface = {.layout = all->layout, .region = all->interface, .type = QDR_DOUBLE};
    streams to;
    interface.name = "temperature";
    check(self,
          qdr_stream_create(self->coupling, "temperature", 1, &interface, 0, NULL, NULL, &to.temperature));
    interface.name = "heat";
    check(self, qdr_stream_create(self->coupling, "heat", 0, NULL, 1, &interface, NULL, &to.heat));
    open_gathering(self, all, &to);
    say_stream(self, to.temperature);
    say_stream(self, to.heat);
    return to;
}

static void close_streams(const side *self, streams *to) {
    check(self, qdr_stream_destroy(&to->temperature));
    check(self, qdr_stream_destroy(&to->heat));
    check(self, qdr_stream_destroy(&to->picture));
    check(self, qdr_stream_destroy(&to->gather));
    check(self, qdr_coupling_destroy(&to->inside));
}

/* The own flow is computed while the mesh's answer is on its way. Returns the time of that answer. */
static double step(const side *self, half *all, const streams *to, int tick) {
    piece *heat = &all->heat;
    const void *from = heat->temperature;
    void *into = all->inflow;
    qdr_pending *call;
    double matched;
    check(self, qdr_export(to->temperature, tick, &from));
    check(self, qdr_stream_promise(to->temperature, tick + PLATE_STEP));
    check(self, qdr_import_start(to->heat, tick + PLATE_STEP, QDR_NEAREST, MESH_STEP / 2.0, &into, &matched,
                                 &call));
    let_flow(self, heat);
    check(self, qdr_wait(&call));
    for (int64_t i = 0; i < heat->own; i++) {
        heat->temperature[i] +=
            (PLATE_STEP * TICK * heat->flow[i] + all->inflow[i] - all->before[i]) / heat->capacity[i];
        all->before[i] = all->inflow[i];
    }
    return matched;
}

static void say_progress(const side *self, const half *all, int tick, double matched) {
    if (tick <= 3 * PLATE_STEP)
        say(self, "tick %4d: of the mesh's totals of heat that of tick %g is nearest", tick, matched);
    if (tick % (LAST / 4) != 0) return;
    double sum = 0, total;
    for (int64_t i = 0; i < all->heat.own; i++) sum -= all->inflow[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, self->comm);
    say(self, "tick %4d: heat that went through the interface: %.6f", tick, total);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

int main(int argc, char **argv) {
    half all = {.owner = NULL};
    side self = meet(&argc, &argv, "plate", "mesh");
    const char *path = argc > 1 ? argv[1] : "couple.svg";
    int mesh_ranks = qdr_coupling_look(self.coupling).peer_ranks, failed = 0;
    FILE *file = NULL;
    qdr_picture *picture = open_picture(&self, path, &file);
    scene *whole = room(1, sizeof *whole);
    describe(&self, &all);
    make_nodes(&self, &all);

    take_over_capacity(&self, &all);
    streams to = open_streams(&self, &all);
    show(&self, &all, &to, 0, whole, picture);
    double heat_before = total_heat(whole);
    for (int tick = 0; tick < LAST; tick += PLATE_STEP) {
        double matched = step(&self, &all, &to, tick);
        say_progress(&self, &all, tick + PLATE_STEP, matched);
    }
    const void *from = all.heat.temperature;
    check(&self, qdr_export(to.temperature, LAST, &from));
    show(&self, &all, &to, LAST, whole, picture);

    if (self.rank == 0) {
        picture_owners(picture, 2, whole, self.ranks, mesh_ranks);
        int is_cut = qdr_picture_destroy(&picture) || fclose(file);
        failed = report(&self, whole, heat_before) || is_cut;
        say(&self, is_cut ? "%s could not be written" : "%s has the picture", path);
    }
    close_streams(&self, &to);
    free_half(&all);
    free(whole);
    leave(&self);
    return failed;
}
