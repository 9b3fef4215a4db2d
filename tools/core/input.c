/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PATTERN and MACHINE. A PATTERN is a file when it is "-", ends in .mtx, has a '/' before any ':' (a spec may
 * hold a fraction, density=1/32), or names something that exists; otherwise it is a spec. Specs of meshes are
 * answered here, because the library knows neither METIS nor Qhull.
 */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "hosts.h"
#include "mesh.h"
#include "progress.h"

const char default_machine[] = "ethernet";

int input_is_file(const char *text) {
    struct stat status;
    size_t length = strlen(text);
    return !strcmp(text, "-") || (length >= 4 && !strcmp(text + length - 4, ".mtx")) ||
           text[strcspn(text, ":/")] == '/' || stat(text, &status) == 0;
}

int input_open(const char *path, FILE **stream, const char **name) {
    struct stat status;
    int standard = !strcmp(path, "-");
    *name = standard ? "standard input" : path;
    *stream = standard ? stdin : fopen(path, "r");
    if (!*stream) return complain("cannot open '%s': %s", path, strerror(errno));
    if (!standard && fstat(fileno(*stream), &status) == 0 && S_ISDIR(status.st_mode)) {
        input_close(*stream);
        return complain("cannot read '%s': it is a directory", path);
    }
    return EXIT_GOOD;
}

void input_close(FILE *stream) {
    if (stream != stdin) fclose(stream);
}

static int read_pattern(const char *path, int64_t bytes, qdr_pattern **pattern) {
    FILE *stream;
    const char *name;
    int code = input_open(path, &stream, &name);
    if (code) return code;
    progress_say("reading %s", name);
    qdr_status status = qdr_pattern_read(stream, name, bytes, pattern);
    input_close(stream);
    if (status == QDR_ERR_VALUELESS) return complain("%s (--bytes B)", qdr_error_message());
    return status ? complain_library() : EXIT_GOOD;
}

int input_pattern(const arguments *arguments, const char *text, qdr_pattern **pattern) {
    int64_t bytes = 0;
    int code = argument_count(arguments, "bytes", 1, INT64_C(1) << 40, &bytes);
    if (code) return code;
    if (input_is_file(text)) return read_pattern(text, bytes, pattern);
    if (bytes) return complain("--bytes is for files; write it into the spec: '%.200s'", text);
    progress_say("generating %.100s", text);
    if (mesh_is_spec(text)) return mesh_pattern(text, NULL, pattern);
    qdr_status status = qdr_pattern_from_spec(text, pattern);
    if (status == QDR_ERR_UNKNOWN)
        return complain("%s, %s, %s", qdr_error_message(), mesh_family(0)->name, mesh_family(1)->name);
    return status ? complain_library() : EXIT_GOOD;
}

/* Whether a line of the list, "key=default  meaning", or a part of the spec, "key=value", begins with n=. */
static int has_n(const char *list, char separator) {
    for (; list; list = strchr(list, separator), list = list ? list + 1 : NULL)
        if (!strncmp(list, "n=", 2)) return 1;
    return 0;
}

static int family_has_n(const char *text) {
    const qdr_pattern_family_info *info;
    size_t length = strcspn(text, ":");
    if (mesh_is_spec(text)) return 1;
    for (int i = 0; (info = qdr_pattern_family(i)); i++)
        if (strlen(info->name) == length && !strncmp(info->name, text, length))
            return has_n(info->options, '\n');
    return 0;
}

char *input_fill_ranks(const char *text, int ranks) {
    const char *colon = strchr(text, ':');
    if (input_is_file(text) || (colon && has_n(colon + 1, ',')) || !family_has_n(text))
        return copy_text(text);
    return print_text("%s%sn=%d", text, !colon ? ":" : colon[1] ? "," : "", ranks);
}

int input_machine(const arguments *arguments, const char *standard, int ranks, qdr_machine **machine) {
    const char *spec = argument(arguments, "machine");
    *machine = NULL;
    if (!spec) spec = standard;
    if (!spec) return EXIT_GOOD;
    int64_t per_host = 1;
    int code = argument_exists(arguments, "ranks-per-host") ? hosts_ranks(arguments, &per_host) : EXIT_GOOD;
    if (code) return code;
    char *text = per_host > 1 ? print_text("%s%ck=%" PRId64, spec, strchr(spec, ':') ? ',' : ':', per_host)
                              : copy_text(spec);
    if (qdr_machine_create(text, ranks, machine)) code = complain_library();
    free(text);
    return code;
}
