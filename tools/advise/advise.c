/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille advise: what the records of a program say about its exchanges, call site by call site, and what
 * to do. The parts stand in advise.h.
 */
#include <string.h>

#include "advise.h"
#include "core/arguments.h"
#include "core/complain.h"
#include "core/progress.h"

static int write_all(const arguments *arguments, const advice *advice, FILE *out) {
    const char *page = argument(arguments, "page"), *patterns = argument(arguments, "save-patterns");
    int code = EXIT_GOOD;
    progress_say("writing");
    if (argument(arguments, "json"))
        code = advice_write_json(advice, out);
    else
        advice_write_text(advice, out);
    if (!code && page) code = advice_write_page(advice, page);
    if (!code && patterns) code = advice_save_patterns(advice, patterns);
    return code;
}

static int run(const arguments *arguments, FILE *out) {
    record record;
    advice advice;
    const char *folder = arguments->operand[0];
    memset(&advice, 0, sizeof advice);
    int code = record_read(&record, folder) ? EXIT_GOOD : complain("%s", record.error);
    if (!code) {
        record_find_lines(&record);
        code = advice_judge(&advice, &record, folder, argument(arguments, "machine"));
    }
    if (!code) {
        advice_say(&advice);
        code = write_all(arguments, &advice, out);
    }
    advice_clear(&advice);
    record_clear(&record);
    return code;
}

static const option options[] = {
    OPTION_MACHINE("take bounds from this machine instead of the best rate seen"),
    OPTION_OUTPUT,
    OPTION_JSON,
    {0, "page", "FILE", "also write an HTML page to FILE", OPTION_ONCE},
    {0, "save-patterns", "FOLDER", "write the heaviest patterns as Matrix Market files", OPTION_ONCE},
    OPTIONS_END,
};

const command advise_command = {
    .name = "advise",
    .summary = "what the exchanges of a recorded program cost, and how to make them faster",
    .operands = "FOLDER",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "FOLDER has the records of a program that ran with the drop-in library\n"
                   "preloaded and QDR_RECORD=FOLDER. For each call site and size of the\n"
                   "communicator it shows how much time one rank spends there; how much of that is\n"
                   "waiting for ranks that come later; how long the exchange itself takes, as a\n"
                   "multiple of its bound; how much a run would gain if calls that MPI served took\n"
                   "1.1 times their bound; and what to do.\n"
                   "\n"
                   "The bound of a call is the traffic of its busiest rank over the best rate in\n"
                   "this record. If all exchanges were slow, that bound is too high: -m takes the\n"
                   "bounds of a machine, such as ethernet or crossbar:rate=25Gbit/s. To see what\n"
                   "MPI's own way costs, record with QDR_PRELOAD=plain. Ranks are those of\n"
                   "MPI_COMM_WORLD. Functions and lines are found where addr2line is installed and\n"
                   "the program is still where it ran.\n",
    .examples = "mpirun -n 16 -x LD_PRELOAD=libquadrille-mpi-openmpi.so -x QDR_RECORD=record ./program\n"
                "quadrille advise record\n"
                "quadrille advise record -m crossbar:rate=25Gbit/s --page advice.html\n"
                "quadrille advise record --save-patterns patterns\n"
                "quadrille compare patterns/site1-pattern1.mtx -m ethernet\n",
    .run = run,
};
