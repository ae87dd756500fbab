#!/usr/bin/env python3
"""Compiles what clgemm chooses on GPUs that are not installed. Fails if a compiler rejects it or it spills.

    compile.py CHOSEN [--few] [--targets gfx1100,dg2] [--keep FOLDER]

CHOSEN is the program of chosen.cpp. compilers.py lists the necessary compilers. A target whose compiler is missing is left
out, and the last lines report this. Nothing is executed, so this does not test results or speed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from compilers import Refused, Unknown, compiler_of

SKIPPED = 77  # CTest's status

# Compilers make similar code for some GPUs, so one of each group is enough: all targets take 86 s of an EPYC
# core, these 45 (25 November 2026).
FEW = ["gfx942", "gfx1100", "gfx1201", "dg2", "bmg", "pvc", "tgllp", "sm_61", "sm_75", "sm_80", "sm_120"]


def compiled(program, folder):
    try:
        return program, compiler_of(program["target"]).spilled(program, folder), ""
    except Refused as refused:
        return program, 0, str(refused)
    except Unknown as unknown:
        return program, None, str(unknown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chosen")
    parser.add_argument("--few", action="store_true", help="one target for each group of similar ones")
    parser.add_argument("--targets", default="", help="only these targets, comma-separated")
    parser.add_argument("--keep", help="keep sources and compiled files in this folder")
    arguments = parser.parse_args()
    wanted = FEW if arguments.few else [name for name in arguments.targets.split(",") if name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        subprocess.run([arguments.chosen, folder], check=True)
        return compile_all(json.loads((folder / "programs.json").read_text()), wanted, folder)


def compile_all(programs, wanted, folder):
    targets = [target for target in dict.fromkeys(p["target"] for p in programs) if not wanted or target in wanted]
    problems = {target: compiler_of(target).problem(target) for target in targets}
    tried = [program for program in programs if problems.get(program["target"]) == ""]
    results = {}
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, spilled, refused in pool.map(lambda program: compiled(program, folder), tried):
            if spilled is None:
                problems[f"{program['target']}, {program['kernel']} {program['values']}"] = refused
                continue
            of_target = results.setdefault(program["target"], {"programs": 0, "refused": 0, "spill": 0, "most": 0})
            of_target["programs"] += 1
            of_target["refused"] += refused != ""
            of_target["spill"] += spilled != 0
            of_target["most"] = max(of_target["most"], spilled)
            if refused or spilled:
                failed = True
                what = f"does not compile:\n{refused}" if refused else f"spills {spilled} bytes a {compiler_of(program['target']).unit}"
                print(f"{program['target']}: {program['kernel']} {program['values']} ({program['file']}) {what}")
                print(f"    chosen for {'; '.join(program['calls'][:3])}{', ...' if len(program['calls']) > 3 else ''}")
    print("| target | programs | refused | with spills | most bytes |\n|---|--:|--:|--:|--:|")
    for target, of_target in results.items():
        print(f"| {target} | {' | '.join(str(value) for value in of_target.values())} |")
    for target, problem in problems.items():
        if problem:
            print(f"NOT COMPILED: {target}: {problem}")
    if not tried:
        print("SKIPPED: there is no compiler")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
