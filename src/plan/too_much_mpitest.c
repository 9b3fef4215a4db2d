/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that are longer than the room for them, over MPI: the receiver is told who sent too much, of wires and
 * of plans whose ranks have different ideas of an item, and what follows on the wire is right. MPICH raises errors
 * of finished messages on MPI_COMM_WORLD; so the program says what it wants to happen there, as a user would.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"
#include "quadrille/plan.h"
#include "wire/wire.h"

enum { SMALL = 1000, LARGE = 1000000, TAG = QDRI_FREE_TAGS - 1 };

static int rank, ranks;
static char data[2 * LARGE];

typedef struct message {
    qdri_operation operation;
    int finished;
    qdr_status status;
} message;

static void finish(qdri_operation *operation, qdr_status status) {
    message *self = (message *)operation;
    self->finished = 1;
    self->status = status;
}

static void await(qdri_wire *wire, message *one) {
    CHECK(qdri_wait_until(wire, &one->finished, qdri_seconds() + 60) == QDR_OK);
}

/* Rank 0 sends rank 1 more than it expects, then what it expects. */
static void send_too_much(qdri_wire *wire, int64_t bytes, int from) {
    for (int64_t i = 0; i < 2 && rank == 0; i++) {
        message one = {.operation = {.done = finish}};
        CHECK(!qdri_send(wire, &one.operation, 1, TAG, data, i ? bytes / 2 : bytes));
        await(wire, &one);
        CHECK(!one.status);
    }
    for (int i = 0; i < 2 && rank == 1; i++) {
        message one = {.operation = {.done = finish}};
        CHECK(!qdri_receive(wire, &one.operation, from, TAG, data, bytes / 2));
        await(wire, &one);
        if (i == 0)
            CHECK_SAYING(one.status == QDR_ERR_MISMATCH &&
                             strstr(qdr_error_message(), "rank 0 sent more bytes than rank 1 has room for"),
                         "'%s': %s", qdr_status_text(one.status), qdr_error_message());
        else
            CHECK(!one.status && one.operation.bytes == bytes / 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The receiver's items are shorter than the sender's. */
static void exchange_too_much(int64_t items) {
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_plan_options options = QDR_PLAN_OPTIONS;
    qdr_buffers buffers = {0};
    int to = 1;
    options.algorithm = "async";
    options.transport = "net";
    options.deadline = 5;
    CHECK(!qdr_partners_from_sends(MPI_COMM_WORLD, rank == 0, &to, &items, NULL, &partners));
    CHECK(!qdr_plan_create(partners, &options, &plan));
    buffers.item_bytes = rank == 1 ? 1 : 2;
    buffers.outgoing_base = buffers.incoming_base = data;
    qdr_status status = qdr_plan_exchange(plan, &buffers);
    if (rank == 1)
        CHECK_SAYING(status == QDR_ERR_MISMATCH && strstr(qdr_error_message(), "rank 0"), "'%s': %s",
                     qdr_status_text(status), status ? qdr_error_message() : "");
    CHECK(!qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **words) {
    qdri_wire *wire = NULL;
    MPI_Errhandler handler;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(!qdri_wire_open(MPI_COMM_WORLD, &wire));
    for (int64_t bytes = SMALL; bytes <= LARGE; bytes *= LARGE / SMALL) {
        send_too_much(wire, bytes, 0);
        send_too_much(wire, bytes, QDRI_ANYONE);
        exchange_too_much(bytes);
    }
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    qdri_wire_release(&wire);
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
