#!/usr/bin/env python3
"""No C++ function of the project has over 60 lines or over six parameters; test cases and lambdas are functions too.

Run: python3 functions.py ROOT. Prints each that is longer or takes more and exits 1 when there is one. Reads tokens, not
lines: text in strings and comments, macros (#define), initialiser lists and arguments are not taken for functions.
A function goes from the first line of its declaration to its closing brace.
"""
import bisect
import collections
import pathlib
import re
import sys

from sources import cpp_files

LINES, PARAMETERS = 60, 6
# (file, function) -> parameters it may have, with the reason.
PARAMETERS_ALLOWED = {
    # nanobind reads the names, types and defaults of Loader(...) off one parameter each: signature, stub and docstring come from them.
    ("python/src/bind_loader.cpp", "make"): 18,
}

TOKEN = re.compile(
    r"""(?P<skipped> //(?:\\\n|[^\n])* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])* | \s+)
      | (?P<string> (?:u8|[uUL])?R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)" | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
                  | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      | (?P<number> \.?\d(?:[eEpP][+-]|'\w|[\w.])*)
      | (?P<word> [A-Za-z_]\w*)
      | (?P<sign> -> | :: | <=> | \.\.\. | [-+*/%^&|!<>=]= | && | \|\| | .)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE)
CLOSING = {"(": ")", "[": "]", "{": "}"}
# Words before "(" that do not name a function.
NOT_NAMES = {"alignas", "catch", "decltype", "explicit", "for", "if", "noexcept", "requires", "return", "sizeof", "switch", "throw",
             "while", "__attribute__"}
# Words before "[" after which a value begins: there it opens a lambda, after any other word a subscript.
BEFORE_LAMBDA = {"return", "co_return", "co_yield", "else", "do", "throw", "case"}
AFTER_PARAMETERS = {"const", "final", "noexcept", "override", "requires", "try", "volatile"}
AFTER_CAPTURE = {"(", "{", "<", "mutable", "noexcept", "->", "constexpr"}

Token = collections.namedtuple("Token", "text kind line")
Function = collections.namedtuple("Function", "name line lines parameters")


def read_tokens(text):
    starts = [match.end() for match in re.finditer("\n", text)]
    return [Token(match[0], match.lastgroup, bisect.bisect_right(starts, match.start()) + 1)
            for match in TOKEN.finditer(text) if match.lastgroup != "skipped"]


def pair_brackets(tokens):
    """Index of each opening bracket -> index of the closing one."""
    pairs, opened = {}, []
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in CLOSING:
            opened.append(at)
        elif token.text in CLOSING.values():
            if not opened or CLOSING[tokens[opened[-1]].text] != token.text:
                raise ValueError(f"{token.line}: '{token.text}' closes nothing")
            pairs[opened.pop()] = at
    if opened:
        raise ValueError(f"{tokens[opened[-1]].line}: '{tokens[opened[-1]].text}' is not closed")
    return pairs


class Source:
    """The functions of one file, in `functions`."""

    def __init__(self, text):
        self.tokens = read_tokens(text)
        self.pairs = pair_brackets(self.tokens)
        self.functions = []
        self.read_declarations(0, len(self.tokens))

    def text(self, at):
        """"" outside the file and for strings, which are never code."""
        inside = 0 <= at < len(self.tokens) and self.tokens[at].kind != "string"
        return self.tokens[at].text if inside else ""

    def is_word(self, at):
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == "word"

    def after_angles(self, at):
        """Past the "<...>" that opens at `at`."""
        depth = 0
        while at < len(self.tokens):
            depth += {"<": 1, ">": -1}.get(self.text(at), 0)
            at = self.pairs.get(at, at) + 1
            if depth == 0:
                break
        return at

    def shallow(self, first, last):
        """Indices of the tokens of [first, last) that are in no bracket and no <...>; of these their first one."""
        at = first
        while at < last:
            yield at
            opens_angle = self.text(at) == "<" and (self.is_word(at - 1) and self.text(at - 1) != "operator")
            at = self.after_angles(at) if opens_angle else self.pairs.get(at, at) + 1

    def count_parameters(self, opening):
        inside = range(opening + 1, self.pairs[opening])
        if len(inside) == 0 or (len(inside) == 1 and self.text(opening + 1) == "void"):
            return 0
        return 1 + sum(self.text(at) == "," for at in self.shallow(inside.start, inside.stop))

    def add(self, name, first, last, parameters):
        line = self.tokens[first].line
        self.functions.append(Function(name, line, self.tokens[last].line - line + 1, parameters))

    def is_lambda(self, at):
        before = self.text(at - 1)
        follows_value = ((self.is_word(at - 1) and before not in BEFORE_LAMBDA) or before in (")", "]", "*", "[", ">")
                         or (at > 0 and self.tokens[at - 1].kind == "string"))
        binds = before in ("&", "&&") and self.text(at - 2) == "auto"
        return (self.text(at) == "[" and self.text(at + 1) != "[" and not follows_value and not binds
                and self.text(self.pairs[at] + 1) in AFTER_CAPTURE)

    def read_lambda(self, capture):
        """Past its body."""
        at = self.pairs[capture] + 1
        if self.text(at) == "<":
            at = self.after_angles(at)
        parameters = self.count_parameters(at) if self.text(at) == "(" else 0
        while self.text(at) != "{":
            at = self.pairs.get(at, at) + 1
        self.add("lambda", capture, self.pairs[at], parameters)
        self.read_statements(at + 1, self.pairs[at])
        return self.pairs[at] + 1

    def read_statements(self, at, last):
        """Of a body, an initialiser or arguments: its lambdas and local classes."""
        first = at
        while at < last:
            if self.is_lambda(at):
                at = self.read_lambda(at)
            elif self.text(at) == "{" and self.kind_of(first, at) == "scope":
                self.read_declarations(at + 1, self.pairs[at])
                at = self.pairs[at] + 1
            else:
                first = at + 1 if self.text(at) in (";", "{", "}") else first
                at += 1

    def parameter_list(self, first, last):
        """Index of the "(" of the parameters of the function that is declared in [first, last); None where there is none."""
        found = None
        for at in self.shallow(first, last):
            if found is not None and self.text(at) in ("->", "requires", ":"):
                break
            if self.text(at) == "operator":
                symbol = at + 1
                return next((i for i in range(symbol + 1, last) if self.text(i) == "("), None)
            named = (self.is_word(at - 1) and self.text(at - 1) not in NOT_NAMES) or self.text(at - 1) == ">"
            if self.text(at) == "(" and at > first and named:
                found = at
        return found

    def name_of(self, first, opening):
        if self.is_macro(first, opening):
            arguments = self.tokens[opening + 1] if opening + 1 < len(self.tokens) else None
            return self.text(first) + (f"({arguments.text})" if arguments and arguments.kind == "string" else "")
        at = next((i for i in self.shallow(first, opening) if self.text(i) == "operator"), opening - 1)
        while at > first and (self.text(at - 1) in ("::", "~") or (self.text(at) == "::" and self.is_word(at - 1))):
            at -= 1
        return "".join(token.text for token in self.tokens[at:opening])

    def is_macro(self, first, opening):
        """TEST_CASE("...") { }: what is in the brackets are not parameters."""
        return opening == first + 1 and self.text(first).isupper() and "_" in self.text(first)

    def is_whole_macro(self, first, opening):
        """A macro's call that stands alone, without a semicolon: a declaration follows."""
        after = self.pairs[opening] + 1
        return self.is_macro(first, opening) and self.is_word(after) and self.text(after) not in AFTER_PARAMETERS

    def kind_of(self, first, opening):
        """What the "{" at `opening` begins, after the tokens from `first`: "scope", "function" or "value"."""
        words = [self.text(at) for at in self.shallow(first, opening)]
        while words and words[0] in ("template", "<", "[", "inline", "static", "const", "constexpr", "typedef", "friend", "extern"):
            words.pop(0)
        if opening == first + 2 and self.text(first) == "extern":
            return "scope"
        if words and (words[0] == "enum" or any(word == "=" and words[i - 1] != "operator" for i, word in enumerate(words))):
            return "value"
        parameters = self.parameter_list(first, opening)
        if words and (words[0] == "namespace" or (words[0] in ("class", "struct", "union") and parameters is None)):
            return "scope"
        if parameters is None:
            return "value"
        initialises = any(self.text(at) == ":" for at in self.shallow(self.pairs[parameters] + 1, opening))
        return "value" if initialises and (self.is_word(opening - 1) or self.text(opening - 1) == ">") else "function"

    def read_declarations(self, at, last):
        first = at
        while at < last:
            if self.text(at) == ";":
                self.end_declaration(first, at)
                first = at = at + 1
            elif self.text(at) == ":" and self.text(at - 1) in ("public", "protected", "private"):
                first = at = at + 1
            elif self.text(at) == "{":
                kind = self.kind_of(first, at)
                at = self.read_braces(kind, first, at)
                first = first if kind == "value" else at
            elif self.is_lambda(at):
                at = self.read_lambda(at)
            elif self.text(at) == "(":
                self.read_statements(at + 1, self.pairs[at])
                whole = self.is_whole_macro(first, at)
                at = self.pairs[at] + 1
                first = at if whole else first
            else:
                at += 1

    def read_braces(self, kind, first, opening):
        """Past the end."""
        closing = self.pairs[opening]
        if kind == "scope":
            self.read_declarations(opening + 1, closing)
            return closing + 1
        if kind == "function":
            parameters = self.parameter_list(first, opening)
            closing = self.end_of_handlers(closing)
            number = 0 if self.is_macro(first, parameters) else self.count_parameters(parameters)
            self.add(self.name_of(first, parameters), first, closing, number)
        self.read_statements(opening + 1, closing)
        return closing + 1

    def end_of_handlers(self, closing):
        """The last "}" of a function whose body is a try block, which ends with `closing`."""
        while self.text(closing + 1) == "catch":
            closing = self.pairs[self.pairs[closing + 2] + 1]
        return closing

    def end_declaration(self, first, semicolon):
        """`virtual ... = 0;` has no other place where its parameters are counted."""
        if [self.text(at) for at in (semicolon - 2, semicolon - 1)] == ["=", "0"] and self.text(first) == "virtual":
            parameters = self.parameter_list(first, semicolon)
            self.add(self.name_of(first, parameters), first, semicolon, self.count_parameters(parameters))


def faults(file, functions):
    for function in functions:
        where = f"{file}:{function.line}: {function.name}"
        if function.lines > LINES:
            yield f"{where} has {function.lines} lines, must be at most {LINES}; which part of it has a name of its own?"
        if function.parameters > PARAMETERS_ALLOWED.get((file, function.name), PARAMETERS):
            yield f"{where} has {function.parameters} parameters, must be at most {PARAMETERS}; which of them belong in a struct?"


def main(root):
    found, total, longest = [], 0, 0
    for path in cpp_files(root):
        file = path.relative_to(root).as_posix()
        try:
            functions = Source(path.read_text(encoding="utf-8")).functions
        except ValueError as error:
            sys.exit(f"{file}:{error}; functions.py cannot read it")
        found += faults(file, functions)
        total += len(functions)
        longest = max([longest, *(function.lines for function in functions)])
    print("\n".join(found) or f"{total} functions, none of more than {LINES} lines (longest: {longest}) and {PARAMETERS} parameters")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
