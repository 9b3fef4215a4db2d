/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of two programs that are to die, or to outlive the other: tests/couple/faults says when.
 *
 *     peer NAME PEER exports|imports STAGE SECONDS FOLDER [alone]
 *
 * In FOLDER the two meet; there each rank leaves NAME.RANK.pid, with its process and the ports of the coupling, and
 * NAME.RANK.ready when the stage has begun. SECONDS is the deadline of every call. Stages:
 *
 *     meet       opens the coupling, and is done
 *     build      opens and closes streams again and again
 *     between    one exports again and again and rests in between, the other imports each
 *     import     the importer asks for what will not be exported for a long time
 *     full       the importer takes nothing until there is a file FOLDER/go, and the exporter's queue is full
 *     close      the exporter closes its stream, the importer does nothing until there is such a file
 *     quit       the importer waits, as in `import`; the exporter ends MPI with its stream open, and is done
 *     steady     as `between`, 100 times, without rest; then both close, and are done
 *
 * Each rank ends with one line: "ended", what it was doing, the status, the time of day in seconds, the strangers that
 * it refused, and the sentence. An import that stalls is waited for again, and "stalled" is a line too. `alone`: the
 * others of its launch may be dead; then nobody is waited for again, nor in MPI_Finalize. Nobody lives longer
 * than half a minute.
 */
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "quadrille/couple.h"

enum { ELEMENTS = 20000, STEADY = 100, DESCRIPTORS = 256, LIFETIME = 30 };

static const char *name, *peer, *stage, *folder;
static double deadline;
static int exports, rank, ranks, is_ready, is_alone;
static qdr_program *program;
static qdr_coupling *coupling;
static qdr_layout *layout;
static qdr_stream *stream;
static double *array;
static int64_t room;
static char doing[80] = "start";

static int is_stage(const char *word) {
    return !strcmp(stage, word);
}

static void rest(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static double time_of_day(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- what the script reads ----------------------------------------------------------------------------- */

/* Written aside and renamed, so that who sees it sees all of it. */
static FILE *open_note(const char *kind, char *path, size_t size) {
    char aside[600];
    snprintf(path, size, "%s/%s.%d.%s", folder, name, rank, kind);
    snprintf(aside, sizeof aside, "%s.aside", path);
    return fopen(aside, "w");
}
static void close_note(FILE *file, const char *path) {
    char aside[600];
    snprintf(aside, sizeof aside, "%s.aside", path);
    if (file && fclose(file) == 0) rename(aside, path);
}

/* The port that a descriptor listens on; 0 if it is no such socket. */
static int listens_on(int descriptor) {
    int listens = 0;
    struct sockaddr_in address;
    socklen_t size = sizeof listens, length = sizeof address;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens) return 0;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) || address.sin_family != AF_INET)
        return 0;
    return ntohs(address.sin_port);
}

/* This process, and the ports of the coupling: MPI's own, which were there before, are nobody's business. */
static void note_process(void) {
    static int before[DESCRIPTORS], is_first = 1;
    char path[500];
    FILE *file = open_note("pid", path, sizeof path);
    if (!file) return;
    fprintf(file, "%ld", (long)getpid());
    for (int descriptor = 3; descriptor < DESCRIPTORS; descriptor++) {
        int port = listens_on(descriptor);
        if (is_first) before[descriptor] = port;
        if (port && port != before[descriptor]) fprintf(file, " %d", port);
    }
    fprintf(file, "\n");
    is_first = 0;
    close_note(file, path);
}

static void note_ready(void) {
    char path[500];
    if (is_ready) return;
    is_ready = 1;
    note_process();
    close_note(open_note("ready", path, sizeof path), path);
}

static void say(const char *word, qdr_status status) {
    long long refused = coupling ? (long long)qdr_coupling_look(coupling).refused : 0;
    printf("%s %s %s %d %d %.3f %lld %s\n", word, name, doing, rank, (int)status, time_of_day(), refused,
           status ? qdr_error_message() : "fine");
    fflush(stdout);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

/* The exporter names elements one by one, dealt out in turn; the importer has blocks. */
static qdr_status open_layout(void) {
    int64_t extent = ELEMENTS, *first = malloc(ELEMENTS * sizeof *first), count = 0;
    qdr_axis axis = {.extent = ELEMENTS, .spread = QDR_BLOCK, .parts = ranks};
    for (int64_t e = rank; e < ELEMENTS; e += ranks) first[count++] = e;
    qdr_status status = exports ? qdr_layout_runs(1, &extent, count, first, NULL, &layout)
                                : qdr_layout_regular(1, &axis, NULL, &layout);
    free(first);
    int64_t chunk = (ELEMENTS + ranks - 1) / ranks, left = ELEMENTS - chunk * rank;
    room = exports ? count : left < chunk ? left : chunk;
    array = malloc(((size_t)(room > 0 ? room : 0) + 1) * sizeof *array);
    return status;
}

static qdr_status open_stream(int number) {
    qdr_coupled field = {.name = "field", .layout = layout, .type = QDR_DOUBLE};
    qdr_stream_options options = QDR_STREAM_OPTIONS;
    char title[40];
    options.queue = 4;
    snprintf(title, sizeof title, "stream-%d", number);
    return qdr_stream_create(coupling, title, exports, exports ? &field : NULL, !exports,
                             exports ? NULL : &field, &options, &stream);
}

static qdr_status give(double time) {
    for (int64_t i = 0; i < room; i++) array[i] = (double)(rank + i * ranks) + time;
    return qdr_export(stream, time, (const void *[]){array});
}

static qdr_status take(double time) {
    int64_t first = (int64_t)rank * ((ELEMENTS + ranks - 1) / ranks);
    qdr_pending *call = NULL;
    qdr_status status = qdr_import_start(stream, time, QDR_EXACT, 0, (void *[]){array}, NULL, &call);
    if (!status) status = qdr_wait(&call);
    for (int tries = 0; status == QDR_ERR_STALLED && call && !is_alone && tries < 3; tries++) {
        say("stalled", status);
        status = qdr_wait(&call);
    }
    for (int64_t i = 0; !status && i < room; i++)
        if (array[i] != (double)(first + i) + time) {
            printf("wrong: element %lld is %g at %g\n", (long long)(first + i), array[i], time);
            return QDR_OK;
        }
    return status;
}

/* ---- stages -------------------------------------------------------------------------------------------- */

static qdr_status build(void) {
    qdr_status status = QDR_OK;
    for (int number = 0; !status; number++) {
        strcpy(doing, "open");
        status = open_stream(number);
        if (status) break;
        strcpy(doing, "close");
        status = qdr_stream_destroy(&stream);
        if (number == 3) note_ready();
    }
    return status;
}

static qdr_status run_exporter(int steps) {
    qdr_status status = QDR_OK;
    strcpy(doing, "export");
    for (int step = 1; !status && step <= steps; step++) {
        status = give(step);
        if (step == 3) note_ready();
        if (!is_stage("steady") && !is_stage("full")) rest(0.03);
    }
    return status;
}

/* Until there is FOLDER/go. */
static void await_leave(void) {
    char path[500];
    snprintf(path, sizeof path, "%s/go", folder);
    while (access(path, F_OK)) rest(0.01);
}

static qdr_status run_importer(int steps) {
    qdr_status status = QDR_OK;
    strcpy(doing, "import");
    if (is_stage("import") || is_stage("quit")) {
        note_ready();
        return take(1e6);
    }
    if (is_stage("full") || is_stage("close")) {
        note_ready();
        await_leave();
        return take(1);
    }
    for (int step = 1; !status && step <= steps; step++) {
        status = take(step);
        if (step == 3) note_ready();
    }
    return status;
}

static qdr_status run_stage(void) {
    int steps = is_stage("steady") ? STEADY : is_stage("close") ? 1 : 100000;
    if (is_stage("build")) return build();
    strcpy(doing, "open");
    qdr_status status = open_stream(0);
    if (status) return status;
    if (is_stage("quit") && exports) {
        note_ready();
        rest(0.5);
        MPI_Finalize();
        exit(0);
    }
    if (is_stage("full") || is_stage("steady") || is_stage("close")) note_ready();
    status = exports ? run_exporter(steps) : run_importer(steps);
    if (status) return status;
    strcpy(doing, "close");
    return qdr_stream_destroy(&stream);
}

static qdr_status meet(void) {
    qdr_coupling_options options = QDR_COUPLING_OPTIONS;
    options.directory = folder;
    options.deadline = deadline;
    strcpy(doing, "meet");
    qdr_status status = qdr_program_create(MPI_COMM_WORLD, name, deadline, &program);
    if (status) return status;
    MPI_Comm_rank(qdr_program_comm(program), &rank);
    MPI_Comm_size(qdr_program_comm(program), &ranks);
    note_process();
    status = qdr_coupling_create(program, peer, &options, &coupling);
    return status ? status : open_layout();
}

/* What is left after a failure is closed quickly. */
static void leave(void) {
    double begin = time_of_day();
    qdr_stream_destroy(&stream);
    qdr_coupling_destroy(&coupling);
    qdr_layout_destroy(&layout);
    free(array);
    if (!is_alone) {
        qdr_program_destroy(&program);
        MPI_Finalize();
    }
    printf("left %s %d after %.1f s\n", name, rank, time_of_day() - begin);
    fflush(stdout);
    if (is_alone) _exit(0);
}

int main(int argc, char **argv) {
    if (argc < 7) return fprintf(stderr, "peer NAME PEER exports|imports STAGE SECONDS FOLDER [alone]\n"), 2;
    name = argv[1], peer = argv[2], stage = argv[4], folder = argv[6];
    exports = !strcmp(argv[3], "exports");
    deadline = strtod(argv[5], NULL);
    is_alone = argc > 7;
    alarm(LIFETIME);
    MPI_Init(&argc, &argv);
    qdr_status status = meet();
    if (!status && !is_stage("meet")) status = run_stage();
    say("ended", status);
    leave();
    return 0;
}
