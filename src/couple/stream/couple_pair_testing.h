/* SPDX-License-Identifier: BSD-3-Clause */
/* Two small programs, ocean and atmos, for the tests of what can go wrong between them; one launch or two. */
#ifndef QDRI_COUPLE_PAIR_H
#define QDRI_COUPLE_PAIR_H

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "quadrille/couple.h"

static const char *const pair_name[2] = {"atmos", "ocean"};
static int side, own_rank, own_ranks, peer_ranks;
static int is_one_launch;
static char pair_folder[200]; /* of contact files and signals */
static qdr_coupling_options pair_options = QDR_COUPLING_OPTIONS;
static qdr_program *program;
static qdr_coupling *coupling;

#define FINE(call) CHECK_SAYING((call) == QDR_OK, "%s: %s", #call, qdr_error_message())

/* Whether all ranks of both programs say the same. In two launches it is printed, for others to compare. */
static inline int is_same_everywhere(const char *what, const char *sentence) {
    char first[1200] = "";
    snprintf(first, sizeof first, "%s", sentence);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!is_one_launch && own_rank == 0) printf("%s: %s\n", what, sentence);
    return !strcmp(first, sentence);
}

/* A failure with this status and a sentence that has these words, at most four and up to a NULL, the same on all ranks
 * of both programs. */
static inline void expect(const char *file, int line, const char *what, qdr_status got, qdr_status status,
                          const char *const *word) {
    const char *sentence = got ? qdr_error_message() : "success";
    int fits = got == status, same;
    for (int i = 0; i < 4 && word[i]; i++) fits &= strstr(sentence, word[i]) != NULL;
    if (!fits)
        mpi_check_failed(file, line, "%s: '%s' where '%s' with '%s' ... was expected: %s", what,
                         qdr_status_text(got), qdr_status_text(status), word[0], sentence);
    same = is_same_everywhere(what, sentence);
    if (!same) mpi_check_failed(file, line, "%s: not all ranks say the same; here: %s", what, sentence);
}
#define EXPECT(what, call, status, word) expect(__FILE__, __LINE__, what, call, status, word)

/* ---- signals beside the library ------------------------------------------------------------------------ */

static inline void signal_path(const char *what, int number, char *path, size_t size) {
    snprintf(path, size, "%s/%s-%d", pair_folder, what, number);
}

/* All ranks of this program are so far. */
static inline void give_signal(const char *what, int number) {
    char path[300];
    signal_path(what, number, path, sizeof path);
    MPI_Barrier(qdr_program_comm(program));
    if (own_rank == 0) CHECK_SAYING(mkdir(path, 0700) == 0, "%s cannot be made", path);
}

/* Waits for the other program's. */
static inline void await_signal(const char *what, int number) {
    static const struct timespec nap = {0, 5000000};
    char path[300];
    signal_path(what, number, path, sizeof path);
    for (int naps = 0; naps < 4000 && access(path, F_OK); naps++) nanosleep(&nap, NULL);
    CHECK_SAYING(access(path, F_OK) == 0, "%s did not come", path);
    MPI_Barrier(qdr_program_comm(program));
    if (own_rank == 0) rmdir(path);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

/* Without a directory rank 0 makes one for all. */
static inline void open_folder(const char *directory) {
    int world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    snprintf(pair_folder, sizeof pair_folder, "%s", directory ? directory : "/tmp/couple-XXXXXX");
    if (!directory && world == 0) CHECK_SAYING(mkdtemp(pair_folder), "%s cannot be made", pair_folder);
    MPI_Bcast(pair_folder, sizeof pair_folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    pair_options.directory = pair_folder;
}

/* [tcp DIRECTORY [NAME]]. Ranks of one launch are the two programs' in turn. */
static inline void open_pair(int argc, char **argv) {
    int world;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    is_one_launch = argc < 4;
    side = is_one_launch ? world % 2 : !strcmp(argv[3], pair_name[1]);
    open_folder(argc > 2 ? argv[2] : NULL);
    if (argc > 2) pair_options.transport = argv[1];
    pair_options.deadline = 20;
    FINE(qdr_program_create(MPI_COMM_WORLD, pair_name[side], 20, &program));
    if (!program) return;
    MPI_Comm_rank(qdr_program_comm(program), &own_rank);
    MPI_Comm_size(qdr_program_comm(program), &own_ranks);
    FINE(qdr_coupling_create(program, pair_name[1 - side], &pair_options, &coupling));
    if (coupling) peer_ranks = qdr_coupling_look(coupling).peer_ranks;
}

/* What main() returns. */
static inline int close_pair(void) {
    FINE(qdr_coupling_destroy(&coupling));
    FINE(qdr_program_destroy(&program));
    int failed =
        mpi_check_verdict(); /* nobody needs the folder any more; if it is another's it is not empty */
    if (!pair_options.transport) rmdir(pair_folder);
    MPI_Finalize();
    return failed;
}

#endif
