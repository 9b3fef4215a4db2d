/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `quadrille advise`: from the records of a program (QDR_RECORD) to advice.
 *
 *     advise_read.c    one file into the model below; believes nothing
 *     advise_folder.c  all files of a folder
 *     advise_lines.c   call sites for people: functions and lines of source
 *     advise_elf.c     what symbols of a program or library cover
 *     advise_calls.c   the lines of all ranks into calls and matrices
 *     advise_judge.c   calls into numbers about call sites
 *     advise_bound.c   what the network could have done: the rate seen, or a machine's model
 *     advise_say.c     numbers into sentences
 *     advise_write.c   text and JSON; advise_page.c: the page
 */
#ifndef ADVISE_H
#define ADVISE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "advise_map.h"
#include "quadrille.h"

/* ---- what was recorded --------------------------------------------------------------------------------- */

/* Limits of a record; together they keep all sums of bytes below 2^62. */
#define RECORD_RANKS     (INT64_C(1) << 20)
#define RECORD_ROW_BYTES (INT64_C(1) << 42)

/* What one rank sends in a call: entries first .. first + entries - 1 of its file. */
typedef struct record_row {
    int64_t first, entries;
    int highest; /* destination; -1: none */
    uint64_t digest;
} record_row;

/* The file of one rank. */
typedef struct record_file {
    int rank; /* of MPI_COMM_WORLD */
    char *host;
    int64_t rows, row_capacity, entries, entry_capacity;
    record_row *row;
    int *to;        /* [entries] */
    int64_t *bytes; /* [entries] */
    int64_t sites;
    int64_t *site;  /* the record's number of each of the file's */
    double seconds; /* the run; NAN: the program died */
    int64_t rest_calls;
    double rest_seconds;
} record_file;

/* One call, as one rank saw it. */
typedef struct record_call {
    int32_t site;      /* the record's number */
    uint32_t row : 31; /* the file's number */
    uint32_t paced : 1;
    double entry;   /* seconds since the ranks of the communicator met first */
    double seconds; /* from there to the end of it */
} record_call;

typedef struct record_member {
    int rank; /* of the communicator */
    int file;
    int64_t calls, capacity;
    record_call *call;
} record_member;

typedef struct record_comm {
    int64_t id;
    int ranks, one_node;
    int members; /* that have a file, by rising rank once the record is joined */
    record_member *member;
    int64_t calls;   /* that all members have */
    int64_t longest; /* that some member has */
} record_comm;

typedef struct record_site {
    char *call;   /* MPI_Alltoallv, ... */
    char *frames; /* OBJECT+0xOFFSET:SYMBOL, separated by tabs, innermost first */
    char *text;   /* "VecScatterBegin at vscat.c:120 < KSPSolve < main"; NULL until lines are found */
} record_site;

typedef struct record {
    int ranks; /* of MPI_COMM_WORLD; 0: nothing was read */
    char *program;
    char *first; /* name of the first file */
    int files;
    record_file *file; /* by rising rank once the record is joined */
    int64_t comms;
    record_comm *comm;
    int64_t sites;
    record_site *site;
    map comm_of_id, site_of_digest;
    char error[1024];
} record;

/* Adds the text of one rank's file; text[size] must be readable and 0. Returns 0 and leaves one line in
 * record->error when it is no such file, or one of another run. */
int record_add(record *record, const char *name, const char *text, size_t size);

/* Puts files and members in order and finds the calls that all members of each communicator have. Returns as
 * record_add(). */
int record_join(record *record);

/* Reads a folder; "rank-*.txt" in it. Returns 0 and leaves one line in record->error when it cannot. */
int record_read(record *record, const char *folder);

/* The pattern of a call of a communicator. Ranks without a file send nothing. */
qdr_status record_pattern(const record *record, int64_t comm, int64_t call, qdr_pattern **pattern);

void record_clear(record *record);

/* Fills in the text of every site: with functions and lines where addr2line and the program are at hand. */
void record_find_lines(record *record);

/* A program or library, of 64 bits and of this machine's order of bytes. */
typedef struct elf_file {
    const unsigned char *bytes;
    uint64_t size;
} elf_file;

/* 0 when it is none, or cannot be read. */
int elf_open(const char *path, elf_file *file);
void elf_close(elf_file *file);
/* Where a program that is not relocated begins; offsets count from there. 0 for all others. */
uint64_t elf_first_address(const elf_file *file);
/* Whether a symbol says that a function has this address in it. */
int elf_has_function(const elf_file *file, uint64_t address);

/* ---- what it means ------------------------------------------------------------------------------------- */

/* What there is to say, in one word. The order is that of the table of names. */
typedef enum advice_kind {
    ADVICE_NEGLIGIBLE, /* the run hardly sees it */
    ADVICE_WAITING,    /* for late ranks */
    ADVICE_EMPTY,      /* nobody sends */
    ADVICE_ONE_NODE,   /* no network in it */
    ADVICE_FLOOD,      /* far from the bound, by MPI's own way */
    ADVICE_TRIED,      /* pacing was tried, and was not faster */
    ADVICE_PACED,      /* it is paced */
    ADVICE_SPARSE,     /* few partners of many */
    ADVICE_SMALL,      /* startups, not bytes */
    ADVICE_SKEWED,     /* one rank sets the bound */
    ADVICE_NEAR,       /* nothing to do */
    ADVICE_KINDS
} advice_kind;

extern const char *const advice_names[ADVICE_KINDS];

/* A distinct matrix. Ranks are the communicator's. */
typedef struct advice_pattern {
    int64_t comm, call; /* where it was seen first */
    int ranks;
    int64_t messages, bytes; /* off the diagonal, as all that follows */
    int64_t traffic;         /* most bytes out of, or into, one rank */
    int64_t degree;          /* most messages out of, or into, one rank */
    int busiest;             /* the rank with that traffic */
    int is_receiver;         /* it comes in there */
    double bound;            /* seconds */
    double startup;          /* seconds of it that do not depend on bytes */
} advice_pattern;

/* One call of all ranks of a communicator. */
typedef struct advice_call {
    int64_t comm, number; /* of its calls, this one */
    int64_t group, pattern;
    double exchange; /* seconds from when all were there to when all were done */
    double mean;     /* seconds in the call, mean over the ranks */
    double waiting;  /* of them for ranks that came later */
    int late;        /* the file of the rank that came last */
    int paced;
    int small; /* startups decide */
} advice_call;

enum { ADVICE_HEAVY = 4 };

/* A pattern of a group that took much of its time. */
typedef struct advice_heavy {
    int64_t pattern, calls;
    double seconds; /* of all exchanges with it */
} advice_heavy;

/* Calls from one site on communicators of one size. Seconds are of one rank in the whole run. */
typedef struct advice_group {
    int64_t site;
    int ranks, one_node;
    int64_t comms, calls, paced, small;
    int64_t bytes_median, bytes_most; /* of a call */
    int members;                      /* ranks that take part, and have a file */
    double seconds, seconds_most;     /* mean over them; the rank with most */
    double share;                     /* of the run; NAN: its length is not known */
    double exchange, waiting;         /* what `seconds` consists of */
    double bound;                     /* of `exchange` */
    double ratio;                     /* median of exchange / bound by time; NAN: no bound */
    double gain;                      /* if each plain call took 1.1 times the bound */
    double left;                      /* beyond the bound in paced calls */
    int late_rank;                    /* of MPI_COMM_WORLD, most waited for; -1: nobody waited */
    double late_share;                /* of the waiting */
    double plain_to_paced;            /* time of a byte, plain over paced; NAN: not both */
    int64_t patterns;                 /* distinct */
    int heavy;                        /* the heaviest, at least one */
    advice_heavy heavy_pattern[ADVICE_HEAVY];
    int busiest;        /* the busiest rank of the heaviest, of MPI_COMM_WORLD */
    const char *chosen; /* what a plan would run on the machine; NULL: nothing is predicted */
    double predicted;   /* its seconds; NAN: none */
    advice_kind kind;
    char *sentence;
    char *how; /* to get it; "" when there is nothing to do */
} advice_group;

/* The machine of -m for communicators of one size. */
typedef struct advice_machine {
    int ranks;
    qdr_machine *machine;
} advice_machine;

typedef struct advice {
    const char *folder;
    const record *record;
    const char *machine; /* spec; NULL: bounds come from the rate seen */
    double rate[2];      /* bytes per second seen between nodes, and inside one; NAN: no calls */
    double run;          /* seconds; NAN: not known */
    double share;        /* of the run, in all calls */
    int hosts;
    int64_t calls, patterns, groups;
    advice_call *call;
    advice_pattern *pattern;
    advice_group *group; /* most gain first */
    int machines;
    advice_machine *of_size;
    int notes;
    char **note; /* what is missing or odd, one line each */
} advice;

/* Computes everything but the sentences. Complains and returns an exit code. `machine` may be NULL. */
int advice_judge(advice *advice, const record *record, const char *folder, const char *machine);
/* The parts of it: calls and matrices; bounds of all patterns, and which calls are small. */
void advice_collect(advice *advice);
int advice_bound(advice *advice);
/* What a plan would choose for each group's heaviest pattern on the machine. */
int advice_predict(advice *advice);
void advice_say(advice *advice);
void advice_clear(advice *advice);
void advice_note(advice *advice, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- how it is told ------------------------------------------------------------------------------------ */

enum { ADVICE_TEXT = 32 };
/* "1.5 MB": three digits. */
const char *advice_bytes(double bytes, char text[ADVICE_TEXT]);
/* "2.5 s", "-" when there is none. */
const char *advice_gain(const advice_group *group, char text[ADVICE_TEXT]);
/* "plain", "paced", "12% paced". */
const char *advice_served(const advice_group *group, char text[ADVICE_TEXT]);
/* What the record is, and how bounds were found. The caller frees them. */
char *advice_title(const advice *advice);
char *advice_method(const advice *advice);

/* The call site, and its innermost frame alone, up to so many characters. */
const char *advice_site(const advice *advice, const advice_group *group);
void advice_frame(const advice *advice, const advice_group *group, char *text, int most);
/* How to run the program with the drop-in library: with Open MPI, or with MPICH. The caller frees it. */
char *advice_command(const advice *advice, int mpich);

void advice_write_text(const advice *advice, FILE *out);
int advice_write_json(const advice *advice, FILE *out);
int advice_write_page(const advice *advice, const char *file);
/* The heaviest patterns of every group as Matrix Market files. */
int advice_save_patterns(const advice *advice, const char *folder);

#endif
