/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dragonfly: groups of routers, a link from each router to every other of its group, a global link from
 * each group to every other, a few ranks at each router. Routing is minimal and static: a local link to the
 * router that owns the global link, the global link, a local link to the router of the destination, and no
 * step that is not needed. The global links of a group are dealt to its routers in turn. Real machines also
 * route adaptively over third groups; the static model is their worst case and the one a schedule can plan
 * for.
 *
 * Sizes that are not given are those of the smallest balanced dragonfly that holds the machine: p ranks at a
 * router, 2 p routers in a group, up to 2 p^2 + 1 groups (Kim et al., ISCA 2008). Links: first the local
 * ones, by group, router and other router, then the global ones, by group and other group. A route has at
 * most 3 links.
 */
#include "topology.h"

typedef struct dragonfly {
    int64_t groups, routers, hosts;
    int64_t local_links;
    double local, global;
} dragonfly;

enum { MOST_GROUPS = 1 << 16, MOST_ROUTERS = 1 << 12 };

#define LIST(X)                                                                                              \
    X("groups", INTEGER, "", 1, MOST_GROUPS, NULL, "groups; absent: as many as needed")                      \
    X("routers", INTEGER, "", 1, MOST_ROUTERS, NULL, "routers of a group; absent: 2 * hosts")                \
    X("hosts", INTEGER, "", 1, QDRI_MACHINE_RANKS, NULL, "ranks at a router; absent: balanced")              \
    X("global", RATE, "", 1e-3, 1e15, NULL, "bandwidth between two groups, one way; absent: link")           \
    QDRI_COMMON_OPTIONS(X, "1", "1us", "0.1ns")
static const qdri_option options[] = {LIST(QDRI_OPTION_ENTRY)};

static int64_t balanced_hosts(int64_t size) {
    int64_t p = 1;
    while (2 * p * p * (2 * p * p + 1) < size) p++;
    return p;
}

static int64_t given_or(const qdri_spec *spec, const char *key, int64_t otherwise) {
    const qdri_value *value = qdri_spec_get(spec, key);
    return value->present ? value->integer : otherwise;
}

static qdr_status form(const qdri_spec *spec, qdri_frame *frame, void *shape) {
    dragonfly *self = shape;
    const qdri_value *global = qdri_spec_get(spec, "global");
    self->hosts = given_or(spec, "hosts", balanced_hosts(frame->size));
    self->routers =
        given_or(spec, "routers", 2 * self->hosts < MOST_ROUTERS ? 2 * self->hosts : MOST_ROUTERS);
    int64_t group = self->hosts * self->routers;
    self->groups = given_or(spec, "groups", (frame->size + group - 1) / group);
    if (self->groups > MOST_GROUPS)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "%d %s in groups of %lld need more than %d groups",
                              frame->size, frame->places, (long long)group, MOST_GROUPS);
    if (self->groups * group < frame->size)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "its %lld places cannot hold %d %s",
                              (long long)(self->groups * group), frame->size, frame->places);
    self->local = frame->link;
    self->global = global->present ? global->real * frame->width : frame->link;
    self->local_links = self->groups * self->routers * (self->routers - 1);
    frame->links = self->local_links + self->groups * (self->groups - 1);
    if (frame->ranks <= group)
        frame->route_limit = frame->ranks > self->hosts;
    else
        frame->route_limit = self->routers > 1 ? 3 : 1;
    return QDR_OK;
}

static int add_local(const dragonfly *self, int64_t group, int64_t from, int64_t to, int64_t *list,
                     int length) {
    if (from == to) return length;
    int64_t link = (group * self->routers + from) * (self->routers - 1) + qdri_other(from, to);
    return qdri_route_add(list, length, link);
}

static int route(const void *shape, int from, int to, int64_t *list) {
    const dragonfly *self = shape;
    int64_t source = from / self->hosts, target = to / self->hosts;
    int64_t home = source / self->routers, away = target / self->routers;
    source %= self->routers;
    target %= self->routers;
    if (home == away) return add_local(self, home, source, target, list, 0);
    int64_t leave = qdri_other(home, away) % self->routers, enter = qdri_other(away, home) % self->routers;
    int length = add_local(self, home, source, leave, list, 0);
    int64_t link = self->local_links + home * (self->groups - 1) + qdri_other(home, away);
    length = qdri_route_add(list, length, link);
    return add_local(self, away, enter, target, list, length);
}

static double bandwidth(const void *shape, int64_t link) {
    const dragonfly *self = shape;
    return link < self->local_links ? self->local : self->global;
}

const qdri_topology qdri_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of routers, all-to-all inside and between groups, minimal static routing",
    .example = "dragonfly:hosts=16,routers=32,global=100GB/s",
    .source = "defaults: round figures of a fast cluster",
    QDRI_OPTIONS(options),
    .help = LIST(QDRI_OPTION_LINE),
    .shape_size = sizeof(dragonfly),
    .form = form,
    .route = route,
    .bandwidth = bandwidth,
};
