/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures as SVG. Numbers are written by hand, as whole numbers of hundredths or tenths: the program's locale may
 * have a comma where SVG wants a point, and a number needs no more letters than it has digits that matter. A path
 * counts in tenths from its last place, so that rounding does not add up.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/print.h"
#include "io/picture.h"

enum { TENTHS = 10, HUNDREDTHS = 100 };

struct qdr_picture {
    qdri_printer printer;
    long long x, y; /* where the pen is, in tenths */
};

/* ---- letters and numbers ------------------------------------------------------------------------------- */

static void put(qdr_picture *p, const char *text) {
    qdri_print_text(&p->printer, text);
}

static void put_text(qdr_picture *p, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        if (entity)
            put(p, entity);
        else /* XML has no control characters */
            qdri_print_letter(&p->printer, (unsigned char)*text < ' ' ? '?' : *text);
    }
}

static long long parts_of(double value, int parts) {
    return isfinite(value) && fabs(value) < 1e15 ? llrint(value * parts) : 0;
}

static void put_parts(qdr_picture *p, long long number, int parts) {
    long long size = llabs(number), rest = size % parts;
    qdri_print(&p->printer, "%s%lld", number < 0 ? "-" : "", size / parts);
    if (rest == 0) return;
    for (; rest % 10 == 0; parts /= 10) rest /= 10;
    qdri_print(&p->printer, ".%0*lld", parts == HUNDREDTHS ? 2 : 1, rest);
}

static void put_length(qdr_picture *p, const char *name, double value) {
    qdri_print(&p->printer, " %s=\"", name);
    put_parts(p, parts_of(value, HUNDREDTHS), HUNDREDTHS);
    put(p, "\"");
}

static void put_corner(qdr_picture *p, double x, double y, double width, double height) {
    put_length(p, "x", x);
    put_length(p, "y", y);
    put_length(p, "width", width);
    put_length(p, "height", height);
}

static void put_style(qdr_picture *p, const char *style) {
    if (!style) return;
    put(p, " ");
    put(p, style);
}

static void end_shape(qdr_picture *p, const char *name, const char *title) {
    if (!title) {
        put(p, "/>\n");
        return;
    }
    put(p, "><title>");
    put_text(p, title);
    qdri_print(&p->printer, "</title></%s>\n", name);
}

/* ---- shapes -------------------------------------------------------------------------------------------- */

void qdr_picture_rectangle(qdr_picture *picture, double x, double y, double width, double height,
                           const char *style, const char *title) {
    put(picture, "<rect");
    put_corner(picture, x, y, width, height);
    put_style(picture, style);
    end_shape(picture, "rect", title);
}

void qdr_picture_circle(qdr_picture *picture, double x, double y, double radius, const char *style) {
    put(picture, "<circle");
    put_length(picture, "cx", x);
    put_length(picture, "cy", y);
    put_length(picture, "r", radius);
    put_style(picture, style);
    end_shape(picture, "circle", NULL);
}

void qdr_picture_line(qdr_picture *picture, double x1, double y1, double x2, double y2, const char *style) {
    put(picture, "<line");
    put_length(picture, "x1", x1);
    put_length(picture, "y1", y1);
    put_length(picture, "x2", x2);
    put_length(picture, "y2", y2);
    put_style(picture, style);
    end_shape(picture, "line", NULL);
}

void qdr_picture_text(qdr_picture *picture, double x, double y, const char *style, const char *text) {
    put(picture, "<text");
    put_length(picture, "x", x);
    put_length(picture, "y", y);
    put_style(picture, style);
    put(picture, ">");
    put_text(picture, text);
    put(picture, "</text>\n");
}

/* ---- paths --------------------------------------------------------------------------------------------- */

void qdr_picture_path(qdr_picture *picture, const char *style) {
    put(picture, "<path");
    put_style(picture, style);
    put(picture, " d=\"");
}

void qdr_picture_path_end(qdr_picture *picture, const char *title) {
    put(picture, "\"");
    end_shape(picture, "path", title);
}

void qdr_picture_pen_move(qdr_picture *picture, double x, double y) {
    picture->x = parts_of(x, TENTHS);
    picture->y = parts_of(y, TENTHS);
    put(picture, "M");
    put_parts(picture, picture->x, TENTHS);
    put(picture, " ");
    put_parts(picture, picture->y, TENTHS);
}

/* A sign tells two numbers apart, as a space does. */
void qdr_picture_pen_line(qdr_picture *picture, double x, double y) {
    long long right = parts_of(x, TENTHS) - picture->x, down = parts_of(y, TENTHS) - picture->y;
    put(picture, down == 0 ? "h" : right == 0 ? "v" : "l");
    if (right != 0 || down == 0) put_parts(picture, right, TENTHS);
    if (right != 0 && down > 0) put(picture, " ");
    if (down != 0) put_parts(picture, down, TENTHS);
    picture->x += right;
    picture->y += down;
}

void qdr_picture_pen_close(qdr_picture *picture) {
    put(picture, "z");
}

void qdr_picture_pen_box(qdr_picture *picture, double x, double y, double width, double height) {
    qdr_picture_pen_move(picture, x, y);
    qdr_picture_pen_line(picture, x + width, y);
    qdr_picture_pen_line(picture, x + width, y + height);
    qdr_picture_pen_line(picture, x, y + height);
    qdr_picture_pen_close(picture);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

void qdr_picture_group(qdr_picture *picture, const char *style) {
    put(picture, "<g");
    put_style(picture, style);
    put(picture, ">\n");
}

void qdr_picture_group_end(qdr_picture *picture) {
    put(picture, "</g>\n");
}

void qdr_picture_window(qdr_picture *picture, double x, double y, double width, double height) {
    put(picture, "<svg");
    put_corner(picture, x, y, width, height);
    put(picture, ">\n");
}

void qdr_picture_window_end(qdr_picture *picture) {
    put(picture, "</svg>\n");
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

qdr_status qdr_picture_create(FILE *stream, double width, double height, double font_size,
                              qdr_picture **picture) {
    if (!stream || !picture) return qdri_fail(QDR_ERR_INVALID, "qdr_picture_create: an argument is NULL");
    qdr_picture *made = QDRI_ZERO_ARRAY(qdr_picture, 1);
    if (!made) return qdri_fail_memory();
    made->printer.stream = stream;
    put(made, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_length(made, "width", width);
    put_length(made, "height", height);
    put(made, " viewBox=\"0 0 ");
    put_parts(made, parts_of(width, HUNDREDTHS), HUNDREDTHS);
    put(made, " ");
    put_parts(made, parts_of(height, HUNDREDTHS), HUNDREDTHS);
    put(made, "\" font-family=\"sans-serif\"");
    put_length(made, "font-size", font_size);
    put(made, " fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    *picture = made;
    return QDR_OK;
}

qdr_status qdr_picture_destroy(qdr_picture **picture) {
    if (!picture || !*picture) return qdri_fail(QDR_ERR_INVALID, "qdr_picture_destroy: there is no picture");
    put(*picture, "</svg>\n");
    qdr_status status = qdri_print_end(&(*picture)->printer, "the picture");
    free(*picture);
    *picture = NULL;
    return status;
}

double qdri_picture_letters(double width) {
    return fmax(12, width * 9 / 800);
}

qdr_status qdri_picture_write(FILE *stream, double width, double height, void (*draw)(void *context),
                              void *context, qdr_picture **picture) {
    QDRI_TRY(qdr_picture_create(stream, width, height, qdri_picture_letters(width), picture));
    qdr_status status = qdri_print_plainly(draw, context), written = qdr_picture_destroy(picture);
    return status ? status : written;
}

const char *qdr_picture_colour(int number, char text[QDR_COLOUR_TEXT]) {
    /* Multiples of the golden angle are never near each other. */
    snprintf(text, QDR_COLOUR_TEXT, "hsl(%d,%d%%,%d%%)", (int)lrint(fmod(number * 137.508, 360)),
             number % 2 ? 70 : 55, number % 3 ? 48 : 60);
    return text;
}

double qdr_picture_tick(double length) {
    double power = pow(10, floor(log10(length / 4))), digit = length / 4 / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}
