/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine as a platform of SimGrid, on which smpirun runs the real executors in simulated time. Nothing here
 * knows a topology: all there is are ranks, links and routes.
 *
 * A route for each pair of ranks would be a million lines for a thousand ranks. But ranks that nobody can tell
 * apart need one route together: such *twins* have the same routes to and from everyone else, and one route,
 * perhaps empty, among themselves (the ranks of a crossbar, of a lowest switch, of a router, of a node, of a
 * cluster). Neighbouring twins are a group, a group is a zone, and routes are written between zones. A mesh
 * has no twins; so its size is limited by the length of its routes.
 *
 * How a message costs what it should, tau + latency + mu wire(b): the startup keeps the sender's processor
 * busy (smpi/os, smpi/ois) where sends are buffered; where they are synchronous it is part of the latency, so that it begins
 * when both ends are ready and both wait for it. The latency is that of the links; mu is the bandwidth of a rank's own link, one
 * for each way, or one for both with half ports. Packets stretch all bandwidths by payload / packet, without
 * rounding up. SMPI adds an envelope of 16 bytes to each message, whose time is taken off a startup that is part of
 * the latency; elsewhere a message takes that much longer. The network is otherwise plain: flows share links fairly, and there are no corrections for protocols.
 *
 * Cost: O(ranks^2) routes are looked at, twice.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "quadrille/machine.h"

enum { MOST_RANKS = 1 << 12, MOST_LINKS = 1 << 22, ENVELOPE = 16 };

typedef struct group {
    int first, ranks;
} group;

typedef struct writer {
    const qdr_machine *machine;
    const qdr_machine_parameters *p;
    qdri_printer *out;
    double stretch; /* bytes on the wire for one of data */
    group *group;
    int groups;
    int64_t *route, *other; /* two routes, to be compared */
    int64_t *link;          /* of all routes; then those that occur, by number */
    int64_t links;
} writer;

/* ---- twins --------------------------------------------------------------------------------------------- */

static int same_route(writer *w, int a, int b, int c, int d) {
    int length = qdr_machine_route(w->machine, a, b, w->route);
    return qdr_machine_route(w->machine, c, d, w->other) == length &&
           memcmp(w->route, w->other, (size_t)length * sizeof *w->route) == 0 &&
           qdr_machine_latency(w->machine, a, b) == qdr_machine_latency(w->machine, c, d);
}

static int belongs(writer *w, const group *group, int rank) {
    int first = group->first;
    if (!same_route(w, first, rank, rank, first)) return 0;
    if (group->ranks > 1 && !same_route(w, first, rank, first, first + 1)) return 0;
    for (int x = 0; x < w->p->ranks; x++)
        if (x != first && x != rank &&
            (!same_route(w, first, x, rank, x) || !same_route(w, x, first, x, rank)))
            return 0;
    return 1;
}

static void find_groups(writer *w) {
    for (int rank = 0; rank < w->p->ranks; rank++) {
        group *last = &w->group[w->groups - 1];
        if (w->groups > 0 && belongs(w, last, rank))
            last->ranks++;
        else
            w->group[w->groups++] = (group){rank, 1};
    }
}

/* ---- routes -------------------------------------------------------------------------------------------- */

/* A route of the platform, between groups (home != away) or inside one. */
typedef void route_function(writer *w, int home, int away, int length);

static int inner_length(writer *w, int number) {
    const group *group = &w->group[number];
    return group->ranks > 1 ? qdr_machine_route(w->machine, group->first, group->first + 1, w->route) : 0;
}

static void each_route(writer *w, int home, route_function *function) {
    for (int away = 0; away < w->groups; away++) {
        int length = home == away ? inner_length(w, home)
                                  : qdr_machine_route(w->machine, w->group[home].first, w->group[away].first,
                                                      w->route);
        function(w, home, away, length);
    }
}

static void count_links(writer *w, int home, int away, int length) {
    int64_t inside = (int64_t)w->group[home].ranks * w->group[home].ranks;
    w->links += home == away && length > 0 ? inside * (length + 2) : length;
}

/* Between groups; what a group has inside is its own. */
static void note_links(writer *w, int home, int away, int length) {
    for (int i = 0; i < length && home != away; i++) w->link[w->links++] = w->route[i];
}

static int by_number(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The links that occur, each once. */
static qdr_status find_links(writer *w) {
    int64_t kept = 0;
    for (int home = 0; home < w->groups && w->links <= MOST_LINKS; home++) each_route(w, home, count_links);
    if (w->links > MOST_LINKS)
        return qdri_fail(QDR_ERR_RANGE,
                         "machine '%s': the routes of %d ranks as a platform are more than %d links together",
                         qdr_machine_spec(w->machine), w->p->ranks, MOST_LINKS);
    w->link = QDRI_ARRAY(int64_t, w->links);
    if (!w->link) return qdri_fail_memory();
    w->links = 0;
    for (int home = 0; home < w->groups; home++) each_route(w, home, note_links);
    qsort(w->link, (size_t)w->links, sizeof *w->link, by_number);
    for (int64_t i = 0; i < w->links; i++)
        if (kept == 0 || w->link[kept - 1] != w->link[i]) w->link[kept++] = w->link[i];
    w->links = kept;
    return QDR_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void write_option(writer *w, const char *name,
                                                               const char *format, ...) {
    char value[64];
    va_list values;
    va_start(values, format);
    vsnprintf(value, sizeof value, format, values);
    va_end(values);
    qdri_print(w->out, "    <prop id=\"%s\" value=\"%s\"/>\n", name, value);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static int is_buffered(const writer *w) {
    return w->p->sends == QDR_SENDS_BUFFERED;
}

/* Of a port: a route has two. Without the time of the envelope. */
static double port_latency(const writer *w) {
    return is_buffered(w) ? 0 : larger(w->p->tau - ENVELOPE * w->stretch * w->p->mu, 0) / 2;
}

static void write_options(writer *w) {
    double startup = is_buffered(w) ? w->p->tau : 0;
    int buffered = is_buffered(w) ? INT32_MAX : 0;
    qdri_print_text(w->out, "  <config>\n");
    write_option(w, "smpi/os", "0:%.9g:0", startup);
    write_option(w, "smpi/ois", "0:%.9g:0", startup);
    write_option(w, "smpi/or", "0:0:0");
    write_option(w, "smpi/send-is-detached-thresh", "%d", buffered);
    write_option(w, "smpi/async-small-thresh", "%d", buffered);
    /* Time that asking takes, or it would never pass. */
    write_option(w, "smpi/test", "%.9g", larger(w->p->tau / 100, 1e-9));
    write_option(w, "smpi/iprobe", "%.9g", larger(w->p->tau / 10, 1e-9));
    write_option(w, "smpi/wtime", "1e-9");
    write_option(w, "smpi/grow-injected-times", "no");
    write_option(w, "smpi/simulate-computation", "no");
    /* The program's collectives as Open MPI has them; but that broadcast first finds out about nodes, by all to all. */
    write_option(w, "smpi/coll-selector", "ompi");
    write_option(w, "smpi/bcast", "binomial_tree");
    write_option(w, "smpi/bw-factor", "0:1");
    write_option(w, "smpi/lat-factor", "0:1");
    write_option(w, "network/weight-S", "0");
    write_option(w, "network/TCP-gamma", "0");
    write_option(w, "network/crosstraffic", "0");
    write_option(w, "maxmin/precision", "1e-7"); /* the default makes flows of no bandwidth, and ends there */
    qdri_print_text(w->out, "  </config>\n");
}

static void write_link(writer *w, const char *name, int64_t number, double bandwidth, double latency,
                       const char *policy) {
    qdri_print(w->out,
               "    <link id=\"%s%" PRId64
               "\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" sharing_policy=\"%s\"/>\n",
               name, number, bandwidth, latency, policy);
}

static double port_rate(const writer *w) {
    return 1 / (w->p->mu * w->stretch);
}

static const char *port_policy(const writer *w) {
    return w->p->ports == QDR_PORTS_HALF ? "SHARED" : "SPLITDUPLEX";
}

static void write_network_link(writer *w, int64_t link) {
    write_link(w, "link", link, qdr_machine_link_bandwidth(w->machine, link) / w->stretch, w->p->hop,
               "SHARED");
}

/* Ranks with nothing but a switch between them. */
static void write_cluster(writer *w, int number) {
    const group *group = &w->group[number];
    qdri_print(w->out,
               "    <cluster id=\"group%d\" prefix=\"rank\" suffix=\"\" radical=\"%d-%d\" speed=\"1Gf\" "
               "bw=\"%.9gBps\" lat=\"%.9gs\" sharing_policy=\"%s\" router_id=\"gate%d\"/>\n",
               number, group->first, group->first + group->ranks - 1, port_rate(w), port_latency(w),
               port_policy(w), number);
}

static void write_port(writer *w, int rank, const char *way) {
    qdri_print(w->out, "<link_ctn id=\"port%d\"", rank);
    if (w->p->ports != QDR_PORTS_HALF) qdri_print(w->out, " direction=\"%s\"", way);
    qdri_print_text(w->out, "/>");
}

static void write_ways(writer *w, int length) {
    for (int i = 0; i < length; i++) qdri_print(w->out, "<link_ctn id=\"link%" PRId64 "\"/>", w->route[i]);
}

/* What latency a route has beyond its hops, as a link without any other effect. */
static double extra_latency(const writer *w, int from, int to, int length) {
    double extra = qdr_machine_latency(w->machine, from, to) - w->p->hop * length;
    return extra > 1e-12 ? extra : 0;
}

/* Ranks with links between them, such as a memory: each pair has its route. */
static void write_zone(writer *w, int number, int length) {
    const group *group = &w->group[number];
    int end = group->first + group->ranks;
    qdri_print(w->out, "    <zone id=\"group%d\" routing=\"Full\">\n", number);
    for (int r = group->first; r < end; r++)
        qdri_print(w->out, "    <host id=\"rank%d\" speed=\"1Gf\"/>\n", r);
    qdri_print(w->out, "    <router id=\"gate%d\"/>\n", number);
    for (int r = group->first; r < end; r++)
        write_link(w, "port", r, port_rate(w), port_latency(w), port_policy(w));
    for (int i = 0; i < length; i++) write_network_link(w, w->route[i]);
    for (int r = group->first; r < end; r++) {
        for (int s = group->first; s < end; s++) {
            if (r == s) continue;
            qdri_print(w->out, "    <route src=\"rank%d\" dst=\"rank%d\" symmetrical=\"NO\">", r, s);
            write_port(w, r, "UP");
            write_ways(w, length);
            write_port(w, s, "DOWN");
            qdri_print_text(w->out, "</route>\n");
        }
        qdri_print(w->out, "    <route src=\"rank%d\" dst=\"gate%d\" symmetrical=\"NO\">", r, number);
        write_port(w, r, "UP");
        qdri_print(w->out, "</route>\n    <route src=\"gate%d\" dst=\"rank%d\" symmetrical=\"NO\">", number,
                   r);
        write_port(w, r, "DOWN");
        qdri_print_text(w->out, "</route>\n");
    }
    qdri_print_text(w->out, "    </zone>\n");
}

static void write_group(writer *w, int number) {
    int length = inner_length(w, number);
    if (length > 0)
        write_zone(w, number, length);
    else
        write_cluster(w, number);
}

static void write_far(writer *w, int home, int away, int length) {
    double extra = extra_latency(w, w->group[home].first, w->group[away].first, length);
    if (home != away && extra > 0)
        write_link(w, "far", (int64_t)home * w->groups + away, 1e18, extra, "FATPIPE");
}

static void write_route(writer *w, int home, int away, int length) {
    if (home == away) return;
    qdri_print(w->out,
               "    <zoneRoute src=\"group%d\" dst=\"group%d\" gw_src=\"gate%d\" gw_dst=\"gate%d\" "
               "symmetrical=\"NO\">",
               home, away, home, away);
    write_ways(w, length);
    if (extra_latency(w, w->group[home].first, w->group[away].first, length) > 0)
        qdri_print(w->out, "<link_ctn id=\"far%" PRId64 "\"/>", (int64_t)home * w->groups + away);
    qdri_print_text(w->out, "</zoneRoute>\n");
}

static void write_all(void *context) {
    writer *w = context;
    qdri_print(w->out,
               "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
               "<!-- %s, %d ranks -->\n<platform version=\"4.1\">\n",
               qdr_machine_spec(w->machine), w->p->ranks);
    write_options(w);
    qdri_print_text(w->out, "  <zone id=\"machine\" routing=\"Full\">\n");
    for (int number = 0; number < w->groups; number++) write_group(w, number);
    for (int64_t i = 0; i < w->links; i++) write_network_link(w, w->link[i]);
    for (int home = 0; home < w->groups; home++) each_route(w, home, write_far);
    for (int home = 0; home < w->groups; home++) each_route(w, home, write_route);
    qdri_print_text(w->out, "  </zone>\n</platform>\n");
}

qdr_status qdr_machine_write_simgrid(const qdr_machine *machine, FILE *stream) {
    if (!machine || !stream)
        return qdri_fail(QDR_ERR_INVALID, "qdr_machine_write_simgrid: the machine or the stream is NULL");
    qdri_printer printer = {stream, 0};
    writer w = {.machine = machine, .p = qdr_machine_look(machine), .out = &printer};
    if (w.p->ranks > MOST_RANKS)
        return qdri_fail(QDR_ERR_RANGE, "a platform of %d ranks; expected at most %d", w.p->ranks,
                         MOST_RANKS);
    w.stretch = w.p->packet > 0 ? (double)w.p->packet / (double)w.p->payload : 1;
    w.group = QDRI_ARRAY(group, w.p->ranks);
    w.route = QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine));
    w.other = QDRI_ARRAY(int64_t, qdr_machine_route_limit(machine));
    qdr_status status = w.group && w.route && w.other ? QDR_OK : qdri_fail_memory();
    if (!status) {
        find_groups(&w);
        status = find_links(&w);
    }
    if (!status) status = qdri_print_plainly(write_all, &w);
    if (!status) status = qdri_print_end(&printer, "the platform");
    free(w.group);
    free(w.route);
    free(w.other);
    free(w.link);
    return status;
}
