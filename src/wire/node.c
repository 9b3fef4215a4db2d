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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "wire/inside.h"

enum { PAGE = 1 << 16 }; /* of any system */

/* What a rank tells the others. */
typedef struct introduction {
    uint64_t name;  /* a hash of the processor's */
    uint64_t token; /* of the segment that it would make */
} introduction;

/* The segment: its mark, then the lines of its members, each on cache lines of its own, then the board, then
 * the arenas. */
typedef struct segment {
    uint64_t mark[16];
} segment;

/* QDR_NODE_RANKS=k cuts a node into several of k ranks each, which use MPI between them: for tests, and for
 * seeing on one machine how a program would run on several. */
static int pretended_node(const qdri_wire *wire) {
    return wire->node_ranks > 0 ? 1 + wire->rank / wire->node_ranks : 0;
}

static introduction introduce(const qdri_wire *wire) {
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    struct timespec time;
    struct stat space;
    introduction mine = {.name = 1};
    if (PMPI_Get_processor_name(name, &length) != MPI_SUCCESS) length = 0;
    for (int i = 0; i < length; i++) mine.name = qdri_mix(mine.name ^ (unsigned char)name[i]);
    /* Containers may share memory and a name, but not the numbers of processes. */
    if (stat("/proc/self/ns/pid", &space) == 0) mine.name = qdri_mix(mine.name ^ (uint64_t)space.st_ino);
    mine.name = qdri_mix(mine.name ^ (uint64_t)pretended_node(wire));
    clock_gettime(CLOCK_REALTIME, &time);
    mine.token = qdri_mix(qdri_mix((uint64_t)time.tv_nsec ^ (uint64_t)time.tv_sec << 30) ^
                          (uint64_t)getpid() << 20 ^ (uint64_t)wire->rank);
    return mine;
}

/* All ranks: whether everyone had what he needed. */
static qdr_status all_have(qdri_wire *wire, int mine, double deadline, int *all) {
    int64_t missing = !mine;
    QDRI_TRY(qdri_agree(wire, &(qdri_agreement){.maximum = &missing, .count = 1, .deadline = deadline}));
    *all = !missing;
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
    if (!qdri_shares_memory()) return QDR_OK;
    QDRI_TRY(share(wire, token, leads, qdri_arena_size(wire->members), deadline, &all));
    return all ? QDR_OK : share(wire, qdri_mix(token), leads, 0, deadline, &all);
}

static qdr_status gather_introductions(qdri_wire *wire, introduction *all, int64_t *start, double deadline) {
    qdri_meeting *meeting = &wire->table.spreading;
    for (int r = 0; r <= wire->ranks; r++) start[r] = r * (int64_t)sizeof *all;
    introduction *mine = all + wire->ranks; /* room for one more */
    *mine = introduce(wire);
    qdri_meeting_prepare(meeting);
    QDRI_TRY(qdri_gather_all(wire, &meeting->operation, mine, sizeof *mine, all, start));
    return qdri_meeting_wait(wire, meeting, deadline);
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

qdr_status qdri_node_open(qdri_wire *wire, double deadline) {
    introduction *all = QDRI_ARRAY(introduction, (int64_t)wire->ranks + 1);
    int64_t *start = QDRI_ARRAY(int64_t, (int64_t)wire->ranks + 1);
    wire->member = QDRI_ARRAY(int, wire->ranks);
    wire->node = QDRI_ARRAY(int, wire->ranks);
    wire->gather = QDRI_ARRAY(int, 2 * (int64_t)wire->ranks);
    wire->words = QDRI_ARRAY(int64_t, 2 * (int64_t)wire->ranks);
    wire->own_line = (qdri_status_line){.plan = -1, .exchange = -1, .waits_for = -1, .pid = getpid()};
    qdr_status status =
        all && start && wire->member && wire->node && wire->gather && wire->words && qdri_arena_prepare(wire)
            ? QDR_OK
            : qdri_fail_memory();
    if (!status) status = qdri_wire_environment(wire);
    status = qdri_agree(wire, &(qdri_agreement){.status = status, .deadline = deadline});
    if (!status) status = gather_introductions(wire, all, start, deadline);
    if (!status) {
        find_nodes(wire, all);
        wire->token = all[wire->rank].token;
        int leader = wire->node[wire->rank];
        status = share_most(wire, all[leader].token, leader == wire->rank, deadline);
    }
    if (!status && wire->line) {
        wire->one_node = wire->members == wire->ranks;
        wire->crowded = wire->members > processors();
        *qdri_status_own(wire) = wire->own_line;
    }
    if (!wire->broken) { /* else MPI may still write into them */
        free(all);
        free(start);
    }
    return status;
}

void qdri_node_close(qdri_wire *wire) {
    qdri_arena_close(wire);
    if (wire->line) {
        munmap((segment *)wire->line - 1, wire->segment_bytes);
        close(wire->segment_file);
    }
    free(wire->member);
    free(wire->node);
    free(wire->words);
    wire->line = NULL;
    wire->board = NULL;
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

int qdri_wire_one_node(const qdri_wire *wire) {
    return wire->one_node;
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
