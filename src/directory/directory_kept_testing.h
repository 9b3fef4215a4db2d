/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory that is looked after: one whose entries a test knows, so that it can tell that a mistake changed none.
 * After "mpi_check.h" and "directory/directory_testing.h".
 */
#ifndef QDRI_DIRECTORY_KEPT_H
#define QDRI_DIRECTORY_KEPT_H

typedef int64_t payload;

/* Ids 0 to 39 are there, inserted by whoever's number it is, at a place and with a payload that follow. */
enum { KEPT = 40, LIMIT = 100 };

static inline int owner_of(int64_t id) {
    return (int)(id % ranks);
}
static inline int64_t local_of(int64_t id) {
    return 1000 + id;
}
static inline payload payload_of(int64_t id) {
    return 7 * id + 1;
}

static inline int place_by_number(void *context, int64_t id) {
    const int *wrong = context;
    return *wrong && id == *wrong ? (*wrong > 0 ? ranks : -1) : (int)((uint64_t)id % (uint64_t)ranks);
}

static int wrong_id; /* for which the function above gives no rank */

static inline qdr_directory_options options_of(qdr_placement placement) {
    qdr_directory_options options = QDR_DIRECTORY_OPTIONS;
    options.placement = placement;
    options.limit = placement == QDR_PLACE_BLOCK ? LIMIT : 0;
    options.place = placement == QDR_PLACE_FUNCTION ? place_by_number : NULL;
    options.context = &wrong_id;
    options.payload_bytes = sizeof(payload);
    options.deadline = 30;
    return options;
}

static inline qdr_directory *open_directory(MPI_Comm comm, qdr_placement placement, int caches) {
    qdr_directory_options options = options_of(placement);
    qdr_directory *directory = NULL;
    int64_t id[KEPT], local[KEPT], count = 0;
    payload data[KEPT];
    options.caches = caches;
    FINE(qdr_directory_create(comm, &options, &directory));
    for (int64_t i = 0; i < KEPT; i++)
        if (owner_of(i) == rank) {
            local[count] = local_of(i);
            data[count] = payload_of(i);
            id[count++] = i;
        }
    FINE(qdr_directory_insert(directory, count, id, NULL, local, data));
    return directory;
}

static inline void unchanged_at(int line, qdr_directory *directory) {
    int64_t id[2 * KEPT], local[2 * KEPT], unknown = -1;
    int owner[2 * KEPT], wrong = 0;
    payload data[2 * KEPT];
    for (int64_t i = 0; i < 2 * KEPT; i++) id[i] = i;
    if (qdr_directory_find(directory, 2 * KEPT, id, owner, local, data, &unknown))
        mpi_check_failed(__FILE__, line, "find: %s", qdr_error_message());
    for (int64_t i = 0; i < 2 * KEPT; i++)
        wrong += i < KEPT ? owner[i] != owner_of(i) || local[i] != local_of(i) || data[i] != payload_of(i)
                          : owner[i] != QDR_NOBODY || local[i] != -1 || data[i] != 0;
    if (wrong || unknown != KEPT)
        mpi_check_failed(__FILE__, line, "%d entries are not as they were; %lld unknown", wrong,
                         (long long)unknown);
    int64_t entries = sum_of(qdr_directory_look(directory).entries);
    if (entries != KEPT) mpi_check_failed(__FILE__, line, "%lld entries", (long long)entries);
}
#define UNCHANGED(directory) unchanged_at(__LINE__, directory)

#endif
