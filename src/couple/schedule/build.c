/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building the schedules of a stream: descriptors go where they are needed, each pair of fields is built by its
 * algorithm, and both programs agree on how it went, once for each field. A rank that fails on the way still writes its messages, empty ones, so
 * that nobody waits in vain; why it failed is said at the next agreement, where all return the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "couple/schedule/share.h"

/* ---- small things -------------------------------------------------------------------------------------- */

void qdri_build_works(qdri_build *build) {
    if (build->since == 0) build->since = qdri_seconds();
}

void qdri_build_waits(qdri_build *build) {
    if (build->since > 0) build->effort.seconds += qdri_seconds() - build->since;
    build->since = 0;
}

qdri_conversation qdri_build_conversation(qdri_build *build, const char *what) {
    return (qdri_conversation){.space = build->space,
                               .wire = build->space->wire,
                               .effort = &build->effort,
                               .what = what,
                               .deadline = build->deadline};
}

void qdri_note_trouble(qdri_trouble *trouble, int64_t twice, int owner_a, int owner_b, int64_t hole) {
    if (twice >= 0 && (trouble->twice < 0 || twice < trouble->twice)) {
        trouble->twice = twice;
        trouble->owner[0] = owner_a < owner_b ? owner_a : owner_b;
        trouble->owner[1] = owner_a < owner_b ? owner_b : owner_a;
    }
    if (hole >= 0 && (trouble->hole < 0 || hole < trouble->hole)) trouble->hole = hole;
}

/* The sentence of an agreement begins with a rank of the wire, which means nothing to anybody here. */
static const char *without_rank(const char *sentence) {
    int length = 0;
    if (sscanf(sentence, "rank %*d: %n", &length) == 0 && length > 0) return sentence + length;
    return sentence;
}

qdr_status qdri_space_agree(const qdri_space *space, qdr_status status, qdri_term *term, int terms,
                            double deadline) {
    char sentence[900];
    if (status && !qdri_wire_usable(space->wire)) return status; /* nobody would hear it */
    qdri_agreement agreement = {
        .call = "qdr_stream_create", .status = status, .term = term, .terms = terms, .deadline = deadline};
    qdri_lock(space->wire);
    qdr_status agreed = qdri_agree(space->wire, &agreement);
    qdri_unlock(space->wire);
    if (!agreed) return QDR_OK;
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    return qdri_fail(agreed, "%s", without_rank(sentence));
}

qdr_status qdri_say_who(const qdri_space *space, const char *stream, qdr_status status) {
    char sentence[700];
    if (!status) return QDR_OK;
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    return qdri_fail(status, "%s, rank %d, stream '%s': %s", space->name[space->side], space->own, stream,
                     sentence);
}

static void take_roles(qdri_build *build) {
    const qdri_space *space = build->space;
    for (int role = 0; role < 2; role++) {
        int side = role == 0 ? build->exporter : !build->exporter;
        build->rank[role] = space->rank[side];
        build->ranks[role] = space->count[side];
        build->has[role] = space->is_self || side == space->side;
        build->own[role] = build->has[role] ? space->own : -1;
    }
}

/* ---- boxes of all ranks -------------------------------------------------------------------------------- */

/* One layout from what came of all ranks. */
static qdr_status join_messages(int members, const qdri_content *in, qdr_layout **joined) {
    int64_t *start = QDRI_ZERO_ARRAY(int64_t, members + 1);
    for (int i = 0; i < members && start; i++) start[i + 1] = start[i] + in[i].bytes;
    char *all = start ? QDRI_ARRAY(char, start[members]) : NULL;
    for (int i = 0; i < members && all; i++) memcpy(all + start[i], in[i].data, (size_t)in[i].bytes);
    qdr_status status = all ? qdri_layout_join(all, start, members, joined) : qdri_fail_memory();
    free(start);
    free(all);
    return status;
}

static qdr_status join_boxes(qdri_build *build, int role) {
    qdri_field *field = build->field;
    int members = build->ranks[role], is_whole = 1;
    qdr_layout *joined = NULL;
    qdri_content own = {.rank = 0}, *in = QDRI_ZERO_ARRAY(qdri_content, members);
    if (!in) return qdri_fail_memory();
    qdr_status status = qdri_layout_write(field->layout[role], &own.data, &own.bytes);
    if (status) own = (qdri_content){.rank = 0};
    qdri_budget_take(&build->effort.memory, own.bytes);
    qdr_status shared = qdri_share_inside(build, "joining boxes", own, in);
    if (!status) status = shared;
    for (int i = 0; i < members; i++) is_whole &= in[i].bytes > 0;
    build->spoiled |= !is_whole;
    if (!status && is_whole) status = join_messages(members, in, &joined);
    if (joined) {
        qdr_layout_destroy(&field->layout[role]);
        field->layout[role] = joined;
    }
    qdri_messages_free(&build->effort, members, in);
    free(in);
    return status;
}

/* ---- descriptors --------------------------------------------------------------------------------------- */

/* Whether the descriptor of this role of a field has to be known in the other program. */
static int travels(const qdri_field *field, const qdri_choice *choice, int role) {
    if (!field->compact[role] || choice->computes == QDRI_BY_DEREF) return 0;
    if (choice->computes == QDRI_BY_BOTH) return 1;
    return choice->computes == (role == 0 ? QDRI_BY_IMPORTER : QDRI_BY_EXPORTER);
}

typedef struct bundle {
    char *data;
    int64_t bytes, capacity;
} bundle;

static qdr_status append(bundle *self, const void *bytes, int64_t size) {
    if (!qdri_grow(&self->data, &self->capacity, self->bytes + 8 + size, 1)) return qdri_fail_memory();
    memcpy(self->data + self->bytes, &size, 8);
    if (size > 0) memcpy(self->data + self->bytes + 8, bytes, (size_t)size);
    self->bytes += 8 + size;
    return QDR_OK;
}

static qdr_status append_descriptor(bundle *self, const qdri_field *field, int role) {
    void *bytes = NULL;
    int64_t size = 0;
    qdr_status status = qdri_layout_write(field->layout[role], &bytes, &size);
    if (!status) status = append(self, bytes, size);
    free(bytes);
    bytes = NULL;
    if (!status) status = qdri_region_write(field->region[role], &bytes, &size);
    if (!status) status = append(self, bytes, size);
    free(bytes);
    return status;
}

/* The next part of a bundle. */
static qdr_status take_part(qdri_cursor *bundle, const char *name, const char **bytes, int64_t *size) {
    QDRI_TRY(qdri_cursor_copy(bundle, "the length of a part", size, sizeof *size));
    return qdri_cursor_take(bundle, name, *size, 1, bytes);
}

static qdr_status read_descriptor(qdri_field *field, int role, int ranks, qdri_cursor *bundle) {
    const char *bytes;
    int64_t size;
    QDRI_TRY(take_part(bundle, "a layout", &bytes, &size));
    QDRI_TRY(qdri_layout_read(bytes, size, &field->layout[role]));
    QDRI_TRY(take_part(bundle, "a region", &bytes, &size));
    QDRI_TRY(qdri_region_read(bytes, size, &field->region[role]));
    if (!qdri_layout_is_compact(field->layout[role]) || qdri_layout_ranks(field->layout[role]) > ranks ||
        qdr_region_elements(field->region[role]) != field->elements ||
        qdri_region_dimensions(field->region[role]) != qdri_layout_dimensions(field->layout[role]))
        return qdri_fail(QDR_ERR_MISMATCH, "field '%s': the other program's layout is not what it declared",
                         field->name);
    return qdri_region_fits(field->region[role], field->layout[role]);
}

/* A rank that has failed before takes part with an empty bundle. */
static qdr_status share_descriptors(qdri_build *build, const qdri_choice *choice, qdr_status status,
                                    int *travelled) {
    bundle own = {.data = NULL};
    int gives[2] = {0, 0}, own_role = build->has[0] ? 0 : 1;
    qdri_build_works(build);
    for (int f = 0; f < build->fields; f++)
        for (int role = 0; role < 2; role++) {
            if (build->space->is_self || !travels(&build->list[f], &choice[f], role)) continue;
            gives[role == 0 ? build->exporter : !build->exporter] = 1;
            if (role == own_role && !status) status = append_descriptor(&own, &build->list[f], role);
        }
    *travelled = gives[0] || gives[1];
    qdri_build_waits(build);
    if (!*travelled) return status;
    qdri_content out = {.bytes = status ? 0 : own.bytes, .data = own.data}, in;
    qdri_budget_take(&build->effort.memory, out.bytes);
    qdr_status shared = qdri_share(build, "exchanging descriptors", choice[0].descriptors, gives, out, &in);
    if (!status) status = shared;
    qdri_build_works(build);
    qdri_cursor bundle = {{build->space->name[!build->space->side], -1}, "descriptors", in.data, in.bytes};
    if (in.data && in.bytes == 0) build->spoiled = 1;
    for (int f = 0; f < build->fields && in.bytes > 0 && !status; f++)
        if (travels(&build->list[f], &choice[f], !own_role))
            status = read_descriptor(&build->list[f], !own_role, build->ranks[!own_role], &bundle);
    if (!status) status = qdri_cursor_end(&bundle);
    qdri_messages_free(&build->effort, 1, &in);
    qdri_build_waits(build);
    return status;
}

/* ---- trouble ------------------------------------------------------------------------------------------- */

static void name_element(const qdri_field *field, int role, int64_t number, char *text, int size) {
    int64_t index[QDR_MOST_DIMENSIONS];
    int length = snprintf(text, (size_t)size, "(");
    if (!field->region[role] || qdr_region_index(field->region[role], number, index)) {
        snprintf(text, (size_t)size, "number %" PRId64, number);
        return;
    }
    int dimensions = qdri_region_dimensions(field->region[role]);
    for (int d = 0; d < dimensions && length < size; d++)
        length += snprintf(text + length, (size_t)(size - length), "%s%" PRId64, d ? ", " : "", index[d]);
    if (length < size) snprintf(text + length, (size_t)(size - length), ")");
}

/* Both programs know the lowest such number; one rank of the program that has the array says what it is. */
static qdr_status report_trouble(qdri_build *build, int role, int64_t twice, int64_t hole) {
    const qdri_trouble *mine = &build->trouble[role];
    qdri_term owner[2] = {QDRI_IS_MOST("lower owner of an element", -1, -1, INT32_MAX),
                          QDRI_IS_MOST("higher owner of an element", -1, -1, INT32_MAX)};
    char element[200], owners[80] = "";
    for (int i = 0; i < 2 && twice >= 0 && mine->twice == twice; i++) owner[i].value = mine->owner[i];
    QDRI_TRY(qdri_space_agree(build->space, QDR_OK, owner, 2, build->deadline));
    qdr_status status = QDR_OK;
    if (build->has[role] && build->own[role] == 0) {
        name_element(build->field, role, twice >= 0 ? twice : hole, element, sizeof element);
        if (owner[0].value >= 0)
            snprintf(owners, sizeof owners, ", by ranks %" PRId64 " and %" PRId64, owner[0].value,
                     owner[1].value);
        status = qdri_fail(QDR_ERR_MISMATCH, "%s, stream '%s', field '%s': element %s is owned %s%s",
                           build->space->name[build->space->side], build->name, build->field->name, element,
                           twice >= 0 ? "twice" : "by nobody", owners);
    }
    return qdri_space_agree(build->space, status, NULL, 0, build->deadline);
}

static qdr_status agree_on_field(qdri_build *build, qdr_status status) {
    static const char *const names[2][2] = {
        {"number of an element that is exported twice", "number of an element that nobody exports"},
        {"number of an element that is imported twice", "number of an element that nobody imports"}};
    qdri_term term[5];
    for (int role = 0; role < 2; role++) {
        int64_t twice = build->trouble[role].twice, hole = build->trouble[role].hole;
        term[2 * role] = QDRI_IS_LEAST(names[role][0], twice < 0 ? INT64_MAX : twice, 0, INT64_MAX);
        term[2 * role + 1] = QDRI_IS_LEAST(names[role][1], hole < 0 ? INT64_MAX : hole, 0, INT64_MAX);
    }
    term[4] = QDRI_IS_MOST("whether something makes no sense", build->spoiled, 0, 1);
    status = qdri_say_who(build->space, build->name, status);
    QDRI_TRY(qdri_space_agree(build->space, status, term, 5, build->deadline));
    for (int role = 0; role < 2; role++) {
        int64_t twice = term[2 * role].value, hole = term[2 * role + 1].value;
        if (twice < INT64_MAX || hole < INT64_MAX)
            return report_trouble(build, role, twice < INT64_MAX ? twice : -1, hole < INT64_MAX ? hole : -1);
    }
    if (term[4].value)
        return qdri_fail(QDR_ERR_MISMATCH,
                         "stream '%s', field '%s': a rank was told something that makes no sense",
                         build->name, build->field->name);
    return QDR_OK;
}

/* ---- what others have worked out for this rank --------------------------------------------------------- */

/* Places outside of its own memory would be written to at every import. `room` is that of entries. */
static qdr_status check_room(const qdri_field *field, const qdri_routes *routes, const qdr_layout *layout,
                             int own, int64_t room) {
    int64_t elements;
    int stated = qdri_layout_kind_of(layout) == QDRI_RUNS_OF;
    if (qdri_layout_is_compact(layout) || stated)
        QDRI_TRY(qdr_layout_share(layout, stated ? QDR_HERE : own, &elements, &room));
    QDRI_TRY(qdri_decode_word(QDRI_SOMEBODY, "elements of a schedule", routes->elements, 0, field->elements));
    for (int i = 0; i < routes->count; i++) {
        int64_t lowest = routes->route[i].places.lowest, highest = routes->route[i].places.highest;
        if (lowest < 0 || highest >= room)
            return qdri_fail(QDR_ERR_MISMATCH,
                             "field '%s': a schedule with places %" PRId64 " to %" PRId64
                             " of a memory of %" PRId64,
                             field->name, lowest, highest, room);
    }
    return QDR_OK;
}

static qdr_status check_routes(qdri_build *build) {
    const qdri_field *field = build->field;
    for (int role = 0; role < 2; role++)
        if (build->has[role])
            QDRI_TRY(check_room(field, role ? &field->in : &field->out, field->layout[role], build->own[role],
                                field->room[role]));
    return QDR_OK;
}

/* ---- all fields ---------------------------------------------------------------------------------------- */

static qdr_status build_field(qdri_build *build) {
    const qdri_field *field = build->field;
    for (int role = 0; role < 2; role++) build->trouble[role] = (qdri_trouble){-1, -1, {-1, -1}};
    build->effort.memory.used = 0;
    if (build->choice.computes == QDRI_BY_DEREF) return qdri_build_deref(build);
    if (field->compact[0] && field->compact[1]) return qdri_build_owners(build);
    return qdri_build_ranges(build);
}

static qdr_status name_field(const qdri_field *field, qdr_status status) {
    char sentence[700];
    if (!status) return QDR_OK;
    snprintf(sentence, sizeof sentence, "%s", qdr_error_message());
    return qdri_fail(status, "field '%s': %s", field->name, sentence);
}

static qdr_status join_all(qdri_build *build) {
    for (int f = 0; f < build->fields; f++)
        for (int role = 0; role < 2; role++) {
            build->field = &build->list[f];
            if (!build->has[role] || qdri_layout_kind_of(build->field->layout[role]) != QDRI_BOXES) continue;
            QDRI_TRY(name_field(build->field, join_boxes(build, role)));
        }
    return QDR_OK;
}

static void choose_all(qdri_build *build, const qdri_choice *asked, qdri_choice *choice, qdri_built *built) {
    for (int f = 0; f < build->fields; f++) {
        const qdri_field *field = &build->list[f];
        const double *element = build->costs->element;
        qdri_case about = {.compact = {field->compact[0], field->compact[1]},
                           .elements = field->elements,
                           .ranks = {build->ranks[0], build->ranks[1]},
                           .costs = *build->costs,
                           .root = build->rank[1][0] == 0 && !build->space->is_self};
        for (int role = 0; role < 2; role++)
            about.costs.element[role] = element[role == 0 ? build->exporter : !build->exporter];
        char why[sizeof built->why];
        qdri_choose(&about, asked, &choice[f], why, sizeof why);
        if (f == 0) memcpy(built->why, why, sizeof why);
    }
}

static void describe(const qdri_build *build, const qdri_choice *choice, int travelled, qdri_built *built) {
    static const char *const computes[] = {"both", "exporter", "importer", "deref"};
    static const char *const back[] = {"all", "one"}, *const descriptors[] = {"disjoint", "representative"};
    const qdri_field *field = build->list;
    int goes_back =
        build->fields > 0 && !(field->compact[0] && field->compact[1] && choice->computes == QDRI_BY_BOTH);
    built->computed = build->fields ? computes[choice->computes] : "both";
    built->back = goes_back ? back[choice->back] : "none";
    built->descriptors = travelled ? descriptors[choice->descriptors] : "none";
}

qdr_status qdri_build_all(qdri_build *build, const qdri_choice *asked, qdri_built *built) {
    qdri_choice choice[QDR_MOST_COUPLED];
    int travelled = 0;
    take_roles(build);
    choose_all(build, asked, choice, built);
    qdr_status status = join_all(build), roomed = qdri_build_rooms(build);
    if (!status) status = roomed;
    status = share_descriptors(build, choice, status, &travelled);
    char sentence[700]; /* of the first failure; the building goes on for the sake of the others */
    snprintf(sentence, sizeof sentence, "%s", status ? qdr_error_message() : "");
    describe(build, choice, travelled, built);
    for (int f = 0; f < build->fields; f++) {
        build->field = &build->list[f];
        build->choice = choice[f];
        qdr_status made = build_field(build);
        if (!made) made = check_routes(build);
        if (status) made = qdri_fail(status, "%s", sentence);
        QDRI_TRY(agree_on_field(build, made));
    }
    return QDR_OK;
}
