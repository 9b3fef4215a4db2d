/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment, under mpirun: a value that is refused on one rank is refused on all, by every collective
 * call that makes something, and the communicator can be used when it is mended; and with QDR_EXPLAIN=1 every
 * kind of choice is explained in one line, by rank 0 alone.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_check.h"
#include "quadrille-mpi.h"

static int rank, ranks;

/* ---- one of each ----------------------------------------------------------------------------------------
 * */

static qdr_status make_plan(MPI_Comm comm) {
    int next = (rank + 1) % ranks;
    int64_t one = 1;
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_status status = qdr_partners_from_sends(comm, 1, &next, &one, NULL, &partners);
    if (!status) status = qdr_plan_create(partners, NULL, &plan);
    qdr_plan_destroy(&plan);
    qdr_partners_destroy(&partners);
    return status;
}

static qdr_status make_map(MPI_Comm comm) {
    int next = (rank + 1) % ranks;
    int64_t zero = 0;
    qdr_indices needs = {.links = 1, .link_rank = &next, .place = &zero, .partner_place = &zero};
    qdr_map *map = NULL;
    qdr_status status = qdr_map_create(comm, NULL, &needs, NULL, &map);
    qdr_map_destroy(&map);
    return status;
}

static qdr_status make_directory(MPI_Comm comm) {
    qdr_directory *directory = NULL;
    qdr_status status = qdr_directory_create(comm, NULL, &directory);
    qdr_directory_destroy(&directory);
    return status;
}

static qdr_status resolve(MPI_Comm comm) {
    int64_t own = rank, need = (rank + 1) % ranks;
    int owner = -1;
    qdr_status status = qdr_resolve(comm, 1, &own, 1, &need, NULL, &owner, NULL, NULL);
    if (!status) CHECK(owner == need);
    return status;
}

static qdr_status migrate(MPI_Comm comm) {
    int item[4] = {rank}, destination = (rank + 1) % ranks;
    int64_t count = 1;
    return qdr_migrate_array(comm, &count, 4, item, sizeof *item, &destination, NULL, NULL);
}

static qdr_status exchange_all(MPI_Comm comm) {
    char out[64] = "", in[64] = "";
    return qdr_alltoall(comm, NULL, 1, out, in);
}

static qdr_status couple(MPI_Comm comm) {
    qdr_program *program = NULL;
    qdr_coupling *coupling = NULL;
    qdr_stream *stream = NULL;
    qdr_layout *layout = NULL;
    int64_t extent = 8;
    qdr_status status = qdr_program_create(comm, "alone", 0, &program);
    if (!status) status = qdr_coupling_create(program, "alone", NULL, &coupling);
    if (!status) {
        qdr_axis axis = {.extent = extent, .parts = ranks, .spread = QDR_BLOCK};
        status = qdr_layout_regular(1, &axis, NULL, &layout);
    }
    if (!status) {
        qdr_coupled field = {.name = "u", .layout = layout, .type = QDR_DOUBLE, .width = 1};
        status = qdr_stream_create(coupling, "inside", 1, &field, 1, &field, NULL, &stream);
    }
    CHECK(qdr_stream_destroy(&stream) == QDR_OK && qdr_coupling_destroy(&coupling) == QDR_OK);
    CHECK(qdr_program_destroy(&program) == QDR_OK);
    qdr_layout_destroy(&layout);
    return status;
}

static const struct kind {
    const char *name; /* its line begins so */
    qdr_status (*make)(MPI_Comm comm);
} kinds[] = {{"discovery among", make_plan},   {"plan ", make_plan},       {"map of", make_map},
             {"directory of", make_directory}, {"resolve among", resolve}, {"migration among", migrate},
             {"all to all", exchange_all},     {"coupling: ", couple},     {"stream inside", couple}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refuse(const char *name, const char *value, int at, const char *expected) {
    for (int k = 0; k < KINDS; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == at) setenv(name, value, 1);
        qdr_status status = kinds[k].make(comm);
        CHECK_SAYING(status == QDR_ERR_INVALID && strstr(qdr_error_message(), name) &&
                         strstr(qdr_error_message(), value) && strstr(qdr_error_message(), expected),
                     "%s=%s, %s: %s: %s", name, value, kinds[k].name, qdr_status_text(status),
                     status ? qdr_error_message() : "");
        unsetenv(name);
        status = kinds[k].make(comm);
        CHECK_SAYING(status == QDR_OK, "after %s=%s, %s: %s", name, value, kinds[k].name,
                     qdr_error_message());
        MPI_Comm_free(&comm);
    }
}

static void test_refusals(void) {
    static const char *const seconds[] = {"abc", "0,5", "-3", "nan", "1d"};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        refuse("QDR_DEADLINE", seconds[i], i % 2 ? ranks - 1 : 0, "expected seconds, such as");
    refuse("QDR_NODE_RANKS", "2x", ranks - 1, "from 1 to 2147483647");
    refuse("QDR_EXPLAIN", "maybe", 0, "1 or 0");
}

/* What is refused by those only that need it. */
static void test_transport(void) {
    if (rank == 0) setenv("QDR_TRANSPORT", "nowhere", 1);
    CHECK(make_directory(MPI_COMM_WORLD) == QDR_ERR_INVALID &&
          strstr(qdr_error_message(), "QDR_TRANSPORT=nowhere"));
    CHECK(make_plan(MPI_COMM_WORLD) == QDR_ERR_INVALID && strstr(qdr_error_message(), "node or net"));
    unsetenv("QDR_TRANSPORT");
    qdr_program *program = NULL;
    qdr_coupling *coupling = NULL;
    CHECK(qdr_program_create(MPI_COMM_WORLD, "here", 0, &program) == QDR_OK);
    if (rank == ranks - 1) setenv("QDR_COUPLE_DIRECTORY", "", 1);
    CHECK(qdr_coupling_create(program, "there", NULL, &coupling) == QDR_ERR_INVALID &&
          strstr(qdr_error_message(), "QDR_COUPLE_DIRECTORY is set, but empty"));
    unsetenv("QDR_COUPLE_DIRECTORY");
    CHECK(qdr_program_destroy(&program) == QDR_OK);
}

/* ---- explanations -------------------------------------------------------------------------------------- */

static int captured, standard_error;

static void capture(void) {
    FILE *file = tmpfile();
    captured = dup(fileno(file));
    fclose(file);
    fflush(stderr);
    standard_error = dup(STDERR_FILENO);
    dup2(captured, STDERR_FILENO);
}

static void release(char *text, size_t size) {
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    ssize_t length = pread(captured, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(captured);
}

static int lines_with(const char *text, const char *word) {
    int count = 0;
    for (; (text = strstr(text, word)); text++) count++;
    return count;
}

static void test_explanations(void) {
    static char text[20000];
    for (int k = 0; k < KINDS; k++) {
        MPI_Comm comm;
        char begin[80];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (rank == 0) setenv("QDR_EXPLAIN", "1", 1);
        if (k == 0) setenv("QDR_DEADLIN", "1", 1);
        capture();
        qdr_status status = kinds[k].make(comm);
        release(text, sizeof text);
        CHECK_SAYING(status == QDR_OK, "%s: %s", kinds[k].name, qdr_error_message());
        snprintf(begin, sizeof begin, "quadrille: %s", kinds[k].name);
        CHECK_SAYING(lines_with(text, begin) == (rank == 0), "%s: '%s'", kinds[k].name, text);
        CHECK_SAYING(rank == 0 || !*text, "%s: '%s'", kinds[k].name, text);
        if (k == 0)
            CHECK_SAYING(lines_with(text, "QDR_DEADLIN is not a variable of Quadrille; did you mean "
                                          "QDR_DEADLINE?") == (rank == 0),
                         "'%s'", text);
        unsetenv("QDR_DEADLIN");
        unsetenv("QDR_EXPLAIN");
        MPI_Comm_free(&comm);
    }
}

static void keep_line(void *context, const char *line) {
    char *text = context;
    if (strlen(text) + strlen(line) < 10000) strcat(strcat(text, line), "\n");
}

/* A log has them on every rank, and standard error nowhere. */
static void test_log(void) {
    static char text[10002], printed[1000];
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("QDR_EXPLAIN", "1", 1);
    qdr_set_log(keep_line, text);
    capture();
    CHECK(make_map(comm) == QDR_OK);
    release(printed, sizeof printed);
    qdr_set_log(NULL, NULL);
    unsetenv("QDR_EXPLAIN");
    CHECK_SAYING(lines_with(text, "map of") == 1 && lines_with(text, "plan ") == 1, "'%s'", text);
    CHECK_SAYING(!*printed, "'%s'", printed);
    MPI_Comm_free(&comm);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    test_explanations();
    test_log();
    test_refusals();
    test_transport();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
