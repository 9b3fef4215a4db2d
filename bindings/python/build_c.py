#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""build_c.py --emit FILE [FLAG...]: writes the C source of quadrille/_c, the functions of C as Python sees them, for CMake to compile.
Without --emit setuptools asks for the same (../../setup.py), and compiles it itself.

What C declares is read from the public headers, so nothing can be forgotten or declared wrongly: the compiler holds it against them.
This is cffi in its API mode: calls are compiled, and Python's lock is open while C runs. (Cython would have wanted all of it to be
declared again by hand.) FLAGs are for the compiler, such as -I; without any they are those of pkg-config for quadrille-io,
and without that of what `make` has left in build/.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from cffi import FFI

here = os.path.dirname(os.path.realpath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, os.path.join(root, "bindings"))
sys.dont_write_bytecode = True  # nothing is left beside the sources
from headers import blocks, declarations  # pylint: disable=wrong-import-position

# What C calls in Python. Each is given the number of an object as its context.
callbacks = """
extern "Python" {
    void quadrille_say(void *context, const char *line);
    void quadrille_trace(void *context, const qdr_event *event);
    void quadrille_combine(void *context, void *into, const void *from, int64_t count, int64_t bytes);
    int quadrille_dereference(void *context, int64_t count, const int64_t *element, int *owner, int64_t *place);
    int quadrille_place(void *context, int64_t id);
    void quadrille_progress(void *context, int64_t phase, int64_t phases, int64_t moved, int64_t bytes);
    int64_t quadrille_object_size(void *context, int64_t object);
    int quadrille_object_pack(void *context, int64_t object, void *bytes);
    int quadrille_object_release(void *context, int64_t object);
    int quadrille_object_unpack(void *context, int from, const void *bytes, int64_t size);
}
"""

# Of the C library: texts and files that are streams.
streams = """
FILE *open_memstream(char **text, size_t *bytes);
FILE *fmemopen(void *text, size_t bytes, const char *mode);
int fclose(FILE *stream);
void free(void *memory);
int MPI_Get_library_version(char *version, int *length);
enum { MPI_MAX_LIBRARY_VERSION_STRING = ... };
"""


def declared(flags):
    """The headers as cffi reads them."""
    lines = ["typedef int... MPI_Comm;" if comm_is_a_number(flags) else "typedef ... *MPI_Comm;"]
    for one in blocks(declarations(flags)):
        one = one.removeprefix("static inline ")
        if not re.search(r"\bqdr_\w+_(sized|initial)\(", one):
            lines.append(one + ";")
    return "\n".join(lines)


def comm_is_a_number(flags):
    """MPICH has numbers for communicators, Open MPI has pointers."""
    text = "#include <mpi.h>\nint is_a_number[sizeof(MPI_Comm) == sizeof(int) ? 1 : -1];\n"
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run(["cc", *flags, "-xc", "-c", "-o", os.path.join(scratch, "a.o"), "-"],
                              input=text, capture_output=True, text=True, check=False).returncode == 0


def words_of(*command):
    """What a program says, as words; none if it is not there, or fails."""
    if not shutil.which(command[0]):
        return []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def found_flags():
    """Where the library is, if nobody says it: installed, or in build/."""
    flags = words_of("pkg-config", "--cflags", "--libs", "quadrille-io")
    if not flags:
        built = os.path.join(root, "build")
        if not os.path.exists(os.path.join(built, "libquadrille-io.so")):
            sys.exit("quadrille: there is no libquadrille-io: neither does pkg-config know it, nor is it in build/; `make lib` builds it")
        flags = ["-I" + os.path.join(root, "include"), "-L" + built, "-Wl,-rpath," + built, "-lquadrille-io", "-lquadrille"]
    return flags + words_of(os.environ.get("MPICC", "mpicc"), "-show")[1:]


def builder(flags=None):
    """What setuptools asks for."""
    flags = flags or found_flags()
    of_compiler = [flag for flag in flags if flag.startswith(("-I", "-D"))]
    ffi = FFI()
    ffi.cdef(declared(of_compiler))
    ffi.cdef(streams)
    ffi.cdef(callbacks)
    ffi.set_source("quadrille._c", '#include <stdio.h>\n#include <stdlib.h>\n#include "quadrille-mpi.h"\n#include "quadrille-io.h"\n',
                   extra_compile_args=of_compiler + ["-O2", "-Wno-deprecated-declarations"],
                   extra_link_args=[flag for flag in flags if flag not in of_compiler])
    return ffi


def main():
    if sys.argv[1:2] != ["--emit"]:
        sys.exit(__doc__)
    builder(sys.argv[3:]).emit_c_code(sys.argv[2])


if __name__ == "__main__":
    main()
