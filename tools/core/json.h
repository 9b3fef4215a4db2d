/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as the command prints it: in the order it was put in, numbers with up to nine digits. */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdio.h>

/* Memory for JSON that runs out ends the command with a sentence, as the command's own does. Once, first. */
void json_prepare(void);

/* The only ways to put a value into an object or a list. A value that could not be made, because it is no
 * number or no text, ends the command with a sentence, instead of missing in the output. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *list, json_t *value);
/* The value, if it could be made. */
json_t *json_made(json_t *value, const char *what);
/* All of `more`, which is freed. */
void json_join(json_t *object, json_t *more);

/* Writes and frees the value; complains and returns an exit code when it could not be made. */
int json_print(json_t *value, FILE *out);

/* A number; null for what is not one (JSON has neither infinity nor NaN). */
json_t *json_number_or_null(double value);

/* Any text. File names may hold any bytes; those that are not UTF-8 become question marks. */
json_t *json_text(const char *text);

#endif
