# SPDX-License-Identifier: BSD-3-Clause
#
# A public header as a man page of section 3. The page is the header in another dress: its essay is the description, and each
# comment stands behind what it is about. What headers need for compilers (guards, C++, structs of other releases) is left out.
# Variables: name (of the header, as plan), include (as quadrille/plan.h), version. The names of all functions go to the file `names`.

function escaped(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    if (s ~ /^[.']/) s = "\\\\&" s
    return s
}

# Text of a comment, without its signs. Lines that stand further to the right are shown as they are.
function tell_text(text,   line, n, i, is_code) {
    n = split(text, line, "\n")
    for (i = 1; i <= n; i++) {
        if (line[i] ~ /^ \*/) sub(/^ \* ?/, "", line[i])
        else sub(/^ /, "", line[i])
        if (line[i] ~ /^    / && !is_code) { print ".PP\n.nf"; is_code = 1 }
        else if (line[i] !~ /^    / && is_code) { print ".fi"; is_code = 0; if (line[i] != "") print ".PP" }
        if (line[i] == "") { if (!is_code) print ".PP" }
        else print escaped(line[i])
    }
    if (is_code) print ".fi"
}

function tell_code(text,   line, n, i) {
    sub(/\n+$/, "", text)
    if (text == "") return
    n = split(text, line, "\n")
    print ".PP\n.nf\n.ft B"
    for (i = 1; i <= n; i++) print escaped(line[i])
    print ".ft R\n.fi"
}

function note_names(text,   rest, found) {
    rest = text
    while (match(rest, /qdr_[a-z_0-9]+\(/)) {
        found = substr(rest, RSTART, RLENGTH - 1)
        if (!(found in known)) { known[found] = 1; print found > names }
        rest = substr(rest, RSTART + RLENGTH)
    }
}

# What stands between two blank lines: a comment, then what it is about.
function tell_block(block,   at, comment, code) {
    sub(/^\/\* SPDX[^\n]*\n?/, "", block)
    if (block == "" || block ~ /^#/) return
    comment = code = ""
    if (block ~ /^\/\*/) {
        at = index(block, "*/")
        comment = substr(block, 3, at - 3)
        code = substr(block, at + 2)
        sub(/^\n/, "", code)
    } else code = block
    if (comment ~ /^ ---- /) {
        sub(/^ ---- /, "", comment)
        sub(/ -+ *$/, "", comment)
        if (code == "" && !is_hidden[comment]) print ".SS " escaped(toupper(substr(comment, 1, 1)) substr(comment, 2))
        hides = is_hidden[comment]
        return
    }
    if (hides) return
    gsub(/\nstatic inline /, "\n", code)
    sub(/^static inline /, "", code)
    if (code ~ /^(#|}|extern "C"|\*|$)/ && comment == "") return
    if (code !~ /^#/) note_names(code)
    if (code ~ /^#(ifndef|ifdef|include|endif)/) code = ""
    if (!has_essay && code == "") {
        has_essay = 1
        tell_text(comment)
        print ".SH FUNCTIONS AND TYPES"
        return
    }
    tell_code(code)
    if (comment != "") { print ".PP"; tell_text(comment) }
}

# The essay's first sentence, for those who search by words.
function summary(file,   text, line) {
    while ((getline line < file) > 0 && line !~ /\*\/$/ || line ~ /SPDX/) {
        if (line !~ /^ \* /) continue
        text = text (text == "" ? "" : " ") substr(line, 4)
        if (match(text, /[.:;]( |$)/)) break
    }
    close(file)
    if (match(text, /[.:;]( |$)/)) text = substr(text, 1, RSTART - 1)
    return tolower(substr(text, 1, 1)) substr(text, 2)
}

BEGIN {
    is_hidden["sizes"] = 1
    printf ".TH QUADRILLE\\-%s 3 \"\" \"Quadrille %s\"\n.SH NAME\nquadrille\\-%s \\- %s\n.SH SYNOPSIS\n", \
        toupper(name), version, name, escaped(summary(ARGV[1]))
    printf ".B #include <%s>\n.SH DESCRIPTION\n", include
}
# An opening comment ends in a line of its own; the guard follows it at once.
/^#ifndef QUADRILLE_/ { tell_block(block); block = ""; next }
/^#/ && block == "" { next }
/^[[:space:]]*$/ && !is_open { if (block != "") tell_block(block); block = ""; next }
{
    if ($0 ~ /\/\*/ && $0 !~ /\*\//) is_open = 1
    if ($0 ~ /\*\//) is_open = 0
    if ($0 ~ /\{$/ && $0 !~ /^extern/) is_open = 2
    if ($0 ~ /^\}/) is_open = 0
    block = block (block == "" ? "" : "\n") $0
}
END {
    if (block != "") tell_block(block)
    print ".SH SEE ALSO\n.BR quadrille (1)"
}
