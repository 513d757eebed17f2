#!/usr/bin/env python3
"""Turns an exported ONNX file into OpenVINO's format: OUT.xml, which keeps the metadata, and its weights beside it, in a .bin.

usage: samples/deploy/convert.py MODEL.onnx OUT.xml
Prints the converter and its version. needs: pip install openvino; exit code 77 where it is not installed
"""
import argparse
import sys

NOT_INSTALLED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("out")
    arguments = parser.parse_args()
    import openvino

    openvino.save_model(openvino.convert_model(arguments.model), arguments.out, compress_to_fp16=False)
    print("openvino", openvino.__version__.split("-")[0])


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as missing:
        print(f"has no {missing.name}", file=sys.stderr)
        sys.exit(NOT_INSTALLED)
