/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and pictures: schedules and moves as JSON and as SVG, and a few functions to draw pictures of your own.
 *
 * All of it is in a separate library, libquadrille-io, which reads JSON with jansson. libquadrille itself needs only
 * MPI and the C library. Link with both: `pkg-config --libs quadrille-io`, or Quadrille::quadrille_io in CMake.
 *
 * A function that writes to a stream flushes it at the end. It returns QDR_OK only if every byte was written,
 * otherwise QDR_ERR_FILE, or QDR_ERR_MEMORY where a stream in memory could not grow. After a failure the contents of
 * the stream are useless.
 */
#ifndef QUADRILLE_IO_H
#define QUADRILLE_IO_H

#include <stdio.h>

#include "quadrille.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- schedules ----------------------------------------------------------------------------------------- */

/* Local. JSON with every transfer and piece; qdr_schedule_read_json() reads it back. */
qdr_status qdr_schedule_write_json(const qdr_schedule *schedule, FILE *stream);

/* Local. Reads a schedule of this pattern; `name` stands for the file in messages. The result is well formed, but
 * nothing else is certain: call qdr_schedule_check(). */
qdr_status qdr_schedule_read_json(FILE *stream, const char *name, const qdr_pattern *pattern,
                                  const qdr_machine *machine, qdr_schedule **schedule);

/* Local. A picture: the pattern as a heat map, and the steps as bars, ranks by predicted time, one colour per
 * partner. `steps` must have been predicted. `bound`, in seconds, is drawn as a line; 0 for none. */
qdr_status qdr_schedule_write_svg(const qdr_schedule *schedule, int64_t count, const qdr_step *steps,
                                  double bound, const char *title, FILE *stream);

/* ---- moves --------------------------------------------------------------------------------------------- */

/* Local. The moves as one JSON object, and as a picture: the memory of each rank over the phases. */
qdr_status qdr_moves_write_json(const qdr_moves *moves, FILE *stream);
qdr_status qdr_moves_write_svg(const qdr_pattern *pattern, const int64_t *room, const qdr_moves *moves,
                               FILE *stream);

/* ---- pictures of your own ------------------------------------------------------------------------------ */

/* A picture is written to a stream as SVG, shape by shape; later shapes lie on top. Lengths are pixels. Places are
 * right of and below the upper left corner. `style` is any SVG attributes, such as "fill=\"#c00\""; NULL for none.
 * `title` is what a browser shows under the pointer; NULL for nothing. Texts may hold any letters. No shape returns a
 * failure; qdr_picture_destroy() says whether all of them were written. */
typedef struct qdr_picture qdr_picture;

/* Local. Begins a picture on a white ground. Allocates the picture, not the shapes. */
qdr_status qdr_picture_create(FILE *stream, double width, double height, double font_size,
                              qdr_picture **picture);

/* Local. Shapes. */
void qdr_picture_rectangle(qdr_picture *picture, double x, double y, double width, double height,
                           const char *style, const char *title);
void qdr_picture_circle(qdr_picture *picture, double x, double y, double radius, const char *style);
void qdr_picture_line(qdr_picture *picture, double x1, double y1, double x2, double y2, const char *style);

/* Local. x, y is the lower left corner of the text, or what "text-anchor" in the style says. */
void qdr_picture_text(qdr_picture *picture, double x, double y, const char *style, const char *text);

/* Local. Many shapes of one style in one path, which takes the least space in the file. Between qdr_picture_path()
 * and qdr_picture_path_end() a pen moves, draws lines, closes a polygon, or draws a whole box. Its places are rounded
 * to tenths of a pixel. */
void qdr_picture_path(qdr_picture *picture, const char *style);
void qdr_picture_pen_move(qdr_picture *picture, double x, double y);
void qdr_picture_pen_line(qdr_picture *picture, double x, double y);
void qdr_picture_pen_close(qdr_picture *picture);
void qdr_picture_pen_box(qdr_picture *picture, double x, double y, double width, double height);
void qdr_picture_path_end(qdr_picture *picture, const char *title);

/* Local. Shapes inside a group have its style. Shapes inside a window are cut off at its edges, and their places
 * count from its upper left corner. Both may be nested. */
void qdr_picture_group(qdr_picture *picture, const char *style);
void qdr_picture_group_end(qdr_picture *picture);
void qdr_picture_window(qdr_picture *picture, double x, double y, double width, double height);
void qdr_picture_window_end(qdr_picture *picture);

/* Local. Ends the picture and flushes the stream, which stays open. The address is set to NULL. */
qdr_status qdr_picture_destroy(qdr_picture **picture);

enum { QDR_COLOUR_TEXT = 24 };

/* Local. The colour of a rank, a part or a line by its number, far from those of its neighbours. Returns `text`. */
const char *qdr_picture_colour(int number, char text[QDR_COLOUR_TEXT]);

/* Local. The round number (1, 2 or 5 times a power of ten) that cuts an axis of this length into 4 to 9 parts.
 * `length` must be more than 0. */
double qdr_picture_tick(double length);

#ifdef __cplusplus
}
#endif
#endif
