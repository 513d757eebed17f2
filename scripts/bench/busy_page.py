"""Tables of scripts/bench/busy.py's results, for its own output and for docs/benchmarks.md."""

NOT_MEASURED = "not measured"


def setting_of(row):
    """A result from before threads were bound says nothing of that: they were not."""
    return "bound" if row.get("bound") else "spins" if row["spins"] else "own"


def titles(rows):
    spins = next((row["spins"] for row in rows if row["spins"]), 300000)
    return {"own": "as it is", "bound": "threads bound to cores", "spins": f"{spins} spins"}


def table(rows):
    """Markdown; what nobody has measured says so."""
    header = ["programs beside it"] + [cell for title in titles(rows).values() for cell in (title, "slower")]
    found = {(row["competitors"], setting_of(row)): row for row in rows}
    lines = [header, ["---"] + ["---:"] * (len(header) - 1)]
    for n in sorted({row["competitors"] for row in rows}):
        line = [str(n)]
        for setting in titles(rows):
            row = found.get((n, setting))
            line += [f"{row['images_per_s']:.3g} images/s", f"{row['slower']:.3g}"] if row else [NOT_MEASURED, ""]
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def targets(rows):
    """The trainer's own setting beside two programs, alone beside libgomp's default, which it had before, and beside bound threads."""
    found = {(row["competitors"], setting_of(row)): row for row in rows}
    slower = found[2, "own"]["slower"]
    named = [{"name": "beside 2 programs: times slower than alone", "bound": "<=", "wanted": 2.2, "got": slower, "met": slower <= 2.2}]
    if (0, "spins") in found:
        before = found[0, "spins"]
        alone = found[0, "own"]["images_per_s"] / before["images_per_s"]
        name = f"alone: images/s / those with {before['spins']:,} spins"
        named.append({"name": name, "bound": ">=", "wanted": 0.98, "got": alone, "met": alone >= 0.98})
    return named
