/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timelines themselves. A receiver that many senders flood has many thin bars that last for ever; one
 * that is paced has a few thick short ones: the height of a lane is shared by the messages under way at
 * once. Each lane is packed on its own, first fit by rising begin, so it has as few rows as messages
 * overlap at most.
 *
 * Bars of the same partner that touch are one bar, and all bars of a colour are one path, which keeps the
 * file small: a bar costs some 25 bytes, and no more bars than pixels fit into a row.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "draw.h"
#include "quadrille-io.h"
#include "core/units.h"

enum {
    LEFT = 64,
    RIGHT = 40,
    TOP = 112,
    WIDTH = 1080,
    LETTERS = 14,
    HEADING = 48,
    AXIS = 52,
    MOST_ROWS = 64
};
static const double touching = 0.4; /* pixels */

#define BOUND  "stroke=\"#c00\" stroke-width=\"1.5\" stroke-dasharray=\"5,3\""
#define WINDOW "stroke=\"#000\" stroke-width=\"1.2\""
#define GRANT  "stroke=\"#222\" stroke-width=\"0.5\""
#define INSIDE "fill=\"#efefef\""

typedef struct bar {
    int colour, row;
    double x, end, y, height;
} bar;

typedef struct canvas {
    qdr_picture *picture;
    int ranks;
    double lane, seconds, top; /* pixels; the whole axis; of the panel's lanes */
    bar *bars;
    int64_t count, capacity;
} canvas;

/* ---- bits ---------------------------------------------------------------------------------------------- */

static double at(const canvas *c, double seconds) {
    double x = c->seconds > 0 ? seconds / c->seconds * WIDTH : 0;
    return LEFT + fmin(fmax(x, 0), WIDTH);
}

/* ---- bars ---------------------------------------------------------------------------------------------- */

static bar *add_bar(canvas *c, bar bar) {
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 1024;
        c->bars = reallocate(c->bars, c->capacity, sizeof *c->bars);
    }
    c->bars[c->count] = bar;
    return &c->bars[c->count++];
}

static int by_colour(const void *first, const void *second) {
    const bar *a = first, *b = second;
    if (a->colour != b->colour) return a->colour - b->colour;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

static void flush_bars(canvas *c) {
    char colour[QDR_COLOUR_TEXT], text[48];
    if (c->count > 0) qsort(c->bars, (size_t)c->count, sizeof *c->bars, by_colour);
    for (int64_t i = 0; i < c->count; i++) {
        const bar *bar = &c->bars[i];
        if (i == 0 || bar->colour != bar[-1].colour) {
            snprintf(text, sizeof text, "fill=\"%s\"", qdr_picture_colour(bar->colour, colour));
            qdr_picture_path(c->picture, text);
        }
        qdr_picture_pen_box(c->picture, bar->x, bar->y, fmax(bar->end - bar->x, 0.3), bar->height);
        if (i < c->count - 1 && bar->colour == bar[1].colour) continue;
        snprintf(text, sizeof text, "rank %d", bar->colour);
        qdr_picture_path_end(c->picture, text);
    }
    c->count = 0;
}

/* ---- one lane ------------------------------------------------------------------------------------------ */

/* Where a lane's rows end, and the bar that each ends with. */
typedef struct rows {
    int count;
    double end[MOST_ROWS];
    int64_t last[MOST_ROWS];
} rows;

/* The first row that is free from `start` on; when there are too many, the one that is free first. */
static int find_row(rows *rows, double start) {
    int best = 0;
    for (int i = 0; i < rows->count; i++) {
        if (rows->end[i] <= start) return i;
        if (rows->end[i] < rows->end[best]) best = i;
    }
    if (rows->count == MOST_ROWS) return best;
    rows->last[rows->count] = -1;
    return rows->count++;
}

/* Packs the transfers of one lane, sorted by start; with one row, later ones lie on earlier ones. */
static void pack_lane(canvas *c, const transfer *const *list, int64_t count, int sending, double top,
                      double height) {
    rows rows = {.count = 0};
    int64_t first = c->count;
    if (sending) rows = (struct rows){.count = 1, .last = {-1}};
    for (int64_t i = 0; i < count; i++) {
        int row = sending ? 0 : find_row(&rows, list[i]->start),
            colour = sending ? list[i]->to : list[i]->from;
        double x = at(c, list[i]->start), end = at(c, list[i]->end);
        bar *last = rows.last[row] >= 0 ? &c->bars[rows.last[row]] : NULL;
        rows.end[row] = fmax(rows.end[row], list[i]->end);
        if (last && last->colour == colour && x - last->end < touching) {
            last->end = fmax(last->end, end);
            continue;
        }
        rows.last[row] = c->count;
        add_bar(c, (bar){.colour = colour, .row = row, .x = x, .end = end});
    }
    for (int64_t i = first; i < c->count; i++) {
        double each = height / rows.count;
        c->bars[i].y = top + each * c->bars[i].row;
        c->bars[i].height = each * (each > 3 ? 0.92 : 1);
    }
}

static int by_receiver(const void *first, const void *second) {
    const transfer *a = *(const transfer *const *)first, *b = *(const transfer *const *)second;
    if (a->to != b->to) return a->to - b->to;
    return (a->start > b->start) - (a->start < b->start);
}

static int by_sender(const void *first, const void *second) {
    const transfer *a = *(const transfer *const *)first, *b = *(const transfer *const *)second;
    if (a->from != b->from) return a->from - b->from;
    return (a->start > b->start) - (a->start < b->start);
}

static void draw_transfers(canvas *c, const transfer *transfers, int64_t count, int sending) {
    const transfer **list = ALLOCATE(const transfer *, count);
    for (int64_t i = 0; i < count; i++) list[i] = &transfers[i];
    if (count > 0) qsort(list, (size_t)count, sizeof *list, sending ? by_sender : by_receiver);
    for (int64_t i = 0, next; i < count; i = next) {
        int rank = sending ? list[i]->from : list[i]->to;
        for (next = i; next < count && (sending ? list[next]->from : list[next]->to) == rank;) next++;
        double top = c->top + c->lane * rank;
        pack_lane(c, list + i, next - i, sending, top + c->lane * (sending ? 0.05 : 0.22),
                  c->lane * (sending ? 0.12 : 0.66));
    }
    flush_bars(c);
    free(list);
}

/* ---- one panel ----------------------------------------------------------------------------------------- */

static void draw_lanes(const canvas *c, const trace_method *method) {
    double *start = ALLOCATE(double, c->ranks), *end = ALLOCATE(double, c->ranks);
    int every = c->lane > LETTERS ? 1 : (int)ceil(1.1 * LETTERS / c->lane);
    for (int64_t i = 0; i < method->events; i++) {
        const trace_event *event = &method->event[i];
        if (event->kind == TRACE_START) start[event->rank] = event->seconds;
        if (event->kind == TRACE_END) end[event->rank] = event->seconds;
    }
    for (int rank = 0; rank < c->ranks; rank++) {
        char label[16], colour[QDR_COLOUR_TEXT], style[48];
        double y = c->top + c->lane * rank, x = at(c, start[rank]);
        if (end[rank] > start[rank])
            qdr_picture_rectangle(c->picture, x, y + c->lane * 0.04, at(c, end[rank]) - x, c->lane * 0.92,
                                  INSIDE, NULL);
        snprintf(style, sizeof style, "fill=\"%s\"", qdr_picture_colour(rank, colour));
        qdr_picture_rectangle(c->picture, LEFT - 14, y + c->lane * 0.2, 8, c->lane * 0.6, style, NULL);
        if (rank % every) continue;
        snprintf(label, sizeof label, "%d", rank);
        qdr_picture_text(c->picture, LEFT - 18, y + c->lane * 0.5 + 5, "text-anchor=\"end\"", label);
    }
    free(start);
    free(end);
}

/* Grants on top of each other are one tick. */
static void draw_grants(const canvas *c, const trace_method *method) {
    double *last = ALLOCATE(double, c->ranks);
    int drawn = 0;
    for (int64_t i = 0; i < method->events; i++) {
        const trace_event *event = &method->event[i];
        double x = at(c, event->seconds);
        if (event->kind != TRACE_GRANT || fabs(x - last[event->rank]) < touching) continue;
        double y = c->top + c->lane * (event->rank + 0.88);
        if (!drawn++) qdr_picture_path(c->picture, "stroke=\"#222\" stroke-width=\"0.5\"");
        qdr_picture_pen_move(c->picture, x, y);
        qdr_picture_pen_line(c->picture, x, y + c->lane * 0.1);
        last[event->rank] = x;
    }
    if (drawn) qdr_picture_path_end(c->picture, "grants");
    free(last);
}

/* How much may be under way to each rank, as a line across its lane: the larger the window, the higher. */
static void draw_windows(const canvas *c, const trace_method *method, int64_t largest) {
    for (int rank = 0; largest > 0 && rank < c->ranks; rank++) {
        double bottom = c->top + c->lane * (rank + 0.94), height = c->lane * 0.86, last = 0, level = 0;
        int drawn = 0;
        char title[40];
        for (int64_t i = 0; i < method->events; i++) {
            const trace_event *event = &method->event[i];
            if (event->kind != TRACE_WINDOW || event->rank != rank) continue;
            double x = at(c, event->seconds), y = bottom - height * (double)event->bytes / (double)largest;
            if (drawn && x - last < touching) continue;
            if (drawn++)
                qdr_picture_pen_line(c->picture, x, level), qdr_picture_pen_line(c->picture, x, y);
            else {
                qdr_picture_path(c->picture, "fill=\"none\" " WINDOW);
                qdr_picture_pen_move(c->picture, x, y);
            }
            last = x;
            level = y;
        }
        if (!drawn) continue;
        qdr_picture_pen_line(c->picture, at(c, method->seconds), level);
        snprintf(title, sizeof title, "window of rank %d", rank);
        qdr_picture_path_end(c->picture, title);
    }
}

static int64_t largest_window(const trace_method *method) {
    int64_t largest = 0;
    for (int64_t i = 0; i < method->events; i++)
        if (method->event[i].kind == TRACE_WINDOW && method->event[i].bytes > largest)
            largest = method->event[i].bytes;
    return largest;
}

static void draw_axis(const canvas *c, double bound) {
    double bottom = c->top + c->lane * c->ranks;
    char label[UNITS_TEXT], text[UNITS_TEXT + 16];
    qdr_picture_line(c->picture, LEFT, bottom, LEFT + WIDTH, bottom, "stroke=\"#333\"");
    for (int tick = 0; c->seconds > 0 && tick * qdr_picture_tick(c->seconds) <= c->seconds * (1 + 1e-9);
         tick++) {
        double seconds = tick * qdr_picture_tick(c->seconds);
        qdr_picture_line(c->picture, at(c, seconds), bottom, at(c, seconds), bottom + 5, "stroke=\"#333\"");
        qdr_picture_text(c->picture, at(c, seconds), bottom + 20, "text-anchor=\"middle\"",
                         tick ? units_seconds(seconds, label) : "0");
    }
    if (!(bound > 0) || bound > c->seconds * (1 + 1e-9)) return;
    qdr_picture_line(c->picture, at(c, bound), c->top - 3, at(c, bound), bottom + 5, BOUND);
    snprintf(text, sizeof text, "bound %s", units_seconds(bound, label));
    qdr_picture_text(c->picture, fmax(at(c, bound), LEFT + 3 * LETTERS), bottom + 36,
                     "text-anchor=\"middle\" fill=\"#c00\"", text);
}

/* Why a panel has no bars, in its middle. */
static void draw_reason(const canvas *c, const trace_method *method) {
    double middle = c->top + c->lane * c->ranks * 0.5;
    const char *why = trace_is_call(method)
                          ? "one call of MPI, which does not tell what it sends when: known is how long each "
                            "rank was in it"
                          : "no message was recorded";
    double width = 0.56 * LETTERS * (double)strlen(why);
    qdr_picture_rectangle(c->picture, LEFT + (WIDTH - width) * 0.5, middle - LETTERS * 0.9, width,
                          LETTERS * 1.8, "fill=\"#fff\" stroke=\"#bbb\"", NULL);
    qdr_picture_text(c->picture, LEFT + WIDTH * 0.5, middle + LETTERS * 0.36, "text-anchor=\"middle\"", why);
}

static void draw_heading(const canvas *c, const trace_method *method, double bound, int64_t window) {
    char seconds[UNITS_TEXT], ratio[64] = "", largest[64] = "";
    if (bound > 0) snprintf(ratio, sizeof ratio, ", %.2f times the bound", method->seconds / bound);
    if (window) snprintf(largest, sizeof largest, "; window at most %.1f KiB", (double)window / 1024);
    char *title =
        print_text("%s: %s%s%s", method->name, units_seconds(method->seconds, seconds), ratio, largest);
    double above = method->what ? 18 : 0;
    qdr_picture_text(c->picture, LEFT, c->top - 9 - above, "font-size=\"16\" font-weight=\"bold\"", title);
    if (method->what) qdr_picture_text(c->picture, LEFT, c->top - 9, NULL, method->what);
    free(title);
}

static void draw_panel(canvas *c, const trace_method *method, double bound) {
    int64_t count, window = largest_window(method);
    transfer *transfers = draw_match(method, &count);
    draw_heading(c, method, bound, window);
    draw_lanes(c, method);
    draw_transfers(c, transfers, count, 0);
    draw_transfers(c, transfers, count, 1);
    draw_grants(c, method);
    draw_windows(c, method, window);
    draw_axis(c, bound);
    if (count == 0) draw_reason(c, method);
    free(transfers);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static double last_moment(const trace_method *const *methods, int count) {
    double last = 0;
    for (int i = 0; i < count; i++) {
        last = fmax(last, methods[i]->seconds);
        for (int64_t k = 0; k < methods[i]->events; k++) last = fmax(last, methods[i]->event[k].seconds);
    }
    return last;
}

/* What each kind of mark means, with one of it before it. */
static void draw_legend(const canvas *c) {
    static const struct {
        double x, y, height; /* of a box; height 0: a line */
        const char *style, *meaning;
    } marks[] = {
        {0, 66, 14, INSIDE " stroke=\"#bbb\"", "the rank is in the exchange"},
        {240, 69, 8, "fill=\"#777\"", "a message on its way to it, in the sender's colour"},
        {640, 71, 4, "fill=\"#777\"", "what it sends, in the receiver's colour"},
        {0, 95, 0, WINDOW, "its window, higher for more"},
        {240, 95, 0, BOUND, "the bound"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        double x = LEFT + marks[i].x;
        if (marks[i].height > 0)
            qdr_picture_rectangle(c->picture, x, marks[i].y, 26, marks[i].height, marks[i].style, NULL);
        else
            qdr_picture_line(c->picture, x, marks[i].y, x + 26, marks[i].y, marks[i].style);
        qdr_picture_text(c->picture, x + 32, i < 3 ? 78 : 100, NULL, marks[i].meaning);
    }
    for (int i = 0; i < 4; i++)
        qdr_picture_line(c->picture, LEFT + 364 + 6 * i, 91, LEFT + 364 + 6 * i, 99, "stroke=\"#222\"");
    qdr_picture_text(c->picture, LEFT + 392, 100, NULL, "its grants");
    char colour[QDR_COLOUR_TEXT], style[48];
    for (int i = 0; i < 3; i++) {
        snprintf(style, sizeof style, "fill=\"%s\"", qdr_picture_colour(i, colour));
        qdr_picture_rectangle(c->picture, LEFT + 496 + 9 * i, 88, 8, 14, style, NULL);
    }
    qdr_picture_text(c->picture, LEFT + 530, 100, NULL, "the colour of a rank, beside its number");
}

/* Settings may be many; the trace has all of them. */
static void write_title(const canvas *c, const trace *trace) {
    enum { MOST = 150 };
    char *title = print_text("%s, %d rank%s", trace->pattern, trace->ranks, trace->ranks == 1 ? "" : "s");
    qdr_picture_text(c->picture, LEFT, 28, "font-size=\"18\"", title);
    free(title);
    if (!trace->mpi) return;
    char *mpi = print_text("%.*s%s", MOST, trace->mpi, strlen(trace->mpi) > MOST ? " ..." : "");
    qdr_picture_text(c->picture, LEFT, 48, NULL, mpi);
    free(mpi);
}

int draw_timelines(const trace *trace, const trace_method *const *methods, int count, FILE *out) {
    canvas c = {.ranks = trace->ranks, .seconds = last_moment(methods, count)};
    c.lane = c.ranks <= 16 ? 26 : c.ranks <= 40 ? 16 : c.ranks <= 128 ? 9 : fmax(1152.0 / c.ranks, 1);
    double panel = HEADING + c.lane * c.ranks + AXIS, width = LEFT + WIDTH + RIGHT,
           height = TOP + panel * count;
    if (qdr_picture_create(out, width, height, LETTERS, &c.picture)) return complain_library();
    write_title(&c, trace);
    draw_legend(&c);
    for (int i = 0; i < count; i++) {
        c.top = TOP + panel * i + HEADING;
        draw_panel(&c, methods[i], trace->bound);
    }
    free(c.bars);
    return qdr_picture_destroy(&c.picture) ? complain_library() : EXIT_GOOD;
}
