/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is on this node, and one line of status for each of them, so that a report about a stall can say what a
 * silent partner is doing.
 *
 * Hosts in containers or namespaces may have equal names, or share memory without being one node; so both are
 * asked. The lowest rank of a name makes the segment, all look for it, all agree, and its name is removed at
 * once, so nothing is left behind whatever happens later. Where that fails anywhere, nobody has a segment,
 * and everything else works as before.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/host.h"
#include "base/memory.h"
#include "base/random.h"
#include "wire/flight.h"
#include "wire/inside.h"

enum { PAGE = 1 << 16 }; /* of any system */

/* What a rank tells the others. */
typedef struct introduction {
    uint64_t name;  /* a digest of the host */
    uint64_t token; /* of the segment that it would make */
} introduction;

/* The segment: its mark, then the lines of its members, each on cache lines of its own, then the board, then
 * the arenas. */
typedef struct segment {
    uint64_t mark[16];
} segment;

static introduction introduce(const qdri_wire *wire) {
    struct timespec time;
    introduction mine = {.name = (uint64_t)qdri_host_digest(wire->rank, wire->node_ranks)};
    clock_gettime(CLOCK_REALTIME, &time);
    mine.token = qdri_mix(qdri_mix((uint64_t)time.tv_nsec ^ (uint64_t)time.tv_sec << 30) ^
                          (uint64_t)getpid() << 20 ^ (uint64_t)wire->rank);
    return mine;
}

/* All ranks: whether everyone had what he needed. */
static qdr_status all_have(qdri_wire *wire, int mine, double deadline, int *all) {
    qdri_term missing = {"number of ranks without shared memory", QDRI_TERM_MOST, !mine, 0, 1};
    QDRI_TRY(qdri_agree(
        wire,
        &(qdri_agreement){.call = "the first call", .term = &missing, .terms = 1, .deadline = deadline}));
    *all = !missing.value;
    return QDR_OK;
}

/* One try, with so many bytes of arena for each member. */
static qdr_status share(qdri_wire *wire, uint64_t token, int leads, int64_t arena, double deadline,
                        int *all) {
    size_t lines = (size_t)wire->members * sizeof(qdri_status_line);
    size_t bytes = sizeof(segment) + lines + qdri_board_bytes(wire->members);
    size_t before = (bytes + PAGE - 1) / PAGE * PAGE, size = before + (size_t)(wire->members * arena);
    int file = -1;
    segment *memory = leads ? qdri_share_make(token, bytes, size, &file) : NULL;
    qdr_status status = all_have(wire, !leads || memory, deadline, all);
    if (!status && *all) {
        if (!leads) memory = qdri_share_find(token, size, &file);
        status = all_have(wire, memory != NULL, deadline, all);
    }
    if (leads) qdri_share_unlink(token);
    if (status || !*all) {
        if (memory) munmap(memory, size);
        if (file >= 0) close(file);
        return status;
    }
    madvise(memory, size, MADV_DONTDUMP);
    wire->line = (qdri_status_line *)(memory + 1);
    wire->board = (qdri_board *)((char *)(memory + 1) + lines);
    wire->segment_bytes = size;
    wire->segment_file = file;
    if (arena > 0) qdri_arena_attach(wire, (char *)memory + before, arena, file, (int64_t)before);
    return QDR_OK;
}

/* Where there is no room for an arena among the addresses, there may be for the rest. */
static qdr_status share_most(qdri_wire *wire, uint64_t token, int leads, double deadline) {
    int all = 0;
    if (!wire->backend->shares_memory) return QDR_OK;
    QDRI_TRY(share(wire, token, leads, qdri_arena_size(wire->members), deadline, &all));
    return all ? QDR_OK : share(wire, qdri_mix(token), leads, 0, deadline, &all);
}

/* What all ranks say, in memory of the flight; the last is this rank's own once more. */
static qdr_status gather_introductions(qdri_wire *wire, qdri_flight *flight, introduction *all,
                                       int64_t *start) {
    qdri_flight_leg *leg = qdri_flight_legs(flight, 1);
    introduction *mine = all + wire->ranks;
    if (!leg) return qdri_fail_memory();
    for (int r = 0; r <= wire->ranks; r++) start[r] = r * (int64_t)sizeof *all;
    *mine = introduce(wire);
    qdri_flight_note(leg, qdri_gather_all(wire, &leg->operation, mine, sizeof *mine, all, start));
    return qdri_flight_wait_midway(flight);
}

/* Each rank's node by its lowest rank. Neighbouring ranks mostly share one, so few are searched for. */
static void find_nodes(qdri_wire *wire, const introduction *all) {
    for (int r = 0; r < wire->ranks; r++) {
        int first = r > 0 && all[r].name == all[r - 1].name ? wire->node[r - 1] : 0;
        while (all[first].name != all[r].name) first++;
        wire->node[r] = first;
        wire->member[r] = all[r].name == all[wire->rank].name ? wire->members++ : -1;
    }
}

/* Of the node, or fewer if the launcher keeps this process on some, but not if on one: then others have
 * theirs. */
static long processors(void) {
    cpu_set_t set;
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    int own = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return own > 1 && own < all ? own : all;
}

/* Once all ranks have what they need. */
static qdr_status find_members(qdri_wire *wire, qdri_flight *flight, introduction *all, int64_t *start) {
    QDRI_TRY(gather_introductions(wire, flight, all, start));
    find_nodes(wire, all);
    wire->token = all[wire->rank].token;
    int leader = wire->node[wire->rank];
    QDRI_TRY(share_most(wire, all[leader].token, leader == wire->rank, flight->deadline));
    if (!wire->line) return QDR_OK;
    wire->one_node = wire->one_host = wire->members == wire->ranks;
    wire->crowded = wire->members > processors();
    *qdri_status_own(wire) = wire->own_line;
    return QDR_OK;
}

qdr_status qdri_node_open(qdri_wire *wire, qdr_status mine, double deadline) {
    qdri_flight *flight = qdri_flight_create(wire, "first call");
    introduction *all = flight ? QDRI_FLIGHT_ARRAY(flight, introduction, (int64_t)wire->ranks + 1) : NULL;
    int64_t *start = flight ? QDRI_FLIGHT_ARRAY(flight, int64_t, (int64_t)wire->ranks + 1) : NULL;
    if (flight) flight->deadline = deadline;
    wire->member = QDRI_ARRAY(int, wire->ranks);
    wire->node = QDRI_ARRAY(int, wire->ranks);
    wire->words = QDRI_ARRAY(int64_t, 2 * (int64_t)wire->ranks);
    int there = all && start && wire->member && wire->node && wire->words && qdri_arena_prepare(wire);
    if (!mine && !there) mine = qdri_fail_memory();
    if (!mine) mine = qdri_wire_environment(wire);
    qdr_status status = qdri_agree_status(wire, "the first call", mine, deadline);
    if (!status) status = find_members(wire, flight, all, start);
    if (flight) qdri_flight_end(&flight);
    return status;
}

void qdri_node_leave(qdri_wire *wire) {
    qdri_arena_close(wire);
    if (!wire->line) return;
    munmap((segment *)wire->line - 1, wire->segment_bytes);
    close(wire->segment_file);
    wire->line = NULL;
    wire->board = NULL;
}

void qdri_node_close(qdri_wire *wire) {
    qdri_node_leave(wire);
    free(wire->member);
    free(wire->node);
    free(wire->words);
    wire->member = wire->node = NULL;
    wire->words = NULL;
}

int qdri_node_members(const qdri_wire *wire) {
    return wire->line ? wire->members : 0;
}

int qdri_node_member(const qdri_wire *wire, int rank) {
    return wire->line ? wire->member[rank] : -1;
}

int qdri_node_shared(const qdri_wire *wire, int rank, int other) {
    return wire->line && wire->node[rank] == wire->node[other];
}

int qdri_node_of(const qdri_wire *wire, int rank) {
    return wire->node ? wire->node[rank] : rank;
}

int qdri_wire_one_node(const qdri_wire *wire) {
    return wire->one_node;
}

int qdri_wire_one_host(const qdri_wire *wire) {
    return wire->one_host;
}

int qdri_node_crowded(const qdri_wire *wire) {
    return wire->crowded;
}

qdri_status_line *qdri_status_own(qdri_wire *wire) {
    return wire->line ? &wire->line[wire->member[wire->rank]] : &wire->own_line;
}

const qdri_status_line *qdri_status_of(qdri_wire *wire, int rank) {
    return wire->line && wire->member[rank] >= 0 ? &wire->line[wire->member[rank]] : NULL;
}

int qdri_status_gone(const qdri_status_line *line) {
    return line->pid > 0 && kill((pid_t)line->pid, 0) != 0 && errno == ESRCH;
}

/* The letter that Linux has for what a process does: the third field of /proc/PID/stat; the second is the
 * program's name in parentheses, which may hold anything. 0: who knows. */
static char state_of(int64_t pid) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

void qdri_status_life(const qdri_status_line *line, char *text, size_t size) {
    char state = line->pid > 0 ? state_of(line->pid) : 0;
    *text = '\0';
    if (qdri_status_gone(line))
        snprintf(text, size, " has gone: there is no process %lld", (long long)line->pid);
    else if (state == 'Z' || state == 'X')
        snprintf(text, size, " has gone: process %lld has ended", (long long)line->pid);
    else if (state == 'T' || state == 't')
        snprintf(text, size, " is stopped: process %lld", (long long)line->pid);
}

void qdri_status_absent(qdri_wire *wire, char *text, size_t size) {
    enum { MOST = 4 };
    size_t used = 0;
    int missing = 0;
    *text = '\0';
    for (int r = 0; r < wire->ranks; r++) {
        const qdri_status_line *line = qdri_status_of(wire, r);
        char life[80];
        if (!line || r == wire->rank) continue;
        qdri_status_life(line, life, sizeof life);
        int came = line->meetings >= qdri_status_own(wire)->meetings;
        if ((came && !*life) || ++missing > MOST || used >= size) continue;
        int length = *life ? snprintf(text + used, size - used, "; rank %d%s", r, life)
                           : snprintf(text + used, size - used, "; rank %d (process %lld) has not come", r,
                                      (long long)line->pid);
        used += length > 0 ? (size_t)length : 0;
    }
    if (missing > MOST && used < size) snprintf(text + used, size - used, "; and %d more", missing - MOST);
}
