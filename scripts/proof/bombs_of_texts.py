"""Label files, recipes and configurations of up to 10 MB that nest, repeat or go on for ever: {name: function of a Bomb that returns a command}."""
import json

N = 10_000_000


def coco(images, annotations="", categories='{"id":1,"name":"a"}'):
    return f'{{"images":[{images}],"annotations":[{annotations}],"categories":[{categories}]}}'


IMAGE = '{"id":1,"file_name":"a.jpg","width":10,"height":10}'


def annotation(segmentation):
    return f'{{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,2,2],"segmentation":{segmentation}}}'


def entities(n):
    """Each ten of the one before."""
    names = "bcdefghijklmnopqrstuvwxyz"[:n]
    before = "a" + names
    return '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {name} "{f"&{last};" * 10}">' for last, name in zip(before, names)) + "]>"


def anchors(n):
    names = "abcdefghijklmnopqrstuvwxyz"[:n]
    rows = [f"a: &a [{','.join('x' * 9)}]"] + [f"{name}: &{name} [{','.join([f'*{last}'] * 9)}]" for last, name in zip(names, names[1:])]
    return "\n".join(rows) + f"\nnames: *{names[-1]}\ntrain: .\n"


LABELS = {  # (name of the file, text, more words)
    "keras: a line of 10 MB": lambda: ("train.txt", "a.jpg" * (N // 5) + " 1,2,3,4,0\n"),
    "keras: 10 million empty lines": lambda: ("train.txt", "\n" * N),
    "keras: a million boxes of one picture": lambda: ("train.txt", "a.jpg" + " 1,2,3,4,0" * (N // 10) + "\n"),
    "keras: a number of 10 MB": lambda: ("train.txt", "a.jpg 1,2,3," + "9" * N + ",0\n"),
    "csv: a header of a million words": lambda: ("t.csv", ",".join(f"c{at}" for at in range(N // 9)) + "\n1\n"),
    "csv: a quote that never ends": lambda: ("t.csv", 'filename,xmin,ymin,xmax,ymax,class\n"' + "a,\n" * (N // 3)),
    "csv: 10 million commas": lambda: ("t.csv", "filename,xmin,ymin,xmax,ymax,class\n" + "," * N),
    "coco: 200,000 pictures of one id": lambda: ("c.json", coco(",".join([IMAGE] * 200_000))),
    "coco: an outline of 2.5 million numbers": lambda: ("c.json", coco(IMAGE, annotation("[[" + "1.5," * (N // 4) + "1]]"))),
    "coco: a name of 10 MB": lambda: ("c.json", coco('{"id":1,"file_name":"' + "\\u0041" * (N // 6) + '"}')),
    "coco: a mask of 2^40 pixels": lambda: ("c.json", coco(IMAGE, annotation('{"size":[1048576,1048576],"counts":[1099511627776]}'))),
    "coco: a mask of 5 million runs": lambda: ("c.json", coco(IMAGE, annotation('{"size":[4096,4096],"counts":[' + "1," * (N // 2 - 1) + "1]}"))),
    "coco: a packed mask of 10 MB": lambda: ("c.json", coco(IMAGE, annotation('{"size":[4096,4096],"counts":"' + "o" * N + '"}'))),
    "coco: 400,000 classes": lambda: ("c.json", coco(IMAGE, "", ",".join(f'{{"id":{at},"name":"n{at}"}}' for at in range(N // 25)))),
    "json: 10 MB of [": lambda: ("c.json", "[" * N, "--format", "coco"),
    "json: 2 million objects in each other": lambda: ("c.json", '{"a":' * (N // 5), "--format", "coco"),
    "createml: 10 MB": lambda: ("c.json", "[" + ",".join(['{"image":"a.jpg","annotations":[{"label":"a","coordinates":{"x":5,"y":5,"width":2,"height":2}}]}'] * 100_000) + "]"),
    "labelme: a picture of 10 MB within": lambda: ("a.json", json.dumps({"imagePath": "a.jpg", "imageWidth": 9, "imageHeight": 9, "imageData": "A" * N, "shapes": [
        {"label": "a", "shape_type": "rectangle", "points": [[1, 1], [5, 5]]}]})),
    "ndjson: a line of 10 MB": lambda: ("l.ndjson", '{"data_row":{"external_id":"' + "a" * N + '"}}\n'),
    "xml: 3 million elements in each other": lambda: ("Annotations/1.xml", "<a>" * (N // 3)),
    "xml: a billion laughs": lambda: ("Annotations/1.xml", entities(9) + "<annotation><filename>&j;</filename></annotation>"),
    "xml: 700,000 attributes": lambda: ("Annotations/1.xml", "<annotation " + " ".join(f'a{at}="x"' for at in range(700_000)) + "><filename>a.jpg</filename></annotation>"),
    "xml: 90,000 objects": lambda: ("Annotations/1.xml", "<annotation><filename>a.jpg</filename><size><width>9</width><height>9</height></size>" + (
        "<object><name>a</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object>" * 90_000) + "</annotation>"),
    "yaml: a billion laughs": lambda: ("data.yaml", anchors(10)),
    "yaml: 3 million lists in each other": lambda: ("data.yaml", "train: .\nnames: " + "[" * 3_000_000),
    "yaml: 6,000 lists by indentation": lambda: ("data.yaml", "train: .\nnames:\n" + "".join("  " + " " * min(at, 3000) + "- \n" for at in range(6000))),
    "yaml: 3 million commas": lambda: ("data.yaml", "train: .\nnames: [a]\nmore: [" + "," * 3_000_000 + "]\n"),
    "yaml: 1.5 million empty items": lambda: ("data.yaml", "train: .\nnames: [a]\nmore:\n" + "-\n" * 1_500_000),
    "yaml: 500,000 names": lambda: ("data.yaml", "train: .\nnames:\n" + "".join(f"  - n{at}\n" for at in range(500_000))),
}
TOML = {
    "lists in each other": lambda: "a = " + "[" * 3_000_000,
    "a key of a million parts": lambda: ".".join(["a"] * 1_000_000) + " = 1\n",
    "a table of a million parts": lambda: "[" + ".".join(["a"] * 1_000_000) + "]\n",
    "a text of 10 MB": lambda: 'a = "' + "x" * N + '"\n',
    "a million tables": lambda: "".join(f"[t{at}]\n" for at in range(N // 10)),
}


def of_labels(make):
    def prepare(bomb):
        name, text, *words = make()
        path = bomb.write(name, text)
        if name.endswith(".xml"):
            words = ["--format", "voc"]
            path = path.parent
        if name.endswith(".yaml"):  # some look like a table's header, too
            words = ["--format", "yolo"]
        named = ["--classes", bomb.write("classes.txt", "a\n")] if name == "train.txt" else []
        return bomb.preprocess("--input", path, *named, *words)

    return prepare


def of_toml(flag, make):
    return lambda bomb: bomb.of_toml(flag, "a.jpg 1,1,2,2,0\n", bomb.write("t.toml", make()))


ALL = {name: of_labels(make) for name, make in LABELS.items()}
ALL |= {f"toml: {name}, {flag}": of_toml(flag, make) for name, make in TOML.items() for flag in ("--recipe", "--config")}
