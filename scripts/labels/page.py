"""A page of the worst pictures with their labels and what is doubtful about them. Pure; it shows the pictures where they lie."""
import html
import os
import pathlib

SHOWN = 0.1  # least score of a finding that is drawn
COLOURS = {"missing": "#e00", "extra": "#d0d", "shifted": "#f80", "swapped": "#09f"}
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Label errors</title>
<style>body{font:14px sans-serif;max-width:1000px;margin:2em auto}svg{max-width:100%;height:auto}rect{fill:none;vector-effect:non-scaling-stroke}
b span{padding:0 .4em;color:#fff}</style><h1>Label errors</h1>
"""


def legend():
    parts = [f'<span style="background:{colour}">{kind}</span>' for kind, colour in COLOURS.items()]
    return f'<p><b><span style="background:#2a2">label</span> {" ".join(parts)}</b> Dashed: where a prediction is instead. Point at a box for its class.</p>\n'


def rectangle(box, colour, title, style=""):
    x, y, width, height = (f"{value:.1f}" for value in box)
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" stroke="{colour}" stroke-width="2" pointer-events="all"{style}>'
            f"<title>{html.escape(title)}</title></rect>")


def marks(one, names):
    """Rectangles of a finding."""
    said = f"{one.kind} {one.score:.2f}: {names[one.about['category_id']]}"
    colour = COLOURS[one.kind]
    drawn = [rectangle(one.about["bbox"], colour, said, ' style="stroke-width:4"')]
    if one.label and one.prediction:
        found = f"{names[one.prediction['category_id']]} {one.prediction['score']:.2f}"
        drawn.append(rectangle(one.prediction["bbox"], colour, found, ' stroke-dasharray="6 4"'))
    return drawn


def figure(rank, doubtful, image, labels, names, folder):
    """One picture: its labels, and what is wrong with them."""
    source = html.escape(pathlib.Path(os.path.relpath(image["file_name"], folder)).as_posix())
    drawn = [rectangle(one["bbox"], "#2a2", names[one["category_id"]]) for one in labels]
    drawn += [mark for one in doubtful.findings if one.score >= SHOWN for mark in marks(one, names)]
    return (f"<h2>{rank}. {html.escape(pathlib.Path(image['file_name']).name)}: {doubtful.kind} {doubtful.score:.3f}</h2>"
            f"<p>{html.escape(image['where'])}</p>\n"
            f'<svg viewBox="0 0 {image["width"]} {image["height"]}" width="{image["width"]}"><image href="{source}" width="{image["width"]}" '
            f'height="{image["height"]}"/>{"".join(drawn)}</svg>\n')


def page(whole, pictures, folder):
    """HTML of the given pictures, to lie in `folder`."""
    names = {one["id"]: one["name"] for one in whole["categories"]}
    images = {one["id"]: one for one in whole["images"]}
    labels = {one.image: [] for one in pictures}
    for label in whole["annotations"]:
        if label["image_id"] in labels:
            labels[label["image_id"]].append(label)
    figures = [figure(rank, one, images[one.image], labels[one.image], names, folder) for rank, one in enumerate(pictures, 1)]
    return HEAD + legend() + "".join(figures)
