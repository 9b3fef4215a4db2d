/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call sites for people. A frame is an object (the program, a library), an offset in it and perhaps a
 * symbol. Where the object is still at hand, addr2line turns offsets into functions and lines; one process
 * per object answers for all frames, and all of them together have a few seconds. Where it knows no line it
 * names the symbol before the address, however far before; that is believed when the symbol covers the
 * address. What stays unknown is shown by the symbol of the record, or by object and offset. Frames of MPI
 * itself and of the start of a program say nothing and are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advise.h"
#include "core/complain.h"
#include "core/progress.h"

extern char **environ;

enum { FRAMES_SHOWN = 3, FRAMES_ASKED = 8, QUESTIONS = 256, PROCESSES = 64, NAME_SHOWN = 60 };
static const double patience = 5; /* seconds for all processes */

typedef struct frame {
    int64_t site;
    char *object, *symbol; /* in `text` */
    char *text;
    uint64_t offset;
    char *answer; /* NULL: none */
    int asked;
} frame;

typedef struct frames {
    frame *frame;
    int64_t count;
} frames;

/* ---- frames -------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int begins_with_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (!strncmp(text, *list, strlen(*list))) return 1;
    return 0;
}

static int is_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (!strcmp(text, *list)) return 1;
    return 0;
}

static int says_nothing(const frame *frame) {
    static const char *const objects[] = {"libmpi",  "libpmpi",    "libopen-", "libquadrille-mpi",
                                          "libc.so", "libc-2",     "ld-linux", "ld-musl",
                                          "ld64",    "linux-vdso", NULL};
    static const char *const symbols[] = {
        "__libc_start_main", "__libc_start_call_main", "_start", "clone", "clone3", "start_thread", NULL};
    return begins_with_one_of(base_name(frame->object), objects) || is_one_of(frame->symbol, symbols);
}

/* OBJECT+0xOFFSET:SYMBOL; names may have '+' and ':' in them, so the last ones count. */
static int parse_frame(const char *word, size_t length, frame *frame) {
    char *end;
    frame->text = print_text("%.*s", (int)length, word);
    plain_text(frame->text);
    char *colon = strrchr(frame->text, ':'), *plus = NULL;
    if (colon) *colon = 0;
    for (char *at = frame->text; (at = strstr(at, "+0x")); at++) plus = at;
    if (!colon || !plus || plus == frame->text) return 0;
    frame->offset = strtoull(plus + 3, &end, 16);
    *plus = 0;
    frame->object = frame->text;
    frame->symbol = colon + 1;
    return !*end;
}

static void add_frames(frames *frames, int64_t site, const char *text) {
    for (int kept = 0; *text && kept < FRAMES_ASKED;) {
        size_t length = strcspn(text, "\t");
        frame frame = {.site = site};
        if (parse_frame(text, length < 4096 ? length : 4096, &frame) && !says_nothing(&frame)) {
            frames->frame = reallocate(frames->frame, frames->count + 1, sizeof *frames->frame);
            frames->frame[frames->count++] = frame;
            kept++;
        } else
            free(frame.text);
        text += length + (text[length] == '\t');
    }
}

/* ---- the object ---------------------------------------------------------------------------------------- */

static int is_file(const char *path) {
    struct stat status;
    return path && path[0] == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* A program may have been started by a relative path, which means nothing here; the record has the whole
 * one. */
static const char *find_object(const record *record, const char *object) {
    if (is_file(object)) return object;
    if (is_file(record->program) && !strcmp(base_name(record->program), base_name(object)))
        return record->program;
    return NULL;
}

/* ---- addr2line ----------------------------------------------------------------------------------------- */

static pid_t start(char *const *words, int *output) {
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t process = -1;
    if (pipe2(ends, O_CLOEXEC)) return -1;
    int good = !posix_spawn_file_actions_init(&actions);
    if (good) {
        good = !posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) &&
               !posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) &&
               !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) &&
               !posix_spawnp(&process, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (good && process > 0) {
        *output = ends[0];
        return process;
    }
    close(ends[0]);
    return -1;
}

/* Everything that a process prints until `deadline`; NULL when it was not done by then, or failed. */
static char *run(char *const *words, double deadline) {
    char *text = NULL;
    size_t size = 0;
    int output, code = 0, late = 0;
    pid_t process = start(words, &output);
    if (process < 0) return NULL;
    for (;;) {
        struct pollfd ready = {.fd = output, .events = POLLIN};
        double left = deadline - clock_seconds();
        late = left <= 0 || poll(&ready, 1, (int)(left * 1000) + 1) == 0;
        if (late) break;
        text = reallocate(text, (int64_t)size + 4097, 1);
        ssize_t got = read(output, text + size, 4096);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size += (size_t)got;
    }
    close(output);
    if (late) kill(process, SIGKILL);
    while (waitpid(process, &code, 0) < 0 && errno == EINTR) continue;
    if (text) text[size] = 0;
    if (!late && code == 0) return text;
    free(text);
    return NULL;
}

static char *next_line(char **text) {
    char *line = *text, *newline = line ? strchr(line, '\n') : NULL;
    if (newline) *newline = 0;
    *text = newline ? newline + 1 : NULL;
    return line && *line ? line : NULL;
}

/* Two lines: a function, and a file with a line number, each of which may be unknown. */
static char *read_answer(char **text, const elf_file *file, uint64_t address) {
    char *function = next_line(text), *place = next_line(text);
    if (!function || !place || function[0] == '?') return NULL;
    char *more = strstr(place, " (discriminator");
    if (more) *more = 0;
    plain_text(function);
    plain_text(place);
    if (place[0] == '?' || strstr(place, ":?") || strstr(place, ":0"))
        return elf_has_function(file, address) ? print_text("%.*s", NAME_SHOWN, function) : NULL;
    return print_text("%.*s at %.*s", NAME_SHOWN, function, NAME_SHOWN, base_name(place));
}

/* Asks for all frames in the object of the first. */
static void ask(const record *record, frames *frames, int64_t first, double deadline) {
    const char *object = find_object(record, frames->frame[first].object);
    elf_file file;
    if (object && !elf_open(object, &file)) object = NULL;
    char *words[QUESTIONS + 6] = {"addr2line", "-f", "-C", "-e", (char *)object};
    frame *asked[QUESTIONS];
    int count = 0;
    uint64_t begin = object ? elf_first_address(&file) : 0;
    for (int64_t i = first; i < frames->count && count < QUESTIONS; i++) {
        frame *frame = &frames->frame[i];
        if (frame->asked || strcmp(frame->object, frames->frame[first].object)) continue;
        frame->asked = 1;
        words[5 + count] = object ? print_text("0x%" PRIx64, frame->offset + begin) : NULL;
        asked[count++] = frame;
    }
    char *text = object && clock_seconds() < deadline ? run(words, deadline) : NULL, *rest = text;
    for (int i = 0; i < count; i++) {
        if (rest) asked[i]->answer = read_answer(&rest, &file, asked[i]->offset + begin);
        free(words[5 + i]);
    }
    if (object) elf_close(&file);
    free(text);
}

/* ---- sites --------------------------------------------------------------------------------------------- */

static char *frame_text(const frame *frame) {
    if (frame->answer) return copy_text(frame->answer);
    if (frame->symbol[0]) return print_text("%.*s", NAME_SHOWN, frame->symbol);
    return print_text("%.*s+0x%" PRIx64, NAME_SHOWN, base_name(frame->object), frame->offset);
}

static void add_text(record_site *site, const frame *frame) {
    char *text = frame_text(frame), *longer;
    if (strcmp(text, "_start") != 0) {
        longer = print_text("%s%s%s", site->text ? site->text : "", site->text ? " < " : "", text);
        free(site->text);
        site->text = longer;
    }
    free(text);
}

void record_find_lines(record *record) {
    frames frames = {0};
    double deadline = clock_seconds() + patience;
    progress_say("finding lines of source");
    for (int64_t i = 0; i < record->sites; i++) add_frames(&frames, i, record->site[i].frames);
    for (int64_t i = 0, asks = 0; i < frames.count && asks < PROCESSES; i++)
        if (!frames.frame[i].asked) {
            ask(record, &frames, i, deadline);
            asks++;
        }
    for (int64_t i = 0, shown = 0; i < frames.count; i++) {
        frame *frame = &frames.frame[i];
        shown = i > 0 && frame[-1].site == frame->site ? shown + 1 : 0;
        if (shown < FRAMES_SHOWN) add_text(&record->site[frame->site], frame);
    }
    for (int64_t i = 0; i < frames.count; i++) {
        free(frames.frame[i].text);
        free(frames.frame[i].answer);
    }
    free(frames.frame);
    for (int64_t i = 0; i < record->sites; i++)
        if (!record->site[i].text) record->site[i].text = copy_text("an unknown place");
}
