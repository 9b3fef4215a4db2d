/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture of a migration: the memory of each rank over the phases. One lane per rank, one column per phase,
 * all to one scale; a column is filled from below with what the rank holds and what comes in during the phase,
 * up to the line of what it can hold, which has its number on the right. So a column that reaches its line is room fully
 * used, and none can go beyond. What leaves in a phase is pale, for it counts until it has left. The last column is the
 * end. Under the lanes, how much of the room of all ranks each phase uses; the bound is as if all of it were.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/picture.h"
#include "migrate/moves/moves.h"

enum { LEFT = 72, TOP = 104, WIDTH = 900, RIGHT = 110, USE_HEIGHT = 60, USE_GAP = 34, RANKS_LIMIT = 512 };
enum { COLUMNS_LIMIT = 100000 };

/* What a unit in the memory of a rank is, from below. */
typedef enum kind { ARRIVED, ARRIVES, PARKED, PARKS, FORWARDED, STAYS, LEAVES, KINDS } kind;

static const struct {
    const char *colour, *meaning;
} kinds[KINDS] = {
    [ARRIVED] = {"#2b8a57", "has arrived"},
    [ARRIVES] = {"#8fd3ae", "arrives"},
    [PARKED] = {"#e07b1a", "is parked here"},
    [PARKS] = {"#f7bd83", "comes to be parked"},
    [FORWARDED] = {"#fbe0c4", "was parked, leaves"},
    [STAYS] = {"#33689e", "shall leave"},
    [LEAVES] = {"#bcd4ec", "leaves"},
};

typedef struct rank_memory {
    int64_t capacity; /* for what is moved: its room and what it holds of it at first */
    int64_t own, parked, arrived;
    int64_t arrives, parks, leaves, forwards; /* in the phase at hand */
} rank_memory;

typedef struct canvas {
    qdr_picture *picture;
    qdr_moves_view view;
    qdr_pattern_view pattern;
    rank_memory *rank;
    double letters, lane, column, scale; /* heights and widths in pixels; pixels per unit */
} canvas;

#define AT_END    "text-anchor=\"end\""
#define IN_MIDDLE "text-anchor=\"middle\""
#define THIN      "stroke=\"#999\" stroke-width=\"0.6\""

static void draw_box(const canvas *c, double x, double y, double width, double height, kind kind,
                     const char *title) {
    char style[32];
    snprintf(style, sizeof style, "fill=\"%s\"", kinds[kind].colour);
    qdr_picture_rectangle(c->picture, x, y, width, height, style, title);
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static void begin_phase(canvas *c, int64_t phase) {
    for (int r = 0; r < c->view.ranks; r++)
        c->rank[r].arrives = c->rank[r].parks = c->rank[r].leaves = c->rank[r].forwards = 0;
    for (int64_t i = c->view.phase_start[phase]; i < c->view.phase_start[phase + 1]; i++) {
        const qdr_move *move = &c->view.move[i];
        rank_memory *from = &c->rank[move->from], *to = &c->rank[move->to];
        *(c->pattern.origin[move->message] == move->from ? &from->leaves : &from->forwards) += move->units;
        *(c->pattern.destination[move->message] == move->to ? &to->arrives : &to->parks) += move->units;
    }
}

static void end_phase(canvas *c) {
    for (int r = 0; r < c->view.ranks; r++) {
        rank_memory *m = &c->rank[r];
        m->own -= m->leaves;
        m->parked += m->parks - m->forwards;
        m->arrived += m->arrives;
        m->arrives = m->parks = m->leaves = m->forwards = 0;
    }
}

static int64_t units_of(const rank_memory *m, kind kind) {
    switch (kind) {
    case ARRIVED:
        return m->arrived;
    case ARRIVES:
        return m->arrives;
    case PARKED:
        return m->parked - m->forwards;
    case PARKS:
        return m->parks;
    case FORWARDED:
        return m->forwards;
    case STAYS:
        return m->own - m->leaves;
    case LEAVES:
        return m->leaves;
    default:
        return 0;
    }
}

static void draw_column(const canvas *c, int64_t column, int r) {
    const rank_memory *m = &c->rank[r];
    double gap = c->column > 6 ? 1.5 : 0, x = LEFT + c->column * (double)column, y = TOP + c->lane * (r + 1);
    char when[48] = "the end", title[160];
    if (column < c->view.phases) snprintf(when, sizeof when, "phase %lld", (long long)column + 1);
    for (kind kind = 0; kind < KINDS; kind++) {
        double height = (double)units_of(m, kind) * c->scale;
        if (height <= 0) continue;
        y -= height;
        snprintf(title, sizeof title, "rank %d, %s: %lld %s", r, when, (long long)units_of(m, kind),
                 kinds[kind].meaning);
        draw_box(c, x + gap, y, c->column - 2 * gap, height, kind, title);
    }
}

/* ---- lanes, and the use of room ------------------------------------------------------------------------ */

/* The number of a rank, and of what fits into it, where there is room for both. */
static void number_lane(const canvas *c, int r, double right) {
    char label[32];
    double y = TOP + c->lane * (r + 0.5) + c->letters * 0.36;
    snprintf(label, sizeof label, "%d", r);
    qdr_picture_text(c->picture, LEFT - 6, y, AT_END, label);
    snprintf(label, sizeof label, "%lld", (long long)c->rank[r].capacity);
    qdr_picture_text(c->picture, right + 6, y, "fill=\"#b3261e\"", label);
}

static void draw_lanes(const canvas *c) {
    int every = (int)ceil(c->letters / c->lane);
    double width = c->column * (double)(c->view.phases + 1);
    for (int r = 0; r < c->view.ranks; r++) {
        double bottom = TOP + c->lane * (r + 1), height = (double)c->rank[r].capacity * c->scale;
        qdr_picture_rectangle(c->picture, LEFT, bottom - height, width, height, "fill=\"#f3f3f3\"", NULL);
        qdr_picture_line(c->picture, LEFT, bottom, LEFT + width, bottom, THIN);
        if (r % every == 0) number_lane(c, r, LEFT + width);
    }
    qdr_picture_text(c->picture, LEFT - 6, TOP - 6, AT_END, "rank");
    qdr_picture_text(c->picture, LEFT + width + 6, TOP - 6, "fill=\"#b3261e\"", "what fits");
}

/* On top of everything. */
static void draw_capacities(const canvas *c) {
    double right = LEFT + c->column * (double)(c->view.phases + 1);
    for (int r = 0; r < c->view.ranks; r++) {
        double y = TOP + c->lane * (r + 1) - (double)c->rank[r].capacity * c->scale;
        qdr_picture_line(c->picture, LEFT, y, right, y,
                         c->lane > 12 ? "stroke=\"#b3261e\" stroke-width=\"1.2\""
                                      : "stroke=\"#b3261e\" stroke-width=\"0.5\"");
    }
}

static void draw_use_bar(const canvas *c, int64_t phase, double bottom, int64_t below, int64_t units,
                         kind kind) {
    double gap = c->column > 6 ? 1.5 : 0, per_unit = USE_HEIGHT / (double)c->view.room;
    char title[128];
    if (units == 0) return;
    snprintf(title, sizeof title, "phase %lld: %lld units %s, of room for %lld", (long long)phase + 1,
             (long long)units, kind == ARRIVED ? "arrive" : "are parked", (long long)c->view.room);
    draw_box(c, LEFT + c->column * (double)phase + gap, bottom - (double)(below + units) * per_unit,
             c->column - 2 * gap, (double)units * per_unit, kind, title);
}

static void draw_use(const canvas *c, int64_t phase) {
    int64_t arrive = 0, park = 0;
    double bottom = TOP + c->lane * c->view.ranks + USE_GAP + USE_HEIGHT;
    for (int r = 0; r < c->view.ranks; r++) {
        arrive += c->rank[r].arrives;
        park += c->rank[r].parks;
    }
    draw_use_bar(c, phase, bottom, 0, arrive, ARRIVED);
    draw_use_bar(c, phase, bottom, arrive, park, PARKED);
}

static void draw_axis(const canvas *c) {
    double top = TOP + c->lane * c->view.ranks + USE_GAP, bottom = top + USE_HEIGHT;
    double right = LEFT + c->column * (double)c->view.phases, numbers = top - USE_GAP + 4 + c->letters;
    int64_t every = (int64_t)ceil(3 * c->letters / c->column);
    char label[48];
    qdr_picture_line(c->picture, LEFT, top, right, top, "stroke=\"#b3261e\" stroke-width=\"1.2\"");
    qdr_picture_line(c->picture, LEFT, bottom, right, bottom, THIN);
    qdr_picture_text(c->picture, LEFT - 6, top + 4, AT_END, "all room");
    snprintf(label, sizeof label, "%lld in all ranks", (long long)c->view.room);
    qdr_picture_text(c->picture, right + 6, top + 4, "fill=\"#b3261e\"", label);
    qdr_picture_text(c->picture, LEFT - 6, bottom, AT_END, "0");
    for (int64_t phase = 0; phase < c->view.phases; phase += every) {
        snprintf(label, sizeof label, "%lld", (long long)phase + 1);
        qdr_picture_text(c->picture, LEFT + c->column * ((double)phase + 0.5), numbers, IN_MIDDLE, label);
    }
    qdr_picture_text(c->picture, right + c->column * 0.5 + (c->column < 24 ? 12 : 0), numbers, IN_MIDDLE,
                     "end");
    qdr_picture_text(c->picture, LEFT - 6, numbers, AT_END, "phase");
}

/* ---- the frame ----------------------------------------------------------------------------------------- */

static void draw_legend(const canvas *c) {
    double x = LEFT, y = TOP - 42;
    for (kind kind = 0; kind < KINDS; kind++) {
        draw_box(c, x, y, 11, 11, kind, NULL);
        qdr_picture_text(c->picture, x + 15, y + 10, NULL, kinds[kind].meaning);
        x += 32 + 0.58 * c->letters * (double)strlen(kinds[kind].meaning);
    }
    qdr_picture_line(c->picture, x, y + 6, x + 16, y + 6, "stroke=\"#b3261e\" stroke-width=\"1.5\"");
    qdr_picture_text(c->picture, x + 20, y + 10, NULL, "what fits");
}

static void draw_headings(const canvas *c) {
    char title[256];
    snprintf(title, sizeof title,
             "%s: %lld units through room for %lld in %lld phase%s (at least %lld); %.3g%% parked on the way",
             c->view.method, (long long)c->view.total, (long long)c->view.room, (long long)c->view.phases,
             c->view.phases == 1 ? "" : "s", (long long)c->view.bound,
             c->view.total ? 100.0 * (double)c->view.parked / (double)c->view.total : 0);
    qdr_picture_text(c->picture, LEFT, 30, "font-size=\"15\"", title);
    draw_legend(c);
}

static void open_ranks(canvas *c, const int64_t *room) {
    int64_t most = 1;
    for (int64_t m = 0; m < c->pattern.messages; m++)
        c->rank[c->pattern.origin[m]].own += c->pattern.items[m];
    for (int r = 0; r < c->view.ranks; r++) {
        /* Room that could never be used would make everything else flat. */
        c->rank[r].capacity = c->rank[r].own + qdri_least(room[r], c->view.total);
        most = qdri_most(most, c->rank[r].capacity);
    }
    int ranks = c->view.ranks;
    c->lane = ranks <= 6 ? 84 : ranks <= 16 ? 46 : ranks <= 40 ? 26 : ranks <= 128 ? 12 : 1280.0 / ranks;
    c->scale = c->lane * 0.86 / (double)most;
    c->letters = qdri_picture_letters(LEFT + WIDTH + RIGHT);
    c->column = WIDTH / (double)(c->view.phases + 1);
    if (c->column > 240) c->column = 240;
}

static void draw(void *context) {
    canvas *c = context;
    draw_headings(c);
    draw_lanes(c);
    for (int64_t phase = 0; phase <= c->view.phases; phase++) {
        if (phase < c->view.phases) {
            begin_phase(c, phase);
            draw_use(c, phase);
        }
        for (int r = 0; r < c->view.ranks; r++) draw_column(c, phase, r);
        end_phase(c);
    }
    draw_capacities(c);
    draw_axis(c);
}

qdr_status qdr_moves_write_svg(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves,
                               FILE *out) {
    if (!pattern || !room || !moves || !out)
        return qdri_fail(QDR_ERR_INVALID, "qdr_moves_write_svg: an argument is NULL");
    canvas c = {.view = qdr_moves_look(moves), .pattern = qdr_pattern_look(pattern)};
    if (c.pattern.ranks != c.view.ranks)
        return qdri_fail(QDR_ERR_INVALID, "the pattern has %d ranks, the moves %d", c.pattern.ranks,
                         c.view.ranks);
    if (c.view.ranks > RANKS_LIMIT || c.view.phases > COLUMNS_LIMIT / c.view.ranks)
        return qdri_fail(QDR_ERR_RANGE,
                         "%d ranks and %lld phases are too many for a picture; at most %d and %d",
                         c.view.ranks, (long long)c.view.phases, RANKS_LIMIT, COLUMNS_LIMIT / c.view.ranks);
    c.rank = QDRI_ZERO_ARRAY(rank_memory, c.view.ranks);
    if (!c.rank) return qdri_fail_memory();
    open_ranks(&c, room);
    double height = TOP + c.lane * c.view.ranks + USE_GAP + USE_HEIGHT + 24;
    qdr_status status = qdri_picture_write(out, LEFT + WIDTH + RIGHT, height, draw, &c, &c.picture);
    free(c.rank);
    return status;
}
