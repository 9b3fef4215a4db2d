/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile schedules: JSON texts of sound ones, damaged.
 *
 *     schedule_fuzz [inputs]        20000 inputs unless told otherwise
 *
 * Besides the mutations of text in mutate.h, transfers are dropped, doubled and exchanged, numbers take the
 * place of other numbers of the same text, stages and promises change, brackets nest deeply, arrays grow
 * long. A refusal must leave one line and no schedule. What is accepted goes through the checker, the
 * prediction and the writers, and comes back from its own text with the same verdict. The verdict itself is
 * held against a second opinion that shares nothing with the checker: it moves every single item from rank to
 * rank, stage by stage, and compares every two transfers of a phase.
 */
#include "mutate.h"
#include "quadrille-io.h"
#include "schedule/schedule.h"

enum { SEEDS_MOST = 64, ITEMS_MOST = 4096, TRANSFERS_MOST = 4096, LINES_MOST = 2048 };

typedef struct seed {
    qdr_pattern *pattern;
    qdr_machine *machine;
    char *text;
    size_t size;
} seed;

static seed seeds[SEEDS_MOST];
static int seed_count;

static const char *const patterns[] = {
    "paper:P,bytes=7",
    "random:n=8,density=0.4,bytes=1..30,seed=2",
    "random:n=5,density=0.8,bytes=1..3,seed=3",
    "permutation:n=6,bytes=4..9",
    "alltoone:n=7,bytes=3",
};

static const char *const algorithms[] = {
    "async",     "pairwise",    "greedy",   "recursive", "random-link",       "random-split:items=3",
    "two-stage", "split:tau=2", "coloring", "linear",    "random-link-split",
};

static const char *const machines[] = {"mesh:columns=4", "cm5", "hypercube:switching=circuit", "crossbar",
                                       "mesh:columns=2,sends=synchronous"};

static void make_seed(const char *pattern, const char *algorithm, const char *machine) {
    static const input nothing;
    seed *made = &seeds[seed_count++];
    qdr_schedule *schedule;
    if (qdr_pattern_from_spec(pattern, &made->pattern) ||
        qdr_machine_create(machine, qdr_pattern_look(made->pattern).ranks, &made->machine) ||
        qdr_schedule_create(made->pattern, algorithm, made->machine, &schedule))
        complain(&nothing, algorithm);
    FILE *stream = open_memstream(&made->text, &made->size);
    if (!stream || qdr_schedule_write_json(schedule, stream)) complain(&nothing, "cannot be written");
    fclose(stream);
    qdr_schedule_destroy(&schedule);
}

static void make_seeds(void) {
    for (size_t p = 0; p < COUNT(patterns); p++)
        for (size_t a = 0; a < COUNT(algorithms); a++)
            make_seed(patterns[p], algorithms[a], machines[(p + a) % COUNT(machines)]);
}

static void free_seeds(void) {
    for (int i = 0; i < seed_count; i++) {
        qdr_pattern_destroy(&seeds[i].pattern);
        qdr_machine_destroy(&seeds[i].machine);
        free(seeds[i].text);
    }
}

/* ---- mutations of schedules ---------------------------------------------------------------------------- */

/* Transfers stand on lines of their own: "\n  [stage, phase, from, to, [...]]" and a comma, but for the last.
 */
static size_t find_line(qdri_random *random, const input *text, size_t *length) {
    size_t start[LINES_MOST], count = 0;
    for (size_t i = 0; i + 2 < text->size && count < LINES_MOST; i++)
        if (!strncmp(text->bytes + i, "\n  [", 4)) start[count++] = i;
    if (!count) return *length = 0;
    size_t line = qdri_random_below(random, count), place = start[line];
    *length = 1 + strcspn(text->bytes + place + 1, "\n");
    if (place + *length > text->size) *length = text->size - place;
    return place;
}

/* Drops a transfer, doubles it, or takes it elsewhere. */
static void change_lines(qdri_random *random, input *text) {
    char line[512];
    size_t length, place = find_line(random, text, &length), other;
    unsigned what = qdri_random_below(random, 3);
    if (!length || length >= sizeof line || text->bytes[place + length - 1] != ',') return;
    memcpy(line, text->bytes + place, length);
    if (what != 1) replace(text, place, length, "", 0);
    if (what == 0) return;
    place = find_line(random, text, &other);
    if (other) replace(text, place, 0, line, length);
}

static void copy_number(qdri_random *random, input *text) {
    char number[24];
    size_t from, to, length = find_number(random, text, &from), gone;
    if (!length || length >= sizeof number) return;
    memcpy(number, text->bytes + from, length);
    gone = find_number(random, text, &to);
    if (gone) replace(text, to, gone, number, length);
}

/* Puts `value` behind the first appearance of `key`, for the text up to the next one of `until`. */
static void set_value(input *text, const char *key, const char *until, const char *value) {
    char *found = strstr(text->bytes, key);
    if (!found) return;
    size_t place = (size_t)(found - text->bytes) + strlen(key);
    replace(text, place, strcspn(text->bytes + place, until), value, strlen(value));
}

static void change_header(qdri_random *random, input *text) {
    static const char *const stages[] = {" 1", " 2", " 3", " 4096", " 4097", " 0", " \"1\"", " 2147483648"};
    static const char *const promises[] = {"",          "\"permutation\"",
                                           "\"pairs\"", "\"links\"",
                                           "\"limit\"", "\"permutation\", \"links\", \"limit\"",
                                           "\"speed\"", "7"};
    static const char *const limits[] = {"",   "1, 2, 3", "7, 7, 7, 7, 7, 7, 7, 7", "9223372036854775807",
                                         "-1", "1e300"};
    switch (qdri_random_below(random, 3)) {
    case 0:
        set_value(text, "\"stages\":", ",", pick(random, stages, COUNT(stages)));
        break;
    case 1:
        set_value(text, "\"promises\": [", "]", pick(random, promises, COUNT(promises)));
        break;
    default:
        set_value(text, "\"limits\": [", "]", pick(random, limits, COUNT(limits)));
    }
}

/* Thousands of brackets, or of numbers, in a place where a value stands. */
static void inflate(qdri_random *random, input *text) {
    static char many[3 * 8192];
    size_t place, length = find_number(random, text, &place);
    int nested = qdri_random_below(random, 2) == 0, count = 1 << qdri_random_below(random, 13);
    for (int i = 0; i < count; i++) memcpy(many + 3 * i, nested ? "[  " : "7, ", 3);
    if (length && qdri_random_below(random, 8) == 0) replace(text, place, 0, many, 3 * (size_t)count);
}

static void damage(qdri_random *random, input *text, const char *other) {
    switch (qdri_random_below(random, 8)) {
    case 0:
    case 1:
        change_lines(random, text);
        break;
    case 2:
    case 3:
        copy_number(random, text);
        break;
    case 4:
        change_header(random, text);
        break;
    case 5:
        inflate(random, text);
        break;
    default:
        mutate(random, text, other);
    }
}

/* ---- the second opinion -------------------------------------------------------------------------------- */

typedef struct move {
    int stage, from, to;
    int64_t phase, items;
} move;

typedef struct opinion {
    qdr_pattern_view view;
    int64_t base[1024];         /* [messages + 1]: where the items of a message begin */
    int holder[ITEMS_MOST];     /* the rank that has the item */
    int next[ITEMS_MOST];       /* the rank it is on the way to, -1: none */
    move moves[TRANSFERS_MOST]; /* all transfers */
    int count;
} opinion;

static int64_t message_of(const qdr_pattern_view *view, const qdr_piece *piece) {
    for (int64_t m = 0; m < view->messages; m++)
        if (view->origin[m] == piece->origin && view->destination[m] == piece->destination) return m;
    return -1;
}

static void place_items(opinion *o) {
    for (int64_t m = 0, item = 0; m < o->view.messages; m++) {
        o->base[m] = item;
        for (int64_t i = 0; i < o->view.items[m]; i++, item++) {
            o->holder[item] = o->view.origin[m];
            o->next[item] = -1;
        }
        o->base[m + 1] = item;
    }
}

static int take_off(opinion *o, const qdr_piece *piece, int from, int to) {
    int64_t m = message_of(&o->view, piece);
    if (m < 0 || piece->length > o->view.items[m] || piece->offset > o->view.items[m] - piece->length)
        return 0;
    for (int64_t i = o->base[m] + piece->offset; i < o->base[m] + piece->offset + piece->length; i++) {
        if (o->holder[i] != from || o->next[i] >= 0) return 0;
        o->next[i] = to;
    }
    return 1;
}

/* Whether every item can make its moves; the transfers are noted on the way. */
static int move_all(opinion *o, const qdr_schedule *schedule, qdr_row_reader *reader) {
    qdr_row row;
    for (int stage = 0; stage < schedule->stages; stage++) {
        for (int rank = 0; rank < o->view.ranks; rank++) {
            if (qdr_row_read(reader, rank, stage, &row)) return 0;
            for (int64_t s = 0; s < row.sends; s++) {
                const qdr_transfer *t = &row.send[s];
                if (t->partner == rank || o->count == TRANSFERS_MOST) return 0;
                o->moves[o->count++] = (move){stage, rank, t->partner, t->phase, t->items};
                for (int64_t p = t->first; p < t->first + t->pieces; p++)
                    if (!take_off(o, &row.piece[p], rank, t->partner)) return 0;
            }
        }
        for (int64_t i = 0; i < o->base[o->view.messages]; i++) {
            if (o->next[i] >= 0) o->holder[i] = o->next[i];
            o->next[i] = -1;
        }
    }
    for (int64_t m = 0; m < o->view.messages; m++)
        for (int64_t i = o->base[m]; i < o->base[m + 1]; i++)
            if (o->holder[i] != o->view.destination[m]) return 0;
    return 1;
}

static int64_t users_of_link(const opinion *o, const qdr_machine *machine, const move *like, int64_t link) {
    int64_t users = 0, route[64];
    for (int k = 0; k < o->count; k++) {
        const move *other = &o->moves[k];
        if (other->stage != like->stage || other->phase != like->phase) continue;
        int length = qdr_machine_route(machine, other->from, other->to, route);
        for (int i = 0; i < length; i++) users += route[i] == link;
    }
    return users;
}

static int keeps_links(const opinion *o, const qdr_machine *machine) {
    int64_t route[64];
    if (!machine || qdr_machine_route_limit(machine) > 64) return 0;
    for (int k = 0; k < o->count; k++) {
        int length = qdr_machine_route(machine, o->moves[k].from, o->moves[k].to, route);
        for (int i = 0; i < length; i++)
            if (users_of_link(o, machine, &o->moves[k], route[i]) >
                qdr_machine_link_streams(machine, route[i]))
                return 0;
    }
    return 1;
}

static int are_in_the_way(const move *a, const move *b, unsigned promises) {
    if (a->stage != b->stage || a->phase != b->phase) return 0;
    if ((promises & (QDR_PROMISES_PERMUTATION | QDR_PROMISES_PAIRS)) &&
        (a->from == b->from || a->to == b->to))
        return 1;
    return (promises & QDR_PROMISES_PAIRS) && (a->from == b->to) != (a->to == b->from);
}

static int keeps_promises(const opinion *o, const qdr_schedule *schedule) {
    for (int i = 0; i < o->count; i++) {
        const move *m = &o->moves[i];
        if ((schedule->promises & QDR_PROMISES_LIMIT) &&
            (m->stage > 0 || m->phase >= schedule->limits || m->items > schedule->limit[m->phase]))
            return 0;
        for (int k = 0; k < i; k++)
            if (are_in_the_way(m, &o->moves[k], schedule->promises)) return 0;
    }
    return !(schedule->promises & QDR_PROMISES_LINKS) || keeps_links(o, schedule->machine);
}

static int is_sound(const input *text, const qdr_schedule *schedule) {
    static opinion o;
    qdr_row_reader *reader;
    o.view = qdr_pattern_look(qdr_schedule_pattern(schedule));
    o.count = 0;
    place_items(&o);
    if (qdr_row_reader_create(schedule, &reader)) complain(text, "cannot be read by row");
    int sound = move_all(&o, schedule, reader) && keeps_promises(&o, schedule);
    qdr_row_reader_destroy(&reader);
    return sound;
}

/* ---- what is done with a schedule ---------------------------------------------------------------------- */

static void predict(const input *text, const qdr_schedule *schedule, const qdr_machine *machine) {
    static const int64_t item_bytes[] = {0, 1, 4096, INT64_C(1) << 61};
    qdr_step *steps;
    int64_t count;
    qdr_prediction prediction;
    FILE *stream = fopen("/dev/null", "w");
    if (!stream || qdr_schedule_steps(schedule, &count, &steps)) complain(text, "no steps");
    if (qdr_steps_write_text(count, steps, stream)) complain(text, "the text cannot be written");
    for (size_t i = 0; i < COUNT(item_bytes); i++) {
        qdr_status status = qdr_schedule_predict(schedule, machine, item_bytes[i], steps, &prediction);
        if (status == QDR_ERR_RANGE)
            check_message(text);
        else if (status || !(prediction.seconds >= 0) || !(prediction.barrier_seconds >= 0) ||
                 prediction.unconfirmed < 0)
            complain(text, "the prediction is nonsense");
    }
    free(steps);
    fclose(stream);
}

static void come_back(const input *text, const qdr_schedule *schedule, const seed *from, qdr_status verdict) {
    char *bytes = NULL;
    size_t size = 0;
    qdr_schedule *back = NULL;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream || qdr_schedule_write_json(schedule, stream)) complain(text, "cannot be written");
    fclose(stream);
    stream = fmemopen(bytes, size, "r");
    if (!stream || qdr_schedule_read_json(stream, "back", from->pattern, schedule->machine, &back))
        complain(text, "cannot be read back");
    if (qdr_schedule_check(back) != verdict) complain(text, "is judged differently when it comes back");
    fclose(stream);
    free(bytes);
    qdr_schedule_destroy(&back);
}

typedef enum result { REFUSED, SOUND, BROKEN } result;

static result run(const input *text, const seed *from, int with_machine) {
    qdr_schedule *schedule = NULL;
    FILE *stream = text->size ? fmemopen((void *)text->bytes, text->size, "r") : fopen("/dev/null", "r");
    if (!stream) complain(text, "no stream");
    qdr_status status = qdr_schedule_read_json(stream, "fuzz.json", from->pattern,
                                               with_machine ? from->machine : NULL, &schedule);
    fclose(stream);
    if (status != QDR_OK) {
        if (schedule) complain(text, "refused with a schedule");
        check_message(text);
        return REFUSED;
    }
    qdr_status verdict = qdr_schedule_check(schedule);
    if (verdict != QDR_OK && verdict != QDR_ERR_BROKEN) complain(text, "the checker itself fails");
    if (verdict != QDR_OK) check_message(text);
    if ((verdict == QDR_OK) != is_sound(text, schedule))
        complain(text, verdict ? "refused by the checker, and sound" : "passed by the checker, and broken");
    predict(text, schedule, from->machine);
    come_back(text, schedule, from, verdict);
    qdr_schedule_destroy(&schedule);
    return verdict == QDR_OK ? SOUND : BROKEN;
}

int main(int argc, char **argv) {
    long inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 20000, results[3] = {0};
    qdri_random random = qdri_random_seed(20240608);
    static input text;
    make_seeds();
    for (long i = 0; i < inputs; i++) {
        const seed *from = &seeds[qdri_random_below(&random, (uint64_t)seed_count)];
        set_text(&text, from->text, from->size);
        for (int mutations = 1 + (int)qdri_random_below(&random, 3); mutations > 0; mutations--)
            damage(&random, &text, seeds[qdri_random_below(&random, (uint64_t)seed_count)].text);
        results[run(&text, from, qdri_random_below(&random, 8) > 0)]++;
    }
    free_seeds();
    printf("schedule_fuzz: %ld inputs, %ld accepted (%ld sound, %ld broken), %ld refused\n", inputs,
           results[SOUND] + results[BROKEN], results[SOUND], results[BROKEN], results[REFUSED]);
    return 0;
}
