/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: one way from a rank to another of its node, through the receiver's arena.
 *
 * A channel carries one message per exchange, in order. The receiver owns a few *slots*; the sender writes a
 * message straight into one and raises a *flag*, which says where it lies. There are as many flags as slots,
 * used in turn, each on cache lines of its own; message n has flag n mod slots. The sender may write message n
 * when message n - slots was *taken*: the receiver counts what it has taken, and tells the sender with its own
 * next message to him, or, where none goes that way, in a line beside the flags.
 *
 * Slots begin small. When a message is larger than what was *asked* for so far, both ends know it, for both
 * know its size: the receiver makes larger slots, and the sender waits for the word about them. Where there is
 * no memory for that, the word says so, and this message and others too large for a slot go by MPI; their flag
 * is raised all the same, empty. Nothing is ever agreed on.
 *
 * A message that is larger than any slot may be goes in *pieces*, through a ring of a few of them, which the receiver
 * makes when it expects the first such message. Its flag is raised before the first piece is written. Then the
 * sender counts the pieces that it has written and the receiver those that it has read, and the sender is never
 * ahead by more than the ring has. So both work at once, on memory that stays in their caches, and a channel needs no
 * more memory for a message of gigabytes than for the smallest of these. The counts go on through all messages; all
 * pieces of one but its last are full, so both ends know where it ends. While a message is being written the sender
 * begins no other. Where there is no memory for the ring, these messages, too, go by MPI.
 *
 * Where the system lets the receiver read the sender's memory, a message that lies ready there can be *read*: its flag says
 * where it lies, and nothing is written. It is copied once then instead of twice, but by the system, which has to look up every page of
 * it. Which is faster depends on machine and size (ways.h). The receiver says of which sizes it wants to read messages;
 * the sender may have looked at that before, and the flag says how a message comes. The sender's memory is its own again when
 * the receiver has counted the message. A message that it cannot read the receiver *refuses*, and all later ones with it:
 * they come by MPI. A sender that gives an exchange up *withdraws* what was not read; the receiver looks for that when it
 * has read, so that it never takes what was changed meanwhile.
 */
#ifndef QDRI_CHANNEL_H
#define QDRI_CHANNEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "wire/node.h"

enum { QDRI_MOST_SLOTS = 32 };

/* Where messages are cut; the same on all ranks, and smaller in tests. */
typedef struct qdri_cut_sizes {
    int64_t whole, whole_kept; /* what is larger goes in pieces; the same of what is kept where it arrives */
    int64_t piece;             /* bytes, at most; whole cache lines */
    int pieces;                /* of a ring */
    int64_t least_read;        /* what is smaller is never read where it lies */
} qdri_cut_sizes;
extern qdri_cut_sizes qdri_cut_at;

/* In the receiver's arena. */
typedef struct qdri_flag {
    _Alignas(128) _Atomic uint64_t raised; /* the number of the message, and one */
    int64_t offset;                        /* of its slot; 0: by MPI; or one of those below */
    uint64_t place;                        /* of one that is to be read: where it lies */
    int64_t bytes;
    uint64_t taken;      /* of the opposite channel */
    uint64_t generation; /* of the slots it lies in */
} qdri_flag;
enum { QDRI_IN_PIECES = -1, QDRI_TO_BE_READ = -2 }; /* offsets */

typedef struct qdri_shared {
    _Alignas(128) _Atomic uint64_t taken;
    _Alignas(128) _Atomic uint64_t generation; /* of the slots: what follows belongs to it */
    _Atomic uint64_t begun;                    /* the same, before they are changed */
    _Atomic int64_t offset, capacity;
    _Alignas(
        128) _Atomic uint64_t waits; /* of the sender: the message that waits for larger slots, and one */
    _Atomic int64_t wanted;          /* its bytes */
    _Atomic int64_t left;            /* the sender has closed its end, and writes nothing any more */
    _Atomic uint64_t withdrawn;      /* by the sender: messages before this one are not to be read any more */
    _Atomic uint64_t word_place, word;      /* of the sender (qdri_own_word) */
    _Alignas(128) _Atomic uint64_t written; /* pieces, by the sender */
    _Alignas(128) _Atomic uint64_t read;    /* by the receiver */
    _Atomic int64_t piece;                  /* bytes of one */
    _Atomic int64_t ring;                   /* where they are; 0: nowhere yet; -1: there is no memory */
    _Alignas(128) _Atomic uint64_t fetched; /* by the receiver: the last message that it has read, and one */
    _Atomic uint64_t refused;               /* the first that it could not read, and one; 0: none */
    _Atomic uint64_t reads[2]; /* of even and of odd numbers: bit k: it wants to read messages of 2^k bytes
                                             * up to twice that */
    qdri_flag flag[];
} qdri_shared;

/* The end that sends. */
typedef struct qdri_sender {
    qdri_shared *shared; /* NULL: closed */
    char *memory;        /* the receiver's arena */
    int slots;
    uint64_t sent, taken, generation, expected;
    int64_t asked, offset, capacity, stride;
    uint64_t written, read; /* pieces; the latter as far as is known */
    char *ring;
    int64_t piece;
    int cuts; /* a message is being written, in pieces */
    int free_slots;
    int8_t free_slot[QDRI_MOST_SLOTS];
    int8_t slot_of[QDRI_MOST_SLOTS]; /* of message n at n mod slots; -1: in none of these */
} qdri_sender;

/* The end that receives. */
typedef struct qdri_retired {
    uint64_t generation;
    int64_t offset;
} qdri_retired;
typedef struct qdri_receiver {
    qdri_shared *shared;
    char *memory;
    int64_t own;   /* where `shared` lies */
    int connected; /* there is a sender */
    int slots;
    uint64_t received, taken, generation;
    uint64_t done; /* bit k: message taken + k is not needed any more */
    int64_t asked, offset, capacity;
    uint64_t written, read; /* pieces; the former as far as is known */
    int64_t ring;           /* 0: none yet; -1: no memory */
    int64_t piece;
    uint64_t reads[2];     /* as above */
    int64_t process;       /* of the sender, whose memory can be read; 0: not known yet; -1: it cannot */
    qdri_retired *retired; /* slots that hold messages still, by rising generation */
    int64_t retired_count, retired_capacity;
} qdri_receiver;

/* Local. The offset is what the sender has to know; 0: there is no memory. */
int64_t qdri_receiver_open(qdri_receiver *receiver, qdri_wire *wire, int slots);
void qdri_sender_open(qdri_sender *sender, qdri_wire *wire, int member, int64_t offset, int slots);
/* Local. Whoever closes first may be the only one who ever does, in a program that is wrong: the memory is used again when
 * the sender has closed too. */
void qdri_receiver_close(qdri_receiver *receiver, qdri_wire *wire);
void qdri_sender_close(qdri_sender *sender);

/* The receiver begins an exchange in which so many bytes come, `most` being the most that any slot is for. In
 * which way they come, their flag says: slots may have grown since when the sender looks at them, and there may have
 * been no memory for a ring. */
void qdri_receiver_expect(qdri_receiver *receiver, qdri_wire *wire, int64_t bytes, int64_t most);

/* What both ends may do before the first exchange, if they know about how large messages will be: so that no page of memory
 * has to be found in it. Either end has to say the same. Then, when the other has done so, each looks for its pages. */
void qdri_sender_expect(qdri_sender *sender, int64_t bytes, int64_t most);
void qdri_receiver_warm(const qdri_receiver *receiver, qdri_wire *wire, int64_t least, int64_t most);
void qdri_sender_warm(qdri_sender *sender, qdri_wire *wire, int64_t least, int64_t most);

/* The flag of the next message, once it is raised; NULL: not yet. */
static inline const qdri_flag *qdri_receiver_look(const qdri_receiver *receiver) {
    const qdri_flag *flag = &receiver->shared->flag[receiver->received % (uint64_t)receiver->slots];
    return atomic_load_explicit(&flag->raised, memory_order_acquire) == receiver->received + 1 ? flag : NULL;
}

/* The bytes of the next message, if its sender waits for larger slots; -1: it does not. */
int64_t qdri_receiver_wanted(const qdri_receiver *receiver);

/* A message is not needed any more. They may end in any order, and are taken in theirs. `tells`: also beside
 * the flags. */
void qdri_receiver_take(qdri_receiver *receiver, qdri_wire *wire, uint64_t number, int tells);

/* Where to write the next message. */
typedef enum qdri_place {
    QDRI_PLACE_LATER,
    QDRI_PLACE_SLOT,
    QDRI_PLACE_MESSAGE,
    QDRI_PLACE_PIECES,
    QDRI_PLACE_OWN /* nowhere: it is read where it lies */
} qdri_place;
/* `ready`: it lies in one piece in memory of this process. */
qdri_place qdri_sender_place(qdri_sender *sender, int64_t bytes, int64_t most, int ready, void **place);
/* It is written into its slot, or about to go in another way. `place`: the slot, or where it is to be read. */
void qdri_sender_raise(qdri_sender *sender, qdri_place way, const void *place, int64_t bytes, uint64_t taken);
/* The other end said how much it has taken. */
void qdri_sender_hear(qdri_sender *sender, uint64_t taken);

/* Where to write the next piece, or to read it; NULL: not yet. Then: it is written, it was read. */
void *qdri_sender_piece(qdri_sender *sender);
void qdri_sender_wrote(qdri_sender *sender, int is_last);
const void *qdri_receiver_piece(qdri_receiver *receiver);
void qdri_receiver_read(qdri_receiver *receiver);

/* ---- messages that are read where they lie ------------------------------------------------------------- */

/* What a size belongs to: 2^k bytes up to twice that. */
static inline int qdri_size_class(int64_t bytes) {
    return bytes > 0 ? 63 - __builtin_clzll((unsigned long long)bytes) : 0;
}

/* From the next message on the sender may look: this rank wants to read messages of this class, those with even numbers, or with odd
 * ones, or both. `rank`: the sender. */
void qdri_receiver_want(qdri_receiver *receiver, qdri_wire *wire, int rank, int size_class, int even,
                        int odd);
/* Before there is a sender: who it is, if that is known, and the classes that this rank wants to read from the first message on. */
void qdri_receiver_want_at_first(qdri_receiver *receiver, int64_t process, uint64_t classes);
/* Some bytes of the message whose flag was looked at. False: they cannot be read. */
int qdri_receiver_fetch(const qdri_receiver *receiver, const qdri_flag *flag, int64_t offset, void *into,
                        int64_t bytes);
/* All of message `number` was read. False: it was withdrawn meanwhile. */
int qdri_receiver_fetched(qdri_receiver *receiver, uint64_t number);
/* It is to come by MPI. */
void qdri_receiver_refuse(qdri_receiver *receiver, uint64_t number);

/* What has become of message `number`, which was to be read. */
typedef enum qdri_fetching { QDRI_NOT_FETCHED, QDRI_FETCHED, QDRI_REFUSED } qdri_fetching;
qdri_fetching qdri_sender_fetching(const qdri_sender *sender, uint64_t number);
/* What was not read is not to be read: its memory is not the library's any more. */
void qdri_sender_withdraw(qdri_sender *sender);

#endif
