/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and pictures: schedules and moves as JSON and as SVG, and a few functions to draw pictures of one's own.
 *
 * All of it is in a library of its own, libquadrille-io, which reads JSON with jansson; libquadrille itself needs
 * MPI and the C library, and nothing else. Link with both: `pkg-config --libs quadrille-io`, or
 * Quadrille::quadrille_io in CMake.
 *
 * Whatever writes to a stream flushes it at the end and returns QDR_OK only if every byte was taken: QDR_ERR_FILE
 * otherwise, or QDR_ERR_MEMORY where a stream in memory could not grow. What stands in it then is of no use.
 */
#ifndef QUADRILLE_IO_H
#define QUADRILLE_IO_H

#include <stdio.h>

#include "quadrille.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- schedules ----------------------------------------------------------------------------------------- */

/* Local. JSON with every transfer and piece; qdr_schedule_read_json() takes it back. */
qdr_status qdr_schedule_write_json(const qdr_schedule *schedule, FILE *stream);

/* Local. Reads a schedule of this pattern; `name` stands for the file in messages. The result is well formed,
 * but nothing else is believed: call qdr_schedule_check(). */
qdr_status qdr_schedule_read_json(FILE *stream, const char *name, const qdr_pattern *pattern,
                                  const qdr_machine *machine, qdr_schedule **schedule);

/* Local. A picture: the pattern as a heat map, and the steps as bars, ranks x predicted time, one colour per
 * partner. `steps` must have been predicted. `bound`, in seconds, is drawn as a line; 0 for none. */
qdr_status qdr_schedule_write_svg(const qdr_schedule *schedule, int64_t count, const qdr_step *steps,
                                  double bound, const char *title, FILE *stream);

/* ---- moves --------------------------------------------------------------------------------------------- */

/* Local. One JSON object; a picture: the memory of each rank over the phases. */
qdr_status qdr_moves_write_json(const qdr_moves *moves, FILE *stream);
qdr_status qdr_moves_write_svg(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves,
                               FILE *stream);

/* ---- pictures of one's own ----------------------------------------------------------------------------- */

/* A picture is written to a stream as SVG, shape by shape; what comes later lies on top. Lengths are pixels, places
 * are right and down of the upper left corner. `style` is any attributes of SVG, such as "fill=\"#c00\"", and NULL for
 * none. `title` is what a browser shows under the pointer, NULL for nothing. Texts may hold any letters. No shape
 * returns a failure: qdr_picture_destroy() says whether all of them were written. */
typedef struct qdr_picture qdr_picture;

/* Local. Begins a picture on a white ground. Allocates the picture, not the shapes. */
qdr_status qdr_picture_create(FILE *stream, double width, double height, double font_size,
                              qdr_picture **picture);

/* Local. Shapes. */
void qdr_picture_rectangle(qdr_picture *picture, double x, double y, double width, double height,
                           const char *style, const char *title);
void qdr_picture_circle(qdr_picture *picture, double x, double y, double radius, const char *style);
void qdr_picture_line(qdr_picture *picture, double x1, double y1, double x2, double y2, const char *style);

/* Local. At the lower left corner of the text, or where "text-anchor" in the style says. */
void qdr_picture_text(qdr_picture *picture, double x, double y, const char *style, const char *text);

/* Local. Many shapes of one style in one path, which takes the least space in the file: between qdr_picture_path() and
 * qdr_picture_path_end() a pen is moved or draws lines, closes a polygon, or draws a whole box. Its places are rounded
 * to tenths of a pixel. */
void qdr_picture_path(qdr_picture *picture, const char *style);
void qdr_picture_pen_move(qdr_picture *picture, double x, double y);
void qdr_picture_pen_line(qdr_picture *picture, double x, double y);
void qdr_picture_pen_close(qdr_picture *picture);
void qdr_picture_pen_box(qdr_picture *picture, double x, double y, double width, double height);
void qdr_picture_path_end(qdr_picture *picture, const char *title);

/* Local. What follows has this style, and after the end no longer; within a window, it is cut off at its edges, and its
 * places count from the window's corner. Both may be nested. */
void qdr_picture_group(qdr_picture *picture, const char *style);
void qdr_picture_group_end(qdr_picture *picture);
void qdr_picture_window(qdr_picture *picture, double x, double y, double width, double height);
void qdr_picture_window_end(qdr_picture *picture);

/* Local. Ends the picture and flushes the stream, which stays open. The address is set to NULL. */
qdr_status qdr_picture_destroy(qdr_picture **picture);

enum { QDR_COLOUR_TEXT = 24 };

/* Local. The colour of a rank, a part or a line by its number, far from those of its neighbours; returns `text`. */
const char *qdr_picture_colour(int number, char text[QDR_COLOUR_TEXT]);

/* Local. The round number, 1, 2 or 5 times a power of ten, that cuts an axis as long as this, which is more than 0,
 * into 4 to 9 parts. */
double qdr_picture_tick(double length);

#ifdef __cplusplus
}
#endif
#endif
