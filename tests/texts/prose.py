#!/usr/bin/env python3
"""Checks how the texts of the repository read: Markdown, and the comments and docstrings of code and scripts.

    prose.py --check SOURCE            # the test `prose`: every room keeps the rules, or at least its ceilings
    prose.py --table SOURCE            # counts per 10,000 words, and the longest sentence of each room
    prose.py --list SOURCE ROOM        # each place in a room that breaks a rule
    prose.py --lower SOURCE            # lowers the ceilings to the present counts; never raises one

A room is a Markdown file, or the folder that holds the code (`kernels/common`, `src/plan`). The rules:

- No sentence has more than 40 words.
- No line is longer than 110 characters in kernels and public headers, 120 in Markdown, 140 elsewhere. Tables, links
  and code in Markdown may be longer.
- No phrase of phrases.txt is used. The file says what to write instead.
- The word "if" stands at least a third as often as the word "where". A room with up to two of the latter passes.

A room that does not keep a rule yet is a line of ceilings.txt. Its counts may fall and may not rise. When all of them
are 0, the line goes, and from then on the room must keep the rules.
"""
import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

MOST_WORDS = 40
RULES = ["long sentences", "long lines", "phrases", "where"]
FOLDER = "tests/texts"
# readme_results.cmake writes the text between these.
RESULTS_BEGIN, RESULTS_END = "<!-- results", "<!-- end of results"

C_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".cl"}
# Texts that this check must quote, and texts by others.
LEFT_OUT = {f"{FOLDER}/phrases.txt", f"{FOLDER}/ceilings.txt", "tests/support/catch_amalgamated.hpp"}

# A line "// param: BM = 64 in 32 64" of a kernel's manifest is data.
MANIFEST_LINE = re.compile(r"^(?:clgemm|[a-z_]+): ")
NOT_PROSE = re.compile(r"^(clang-format|NOLINT|\\file|\\page|!/|cppcheck|type: |noqa|pylint)")
C_TOKEN = re.compile(
    r'R"(?P<tag>[^ ()\\\t\n]*)\(.*?\)(?P=tag)"'
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)",
    re.DOTALL,
)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*(?:[A-Z0-9`]|clgemm\b))")
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|vs|etc|cf|approx|No|Fig)\.", re.IGNORECASE)
WORD = re.compile(r"\S*[A-Za-z0-9]\S*")


class Text:
    """A paragraph, with the number of its first line."""

    def __init__(self, line, words, is_heading=False):
        self.line = line
        self.words = words
        self.is_heading = is_heading


def paragraphs(lines):
    """Joins (number, text, whether code precedes it) of consecutive lines. A blank line or an item begins a new text."""
    texts = []
    last = None
    for number, text, is_behind_code in lines:
        stripped = text.strip()
        indent = len(text) - len(text.lstrip())
        item = re.match(r"([-*]|\d+\.) ", stripped)
        if not stripped or NOT_PROSE.match(stripped):
            last = None
            continue
        if indent >= 5 and not item and last is None:
            continue  # an example, a formula or a drawing
        if last is None or item or is_behind_code or number != last + 1:
            texts.append(Text(number, stripped))
        else:
            texts[-1].words += " " + stripped
        last = number
    return texts


def of_c(source, is_kernel):
    lines = []
    for match in C_TOKEN.finditer(source):
        first = source.count("\n", 0, match.start()) + 1
        is_behind_code = bool(source[source.rfind("\n", 0, match.start()) + 1 : match.start()].strip())
        if match.group("line"):
            text = re.sub(r"^//[/!]?<?", "", match.group("line"))
            if is_kernel and MANIFEST_LINE.match(text.strip()) and not text.strip().startswith("summary: "):
                continue
            lines.append((first, text, is_behind_code))
        elif match.group("block"):
            for index, text in enumerate(match.group("block")[2:-2].split("\n")):
                lines.append((first + index, re.sub(r"^\s*[*!]?", "", text), is_behind_code and index == 0))
    return paragraphs(lines)


def of_python(source):
    lines = [
        (token.start[0], token.string.lstrip("#"), bool(token.line[: token.start[1]].strip()))
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith("#!")
    ]
    texts = paragraphs(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                first = node.body[0].lineno
                texts += paragraphs([(first + i, " " + text, False) for i, text in enumerate(docstring.split("\n"))])
    return texts


def of_hashes(source):
    """Returns the comments of CMake and of shells."""
    lines = []
    for number, line in enumerate(source.split("\n"), 1):
        if line.startswith("#!"):
            continue
        match = re.match(r'^((?:[^"#]|"[^"]*")*)#(.*)$', line)
        if match:
            lines.append((number, match.group(2), bool(match.group(1).strip())))
    return paragraphs(lines)


def of_markdown(source):
    texts = []
    is_open = False
    in_code = in_results = False
    for number, line in enumerate(source.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            in_code = not in_code
        in_results = (in_results or line.startswith(RESULTS_BEGIN)) and not line.startswith(RESULTS_END)
        is_formula = line.startswith("    ") and not is_open
        if in_code or in_results or is_formula or not stripped or stripped.startswith(("```", "<!--", "|--", "![")):
            is_open = False
        elif stripped.startswith("#"):
            texts.append(Text(number, stripped.lstrip("# "), True))
            is_open = False
        elif stripped.startswith("|"):
            cells = re.sub(r"`[^`]*`", lambda code: code.group(0).replace("|", "/"), stripped).strip("|").split("|")
            texts += [Text(number, cell.strip()) for cell in cells if cell.strip()]
            is_open = False
        elif is_open and not re.match(r"([-*]|\d+\.) ", stripped):
            texts[-1].words += " " + stripped
        else:
            texts.append(Text(number, stripped))
            is_open = True
    return texts


def plain(text):
    """Removes the markup. Code counts as one word, and a link counts as its text."""
    text = re.sub(r"`[^`]*`", lambda code: "`" + re.sub(r"\W+", "_", code.group(0)[1:-1]) + "`", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^([-*]|\d+\.) ", "", text)
    return text.replace("**", "")


def sentences(text):
    text = ABBREVIATIONS.sub(lambda match: match.group(0).replace(".", ""), plain(text))
    return [one for one in SENTENCE_END.split(text) if WORD.search(one)]


def room_of(path):
    if path.suffix == ".md":
        return str(path)
    parts = path.parent.parts
    return "/".join(parts[:2]) if parts else path.name


def most_characters(path):
    if path.suffix == ".md":
        return 120
    return 110 if path.suffix == ".cl" or path.parts[0] == "include" else 140


def long_lines(path, source):
    most = most_characters(path)
    is_markdown = path.suffix == ".md"
    in_code = in_results = False
    for number, line in enumerate(source.split("\n"), 1):
        is_free = False
        if is_markdown:
            in_code ^= line.strip().startswith("```")
            in_results = (in_results or line.startswith(RESULTS_BEGIN)) and not line.startswith(RESULTS_END)
            is_free = in_code or in_results or line.startswith(("|", "    ")) or "](" in line or "://" in line
        if len(line) > most and not is_free:
            yield number, f"{len(line)} characters; {most} at most"


class Room:
    def __init__(self):
        self.words = self.longest = 0
        self.counts = defaultdict(int)
        self.found = {rule: [] for rule in RULES}

    def look_at(self, path, source, phrases):
        for number, text in long_lines(path, source):
            self.found["long lines"].append((path, number, text))
        for text in texts_of(path, source):
            for sentence in sentences(text.words):
                words = WORD.findall(sentence)
                self.words += len(words)
                self.longest = max(self.longest, len(words))
                for word in ("where", "if", "because"):
                    self.counts[word] += len(re.findall(rf"\b{word}\b", sentence, re.IGNORECASE))
                if re.search(r"\bwhere\b", sentence, re.IGNORECASE):
                    self.found["where"].append((path, text.line, sentence))
                if len(words) > MOST_WORDS:
                    self.found["long sentences"].append((path, text.line, f"{len(words)} words: {sentence}"))
                for pattern, instead in phrases:
                    if (match := pattern.search(sentence)) and not text.is_heading:
                        self.found["phrases"].append((path, text.line, f"'{match.group(0)}' ({instead}): {sentence}"))

    def broken(self):
        too_many_where = self.counts["where"] - max(3 * self.counts["if"], 2)
        return [len(self.found[rule]) for rule in RULES[:3]] + [max(0, too_many_where)]


def texts_of(path, source):
    if path.suffix == ".md":
        return of_markdown(source)
    if path.suffix in C_SUFFIXES:
        return of_c(source, path.suffix == ".cl")
    if path.suffix == ".py" or re.match("#!.*python", source):
        return of_python(source)
    return of_hashes(source)


def read_phrases(source):
    phrases = []
    for line in (source / FOLDER / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, instead = line.split("  ->  ")
            phrases.append((re.compile(pattern, re.IGNORECASE), instead))
    return phrases


def files_of(source):
    """Returns the files that git tracks. Without git, returns those outside of the build folder."""
    listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False)
    names = listed.stdout.split()
    if not names:
        names = [str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()]
    for name in sorted(filter(None, names)):
        path = Path(name)
        if path.parts[0] != "build" and name not in LEFT_OUT and (source / path).is_file() and is_text(source / path):
            yield path


def is_text(path):
    if path.suffix == "":
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    return path.suffix in C_SUFFIXES | {".md", ".py", ".cmake", ".sh"} or path.name == "CMakeLists.txt"


def rooms_of(source):
    phrases = read_phrases(source)
    rooms = defaultdict(Room)
    for path in files_of(source):
        rooms[room_of(path)].look_at(path, (source / path).read_text(encoding="utf-8"), phrases)
    if not rooms:
        sys.exit(f"there are no texts in {source}")
    return rooms


def read_ceilings(source):
    ceilings = {}
    for line in (source / FOLDER / "ceilings.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            *counts, room = line.split()
            ceilings[room] = [int(count) for count in counts]
    return ceilings


def write_ceilings(source, ceilings):
    path = source / FOLDER / "ceilings.txt"
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    rows = ["".join(f"{count:6}" for count in counts) + f"  {room}" for room, counts in sorted(ceilings.items())]
    path.write_text("\n".join(head + rows) + "\n", encoding="utf-8")


def check(source):
    ceilings = read_ceilings(source)
    rooms = rooms_of(source)
    failed = False
    for name, room in sorted(rooms.items()):
        for rule, count, ceiling in zip(RULES, room.broken(), ceilings.get(name, [0] * len(RULES))):
            if count > ceiling:
                failed = True
                print(f"{name}: {rule}: {count}, but {ceiling} at most. prose.py --list . {name} shows each place:")
                for path, number, text in room.found[rule][:20]:
                    print(f"  {path}:{number}: {text}")
    for name in sorted(set(ceilings) - set(rooms)):
        failed = True
        print(f"ceilings.txt: there is no {name}")
    lower = [name for name, counts in ceilings.items() if name in rooms and sum(rooms[name].broken()) < sum(counts)]
    if lower:
        print(f"{len(lower)} rooms are below their ceilings: prose.py --lower . lowers them")
    print(f"{len(rooms)} rooms looked at, {len(ceilings)} of them with ceilings")
    return 1 if failed else 0


def lower(source):
    ceilings = read_ceilings(source)
    lowered = {}
    for name, room in rooms_of(source).items():
        counts = [min(pair) for pair in zip(room.broken(), ceilings.get(name, [0] * len(RULES)))]
        if any(counts):
            lowered[name] = counts
    write_ceilings(source, lowered)
    return 0


def table(source):
    print("words     where    if  because  longest  " + "  ".join(RULES) + "   (where, if, because: per 10,000 words)")
    rows = sorted(rooms_of(source).items())
    for name, room in rows + [("all", total(rows))]:
        rates = [10000.0 * room.counts[word] / max(1, room.words) for word in ("where", "if", "because")]
        broken = room.broken()
        print(f"{room.words:6}  {rates[0]:7.0f} {rates[1]:5.0f}  {rates[2]:7.0f}  {room.longest:7}  "
              f"{broken[0]:14}  {broken[1]:10}  {broken[2]:7}  {broken[3]:5}   {name}")
    return 0


def total(rows):
    everything = Room()
    for _, room in rows:
        everything.words += room.words
        everything.longest = max(everything.longest, room.longest)
        for word, count in room.counts.items():
            everything.counts[word] += count
        for rule in RULES:
            everything.found[rule] += room.found[rule]
    return everything


def list_room(source, name):
    rooms = rooms_of(source)
    if name not in rooms:
        sys.exit(f"there is no room {name}")
    for rule in RULES:
        for path, number, text in rooms[name].found[rule]:
            print(f"{path}:{number}: {rule}: {text}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "table", "list", "lower"):
        action.add_argument(f"--{name}", action="store_true")
    parser.add_argument("source", type=Path)
    parser.add_argument("room", nargs="?")
    arguments = parser.parse_args()
    if arguments.list:
        return list_room(arguments.source, arguments.room)
    actions = {"check": check, "table": table, "lower": lower}
    return next(function for name, function in actions.items() if getattr(arguments, name))(arguments.source)


if __name__ == "__main__":
    sys.exit(main())
