/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quadrille generate: a pattern as a Matrix Market file.
 */
#include "core/arguments.h"
#include "core/complain.h"
#include "core/input.h"
#include "core/mesh.h"
#include "core/output.h"
#include "core/progress.h"

static int run(const arguments *arguments, FILE *out) {
    const char *text = arguments->operand[0], *drawing = argument(arguments, "draw");
    qdr_pattern *pattern = NULL;
    if (drawing && !mesh_is_spec(text)) return complain("--draw draws meshes; '%.200s' is not a mesh", text);
    if (argument_conflict(arguments, "draw", "bytes")) return EXIT_USE;
    int code = drawing ? mesh_pattern(text, output_open(drawing), &pattern)
                       : input_pattern(arguments, text, &pattern);
    if (code) return code;
    progress_say("writing");
    qdr_status status = qdr_pattern_write(pattern, out);
    qdr_pattern_destroy(&pattern);
    return status ? complain_library() : EXIT_GOOD;
}

static const option options[] = {
    OPTION_OUTPUT,
    {0, "draw", "FILE", "also draw the mesh of a mesh pattern (SVG)", OPTION_ONCE},
    OPTION_BYTES,
    OPTIONS_END,
};

const command generate_command = {
    .name = "generate",
    .summary = "write a pattern as a Matrix Market file",
    .operands = "PATTERN",
    .fewest = 1,
    .most = 1,
    .options = options,
    .description = "Row i, column j (counted from 1) is the number of bytes that rank i-1 sends to rank\n"
                   "j-1. The same spec gives the same file everywhere. PATTERN may also be a file: it\n"
                   "is read, checked and written in order.\n",
    .examples = "quadrille generate random:n=64,density=0.25,bytes=512,seed=1 -o random.mtx\n"
                "quadrille generate mesh:n=32,points=2800 --draw mesh.svg -o mesh.mtx\n",
    .run = run,
};
