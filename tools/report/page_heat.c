/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The matrix of a pattern for the page: lists of cells that are not empty, row by row, and the sums of all
 * rows and columns. More cells than a screen has pixels say nothing, so a large matrix is cut into square
 * blocks of ranks, and a cell is the sum of its block. Rows come sorted, so one line of cells is kept at a
 * time: memory O(ranks), time O(messages + cells).
 */
#include <stdlib.h>
#include <string.h>

#include "core/complain.h"
#include "page.h"

enum { MOST_CELLS = 512 }; /* in a row */

typedef struct map {
    int ranks, block, size; /* size: cells in a row */
    int64_t *bytes, *count; /* [size], of the line of cells at hand */
    json_t *from, *to, *amount, *messages;
} map;

static void append(json_t *list, int64_t number) {
    json_add(list, json_integer(number));
}

static void end_line(map *map, int row) {
    for (int column = 0; column < map->size; column++) {
        if (map->count[column] == 0) continue;
        append(map->from, row);
        append(map->to, column);
        append(map->amount, map->bytes[column]);
        append(map->messages, map->count[column]);
    }
    memset(map->bytes, 0, (size_t)map->size * sizeof *map->bytes);
    memset(map->count, 0, (size_t)map->size * sizeof *map->count);
}

static void list_cells(map *map, const qdr_pattern_view *view) {
    for (int row = 0; row < map->size; row++) {
        int first = row * map->block,
            next = first + map->block < map->ranks ? first + map->block : map->ranks;
        for (int64_t m = view->row_start[first]; m < view->row_start[next]; m++) {
            int column = view->destination[m] / map->block;
            map->bytes[column] += view->items[m];
            map->count[column]++;
        }
        end_line(map, row);
    }
}

/* What each line of cells sends, or receives. */
static json_t *list_sums(const map *map, const qdr_pattern_view *view, const int *rank_of) {
    json_t *list = json_array();
    memset(map->bytes, 0, (size_t)map->size * sizeof *map->bytes);
    for (int64_t m = 0; m < view->messages; m++) map->bytes[rank_of[m] / map->block] += view->items[m];
    for (int i = 0; i < map->size; i++) append(list, map->bytes[i]);
    return list;
}

json_t *page_heat(const char *heading, const qdr_pattern *pattern) {
    qdr_pattern_view view = qdr_pattern_look(pattern);
    map map = {.ranks = view.ranks, .block = (view.ranks + MOST_CELLS - 1) / MOST_CELLS};
    map.size = (map.ranks + map.block - 1) / map.block;
    map.bytes = ALLOCATE(int64_t, map.size);
    map.count = ALLOCATE(int64_t, map.size);
    map.from = json_array();
    map.to = json_array();
    map.amount = json_array();
    map.messages = json_array();
    list_cells(&map, &view);
    json_t *section =
        json_pack("{s:s, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", "heat", "heading",
                  json_text(heading), "ranks", map.ranks, "block", map.block, "size", map.size, "from",
                  map.from, "to", map.to, "bytes", map.amount, "messages", map.messages, "out",
                  list_sums(&map, &view, view.origin), "in", list_sums(&map, &view, view.destination));
    free(map.bytes);
    free(map.count);
    return section;
}
