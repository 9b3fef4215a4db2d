# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package have in common: checks with a name, wrong uses with the status and a part of their sentence."""
import sys

import quadrille as q

failures = 0
uses = 0


def check(is_right, what):
    """Something that has to hold."""
    global failures
    if not is_right:
        print(f"{what} does not hold", file=sys.stderr)
        failures += 1


def wrong(status, part, what, use, *arguments, **named):
    """A wrong use: it raises the exception of this status, with this part in its sentence."""
    global failures, uses
    uses += 1
    try:
        use(*arguments, **named)
    except q.Error as error:
        if error.status == status and part and part in str(error):
            return
        print(f"{what}: {error.status.name}: {error}", file=sys.stderr)
    except Exception as error:  # what else it may be is wrong, too
        print(f"{what}: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        print(f"{what} was not refused", file=sys.stderr)
    failures += 1


def raises(kind, part, what, use, *arguments, **named):
    """The program's own exception comes back."""
    global failures, uses
    uses += 1
    try:
        use(*arguments, **named)
    except kind as error:
        if part and part in str(error):
            return
        print(f"{what}: {type(error).__name__}: {error}", file=sys.stderr)
    else:
        print(f"{what} was not refused", file=sys.stderr)
    failures += 1


def verdict(rank, name):
    """At the end of a test."""
    if rank == 0 and not failures:
        print(f"{name}: all well, {uses} wrong uses")
    sys.stdout.flush()
    sys.exit(failures > 0)
