/* SPDX-License-Identifier: BSD-3-Clause */
/* One writer for files: what has the name is whole, or it is what it was before. */
#ifndef QDRI_FILE_H
#define QDRI_FILE_H

#include <stddef.h>

typedef struct qdri_file {
    char *place;    /* the name it will have */
    char *aside;    /* the name it has until then; NULL: none */
    int descriptor; /* -1: closed */
    int is_direct;  /* no regular file: what is written is there at once */
    int is_there;   /* there was a file at its place */
} qdri_file;

#define QDRI_FILE_NONE                                                                                       \
    { NULL, NULL, -1, 0, 0 }

typedef enum qdri_file_kind {
    QDRI_FILE_SHARED, /* the mode of the file it replaces, or the usual one; survives a loss of power */
    QDRI_FILE_PRIVATE /* for this user alone; as long as programs run */
} qdri_file_kind;

/* All of these return 0, or a code of errno; then the file is to be dropped. */

/* What is not a regular file is opened as it is. A link stays a link. */
int qdri_file_open(qdri_file *file, const char *path, qdri_file_kind kind);
int qdri_file_write(qdri_file *file, const void *bytes, size_t length);
/* Everything has arrived where it is kept. */
int qdri_file_seal(qdri_file *file, qdri_file_kind kind);
/* It has a name, beside its place; so little is left that can fail. */
int qdri_file_name(qdri_file *file);
/* It takes its place; qdri_file_place_fresh() only where nothing is, else EEXIST. */
int qdri_file_place(qdri_file *file);
int qdri_file_place_fresh(qdri_file *file);

/* Removes what has not taken its place; takes nothing back otherwise. */
void qdri_file_drop(qdri_file *file);

/* A name beside `path` that tells nothing and that nothing has; to be freed. NULL without memory. */
char *qdri_file_aside(const char *path);
/* Gives a file another name that nothing has; EEXIST where something has it. */
int qdri_file_rename_fresh(const char *aside, const char *path);

#endif
