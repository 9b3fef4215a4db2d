/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases as text, one line for each: 3->5:40 is 40 units of rank 3 that arrive at rank 5; 3->7:40(5) are 40 that
 * rank 3 parks at rank 7, for rank 5; 7->5:40(3) are those, of rank 3, on their way home.
 */
#include "base/print.h"
#include "migrate/moves/moves.h"

static void write_move(const qdr_move *move, const qdr_pattern_view *pattern, qdri_printer *out) {
    int origin = pattern->origin[move->message], destination = pattern->destination[move->message];
    qdri_print(out, "  %d->%d:%lld", move->from, move->to, (long long)move->units);
    if (move->from != origin && move->to != destination)
        qdri_print(out, "(%d->%d)", origin, destination);
    else if (move->from != origin || move->to != destination)
        qdri_print(out, "(%d)", move->to != destination ? destination : origin);
}

qdr_status qdr_moves_write_text(const qdr_moves *moves, FILE *stream) {
    if (!moves || !stream) return qdri_fail(QDR_ERR_INVALID, "qdr_moves_write_text: an argument is NULL");
    qdr_moves_view view = qdr_moves_look(moves);
    qdr_pattern_view pattern = qdr_pattern_look(moves->pattern);
    qdri_printer printer = {stream, 0}, *out = &printer;
    for (int64_t phase = 0; phase < view.phases; phase++) {
        qdri_print(out, "%4lld", (long long)phase + 1);
        for (int64_t i = view.phase_start[phase]; i < view.phase_start[phase + 1]; i++)
            write_move(&view.move[i], &pattern, out);
        qdri_print_letter(out, '\n');
    }
    return qdri_print_end(out, "the moves");
}
