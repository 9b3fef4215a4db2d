/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Councils: see council.h. A question that is under way is a *sitting*; what travels are *papers* (paper.h). Receives
 * are posted for each sitting, so that a council costs nothing while nobody asks. Papers between two members keep their
 * order, and carry the number of the question besides.
 *
 * Beside all questions there are news (news.h): a failure that ends the council. The first member passes them on, and
 * looks for them before it decides.
 *
 * Deadlines. The first member decides that some have not come, and tells every member directly, because whoever
 * should pass it on may be the one who is missing. A member that lacks some below it says so with its paper. All others
 * wait for the decision a little longer than they would; if there is none, the first member itself has not come, and
 * finds their news when it comes.
 */
#include "wire/council.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/inside.h"

enum { RADIX = 8 };

/* What has ended a council may be none of its questions; or the loss of the other program, which is the answer to all that are
 * still asked. */
enum { NO_QUESTION = -1, ALL_QUESTIONS = -3 };

/* Tags, from the first of the council on. */
enum { UP, DOWN };

/* ---- who is in it -------------------------------------------------------------------------------------- */

typedef struct sitting sitting;

typedef struct leg {
    qdri_operation operation; /* first */
    sitting *of;
} leg;

/* What is sent must stay until it has gone, and what is received has a place before it comes. */
struct sitting {
    qdri_council *council;
    qdri_agreement *agreement; /* NULL: nobody waits for it */
    qdri_answered *answered;
    int64_t number;
    int unheard; /* of those below */
    int wants_tags;
    int is_up;            /* its paper has gone up */
    int is_over;          /* it is answered */
    int under_way;        /* legs */
    int64_t answer_bytes; /* the answer is here, and was not passed on */
    qdri_paper paper;
    qdri_term term[QDRI_TERMS];
    leg from_above, to_above, from_below[RADIX + 1], to_below[RADIX + 1];
    sitting *next;
    sitting *older; /* of all there are */
    char said[sizeof(qdri_paper)], answer[sizeof(qdri_paper)];
    char heard[][sizeof(qdri_paper)]; /* [belows] */
};

struct qdri_council {
    qdri_listener listener; /* first */
    qdri_wire *wire;
    qdri_council_shape shape;
    int above; /* a place; -1: this is the first member */
    int below[RADIX + 1], belows;
    int64_t asked;
    sitting *open, *spare; /* open ones in the order in which they were asked */
    sitting *newest;
    qdr_status failed;   /* whatever is asked is answered by this */
    int64_t fatal;       /* the question that failed so; NO_QUESTION, or ALL_QUESTIONS */
    qdr_status appealed; /* before it has ended: what this member has said, with the sentence */
    int64_t appealed_in;
    char sentence[QDRI_PAPER_TEXT];
};

static int rank_of(const qdri_council *council, int place) {
    return council->shape.rank ? council->shape.rank[place] : place;
}

static int is_first(const qdri_council *council) {
    return council->above < 0;
}

/* The places of a program's tree, which begin at `first`, as those of a heap. */
static void find_neighbours(qdri_council *council) {
    const qdri_council_shape *shape = &council->shape;
    int is_second = shape->second > 0 && shape->place >= shape->second;
    int first = is_second ? shape->second : 0;
    int64_t end = shape->second > 0 && !is_second ? shape->second : shape->members,
            place = shape->place - first;
    for (int64_t i = first + RADIX * place + 1; i <= first + RADIX * place + RADIX && i < end; i++)
        council->below[council->belows++] = (int)i;
    if (shape->second > 0 && shape->place == 0) council->below[council->belows++] = shape->second;
    council->above = place > 0 ? first + (int)((place - 1) / RADIX) : is_second ? 0 : -1;
}

/* ---- the end of a sitting ------------------------------------------------------------------------------ */

static void recycle(sitting *one) {
    if (!one->is_over || one->under_way > 0) return;
    one->next = one->council->spare;
    one->council->spare = one;
}

static void unlist(sitting *one) {
    sitting **link = &one->council->open;
    while (*link != one) link = &(*link)->next;
    *link = one->next;
}

static void conclude(sitting *one, qdr_status status) {
    qdri_agreement *agreement = one->agreement;
    qdri_answered *answered = one->answered;
    unlist(one);
    one->is_over = 1;
    one->agreement = NULL;
    recycle(one);
    if (agreement) answered(agreement, status);
}

/* The council ends: everything that is open, and will be asked, is answered so. `question` is the one that failed. */
static void end(qdri_council *council, int64_t question, qdr_status status, const char *sentence) {
    if (!council->failed) {
        council->failed = status;
        council->fatal = question;
        snprintf(council->sentence, sizeof council->sentence, "%s", sentence);
    }
    while (council->open) conclude(council->open, qdri_fail(council->failed, "%s", council->sentence));
}

/* ---- news ---------------------------------------------------------------------------------------------- */

/* Plans, which have news too, are counted from 0 on. */
static int64_t name_of(const qdri_council *council) {
    return -1 - (int64_t)council->shape.first_tag;
}

static void write_to(qdri_council *council, int place, const qdri_news *news) {
    qdri_news_tell(council->wire, rank_of(council, place), news);
}

/* The first place of this rank's program: members of the second may have no connection yet with the first member, so that
 * news go by way of it. */
static int leader(const qdri_council *council) {
    const qdri_council_shape *shape = &council->shape;
    return shape->second > 0 && shape->place >= shape->second ? shape->second : 0;
}

/* To those who have to know next: from a member to its leader, from that of the second program to the first member and to
 * its own, from the first member to all. */
static void spread(qdri_council *council, const qdri_news *news) {
    const qdri_council_shape *shape = &council->shape;
    int leads = shape->place == leader(council);
    if (!leads || !is_first(council)) write_to(council, leads ? 0 : leader(council), news);
    for (int place = shape->place + 1; leads && place < shape->members; place++)
        write_to(council, place, news);
}

static qdri_news news_of(const qdri_council *council, int64_t question, qdr_status status,
                         const char *sentence) {
    qdri_news news = {.about = name_of(council), .number = question, .status = status};
    snprintf(news.sentence, sizeof news.sentence, "%s", sentence);
    return news;
}

static qdri_teller sender_of(const qdri_operation *operation) {
    return (qdri_teller){NULL, operation->partner};
}

static void lift_in_order(qdri_council *council);

/* What is about others may have kept this one waiting. */
static int hear_news(qdri_listener *listener, const qdri_news *news) {
    qdri_council *council = (qdri_council *)listener;
    if (news->about != name_of(council)) {
        lift_in_order(council);
        return 0;
    }
    if (council->shape.place == leader(council) && !council->failed) spread(council, news);
    end(council, news->number, (qdr_status)news->status, news->sentence);
    return 1;
}

/* Nobody can have an answer to the next question, because this member has not asked it. */
void qdri_council_appeal(qdri_council *council, qdr_status status, int is_in_next) {
    if (council->failed || council->appealed) return;
    qdri_news news = news_of(council, is_in_next ? council->asked : NO_QUESTION, status, qdr_error_message());
    spread(council, &news);
    council->appealed = status;
    council->appealed_in = news.number;
    snprintf(council->sentence, sizeof council->sentence, "%s", news.sentence);
    if (is_first(council)) end(council, news.number, status, news.sentence);
}

void qdri_council_fail(qdri_council *council, qdr_status status) {
    qdri_council_appeal(council, status, 0);
    end(council, NO_QUESTION, status, qdr_error_message());
}

/* ---- the legs of a sitting ----------------------------------------------------------------------------- */

/* Whether it is still open after a leg of it is done. */
static int has_landed(sitting *one, qdr_status status) {
    one->under_way--;
    if (one->is_over)
        recycle(one);
    else if (status)
        end(one->council, one->number, status, qdr_error_message());
    else
        return 1;
    return 0;
}

static void sent(qdri_operation *operation, qdr_status status) {
    has_landed(((leg *)operation)->of, status);
}

static void begin(sitting *one, qdr_status status) {
    if (!status)
        one->under_way++;
    else if (!one->is_over)
        end(one->council, one->number, status, qdr_error_message());
}

static void tell(sitting *one, leg *by, int place, int kind, const char *bytes, int64_t length) {
    const qdri_council *council = one->council;
    *by = (leg){.operation = {.done = sent}, .of = one};
    begin(one, qdri_send(council->wire, &by->operation, rank_of(council, place),
                         council->shape.first_tag + kind, bytes, length));
}

static void listen(sitting *one, leg *by, qdri_done *done, int place, int kind, char *bytes) {
    const qdri_council *council = one->council;
    *by = (leg){.operation = {.done = done}, .of = one};
    begin(one, qdri_receive(council->wire, &by->operation, rank_of(council, place),
                            council->shape.first_tag + kind, bytes, (int64_t)sizeof one->answer));
}

static qdr_status read_paper(const sitting *one, const qdri_operation *operation, const char *bytes,
                             qdri_paper *paper) {
    QDRI_TRY(qdri_paper_unpack(sender_of(operation), bytes, operation->bytes, paper));
    return qdri_decode_word(sender_of(operation), "number of a question", paper->head.number, one->number,
                            one->number);
}

/* ---- down ---------------------------------------------------------------------------------------------- */

/* Who is in a different call, or did not come, may do anything next. */
static void answer(sitting *one) {
    const qdri_paper *paper = &one->paper;
    int ends = paper->head.status && paper->head.kind == QDRI_FAILS_FOR_GOOD;
    qdr_status status = QDR_OK;
    if (ends) {
        end(one->council, one->number, (qdr_status)paper->head.status, paper->text);
        return;
    }
    if (one->agreement) {
        status = qdri_paper_read(paper, one->agreement);
        if (!status && one->agreement->wants_tags)
            status = qdri_span_take(one->council->wire, paper->head.span, &one->agreement->first_tag);
    }
    conclude(one, status);
}

static void pass_down(sitting *one, int64_t length) {
    const qdri_council *council = one->council;
    for (int i = 0; i < council->belows && !one->is_over; i++)
        tell(one, &one->to_below[i], council->below[i], DOWN, one->answer, length);
    if (!one->is_over) answer(one);
}

/* Answers are passed on in the order of the questions, in whichever MPI says that they have come. */
static void pass_down_in_order(qdri_council *council) {
    while (council->open && council->open->answer_bytes > 0) {
        int64_t length = council->open->answer_bytes;
        council->open->answer_bytes = 0;
        pass_down(council->open, length);
    }
}

static void heard_above(qdri_operation *operation, qdr_status status) {
    sitting *one = ((leg *)operation)->of;
    qdri_council *council = one->council;
    if (!status && !one->is_over) status = read_paper(one, operation, one->answer, &one->paper);
    if (!has_landed(one, status)) return;
    one->answer_bytes = operation->bytes;
    pass_down_in_order(council);
}

static void decide(sitting *one) {
    qdri_paper *paper = &one->paper;
    const qdri_agreement *agreement = one->agreement;
    if (paper->head.status == QDR_ERR_STALLED && paper->head.kind == QDRI_FAILS_FOR_GOOD) {
        qdri_news news = news_of(one->council, one->number, QDR_ERR_STALLED, paper->text);
        spread(one->council, &news);
        answer(one);
        return;
    }
    if (!paper->head.status && agreement && agreement->told_bytes > 0) {
        paper->head.told = agreement->told_bytes;
        memcpy(paper->text, agreement->told, (size_t)agreement->told_bytes);
    }
    if (one->wants_tags) {
        paper->head.span = qdri_span_find(one->council->wire, paper->united);
        paper->head.united = 0;
    }
    pass_down(one, qdri_paper_pack(paper, one->answer));
}

/* ---- up ------------------------------------------------------------------------------------------------ */

static void lift(sitting *one) {
    if (one->is_up) return;
    one->is_up = 1;
    if (is_first(one->council))
        decide(one);
    else
        tell(one, &one->to_above, one->council->above, UP, one->said,
             qdri_paper_pack(&one->paper, one->said));
}

/* Those who waited in vain for the first member have told it, and are gone: it looks before it decides. */
static int has_news(qdri_council *council) {
    return qdri_news_look(council->wire) || council->failed;
}

/* So are papers. */
static void lift_in_order(qdri_council *council) {
    for (sitting *one = council->open; one;) {
        if (one->is_up) {
            one = one->next;
        } else if (one->unheard > 0 || (is_first(council) && has_news(council))) {
            return;
        } else {
            lift(one);
            one = council->open; /* which may have changed */
        }
    }
}

/* Late papers, of a sitting that went up without them, are dropped. */
static void heard_below(qdri_operation *operation, qdr_status status) {
    sitting *one = ((leg *)operation)->of;
    qdri_council *council = one->council;
    int64_t i = (leg *)operation - one->from_below;
    qdri_paper paper;
    if (!status && !one->is_over) status = read_paper(one, operation, one->heard[i], &paper);
    if (!has_landed(one, status) || one->is_up) return;
    qdri_paper_add(&one->paper, &paper, one->term, council->wire->rank, operation->partner);
    one->unheard--;
    lift_in_order(council);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

static int make_sitting(qdri_council *council) {
    int64_t bytes = (int64_t)(sizeof(sitting) + (size_t)council->belows * sizeof(qdri_paper));
    sitting *one = qdri_alloc_zero(bytes, 1);
    if (!one) return 0;
    one->council = council;
    one->older = council->newest;
    council->newest = one;
    one->next = council->spare;
    council->spare = one;
    return 1;
}

static sitting *take_sitting(qdri_council *council) {
    if (!council->spare && !make_sitting(council)) return NULL;
    sitting *one = council->spare;
    council->spare = one->next;
    one->number = council->asked++;
    one->unheard = council->belows;
    one->is_up = one->is_over = one->under_way = 0;
    one->answer_bytes = 0;
    one->next = NULL;
    sitting **link = &council->open;
    while (*link) link = &(*link)->next;
    *link = one;
    return one;
}

qdr_status qdri_council_ask(qdri_council *council, qdri_agreement *agreement, qdri_answered *answered) {
    qdri_wire *wire = council->wire;
    if (council->failed) { /* perhaps by this question, on a rank that has asked before */
        agreement->number = council->asked++;
        return qdri_fail(council->failed, "%s", council->sentence);
    }
    sitting *one = take_sitting(council);
    if (!one) return qdri_fail_memory();
    one->agreement = agreement;
    one->answered = answered;
    agreement->number = one->number;
    for (int i = 0; i < agreement->terms; i++) one->term[i] = agreement->term[i];
    one->wants_tags = agreement->wants_tags;
    qdri_paper_write(&one->paper, agreement, wire->rank, one->wants_tags ? wire->tag_span : agreement->united,
                     one->wants_tags ? (wire->tag_spans + 63) / 64 : agreement->united_words);
    one->paper.head.number = one->number;
    qdri_status_own(wire)->meetings++;
    for (int i = 0; i < council->belows && !one->is_over; i++)
        listen(one, &one->from_below[i], heard_below, council->below[i], UP, one->heard[i]);
    if (!is_first(council) && !one->is_over)
        listen(one, &one->from_above, heard_above, council->above, DOWN, one->answer);
    if (!one->is_over) lift_in_order(council);
    return QDR_OK;
}

void qdri_council_drop(qdri_council *council, const qdri_agreement *agreement) {
    for (sitting *one = council->open; one; one = one->next)
        if (one->agreement == agreement) {
            one->agreement = NULL;
            for (int i = 0; i < QDRI_TERMS; i++)
                one->term[i].name = "term of a question"; /* his name may be gone */
        }
}

int qdri_council_awaits(const qdri_council *council) {
    const sitting *one = council->open;
    if (!one) return -1;
    for (int i = 0; i < council->belows && !one->is_up; i++)
        if (one->from_below[i].operation.parts > 0) return rank_of(council, council->below[i]);
    return is_first(council) ? -1 : rank_of(council, council->above);
}

int qdri_council_knows(const qdri_council *council) {
    const sitting *one = council->open;
    return one && !one->is_up;
}

int qdri_council_is_over(const qdri_council *council) {
    return council->failed != QDR_OK;
}

qdr_status qdri_council_failure(const qdri_council *council) {
    return council->failed ? qdri_fail(council->failed, "%s", council->sentence) : QDR_OK;
}

void qdri_council_lose(qdri_council *council, qdr_status status) {
    if (council->failed) return;
    qdri_news news = news_of(council, ALL_QUESTIONS, status, qdr_error_message());
    spread(council, &news);
    end(council, ALL_QUESTIONS, status, news.sentence);
}

int qdri_council_is_lost(const qdri_council *council) {
    return council->failed && council->fatal == ALL_QUESTIONS;
}

int qdri_council_ended_in(const qdri_council *council, const qdri_agreement *agreement) {
    return council->failed && council->fatal == agreement->number;
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

/* Whoever waits; what advances meanwhile may have sentences of its own. */
typedef struct waiter {
    int is_over;
    qdr_status status;
    char sentence[QDRI_PAPER_TEXT];
} waiter;

static void wake(qdri_agreement *agreement, qdr_status status) {
    waiter *self = agreement->waiter;
    self->is_over = 1;
    self->status = status;
    if (status) snprintf(self->sentence, sizeof self->sentence, "%s", qdr_error_message());
}

static qdr_status name_missing(const sitting *one) {
    enum { MOST = 4 };
    const qdri_council *council = one->council;
    char text[200];
    size_t used = 0;
    int named = 0;
    for (int i = 0; i < council->belows && used < sizeof text; i++) {
        if (one->from_below[i].operation.parts == 0 || named++ >= MOST) continue;
        int length = snprintf(text + used, sizeof text - used, "; rank %d has not come",
                              rank_of(council, council->below[i]));
        used += length > 0 ? (size_t)length : 0;
    }
    text[named ? sizeof text - 1 : 0] = '\0';
    return qdri_fail_stalled(council->wire, one->paper.head.call, text);
}

/* The deadline has passed. */
static void wait_for_decision(qdri_council *council, const qdri_agreement *agreement, const waiter *self,
                              double patience) {
    const double least = 0.2, most = 1; /* seconds: a first member that is only slow has come by then */
    double grace = patience / 4 < least ? least : patience / 4 > most ? most : patience / 4;
    sitting *one = council->open;
    while (one && one->agreement != agreement) one = one->next;
    if (!one) return;
    /* Those below may know better who is missing. */
    int has_inner = council->shape.place + RADIX < council->shape.members || council->shape.second > 0;
    if (is_first(council) && has_inner)
        (void)qdri_wait_until(council->wire, &self->is_over, qdri_seconds() + grace / 2);
    /* If this member was slow itself, others have decided without it: news may be on their way. */
    if (is_first(council) && !self->is_over && has_news(council))
        (void)qdri_wait_until(council->wire, &self->is_over, qdri_seconds() + grace);
    if (!self->is_over && one->unheard > 0) {
        qdri_paper_fail(&one->paper, name_missing(one), QDRI_FAILS_FOR_GOOD);
        lift(one);
    }
    if (!self->is_over) (void)qdri_wait_until(council->wire, &self->is_over, qdri_seconds() + grace);
    if (self->is_over || council->wire->gone || council->wire->failed) return;
    if (council->appealed) { /* which the first member finds when it comes */
        end(council, council->appealed_in, council->appealed, council->sentence);
        return;
    }
    char who[60];
    snprintf(who, sizeof who, "; rank %d has not come", rank_of(council, 0));
    qdri_paper_fail(&one->paper, qdri_fail_stalled(council->wire, agreement->call, who), QDRI_FAILS_FOR_GOOD);
    qdri_news news = news_of(council, one->number, QDR_ERR_STALLED, one->paper.text);
    spread(council, &news);
    end(council, one->number, QDR_ERR_STALLED, news.sentence);
}

qdr_status qdri_council_agree(qdri_council *council, qdri_agreement *agreement) {
    double deadline = agreement->deadline < 0 ? qdri_deadline(0) : agreement->deadline,
           begin = qdri_seconds();
    waiter self;
    self.is_over = 0;
    agreement->waiter = &self;
    QDRI_TRY(qdri_council_ask(council, agreement, wake));
    qdr_status status = qdri_wait_until(council->wire, &self.is_over, deadline);
    if (status == QDR_ERR_STALLED) wait_for_decision(council, agreement, &self, deadline - begin);
    if (!self.is_over) {
        qdri_council_drop(council, agreement);
        return qdri_wire_state(council->wire);
    }
    return self.status ? qdri_fail(self.status, "%s", self.sentence) : QDR_OK;
}

/* ---- beginning and end --------------------------------------------------------------------------------- */

static int64_t most_legs(const qdri_council *council) {
    return 2 * (int64_t)council->belows + 3;
}

static void dispose(qdri_council *council) {
    while (council->newest) {
        sitting *one = council->newest;
        council->newest = one->older;
        free(one);
    }
    free(council);
}

/* One sitting may be the next while the last words of another are under way. */
qdri_council *qdri_council_open(qdri_wire *wire, const qdri_council_shape *shape) {
    qdri_council *made = QDRI_ZERO_ARRAY(qdri_council, 1);
    if (!made) return NULL;
    made->wire = wire;
    made->shape = *shape;
    made->listener.hear = hear_news;
    find_neighbours(made);
    if (!make_sitting(made) || !make_sitting(made) || qdri_wire_reserve(wire, most_legs(made))) {
        dispose(made);
        return NULL;
    }
    qdri_listener_add(wire, &made->listener);
    return made;
}

/* Whether MPI may go on with any leg of it. */
static int give_up(sitting *one) {
    const qdri_council *council = one->council;
    int stays = 0;
    for (int i = 0; i < council->belows; i++) {
        stays |= qdri_cancel(council->wire, &one->from_below[i].operation);
        stays |= qdri_cancel(council->wire, &one->to_below[i].operation);
    }
    stays |= qdri_cancel(council->wire, &one->from_above.operation);
    return stays | qdri_cancel(council->wire, &one->to_above.operation);
}

int qdri_council_close(qdri_council **council) {
    qdri_council *closed = *council;
    if (!closed) return 1;
    *council = NULL;
    qdri_listener_remove(closed->wire, &closed->listener);
    int stays = 0;
    for (sitting *one = closed->newest; one; one = one->older)
        if (one->under_way > 0) stays |= give_up(one);
    (void)qdri_wire_reserve(closed->wire, -most_legs(closed));
    if (stays) return 0;
    dispose(closed);
    return 1;
}
