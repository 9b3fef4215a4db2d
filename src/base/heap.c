/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/heap.h"

#include "base/memory.h"

static int before(const qdri_heap_entry *a, const qdri_heap_entry *b) {
    return a->key < b->key || (a->key == b->key && a->id < b->id);
}

void qdri_heap_push(qdri_heap *heap, double key, int64_t id) {
    qdri_heap_entry *entry = heap->entry, pushed = {key, id};
    int64_t place = heap->count++;
    for (; place > 0 && before(&pushed, &entry[(place - 1) / 2]); place = (place - 1) / 2)
        entry[place] = entry[(place - 1) / 2];
    entry[place] = pushed;
}

int qdri_heap_add(qdri_heap *heap, int64_t *room, double key, int64_t id) {
    if (heap->count == *room && !qdri_grow(&heap->entry, room, heap->count + 1, sizeof *heap->entry))
        return 0;
    qdri_heap_push(heap, key, id);
    return 1;
}

qdri_heap_entry qdri_heap_pop(qdri_heap *heap) {
    qdri_heap_entry *entry = heap->entry, top = entry[0], moved = entry[--heap->count];
    int64_t place = 0, child;
    while ((child = 2 * place + 1) < heap->count) {
        child += child + 1 < heap->count && before(&entry[child + 1], &entry[child]);
        if (!before(&entry[child], &moved)) break;
        entry[place] = entry[child];
        place = child;
    }
    entry[place] = moved;
    return top;
}
