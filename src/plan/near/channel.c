/* SPDX-License-Identifier: BSD-3-Clause */
/* The protocol of channels: see channel.h. */
#include "plan/near/channel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* So much fits at first: empty and tiny messages ask for nothing. */
enum { FIRST_CAPACITY = 256, LINE = 128 };

qdri_cut_sizes qdri_cut_at = {
    .whole = 1 << 16, .whole_kept = 1 << 24, .piece = 1 << 16, .pieces = 8, .least_read = 1 << 13};

/* A little more than was needed, so that sizes that creep do not ask each time. */
static int64_t asked_for(int64_t bytes, int64_t most) {
    int64_t asked = bytes + bytes / 8;
    return asked < most ? asked : most;
}

/* From one slot to the next: whole lines, and an odd number of them, so that slots do not compete for the
 * same sets of a cache. */
static int64_t stride_of(int64_t capacity) {
    return ((capacity + LINE - 1) / LINE | 1) * LINE;
}

/* ---- receiving ----------------------------------------------------------------------------------------- */

/* Whoever reads between the two counters sees that they differ. */
static void show_slots(qdri_receiver *receiver) {
    qdri_shared *shared = receiver->shared;
    atomic_store_explicit(&shared->begun, receiver->generation, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&shared->offset, receiver->offset, memory_order_relaxed);
    atomic_store_explicit(&shared->capacity, receiver->capacity, memory_order_relaxed);
    atomic_store_explicit(&shared->generation, receiver->generation, memory_order_release);
}

int64_t qdri_receiver_open(qdri_receiver *receiver, qdri_wire *wire, int slots) {
    int64_t bytes = (int64_t)sizeof(qdri_shared) + slots * (int64_t)sizeof(qdri_flag);
    *receiver = (qdri_receiver){.slots = slots, .asked = FIRST_CAPACITY, .capacity = FIRST_CAPACITY};
    receiver->own = qdri_arena_take(wire, bytes);
    receiver->offset = qdri_arena_take(wire, slots * stride_of(FIRST_CAPACITY));
    if (!receiver->own || !receiver->offset) {
        qdri_receiver_close(receiver, wire);
        return 0;
    }
    receiver->memory = qdri_arena_at(wire, qdri_node_member(wire, qdri_wire_rank(wire)), 0);
    receiver->shared = (qdri_shared *)(receiver->memory + receiver->own);
    memset((void *)receiver->shared, 0, (size_t)bytes);
    show_slots(receiver);
    return receiver->own;
}

/* What says that the sender has left goes last. */
void qdri_receiver_close(qdri_receiver *receiver, qdri_wire *wire) {
    const _Atomic int64_t *left = receiver->connected ? &receiver->shared->left : NULL;
    for (int64_t i = 0; i < receiver->retired_count; i++)
        qdri_arena_give_later(wire, receiver->retired[i].offset, left);
    free(receiver->retired);
    if (receiver->ring > 0) qdri_arena_give_later(wire, receiver->ring, left);
    qdri_arena_give_later(wire, receiver->offset, left);
    qdri_arena_give_later(wire, receiver->own, left);
    *receiver = (qdri_receiver){.slots = 0};
}

/* Larger slots, if there is memory for them. */
static void grow(qdri_receiver *receiver, qdri_wire *wire) {
    if (!qdri_grow(&receiver->retired, &receiver->retired_capacity, receiver->retired_count + 1,
                   sizeof *receiver->retired))
        return;
    int64_t offset = qdri_arena_take(wire, receiver->slots * stride_of(receiver->asked));
    if (!offset) return;
    receiver->retired[receiver->retired_count++] = (qdri_retired){receiver->generation, receiver->offset};
    receiver->offset = offset;
    receiver->capacity = receiver->asked;
}

/* Where many ranks share a node each has many rings: then pieces are smaller, down to what is worth a flag. */
static int64_t piece_for(int members) {
    enum { FEW = 16, LEAST = 8 << 10 };
    int64_t most = qdri_cut_at.piece, share = most * FEW / (members > FEW ? members : FEW) / LINE * LINE;
    return share > LEAST ? share : most < LEAST ? most : LEAST;
}

static void make_ring(qdri_receiver *receiver, qdri_wire *wire) {
    receiver->piece = piece_for(qdri_node_members(wire));
    int64_t offset = qdri_arena_take(wire, qdri_cut_at.pieces * stride_of(receiver->piece));
    receiver->ring = offset ? offset : -1;
    atomic_store_explicit(&receiver->shared->piece, receiver->piece, memory_order_relaxed);
    atomic_store_explicit(&receiver->shared->ring, receiver->ring, memory_order_release);
}

void qdri_receiver_expect(qdri_receiver *receiver, qdri_wire *wire, int64_t bytes, int64_t most) {
    if (bytes > most && !receiver->ring) make_ring(receiver, wire);
    if (bytes > most || bytes <= receiver->asked) return;
    receiver->asked = asked_for(bytes, most);
    grow(receiver, wire);
    receiver->generation++;
    show_slots(receiver);
}

/* Slots of earlier generations are empty once a message in later ones is taken. Where growing failed, a
 * generation has no slots of its own, and none is given back. */
static void give_retired(qdri_receiver *receiver, qdri_wire *wire, uint64_t generation) {
    int64_t gone = 0;
    while (gone < receiver->retired_count && receiver->retired[gone].generation < generation)
        qdri_arena_give(wire, receiver->retired[gone++].offset);
    receiver->retired_count -= gone;
    memmove(receiver->retired, receiver->retired + gone,
            (size_t)receiver->retired_count * sizeof *receiver->retired);
}

int64_t qdri_receiver_wanted(const qdri_receiver *receiver) {
    if (atomic_load_explicit(&receiver->shared->waits, memory_order_acquire) != receiver->received + 1)
        return -1;
    return atomic_load_explicit(&receiver->shared->wanted, memory_order_relaxed);
}

void qdri_receiver_take(qdri_receiver *receiver, qdri_wire *wire, uint64_t number, int tells) {
    receiver->done |= UINT64_C(1) << (number - receiver->taken);
    for (; receiver->done & 1; receiver->done >>= 1, receiver->taken++) {
        const qdri_flag *flag = &receiver->shared->flag[receiver->taken % (uint64_t)receiver->slots];
        if (receiver->retired_count > 0) give_retired(receiver, wire, flag->generation);
    }
    if (tells) atomic_store_explicit(&receiver->shared->taken, receiver->taken, memory_order_release);
}

const void *qdri_receiver_piece(qdri_receiver *receiver) {
    if (receiver->read == receiver->written)
        receiver->written = atomic_load_explicit(&receiver->shared->written, memory_order_acquire);
    if (receiver->read == receiver->written) return NULL;
    return receiver->memory + receiver->ring +
           (int64_t)(receiver->read % (uint64_t)qdri_cut_at.pieces) * stride_of(receiver->piece);
}

void qdri_receiver_read(qdri_receiver *receiver) {
    atomic_store_explicit(&receiver->shared->read, ++receiver->read, memory_order_release);
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void free_all(qdri_sender *sender) {
    for (int i = 0; i < sender->slots; i++) {
        sender->free_slot[i] = (int8_t)(sender->slots - 1 - i);
        sender->slot_of[i] = -1;
    }
    sender->free_slots = sender->slots;
}

/* The word about the slots; what is read between the two counters belongs together if they are equal. */
static void read_slots(qdri_sender *sender) {
    qdri_shared *shared = sender->shared;
    uint64_t generation = atomic_load_explicit(&shared->generation, memory_order_acquire);
    int64_t offset = atomic_load_explicit(&shared->offset, memory_order_relaxed);
    int64_t capacity = atomic_load_explicit(&shared->capacity, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&shared->begun, memory_order_relaxed) != generation) return;
    sender->generation = generation;
    if (offset == sender->offset) return;
    sender->offset = offset;
    sender->capacity = capacity;
    sender->stride = stride_of(capacity);
    free_all(sender);
}

void qdri_sender_open(qdri_sender *sender, qdri_wire *wire, int member, int64_t offset, int slots) {
    *sender = (qdri_sender){.slots = slots, .asked = FIRST_CAPACITY};
    sender->memory = qdri_arena_at(wire, member, 0);
    sender->shared = (qdri_shared *)(sender->memory + offset);
    qdri_own_word own = qdri_own_word_here();
    atomic_store_explicit(&sender->shared->word_place, own.place, memory_order_relaxed);
    atomic_store_explicit(&sender->shared->word, own.word, memory_order_release);
    read_slots(sender);
}

void qdri_sender_close(qdri_sender *sender) {
    qdri_sender_withdraw(sender);
    if (sender->shared) atomic_store_explicit(&sender->shared->left, 1, memory_order_release);
    sender->shared = NULL;
}

void qdri_sender_hear(qdri_sender *sender, uint64_t taken) {
    for (; sender->taken < taken; sender->taken++) {
        int8_t *slot = &sender->slot_of[sender->taken % (uint64_t)sender->slots];
        if (*slot >= 0) sender->free_slot[sender->free_slots++] = *slot;
        *slot = -1;
    }
}

void qdri_sender_expect(qdri_sender *sender, int64_t bytes, int64_t most) {
    if (bytes <= sender->asked || bytes > most) return;
    sender->asked = asked_for(bytes, most);
    sender->expected++;
}

/* Tells the receiver what is waited for. */
static qdri_place wait_for_room(qdri_sender *sender, int64_t bytes) {
    atomic_store_explicit(&sender->shared->wanted, bytes, memory_order_relaxed);
    atomic_store_explicit(&sender->shared->waits, sender->sent + 1, memory_order_release);
    return QDRI_PLACE_LATER;
}

/* Where the ring is, as its receiver says: see qdri_shared. */
static int64_t find_ring(qdri_sender *sender) {
    int64_t offset = atomic_load_explicit(&sender->shared->ring, memory_order_acquire);
    if (offset <= 0) return offset;
    sender->piece = atomic_load_explicit(&sender->shared->piece, memory_order_relaxed);
    sender->ring = sender->memory + offset;
    return offset;
}

/* The way of what is larger than any slot may be. */
static qdri_place place_pieces(qdri_sender *sender, int64_t bytes) {
    int64_t offset = sender->ring ? 1 : find_ring(sender);
    return offset > 0 ? QDRI_PLACE_PIECES : offset < 0 ? QDRI_PLACE_MESSAGE : wait_for_room(sender, bytes);
}

static int is_wanted(const qdri_sender *sender, int64_t bytes) {
    return bytes >= qdri_cut_at.least_read &&
           atomic_load_explicit(&sender->shared->reads[sender->sent % 2], memory_order_acquire) >>
                   qdri_size_class(bytes) &
               1;
}

qdri_place qdri_sender_place(qdri_sender *sender, int64_t bytes, int64_t most, int ready, void **place) {
    if (sender->cuts) return QDRI_PLACE_LATER;
    qdri_sender_expect(sender, bytes, most);
    if (sender->sent - sender->taken >= (uint64_t)sender->slots) {
        qdri_sender_hear(sender, atomic_load_explicit(&sender->shared->taken, memory_order_acquire));
        if (sender->sent - sender->taken >= (uint64_t)sender->slots) return QDRI_PLACE_LATER;
    }
    if (ready && is_wanted(sender, bytes)) return QDRI_PLACE_OWN;
    if (sender->generation < sender->expected) {
        read_slots(sender);
        if (sender->generation < sender->expected) return wait_for_room(sender, bytes);
    }
    if (bytes > most) return place_pieces(sender, bytes);
    if (bytes > sender->capacity) return QDRI_PLACE_MESSAGE;
    *place = sender->memory + sender->offset + sender->free_slot[sender->free_slots - 1] * sender->stride;
    return QDRI_PLACE_SLOT;
}

void qdri_sender_raise(qdri_sender *sender, qdri_place way, const void *place, int64_t bytes,
                       uint64_t taken) {
    uint64_t turn = sender->sent % (uint64_t)sender->slots;
    qdri_flag *flag = &sender->shared->flag[turn];
    int is_slot = way == QDRI_PLACE_SLOT;
    sender->slot_of[turn] = is_slot ? sender->free_slot[--sender->free_slots] : (int8_t)-1;
    sender->cuts = way == QDRI_PLACE_PIECES;
    flag->offset = is_slot                 ? (const char *)place - sender->memory
                   : sender->cuts          ? QDRI_IN_PIECES
                   : way == QDRI_PLACE_OWN ? QDRI_TO_BE_READ
                                           : 0;
    flag->place = (uint64_t)(uintptr_t)place;
    flag->bytes = bytes;
    flag->taken = taken;
    flag->generation = sender->generation;
    atomic_store_explicit(&flag->raised, ++sender->sent, memory_order_release);
}

void *qdri_sender_piece(qdri_sender *sender) {
    uint64_t pieces = (uint64_t)qdri_cut_at.pieces;
    if (sender->written - sender->read >= pieces)
        sender->read = atomic_load_explicit(&sender->shared->read, memory_order_acquire);
    if (sender->written - sender->read >= pieces) return NULL;
    return sender->ring + (int64_t)(sender->written % pieces) * stride_of(sender->piece);
}

void qdri_sender_wrote(qdri_sender *sender, int is_last) {
    atomic_store_explicit(&sender->shared->written, ++sender->written, memory_order_release);
    if (is_last) sender->cuts = 0;
}

/* ---- messages that are read where they lie ------------------------------------------------------------- */

/* A sender that has not come yet has shown nothing: it is looked for again. */
static int find_process(qdri_receiver *receiver, qdri_wire *wire, int rank) {
    if (receiver->process) return receiver->process > 0;
    const qdri_status_line *line = qdri_status_of(wire, rank);
    qdri_own_word own = {.word = atomic_load_explicit(&receiver->shared->word, memory_order_acquire)};
    if (!own.word) return 0;
    own.place = atomic_load_explicit(&receiver->shared->word_place, memory_order_relaxed);
    receiver->process = line && qdri_foreign_is(line->pid, own) ? line->pid : -1;
    return receiver->process > 0;
}

static void want(qdri_receiver *receiver, int parity, uint64_t wanted) {
    receiver->reads[parity] = wanted;
    atomic_store_explicit(&receiver->shared->reads[parity], wanted, memory_order_release);
}

void qdri_receiver_want(qdri_receiver *receiver, qdri_wire *wire, int rank, int size_class, int even,
                        int odd) {
    uint64_t bit = UINT64_C(1) << size_class;
    int reads[2] = {even, odd};
    for (int parity = 0; parity < 2; parity++) {
        uint64_t wanted = reads[parity] ? receiver->reads[parity] | bit : receiver->reads[parity] & ~bit;
        if (wanted != receiver->reads[parity] && (!reads[parity] || find_process(receiver, wire, rank)))
            want(receiver, parity, wanted);
    }
}

void qdri_receiver_want_at_first(qdri_receiver *receiver, int64_t process, uint64_t classes) {
    receiver->process = process;
    if (process <= 0 || !classes) return;
    for (int parity = 0; parity < 2; parity++) want(receiver, parity, classes);
}

int qdri_receiver_fetch(const qdri_receiver *receiver, const qdri_flag *flag, int64_t offset, void *into,
                        int64_t bytes) {
    return receiver->process > 0 &&
           qdri_foreign_read(receiver->process, flag->place + (uint64_t)offset, into, bytes);
}

int qdri_receiver_fetched(qdri_receiver *receiver, uint64_t number) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&receiver->shared->withdrawn, memory_order_seq_cst) > number) return 0;
    atomic_store_explicit(&receiver->shared->fetched, number + 1, memory_order_release);
    return 1;
}

void qdri_receiver_refuse(qdri_receiver *receiver, uint64_t number) {
    receiver->process = -1;
    for (int parity = 0; parity < 2; parity++) want(receiver, parity, 0);
    if (!atomic_load_explicit(&receiver->shared->refused, memory_order_relaxed))
        atomic_store_explicit(&receiver->shared->refused, number + 1, memory_order_release);
}

qdri_fetching qdri_sender_fetching(const qdri_sender *sender, uint64_t number) {
    if (atomic_load_explicit(&sender->shared->fetched, memory_order_acquire) > number) return QDRI_FETCHED;
    uint64_t refused = atomic_load_explicit(&sender->shared->refused, memory_order_acquire);
    return refused && refused <= number + 1 ? QDRI_REFUSED : QDRI_NOT_FETCHED;
}

void qdri_sender_withdraw(qdri_sender *sender) {
    if (!sender->shared) return;
    atomic_store_explicit(&sender->shared->withdrawn, sender->sent, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
}

/* ---- before the first message -------------------------------------------------------------------------- */

/* A message of so many bytes goes through so much of a ring. */
static int64_t ring_bytes(int64_t bytes, int64_t piece) {
    int64_t all = qdri_cut_at.pieces * stride_of(piece), pieces = (bytes + piece - 1) / piece;
    return pieces < qdri_cut_at.pieces ? pieces * stride_of(piece) : all;
}

void qdri_receiver_warm(const qdri_receiver *receiver, qdri_wire *wire, int64_t least, int64_t most) {
    if (most <= FIRST_CAPACITY) return; /* one page, or none */
    if (least <= receiver->capacity)
        qdri_arena_warm(wire, receiver->memory + receiver->offset,
                        receiver->slots * stride_of(receiver->capacity));
    if (most > receiver->capacity && receiver->ring > 0)
        qdri_arena_warm(wire, receiver->memory + receiver->ring, ring_bytes(most, receiver->piece));
}

void qdri_sender_warm(qdri_sender *sender, qdri_wire *wire, int64_t least, int64_t most) {
    if (most <= FIRST_CAPACITY) return;
    read_slots(sender);
    if (least <= sender->capacity)
        qdri_arena_warm(wire, sender->memory + sender->offset, sender->slots * sender->stride);
    if (most > sender->capacity && find_ring(sender) > 0)
        qdri_arena_warm(wire, sender->ring, ring_bytes(most, sender->piece));
}
