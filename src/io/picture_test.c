/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures, letter by letter: numbers have a point and no more digits than matter, in any locale; texts are escaped; paths
 * count from their last place without drifting; what could not be written is said at the end.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quadrille-io.h"

static char *text;
static size_t size;

static qdr_picture *begin(FILE **stream) {
    qdr_picture *picture = NULL;
    *stream = open_memstream(&text, &size);
    assert_non_null(*stream);
    assert_int_equal(qdr_picture_create(*stream, 40, 20.5, 10, &picture), QDR_OK);
    return picture;
}

/* Everything between the ground and the end. */
static void expect(qdr_picture *picture, FILE *stream, const char *drawn) {
    static const char head[] =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20.5\" "
        "viewBox=\"0 0 40 20.5\" font-family=\"sans-serif\" font-size=\"10\" fill=\"#222\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                      end[] = "</svg>\n";
    assert_int_equal(qdr_picture_destroy(&picture), QDR_OK);
    assert_null(picture);
    fclose(stream);
    assert_memory_equal(text, head, strlen(head));
    assert_string_equal(text + size - strlen(end), end);
    text[size - strlen(end)] = '\0';
    assert_string_equal(text + strlen(head), drawn);
    free(text);
}

static void shapes(void **state) {
    (void)state;
    FILE *stream;
    qdr_picture *picture = begin(&stream);
    qdr_picture_rectangle(picture, 1, 2.5, 0.001, 1.0 / 3, "fill=\"#c00\"", NULL);
    qdr_picture_rectangle(picture, -1.25, 2.05, 3.999, 1e300, NULL, "1 < 2 & \"3\"\n");
    qdr_picture_circle(picture, 1, 2, 3.5, NULL);
    qdr_picture_line(picture, 0, -0.004, 10.1, 0.02, "stroke=\"#333\"");
    qdr_picture_text(picture, 3, 4, "text-anchor=\"end\"", "<a> & b");
    qdr_picture_group(picture, "font-size=\"12\"");
    qdr_picture_window(picture, 1, 2, 3, 4);
    qdr_picture_window_end(picture);
    qdr_picture_group_end(picture);
    expect(
        picture, stream,
        "<rect x=\"1\" y=\"2.5\" width=\"0\" height=\"0.33\" fill=\"#c00\"/>\n"
        "<rect x=\"-1.25\" y=\"2.05\" width=\"4\" height=\"0\"><title>1 &lt; 2 &amp; \"3\"?</title></rect>\n"
        "<circle cx=\"1\" cy=\"2\" r=\"3.5\"/>\n"
        "<line x1=\"0\" y1=\"0\" x2=\"10.1\" y2=\"0.02\" stroke=\"#333\"/>\n"
        "<text x=\"3\" y=\"4\" text-anchor=\"end\">&lt;a&gt; &amp; b</text>\n"
        "<g font-size=\"12\">\n<svg x=\"1\" y=\"2\" width=\"3\" height=\"4\">\n</svg>\n</g>\n");
}

static void paths(void **state) {
    (void)state;
    FILE *stream;
    qdr_picture *picture = begin(&stream);
    qdr_picture_path(picture, "fill=\"none\"");
    qdr_picture_pen_move(picture, 1, 2);
    qdr_picture_pen_line(picture, 3.5, 2);
    qdr_picture_pen_line(picture, 3.5, 4);
    qdr_picture_pen_line(picture, 2, 3);
    qdr_picture_pen_line(picture, 2, 3);
    qdr_picture_pen_line(picture, 5, 4.5);
    qdr_picture_pen_close(picture);
    qdr_picture_pen_box(picture, 10, 20, 5, 2);
    qdr_picture_path_end(picture, "it");
    expect(picture, stream,
           "<path fill=\"none\" d=\"M1 2h2.5v2l-1.5-1h0l3 1.5zM10 20h5v2h-5z\"><title>it</title></path>\n");
}

/* A thousand thirds are 333.3, whatever each of them was rounded to. */
static void paths_do_not_drift(void **state) {
    (void)state;
    FILE *stream;
    qdr_picture *picture = begin(&stream);
    qdr_picture_path(picture, NULL);
    qdr_picture_pen_move(picture, 0, 0);
    for (int i = 1; i <= 1000; i++) qdr_picture_pen_line(picture, i / 3.0, 0);
    qdr_picture_path_end(picture, NULL);
    assert_int_equal(qdr_picture_destroy(&picture), QDR_OK);
    fclose(stream);
    double sum = 0;
    for (const char *at = strstr(text, "M0 0") + 4; *at == 'h';) {
        char *next;
        sum += strtod(at + 1, &next);
        at = next;
    }
    assert_true(sum > 333.25 && sum < 333.35);
    free(text);
}

static void other_locales(void **state) {
    (void)state;
    static const char *const with_commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (int i = 0; i < 5 && !setlocale(LC_NUMERIC, with_commas[i]);) i++;
    FILE *stream;
    qdr_picture *picture = begin(&stream);
    qdr_picture_circle(picture, 1.5, 2.25, 0.1, NULL);
    expect(picture, stream, "<circle cx=\"1.5\" cy=\"2.25\" r=\"0.1\"/>\n");
    setlocale(LC_NUMERIC, "C");
}

static void failures_are_told(void **state) {
    (void)state;
    qdr_picture *picture = NULL;
    FILE *full = fopen("/dev/full", "w");
    assert_int_equal(qdr_picture_create(NULL, 1, 1, 1, &picture), QDR_ERR_INVALID);
    assert_int_equal(qdr_picture_create(stdout, 1, 1, 1, NULL), QDR_ERR_INVALID);
    assert_int_equal(qdr_picture_destroy(&picture), QDR_ERR_INVALID);
    if (!full) return;
    assert_int_equal(qdr_picture_create(full, 1, 1, 1, &picture), QDR_OK);
    assert_int_equal(qdr_picture_destroy(&picture), QDR_ERR_FILE);
    assert_null(picture);
    fclose(full);
}

static void colours_and_ticks(void **state) {
    (void)state;
    char first[QDR_COLOUR_TEXT], second[QDR_COLOUR_TEXT];
    assert_string_equal(qdr_picture_colour(0, first), "hsl(0,55%,60%)");
    assert_string_not_equal(qdr_picture_colour(1, first), qdr_picture_colour(2, second));
    qdr_picture_colour(INT32_MAX, first);
    for (double length = 1e-9; length < 1e9; length *= 1.37) {
        double parts = length / qdr_picture_tick(length);
        assert_true(parts >= 4 * (1 - 1e-9) && parts <= 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(paths),
        cmocka_unit_test(paths_do_not_drift),
        cmocka_unit_test(other_locales),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(colours_and_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
