/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes, names and suitability are what quadrille/places.h says; what does not exist is answered. */
#include "quadrille/places.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "places/types.h"

static void sizes(void **state) {
    (void)state;
    static const size_t bytes[] = {0, /* no type */
                                   1,
                                   1,
                                   2,
                                   4,
                                   8,
                                   1,
                                   2,
                                   4,
                                   8,
                                   sizeof(float),
                                   sizeof(double),
                                   sizeof(float complex),
                                   sizeof(double complex)};
    assert_int_equal(sizeof bytes / sizeof bytes[0], QDRI_TYPES);
    for (int type = QDR_BYTE; type < QDRI_TYPES; type++) {
        assert_int_equal(qdr_type_bytes((qdr_type)type), bytes[type]);
        assert_int_equal(qdri_type_parts((qdr_type)type), type >= QDR_FLOAT_COMPLEX ? 2 : 1);
    }
}

static void names(void **state) {
    (void)state;
    assert_string_equal(qdr_type_name(QDR_BYTE), "byte");
    assert_string_equal(qdr_type_name(QDR_UINT16), "uint16");
    assert_string_equal(qdr_type_name(QDR_DOUBLE), "double");
    assert_string_equal(qdr_type_name(QDR_DOUBLE_COMPLEX), "double-complex");
    assert_string_equal(qdr_operation_name(QDR_REPLACE), "replace");
    assert_string_equal(qdr_operation_name(QDR_SUM), "sum");
    assert_string_equal(qdr_operation_name(QDR_BITWISE_XOR), "bitwise-xor");
    assert_string_equal(qdr_operation_name(QDR_COMBINE), "combine");
    for (int a = QDR_BYTE; a < QDRI_TYPES; a++)
        for (int b = QDR_BYTE; b < a; b++)
            assert_string_not_equal(qdr_type_name((qdr_type)a), qdr_type_name((qdr_type)b));
    for (int a = 0; a < QDRI_OPERATIONS; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(qdr_operation_name((qdr_operation)a),
                                    qdr_operation_name((qdr_operation)b));
}

static int expected(qdr_operation operation, qdr_type type) {
    switch (operation) {
    case QDR_REPLACE:
    case QDR_SUM:
    case QDR_PRODUCT:
    case QDR_COMBINE:
        return 1;
    case QDR_BITWISE_AND:
    case QDR_BITWISE_OR:
    case QDR_BITWISE_XOR:
        return type < QDR_FLOAT;
    default:
        return type < QDR_FLOAT_COMPLEX;
    }
}

static void suitability(void **state) {
    (void)state;
    for (int operation = 0; operation < QDRI_OPERATIONS; operation++)
        for (int type = QDR_BYTE; type < QDRI_TYPES; type++)
            assert_int_equal(qdr_operation_suits((qdr_operation)operation, (qdr_type)type),
                             expected((qdr_operation)operation, (qdr_type)type));
}

static void what_does_not_exist(void **state) {
    (void)state;
    static const int wrong[] = {-1, QDRI_TYPES, 1000, INT32_MIN, INT32_MAX};
    assert_int_equal(qdr_type_bytes((qdr_type)0), 0);
    assert_null(qdr_type_name((qdr_type)0));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(qdr_type_bytes((qdr_type)wrong[i]), 0);
        assert_null(qdr_type_name((qdr_type)wrong[i]));
        assert_null(qdr_operation_name((qdr_operation)wrong[i]));
        assert_int_equal(qdr_operation_suits(QDR_SUM, (qdr_type)wrong[i]), 0);
        assert_int_equal(qdr_operation_suits((qdr_operation)wrong[i], QDR_INT32), 0);
    }
    assert_null(qdr_operation_name((qdr_operation)QDRI_OPERATIONS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(names),
        cmocka_unit_test(suitability),
        cmocka_unit_test(what_does_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
