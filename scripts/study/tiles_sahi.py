"""Finds objects in big pictures with SAHI and an ONNX file that `letterpress-trainer export --output ultralytics` wrote.

usage: tiles_sahi.py MODEL PICTURES OUT SIDE OVERLAP CONF WHOLE
PICTURES: a picture per line; OVERLAP: share of a slice; WHOLE 1: the picture as a whole too (SAHI's default), 0: slices alone; all else is at its
defaults. Writes what `letterpress-predict --format json` would, and prints a line of JSON: seconds of all pictures, reading included, imports and loading
of the model left out.
"""
import json
import os
import pathlib
import sys
import time


def findings(file, result):
    boxes = [{"box": one.bbox.to_xyxy(), "score": float(one.score.value), "class": one.category.id, "name": one.category.name}
             for one in result.object_prediction_list]
    return {"picture": str(file), "width": result.image_width, "height": result.image_height, "detections": boxes}


def main():
    os.environ["YOLO_OFFLINE"] = "1"
    import sahi
    from sahi.predict import get_sliced_prediction

    model_file, pictures, out, side, overlap, conf, whole = sys.argv[1:]
    model = sahi.AutoDetectionModel.from_pretrained(model_type="ultralytics", model_path=model_file, confidence_threshold=float(conf), device="cpu",
                                                    image_size=int(side))
    found, wall, processor = [], time.monotonic(), time.process_time()
    for file in pathlib.Path(pictures).read_text().splitlines():
        result = get_sliced_prediction(file, model, slice_height=int(side), slice_width=int(side), overlap_height_ratio=float(overlap),
                                       overlap_width_ratio=float(overlap), perform_standard_pred=whole == "1", verbose=0)
        found.append(findings(file, result))
    seconds = {"seconds": time.monotonic() - wall, "processor_s": time.process_time() - processor}
    pathlib.Path(out).write_text(json.dumps(found))
    print(json.dumps(seconds | {"version": sahi.__version__}))


if __name__ == "__main__":
    main()
