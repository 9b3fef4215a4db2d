/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a command line against a table of options. Understood are --name VALUE, --name=VALUE, -n VALUE,
 * -nVALUE, and "--", after which everything is an operand; "-" is an operand. Options and operands may be
 * mixed. Nothing is abbreviated and nothing is guessed: what is not in the table is an error that lists it.
 */
#include "arguments.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "units.h"
#include "base/likeness.h"

static const option *find_long(const command *command, const char *name, size_t length) {
    for (const option *option = command->options; option->name; option++)
        if (strlen(option->name) == length && !strncmp(option->name, name, length)) return option;
    return NULL;
}

static const option *find_short(const command *command, char letter) {
    for (const option *option = command->options; option->name; option++)
        if (option->letter == letter) return option;
    return NULL;
}

static int complain_unknown(const command *command, const char *word) {
    char list[512] = "";
    size_t used = 0;
    for (const option *option = command->options; option->name && used < sizeof list; option++)
        used += (size_t)snprintf(list + used, sizeof list - used, "--%s, ", option->name);
    return complain("unknown option '%.60s'; %s%s--help", word, qdri_did_you_mean(word, list), list);
}

static int keep(arguments *arguments, const option *option, const char *value) {
    if (arguments->given == ARGUMENTS) return complain("too many options");
    if (option->use != OPTION_REPEATS && argument(arguments, option->name))
        return complain("--%s is given twice", option->name);
    arguments->pair[arguments->given].option = option;
    arguments->pair[arguments->given++].value = value ? value : "";
    return EXIT_GOOD;
}

/* Takes one option, and the word after it when that is its value: *next moves on. */
static int read_option(arguments *arguments, const char *word, const char *following, int *next) {
    int is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const char *name = word + 1 + is_long;
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *option =
        is_long ? find_long(arguments->command, name, length) : find_short(arguments->command, name[0]);
    if (!option) return complain_unknown(arguments->command, word);
    const char *value = equals ? equals + 1 : (!is_long && name[1] ? name + 1 : NULL);
    if (!option->value && value)
        return complain("--%s takes no value, but '%s' gives one", option->name, word);
    if (option->value && !value) {
        if (!following)
            return complain("--%s needs a value: --%s %s", option->name, option->name, option->value);
        value = following;
        ++*next;
    }
    return keep(arguments, option, value);
}

static int check_counts(const arguments *arguments) {
    const command *command = arguments->command;
    for (const option *option = command->options; option->name; option++)
        if (option->use == OPTION_REQUIRED && !argument(arguments, option->name))
            return complain("--%s %s is missing; see 'quadrille help %s'", option->name, option->value,
                            command->name);
    if (arguments->operands < command->fewest)
        return complain("%s is missing; see 'quadrille help %s'", command->operands, command->name);
    if (arguments->operands > command->most)
        return complain("'%s' is one operand too many; expected %s", arguments->operand[command->most],
                        command->most ? command->operands : "none");
    return EXIT_GOOD;
}

int arguments_read(const command *command, int count, char **words, arguments *arguments) {
    int only_operands = 0;
    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    for (int i = 0; i < count; i++)
        if (!strcmp(words[i], "--"))
            break;
        else if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            arguments->help = 1;
            return EXIT_GOOD;
        }
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!only_operands && !strcmp(word, "--"))
            only_operands = 1;
        else if (!only_operands && word[0] == '-' && word[1]) {
            int code = read_option(arguments, word, i + 1 < count ? words[i + 1] : NULL, &i);
            if (code) return code;
        } else if (arguments->operands == ARGUMENTS)
            return complain("too many operands");
        else
            arguments->operand[arguments->operands++] = word;
    }
    return check_counts(arguments);
}

const char *argument_nth(const arguments *arguments, const char *name, int index) {
    assert(find_long(arguments->command, name, strlen(name)));
    for (int i = 0; i < arguments->given; i++)
        if (!strcmp(arguments->pair[i].option->name, name) && index-- == 0) return arguments->pair[i].value;
    return NULL;
}

const char *argument(const arguments *arguments, const char *name) {
    return argument_nth(arguments, name, 0);
}

int argument_exists(const arguments *arguments, const char *name) {
    return find_long(arguments->command, name, strlen(name)) != NULL;
}

int argument_count(const arguments *arguments, const char *name, int64_t lowest, int64_t highest,
                   int64_t *count) {
    const char *text = argument(arguments, name);
    int64_t value;
    if (!text) return EXIT_GOOD;
    if (!units_read_count(text, &value) || value < lowest || value > highest)
        return complain("--%s %s is not valid; expected a whole number from %" PRId64 " to %" PRId64, name,
                        text, lowest, highest);
    *count = value;
    return EXIT_GOOD;
}

int argument_number(const arguments *arguments, const char *name, double lowest, double highest,
                    double *number) {
    const char *text = argument(arguments, name);
    char *end;
    if (!text) return EXIT_GOOD;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= lowest && value <= highest))
        return complain("--%s %s is not valid; expected a number from %g to %g", name, text, lowest, highest);
    *number = value;
    return EXIT_GOOD;
}

char *next_name(const char **text) {
    *text += strspn(*text, ",");
    if (!**text) return NULL;
    size_t span = (*text)[strcspn(*text, ":,")] == ':' ? strlen(*text) : strcspn(*text, ",");
    char *name = print_text("%.*s", (int)span, *text);
    *text += span;
    return name;
}

int argument_conflict(const arguments *arguments, const char *first, const char *second) {
    if (!argument(arguments, first) || !argument(arguments, second)) return EXIT_GOOD;
    return complain("--%s and --%s exclude each other", first, second);
}
