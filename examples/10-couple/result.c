/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What came of it. One rank gets both fields: those of the mesh are imported, and those of the plate come by a
 * coupling of this program with itself. It draws them, holds all temperatures against the exact solution, adds
 * up the heat, of which nothing may be lost, and prints a digest of the temperatures.
 */
#include <math.h>
#include <stdio.h>

#include "plate.h"

/* ---- all on one rank ----------------------------------------------------------------------------------- */

/* A layout that has all of an array on rank 0. */
static qdr_layout *on_one_rank(const side *self, int64_t extent) {
    qdr_axis axis = {.extent = extent, .spread = QDR_WHOLE};
    qdr_layout *layout;
    check(self, qdr_layout_regular(1, &axis, NULL, &layout));
    return layout;
}

/* Several fields in one stream share messages, whatever their types are. */
void open_gathering(const side *self, const half *all, streams *to) {
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

void show(const side *self, const half *all, const streams *to, int tick, scene *whole,
          qdr_picture *picture) {
    const void *from[] = {all->heat.temperature, all->heat.capacity, all->owner};
    void *into[] = {whole->plate, whole->plate_capacity, whole->plate_owner};
    void *mesh[] = {whole->place, whole->mesh, whole->mesh_capacity, whole->mesh_owner, whole->corner};
    check(self, qdr_export(to->gather, tick, from));
    check(self, qdr_import(to->gather, tick, QDR_EXACT, 0, into, NULL));
    check(self, qdr_import(to->picture, tick, QDR_EXACT, 0, mesh, NULL));
    if (picture) picture_heat(picture, tick == 0 ? 0 : 1, whole, tick);
}

/* ---- what it is ---------------------------------------------------------------------------------------- */

double total_heat(const scene *whole) {
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

int report(const side *self, const scene *whole, double heat_before) {
    double lost = total_heat(whole) / heat_before - 1, worst = worst_error(whole, LAST);
    int is_right = fabs(lost) < 1e-12 && worst < 0.001;
    say(self, "heat in all: %.12f; lost on the way: %.1e of it", heat_before, fabs(lost));
    say(self, "from the exact solution it differs by %.5f at most: %s", worst, is_right ? "right" : "WRONG");
    say(self, "digest %016llx", (unsigned long long)digest(whole));
    return !is_right;
}

qdr_picture *open_picture(const side *self, const char *path, FILE **file) {
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
