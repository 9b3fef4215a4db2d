/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building schedules: what the files that do it share.
 *
 * A transfer has two *roles*: 0 exports, 1 imports. Whoever computes is *responsible*, in one or in both. Two compact
 * layouts need no table: each responsible process works out what it has for everybody (by_owner.c). Otherwise the
 * numbers 0, 1, 2 ... of the elements are cut into even ranges; a responsible process collects who owns what in its
 * range, in a *table* for each role (table.c), holds the two against each other (by_range.c) and sends everybody his part
 * (results.c). `deref` collects its tables as Meta-Chaos did (deref.c).
 */
#ifndef QDRI_COUPLE_BUILD_H
#define QDRI_COUPLE_BUILD_H

#include "couple/program/program.h"
#include "couple/schedule/messages.h"
#include "layout/layout.h"
#include "places/places.h"

/* ---- what is built --------------------------------------------------------------------------------------- */

/* What this rank has for one rank of the other program, or from it, of one field: places of local memory in the
 * order of the message. */
typedef struct qdri_route {
    int partner; /* in the other program */
    qdri_places places;
} qdri_route;

typedef struct qdri_routes {
    int count;
    qdri_route *route; /* by rising partner; none is empty */
    int64_t elements;
} qdri_routes;

void qdri_routes_close(qdri_routes *routes);

/* One pair of fields. What is said of the side that this rank is not on was told by the other program. */
typedef struct qdri_field {
    char name[QDRI_NAME];
    qdr_type type[2]; /* of the exporter, of the importer */
    int64_t width;
    int64_t elements;      /* of the region */
    int compact[2];        /* the layouts */
    int64_t room[2];       /* one more than the highest place that this rank has by what its program states */
    qdr_layout *layout[2]; /* NULL where unknown; compact or this rank's share */
    qdr_region *region[2];
    qdr_operation operation; /* of the importer; unknown to the other program */
    qdri_routes out, in;     /* empty on the side that has none */
} qdri_field;

/* ---- building ------------------------------------------------------------------------------------------- */

typedef enum qdri_computes { QDRI_BY_BOTH, QDRI_BY_EXPORTER, QDRI_BY_IMPORTER, QDRI_BY_DEREF } qdri_computes;
enum { QDRI_BACK_ALL, QDRI_BACK_ONE };
enum { QDRI_DISJOINT, QDRI_REPRESENTATIVE };
enum { QDRI_OPEN = -1 }; /* the choice is left open */

typedef struct qdri_choice {
    int computes, back, descriptors;
} qdri_choice;

/* What is wrong with an array, as a rank found it. */
typedef struct qdri_trouble {
    int64_t twice, hole; /* the lowest numbers of such elements; -1: none */
    int owner[2];        /* of `twice` */
} qdri_trouble;

typedef struct qdri_build {
    const char *name; /* of the stream, for sentences */
    int exporter;     /* which side of the space exports */
    int fields;
    qdri_field *list; /* [fields], compared and complete */
    const qdri_costs *costs;
    const qdri_space *space;
    double deadline;
    qdri_effort effort;
    /* The roles: the ranks of the wire that have them, and whether this one has, as which. */
    int ranks[2];
    const int *rank[2];
    int has[2], own[2];
    qdri_choice choice;
    qdri_field *field; /* under work */
    qdri_trouble trouble[2];
    int spoiled; /* what another rank sent is missing or makes no sense; if that rank failed, it will say why */
    double since; /* when this rank began to compute */
} qdri_build;

/* Between these two, this rank computes. */
void qdri_build_works(qdri_build *build);
void qdri_build_waits(qdri_build *build);
qdri_conversation qdri_build_conversation(qdri_build *build, const char *what);
void qdri_note_trouble(qdri_trouble *trouble, int64_t twice, int owner_a, int owner_b, int64_t hole);

/* ---- who is responsible -------------------------------------------------------------------------------- */

/* Even ranges of numbers for the ranks of one or both roles, by rising rank of the wire. */
typedef struct qdri_ranges {
    int count;
    int *rank; /* [count], of the wire */
    int own;   /* this rank's range; -1: it has none */
    int64_t elements, chunk;
} qdri_ranges;
qdr_status qdri_ranges_open(const qdri_build *build, int with_exporters, int with_importers, int64_t elements,
                            qdri_ranges *ranges);
void qdri_ranges_close(qdri_ranges *ranges);
int64_t qdri_ranges_low(const qdri_ranges *ranges, int range);
int64_t qdri_ranges_high(const qdri_ranges *ranges, int range);

/* What this rank's own program says of the memory that it has, for places that come from the other: field->room, of all
 * fields. Collective inside each program. */
qdr_status qdri_build_rooms(qdri_build *build);

/* ---- tables: table.c ----------------------------------------------------------------------------------- */

enum { QDRI_OWNED_TWICE = -2 };

/* Who owns the elements number [low, low + count), and where. */
typedef struct qdri_owners {
    int64_t low, count;
    int32_t *owner; /* -1: nobody known; QDRI_OWNED_TWICE: several, which is noted as trouble */
    void *place;    /* [count] of uint32_t, or of int64_t where `wide` */
    int wide;
} qdri_owners;
qdr_status qdri_owners_open(qdri_effort *effort, int64_t low, int64_t count, qdri_owners *owners);
void qdri_owners_close(qdri_effort *effort, qdri_owners *owners);
/* Places of eight bytes from here on. */
qdr_status qdri_owners_widen(qdri_effort *effort, qdri_owners *owners);

/* From a layout that this rank can answer for. */
qdr_status qdri_owners_walk(qdri_build *build, const qdri_array_side *side, qdri_owners *owners);
/* From what the ranks of one or both roles stated: they tell the responsible ones. Collective over these and those.
 * Tables are opened and filled where there is a range. */
typedef struct qdri_statement {
    int is_told;                 /* the role's layout is explicit */
    const qdri_array_side *side; /* what this rank has to tell of it; NULL: it does not have the role */
} qdri_statement;
qdr_status qdri_owners_collect(qdri_build *build, const qdri_statement told[2], const qdri_ranges *ranges,
                               qdri_owners owners[2], qdri_trouble trouble[2]);
/* Notes the lowest number that nobody owns. */
void qdri_owners_check(const qdri_owners *owners, qdri_trouble *trouble);

static inline int64_t qdri_owners_place(const qdri_owners *owners, int64_t i) {
    return owners->wide ? ((const int64_t *)owners->place)[i] : ((const uint32_t *)owners->place)[i];
}

/* ---- results on their way: results.c ---------------------------------------------------------------------- */

/* What one responsible process has for one process: bytes of whatever the algorithm writes. */
typedef struct qdri_section {
    int from; /* the responsible one's number */
    int role; /* of the process it is for */
    int64_t bytes;
    const char *data;
} qdri_section;

typedef struct qdri_outbox {
    qdri_build *build;
    const qdri_ranges *by;
    int wanted[2];     /* roles that get something */
    int64_t *bytes[2]; /* [ranks of the role]: of the section for each */
    char **data[2];    /* where it is to be written */
    int messages;
    qdri_content *message;
} qdri_outbox;

typedef struct qdri_inbox {
    int sections;
    qdri_section *section; /* by rising `from` */
    int messages;
    qdri_content *message;
} qdri_inbox;

/* Room for sections of these sizes; `bytes` of a role that gets nothing is NULL. On ranks that are not responsible it
 * only notes who gets something. */
qdr_status qdri_outbox_open(qdri_build *build, const qdri_ranges *by, const int64_t *const bytes[2],
                            const int wanted[2], qdri_outbox *outbox);
/* Sends everything and receives what is for this rank. Closes the outbox, also when it fails. */
qdr_status qdri_outbox_send(qdri_outbox *outbox, qdri_inbox *inbox);
void qdri_outbox_close(qdri_outbox *outbox);
void qdri_inbox_close(qdri_build *build, qdri_inbox *inbox);

/* ---- algorithms ---------------------------------------------------------------------------------------- */

/* One field, by the choice that was made; fills field->out and field->in. A failure is this rank's own; `trouble` is
 * agreed on by the caller. */
qdr_status qdri_build_owners(qdri_build *build);
qdr_status qdri_build_ranges(qdri_build *build);
qdr_status qdri_build_deref(qdri_build *build);
/* The second half of the last two: both tables are there, where there is a range. Closes them. */
qdr_status qdri_build_from_tables(qdri_build *build, const qdri_ranges *ranges, qdri_owners owners[2]);

/* Which way, for fields of these kinds: choose.c. `why` says it in a sentence. */
typedef struct qdri_case {
    int compact[2];
    int64_t elements;
    int ranks[2];
    qdri_costs costs; /* `element` by role */
    int root;         /* the role of the wire's first rank, which decides in agreements */
} qdri_case;
/* Of compact layouts, and of whatever else all ranks of a program have and the other needs. */
int qdri_choose_descriptors(const qdri_costs *costs, const int ranks[2]);
void qdri_choose(const qdri_case *about, const qdri_choice *asked, qdri_choice *made, char *why, int size);

/* ---- all of it, as stream.c sees it: build.c ------------------------------------------------------------- */

/* How it was done, in the words of qdr_stream_view: of the first field. */
typedef struct qdri_built {
    const char *computed, *back, *descriptors;
    char why[200];
} qdri_built;

/* Both. Fills the routes of all fields. The same status everywhere. */
qdr_status qdri_build_all(qdri_build *build, const qdri_choice *asked, qdri_built *built);

/* Agreement over both programs; a sentence arrives as it was said. */
qdr_status qdri_space_agree(const qdri_space *space, qdr_status status, qdri_term *term, int terms,
                            double deadline);

/* Puts program, rank and stream before the sentence of a failure of this rank's own; returns the status. */
qdr_status qdri_say_who(const qdri_space *space, const char *stream, qdr_status status);

#endif
