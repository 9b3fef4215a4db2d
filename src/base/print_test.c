/* SPDX-License-Identifier: BSD-3-Clause */
/* Printers remember what streams forget. */
#include "base/print.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include <cmocka.h>

static void what_arrives_is_said(void **state) {
    char *text = NULL;
    size_t length = 0;
    qdri_printer printer = {open_memstream(&text, &length), 0};
    (void)state;
    qdri_print(&printer, "%d and %s", 1, "two");
    qdri_print_letter(&printer, '!');
    qdri_print_text(&printer, " %d");
    assert_int_equal(qdri_print_end(&printer, "the text"), QDR_OK);
    fclose(printer.stream);
    assert_string_equal(text, "1 and two! %d");
    free(text);
}

static void a_full_disk_is_said(void **state) {
    qdri_printer printer = {fopen("/dev/full", "w"), 0};
    (void)state;
    assert_non_null(printer.stream);
    qdri_print_text(&printer, "text");
    assert_int_equal(qdri_print_end(&printer, "the text"), QDR_ERR_FILE);
    assert_string_equal(qdr_error_message(), "the text cannot be written: No space left on device");
    fclose(printer.stream);
}

/* The stream itself says that all is well. */
static void a_line_that_was_not_printed_is_said(void **state) {
    char *text = NULL;
    size_t length = 0;
    qdri_printer printer = {open_memstream(&text, &length), 0};
    (void)state;
    qdri_print(&printer, "%lc", (wint_t)0x7fffffff);
    qdri_print_text(&printer, "the end");
    assert_false(ferror(printer.stream));
    assert_int_equal(qdri_print_end(&printer, "the text"), QDR_ERR_FILE);
    fclose(printer.stream);
    free(text);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* So it does when memory runs out. 3: the stream was believed; 4: the limit did nothing. */
static int print_without_memory(void) {
    const struct rlimit limit = {64 << 20, 64 << 20};
    char *text = NULL;
    size_t length = 0;
    qdri_printer printer = {open_memstream(&text, &length), 0};
    if (setrlimit(RLIMIT_AS, &limit)) return 4;
    for (int i = 0; i < 1 << 20; i++) qdri_print(&printer, "%0127d\n", i);
    qdr_status status = qdri_print_end(&printer, "the text");
    if (printer.failed == 0) return 4;
    return status == QDR_ERR_MEMORY ? 0 : 3;
}

static void memory_that_ran_out_is_said(void **state) {
    int code = 0;
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it needs more than any limit */
#endif
    pid_t child = fork();
    if (child == 0) _exit(print_without_memory());
    assert_true(child > 0 && waitpid(child, &code, 0) == child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_arrives_is_said),
        cmocka_unit_test(a_full_disk_is_said),
        cmocka_unit_test(a_line_that_was_not_printed_is_said),
        cmocka_unit_test(memory_that_ran_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
