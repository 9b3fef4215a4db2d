/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases as text, one line for each: 3->5:40 is 40 units of rank 3 that arrive at rank 5; 3->7:40(5) are 40 that
 * rank 3 parks at rank 7, for rank 5; 7->5:40(3) are those, of rank 3, on their way home.
 */
#include "moves/moves.h"

static void write_move(const qdr_move *move, const qdr_pattern_view *pattern, FILE *out) {
    int origin = pattern->origin[move->message], destination = pattern->destination[move->message];
    fprintf(out, "  %d->%d:%lld", move->from, move->to, (long long)move->units);
    if (move->from != origin && move->to != destination)
        fprintf(out, "(%d->%d)", origin, destination);
    else if (move->from != origin || move->to != destination)
        fprintf(out, "(%d)", move->to != destination ? destination : origin);
}

qdr_status qdr_moves_write_text(const qdr_moves *moves, FILE *out) {
    if (!moves || !out) return qdri_fail(QDR_INVALID, "qdr_moves_write_text: an argument is NULL");
    qdr_moves_view view = qdr_moves_look(moves);
    qdr_pattern_view pattern = qdr_pattern_look(moves->pattern);
    for (int64_t phase = 0; phase < view.phases; phase++) {
        fprintf(out, "%4lld", (long long)phase + 1);
        for (int64_t i = view.phase_start[phase]; i < view.phase_start[phase + 1]; i++)
            write_move(&view.move[i], &pattern, out);
        fputc('\n', out);
    }
    return ferror(out) ? qdri_fail(QDR_FILE, "the moves could not be written") : QDR_OK;
}
