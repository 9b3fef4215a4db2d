/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as the command prints it: in the order it was put in, numbers with up to nine digits. */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdio.h>

/* Writes and frees the value; complains and returns an exit code when it could not be made. */
int json_print(json_t *value, FILE *out);

/* A number; null for what is not one (JSON has neither infinity nor NaN). */
json_t *json_number_or_null(double value);

#endif
