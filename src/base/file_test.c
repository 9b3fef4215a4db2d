/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer of files, on file systems that have files without a name, that have none, and that refuse to
 * link them: what has the name is whole or what it was, modes and links stay, and nothing is left behind.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
ssize_t __real_write(int descriptor, const void *bytes, size_t length);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t length);

/* ---- file systems of all kinds ------------------------------------------------------------------------- */

typedef enum system_kind { UNNAMED, NAMED, LINKLESS, KINDS } system_kind;

static system_kind kind;
static int full, broken; /* the disk; the disk, as told by fsync only */

int __wrap_access(const char *path, int mode) {
    return kind == NAMED && !strcmp(path, "/proc/self/fd") ? -1 : __real_access(path, mode);
}

int __wrap_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (kind != LINKLESS) return __real_linkat(from_folder, from, to_folder, to, flags);
    errno = EPERM;
    return -1;
}

int __wrap_fsync(int descriptor) {
    if (!broken) return __real_fsync(descriptor);
    errno = EIO;
    return -1;
}

/* A disk that has room for a few bytes more. */
ssize_t __wrap_write(int descriptor, const void *bytes, size_t length) {
    if (!full) return __real_write(descriptor, bytes, length);
    if (length > 3) return __real_write(descriptor, bytes, 3);
    errno = ENOSPC;
    return -1;
}

/* ---- a folder ------------------------------------------------------------------------------------------ */

static char folder[64], path[128], other[128];

static int set_up(void **state) {
    (void)state;
    kind = UNNAMED;
    full = broken = 0;
    snprintf(folder, sizeof folder, "/tmp/file_test.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    return 0;
}

/* Nothing but these may be in it. */
static int tear_down(void **state) {
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

static int names_in_folder(void) {
    int count = 0;
    DIR *stream = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void assert_text(const char *name, const char *expected) {
    char text[64] = "";
    FILE *stream = fopen(name, "r");
    assert_non_null(stream);
    size_t length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(text, expected);
}

static int prepare(qdri_file *file, const char *text) {
    int code = qdri_file_open(file, path, QDRI_FILE_SHARED);
    if (!code) code = qdri_file_write(file, text, strlen(text));
    return code ? code : qdri_file_seal(file, QDRI_FILE_SHARED);
}

static int save(const char *text) {
    qdri_file file;
    int code = prepare(&file, text);
    if (!code) code = qdri_file_place(&file);
    qdri_file_drop(&file);
    return code;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

static void files_take_their_place(void **state) {
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        unlink(path);
        assert_int_equal(save("first"), 0);
        assert_text(path, "first");
        assert_int_equal(save("the second one"), 0);
        assert_text(path, "the second one");
        assert_int_equal(save(""), 0);
        assert_text(path, "");
        assert_int_equal(names_in_folder(), 1);
    }
}

static int has_unnamed(void) {
    int descriptor = open(folder, O_TMPFILE | O_RDWR, 0600);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

/* Without a name a kill leaves nothing; with one, whoever handles signals knows what to remove. */
static void nothing_is_seen_before(void **state) {
    (void)state;
    assert_int_equal(save("old"), 0);
    for (kind = 0; kind < KINDS; kind++) {
        qdri_file file;
        int is_named = kind == NAMED || !has_unnamed();
        assert_int_equal(prepare(&file, "new"), 0);
        assert_text(path, "old");
        assert_int_equal(names_in_folder(), is_named ? 2 : 1);
        assert_true(is_named ? access(file.aside, F_OK) == 0 : !file.aside);
        qdri_file_drop(&file);
        assert_int_equal(names_in_folder(), 1);
        assert_text(path, "old");
    }
}

static void whatever_fails_costs_nothing(void **state) {
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        full = broken = 0;
        assert_int_equal(save("old"), 0);
        full = 1;
        assert_int_equal(save("a text of more than three letters"), ENOSPC);
        full = 0;
        broken = 1;
        assert_int_equal(save("new"), EIO);
        assert_text(path, "old");
        assert_int_equal(names_in_folder(), 1);
    }
    broken = 0;
    snprintf(path, sizeof path, "%s/none/file", folder);
    assert_int_equal(save("new"), ENOENT);
    snprintf(path, sizeof path, "%s", folder);
    assert_int_equal(save("new"), EISDIR);
    snprintf(path, sizeof path, "/dev/full");
    assert_int_equal(save("new"), ENOSPC);
    snprintf(path, sizeof path, "/dev/null");
    assert_int_equal(save("new"), 0);
    snprintf(path, sizeof path, "%s/file", folder);
}

static void modes_and_links_stay(void **state) {
    struct stat status;
    mode_t mask = umask(027);
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        unlink(path);
        assert_int_equal(save("first"), 0);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0640);
        assert_int_equal(chmod(path, 0604), 0);
        assert_int_equal(save("second"), 0);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0604);
        assert_int_equal(rename(path, other), 0);
        assert_int_equal(symlink("other", path), 0);
        assert_int_equal(save("third"), 0);
        assert_text(other, "third");
        assert_int_equal(lstat(path, &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        unlink(other);
    }
    umask(mask);
}

/* Of two that want the same name one gets it; a link in its place is not followed. */
static void fresh_files_replace_nothing(void **state) {
    struct stat status;
    (void)state;
    for (kind = 0; kind < KINDS; kind++) {
        qdri_file file[2];
        unlink(path);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(qdri_file_open(&file[i], path, QDRI_FILE_PRIVATE), 0);
            assert_int_equal(qdri_file_write(&file[i], i ? "second" : "first", i ? 6 : 5), 0);
            assert_int_equal(qdri_file_seal(&file[i], QDRI_FILE_PRIVATE), 0);
        }
        assert_int_equal(qdri_file_place_fresh(&file[0]), 0);
        assert_int_equal(qdri_file_place_fresh(&file[1]), EEXIST);
        for (int i = 0; i < 2; i++) qdri_file_drop(&file[i]);
        assert_text(path, "first");
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
        assert_int_equal(names_in_folder(), 1);
    }
}

static void names_aside_are_random(void **state) {
    char *name[64];
    (void)state;
    for (int i = 0; i < 64; i++) {
        name[i] = qdri_file_aside("x/file");
        assert_non_null(name[i]);
        assert_int_equal(strlen(name[i]), strlen("x/file.XXXXXX"));
        assert_memory_equal(name[i], "x/file.", 7);
        for (int k = 0; k < i; k++) assert_string_not_equal(name[i], name[k]);
    }
    for (int i = 0; i < 64; i++) free(name[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_take_their_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_seen_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whatever_fails_costs_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modes_and_links_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fresh_files_replace_nothing, set_up, tear_down),
        cmocka_unit_test(names_aside_are_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
