/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived types. Messages travel as bytes: elements that lie in a row are sent from where they are, all
 * others are packed by MPI first. Between equal processors MPI packs the bytes of the elements in a row and
 * nothing else, so that one side may have a derived type and the other a plain one; the first packing of a
 * type looks whether that is so.
 *
 * Whether a type is dense is found by looking into it, and kept as an attribute of the type.
 */
#include <pthread.h>

#include "base/error.h"
#include "preload.h"

int64_t qdri_type_bytes(MPI_Datatype type) {
    MPI_Count bytes = 0;
    PMPI_Type_size_x(type, &bytes);
    return bytes;
}

/* ---- dense? -------------------------------------------------------------------------------------------- */

/* No padding inside or around. */
static int fills_its_extent(MPI_Datatype type) {
    MPI_Aint begin, extent, true_begin, true_extent;
    PMPI_Type_get_extent(type, &begin, &extent);
    PMPI_Type_get_true_extent(type, &true_begin, &true_extent);
    return begin == 0 && true_begin == 0 && extent == qdri_type_bytes(type) && true_extent == extent;
}

/* Types that are others in a row, or another name of one, are as dense as what they are made of. Of all
 * others nothing is assumed: even a type without gaps may have its elements in another order. */
static int look_inside(MPI_Datatype type) {
    int integers, addresses, types, combiner;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner)) return 0;
    switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
        return 1;
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_DUP:
        break;
    default:
        return 0;
    }
    int count[1];
    MPI_Aint address[1];
    MPI_Datatype inner[1];
    if (integers > 1 || addresses > 0 || types != 1 ||
        PMPI_Type_get_contents(type, integers, addresses, types, count, address, inner))
        return 0;
    int dense = qdri_type_is_dense(inner[0]);
    PMPI_Type_get_envelope(inner[0], &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&inner[0]); /* a handle of our own */
    return dense;
}

static int key = MPI_KEYVAL_INVALID;

static void make_key(void) {
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
}

int qdri_type_is_dense(MPI_Datatype type) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static char yes, no; /* only their addresses count */
    void *known = NULL;
    int found = 0;
    pthread_once(&once, make_key);
    PMPI_Type_get_attr(type, key, &known, &found);
    if (found) return known == &yes;
    int dense = fills_its_extent(type) && look_inside(type);
    PMPI_Type_set_attr(type, key, dense ? &yes : &no);
    return dense;
}

/* ---- packing ------------------------------------------------------------------------------------------- */

/* MPI counts packed bytes in an int, so long messages go in several steps. */
static int64_t elements_at_once(MPI_Datatype type) {
    int64_t bytes = qdri_type_bytes(type);
    return bytes > (INT64_C(1) << 29) ? 1 : (INT64_C(1) << 30) / (bytes ? bytes : 1);
}

typedef int step(uintptr_t elements, int count, MPI_Datatype type, char *packed, int bytes, int *position,
                 MPI_Comm comm);

static int pack_step(uintptr_t elements, int count, MPI_Datatype type, char *packed, int bytes, int *position,
                     MPI_Comm comm) {
    return PMPI_Pack((const void *)elements, count, type, packed, bytes, position, comm);
}

static int unpack_step(uintptr_t elements, int count, MPI_Datatype type, char *packed, int bytes,
                       int *position, MPI_Comm comm) {
    return PMPI_Unpack(packed, bytes, position, (void *)elements, count, type, comm);
}

static qdr_status walk(uintptr_t elements, int64_t count, MPI_Datatype type, char *packed, MPI_Comm comm,
                       step *take) {
    MPI_Aint begin, extent;
    int64_t size = qdri_type_bytes(type), most = elements_at_once(type);
    PMPI_Type_get_extent(type, &begin, &extent);
    for (int64_t done = 0; done < count; done += most) {
        int now = (int)(count - done < most ? count - done : most), position = 0;
        int64_t bytes = now * size;
        if (bytes > INT32_MAX)
            return qdri_fail(QDR_ERR_RANGE, "an element of %lld bytes cannot be packed", (long long)size);
        if (take(elements + (uintptr_t)(done * extent), now, type, packed + done * size, (int)bytes,
                 &position, comm))
            return qdri_fail(QDR_ERR_MPI, "MPI did not pack %d elements of a derived type", now);
        if (position != bytes)
            return qdri_fail(QDR_ERR_MPI, "MPI packs %lld bytes as %d; messages cannot be served",
                             (long long)bytes, position);
    }
    return QDR_OK;
}

qdr_status qdri_pack(const void *from, int64_t count, MPI_Datatype type, char *to, MPI_Comm comm) {
    return walk((uintptr_t)from, count, type, to, comm, pack_step);
}

qdr_status qdri_unpack(const char *from, void *to, int64_t count, MPI_Datatype type, MPI_Comm comm) {
    return walk((uintptr_t)to, count, type, (char *)(uintptr_t)from, comm, unpack_step);
}
