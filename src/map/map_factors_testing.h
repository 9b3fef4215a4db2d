/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a case of the maps' conformance is made of: the factors, how many levels each has, and which of them do not go
 * together. After "cases.h", "map/map_testing.h" and "plan/executors/table.h".
 */
#ifndef QDRI_MAP_FACTORS_H
#define QDRI_MAP_FACTORS_H

enum factor {
    ALGORITHM,
    PACE,
    TRANSPORT,
    NODES,
    GIVEN,
    FLAT,
    REVERSE,
    UNORDERED,
    KEEPS,
    IN_FLIGHT,
    SOURCE_LISTS,
    TARGET_LISTS,
    FIELDS,
    OPERATION,
    TYPE,
    WIDTH,
    RELIST,
    DISCOVERY,
    FACTORS
};

static const char *const run_time_algorithms[] = {NULL, "paced", "distributed",
                                                  "distributed:busy-for=no,ahead=no", "joined"};

typedef struct pace {
    const char *pacing;
    int64_t chunk, window;
    int barrier;
} pace;
#define PACE(name) {#name, 64, 256, 0},
static const pace paces[] = {{NULL, 0, 0, 0}, {"arrivals", 500, 1, 1}, QDRI_EXECUTORS(PACE)};

static const char *const transports[] = {NULL, "node", "net"};
static const char *const methods[] = {NULL, "alltoall", "nbx"};

enum given { GIVEN_BOTH, GIVEN_TRUSTED, GIVEN_RECEIVES, GIVEN_SENDS, GIVEN_SENDS_ALONE, GIVENS };
enum flat { FLAT_NONE, FLAT_ALL, FLAT_SOME, FLATS };
enum fields { FIELDS_ONE, FIELDS_THREE, FIELDS_VARYING, FIELD_KINDS };
enum relist { RELIST_NONE, RELIST_SAME, RELIST_COUNTS, RELISTS };

typedef struct size {
    int64_t width, most; /* elements of a message */
} size;
static const size sizes[] = {{1, 12}, {2, 12}, {3, 12}, {8, 9}, {40, 3}, {1, 300}};

static const int levels[FACTORS] = {[ALGORITHM] = COUNT(case_algorithms) + COUNT(run_time_algorithms),
                                    [PACE] = COUNT(paces),
                                    [TRANSPORT] = COUNT(transports),
                                    [NODES] = 2,
                                    [GIVEN] = GIVENS,
                                    [FLAT] = FLATS,
                                    [REVERSE] = 3,
                                    [UNORDERED] = 2,
                                    [KEEPS] = 2,
                                    [IN_FLIGHT] = 3,
                                    [SOURCE_LISTS] = LIST_KINDS,
                                    [TARGET_LISTS] = LIST_KINDS,
                                    [FIELDS] = FIELD_KINDS,
                                    [OPERATION] = QDR_COMBINE + 1,
                                    [TYPE] = QDR_DOUBLE_COMPLEX,
                                    [WIDTH] = COUNT(sizes),
                                    [RELIST] = RELISTS,
                                    [DISCOVERY] = COUNT(methods)};

static inline const char *algorithm_at(int index) {
    return index < COUNT(case_algorithms) ? case_algorithms[index]
                                          : run_time_algorithms[index - COUNT(case_algorithms)];
}

static inline int begins(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

/* What passes messages on by a rule does so with its own pacing alone. */
static inline int any_size(const char *algorithm, const char *pacing) {
    if (algorithm && case_goes_together(algorithm, "stages")) return !pacing || !strcmp(pacing, "stages");
    return !algorithm || begins(algorithm, "paced") || begins(algorithm, "async") ||
           begins(algorithm, "distributed");
}

/* Changes what does not go together. */
static inline void settle(int *level) {
    const char *algorithm = algorithm_at(level[ALGORITHM]);
    const pace *way = &paces[level[PACE]];
    if (way->pacing && (!algorithm || (begins(algorithm, "paced") && strcmp(way->pacing, "grants")) ||
                        (begins(algorithm, "distributed") && strcmp(way->pacing, "requests")) ||
                        !case_goes_together(algorithm, way->pacing)))
        level[PACE] = 0;
    while (!qdr_operation_suits((qdr_operation)level[OPERATION], (qdr_type)(level[TYPE] + QDR_BYTE)))
        level[TYPE] = (level[TYPE] + 1) % levels[TYPE];
    if (level[KEEPS] && level[IN_FLIGHT] == 2) level[IN_FLIGHT] = 1;
    /* Two ends that state their own lists must both know of an empty one. */
    if (level[FLAT] == FLAT_SOME && (level[GIVEN] == GIVEN_BOTH || level[GIVEN] == GIVEN_TRUSTED))
        level[FLAT] = FLAT_ALL;
    if (level[GIVEN] == GIVEN_SENDS_ALONE) level[TARGET_LISTS] = LIST_CONTIGUOUS;
    if (level[REVERSE] == QDR_REVERSE_REPLACE && level[SOURCE_LISTS] == LIST_CROWDED)
        level[SOURCE_LISTS] = LIST_RANDOM;
    int replaces = level[OPERATION] == QDR_REPLACE && level[UNORDERED] && !level[KEEPS];
    if (level[TARGET_LISTS] == LIST_CROWDED && (replaces || level[FIELDS] == FIELDS_VARYING))
        level[TARGET_LISTS] = LIST_RANDOM;
    if (level[FIELDS] == FIELDS_VARYING && (!any_size(algorithm, paces[level[PACE]].pacing) ||
                                            (level[REVERSE] && level[SOURCE_LISTS] == LIST_CROWDED)))
        level[FIELDS] = FIELDS_THREE;
    if (level[RELIST] == RELIST_COUNTS && !any_size(algorithm, paces[level[PACE]].pacing))
        level[RELIST] = RELIST_SAME;
}

#endif
