"""How far our numbers are from another program's: a line per comparison, which scripts/agreement.py gathers from a run of the tests."""


def check(program, what, difference, allowed, say=print):
    say(f"agreement | {program} | {what} | {difference:.1e} | {allowed:.0e}")
    assert difference <= allowed, f"{program}: {what}: {difference} apart, allowed {allowed}"
