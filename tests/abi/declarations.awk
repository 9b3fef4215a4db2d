# SPDX-License-Identifier: BSD-3-Clause
#
# From preprocessed headers, with line markers, to what a compiled program depends on, one line each:
#
#     function qdr_status qdr_plan_destroy(qdr_plan **plan)
#     inline qdr_plan_look
#     constant QDR_OK
#     field qdr_event kind
#
# Only what stands in Quadrille's own headers counts.
/^# [0-9]+ "/ {
    ours = $3 ~ /\/quadrille[^\/]*\.h"$|\/quadrille\/[a-z_]+\.h"$/
    next
}
/^#/ { next }
ours { text = text " " $0 }

function trimmed(s) {
    gsub(/[ \t\n]+/, " ", s)
    gsub(/ ?\( ?/, "(", s)
    gsub(/ ?\)/, ")", s)
    gsub(/ ,/, ",", s)
    gsub(/\* /, "*", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}

# int a, *b; int (*c)(void); const int64_t *d
function tell_fields(type, body,   part, n, i, k, one, piece, m) {
    n = split(body, part, ";")
    for (i = 1; i < n; i++) {
        one = trimmed(part[i])
        if (match(one, /\(\*[a-z_0-9]+\)/)) {
            print "field " type " " substr(one, RSTART + 2, RLENGTH - 3)
            continue
        }
        m = split(one, piece, ",")
        for (k = 1; k <= m; k++) {
            sub(/\[.*$/, "", piece[k])
            if (match(piece[k], /[A-Za-z_0-9]+ *$/)) {
                one = substr(piece[k], RSTART, RLENGTH)
                gsub(/ /, "", one)
                print "field " type " " one
            }
        }
    }
}

function tell_constants(body,   part, n, i) {
    n = split(body, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*$/, "", part[i])
        part[i] = trimmed(part[i])
        if (part[i] != "") print "constant " part[i]
    }
}

function tell(declaration, body,   name) {
    declaration = trimmed(declaration)
    if (declaration == "" || declaration ~ /^extern "C"$/) return
    if (declaration ~ /^typedef struct [a-z_0-9]+$/ && body != "") {
        sub(/^typedef struct /, "", declaration)
        tell_fields(declaration, body)
    } else if (declaration ~ /^(typedef )?enum( |$)/ && body != "") tell_constants(body)
    else if (declaration ~ /^static inline/) {
        if (body == "") return
        match(declaration, /[a-z_0-9]+\(/)
        print "inline " substr(declaration, RSTART, RLENGTH - 1)
    } else if (declaration !~ /^typedef/ && declaration ~ /\)$/) print "function " declaration
}

END {
    depth = 0
    for (at = 1; at <= length(text); at++) {
        c = substr(text, at, 1)
        if (c == "{") { if (depth++ > 0) body = body c }
        else if (c == "}") {
            if (--depth > 0) body = body c
            else if (trimmed(head) ~ /^static inline/) { tell(head, "{}"); head = body = "" }
        } else if (depth > 0) body = body c
        else if (c == ";") {
            tell(head, body)
            head = body = ""
        } else head = head c
        # Behind the brace the name of the type stands again.
        if (depth == 0 && body != "" && c == "}") named = head
        if (depth == 0 && body != "" && c != "}") head = named
    }
}
