/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine object. It is made from one line of text: the name finds a topology, or a preset and through it
 * a topology; the topology's table of options reads the values, the preset's first and the user's over them.
 * What is common to all topologies is kept here, the rest in the topology's shape, allocated behind the
 * machine. After that nothing changes, so owners in different threads share one machine and only count
 * themselves.
 */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/text.h"
#include "base/likeness.h"
#include "nodes.h"
#include "topology.h"

struct qdr_machine {
    qdri_owned owned;
    const qdri_topology *topology;
    qdr_machine_parameters parameters;
    qdri_frame frame;
    qdri_nodes nodes;
    char *spec;
    max_align_t shape[]; /* of the topology */
};

/* ---- from text to values ------------------------------------------------------------------------------- */

static const qdri_topology *find_topology(const char *name) {
    for (int i = 0; qdri_topologies[i]; i++)
        if (qdri_word_in(name, qdri_topologies[i]->name)) return qdri_topologies[i];
    return NULL;
}

static const qdri_preset *find_preset(const char *name) {
    for (int i = 0; qdri_presets[i].name; i++)
        if (qdri_word_in(name, qdri_presets[i].name)) return &qdri_presets[i];
    return NULL;
}

static qdr_status fail_unknown(const qdri_spec *spec) {
    const qdr_machine_info *info;
    char names[512] = "";
    for (int i = 0; (info = qdr_machine_known(i)); i++) qdri_list_add(names, sizeof names, info->name);
    return qdri_spec_fail(spec, QDR_ERR_UNKNOWN, "'%s' is not a machine; %s%s", spec->name,
                          qdri_did_you_mean(spec->name, names), names);
}

/* Reads the preset's own text, then the user's pairs over it. Afterwards `given` speaks of the user alone. */
static qdr_status read_preset(const qdri_preset *preset, qdri_spec *spec, const qdri_topology **topology) {
    qdri_spec user = *spec;
    const char *pairs = strchr(user.text, ':');
    QDRI_TRY(qdri_spec_open(preset->spec, user.what, spec));
    *topology = find_topology(spec->name);
    QDRI_TRY(qdri_spec_read(spec, (*topology)->options, (*topology)->option_count));
    for (int i = 0; i < spec->option_count; i++) spec->value[i].given = 0;
    spec->text = user.text;
    memcpy(spec->name, user.name, sizeof spec->name);
    if (!pairs) return QDR_OK;
    if (!pairs[1]) return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "nothing follows the colon");
    return qdri_spec_override(spec, pairs + 1);
}

static qdr_status read_spec(const char *text, qdri_spec *spec, const qdri_topology **topology) {
    QDRI_TRY(qdri_spec_open(text, "machine", spec));
    *topology = find_topology(spec->name);
    if (*topology) return qdri_spec_read(spec, (*topology)->options, (*topology)->option_count);
    const qdri_preset *preset = find_preset(spec->name);
    return preset ? read_preset(preset, spec, topology) : fail_unknown(spec);
}

/* ---- from values to parameters ------------------------------------------------------------------------- */

static qdr_status check(const qdri_spec *spec, int ranks) {
    const qdri_value *n = qdri_spec_get(spec, "n");
    int64_t packet = qdri_spec_integer(spec, "packet"), payload = qdri_spec_integer(spec, "payload");
    if (ranks < 1 || ranks > QDRI_MACHINE_RANKS)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "%d ranks; expected 1 to %d", ranks, QDRI_MACHINE_RANKS);
    if (n->present && n->integer < ranks)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "it holds n=%lld ranks, not %d", (long long)n->integer,
                              ranks);
    if (qdri_spec_given(spec, "mu") && qdri_spec_given(spec, "rate"))
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX,
                              "'mu' and 'rate' are the same thing; expected one of them");
    if ((packet > 0) != (payload > 0))
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX,
                              "'packet' and 'payload' belong together; expected both or none");
    if (payload > packet)
        return qdri_spec_fail(spec, QDR_ERR_RANGE, "payload=%lld does not fit into packet=%lld",
                              (long long)payload, (long long)packet);
    return QDR_OK;
}

/* Of mu and rate one is a reciprocal; the one that was written stays exact. */
static void read_port(const qdri_spec *spec, double *mu, double *port) {
    const qdri_value *time = qdri_spec_get(spec, "mu"), *rate = qdri_spec_get(spec, "rate");
    int by_rate = rate->present && !time->given;
    *mu = by_rate ? 1 / rate->real : time->real;
    *port = by_rate ? rate->real : 1 / time->real;
}

static double real_or(const qdri_spec *spec, const char *key, double otherwise) {
    const qdri_value *value = qdri_spec_get(spec, key);
    return value->present ? value->real : otherwise;
}

/* The words of an option stand in the order of the enumeration, so that the position is the value. */
static void set_parameters(const qdri_spec *spec, int ranks, double mu, qdr_machine_parameters *set) {
    int doublings = 0;
    while (1 << doublings < ranks) doublings++;
    set->ranks = ranks;
    set->tau = qdri_spec_real(spec, "tau");
    set->mu = mu;
    set->hop = qdri_spec_real(spec, "hop");
    set->copy = qdri_spec_real(spec, "copy");
    set->ports = (qdr_ports)qdri_spec_integer(spec, "ports");
    set->sends = (qdr_sends)qdri_spec_integer(spec, "sends");
    set->buffer = qdri_spec_integer(spec, "buffer");
    set->switching = (qdr_switching)qdri_spec_integer(spec, "switching");
    set->packet = qdri_spec_integer(spec, "packet");
    set->payload = qdri_spec_integer(spec, "payload");
    set->barrier = real_or(spec, "barrier", -1); /* absent: when routes are known */
    set->combine = real_or(spec, "combine", 16 * mu);
    set->scan = real_or(spec, "scan", 8 * mu * doublings);
    set->broadcast = real_or(spec, "broadcast", 0);
    set->queue = qdri_spec_integer(spec, "queue");
    set->timeout = qdri_spec_real(spec, "timeout");
}

static void set_frame(const qdri_spec *spec, int ranks, double port, qdri_frame *frame) {
    const qdri_value *n = qdri_spec_get(spec, "n");
    frame->ranks = ranks;
    frame->size = n->present ? (int)n->integer : ranks;
    frame->port = port;
    frame->link = real_or(spec, "link", port);
}

/* Messages to ever farther ranks, as rank 0 sends them. */
static double barrier_of(const qdr_machine *machine) {
    double seconds = 0;
    for (int64_t far = 1; far < machine->parameters.ranks; far *= 2)
        seconds += machine->parameters.tau + qdr_machine_latency(machine, 0, (int)far);
    return seconds;
}

/* ---- the object ---------------------------------------------------------------------------------------- */

qdr_status qdr_machine_create(const char *text, int ranks, qdr_machine **machine) {
    qdri_spec spec;
    const qdri_topology *topology;
    double mu, port;
    if (!text || !machine)
        return qdri_fail(QDR_ERR_INVALID, "a machine needs a spec and a place to go; got NULL");
    QDRI_TRY(read_spec(text, &spec, &topology));
    QDRI_TRY(check(&spec, ranks));
    qdr_machine *made = qdri_alloc_zero(1, sizeof *made + topology->shape_size);
    if (!made) return qdri_fail_memory();
    qdri_owned_open(&made->owned);
    made->topology = topology;
    made->spec = qdri_copy_string(text);
    read_port(&spec, &mu, &port);
    set_parameters(&spec, ranks, mu, &made->parameters);
    set_frame(&spec, ranks, port, &made->frame);
    qdr_status status = qdri_nodes_read(&spec, &made->frame, &made->nodes);
    made->parameters.node_ranks = (int)made->nodes.k;
    made->parameters.node_cards = (int)made->nodes.cards;
    if (status == QDR_OK)
        status = made->spec ? topology->form(&spec, &made->frame, made->shape) : qdri_fail_memory();
    if (status == QDR_OK) qdri_nodes_add(&made->nodes, ranks, &made->frame);
    if (status == QDR_OK && made->frame.links > QDRI_MACHINE_LINKS)
        status = qdri_spec_fail(&spec, QDR_ERR_RANGE, "it has %lld links; expected at most %d",
                                (long long)made->frame.links, QDRI_MACHINE_LINKS);
    if (status != QDR_OK) {
        qdr_machine_destroy(&made);
        return status;
    }
    if (made->parameters.barrier < 0) made->parameters.barrier = barrier_of(made);
    *machine = made;
    return QDR_OK;
}

qdr_machine *qdri_machine_retain(const qdr_machine *machine) {
    if (machine) qdri_owned_keep(&machine->owned);
    return (qdr_machine *)machine;
}

void qdr_machine_destroy(qdr_machine **machine) {
    qdr_machine *left = machine ? *machine : NULL;
    if (!left) return;
    *machine = NULL;
    if (!qdri_owned_leave(&left->owned)) return;
    free(left->spec);
    free(left);
}

const qdr_machine_parameters *qdr_machine_look(const qdr_machine *machine) {
    return &machine->parameters;
}

const char *qdr_machine_spec(const qdr_machine *machine) {
    return machine->spec;
}

const char *qdr_machine_topology(const qdr_machine *machine) {
    return machine->topology->name;
}

int64_t qdr_machine_wire_bytes(const qdr_machine *machine, int64_t bytes) {
    int64_t packet = machine->parameters.packet, payload = machine->parameters.payload;
    if (packet == 0 || bytes <= 0) return bytes > 0 ? bytes : 0;
    int64_t packets = bytes / payload + (bytes % payload != 0);
    return packets > INT64_MAX / packet ? INT64_MAX : packets * packet;
}

/* ---- links --------------------------------------------------------------------------------------------- */

int64_t qdr_machine_links(const qdr_machine *machine) {
    return machine->frame.links;
}

int qdr_machine_route_limit(const qdr_machine *machine) {
    return machine->frame.route_limit;
}

static int are_apart(const qdr_machine *machine, int from, int to) {
    int ranks = machine->parameters.ranks;
    return from != to && from >= 0 && to >= 0 && from < ranks && to < ranks;
}

int qdr_machine_route(const qdr_machine *machine, int from, int to, int64_t *route) {
    return are_apart(machine, from, to)
               ? qdri_nodes_route(&machine->nodes, machine->topology, machine->shape, from, to, route)
               : 0;
}

double qdr_machine_link_bandwidth(const qdr_machine *machine, int64_t link) {
    if (link < 0 || link >= machine->frame.links) return 0;
    if (link >= machine->nodes.first_link) return qdri_nodes_bandwidth(&machine->nodes, link);
    return machine->topology->bandwidth ? machine->topology->bandwidth(machine->shape, link)
                                        : machine->frame.link;
}

int64_t qdr_machine_link_streams(const qdr_machine *machine, int64_t link) {
    double streams = floor(qdr_machine_link_bandwidth(machine, link) * machine->parameters.mu + 1e-9);
    if (streams >= 0x1p62) return INT64_C(1) << 62;
    return streams > 1 ? (int64_t)streams : 1;
}

double qdr_machine_latency(const qdr_machine *machine, int from, int to) {
    double hop = machine->parameters.hop;
    if (!are_apart(machine, from, to)) return 0;
    double seconds = hop > 0 ? hop * qdr_machine_route(machine, from, to, NULL) : 0;
    int source = qdri_node_at(&machine->nodes, from), target = qdri_node_at(&machine->nodes, to);
    if (machine->topology->latency && source != target)
        seconds += machine->topology->latency(machine->shape, source, target);
    return seconds;
}

/* ---- what there is ------------------------------------------------------------------------------------- */

static void describe_topology(const qdri_topology *topology, qdr_machine_info *info) {
    *info = (qdr_machine_info){.name = topology->name,
                               .summary = topology->summary,
                               .spec = topology->example,
                               .source = topology->source,
                               .options = topology->help};
}

static void describe_preset(const qdri_preset *preset, qdr_machine_info *info) {
    qdri_spec spec;
    if (qdri_spec_open(preset->spec, "machine", &spec) != QDR_OK) return;
    describe_topology(find_topology(spec.name), info);
    info->name = preset->name;
    info->summary = preset->summary;
    info->spec = preset->spec;
    info->source = preset->source;
    info->is_preset = 1;
}

const qdr_machine_info *qdr_machine_known(int index) {
    enum { MOST = 64 };
    static _Thread_local qdr_machine_info info[MOST];
    int topologies = 0, presets = 0;
    while (qdri_topologies[topologies]) topologies++;
    while (qdri_presets[presets].name) presets++;
    if (index < 0 || index >= topologies + presets || index >= MOST) return NULL;
    if (index < topologies)
        describe_topology(qdri_topologies[index], &info[index]);
    else
        describe_preset(&qdri_presets[index - topologies], &info[index]);
    return &info[index];
}

int64_t qdri_machine_cut(const qdr_machine *machine, int64_t link, double *bandwidth) {
    if (link >= machine->nodes.first_link) return qdri_nodes_cut(&machine->nodes, link, bandwidth);
    *bandwidth = qdr_machine_link_bandwidth(machine, link);
    return machine->topology->links_are_cuts ? link : -1;
}

qdr_status qdri_machine_route_rate(const qdr_machine *machine, int from, int to, double *rate) {
    int64_t *route = QDRI_ARRAY(int64_t, machine->frame.route_limit + 1);
    if (!route) return qdri_fail_memory();
    int length = qdr_machine_route(machine, from, to, route);
    *rate = machine->frame.port;
    for (int i = 0; i < length; i++) *rate = fmin(*rate, qdr_machine_link_bandwidth(machine, route[i]));
    free(route);
    return QDR_OK;
}
