/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the generated families: one line each, in the order of the documentation. The table finds the
 * generator of a spec, lists the valid names and prints the help.
 */
#include "family.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/likeness.h"

static const qdri_family *const families[] = {
    &qdri_family_complete, &qdri_family_random,    &qdri_family_transport, &qdri_family_permutation,
    &qdri_family_shift,    &qdri_family_transpose, &qdri_family_alltoone,  &qdri_family_onetoall,
    &qdri_family_hotspot,  &qdri_family_zipf,      &qdri_family_powerlaw,  &qdri_family_moe,
    &qdri_family_halo2d,   &qdri_family_halo3d,    &qdri_family_paper,
};

enum { FAMILIES = QDRI_COUNT_OF(families) };

static qdr_status refuse_name(const qdri_spec *spec) {
    char names[512] = "";
    for (int i = 0; i < FAMILIES; i++) qdri_list_add(names, sizeof names, families[i]->name);
    return qdri_spec_fail(spec, QDR_ERR_UNKNOWN, "'%s' is not a family; %s%s", spec->name,
                          qdri_did_you_mean(spec->name, names), names);
}

/* A spec is quoted in messages of one line, so it must be one. */
static qdr_status check_text(const char *text) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return qdri_fail(QDR_ERR_SYNTAX,
                             "pattern: byte %d of the text has the code %d; expected printable text",
                             (int)(c - text) + 1, *c);
    return QDR_OK;
}

qdr_status qdr_pattern_from_spec(const char *text, qdr_pattern **pattern) {
    qdri_spec spec;
    if (!text || !pattern)
        return qdri_fail(QDR_ERR_INVALID, "the %s is NULL; expected both a spec and a handle",
                         text ? "handle" : "spec");
    QDRI_TRY(check_text(text));
    QDRI_TRY(qdri_spec_open(text, "pattern", &spec));
    for (int i = 0; i < FAMILIES; i++) {
        if (!qdri_word_in(spec.name, families[i]->name)) continue;
        QDRI_TRY(qdri_spec_read(&spec, families[i]->options, families[i]->option_count));
        return families[i]->generate(&spec, pattern);
    }
    return refuse_name(&spec);
}

/* ---- the help ------------------------------------------------------------------------------------------ */

const qdr_pattern_family_info *qdr_pattern_family(int index) {
    static _Thread_local qdr_pattern_family_info info[FAMILIES];
    if (index < 0 || index >= FAMILIES) return NULL;
    const qdri_family *family = families[index];
    info[index] = (qdr_pattern_family_info){family->name, family->summary, family->source, family->example,
                                            qdri_options_text(family->options, family->option_count)};
    return &info[index];
}
