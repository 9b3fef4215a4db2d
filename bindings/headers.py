# SPDX-License-Identifier: BSD-3-Clause
"""The public headers of C as a list of declarations, for the programs that make bindings of them."""
import os
import re
import subprocess

root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def declarations(flags, include=os.path.join(root, "include")):
    """What stands in our headers, without comments, as one text."""
    source = '#include "quadrille-mpi.h"\n#include "quadrille-io.h"\n'
    text = subprocess.run(["cc", "-E", "-I" + include, *flags, "-xc", "-"],
                          input=source, capture_output=True, text=True, check=True).stdout
    ours, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = re.search(r"/quadrille[^/]*\.h$|/quadrille/[a-z_]+\.h$", marker.group(1)) is not None
        elif ours and not line.startswith("#"):
            lines.append(line)
    return re.sub(r"\s+", " ", " ".join(lines))


def blocks(text):
    """Declarations one by one; bodies of functions are left out."""
    start = depth = 0
    for i, letter in enumerate(text):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0 and re.search(r"\)\s*$", text[start:text.index("{", start)]):
                start = i + 1
        elif letter == ";" and depth == 0:
            yield text[start:i].strip()
            start = i + 1
