/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves as one JSON object:
 *
 *     {"quadrille": "moves", "version": 1, "method": "greedy", "ranks": 3, "phases": 3, "bound": 2,
 *      "total": 200, "room": 102, "parked": 98,
 *      "moves": [[phase, from, to, origin, destination, offset, units], ...]}
 *
 * A message is named by its two ends; phases are counted from 0, as everywhere but for people.
 */
#include "base/print.h"
#include "migrate/moves/moves.h"
#include "quadrille-io.h"

static void write_header(const qdr_moves_view *view, qdri_printer *out) {
    qdri_print(out, "{\"quadrille\": \"moves\", \"version\": 1, \"method\": \"%s\", \"ranks\": %d, ",
               view->method, view->ranks);
    qdri_print(out, "\"phases\": %lld, \"bound\": %lld,\n", (long long)view->phases, (long long)view->bound);
    qdri_print(out, " \"total\": %lld, \"room\": %lld, \"parked\": %lld,\n \"moves\": [",
               (long long)view->total, (long long)view->room, (long long)view->parked);
}

qdr_status qdr_moves_write_json(const qdr_moves *moves, FILE *stream) {
    if (!moves || !stream) return qdri_fail(QDR_ERR_INVALID, "qdr_moves_write_json: an argument is NULL");
    qdr_moves_view view = qdr_moves_look(moves);
    qdr_pattern_view pattern = qdr_pattern_look(moves->pattern);
    qdri_printer printer = {stream, 0}, *out = &printer;
    write_header(&view, out);
    for (int64_t phase = 0; phase < view.phases; phase++)
        for (int64_t i = view.phase_start[phase]; i < view.phase_start[phase + 1]; i++) {
            const qdr_move *move = &view.move[i];
            qdri_print(out, "%s\n  [%lld, %d, %d, %d, %d, %lld, %lld]", i ? "," : "", (long long)phase,
                       move->from, move->to, pattern.origin[move->message],
                       pattern.destination[move->message], (long long)move->offset, (long long)move->units);
        }
    qdri_print_text(out, "]}\n");
    return qdri_print_end(out, "the moves");
}
