"""coco_figures.py TRUTH FOUND: prints the 12 figures of pycocotools' COCOeval as a JSON list."""
import contextlib
import io
import json
import sys

try:
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval
except ImportError:
    sys.exit(77)

with contextlib.redirect_stdout(io.StringIO()):
    truth = COCO(sys.argv[1])
    evaluation = COCOeval(truth, truth.loadRes(sys.argv[2]), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
print(json.dumps(evaluation.stats.tolist()))
