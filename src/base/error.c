/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread-local error line. It has a fixed size, so that failing never needs memory; a longer sentence is
 * cut. Sentences quote what users wrote, file names and pieces of files; control characters in them would
 * break the line or speak to the terminal, so each becomes a question mark.
 */
#include "error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

const char *qdr_status_text(qdr_status status) {
    switch (status) {
    case QDR_OK:
        return "success";
#define STATUS_TEXT(name, text)                                                                              \
    case QDR_ERR_##name:                                                                                     \
        return text;
        QDR_ERROR_TABLE(STATUS_TEXT)
    }
    return "unknown status";
}

const char *qdr_version(void) {
    return QDR_VERSION;
}

const char *qdr_error_message(void) {
    return message;
}

static int is_control(char letter) {
    return (unsigned char)letter < ' ' || letter == 0x7f;
}

qdr_status qdri_fail(qdr_status status, const char *format, ...) {
    char line[sizeof message] = ""; /* the arguments may point into the old message */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *letter = line; *letter; letter++)
        if (is_control(*letter)) *letter = '?';
    memcpy(message, line, sizeof message);
    return status;
}

qdr_status qdri_fail_memory(void) {
    return qdri_fail(QDR_ERR_MEMORY, "out of memory");
}

/* ---- the log ------------------------------------------------------------------------------------------- */

static qdr_log_function *log_function;
static void *log_context;
static atomic_int goes_to_stderr;

void qdr_set_log(qdr_log_function *function, void *context) {
    log_function = function;
    log_context = context;
}

int qdri_log_wanted(void) {
    return log_function != NULL;
}

void qdri_log(const char *format, ...) {
    char line[sizeof message];
    va_list arguments;
    if (!log_function && !goes_to_stderr) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *letter = line; *letter; letter++)
        if (is_control(*letter)) *letter = '?';
    if (log_function)
        log_function(log_context, line);
    else
        fprintf(stderr, "quadrille: %s\n", line);
}

void qdri_log_to_stderr(void) {
    goes_to_stderr = 1;
}
