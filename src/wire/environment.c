/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a wire takes from the environment, when it is made: the deadline of waits that name none, how many
 * ranks pretend to be a node, whether they read each other's memory, and whether choices are explained. A value that is refused on any rank is
 * refused on all, because the ranks agree on it before they go on (node.c). The deadline is remembered for
 * the process, as the wire that was made last found it, so that nobody who waits has to read text.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "wire/inside.h"

static _Atomic double deadline;

/* Names that are almost right would have no effect, and nobody would know. */
static void name_strangers(void) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char sentence[200];
    if (atomic_flag_test_and_set(&said)) return;
    for (int i = 0; qdri_environment_stranger(i, sentence, sizeof sentence); i++) qdri_log("%s", sentence);
}

qdr_status qdri_wire_environment(qdri_wire *wire) {
    qdri_setting seconds, node, read, explain = {.given = 0};
    QDRI_TRY(qdri_environment_read(QDRI_ENV_DEADLINE, &seconds));
    atomic_store(&deadline, seconds.seconds); /* also for the call in which others are refused */
    QDRI_TRY(qdri_environment_read(QDRI_ENV_NODE_RANKS, &node));
    QDRI_TRY(qdri_environment_read(QDRI_ENV_NODE_READ, &read));
    if (wire->leads) QDRI_TRY(qdri_environment_read(QDRI_ENV_EXPLAIN, &explain));
    wire->node_ranks = (int)node.integer;
    wire->reading = !read.given || strcmp(read.text, "auto") == 0 ? QDRI_READS_IF_FASTER
                    : strcmp(read.text, "always") == 0            ? QDRI_READS_ALWAYS
                                                                  : QDRI_READS_NEVER;
    wire->explains = explain.integer != 0;
    if (!wire->explains) return QDR_OK;
    qdri_log_to_stderr();
    name_strangers();
    return QDR_OK;
}

qdri_reading qdri_node_reading(const qdri_wire *wire) {
    return wire->reading;
}

double qdri_patience(double seconds) {
    return seconds > 0 ? seconds : atomic_load(&deadline);
}

double qdri_deadline(double seconds) {
    seconds = qdri_patience(seconds);
    return seconds > 0 ? qdri_seconds() + seconds : 0;
}

qdr_status qdri_deadline_check(const char *what, double seconds) {
    if (seconds >= 0) return QDR_OK;
    return qdri_fail(QDR_ERR_RANGE, "%s is %g; expected 0 or more seconds", what, seconds);
}

void qdri_explain(const qdri_wire *wire, const char *format, ...) {
    char line[1024];
    va_list arguments;
    if (!wire->explains && !qdri_log_wanted()) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    qdri_log("%s", line);
}

int qdri_explains(const qdri_wire *wire) {
    return wire->explains || qdri_log_wanted();
}

int qdri_explains_first(qdri_wire *wire, int number) {
    uint32_t bit = UINT32_C(1) << number;
    if (!qdri_explains(wire) || (wire->explained & bit)) return 0;
    wire->explained |= bit;
    return 1;
}
