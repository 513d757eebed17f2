"""Texts that a script writes into pages, each between markers that name it and the script."""
import pathlib
import sys


def replaced(page, file, writer, name, text):
    """`page`, which is of `file`, with the text between the markers of that name. writer: the script's path from the root."""
    begin, end = f"<!-- begin {name}: written by {writer} -->", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"{pathlib.Path(writer).name}: {file.name} must have one pair of markers '{begin}' and '{end}'")
    head, rest = page.split(begin)
    return f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}"


def page_with(file, writer, texts):
    """The page as it is to be. texts: {name: text}."""
    page = file.read_text()
    for name, text in texts.items():
        page = replaced(page, file, writer, name, text)
    return page


def write(writer, texts):
    """The whole of main(): {file: {name: text}}. With --check nothing is written, and a page that is not what it is to be is an error."""
    script = pathlib.Path(writer).name
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(f"{script}: unknown argument '{sys.argv[1]}'; known: --check")
    for file, of_file in texts.items():
        page = page_with(file, writer, of_file)
        if page == file.read_text():
            continue
        if sys.argv[1:]:
            raise SystemExit(f"{script}: tables in {file.name} are not what the results say; run {writer}")
        file.write_text(page)
