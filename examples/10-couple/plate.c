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
 * coupling of this program with itself. It writes the picture, holds all temperatures against the exact
 * solution, adds up the heat, of which nothing may be lost, and prints a digest of the temperatures. The
 * digest is the same for any number of ranks of either program, launched together or not. (The nodes at the
 * interface are common to both; they are the plate's.)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"

/* What this rank has. Layout and region serve every array of the grid. */
typedef struct half {
    piece heat;
    qdr_layout *layout;
    qdr_region *interface; /* the last column */
    double *inflow;        /* [own]: heat that has come from the mesh since the beginning */
    double *before;        /* [own]: what of it is in the temperatures already */
    int32_t *owner;        /* [own]: this rank */
} half;

typedef struct streams {
    qdr_stream *temperature, *heat, *picture;
    qdr_coupling *inside; /* of the plate with itself */
    qdr_stream *gather;
} streams;

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

/* A layout that has all of an array on rank 0. */
static qdr_layout *on_one_rank(const side *self, int64_t extent) {
    qdr_axis axis = {.extent = extent, .spread = QDR_WHOLE};
    qdr_layout *layout;
    check(self, qdr_layout_regular(1, &axis, NULL, &layout));
    return layout;
}

/* Several fields in one stream share messages, whatever their types are. */
static void open_pictures(const side *self, const half *all, streams *to) {
    qdr_layout *nodes = on_one_rank(self, NODES), *triangles = on_one_rank(self, TRIANGLES);
    qdr_coupled of_mesh[] = {{.name = "place", .layout = nodes, .type = QDR_DOUBLE, .width = 2},
                             {.name = "temperature", .layout = nodes, .type = QDR_DOUBLE},
                             {.name = "capacity", .layout = nodes, .type = QDR_DOUBLE},
                             {.name = "owner", .layout = nodes, .type = QDR_INT32},
                             {.name = "corners", .layout = triangles, .type = QDR_INT32, .width = 3}};
    qdr_coupled spread[] = {{.name = "temperature", .layout = all->layout, .type = QDR_DOUBLE},
                            {.name = "capacity", .layout = all->layout, .type = QDR_DOUBLE},
                            {.name = "owner", .layout = all->layout, .type = QDR_INT32}};
    qdr_coupled together[] = {spread[0], spread[1], spread[2]};
    for (int i = 0; i < 3; i++) together[i].layout = nodes;
    check(self, qdr_stream_create(self->coupling, "picture", 0, NULL, 5, of_mesh, NULL, &to->picture));
    check(self, qdr_coupling_create(self->program, self->name, NULL, &to->inside));
    check(self, qdr_stream_create(to->inside, "gather", 3, spread, 3, together, NULL, &to->gather));
    qdr_layout_destroy(&nodes);
    qdr_layout_destroy(&triangles);
}

static streams open_streams(const side *self, const half *all) {
    qdr_coupled interface = {.layout = all->layout, .region = all->interface, .type = QDR_DOUBLE};
    streams to;
    interface.name = "temperature";
    check(self,
          qdr_stream_create(self->coupling, "temperature", 1, &interface, 0, NULL, NULL, &to.temperature));
    interface.name = "heat";
    check(self, qdr_stream_create(self->coupling, "heat", 0, NULL, 1, &interface, NULL, &to.heat));
    open_pictures(self, all, &to);
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

/* ---- what came of it ----------------------------------------------------------------------------------- */

/* Everything on rank 0, which draws it. */
static void show(const side *self, const half *all, const streams *to, int tick, scene *whole,
                 qdr_picture *picture) {
    const void *from[] = {all->heat.temperature, all->heat.capacity, all->owner};
    void *into[] = {whole->plate, whole->plate_capacity, whole->plate_owner};
    void *mesh[] = {whole->place, whole->mesh, whole->mesh_capacity, whole->mesh_owner, whole->corner};
    check(self, qdr_export(to->gather, tick, from));
    check(self, qdr_import(to->gather, tick, QDR_EXACT, 0, into, NULL));
    check(self, qdr_import(to->picture, tick, QDR_EXACT, 0, mesh, NULL));
    if (picture) picture_heat(picture, tick == 0 ? 0 : 1, whole, tick);
}

static double total_heat(const scene *whole) {
    double sum = 0;
    for (int i = 0; i < NODES; i++)
        sum += whole->plate[i] * whole->plate_capacity[i] + whole->mesh[i] * whole->mesh_capacity[i];
    return sum;
}

static double worst_error(const scene *whole, int tick) {
    double worst = 0;
    for (int i = 0; i < NODES; i++) {
        double here = exact(i % SIDE * SPACING, i / SIDE * SPACING, tick);
        double there = exact(whole->place[i][0], whole->place[i][1], tick);
        worst = fmax(worst, fmax(fabs(whole->plate[i] - here), fabs(whole->mesh[i] - there)));
    }
    return worst;
}

static uint64_t digest(const scene *whole) {
    const unsigned char *half[] = {(const unsigned char *)whole->plate, (const unsigned char *)whole->mesh};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 2; i++)
        for (size_t byte = 0; byte < sizeof whole->plate; byte++)
            sum = (sum ^ half[i][byte]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Of rank 0. Returns what the program shall. */
static int report(const side *self, const scene *whole, double heat_before) {
    double lost = total_heat(whole) / heat_before - 1, worst = worst_error(whole, LAST);
    int is_right = fabs(lost) < 1e-12 && worst < 0.001;
    say(self, "heat in all: %.12f; lost on the way: %.1e of it", heat_before, fabs(lost));
    say(self, "from the exact solution it differs by %.5f at most: %s", worst, is_right ? "right" : "WRONG");
    say(self, "digest %016llx", (unsigned long long)digest(whole));
    return !is_right;
}

/* NULL on other ranks than 0. */
static qdr_picture *open_picture(const side *self, const char *path, FILE **file) {
    qdr_picture *picture = NULL;
    if (self->rank != 0) return NULL;
    *file = fopen(path, "w");
    if (!*file) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    check(self, picture_open(*file, &picture));
    return picture;
}

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
