#!/usr/bin/env python3
"""Makes the convolutions of an exported ONNX file compute in int8, by onnxruntime's static quantisation.

usage: samples/deploy/quantise.py MODEL.onnx FRAMES.npy OUT.onnx
FRAMES: uint8 [n, S, S, 3], RGB, as the network is given them: what levels a layer has in these is what it can tell apart afterwards.
Prints the quantiser and its version. needs: pip install numpy onnx onnxruntime; exit code 77 where they are not installed
"""
import argparse
import sys

NOT_INSTALLED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("frames")
    parser.add_argument("out")
    arguments = parser.parse_args()
    import numpy as np
    import onnx
    import onnxruntime
    from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

    class Frames(CalibrationDataReader):
        def __init__(self):
            self.left = iter(np.load(arguments.frames, mmap_mode="r"))

        def get_next(self):
            frame = next(self.left, None)
            return None if frame is None else {"images": np.ascontiguousarray(frame.transpose(2, 0, 1)[None], np.float32) / np.float32(255)}

    network = onnx.load(arguments.model)
    # Boxes and scores stay as they are; their softmax is named only because the quantiser looks for its range, wherever it is.
    softmax = [node.name for node in network.graph.node if node.op_type == "Softmax"]
    quantize_static(arguments.model, arguments.out, Frames(), quant_format=QuantFormat.QDQ, op_types_to_quantize=["Conv", "Softmax"],
                    nodes_to_exclude=softmax, calibrate_method=CalibrationMethod.MinMax, activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8, per_channel=True,
                    reduce_range=True)  # 7 bits of weights: sums of 8 overflow where the CPU has no VNNI
    quantised = onnx.load(arguments.out)
    del quantised.metadata_props[:]
    quantised.metadata_props.extend(entry for entry in network.metadata_props if entry.key != "digest")  # of the float32 file
    onnx.save(quantised, arguments.out)
    print("onnxruntime", onnxruntime.__version__)


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as missing:
        print(f"has no {missing.name}", file=sys.stderr)
        sys.exit(NOT_INSTALLED)
