/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The right half: heat in an unstructured mesh, whose vertices lie on ranks without any order. Run it beside
 * plate:
 *
 *     mpirun -n 4 plate                  in one terminal
 *     mpirun -n 3 mesh                   in another, in the same folder; or both in one launch:
 *     mpirun -n 4 plate : -n 3 mesh
 *
 * At the interface the plate says how warm it is, and the mesh how much heat has flowed out of it there:
 *
 *     stream temperature    plate to mesh, at 0, 10, 20 ...; asked for at 0, 3, 6 ...: the last one before
 *     stream heat           mesh to plate, at 3, 6, 9 ...; asked for at 10, 20, 30 ...: the nearest one
 *
 * Heat is exported as a total since the beginning, not as a rate: whichever export the plate takes, no
 * heat is lost in between. Each export is followed by a promise, when the next one will be. Without that
 * neither program could tell whether an export is the last before some time, each would wait for the other,
 * and both would get QDR_ERR_DEADLOCK.
 *
 * The layout of the vertices is explicit: each rank lists its own, in the order of its memory. The plate
 * never sees that list. The library compares it with the plate's layout, piece by piece, and keeps what each
 * rank sends whom.
 */
#include <stdlib.h>
#include <string.h>

#include "triangles.h"

/* What this rank has, and what it shows of it. */
typedef struct half {
    piece heat;
    qdr_layout *vertices, *triangles; /* how they lie on the ranks */
    qdr_region *interface;            /* vertices at x = 1, in the order of the plate's rows */
    double *outflow;      /* [own]: heat that has left through the interface since the beginning */
    char *is_interface;   /* [own] */
    double (*place)[2];   /* [own] */
    int32_t *owner;       /* [own]: this rank */
    int32_t (*corner)[3]; /* of the triangles that it shows */
} half;

typedef struct streams {
    qdr_stream *temperature, *heat, *picture;
} streams;

/* ---- what it owns -------------------------------------------------------------------------------------- */

static void make_vertices(const side *self, const triangles *mesh, half *all) {
    int64_t extent = NODES, own = 0;
    for (int vertex = 0; vertex < NODES; vertex++) own += mesh->owner[vertex] == self->rank;
    all->heat = make_piece(own, 6 * TRIANGLES);
    all->outflow = room(own, sizeof *all->outflow);
    all->is_interface = room(own, 1);
    all->place = room(own, sizeof *all->place);
    all->owner = room(own, sizeof *all->owner);
    own = 0;
    for (int vertex = 0; vertex < NODES; vertex++) {
        if (mesh->owner[vertex] != self->rank) continue;
        memcpy(all->place[own], mesh->place[vertex], sizeof all->place[own]);
        all->is_interface[own] = mesh->place[vertex][0] == 1;
        all->owner[own] = self->rank;
        all->heat.temperature[own] = exact(mesh->place[vertex][0], mesh->place[vertex][1], 0);
        all->heat.id[own++] = vertex;
    }
    check(self, qdr_layout_runs(1, &extent, own, all->heat.id, NULL, &all->vertices));
    check(self, qdr_region_create(1, QDR_ROW_MAJOR, &all->interface));
    check(self, qdr_region_add_list(all->interface, SIDE, mesh->interface));
}

/* For the picture: a triangle is shown by the owner of its first corner. */
static void make_corners(const side *self, const triangles *mesh, half *all) {
    int64_t extent = TRIANGLES, own = 0, *id = room(TRIANGLES, sizeof *id);
    all->corner = room(TRIANGLES, sizeof *all->corner);
    for (int t = 0; t < TRIANGLES; t++) {
        if (mesh->owner[mesh->corner[t][0]] != self->rank) continue;
        memcpy(all->corner[own], mesh->corner[t], sizeof all->corner[own]);
        id[own++] = t;
    }
    check(self, qdr_layout_runs(1, &extent, own, id, NULL, &all->triangles));
    free(id);
}

/* Linear finite elements: an edge conducts half the cotangent of the angle opposite, in either triangle. */
static void make_bonds(const side *self, const triangles *mesh, half *all) {
    double *capacity = room(NODES, sizeof *capacity);
    for (int t = 0; t < TRIANGLES; t++)
        for (int k = 0; k < 3; k++) {
            int32_t a = mesh->corner[t][(k + 1) % 3], b = mesh->corner[t][(k + 2) % 3];
            double conductance = cotangent(mesh, t, k) / 2;
            capacity[mesh->corner[t][k]] += area(mesh, t) / 3;
            if (mesh->owner[a] == self->rank) add_bond(&all->heat, a, b, conductance);
            if (mesh->owner[b] == self->rank) add_bond(&all->heat, b, a, conductance);
        }
    for (int64_t i = 0; i < all->heat.own; i++) all->heat.capacity[i] = capacity[all->heat.id[i]];
    attach(self, &all->heat);
    free(capacity);
}

static void free_half(half *all) {
    free_piece(&all->heat);
    qdr_layout_destroy(&all->vertices);
    qdr_layout_destroy(&all->triangles);
    qdr_region_destroy(&all->interface);
    free(all->outflow);
    free(all->is_interface);
    free(all->place);
    free(all->owner);
    free(all->corner);
}

/* ---- what it has to do with the plate ------------------------------------------------------------------ */

/* The plate owns the nodes at the interface, with all of their heat. So it must know, once, what the mesh
 * adds to their capacity; here they count no more. */
static void hand_over_capacity(const side *self, half *all) {
    qdr_coupled field = {
        .name = "capacity", .layout = all->vertices, .region = all->interface, .type = QDR_DOUBLE};
    const void *data = all->heat.capacity;
    qdr_stream *stream;
    check(self, qdr_stream_create(self->coupling, "capacity", 1, &field, 0, NULL, NULL, &stream));
    check(self, qdr_export(stream, 0, &data));
    check(self, qdr_stream_destroy(&stream));
    for (int64_t i = 0; i < all->heat.own; i++)
        if (all->is_interface[i]) all->heat.capacity[i] = 0;
}

static streams open_streams(const side *self, const half *all) {
    qdr_coupled interface = {.layout = all->vertices, .region = all->interface, .type = QDR_DOUBLE};
    qdr_coupled shown[] = {
        {.name = "place", .layout = all->vertices, .type = QDR_DOUBLE, .width = 2},
        {.name = "temperature", .layout = all->vertices, .type = QDR_DOUBLE},
        {.name = "capacity", .layout = all->vertices, .type = QDR_DOUBLE},
        {.name = "owner", .layout = all->vertices, .type = QDR_INT32},
        {.name = "corners", .layout = all->triangles, .type = QDR_INT32, .width = 3},
    };
    streams to;
    interface.name = "temperature";
    check(self,
          qdr_stream_create(self->coupling, "temperature", 0, NULL, 1, &interface, NULL, &to.temperature));
    interface.name = "heat";
    check(self, qdr_stream_create(self->coupling, "heat", 1, &interface, 0, NULL, NULL, &to.heat));
    check(self, qdr_stream_create(self->coupling, "picture", 5, shown, 0, NULL, NULL, &to.picture));
    say_stream(self, to.temperature);
    say_stream(self, to.heat);
    return to;
}

static void show(const side *self, const half *all, const streams *to, int tick) {
    const void *data[] = {all->place, all->heat.temperature, all->heat.capacity, all->owner, all->corner};
    check(self, qdr_export(to->picture, tick, data));
}

/* What is imported goes straight to its place among the temperatures, and stays there for the step. */
static void step(const side *self, half *all, const streams *to, int tick) {
    piece *heat = &all->heat;
    void *into = heat->temperature;
    const void *from = all->outflow;
    check(self, qdr_import(to->temperature, tick, QDR_BEFORE, PLATE_STEP, &into, NULL));
    let_flow(self, heat);
    for (int64_t i = 0; i < heat->own; i++)
        if (all->is_interface[i])
            all->outflow[i] += MESH_STEP * TICK * heat->flow[i];
        else
            heat->temperature[i] += MESH_STEP * TICK * heat->flow[i] / heat->capacity[i];
    check(self, qdr_export(to->heat, tick + MESH_STEP, &from));
    check(self, qdr_stream_promise(to->heat, tick + 2 * MESH_STEP));
}

int main(int argc, char **argv) {
    half all = {.outflow = NULL};
    side self = meet(&argc, &argv, "mesh", "plate");
    triangles *mesh = make_triangles(self.ranks);
    make_vertices(&self, mesh, &all);
    make_corners(&self, mesh, &all);
    make_bonds(&self, mesh, &all);
    free(mesh);
    say(&self, "%d vertices, on ranks without any order; steps of %d ticks", NODES, MESH_STEP);

    hand_over_capacity(&self, &all);
    streams to = open_streams(&self, &all);
    show(&self, &all, &to, 0);
    for (int tick = 0; tick < LAST; tick += MESH_STEP) step(&self, &all, &to, tick);
    void *into = all.heat.temperature;
    check(&self, qdr_import(to.temperature, LAST, QDR_EXACT, 0, &into, NULL));
    show(&self, &all, &to, LAST);
    qdr_stream_view exported = qdr_stream_look(to.heat);
    say(&self, "%d steps done, %lld exports of heat", LAST / MESH_STEP, (long long)exported.exports);

    check(&self, qdr_stream_destroy(&to.temperature));
    check(&self, qdr_stream_destroy(&to.heat));
    check(&self, qdr_stream_destroy(&to.picture));
    free_half(&all);
    leave(&self);
    return 0;
}
