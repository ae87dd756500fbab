#!/usr/bin/env python3
"""Measures which share of the instructions in the main loop are multiply-adds, for what clgemm chooses at 4096 on GPUs that are
not installed.

    main_loop.py CHOSEN [--targets gfx1100,dg2] [--shape "4096 x 4096 x 4096"] [--keep FOLDER]

CHOSEN is the program of chosen.cpp. compilers.py lists the necessary compilers. The main loop is the loop with a barrier that has
the most multiply-adds. If a compiler left a loop inside it, that loop is counted as often as the tile's depth needs. Branches are
counted as if all of them were executed.

The counted instructions depend on the vendor. On AMD's GPUs, they are the vector instructions of a whole wave, with vector memory
and local memory, but without scalar instructions and waiting. On Intel's, they are all but waiting, because a vector engine issues
each. On NVIDIA's, they are all instructions. A packed or second multiply-add counts separately, so a share may be above 1. Kernels
on tensor cores are left out. Nothing is executed: this is compiled, not measured.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from compilers import Refused, compiler_of


class AmdListing:
    label = re.compile(r"(\.LBB\w+):")
    instruction = re.compile(r"\s+([a-z]\w*)(?:\s+(.*))?")
    branch = re.compile(r"s_c?branch")
    barrier = re.compile(r"s_barrier")

    @staticmethod
    def multiply_adds(name, operands):
        """Packed ones do two. A dual instruction may do two as well, and its second half is among its operands. A matrix instruction
        does those of 64 work-items."""
        if name.startswith("v_pk_fma_f32"):
            return 2
        matrices = re.match(r"v_mfma_f32_(\d+)x(\d+)x(\d+)_?f32", name)
        if matrices:
            return math.prod(int(side) for side in matrices.groups()) // 64
        halves = [name, *re.findall(r":: (\w+)", operands)]
        return sum(bool(re.match(r"v_(dual_)?(fma|fmac|mad|mac)\w*_f32", half)) for half in halves)

    @staticmethod
    def counts(name):
        return not name.startswith("s_")


class IntelListing:
    label = re.compile(r"(L\d+):")
    # (W)     mad (16|M0)              r9.0<1>:f     r2.2<0;0>:f ...
    instruction = re.compile(r"(?:\([^)]*\)\s*)*\s+([a-z][\w.]*)\s*(.*)")
    branch = re.compile(r"jmpi|while|goto|br[cd]")
    barrier = re.compile(r"sync\.bar|wait")

    @staticmethod
    def multiply_adds(name, operands):
        return int(name == "mad" and ":f" in operands)

    @staticmethod
    def counts(name):
        return not name.startswith(("sync", "nop"))


class SassListing:
    label = re.compile(r"(\.L_\w+):")
    instruction = re.compile(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*)")
    branch = re.compile(r"BRA")
    barrier = re.compile(r"BAR")

    @staticmethod
    def multiply_adds(name, operands):
        return 2 if name.startswith("FFMA2") else int(name.startswith("FFMA"))

    @staticmethod
    def counts(name):
        return True


class PtxListing:
    label = re.compile(r"(\$L__BB\w+):")
    instruction = re.compile(r"\s+(?:@!?%p\w+\s+)?([a-z][\w.]*)\s*(.*)")
    branch = re.compile(r"bra")
    barrier = re.compile(r"bar\.sync|barrier\.sync")

    @staticmethod
    def multiply_adds(name, operands):
        return int(name in ("fma.rn.f32", "fma.rn.ftz.f32"))

    @staticmethod
    def counts(name):
        return True


def language_of(target, lines):
    if target.startswith("gfx"):
        return AmdListing
    if not target.startswith("sm_"):
        return IntelListing
    return PtxListing if any(line.startswith(".version") for line in lines) else SassListing


class Counts:
    """Counts of the instructions in a part of a listing."""

    def __init__(self, language, instructions):
        self.multiply_adds = sum(language.multiply_adds(*one) for one in instructions)
        self.vector = sum(language.counts(name) for name, _ in instructions)
        self.has_barrier = any(language.barrier.match(name) for name, _ in instructions)


def loops_of(language, lines):
    """Returns all instructions, and the begin and end of each loop, which goes from a label to a branch back to it."""
    begins = {}
    instructions = []
    loops = set()
    for line in lines:
        label = language.label.match(line)
        if label:
            begins[label[1]] = len(instructions)
            continue
        found = language.instruction.match(line)
        if not found or found[1].startswith("."):
            continue
        name, operands = found[1], found[2] or ""
        instructions.append((name, operands))
        if language.branch.match(name):
            loops.update((begins[word], len(instructions)) for word in re.findall(r"[.$\w]+", operands) if word in begins)
    return instructions, loops


def count(target, lines, step):
    """Counts multiply-adds and vector instructions of the main loop. A work-item does `step` multiply-adds in each step along k."""
    language = language_of(target, lines)
    instructions, loops = loops_of(language, lines)
    counts = {loop: Counts(language, instructions[slice(*loop)]) for loop in loops}
    outer = [loop for loop in loops if counts[loop].has_barrier]
    if not outer:
        raise Refused("no loop with a barrier was found")
    main = max(outer, key=lambda loop: (counts[loop].multiply_adds, loop[0] - loop[1]))
    inner = [loop for loop in loops if loop != main and main[0] <= loop[0] and loop[1] <= main[1]]
    multiply_adds, vector = counts[main].multiply_adds, counts[main].vector
    if inner:
        most = max((counts[loop] for loop in inner), key=lambda one: one.multiply_adds)
        if most.multiply_adds:
            again = max((step - multiply_adds) / most.multiply_adds, 0.0)
            multiply_adds += round(again * most.multiply_adds)
            vector += round(again * most.vector)
    if multiply_adds % step != 0:
        raise Refused(f"the loop has {multiply_adds} multiply-adds; {step} were expected")
    return multiply_adds, vector


def row_of(program, folder):
    target = program["target"]
    try:
        lines = compiler_of(target).listing(program, folder)
        multiply_adds, vector = count(target, lines, program["multiply_adds_a_step"])
    except Refused as refused:
        return f"| {target} | `{program['kernel']}` {program['values']} | | | {str(refused).splitlines()[0]} |"
    by = " (of PTX)" if language_of(target, lines) is PtxListing else ""
    return f"| {target} | `{program['kernel']}` {program['values']} | {multiply_adds} | {vector}{by} | {multiply_adds / vector:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chosen")
    parser.add_argument("--targets", default="", help="only these targets, comma-separated")
    parser.add_argument("--shape", default="4096 x 4096 x 4096", help="one of the shapes of chosen.cpp")
    parser.add_argument("--keep", help="keep sources and compiled files in this folder")
    arguments = parser.parse_args()
    wanted = [name for name in arguments.targets.split(",") if name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        subprocess.run([arguments.chosen, folder], check=True)
        programs = [program for program in json.loads((folder / "programs.json").read_text())
                    if program["multiplies_on_fp32_units"] and (not wanted or program["target"] in wanted)
                    and any(call.endswith(": " + arguments.shape) for call in program["calls"])]
        problems = {program["target"]: compiler_of(program["target"]).problem(program["target"]) for program in programs}
        print("| compiled for | chosen | multiply-adds | vector instructions | share |\n|---|---|--:|--:|--:|")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for row in pool.map(lambda program: row_of(program, folder),
                                [program for program in programs if not problems[program["target"]]]):
                print(row)
        for target, problem in problems.items():
            if problem:
                print(f"NOT COMPILED: {target}: {problem}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
