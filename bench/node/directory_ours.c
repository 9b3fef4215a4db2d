/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of this library: as it is, and with messages although all ranks share memory. */
#include "directory.h"

#include <stdlib.h>

#include "quadrille/directory.h"

typedef struct ours {
    scene *s;
    const char *transport; /* NULL: its own choice */
    qdr_directory *directory;
} ours;

static void create(ours *o) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    options.placement = o->s->dense ? QDR_PLACE_BLOCK : QDR_PLACE_HASH;
    options.limit = o->s->dense ? o->s->items : 0;
    options.payload_bytes = 8 * o->s->payload_words;
    if (o->transport) setenv("QDR_TRANSPORT", o->transport, 1);
    if (qdr_directory_create(o->s->comm, &options, &o->directory))
        give_up("qdr_directory_create: %s", qdr_error_message());
    if (o->transport) unsetenv("QDR_TRANSPORT");
}

static void ours_build(void *state) {
    ours *o = state;
    create(o);
    if (qdr_directory_insert(o->directory, o->s->owned, o->s->own_id, NULL, NULL, o->s->own_payload))
        give_up("qdr_directory_insert: %s", qdr_error_message());
}

static void ours_find(void *state) {
    ours *o = state;
    scene *s = o->s;
    if (qdr_directory_find(o->directory, s->needed, s->need_id, s->owner, s->local, s->payload, NULL))
        give_up("qdr_directory_find: %s", qdr_error_message());
}

static void ours_end(void *state) {
    ours *o = state;
    qdr_directory_view view = qdr_directory_look(o->directory);
    if (view.entries > 0)
        o->s->entry_bytes = (double)view.bytes / (double)view.entries - 8.0 * o->s->payload_words;
    if (qdr_directory_destroy(&o->directory)) give_up("qdr_directory_destroy: %s", qdr_error_message());
}

static void *ours_open(scene *s) {
    ours *o = room(1, sizeof *o);
    *o = (ours){.s = s};
    return o;
}

/* Nothing to compare where the library shares memory all the same. */
static void *net_open(scene *s) {
    ours *o = ours_open(s);
    o->transport = "net";
    create(o);
    int shared = qdr_directory_look(o->directory).shared;
    ours_end(o);
    if (!shared) return o;
    free(o);
    return NULL;
}

const method ours_methods[] = {
    {"ours", OURS, ours_open, ours_build, ours_find, ours_end, free},
    {"ours-net", OURS, net_open, ours_build, ours_find, ours_end, free},
    {0},
};
