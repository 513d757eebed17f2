"""The section of docs/benchmarks.md on predict, of one result of scripts/bench/predict."""
from measure import machine_text


def rate(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def rates(rows, names, start):
    """A line per kind of work and number of threads, a column per program. A cell is the median."""
    kinds = list(dict.fromkeys((row["what"], row["threads"]) for row in rows if row["what"].startswith(start)))
    lines = []
    for what, threads in kinds:
        of = {row["name"]: row["median"] for row in rows if (row["what"], row["threads"]) == (what, threads)}
        lines.append([what, str(threads), *(rate(of[name]) if name in of else "" for name in names)])
    return lines


def verdict(target):
    if target["met"]:
        return ""
    limit = target.get("limit")
    return f" (missed; the fastest model alone: {limit:.2f})" if limit and limit < target["wanted"] else " (missed)"


def target_rows(targets):
    for target in targets:
        got = "not measured" if target["got"] is None else f"{target['got']:.2f}" if target["bound"] == ">=" else f"{100 * target['got']:.1f} %"
        wanted = f"{target['wanted']:g}" if target["bound"] == ">=" else f"{100 * target['wanted']:g} %"
        yield [target["name"], f"{target['bound']} {wanted}", got + verdict(target)]


def page(result):
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result["versions"].items()))
    about = (
        f"`scripts/bench/predict PICTURES --size {result['size']}`: {result['pictures']}; {machine_text(result['machine'])}; "
        f"medians of {result['runs']} interleaved runs, pictures per second; {versions}."
    )
    alone = markdown(["model alone", "threads", "letterpress", "onnxruntime", "OpenVINO", "ncnn"],
                     rates(result["rows"], ["letterpress", "onnxruntime", "openvino", "ncnn"], "model alone"))
    whole = markdown(["files to boxes", "cores", "letterpress", "Ultralytics"], rates(result["rows"], ["letterpress", "Ultralytics"], "end to end"))
    missing = [f"Not measured: {name}: {reason}." for name, reason in result["missing"].items()]
    return "\n\n".join([about, alone, whole, markdown(["target", "needed", "got"], list(target_rows(result["targets"]))), *missing])
