/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a bridge: shared by the files of this folder only.
 *
 *     bridge    one side of it in one process: a door, links, and what both need; polled by the wire
 *     door      the listening socket, and newcomers: connections that have not proven themselves yet
 *     call      a connection that this process makes, until it has proven itself
 *     link      a connection with one rank of the other program, and the messages on it
 */
#ifndef QDRI_TCP_INSIDE_H
#define QDRI_TCP_INSIDE_H

#include "base/decode.h"
#include "base/error.h"
#include "wire/tcp/address.h"
#include "wire/tcp/contact.h"
#include "wire/tcp/handshake.h"
#include "wire/tcp/tcp.h"
#include "wire/tcp/joined.h"

typedef struct qdri_bridge qdri_bridge;
typedef struct qdri_link qdri_link;
typedef struct qdri_link_message qdri_link_message;

/* What an event is about: the first member of whatever epoll knows. */
typedef enum qdri_watched {
    QDRI_WATCH_DOOR,
    QDRI_WATCH_NEWCOMER,
    QDRI_WATCH_CALL,
    QDRI_WATCH_LINK
} qdri_watched;
typedef struct qdri_watch {
    qdri_watched kind;
} qdri_watch;

/* ---- the door ------------------------------------------------------------------------------------------ */

enum { QDRI_NEWCOMERS = 64 };

typedef struct qdri_newcomer {
    qdri_watch watch;
    int file;      /* -1: none */
    int got;       /* bytes of its answer */
    double leaves; /* when its time is over: who has been there longest is first */
    qdri_handshake shake;
} qdri_newcomer;

typedef struct qdri_door {
    qdri_watch watch;
    int file;
    int newcomers;
    double opens; /* it rests until then; 0: it does not */
    int64_t refused;
    qdri_refusal last; /* why, for sentences */
    qdri_newcomer newcomer[QDRI_NEWCOMERS];
} qdri_door;

qdr_status qdri_door_open(qdri_bridge *bridge, const char *address, int loopback);
void qdri_door_close(qdri_bridge *bridge);
/* Somebody knocks. */
void qdri_door_answer(qdri_bridge *bridge);
void qdri_newcomer_hear(qdri_bridge *bridge, qdri_newcomer *newcomer);
/* The newcomer that has been there longest goes, because something else needs its descriptor; false: there is none. */
int qdri_door_make_way(qdri_bridge *bridge);
/* Whether the system said that there are no more descriptors, or no room for what is behind them. */
int qdri_lacks_descriptors(int code);
/* Those whose time is over go, and those who are too many; and who knocks is heard again. */
void qdri_door_look(qdri_bridge *bridge, double now);

/* ---- calls --------------------------------------------------------------------------------------------- */

typedef enum qdri_call_stage {
    QDRI_CALL_NONE,
    QDRI_CALL_CONNECTING,
    QDRI_CALL_HEARING, /* the hello */
    QDRI_CALL_WAITING, /* for the verdict */
    QDRI_CALL_THROUGH,
    QDRI_CALL_FAILED
} qdri_call_stage;

typedef struct qdri_bridge_call {
    qdri_watch watch;
    qdri_call_stage stage;
    int file;
    int got;
    int code;             /* of the system, why it failed; 0: the other closed it or was silent */
    qdri_refusal refusal; /* why it failed */
    double ends;          /* when its time is over */
    const unsigned char *secret;
    qdri_purpose purpose;
    int from, to;
    int only_knocks; /* a hello is all that is wanted */
    qdri_link *link; /* for which; NULL: the meeting's */
    qdri_handshake shake;
} qdri_bridge_call;

/* Begins; it may have failed at once. The caller has set secret, purpose, from, to and link. */
void qdri_call_begin(qdri_bridge *bridge, qdri_bridge_call *call, const qdri_address *address);
/* Something has come. */
void qdri_call_advance(qdri_bridge *bridge, qdri_bridge_call *call);
void qdri_call_look(qdri_bridge_call *call, double now);
/* Why it failed, as the end of a sentence. */
const char *qdri_call_reason(const qdri_bridge_call *call);
/* Whether it failed because this process can have no more connections: that is not the other's fault. */
int qdri_call_was_impossible(const qdri_bridge_call *call);
void qdri_call_close(qdri_bridge_call *call);

/* ---- links --------------------------------------------------------------------------------------------- */

typedef struct qdri_queue {
    qdri_link_message *first, **last;
} qdri_queue;

/* Messages that could come early may take so much memory, and so many may be announced besides. */
#define QDRI_WINDOW (INT64_C(1) << 26)
enum { QDRI_ANNOUNCEMENTS = 1 << 20 };

/* What travels: a frame is a head and so many bytes. */
typedef enum qdri_frame_kind {
    QDRI_FRAME_MESSAGE = 1, /* tag, length, bytes */
    QDRI_FRAME_ANNOUNCE,    /* tag, length, id: there is a message */
    QDRI_FRAME_GO,          /* id: send it */
    QDRI_FRAME_DATA,        /* tag, length, id, bytes */
    QDRI_FRAME_CREDIT,      /* length: so much more may come early */
    QDRI_FRAME_GOODBYE,
    QDRI_FRAME_TROUBLE, /* tag is a status, and bytes are its sentence */
    QDRI_FRAME_KINDS
} qdri_frame_kind;

enum { QDRI_HEAD = 24 };
enum { QDRI_LINK_SENTENCE = 1024 };
typedef struct qdri_link_frame {
    qdri_frame_kind kind;
    int64_t tag, length, id;
} qdri_link_frame;
void qdri_frame_write(const qdri_link_frame *frame, unsigned char head[QDRI_HEAD]);
/* What is outside the bounds of its kind is refused, with a sentence. */
qdr_status qdri_frame_read(qdri_teller sender, const unsigned char head[QDRI_HEAD], qdri_link_frame *frame);

/* What keeping a message costs, about. */
static inline int64_t qdri_frame_cost(int64_t bytes) {
    return bytes + 128;
}

/* A send, a receive, a message that came early, or a frame without a message. */
struct qdri_link_message {
    qdri_link_message *next;
    qdri_operation *operation; /* NULL: nobody's */
    qdr_status status;
    qdri_link_frame frame;
    char *data;
    int64_t room, at; /* of its bytes: how much there may be, and how much is done */
    int head_at;      /* of its head */
    int owns_data;    /* it came early */
    unsigned char head[QDRI_HEAD];
};

typedef enum qdri_link_stage {
    QDRI_LINK_ABSENT,
    QDRI_LINK_CALLING,
    QDRI_LINK_OPEN,
    QDRI_LINK_ENDED
} qdri_link_stage;

enum { QDRI_LINK_BUFFER = 1 << 15 };

typedef enum qdri_link_queue {
    QDRI_OUT,       /* to be written */
    QDRI_ANNOUNCED, /* sends, until the other has a place for them */
    QDRI_AWAITED,   /* receives without a message */
    QDRI_GRANTED,   /* receives whose message was told to come */
    QDRI_EARLY,     /* messages without a receive, in their order */
    QDRI_LINK_QUEUES
} qdri_link_queue;

struct qdri_link {
    qdri_watch watch;
    qdri_bridge *bridge;
    qdri_link *next; /* in the bridge's list */
    int rank;        /* of the other program */
    qdri_link_stage stage;
    int file;
    int wants_room; /* epoll tells when there is room to write */
    int said_goodbye, heard_goodbye;
    int attempts;      /* calls that failed */
    double next_call;  /* when to call again; 0: a call is under way */
    double next_check; /* when to ask how an open one is */
    int is_mute;       /* nothing can be written any more; what there is to read says why */
    qdri_bridge_call call;
    qdri_queue queue[QDRI_LINK_QUEUES];
    int64_t next_id;
    int64_t credit;     /* of what may be sent early */
    int64_t held, used; /* of what came early: how much is here, how much credit is to be given back */
    int announced_out, announced; /* to the other and by it, and not asked for */
    qdri_link_message *current;   /* what comes just now; NULL with left > 0: nobody wants it */
    int64_t left;                 /* of it */
    unsigned char *buffer;        /* what was read and not looked at */
    int begin, end;
};

/* A link with a rank of the other program that has none yet, without a connection; NULL: no memory. */
qdri_link *qdri_link_make(qdri_bridge *bridge, int rank);
/* The link with a rank, made if need be; NULL: no memory. Calls if that is this side's part, or if it `sends`. */
qdri_link *qdri_link_with(qdri_bridge *bridge, int rank, int sends);
/* Whether it is no stranger who calls, but a rank whose call meets one of this rank's, or comes too late. */
int qdri_link_crosses(const qdri_bridge *bridge, int rank);
/* Whether a call of this rank would be taken. */
int qdri_link_is_expected(qdri_bridge *bridge, int rank);
/* A connection that has proven itself; the link has none yet. */
void qdri_link_adopt(qdri_link *link, int file);
qdr_status qdri_link_send(qdri_link *link, qdri_operation *operation, int tag, const void *data,
                          int64_t bytes);
qdr_status qdri_link_receive(qdri_link *link, qdri_operation *operation, int tag, void *data, int64_t bytes);
/* The length of the first message with this tag that no receive waits for; -1: there is none. */
int64_t qdri_link_find(const qdri_link *link, int tag);
int qdri_link_cancel(qdri_link *link, qdri_operation *operation);
/* Queues a frame without bytes; urgent ones go before all that have not begun. */
void qdri_link_say(qdri_link *link, qdri_link_frame frame, int urgent);
/* As far as the socket takes and gives, and within limits. */
void qdri_link_write(qdri_link *link);
void qdri_link_read(qdri_link *link);
/* Looks at what is in the buffer. */
void qdri_link_parse(qdri_link *link);
/* So many bytes of what comes just now are where they belong. */
void qdri_link_came(qdri_link *link, int64_t bytes);
/* What only the clock tells. */
void qdri_link_look(qdri_link *link, double now);
/* Whether somebody waits for something on it. */
int qdri_link_is_busy(const qdri_link *link);
/* The other rank has ended as it said it would: what is still to be sent to it, which nobody waits for, is
 * over. */
void qdri_link_drop_sends(qdri_link *link);
/* What somebody waits for: "waited for a message of tag 7 from"; "": nothing. Adds to the counts. */
void qdri_link_describe(const qdri_link *link, char *text, size_t size, int64_t *sends, int64_t *receives);
/* At once, and if it cannot be, not at all. */
void qdri_link_say_trouble(qdri_link *link, qdr_status status, const char *sentence);
/* All that somebody waits for goes to the bridge's finished ones, with its failure. Nothing more is written;
 * the connection stays until the other side has closed it too, or the link is freed. */
void qdri_link_give_up(qdri_link *link, qdr_status status);
void qdri_link_free(qdri_link *link);

void qdri_queue_clear(qdri_queue *queue);
void qdri_queue_add(qdri_queue *queue, qdri_link_message *message);
/* Takes out what *place points to. */
qdri_link_message *qdri_queue_take(qdri_queue *queue, qdri_link_message **place);

/* ---- bridges ------------------------------------------------------------------------------------------- */

typedef struct qdri_meeting_point qdri_meeting_point;

struct qdri_bridge {
    qdri_poller poller;
    qdri_wire *wire; /* NULL: not yet */
    int side, own_rank, ranks[2];
    char name[2][QDRI_NAME]; /* of the first and of the second program */
    int epoll;
    qdri_door door;
    qdri_endpoint own;
    qdri_endpoint *far; /* [ranks of the other] */
    int knows_session;
    unsigned char session[QDRI_SECRET];
    qdri_meeting_point *meeting; /* under way; NULL: none */

    qdri_link **link; /* [ranks of the other]; NULL: none yet */
    qdri_link *links; /* all there are */
    int linked;       /* of those, how many were open once */
    int goodbyes;     /* of those, how many said it */
    int left;         /* this side said goodbye */
    qdri_queue finished, spare;
    int64_t messages; /* in being, spare ones included */
    double next_look;
    qdr_status failed;
    int given_up; /* the failure was told to all that waited */
    char sentence[QDRI_LINK_SENTENCE];
};

/* Lets everything that has come come in; waits for up to so many milliseconds if there is nothing. */
void qdri_bridge_poll(qdri_bridge *bridge, int milliseconds);
/* The bridge has failed, with this thread's error message. The first failure counts. */
void qdri_bridge_fail(qdri_bridge *bridge, qdr_status status);
/* The end of a link without a goodbye, or with one but too early. `how` is the end of a sentence. */
void qdri_bridge_lose(qdri_bridge *bridge, int rank, const char *how);
/* Somebody has proven himself at the door: whether he may come in. */
qdri_refusal qdri_bridge_expects(qdri_bridge *bridge, qdri_purpose purpose, int from);
/* Comes in, and knows it. */
void qdri_bridge_admit(qdri_bridge *bridge, qdri_newcomer *newcomer, qdri_purpose purpose, int from);
/* The secret for this purpose; NULL: none, or none yet. */
const unsigned char *qdri_bridge_secret(const qdri_bridge *bridge, qdri_purpose purpose);
int qdri_bridge_watch(qdri_bridge *bridge, int file, qdri_watch *watch, unsigned events);
void qdri_bridge_unwatch(qdri_bridge *bridge, int file);
/* What is watched already, or not any more; if it cannot be, the bridge fails. */
void qdri_bridge_rewatch(qdri_bridge *bridge, int file, qdri_watch *watch, unsigned events);
/* NULL: no memory. */
qdri_link_message *qdri_link_message_make(qdri_bridge *bridge);
void qdri_link_message_free(qdri_bridge *bridge, qdri_link_message *message);

qdr_status qdri_bridge_make(qdri_bridge **bridge);
void qdri_bridge_free(qdri_bridge *bridge);

/* After a failure: tells everybody, and ends all that is under way. */
void qdri_bridge_give_up(qdri_bridge *bridge);
/* After that: lets go of the connections that the other side has closed too. */
void qdri_bridge_drain(qdri_bridge *bridge);
/* Says goodbye. */
void qdri_bridge_say_goodbye(qdri_bridge *bridge);
/* Before the connections are closed: what was said on them arrives, if it can. */
void qdri_bridge_part(qdri_bridge *bridge);
/* Nothing is to be done: sleeps for a moment, or until something comes. */
void qdri_bridge_rest(const qdri_bridge *bridge);

extern const qdri_far qdri_bridge_functions;

/* Whether this rank has a link with that one of the other program from the beginning. */
int qdri_bridge_plans(const qdri_bridge *bridge, int rank);

static inline int qdri_bridge_far_ranks(const qdri_bridge *bridge) {
    return bridge->ranks[1 - bridge->side];
}
static inline const char *qdri_bridge_far_name(const qdri_bridge *bridge) {
    return bridge->name[1 - bridge->side];
}

/* ---- the meeting --------------------------------------------------------------------------------------- */

/* What the roots find out for all. */
typedef struct qdri_acquaintance {
    int64_t ranks, tag_spans; /* of the other program; that both have */
    unsigned char session[QDRI_SECRET];
    double latency;
    char how[400];
} qdri_acquaintance;

struct qdri_meeting_point {
    unsigned char token[QDRI_SECRET]; /* of this program */
    int file;                         /* who came; -1: nobody */
    qdri_handshake shake;
    qdri_refusal odd; /* who came cannot be coupled with */
};

/* The two roots meet, until the deadline (0: none). `endpoints` are of this program's ranks; those of the
 * other are allocated. *file is the connection between the roots, over which they talk (acquaint.h) until
 * it becomes their link. */
qdr_status qdri_bridge_meet(qdri_bridge *bridge, const qdri_bridge_request *request, int own_ranks,
                            const unsigned char *endpoints, qdri_acquaintance *known,
                            unsigned char **far_endpoints, int *file);

#endif
