/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/print.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"

static void check(qdri_printer *printer, int good) {
    if (!good && !printer->failed) printer->failed = errno ? errno : EIO;
}

void qdri_print(qdri_printer *printer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    check(printer, vfprintf(printer->stream, format, arguments) >= 0);
    va_end(arguments);
}

void qdri_print_text(qdri_printer *printer, const char *text) {
    check(printer, fputs(text, printer->stream) != EOF);
}

void qdri_print_letter(qdri_printer *printer, char letter) {
    check(printer, fputc(letter, printer->stream) != EOF);
}

qdr_status qdri_print_plainly(void (*write)(void *context), void *context) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain) return qdri_fail_memory();
    locale_t kept = uselocale(plain);
    write(context);
    uselocale(kept);
    freelocale(plain);
    return QDR_OK;
}

qdr_status qdri_print_end(qdri_printer *printer, const char *what) {
    check(printer, fflush(printer->stream) == 0);
    check(printer, !ferror(printer->stream));
    if (printer->failed == ENOMEM) return qdri_fail_memory();
    return printer->failed
               ? qdri_fail(QDR_ERR_FILE, "%s cannot be written: %s", what, strerror(printer->failed))
               : QDR_OK;
}
