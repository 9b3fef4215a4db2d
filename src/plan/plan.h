/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside a plan and an exchange: shared by the files of this folder only. */
#ifndef QDRI_PLAN_H
#define QDRI_PLAN_H

#include "base/error.h"
#include "base/spec.h"
#include "choose/rule.h"
#include "plan/answers.h"
#include "plan/cargo.h"
#include "plan/executors/table.h"
#include "plan/held.h"
#include "plan/note.h"
#include "plan/port.h"
#include "plan/program.h"
#include "plan/trust.h"
#include "plan/referee.h"
#include "quadrille/plan.h"
#include "wire/news.h"
#include "wire/pending.h"
#include "wire/wire.h"

/* How many of each are under way at once. */
typedef struct qdri_room {
    int64_t sends, receives, notes;
} qdri_room;

typedef struct qdri_chunk qdri_chunk;
typedef struct qdri_candidate qdri_candidate;

/* A way to run a program. */
typedef struct qdri_executor {
    const char *pacing;  /* its name */
    const char *summary; /* when the next chunk goes */
    int runs_by_itself;  /* only algorithms that name its pacing, and without a schedule */
    int has_barrier;     /* phases can be apart: the option barrier */
    int whole;           /* messages are not cut into chunks, and no window holds them back */
    /* Of the window asked for, where nobody asked for more exactly; 0 is all of it. */
    double chunk_share, window_share;
    /* Of its own: of an exchange's state, and of each hop and lane, at both ends; those are 0 when an exchange begins. */
    size_t state_bytes, flow_bytes, lane_bytes;
    qdr_status (*open)(qdri_exchange *slot); /* what the state needs beyond that, once; may be NULL */
    void (*close)(qdri_exchange *slot);      /* may be NULL */
    /* Once all ranks have opened theirs, where messages go by memory: what a slot has to tell each member of the node; and, a
     * round of the board later, what each has told. Both may be NULL. */
    void (*offer)(qdri_exchange *slot, int64_t *word_for);
    void (*connect)(qdri_exchange *slot, const int64_t *word_from);
    /* The options of an algorithm that it alone runs; may be NULL. */
    void (*read)(qdri_candidate *candidate, const qdri_spec *spec);
    /* Upper bounds on what is under way at once, given the bytes of the hops. */
    qdri_room (*room)(const qdri_exchange *exchange);
    /* The exchange begins; from then on it advances by callbacks. */
    void (*start)(qdri_exchange *exchange);
    /* A stage begins. */
    void (*stage)(qdri_exchange *exchange);
    /* The first stage has begun; may be NULL. */
    void (*begun)(qdri_exchange *exchange);
    void (*sent)(qdri_exchange *exchange, int64_t hop); /* a chunk of it has left; may be NULL */
    void (*arrived)(qdri_exchange *exchange,
                    const qdri_chunk *chunk); /* a chunk of a hop has come; may be NULL */
    /* A control message has come; NULL where it never listens for one. */
    void (*control)(qdri_exchange *exchange, int from, const qdri_note *note);
    void (*leave)(qdri_exchange *exchange); /* it is given up in the middle; may be NULL */
    /* With whom it exchanges messages, marked by rank, where these are not the partners; NULL: they are. */
    void (*meets)(const qdri_exchange *slot, char *is_met);
    /* The rank that it waits for, beyond data, in which phase, and for what; -1: none. May be NULL. */
    int (*awaits)(const qdri_exchange *exchange, int64_t *phase, const char **what);
} qdri_executor;

#define QDRI_DECLARE_EXECUTOR(name) extern const qdri_executor qdri_executor_##name;
QDRI_EXECUTORS(QDRI_DECLARE_EXECUTOR)

/* ---- chunks -------------------------------------------------------------------------------------------- */

/* One message under way. Taken from the exchange's pool, given back when it is done. */
struct qdri_chunk {
    qdri_operation operation; /* first: callbacks convert */
    qdri_exchange *exchange;
    qdri_chunk *next; /* in the pool */
    int64_t hop, offset, bytes;
    int carried;           /* its bytes are behind a mark (mark.h) */
    double granted;        /* when it was; 0: it was not */
    qdri_packed_note note; /* of a control message */
};

typedef struct qdri_pool {
    qdri_chunk *chunk;
    int64_t capacity;
    qdri_chunk *unused;
} qdri_pool;

/* A control message that came before the exchange it belongs to was started. */
typedef struct qdri_early {
    int from;
    qdri_note note;
} qdri_early;

/* ---- an exchange --------------------------------------------------------------------------------------- */

/* A hop while it runs. */
typedef struct qdri_flow {
    int64_t bytes; /* in all */
    int64_t begun; /* sent, or with a receive waiting */
    int64_t ended; /* left, or arrived */
} qdri_flow;

/* A lane while it runs; both counts are over the whole stream. */
typedef struct qdri_lane_flow {
    int64_t bytes;
    int64_t granted;
    int64_t begun, ended;
    int64_t cursor; /* the hop that is next, counted from the lane's first */
    int64_t before; /* streams of the plan that went this way before (mark.h) */
    int is_marked;  /* the stream has a mark, if it has no small first chunk that carries one */
    int tag;        /* of its data, from its first chunk on */
    double last;    /* when something was last heard of it */
} qdri_lane_flow;

/* How the stream of a lane goes, as its receiver said, in the notes of an exchange for the slot's next: both ends know
 * them without a word when that begins. */
typedef struct qdri_terms {
    int64_t unasked; /* bytes that go without being asked for */
    int64_t chunk;   /* bytes of a chunk, where the executor lets the receiver choose */
    int64_t open;    /* bytes of a transfer that may go uninvited, in so many exchanges (trust.h) */
    int64_t times;
    qdri_answers answers; /* which the receiver alone knows */
} qdri_terms;

typedef struct qdri_half {
    qdri_flow *flow;           /* [hops] */
    qdri_lane_flow *lane;      /* [lanes] */
    void *flow_own, *lane_own; /* [hops], [lanes]: the executor's */
    qdri_terms *terms;         /* [lanes]: as the slot's last exchange left them */
    int64_t bytes, ended;      /* over all hops */
    int64_t stage_left;        /* of this stage: hops that have not ended; for what is sent, not begun */
    qdri_pool pool;
    char *first;       /* [lanes]: messages with marks (mark.h) */
    qdri_chunk *alone; /* [lanes]: marks that go by themselves */
} qdri_half;

/* A range of the caller's memory, while it is checked. */
typedef struct qdri_memory_range {
    uintptr_t begin, end;
    int partner, is_written;
} qdri_memory_range;

/* Memory for packing, which grows as it is needed. */
typedef struct qdri_spare {
    char *memory;
    int64_t bytes;
} qdri_spare;

/* What came in one exchange of a cargo. */
typedef struct qdri_keep {
    qdri_spare *spare; /* [receives of the view] */
    const char **data; /* [receives of the view]: where each message lies */
} qdri_keep;

typedef struct qdri_near qdri_near;
typedef struct qdri_near_flow qdri_near_flow;

extern const qdri_pending_kind qdri_pending_exchange;

struct qdri_exchange {
    qdr_pending pending; /* first: handles convert */
    qdr_plan *plan;
    qdri_candidate *candidate;     /* which runs it, */
    const qdri_program *program;   /* its program, */
    const qdri_executor *executor; /* and its executor */
    qdri_wire *wire;
    int under_way;
    int is_waited_for; /* from its start on */
    int parts;         /* that have not ended: its start, the network, the node */
    int finished;
    int stalled;    /* a deadline has passed once */
    unsigned tests; /* that found it under way */
    qdr_status failed;
    char *sentence;     /* of the failure; room for one is made with the plan */
    int64_t number;     /* of this plan's exchanges */
    int turn;           /* 0 or 1: of this slot's */
    int trial, contest; /* its place in a contest of candidates, -1: in none; and in which */
    int mark_tag, bulk_tag, control_tag, near_tag;
    int64_t item_bytes, chunk, window, self_bytes;
    int stage;
    qdri_half out, in;
    const char **outgoing; /* [sends of the view] */
    char **incoming;
    const int64_t *outgoing_items, *incoming_items; /* NULL: the plan's */
    const qdri_cargo *cargo;                        /* NULL: bytes that lie ready */
    qdri_spare *spare_out;                          /* [sends of the view] */
    const char **landed; /* [receives of the view]: what came and waits for its turn */
    int unpacked;        /* in order */
    qdri_near_flow *near_out, *near_in;
    int near_left;
    int near_cuts;               /* messages that go in pieces */
    int64_t near_whole;          /* bytes: larger ones do */
    int64_t near_moves;          /* messages that ended there, and pieces */
    struct qdri_race *near_race; /* which is measured; NULL: it is not */
    double near_begun;
    qdri_poller near_poller;
    qdri_memory_range *span; /* [sends + receives] */
    char *staging, *bounce;
    int64_t staging_bytes, bounce_bytes;
    int64_t operations;             /* that are reserved on the wire */
    int is_at_once;                 /* it goes that way (at_once.h), */
    qdri_operation all_out, all_in; /* as two operations */
    int64_t active;                 /* operations under way: it ends with the last */
    int network_ended;              /* that part has */
    int held;                       /* the executor has something to do beyond data */
    int starved;                    /* a lane may send, and there was no chunk to do it with */
    double last;                    /* when it last heard anything; 0: not yet */
    double moved;                   /* when data last left or came; 0: not yet */
    double waited;                  /* when somebody first waited for it for a while; 0: nobody did */
    /* Control messages that come, whoever they are from. */
    qdri_chunk listening;
    int listens;
    qdri_early *early; /* control messages of later exchanges of this slot */
    int64_t early_count, early_capacity;
    qdri_pool notes; /* control messages that go */
    void *state;     /* the executor's */
};

/* The bytes of a message: of this exchange's sizes if it has its own, else of the plan's. */
static inline int64_t qdri_message_bytes(const qdri_exchange *exchange, const int64_t *other,
                                         const int64_t *planned, int place) {
    return (other ? other[place] : planned[place]) * exchange->item_bytes;
}

/* More or less came from a partner than was expected. */
qdr_status qdri_fail_bytes(int partner, int64_t came, int64_t expected);

/* Moving chunks; failures end up in the exchange. */
void qdri_chunk_send(qdri_exchange *exchange, int64_t hop, int64_t bytes);    /* the next bytes of the hop */
void qdri_chunk_receive(qdri_exchange *exchange, int64_t hop, int64_t bytes); /* the same, at the other end */
void qdri_chunk_receive_granted(qdri_exchange *exchange, int64_t hop, int64_t bytes, double granted);
int qdri_chunk_possible(const qdri_half *half); /* the pool has one left */

/* Messages of an executor that makes its own, with any rank and from memory that it keeps until they have gone: `offset` is where a part
 * begins, of what it numbers itself. What comes is told to `arrived`, as a chunk whose hop is that number; it may be shorter than there
 * is room for. Messages between two ranks with one tag come in their order. There are so many tags, from that of marks on. */
enum { QDRI_OWN_TAGS = 3 };
typedef struct qdri_own_message {
    int partner, tag;
    int64_t number, offset;
} qdri_own_message;
void qdri_own_send(qdri_exchange *exchange, const qdri_own_message *message, const char *data, int64_t bytes);
void qdri_own_receive(qdri_exchange *exchange, const qdri_own_message *message, char *data, int64_t bytes);

void qdri_control_send(qdri_exchange *exchange, int to, const qdri_note *note);
/* One more control message is expected to come. */
void qdri_control_listen(qdri_exchange *exchange);

/* The lane's hop that is next, of the stages that have begun; -1: none. */
int64_t qdri_lane_next(const qdri_exchange *exchange, const qdri_half *half, const qdri_side *side, int lane);
/* Sends what a lane was granted, in chunks, or all of it as one message. */
void qdri_lane_send(qdri_exchange *exchange, int lane, int as_one);
/* The same when a chunk of a hop has left: its lane, and all others if one of them had found no chunk. */
void qdri_lanes_send(qdri_exchange *exchange, int64_t hop, int as_one);
/* The bytes of the flow's next chunk. */
int64_t qdri_next_chunk(const qdri_exchange *exchange, const qdri_flow *flow);

/* One of its operations has ended; false: with it, or before, the exchange has failed. */
int qdri_exchange_goes_on(qdri_exchange *exchange, qdr_status status);
/* With this thread's error message; all ranks hear of it. */
void qdri_exchange_fail(qdri_exchange *exchange, qdr_status status);
/* Begins the first stage of an exchange whose flows are set. */
void qdri_exchange_begin(qdri_exchange *exchange);
/* Ends the exchange if nothing is left, begins stages as they come. */
void qdri_exchange_check(qdri_exchange *exchange);
void qdri_trace(qdri_exchange *exchange, int kind, int partner, int64_t phase, int64_t offset, int64_t bytes);

/* A part of the exchange has ended: with the last, it has. */
void qdri_exchange_part_ended(qdri_exchange *exchange);

/* The bytes of a hop that begin at `offset`, in place or gathered; and where to receive them. */
const char *qdri_bytes_out(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes);
char *qdri_bytes_in(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes);
/* Copies what this rank keeps of what it sends itself. */
void qdri_bytes_to_itself(qdri_exchange *exchange, int64_t bytes);
/* Brings what was received elsewhere to its place. */
void qdri_bytes_arrived(qdri_exchange *exchange, const qdri_hop *hop, int64_t offset, int64_t bytes);

/* ---- a plan -------------------------------------------------------------------------------------------- */

/* The streams of a lane in the exchanges so far. */
typedef struct qdri_streams {
    int64_t count;
    int64_t block; /* of exchanges: those before it have had their mark */
} qdri_streams;

/* One way to run the exchanges of a plan: an algorithm, its pacing, and memory for the exchanges that it runs. A plan whose
 * algorithm was asked for has one of them. */
struct qdri_candidate {
    char spec[256];         /* of the algorithm, as it was asked for */
    const char *algorithm;  /* its name in the table */
    qdr_schedule *schedule; /* NULL: none */
    qdr_schedule *rows; /* of this rank's row and column: rehearsed, or made once somebody has asked for it */
    qdri_program program;
    const qdri_executor *executor;
    int any_size;       /* sizes may differ at every call */
    int ordered;        /* grants follow the schedule; else (`paced`) they find their own order */
    unsigned promises;  /* of each phase */
    int64_t last_phase; /* agreed, for barriers */
    int64_t chunk, window;
    int chunk_is_told;  /* receivers choose chunks, of at least that */
    qdri_port *port;    /* whose window counts; NULL: the candidate's does */
    qdri_trust trust;   /* of an executor that invites */
    int64_t unasked;    /* bytes that may come to a rank unasked, in the first exchange of a slot; agreed */
    int64_t sources;    /* most that any rank receives from, or may, where others pass on; agreed */
    int first_slot_tag; /* of its first slot */
    int first_bulk_tag, bulk_tags;    /* of large streams */
    qdri_exchange *slot;              /* [in_flight of the plan] */
    qdri_streams *past_out, *past_in; /* [lanes] */
    int is_far;                       /* some of this rank's messages go by the network */
    /* options of `distributed` */
    int64_t seed;
    int tells_how_busy, goes_ahead;
    int64_t radix;  /* of `bruck`, and of `levels` between nodes; 0: all at once */
    int64_t inside; /* of `levels` inside nodes; 0: nodes make no difference, or all at once */
};

/* The tags of a plan are enough for so many. */
enum { QDRI_MOST_CANDIDATES = 4 };

struct qdr_plan {
    qdri_wire *wire;
    qdr_partners *partners;
    qdri_candidate candidate[QDRI_MOST_CANDIDATES];
    int candidates;
    qdri_care care;         /* which of them need it */
    int chosen;             /* the one that runs the exchange that was started last, or is about to be */
    qdri_referee *referee;  /* NULL: with one candidate */
    qdri_listener listener; /* of news about it */
    qdr_status failed;      /* an exchange of it did, here or on another rank: */
    int64_t failed_in;      /* this one */
    char failure[QDRI_NEWS_TEXT];
    int is_by_rule;     /* nobody asked for an algorithm */
    int is_foreseen;    /* the order of candidates was predicted */
    int64_t hosts;      /* a digest of their names; agreed */
    uint64_t signature; /* of ranks and sizes; agreed */
    int barrier;
    qdri_port *port; /* of this rank */
    int64_t unasked; /* bytes that may come to a rank unasked, where its port says so; agreed */
    int64_t sources; /* most that any rank receives from, at least 1; agreed */
    int has_far;     /* some rank has a partner on another node; agreed */
    int64_t sharing; /* most ranks that share a node, and with it a port of the network; agreed */
    double deadline; /* as asked for */
    qdr_trace_function *trace;
    void *trace_context;
    int first_tag;
    int in_flight;
    int64_t started, done, ended; /* `ended` is the exchange that did so last; -1: none */
    qdri_near *near;
    qdri_keep *keep; /* [in_flight + 1]; NULL: it never had a cargo */
    int64_t items_out, items_in;
    int64_t number;    /* on its wire, for reports */
    qdri_traits facts; /* which the rule looked at, if nobody asked for an algorithm */
    char why[256];     /* for whoever asks */
    double build_seconds;
};

/* Local. How it was chosen what it runs, in one sentence that is the plan's until somebody asks again. */
const char *qdri_plan_why(const qdr_plan *plan);

/* Hears of its failures on other ranks, from when its number is agreed on. */
void qdri_plan_listen(qdr_plan *plan);

/* The memory of its exchanges, of all candidates. */
qdr_status qdri_slots_open(qdr_plan *plan);
/* Collective, once all ranks have done so: executors that need it hear from the others of the node. */
qdr_status qdri_slots_connect(qdr_plan *plan, double deadline);
/* How much may come unasked the first time, where a port finds its window; the same on all ranks, since both ends follow it. */
void qdri_slots_expect(qdr_plan *plan, int64_t unasked);
/* Transfers come uninvited in the first exchanges, as they may on a network with such a latency; likewise. */
void qdri_slots_trust(qdr_plan *plan, double latency);
/* Local. Where MPI goes on with something of an exchange, its memory stays. */
void qdri_slots_close(qdr_plan *plan);
/* The slot of any candidate that is under way, of those from `*next` on, which is counted on; NULL: none is. */
qdri_exchange *qdri_slots_busy(const qdr_plan *plan, int *next);

/* A report about an exchange that does not get on; fails with QDR_ERR_STALLED and its sentence. */
qdr_status qdri_stall(qdri_exchange *exchange);
/* What this rank tells the others of its node: what it waits for, or that it waits for nothing. */
void qdri_stall_note(qdri_exchange *exchange);
void qdri_stall_rest(qdri_exchange *exchange);

#endif
