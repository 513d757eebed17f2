"""What scripts/bench/gpu measured, as Markdown."""
import itertools

from measure import machine_text

GIB = 2**30
NOT_MEASURED = "not measured"
PRECISIONS = {"fp32": ["--precision", "fp32"], "tf32": ["--precision", "fp32", "--tf32"], "bf16": ["--precision", "bf16"],
              "fp16": ["--precision", "fp16"]}
PARTS = {"rows": "rows into a device's memory", "steps": "steps of a training", "ranks": "trainings on one to all devices", "memory": "memory of a training"}


def markdown(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def about(result):
    names = sorted({device["name"] for device in result["devices"]})
    drivers = sorted({device["driver"] for device in result["devices"]})
    runs = "one run" if result["runs"] == 1 else f"medians of {result['runs']} runs"
    return (f"{len(result['devices'])} x {', '.join(names)} (driver {', '.join(drivers)}); {machine_text(result['machine'])}; "
            f"commit {result['machine']['commit']}, {result['machine']['date']}; {runs}.")


def rows_table(rows):
    cells = [f"{rows['rows_per_s']:,.0f}", f"{rows['bus_rows_per_s']:,.0f}", f"{rows['bus_gb_per_s']:.2f}", f"{rows['share_of_bus']:.2f}"]
    what = f"side {rows['side']}, batches of {rows['batch']}"
    return markdown(["rows into a device's memory", "rows/s", "bare copy over the bus, rows/s", "GB/s", "share of the bus"], [[what, *cells]])


def steps_table(result):
    """A line per model and precision: what the graph gives is the ratio of both times. A run that was stopped lacks the last ones."""
    ms = {(step["model"], step["precision"], step["cuda_graph"]): step["ms"] for step in result["steps"]}
    lines = []
    for model, precision in itertools.product(result["models"].split(","), PRECISIONS):
        plain, graph, fp32 = ms.get((model, precision, False)), ms.get((model, precision, True)), ms.get((model, "fp32", False))
        without = [f"{plain:.2f}", f"{fp32 / plain:.2f}"] if plain else [NOT_MEASURED, ""]
        with_graph = [f"{graph:.2f}", f"{plain / graph:.2f}"] if graph else [NOT_MEASURED, ""]
        lines.append([f"{model}, {precision}", *without, *with_graph])
    return markdown([f"a training step, {result['batch']} pictures of side {result['rows']['side']}", "ms", "times as fast as fp32", "ms with a CUDA graph", "times as fast as without"], lines)


def ranks_table(result):
    alone = result["ranks"][0]["images_per_s"]
    lines = [[str(one["ranks"]), f"{one['images_per_s']:,.0f}", f"{one['images_per_s'] / (alone * one['ranks']):.2f}", f"{100 * one['data_wait']:.2f} %"]
             for one in result["ranks"]]
    return markdown([f"devices that train {result['model']}, {result['batch']} pictures on each", "images/s", "of as many times one", "data_wait"], lines)


def memory_table(memory):
    cells = [f"{memory['forecast'] / GIB:.2f}", f"{memory['peak'] / GIB:.2f}", f"{memory['forecast'] / memory['peak']:.2f}"]
    return markdown(["memory of a training", "forecast, GiB", "peak, GiB", "forecast / peak"], [[f"{memory['model']}, {memory['batch']} pictures", *cells]])


def page(result):
    """Of a run that was stopped, what it has measured, and what it has not."""
    tables = [table() for part, table in tables_of(result).items() if part in result]
    missing = [name for part, name in PARTS.items() if part not in result]
    left = [f"Stopped before its end, so {NOT_MEASURED}: {', '.join(missing)}."] if missing else []
    return "\n\n".join([about(result), *tables, *left])


def tables_of(result):
    """By the part of the result that each shows."""
    return {"rows": lambda: rows_table(result["rows"]), "steps": lambda: steps_table(result), "ranks": lambda: ranks_table(result),
            "memory": lambda: memory_table(result["memory"])}
