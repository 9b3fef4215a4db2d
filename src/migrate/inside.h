/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Migration inside: what one call works with. It has three parts.
 *
 *     The plan: which rank gives how much of which message to whom, phase by phase. Each rank keeps its own
 *     share of it, its *itinerary*: a *trip* is one part of one message that comes to this rank or leaves it.
 *     (gathered.c from the whole matrix, neighbours.c from what the neighbours say; limit.c, how much memory
 *     everything takes, and which limit would do.)
 *
 *     The stock: where the data lies (array.c, objects.c). It gives and takes parts of messages. The units of
 *     one message are alike: which of them go first is nobody's business, so a trip says how many and not
 *     which.
 *
 *     The run (run.c): carries out the itinerary. Receivers say when they have room.
 */
#ifndef QDRI_MIGRATE_INSIDE_H
#define QDRI_MIGRATE_INSIDE_H

#include <stdint.h>

#include "base/budget.h"
#include "base/error.h"
#include "wire/agree.h"
#include "wire/flight.h"
#include "migrate/moves/moves.h"
#include "quadrille/migrate.h"
#include "wire/wire.h"

/* ---- the itinerary ------------------------------------------------------------------------------------- */

typedef struct qdri_trip {
    int64_t phase;           /* of the whole schedule, from 0 */
    int64_t units;           /* to be moved */
    int64_t moved;           /* so far */
    int64_t extra;           /* beyond `units`: what may come with the last object; what a sender caught up */
    int64_t need;            /* objects: bytes of the next one, for which there was no room */
    void *parcel;            /* objects: where it is parked */
    int origin, destination; /* of the message */
    int lane;                /* the partner's place in the side's list */
    int open;                /* parts of it under way */
    int begun, ended;        /* the sender has nothing more for it, or the receiver no room */
    int closed;              /* the receiver has said so */
} qdri_trip;

typedef struct qdri_trip_lane {
    int rank;
    int open; /* parts under way */
} qdri_trip_lane;

/* What comes, or what leaves: by rising phase; inside a phase by partner, then message. */
typedef struct qdri_trip_list {
    qdri_trip *trip;
    int64_t trips, capacity;
    qdri_trip_lane *lane; /* by rising rank */
    int lanes;
} qdri_trip_list;

typedef struct qdri_itinerary {
    qdri_trip_list in, out;
    int64_t phases, bound; /* of the whole */
    char method[32];
} qdri_itinerary;

/* Appends; trips of the same message, phase and partner become one. Returns 0 without memory. */
int qdri_itinerary_add(qdri_itinerary *itinerary, qdri_budget *budget, int is_in, const qdri_trip *trip,
                       int partner);
/* Gives back what is too much, and lists the partners. Returns 0 without memory. */
int qdri_itinerary_finish(qdri_itinerary *itinerary, qdri_budget *budget);
void qdri_itinerary_free(qdri_itinerary *itinerary, qdri_budget *budget);

/* The trip of a side with these properties; NULL: there is none. */
qdri_trip *qdri_itinerary_find(const qdri_trip_list *side, int64_t phase, int partner, int origin,
                               int destination);
int qdri_lane_of(const qdri_trip_list *side, int rank); /* -1: none */

/* ---- memory -------------------------------------------------------------------------------------------- */

/* What a rank brings along that the others have to know. */
typedef struct qdri_migration_facts {
    int64_t limit;    /* bytes; 0: none */
    int64_t place;    /* units beyond those it has for which there is place at all */
    int64_t objects;  /* that leave; of an array 0 */
    int64_t padding;  /* bytes that these count more than they have */
    int64_t messages; /* that leave */
} qdri_migration_facts;

/* How much an itinerary has; tables are laid out for it. */
typedef struct qdri_tally {
    int64_t in, out;  /* trips */
    int64_t parked;   /* of `in`, those to be parked */
    int64_t most_in;  /* in one phase */
    int64_t loose;    /* objects: how many of the largest may be here against the schedule */
    int64_t messages; /* that leave */
} qdri_tally;

/* Places at which messages come in, and as many from which they leave; of objects each has a buffer. */
typedef struct qdri_staging {
    int places;
    int64_t bytes;
} qdri_staging;

/* What stocks keep; here, because it is reckoned with before there is a stock. */
enum {
    QDRI_SEGMENT_BYTES = 24,
    QDRI_LINE_BYTES = 40,
    QDRI_ENTRY_BYTES = 16,
    QDRI_BLOCK_ENTRIES = 64,
    QDRI_CALL_BYTES = 2048, /* of the call itself */
};

typedef struct qdri_migration qdri_migration;

qdri_staging qdri_staging_within(const qdri_migration *job, int64_t limit);

/* Bytes of the run itself, with so many lanes out. */
int64_t qdri_run_bytes(const qdri_migration *job, int64_t lanes_out, int64_t limit);

/* The limit under which an attempt is made: that of the facts, or `least` if it is more. */
int64_t qdri_limit_of(const qdri_migration_facts *facts, int64_t least);

/* Units of room, when `reserve` bytes are kept back; negative: the limit does not even hold these. */
int64_t qdri_room_of(const qdri_migration *job, const qdri_migration_facts *facts, int64_t reserve,
                     int64_t limit);

/* The reserve, raised to what a tally asks for; returns whether it was too small. */
int qdri_raise_reserve(const qdri_migration *job, const qdri_migration_facts *facts, const qdri_tally *tally,
                       int64_t least, int64_t *reserve);

/* ---- the whole call ------------------------------------------------------------------------------------ */

typedef struct qdri_stock qdri_stock;

/* A way to a plan. `attempt` is collective and makes the itinerary, with limits of at least `least` bytes
 * (0: as they are). QDR_ERR_RANGE or QDR_ERR_MEMORY: not with these limits. */
typedef struct qdri_planner {
    qdr_status (*open)(qdri_migration *job);
    qdr_status (*attempt)(qdri_migration *job, int64_t least);
    void (*close)(qdri_migration *job);
} qdri_planner;
extern const qdri_planner qdri_planner_gathered, qdri_planner_neighbours;

struct qdri_migration {
    qdri_wire *wire;
    int rank, ranks, first_tag;
    double deadline;
    qdr_migration_options how;
    const char *method; /* with its options; and its name alone */
    const char *name;
    qdri_budget budget; /* what is in use; `limit` is that of the attempt under way */
    qdri_migration_facts facts;
    int64_t unit_bytes;    /* an item of an array; 1 for objects */
    int64_t largest;       /* bytes of the largest object anywhere, as it travels; 0: an array */
    int64_t *going;        /* [ranks] units for each rank */
    const char *unit_name; /* "items", "bytes" */
    int thrifty;           /* places are few, so that there is more room */
    int64_t room;          /* units: found by the planner */
    const qdri_planner *planner;
    void *planning; /* of the planner */
    qdri_itinerary itinerary;
};

/* The planning, with a refusal that names the limit that would do. */
qdr_status qdri_plan_within(qdri_migration *job);

/* Agreement with the deadline of the call. */
qdr_status qdri_migration_agree(qdri_migration *job, qdr_status status);
qdr_status qdri_migration_agree_on(qdri_migration *job, qdr_status status, qdri_term *field, int fields);

/* A flight that has the deadline of the call; NULL without memory. */
qdri_flight *qdri_migration_flight(qdri_migration *job);

/* Fails unless this rank has place for what it shall have in the end. */
qdr_status qdri_check_place(const qdri_migration *job, int64_t incoming);

/* ---- the run ------------------------------------------------------------------------------------------- */

enum {
    QDRI_LANE_PLACES = 4, /* messages under way from one partner to another */
    QDRI_PIECE_OBJECTS = 512,
    QDRI_MASK_WORDS = QDRI_PIECE_OBJECTS / 64,
    QDRI_PIECE_BYTES = 1 << 20, /* of an array, in one message */
};

typedef struct qdri_migration_run qdri_migration_run;

/* What a receiver says to a sender of one trip. */
typedef struct qdri_word {
    int64_t phase;
    int64_t bytes; /* there is room for so many; -1: no more is wanted */
    int origin, destination;
    int place; /* of the receiver */
    int unused;
} qdri_word;

/* A place at which a part of a trip comes in; memory of the flight. */
typedef struct qdri_intake {
    qdri_migration_run *run;
    int number;
    qdri_flight_leg *data, *ask;
    qdri_word word;
    qdri_trip *trip; /* NULL: free */
    int awaits;      /* something is under way */
    char *at;        /* where it shall lie */
    int64_t bytes;   /* room for so many; afterwards, what is left to be asked for */
    int64_t start;   /* the stock's own */
    char *staging;   /* the stock's own */
    int answer_to;   /* the sender's outlet, where it waits for an answer */
    uint64_t refused[QDRI_MASK_WORDS];
} qdri_intake;

/* A place from which a part of a trip leaves; memory of the flight. */
typedef struct qdri_outlet {
    qdri_migration_run *run;
    int number;
    qdri_flight_leg *leg;
    qdri_trip *trip;      /* NULL: free */
    const char *at;       /* what goes */
    int64_t bytes;        /* of it */
    int64_t start, count; /* the stock's own */
    void *source;         /* the stock's own */
    int answered;         /* the receiver will say what it took */
    char *staging;        /* the stock's own */
    uint64_t refused[QDRI_MASK_WORDS];
} qdri_outlet;

/* ---- stocks -------------------------------------------------------------------------------------------- */

struct qdri_closing_word;
typedef struct qdri_stock_kind {
    /* A phase begins: room for its incoming trips. */
    void (*begin)(qdri_stock *stock, qdri_trip *trip, int64_t trips);
    /* Where the next part of an incoming trip may lie: fills at and bytes. 0: nowhere at present. */
    int (*place)(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake);
    /* So many bytes have come there. Whether the sender waits for an answer, which is in `refused`. */
    int (*came)(qdri_stock *stock, qdri_trip *trip, qdri_intake *intake, int64_t bytes);
    /* The next part of an outgoing trip, of no more than `bytes`: fills at and bytes. */
    void (*give)(qdri_stock *stock, qdri_trip *trip, int64_t bytes, qdri_outlet *outlet);
    /* It has gone, but for what was refused. */
    void (*gone)(qdri_stock *stock, qdri_trip *trip, qdri_outlet *outlet);
    /* The receiver wants no more of an outgoing trip, or has got all of an incoming one. */
    void (*closed)(qdri_stock *stock, qdri_trip *trip, int is_in);
    /* All that comes to this rank is here, and all that leaves has left. Fills in what it knows of failures. */
    void (*through)(qdri_stock *stock, struct qdri_closing_word *word);
    int may_lack_room; /* a trip is given up where there is no place, and nothing under way can make one */
} qdri_stock_kind;

struct qdri_stock {
    const qdri_stock_kind *kind;
    qdri_migration *job;
    qdri_migration_run *run;
    int places;                       /* at which messages come in, and from which they leave */
    int64_t left, came;               /* items, or objects, of this rank */
    int64_t came_bytes, parked_bytes; /* to be at home here; to be parked */
};

/* Local: what it takes to carry out the itinerary; to be closed whatever it returns. The run must stay
 * where it is. */
qdr_status qdri_run_open(qdri_migration_run *run, qdri_migration *job, qdri_stock *stock);
void qdri_run_start(qdri_migration_run *run);
/* Until all ranks are through; or whether they are. A failure is not agreed on. */
qdr_status qdri_run_wait(qdri_migration_run *run);
qdr_status qdri_run_test(qdri_migration_run *run, int *over);
void qdri_run_close(qdri_migration_run *run);

/* For stocks: memory that outlives a deadline; something that cannot be; bytes that went or came. */
void *qdri_run_alloc(qdri_migration_run *run, int64_t bytes);
void qdri_run_fail(qdri_migration_run *run, qdr_status status);
void qdri_run_progress(qdri_migration_run *run, int64_t bytes);

/* Does all that can be done. */
void qdri_run_step(qdri_migration_run *run);

/* closing.c: sums over all ranks at the end. */
enum {
    QDRI_CLOSING_CAME,    /* items or objects that came home */
    QDRI_CLOSING_BYTES,   /* of them */
    QDRI_CLOSING_PARKED,  /* bytes that were parked on the way */
    QDRI_CLOSING_LEAVING, /* objects that were to leave */
    QDRI_CLOSING_ASTRAY,  /* objects that stay where they were parked */
    QDRI_CLOSING_LOST,
    QDRI_CLOSING_FAILURES, /* of callbacks */
    QDRI_CLOSING_SUMS
};
typedef struct qdri_closing_word {
    int64_t sum[QDRI_CLOSING_SUMS];
    char failure[400]; /* the first of the lowest rank that had any; empty: none */
} qdri_closing_word;
typedef struct qdri_closing {
    qdri_migration_run *run;
    qdri_flight_leg *leg;
    qdri_closing_word word, heard;
    int64_t bit; /* of the rank: where in the tree it is */
} qdri_closing;
qdr_status qdri_closing_open(qdri_migration_run *run);
/* This rank is through; the flight is over when it knows the sums. */
void qdri_closing_begin(qdri_migration_run *run);

/* outlet.c: the sending side. */
qdr_status qdri_outlets_open(qdri_migration_run *run);
void qdri_outlets_listen(qdri_migration_run *run);
void qdri_outlets_begin(qdri_migration_run *run);
void qdri_outlets_serve(qdri_migration_run *run);

typedef struct qdri_go {
    qdri_trip *trip;
    int64_t bytes;
    int place;
    struct qdri_go *next;
} qdri_go;

typedef struct qdri_gos {
    qdri_go *first, **last;
} qdri_gos;

struct qdri_migration_run {
    qdri_migration *job;
    qdri_stock *stock;
    qdri_flight *flight;
    int64_t phase; /* where this rank is; INT64_MAX: through */

    /* Incoming: the trips of this phase, where the search for the next one begins, and the places. */
    int64_t in_first, in_end, in_cursor;
    int64_t in_open; /* trips of this phase that are not closed */
    int64_t awaited; /* intakes with something under way */
    qdri_intake *intake;

    /* Outgoing. */
    int64_t out_first, out_end;
    int64_t out_open;
    int64_t out_trips_open; /* in all phases */
    int64_t busy;           /* outlets that are not free */
    qdri_outlet *outlet;
    qdri_go *go, *spare;
    qdri_gos ready, held;
    qdri_word *word; /* that was heard */
    qdri_flight_leg *listener;

    qdri_closing *closing;
    int64_t moved, total, told; /* bytes, for the program's function */
};

/* ---- the two stocks ------------------------------------------------------------------------------------ */

/* Items of an array. `going` of the job says how many go where. */
typedef struct qdri_array {
    qdri_stock stock;
    char *items;
    int64_t count, end;                 /* items, at first and in the end; where the room ends */
    struct qdri_array_segment *segment; /* what is neither at home nor on its way */
    int64_t segments, capacity;
} qdri_array;

/* Local. Sorts the items and lays out the tables for an itinerary. */
qdr_status qdri_array_open(qdri_array *array, qdri_migration *job, void *items, int64_t count,
                           int *destination);
void qdri_array_close(qdri_array *array);

/* Local. So many items may come beyond those that leave. */
void qdri_array_make_room(qdri_array *array, int64_t items);

/* Brings the items into the order of their destinations, those of `own` first; `start` has ranks + 1 entries
 * and says where each group begins, counted from `own`. `next` has `ranks`, to work with. */
void qdri_sort_items(char *items, int64_t item_bytes, int *destination, int own, int ranks,
                     const int64_t *start, int64_t *next);

#endif
