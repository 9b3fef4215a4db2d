/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The drop-in: a library to preload, which runs the irregular exchanges of a program that was never changed.
 *
 * A call of MPI_Alltoall, MPI_Alltoallv or MPI_Alltoallw, or of their kin among neighbors, blocking, nonblocking or
 * persistent, becomes a qdri_call (alltoall.c and init.c for C, fortran.c for Fortran), and everything else is the same
 * for all of them:
 *
 *     intercept.c     can it be served, by which way, how long did it take
 *     environment.c   what its variables ask for
 *     communicator.c  what is kept with a communicator; what its ranks agree on when they meet first
 *     path.c          a plan for such calls, and one exchange of it
 *     lanes.c         what a call says: sizes and places
 *     pack.c          derived types
 *     trial.c         the plan's way or MPI's: measured, now and then
 *     errand.c        an exchange that nobody waits for here: of a nonblocking call
 *     persistent.c    the same errand again and again
 *     driver.c        who advances errands
 *     before.c        calls that are left to MPI, before which something is done
 *     record.c        QDR_RECORD: what the program does, for `quadrille advise`
 *     guard.c         a program of another MPI than the library's
 *
 * The one rule: ranks may only decide from what is equal on all of them. The arguments of such a call are
 * not, except the bytes of MPI_Alltoall; the function that was called is, and so are the number of calls on a
 * communicator and what was agreed. From where in the program a call comes is not: ranks may make one call from
 * different lines. What has ended on one rank may not have on another. Whoever is in doubt calls MPI, unchanged.
 *
 * The other rule: a call may wait for other ranks only where MPI's may. So what ranks must do together is done in
 * blocking collective calls, and a nonblocking call finds it done, or is MPI's.
 *
 * MPI is called by its profiling names, so the library never meets itself; the plain call goes
 * to the next library that intercepts it, so other tools still see it.
 */
#ifndef QDRI_PRELOAD_H
#define QDRI_PRELOAD_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

#include "quadrille-mpi.h"

/* ---- a call -------------------------------------------------------------------------------------------- */

/* One side of a call, as the program gave it. */
typedef struct qdri_given {
    uintptr_t base;
    const int *count; /* NULL: all messages have `same` elements, one behind the other */
    int same;
    const int *displacement;       /* in extents of the type, or in bytes where each message has its type */
    const MPI_Aint *address;       /* in bytes, instead */
    MPI_Datatype type;             /* of all messages */
    const MPI_Datatype *each_type; /* of each, instead */
} qdri_given;

/* What a call says of its messages: one count and type for all, a count for each, or a type for each too. */
typedef enum qdri_form { QDRI_SAME, QDRI_V, QDRI_W, QDRI_FORMS } qdri_form;

typedef struct qdri_call qdri_call;
struct qdri_call {
    const char *name;
    qdri_form form;
    int to_neighbors;
    MPI_Comm comm;
    int starts;   /* nonblocking */
    int prepares; /* persistent */
    MPI_Request *request;
    MPI_Info info;
    qdri_given out, in;
    int in_place;
    const void *caller, *frame;          /* where it came from: return address, and how deep the stack was */
    int (*plain)(const qdri_call *call); /* the same by MPI */
    void *arguments;                     /* for it, where this structure will not do */
};

/* What programs call. */
#define QDRI_EXPORTED __attribute__((visibility("default")))

/* For the record, of an entry point: whose call it is. */
#define QDRI_FROM_HERE .caller = __builtin_return_address(0), .frame = __builtin_frame_address(0)

/* MPI's name of such a call. */
const char *qdri_call_name(int starts, int to_neighbors, qdri_form form);
/* Runs a call; returns what MPI would. */
int qdri_intercept(const qdri_call *call);

/* ---- derived types ------------------------------------------------------------------------------------- */

/* Whether elements lie one after the other, without gaps and in order. */
int qdri_type_is_dense(MPI_Datatype type);
int64_t qdri_type_bytes(MPI_Datatype type);
/* Between where the elements lie and `bytes` bytes in a row. */
qdr_status qdri_pack(const void *from, int64_t count, MPI_Datatype type, char *to, MPI_Comm comm);
qdr_status qdri_unpack(const char *from, void *to, int64_t count, MPI_Datatype type, MPI_Comm comm);

/* ---- the two ways, tried ------------------------------------------------------------------------------- */

/* Of a call, on this rank. */
typedef struct qdri_call_sizes {
    uint64_t digest;
    int64_t busiest; /* bytes that it sends or receives */
} qdri_call_sizes;

typedef struct qdri_trial {
    int plain;               /* the way in use */
    int64_t calls;           /* so far */
    int64_t next;            /* the call in which the other way is tried; 0: none ever */
    double begin[3], end[3]; /* of the call before it, of it, and of the one after it */
    qdri_call_sizes sizes[3];
} qdri_trial;

void qdri_trial_begin(qdri_trial *trial);
/* Whether the call that comes now is plain. */
int qdri_trial_way(const qdri_trial *trial);
/* It is over, by clocks that agree; true when its ranks have changed their way. Collective after a trial. */
int qdri_trial_end(qdri_trial *trial, MPI_Comm comm, double begin, double end, const qdri_call_sizes *sizes);

/* ---- what a call says ---------------------------------------------------------------------------------- */

/* One side of a path: who, and room for what a call says about it. */
typedef struct qdri_lanes {
    int count;
    int *rank;       /* [count] */
    int *index;      /* [count]: its place in the arguments */
    int64_t *bytes;  /* [count] */
    char **pointer;  /* [count]: where it is, or will be, in a row */
    char *is_packed; /* [count]: that is not where the program has it */
    char *packed;
    int64_t packed_bytes;
} qdri_lanes;

int qdri_lanes_open(qdri_lanes *lanes, int count);
/* The same partners. */
int qdri_lanes_like(qdri_lanes *made, const qdri_lanes *lanes);
void qdri_lanes_close(qdri_lanes *lanes);
/* Reads the sizes and places of a call; false when an argument is not as MPI wants it. `in` NULL: what goes out. */
int qdri_lanes_read(qdri_lanes *out, qdri_lanes *in, const qdri_call *call);
/* For a plan whose messages have one item each, if `are_alike`. */
qdr_buffers qdri_lanes_buffers(const qdri_lanes *out, const qdri_lanes *in, int are_alike);
qdr_status qdri_lanes_pack(const qdri_lanes *lanes, const qdri_call *call);
qdr_status qdri_lanes_unpack(const qdri_lanes *lanes, const qdri_call *call);
/* Bytes of a message where all have as many. */
int64_t qdri_same_bytes(const qdri_call *call);

/* Where messages are packed from, or unpacked to, when the call has returned; the types are our own. */
typedef struct qdri_landing {
    char *from; /* in a row */
    char *to;
    int count;
    MPI_Datatype type;
    int owns_type;
} qdri_landing;
typedef struct qdri_landings {
    int count;
    qdri_landing *landing;
} qdri_landings;
/* False without memory. */
int qdri_landings_open(qdri_landings *landings, const qdri_lanes *in, const qdri_given *given);
qdr_status qdri_landings_pack(const qdri_landings *landings, MPI_Comm comm);
qdr_status qdri_landings_unpack(const qdri_landings *landings, MPI_Comm comm);
void qdri_landings_close(qdri_landings *landings);

/* ---- plans --------------------------------------------------------------------------------------------- */

/* A way for the calls of one kind on one communicator. */
typedef struct qdri_path {
    int is_open, has_lanes, is_planned;
    int is_alike;   /* all messages of a call have as many bytes, on all ranks: those of MPI_Alltoall */
    qdr_plan *plan; /* NULL: MPI serves */
    qdri_lanes out, in;
    qdri_trial *trial; /* [QDRI_CHOICES] */
    char why[200];     /* there is no plan */
    const char *wish;  /* the nonblocking call that a plan is wanted for; NULL: none */
    int wish_is_tiny;
    int64_t errands_asked, errands_started; /* of nonblocking calls, so far */
} qdri_path;

/* Bytes of a message of MPI_Alltoall: below that nothing but its steps counts, of which MPI's way has fewer than
 * there are ranks. */
enum { QDRI_TINY = 512 };

/* Nonblocking exchanges of a path that are under way at once; those beyond wait for their turn. */
enum { QDRI_IN_FLIGHT = 2 };

/* Each form has a choice of its own between the two ways, and MPI_Alltoall one for every power of two of the
 * bytes of a message. */
enum { QDRI_SIZES = 48, QDRI_CHOICES = QDRI_SIZES + 2 };

/* The kinds of calls on a communicator that have a plan each. */
enum { QDRI_TO_ALL_ALIKE, QDRI_TO_ALL, QDRI_TO_NEIGHBORS, QDRI_KINDS };
static inline int qdri_kind_of(const qdri_call *call) {
    return call->to_neighbors ? QDRI_TO_NEIGHBORS : call->form == QDRI_SAME ? QDRI_TO_ALL_ALIKE : QDRI_TO_ALL;
}

/* Local. Finds the partners; false when there is too little memory. */
int qdri_path_open(qdri_path *path, MPI_Comm comm, int kind);
/* Collective. Makes the plan, or says why not. */
void qdri_path_plan(qdri_path *path, MPI_Comm comm, const char *algorithm);
void qdri_path_close(qdri_path *path);
/* Local. How many edges go out of this rank, and come in. */
void qdri_neighbor_edges(MPI_Comm comm, int *out, int *in);
/* Reads the sizes of a call into the lanes; false when an argument is not as MPI wants it. */
int qdri_path_read(qdri_path *path, const qdri_call *call);
qdri_call_sizes qdri_path_sizes(const qdri_path *path);
/* The choice that this call goes by: the same on all ranks. */
qdri_trial *qdri_path_trial(const qdri_path *path, const qdri_call *call);
qdr_status qdri_path_run(qdri_path *path, const qdri_call *call);

/* ---- communicators ------------------------------------------------------------------------------------- */

/* What rank 0 of a communicator tells the others at their first call. */
typedef struct qdri_terms {
    int64_t id; /* no other communicator has it */
    int plain;  /* QDR_PRELOAD=plain, or something was refused */
    int refused;
    int explains;
    int64_t patience;   /* calls that MPI serves before a plan is made */
    char algorithm[64]; /* QDR_PRELOAD; empty: by rule */
} qdri_terms;

typedef struct qdri_communicator qdri_communicator;
struct qdri_communicator {
    MPI_Comm comm;
    int rank, ranks;
    int has_met; /* what follows is agreed */
    int one_node;
    int can_start; /* nonblocking calls can be served */
    qdri_terms terms;
    int64_t calls;
    int64_t errands; /* under way */
    qdri_path path[QDRI_KINDS];
    double zero; /* of the wall clock, when its ranks met first: what clocks differ by is in it */
    int is_recorded;
    qdri_communicator *next, **link; /* in the list of all */
};

/* Local. What is kept with it, from the first time on that it is seen; NULL: leave it to MPI. */
qdri_communicator *qdri_communicator_of(MPI_Comm comm);
/* The same, but NULL if it was never seen. */
qdri_communicator *qdri_communicator_seen(MPI_Comm comm);
/* Collective at the first time, local afterwards; false: leave it to MPI. */
int qdri_communicator_meet(qdri_communicator *communicator);

/* ---- nonblocking calls --------------------------------------------------------------------------------- */

/* An exchange that nobody waits for here; whoever owns it embeds it. */
typedef struct qdri_errand qdri_errand;
struct qdri_errand {
    qdri_communicator *communicator;
    qdri_path *path;
    MPI_Comm comm; /* for unpacking */
    const char *name;
    qdri_lanes out, in;
    qdri_landings landings;
    MPI_Request request;
    int code;                              /* of MPI, when it has ended */
    void (*complete)(qdri_errand *errand); /* it has ended, and is not touched afterwards */
    /* private */
    int64_t number; /* among those of its path */
    qdr_pending *pending;
    int is_started;
    qdri_errand *next, **link;
};

/* Puts it behind those of its path that were started before. */
void qdri_errand_start(qdri_errand *errand);
/* Serves a nonblocking call; returns what MPI would. */
int qdri_errand_run(qdri_communicator *communicator, qdri_path *path, const qdri_call *call);
/* How many are under way in the process. */
int qdri_errands_active(void);
void qdri_errands_advance(void);
/* Waits until none of this communicator is. */
void qdri_errands_finish(const qdri_communicator *communicator);

/* Local. Whether somebody can advance errands while the program is elsewhere in MPI. */
int qdri_driver_is_there(void);
int qdri_driver_has_threads(void);
/* There is something to advance; at the end, there will not be. */
void qdri_driver_wake(void);
void qdri_driver_stop(void);
/* Around every call of the library that may call MPI. */
void qdri_enter(void);
void qdri_leave(void);

/* Local, and collective where a plan is wanted: nonblocking calls must not wait for others, so what they want is
 * made in the next call on their communicator in which that is allowed. */
extern atomic_int qdri_wishes;
void qdri_grant_wishes(MPI_Comm comm);

/* ---- the environment ----------------------------------------------------------------------------------- */

/* Local. What rank 0 asks for all, and what each rank asks for itself; false when something is refused, which
 * is said if `says`. */
int qdri_preload_terms(qdri_terms *terms, int says);
int qdri_preload_own(int says);
/* Local. The folder of the record; NULL: none is wanted. */
const char *qdri_preload_record(int says);

/* ---- the record ---------------------------------------------------------------------------------------- */

/* Local. Whether QDR_RECORD asks for one. */
int qdri_record_wanted(void);
/* Local. One call: how it was served, when it began, by the clocks of its ranks, and how long it took. */
void qdri_record_call(qdri_communicator *communicator, const qdri_call *call, const qdri_path *path,
                      int plain, double begin, double seconds);
void qdri_record_close(void);

/* Of the wall clock, which the system keeps right. */
double qdri_wall_clock(void);

/* A line to stderr. */
void qdri_preload_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
