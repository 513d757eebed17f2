"""Commands that only read a store, and write what they make beside what is watched: whatever they cannot read is told, with its name."""
from works import Work, after, built

COMMANDS = {"info": ["--json"], "verify": ["--deep"], "lint": [], "anchors": [], "ledger": [], "report": ["--out", "OUT.html"], "preview": ["--out", "OUT.png"]}
REDRAWN = ["preview", "--explain", "0001.png", "--out", "OUT.png"]


def command(name, flags):
    """OUT: a file outside of what is watched."""
    return lambda files: files.preprocess(name, "--store", files.store, *[flag.replace("OUT", str(files.folder / "out")) for flag in flags])


READING = [Work(name, after(built("few")), command(name, flags)) for name, flags in COMMANDS.items()]
READING.append(Work("preview --explain", after(built("few")), command(REDRAWN[0], REDRAWN[1:])))
