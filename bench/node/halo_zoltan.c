/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zoltan's communication package: a plan of objects, each of which goes to one rank. Objects are given by
 * destination, so it sends from the packed array as it is; what comes stands by rising source.
 */
#include "halo.h"

#include <stdlib.h>
#include <zoltan_comm.h>

enum { TAG = 18 };

typedef struct zoltan {
    const halo *h;
    ZOLTAN_COMM_OBJ *plan;
    double *array, *out, *in;
    int width;
} zoltan;

static void *zoltan_open(const halo *h, void *data, int width) {
    zoltan *z = room(1, sizeof *z);
    int objects = h->send.start[h->send.partners], arriving;
    int *goes_to = room((size_t)objects, sizeof *goes_to);
    *z = (zoltan){.h = h, .array = data, .width = width};
    for (int i = 0; i < h->send.partners; i++)
        for (int k = h->send.start[i]; k < h->send.start[i + 1]; k++) goes_to[k] = h->send.rank[i];
    if (Zoltan_Comm_Create(&z->plan, objects, goes_to, h->comm, TAG, &arriving) || arriving != h->ghosts)
        give_up("Zoltan_Comm_Create: %d objects come to rank %d, not %d", arriving, h->rank, h->ghosts);
    free(goes_to);
    z->out = room((size_t)objects * (size_t)width, sizeof *z->out);
    z->in = h->grouped ? z->array + (size_t)h->owned * (size_t)width
                       : room((size_t)h->ghosts * (size_t)width, sizeof *z->in);
    return z;
}

static void zoltan_run(void *state) {
    zoltan *z = state;
    const halo *h = z->h;
    size_t width = (size_t)z->width;
    for (int i = 0; i < h->send.partners; i++)
        gather(&h->send, i, z->width, z->array, z->out + (size_t)h->send.start[i] * width);
    if (Zoltan_Comm_Do(z->plan, TAG, (char *)z->out, (int)(width * sizeof(double)), (char *)z->in))
        give_up("Zoltan_Comm_Do failed on rank %d", h->rank);
    if (h->grouped) return;
    for (int i = 0; i < h->receive.partners; i++)
        scatter(&h->receive, i, z->width, z->in + (size_t)h->receive.start[i] * width, z->array);
}

static void zoltan_close(void *state) {
    zoltan *z = state;
    Zoltan_Comm_Destroy(&z->plan);
    free(z->out);
    if (!z->h->grouped) free(z->in);
    free(z);
}

const method zoltan_methods[] = {
    {"zoltan", OPPONENT, zoltan_open, zoltan_run, zoltan_close, NULL},
    {0},
};
