# SPDX-License-Identifier: Apache-2.0
"""Compiles modules so that Python takes them without a look at their source.

Usage: compile.py SOURCES TARGETS SHOWN < modules, one path below SOURCES a line
x/y.py becomes TARGETS/x/y.pyc; tracebacks will name it SHOWN/x/y.py.
What doesn't compile is left out.
"""

import concurrent.futures
import os
import py_compile
import sys

SOURCES, TARGETS, SHOWN = sys.argv[1:]


def compile_module(module):
    try:
        py_compile.compile(
            os.path.join(SOURCES, module),
            os.path.join(TARGETS, module + "c"),
            dfile=os.path.join(SHOWN, module),
            doraise=True,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    except (py_compile.PyCompileError, SyntaxError, UnicodeDecodeError):
        pass


with concurrent.futures.ProcessPoolExecutor() as pool:
    for _ in pool.map(compile_module, sys.stdin.read().split("\n"), chunksize=20):
        pass
