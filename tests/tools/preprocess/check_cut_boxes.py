"""Counts cut and lost boxes of a store of one generation with h5py and compares them with its report. usage: check_cut_boxes.py REPORT STORE CLASSES

Exit 77 when h5py is not installed.
"""
import pathlib
import re
import sys
from collections import Counter

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}; pip install h5py")
    sys.exit(77)

CUT = 4  # of box_flags, docs/reference/store.md


def main():
    page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    clean, views, kept, cut, augmented = [], Counter(), Counter(), Counter(), Counter()
    for path in pathlib.Path(sys.argv[2]).glob("shards/*.h5"):
        with h5py.File(path) as shard:
            rows = zip(shard["view"][:], shard["picture_id"][:], shard["box_count"][:], shard["boxes"][:], shard["box_flags"][:])
            for view, picture, n, boxes, flags in rows:
                classes = [int(box[4]) for box in boxes[:n]]
                if view == 0:
                    clean.append((picture, classes))
                else:
                    augmented[picture] += 1
                    kept.update(classes)
                    cut.update(name for name, flag in zip(classes, flags[:n]) if flag & CUT)
    for picture, classes in clean:
        for name in classes:
            views[name] += augmented[picture]
    shown = {(int(c), what): int(n.replace(",", "")) for c, what, n in re.findall(r'data-figure="augmented\.(\d+)\.(cut|lost)">([\d,]+)<', page)}
    assert shown and sum(cut.values()) > 0 and sum((views - kept).values()) > 0, "the store has too few cut or lost boxes to tell anything"
    for name in range(int(sys.argv[3])):
        assert shown[name, "cut"] == cut[name], f"class {name}: {shown[name, 'cut']} cut, counted {cut[name]}"
        assert shown[name, "lost"] == views[name] - kept[name], f"class {name}: {shown[name, 'lost']} lost, counted {views[name] - kept[name]}"
    print(f"{sum(cut.values())} cut, {sum((views - kept).values())} lost")


main()
