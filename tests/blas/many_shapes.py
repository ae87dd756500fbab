"""The cost of the drop-in for a program that multiplies many small shapes: 342 calls of 45 shapes, sides of 10 to 600.

Runs the program with the drop-in and without, in turns, and compares the shortest run of each. Every run with the drop-in
finds cold caches, unless --warm is given.

    many_shapes.py --drop-in libclgemm_blas.so --blas /usr/lib/x86_64-linux-gnu/openblas-pthread [--octave]
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

CALLS = 342


def shapes():
    chance = random.Random(1)
    return [[round(10 * 60 ** chance.random()) for _ in range(3)] for _ in range(45)]


PYTHON = """
import numpy
for _ in range({repeats}):
    for i in range({calls}):
        m, n, k = {shapes}[i % 45]
        c = numpy.ones((m, k), numpy.float32) @ numpy.ones((k, n), numpy.float32)
        assert c[0, 0] == k and c[-1, -1] == k
"""

OCTAVE = """
shapes = [{shapes}];
for r = 1:{repeats}
  for i = 0:{calls} - 1
    s = shapes(mod(i, 45) + 1, :);
    c = ones(s(1), s(3), "single") * ones(s(3), s(2), "single");
    assert(c(1, 1) == s(3) && c(end, end) == s(3));
  end
end
"""


def command_of(options, folder):
    if options.octave:
        program = folder / "many_shapes.m"
        rows = "; ".join(" ".join(map(str, shape)) for shape in shapes())
        program.write_text(OCTAVE.format(shapes=rows, repeats=options.repeats, calls=CALLS))
        return ["octave-cli", "--quiet", "--no-init-file", str(program)]
    program = folder / "many_shapes_program.py"
    program.write_text(PYTHON.format(shapes=shapes(), repeats=options.repeats, calls=CALLS))
    return [sys.executable, str(program)]


def seconds_of(command, environment):
    start = time.perf_counter()
    finished = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    # Octave 7 exits with 1 and "ignoring const execution_exception& while preparing to exit", with any BLAS.
    if finished.returncode != 0 and "while preparing to exit" not in finished.stderr:
        sys.exit(f"{command}: status {finished.returncode}\n{finished.stderr}")
    return seconds, [line for line in finished.stderr.splitlines() if line.startswith("clgemm_blas")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drop-in", required=True)
    parser.add_argument("--blas", required=True, help="folder of the libblas.so.3 that the program has")
    parser.add_argument("--folder", help="to work in")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=1, help="of the 342 calls")
    parser.add_argument("--octave", action="store_true", help="instead of numpy")
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--at-most", type=float, help="fail above this ratio")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        command = command_of(options, folder)
        alone = dict(os.environ, LD_LIBRARY_PATH=options.blas)
        caches = {variable: str(folder / variable) for variable in ("POCL_CACHE_DIR", "CLGEMM_CACHE_DIR")}
        with_drop_in = dict(alone, LD_PRELOAD=options.drop_in, CLGEMM_BLAS_LOG="summary", **caches)
        times = ([], [])
        for run in range(options.runs):
            if not options.warm or run == 0:
                for cache in caches.values():
                    shutil.rmtree(cache, ignore_errors=True)
                    os.mkdir(cache)
            times[0].append(seconds_of(command, alone)[0])
            seconds, lines = seconds_of(command, with_drop_in)
            times[1].append(seconds)
        print("\n".join(lines))
        print("alone", *(f"{seconds:.2f}" for seconds in times[0]))
        print("with the drop-in", *(f"{seconds:.2f}" for seconds in times[1]))
        ratio = min(times[1]) / min(times[0])
        print(f"ratio {ratio:.2f}")
        if not lines or (options.at_most and ratio > options.at_most):
            sys.exit(1)


main()
