/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking up many ids at once. A place that is not in the cache takes a hundred times as long to read as one
 * that is; so places are asked for well before they are read, and whoever does not find his id in a line waits
 * for the next line while others are looked for: there is always something to do.
 */
#include "directory/look_up.h"

/* Ids that are looked for at this moment. */
typedef struct search {
    int count;
    int number[QDRI_AHEAD]; /* of the id */
    const qdri_entry *line[QDRI_AHEAD];
} search;

static void look_on(const qdri_shelf_view *view, const int64_t *id, const uint64_t *spot, search *list,
                    const qdri_entry **found) {
    int left = 0;
    for (int i = 0; i < list->count; i++) {
        int number = list->number[i];
        const qdri_entry *line = list->line[i];
        int64_t place = qdri_seek_line(line, 0, id[number]);
        if (place >= 0) {
            found[number] = line + place;
            continue;
        }
        const qdri_shelf_view *from = &view[spot[number] >> 32];
        line = line + QDRI_LINE == from->entry + from->capacity ? from->entry : line + QDRI_LINE;
        QDRI_PREFETCH(line);
        list->line[left] = line;
        list->number[left++] = number;
    }
    list->count = left;
}

void qdri_look_up(const qdri_shelf_view *view, const int64_t *id, const uint64_t *spot, int count,
                  int64_t payload_bytes, uint64_t *word, const char **payload) {
    const qdri_entry *found[QDRI_TOGETHER];
    search list = {0};
    for (int next = 0; next < count || list.count > 0;) {
        for (; list.count < QDRI_AHEAD && next < count; next++) {
            const qdri_shelf_view *from = &view[spot[next] >> 32];
            const qdri_entry *line = from->entry + qdri_home(spot[next], from->capacity);
            QDRI_PREFETCH(line);
            list.line[list.count] = line;
            list.number[list.count++] = next;
        }
        look_on(view, id, spot, &list, found);
    }
    for (int i = 0; i < count; i++) word[i] = found[i]->word;
    for (int i = 0; payload_bytes && i < count; i++) {
        const qdri_shelf_view *from = &view[spot[i] >> 32];
        payload[i] = word[i] ? from->payload + (found[i] - from->entry) * payload_bytes : NULL;
        QDRI_PREFETCH(payload[i]);
    }
}
