"""Rate of NVIDIA DALI on the CPU, two threads: decode and letterbox; with `hsv` colours too.

usage: dali.py LIST SIDE COUNT [hsv]  ->  one JSON line
"""
import sys
import time

from nvidia.dali import fn, pipeline_def, types

import report

BATCH = 32


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None)
def letterbox(paths, side, colours):
    encoded, _ = fn.readers.file(files=paths, random_shuffle=True, name="reader")
    pictures = fn.decoders.image(encoded, device="cpu", output_type=types.RGB)
    resized = fn.resize(pictures, resize_x=side, resize_y=side, mode="not_larger", interp_type=types.INTERP_LINEAR)
    frames = fn.paste(resized, fill_value=(114, 114, 114), ratio=1.0, min_canvas_size=side)
    if not colours:
        return frames
    hue, more = fn.random.uniform(range=(-5.0, 5.0)), fn.random.uniform(range=(0.5, 1.5))
    return fn.hsv(frames, hue=hue, saturation=more, value=more)


def main():
    lines, side, count = report.arguments()
    pipeline = letterbox(report.paths(lines), side, sys.argv[4:] == ["hsv"])
    pipeline.build()
    for _ in range(4):
        pipeline.run()
    batches = -(-count // BATCH)
    started = time.perf_counter()
    for _ in range(batches):
        pipeline.run()
    report.rate(batches * BATCH, time.perf_counter() - started, "nvidia-dali-cuda130")


main()
