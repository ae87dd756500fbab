#!/usr/bin/env python3
"""Checks that prose.py finds what it should: each rule is broken once in a folder of its own.

    prose_finds.py
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLEAN = "Returns the plan, or nullopt if none fits.\n"
LONG = "It is " + "very " * 20 + "\n" + "very " * 20 + "long.\n"

# The file, its text, and the finding of prose.py; None if the text keeps the rules.
CASES = [
    ("docs/clean.md", CLEAN, None),
    ("docs/long.md", LONG, "long sentences: 1"),
    ("docs/code.md", f"```\n{LONG}```\n", None),
    ("docs/two.md", "It has a subject.\n" * 40, None),
    ("docs/wide.md", "a" * 121 + "\n", "long lines: 1"),
    ("docs/table.md", "| " + "a" * 121 + " |\n", None),
    ("docs/results.md", f"<!-- results: made -->\n{LONG}{'a' * 121}\n<!-- end of results -->\n", None),
    ("docs/phrase.md", "A kernel adds up parts of k.\n", "phrases: 1"),
    ("docs/where.md", "Say where. Say where. Say where.\n", "where: 1"),
    ("docs/place.md", "Say where. Say where. Say where, if you can.\n", None),
    ("kernels/wide.cl", "// " + "a" * 108 + "\n", "long lines: 1"),
    ("kernels/wide.cl", "// param: " + "a " * 45 + "\n", None),
    ("src/plan/long.cpp", "// " + LONG.replace("\n", "\n// ", 1), "long sentences: 1"),
    ("src/plan/string.cpp", f'auto text = R"(// {LONG})";\n', None),
    ("src/plan/members.hpp", "int a;  ///< " + "a " * 30 + "\nint b;  ///< " + "b " * 30 + "\n", None),
    ("tests/x/long.py", f'"""{LONG}"""\n', "long sentences: 1"),
    ("tools/run", "#!/bin/sh\n# " + LONG.replace("\n", "\n# ", 1), "long sentences: 1"),
    ("tools/run", "#!/usr/bin/env python3\n# " + LONG.replace("\n", "\n# ", 1), "long sentences: 1"),
    ("tools/data", "# " + LONG, None),
    ("tests/x/CMakeLists.txt", f'message("# {CLEAN}")\n# ' + LONG.replace("\n", "\n# ", 1), "long sentences: 1"),
]


def check(folder):
    command = [sys.executable, HERE / "prose.py", "--check", folder]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def has(folder, file, text):
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)


def in_folder(action):
    with tempfile.TemporaryDirectory() as name:
        texts = Path(name) / "tests/texts"
        texts.mkdir(parents=True)
        shutil.copy(HERE / "phrases.txt", texts)
        (texts / "ceilings.txt").write_text("# head\n")
        has(Path(name), "README.md", CLEAN)
        return action(Path(name))


def check_case(file, text, wanted):
    def action(folder):
        has(folder, file, text)
        status, output = check(folder)
        assert status == (0 if wanted is None else 1), f"{file}: {text}{output}"
        assert wanted is None or wanted in output, f"{file}: no '{wanted}' in {output}"
    in_folder(action)


def check_ceilings(folder):
    """A ceiling allows its counts, and falls with them."""
    ceilings = folder / "tests/texts/ceilings.txt"
    ceilings.write_text("# head\n 2 0 0 0 docs/long.md\n 1 0 0 0 docs/clean.md\n")
    has(folder, "docs/long.md", LONG)
    has(folder, "docs/clean.md", CLEAN)
    assert check(folder)[0] == 0
    subprocess.run([sys.executable, HERE / "prose.py", "--lower", folder], check=True)
    rows = [line.split() for line in ceilings.read_text().splitlines()]
    assert rows == [["#", "head"], ["1", "0", "0", "0", "docs/long.md"]], rows
    has(folder, "docs/long.md", LONG + LONG)
    assert check(folder)[0] == 1


for case in CASES:
    check_case(*case)
in_folder(check_ceilings)
print(f"{len(CASES)} texts checked")
