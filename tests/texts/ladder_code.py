#!/usr/bin/env python3
"""Checks that the code in docs/ladder.md is the code of the kernels.

    ladder_code.py SOURCE

- A block of `c` holds lines of the kernel that the heading above it names.
- A block of `diff` begins with the names of two kernels, as `--- tiled.cl` and `+++ wpt.cl`. The lines without a mark
  and those with `-` are lines of the first kernel. The lines without a mark and those with `+` are lines of the second
  kernel.

In both, the lines follow each other in the kernel. A line `...` or `@@` ends such a run of lines. Indentation does not
count.
"""
import re
import sys
from pathlib import Path

ENDS_RUN = {"...", "@@"}


def runs_of(lines):
    """The runs of lines that must follow each other."""
    runs = [[]]
    for line in lines:
        if line.strip() in ENDS_RUN:
            runs.append([])
        else:
            runs[-1].append(line.strip())
    return [run for run in runs if run]


def has_run(kernel, run):
    return any(kernel[at : at + len(run)] == run for at in range(len(kernel) - len(run) + 1))


def parts_of(heading, kind, lines):
    """Pairs of a kernel's file and the lines that it must have."""
    if kind == "c":
        return [(f"{heading}.cl", lines)]
    old, new = lines[0].removeprefix("--- "), lines[1].removeprefix("+++ ")
    changes = lines[2:]
    return [
        (old, [line[1:] if line not in ENDS_RUN else line for line in changes if not line.startswith("+")]),
        (new, [line[1:] if line not in ENDS_RUN else line for line in changes if not line.startswith("-")]),
    ]


def main(source):
    text = (source / "docs" / "ladder.md").read_text()
    blocks = re.findall(r"^## (\w+)|^```(c|diff)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    heading, checked, wrong = "", 0, []
    for name, kind, code in blocks:
        heading = name or heading
        if not kind:
            continue
        for file, lines in parts_of(heading, kind, code.splitlines()):
            kernel = [line.strip() for line in (source / "kernels" / file).read_text().splitlines()]
            for run in runs_of(lines):
                checked += 1
                if not has_run(kernel, run):
                    wrong.append(f"docs/ladder.md, {heading}: kernels/{file} does not have these lines:\n" + "\n".join(run))
    print("\n\n".join(wrong) if wrong else f"{checked} pieces of code are in the kernels")
    return 1 if wrong or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
