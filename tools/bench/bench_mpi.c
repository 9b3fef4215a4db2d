/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which MPI it is, and what it was told. MPI chooses among several algorithms, transports and limits, and whoever starts
 * a program can choose in its place; so a time of MPI says little without these settings. mpirun hands them on in the
 * environment, its own --mca among them. What a file of the system's administrator says is not seen here.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/complain.h"

extern char **environ;

/* Open MPI has variables for all of itself, also for how it launches; these alone are about messages. Of the others all are,
 * but for what they print. */
static const struct {
    const char *start;
    int hidden; /* letters of it that are not shown */
} families[] = {
    {"OMPI_MCA_coll", 9}, {"OMPI_MCA_pml", 9}, {"OMPI_MCA_btl", 9}, {"OMPI_MCA_mtl", 9},
    {"MPIR_CVAR_", 0},    {"I_MPI_", 0},       {"MV2_", 0},         {"UCX_", 0},
};

static const char *setting_of(const char *variable) {
    if (strstr(variable, "_LOG_") || strstr(variable, "_verbose")) return NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (!strncmp(variable, families[i].start, strlen(families[i].start)))
            return variable + families[i].hidden;
    return NULL;
}

static int by_text(const void *first, const void *second) {
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

json_t *bench_mpi_settings(void) {
    const char **settings = NULL;
    int count = 0;
    for (char **variable = environ; *variable; variable++) {
        const char *setting = setting_of(*variable);
        if (!setting) continue;
        settings = reallocate(settings, count + 1, sizeof *settings);
        settings[count++] = setting;
    }
    if (count > 0) qsort(settings, (size_t)count, sizeof *settings, by_text);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_add(list, json_text(settings[i]));
    free(settings);
    return list;
}

/* Up to what comes after the release: libraries also tell here how they were built. Open MPI puts a v before it. */
char *bench_mpi_library(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING], name[64];
    int length, used = 0, digits = 0;
    MPI_Get_library_version(text, &length);
    for (const char *at = text; *at && *at != ',' && *at != '\n' && used < (int)sizeof name - 1; at++) {
        int blank = isspace((unsigned char)*at) || *at == ':';
        if (blank && digits) break;
        if (blank && (used == 0 || name[used - 1] == ' ')) continue;
        if (*at == 'v' && isdigit((unsigned char)at[1])) continue;
        digits |= isdigit((unsigned char)*at);
        name[used++] = blank ? ' ' : *at;
    }
    name[used] = '\0';
    char *version = strstr(name, " Version");
    if (version) memmove(version, version + 8, strlen(version + 8) + 1);
    return copy_text(name);
}

/* Whether somebody chooses the algorithms of collective calls in MPI's place. */
static int is_about_collectives(const char *setting) {
    return !strncmp(setting, "coll", 4) || strstr(setting, "ALLTOALL") || strstr(setting, "COLL") ||
           strstr(setting, "ADJUST");
}

/* "told A=1, B=2", or NULL when it was told nothing. */
static char *list_settings(int collectives_only) {
    json_t *settings = bench_mpi_settings(), *setting;
    size_t index;
    char *text = NULL;
    json_array_foreach (settings, index, setting) {
        if (collectives_only && !is_about_collectives(json_string_value(setting))) continue;
        char *longer =
            print_text("%s%s %s", text ? text : "told", text ? "," : "", json_string_value(setting));
        free(text);
        text = longer;
    }
    json_decref(settings);
    return text;
}

char *bench_mpi_choice(void) {
    return list_settings(1);
}

char *bench_mpi_told(void) {
    char *library = bench_mpi_library(), *told = list_settings(0),
         *text = print_text("%s, %s", library, told ? told : "told nothing");
    free(library);
    free(told);
    return text;
}
