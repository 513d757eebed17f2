"""Pictures per second of a network alone, in another runtime: float32 frames in memory to outputs.

usage: network_alone.py RUNTIME FILE SIDE BATCH THREADS SECONDS [PRECISION]  ->  one JSON line

RUNTIME: onnxruntime and openvino run FILE, ONNX for any batch; ncnn runs FILE.ncnn.param and .bin, of one picture. openvino gives the faster of its two
ways: a batch in one request, with all threads; or one picture in each of many requests, a thread for each.
PRECISION: fp32 (of an int8 file too) or, with openvino, bf16.
"""
import pathlib
import sys
import time

import numpy as np

import report


def calls_per_s(call, seconds):
    call()
    call()
    begin, n = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        call()
        n += 1
    return n / (time.perf_counter() - begin)


def frames(batch, side):
    return np.random.default_rng(1).random((batch, 3, side, side), np.float32)


def onnxruntime_rate(file, side, batch, threads, seconds, precision):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    images = {"images": frames(batch, side)}
    return batch * calls_per_s(lambda: session.run(None, images), seconds)


def openvino_rate(file, side, batch, threads, seconds, precision):
    import openvino

    core = openvino.Core()
    properties = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": {"fp32": "f32", "bf16": "bf16"}[precision]}

    def compiled(pictures, hint):
        network = core.read_model(file)
        network.reshape([pictures, 3, side, side])
        return core.compile_model(network, "CPU", properties | {"PERFORMANCE_HINT": hint})

    whole, images = compiled(batch, "LATENCY").create_infer_request(), frames(batch, side)
    rates = [batch * calls_per_s(lambda: whole.infer({"images": images}, share_inputs=True), seconds)]
    if batch > 1:
        queue = openvino.AsyncInferQueue(compiled(1, "THROUGHPUT"))

        def many():
            for i in range(batch):
                queue.start_async({"images": images[i:i + 1]}, share_inputs=True)
            queue.wait_all()

        rates.append(batch * calls_per_s(many, seconds))
    return max(rates)


def ncnn_rate(file, side, batch, threads, seconds, precision):
    import ncnn

    network = ncnn.Net()
    network.opt.num_threads = threads
    if network.load_param(f"{file}.ncnn.param") or network.load_model(f"{file}.ncnn.bin"):
        raise SystemExit(f"ncnn cannot read {file}.ncnn.param")
    image = ncnn.Mat(frames(1, side)[0])

    def one():
        extractor = network.create_extractor()
        extractor.input(network.input_names()[0], image)
        for name in network.output_names():
            status, _ = extractor.extract(name)
            if status:
                raise SystemExit(f"ncnn cannot compute {name}")

    return calls_per_s(one, seconds)  # it has no batches


def main():
    runtime, file, side, batch, threads, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])
    rate = {"onnxruntime": onnxruntime_rate, "openvino": openvino_rate, "ncnn": ncnn_rate}[runtime]
    measured = rate(str(pathlib.Path(file)), side, batch, threads, seconds, sys.argv[7] if len(sys.argv) > 7 else "fp32")
    report.rate(measured, 1, runtime)


main()
