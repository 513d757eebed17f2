"""What scripts/bench/gpu measured, as Markdown."""
from measure import machine_text

GIB = 2**30
NOT_MEASURED = "not measured"
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


def steps_table(steps):
    """A line per model and precision: what the graph gives is the ratio of both times. A run that was stopped may lack the last graph."""
    lines = []
    for step in (step for step in steps if not step["cuda_graph"]):
        key = (step["model"], step["precision"], step["batch"])
        graph = next((one for one in steps if one["cuda_graph"] and (one["model"], one["precision"], one["batch"]) == key), None)
        fp32 = next(one for one in steps if not one["cuda_graph"] and (one["model"], one["precision"]) == (step["model"], "fp32"))
        with_graph = [f"{graph['ms']:.2f}", f"{step['ms'] / graph['ms']:.2f}"] if graph else [NOT_MEASURED, ""]
        lines.append([f"{step['model']}, {step['precision']}, {step['batch']} pictures", f"{step['ms']:.2f}", f"{fp32['ms'] / step['ms']:.2f}", *with_graph])
    return markdown(["a training step", "ms", "times as fast as fp32", "ms with a CUDA graph", "times as fast as without"], lines)


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
    tables = {"rows": lambda: rows_table(result["rows"]), "steps": lambda: steps_table(result["steps"]), "ranks": lambda: ranks_table(result),
              "memory": lambda: memory_table(result["memory"])}
    missing = [PARTS[part] for part in tables if part not in result]
    left = [f"Stopped before its end, so {NOT_MEASURED}: {', '.join(missing)}."] if missing else []
    return "\n\n".join([about(result), *(table() for part, table in tables.items() if part in result), *left])
