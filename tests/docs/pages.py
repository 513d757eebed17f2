"""Commands that the documentation shows, and whether the programs know their flags.

Blocks of language `sh` are commands; of `console`, the lines behind `$ `. Blocks of other languages
are not commands. `<!-- not run: REASON -->` in the line before a block says that a test cannot run it.
"""

import dataclasses
import json
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ROOT / "docs" / "reference" / "flags.md"
EVERYWHERE = {"--help", "--version", "--config"}
# Scripts that hand the words behind this one on to `letterpress-preprocess build`.
HANDED_ON = {"scripts/rebuild.sh": "--", "samples/machines/slurm.sh": "samples/machines/slurm.sh"}
# Of other programs, in the text between the blocks.
FOREIGN = {"--install", "--build", "--preset", "--workflow", "--target", "--component", "--prefix", "--build-arg"}


@dataclasses.dataclass
class Block:
    place: str  # "docs/tutorial.md:12"
    text: str
    not_run: str = ""  # why, or empty


def pages():
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "samples" / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def blocks_of(text, page):
    lines, blocks, start = text.splitlines(), [], None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
            continue
        language, inside, start_line = lines[start][3:].strip(), lines[start + 1 : number], start
        start = None
        if language == "console":
            inside = [shown[2:] for shown in inside if shown.startswith("$ ")]
        if language in ("sh", "console"):
            reason = (
                re.fullmatch(r"<!-- not run: (.+) -->", lines[start_line - 1])
                if start_line
                else None
            )
            blocks.append(
                Block(
                    f"{page}:{start_line + 1}",
                    "\n".join(inside) + "\n",
                    reason[1] if reason else "",
                )
            )
    return blocks


def prose_of(text):
    """Without the blocks, but with the code between backticks."""
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


class KnownFlags:
    """{"letterpress-trainer fit": {"--store", ...}, "letterpress-predict": {...}} of the reference page."""

    def __init__(self, text):
        self.of = {}
        command = None
        for line in text.splitlines():
            if heading := re.fullmatch(r"(##|###) (\S+)", line):
                program = heading[2] if heading[1] == "##" else program
                command = program if heading[1] == "##" else f"{program} {heading[2]}"
                self.of[command] = set(EVERYWHERE)
            elif row := re.match(r"\| `(--[\w-]+)", line):
                self.of[command].add(row[1])
        self.programs = {command.split()[0] for command in self.of}
        self.all = set().union(*self.of.values())

    def command_of(self, program, words):
        """None where the words name no command of the program."""
        if words and f"{program} {words[0]}" in self.of:
            return f"{program} {words[0]}"
        own = {"completion", "manual", "reference"}
        alone = not any(command.startswith(program + " ") for command in self.of)
        return program if alone or (words and (words[0] in own or words[0] in EVERYWHERE)) else None


def simple_commands(text):
    """Words of each command between the shell's operators."""
    lexer = shlex.shlex(
        text.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars="();<>|&"
    )
    lexer.whitespace_split, lexer.commenters = True, ""
    commands = [[]]
    for word in lexer:
        if set(word) <= set("();|&<>"):
            commands.append([])
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


def without_comments(text):
    return "\n".join(re.sub(r"(^|\s)#.*$", "", line) for line in text.splitlines()) + "\n"


def flag_names(words):
    return [word.split("=")[0] for word in words if re.match(r"--[A-Za-z]", word)]


def program_faults(known, program, words):
    if program not in known.programs:
        return [f"{program}: no such program"]
    command = known.command_of(program, words)
    if command is None:
        return [f"{program} {' '.join(words[:1])}: no such command"]
    return [
        f"{command}: has no flag {flag}"
        for flag in flag_names(words)
        if flag not in known.of[command]
    ]


def script_faults(known, script, words):
    if not (ROOT / script).exists():
        return [f"{script}: no such file"]
    faults = []
    if script in HANDED_ON:
        handed = HANDED_ON[script]
        cut = words.index(handed) if handed in words else len(words) if handed == "--" else -1
        faults = program_faults(known, "letterpress-preprocess", ["build", *words[cut + 1 :]])
        words = words[: max(cut, 0)]
    text = (ROOT / script).read_text()
    return faults + [
        f"{script}: has no flag {flag}" for flag in flag_names(words) if flag not in text
    ]


def preset_faults(words):
    presets = {
        preset["name"]
        for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    }
    named = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--preset"]
    return [f"cmake: has no preset {name}" for name in named if name not in presets]


def command_faults(known, words):
    """`words`: one command, maybe behind those of a launcher."""
    for i, word in enumerate(words):
        if re.fullmatch(r"letterpress-[a-z]+", word):
            return program_faults(known, word, words[i + 1 :])
        if re.match(r"(scripts|samples)/[\w./-]+$", word):
            return script_faults(known, word, words[i + 1 :])
        if word == "cmake":
            return preset_faults(words)
    return []


def flags_of_scripts():
    files = [
        file
        for folder in ("scripts", "scripts/bench", "scripts/proof")
        for file in (ROOT / folder).iterdir()
        if file.is_file()
    ]
    return {flag for file in files for flag in re.findall(r"--[a-z][\w-]*", file.read_text())}


def faults_of(known, text, page):
    """What the page shows that is not there."""
    faults, told = [], known.all | FOREIGN | flags_of_scripts()
    for block in blocks_of(text, page):
        for words in simple_commands(without_comments(block.text)):
            faults += [f"{block.place}: {fault}" for fault in command_faults(known, words)]
    for code in re.findall(r"`([^`\n]+)`", prose_of(text)):
        unknown = [
            flag for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", code) if flag not in told
        ]
        faults += [f"{page}: `{code}`: no program has {flag}" for flag in unknown]
    return faults
