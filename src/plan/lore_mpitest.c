/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with wisdom of earlier runs, each rank being a node of its own: it is kept where it is asked for and followed
 * afterwards, by all ranks alike, whatever the environment of the others says; files that are damaged, foreign or cannot be
 * written change nothing; two jobs that write at once leave a whole file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_expect.h"
#include "quadrille/plan.h"

static int rank, ranks;
static char folder[200], file[300];

int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks);
int64_t __wrap_qdri_host_digest(int own_rank, int node_ranks) {
    (void)node_ranks;
    return own_rank;
}

/* Everyone sends so many items to everyone. */
static qdr_plan *make_plan(MPI_Comm comm, int64_t items) {
    int here, all;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &all);
    int *other = calloc((size_t)all, sizeof *other);
    int64_t *each = calloc((size_t)all, sizeof *each);
    for (int i = 0; i < all - 1; i++) {
        other[i] = (here + 1 + i) % all;
        each[i] = items;
    }
    FINE(qdr_partners_from_sends(comm, all - 1, other, each, NULL, &partners));
    FINE(qdr_plan_create(partners, NULL, &plan));
    qdr_partners_destroy(&partners);
    free(other);
    free(each);
    return plan;
}

static void run(qdr_plan *plan, int exchanges) {
    qdr_plan_info info;
    FINE(qdr_plan_look(plan, &info));
    char *out = calloc((size_t)info.items_out, 8), *in = calloc((size_t)info.items_in, 8);
    qdr_buffers buffers = {.item_bytes = 8, .outgoing_base = out, .incoming_base = in};
    for (int i = 0; i < exchanges; i++) FINE(qdr_plan_exchange(plan, &buffers));
    free(out);
    free(in);
}

/* Which candidate runs what comes next: the same on all ranks. */
static int in_use(const qdr_plan *plan) {
    qdr_candidate candidate;
    int used = -1, most, negative, least;
    for (int i = 0; qdr_plan_candidate(plan, i, &candidate) == QDR_OK; i++)
        if (candidate.in_use) used = i;
    negative = -used;
    MPI_Allreduce(&used, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&negative, &least, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_SAYING(most == -least, "candidates %d and %d are in use", most, -least);
    return used;
}

/* A communicator of its own knows nothing but what the file says. Exchanges, and who is in use before and after them. */
static void live(int exchanges, int *before, int *after) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    qdr_plan *plan = make_plan(comm, 20000);
    *before = in_use(plan);
    run(plan, exchanges);
    *after = in_use(plan);
    FINE(qdr_plan_destroy(&plan));
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void set(const char *path, const char *saves) {
    setenv("QDR_WISDOM", path, 1);
    if (saves)
        setenv("QDR_WISDOM_SAVE", saves, 1);
    else
        unsetenv("QDR_WISDOM_SAVE");
}

static void write_text(const char *text) {
    if (rank == 0) {
        char parent[sizeof folder + 10];
        snprintf(parent, sizeof parent, "%s/cache", folder);
        mkdir(parent, 0700); /* unless something was kept there */
        FILE *out = fopen(file, "w");
        CHECK(out != NULL);
        fputs(text, out);
        fclose(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int there_is_a_file(void) {
    struct stat about;
    return stat(file, &about) == 0;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void it_is_kept_only_where_that_is_asked_for(void) {
    int before, after, again, last;
    set(file, NULL);
    live(40, &before, &after);
    CHECK(!there_is_a_file());
    CHECK(before == 0);
    set(file, "1");
    live(40, &before, &after);
    CHECK(before == 0);
    CHECK(there_is_a_file());
    set(file, NULL);
    live(3, &again, &last);
    CHECK_SAYING(again == after, "%d is in use at first, where %d was the best", again, after);
    set("none", NULL);
    live(1, &again, &last);
    CHECK(again == 0);
}

/* Only rank 0 has a say. */
static void others_may_have_another_environment(void) {
    int before, after, again, last;
    set(file, "1");
    live(40, &before, &after);
    if (rank > 0) set(rank == 1 ? "/dev/null" : rank == 2 ? "none" : folder, rank == 3 ? "1" : NULL);
    live(3, &again, &last);
    CHECK_SAYING(again == after, "%d is in use at first, where %d was the best", again, after);
    if (rank == 0) setenv("QDR_WISDOM", "", 1); /* which is refused */
    live(3, &again, &last);
    CHECK(again == 0);
}

static void damaged_files_are_not_believed(void) {
    static const char *const text[] = {"", "quadrille wisdom 2\nend 0 0\n",
                                       "quadrille wisdom 2\n1 2 3 paced 1 1 0 1\nend 1 0\n",
                                       "quadrille wisdom 2\n", "\xff\xfe nonsense"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        int before, after;
        write_text(text[i]);
        set(file, i % 2 ? "1" : NULL);
        live(i % 2 ? 20 : 2, &before, &after);
        CHECK(before == 0);
        if (i % 2 == 0) continue;
        int again, last; /* what was damaged has been replaced */
        live(1, &again, &last);
        CHECK_SAYING(again == after, "%d is in use at first, where %d was the best", again, after);
    }
}

static void what_cannot_be_written_changes_nothing(void) {
    static const char *const path[] = {"/dev/full", "/proc/none/wisdom", "/"};
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        int before, after;
        set(path[i], "1");
        live(20, &before, &after);
        CHECK(before == 0);
    }
}

/* Two halves of the ranks are two jobs. */
static void two_jobs_may_write_at_once(void) {
    MPI_Comm half;
    int before, after;
    set(file, "1");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 12; i++) {
        qdr_plan *plan = make_plan(half, 1 << i);
        run(plan, 6);
        FINE(qdr_plan_destroy(&plan));
    }
    MPI_Comm_free(&half);
    live(20, &before, &after);
    live(1, &before, &after); /* which would notice if the file were not whole */
    if (rank == 0 && ranks >= 6) {
        char line[200] = "";
        FILE *in = fopen(file, "r");
        int whole = 0;
        while (fgets(line, sizeof line, in)) whole = !strncmp(line, "end ", 4);
        fclose(in);
        CHECK_SAYING(whole, "the last line is %s", line);
    }
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    strcpy(folder, "/tmp/quadrille-lore-XXXXXX");
    if (rank == 0) CHECK(mkdtemp(folder) != NULL);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(file, sizeof file, "%s/cache/wisdom", folder);
    it_is_kept_only_where_that_is_asked_for();
    others_may_have_another_environment();
    damaged_files_are_not_believed();
    what_cannot_be_written_changes_nothing();
    two_jobs_may_write_at_once();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        remove(file);
        *strrchr(file, '/') = 0;
        rmdir(file);
        CHECK_SAYING(rmdir(folder) == 0, "something was left in %s", folder);
    }
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
