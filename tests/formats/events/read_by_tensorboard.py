"""What TensorBoard finds in a folder of event files, as JSON: {tag: [[step, value], ...]}. usage: read_by_tensorboard.py FOLDER"""
import json
import sys

try:
    from tensorboard.backend.event_processing import event_accumulator
except ImportError:
    sys.exit(77)

events = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={event_accumulator.TENSORS: 0})
events.Reload()
curves = {}
for tag in events.Tags()["tensors"]:
    curves[tag] = [[one.step, float(one.tensor_proto.float_val[0])] for one in events.Tensors(tag)]
for tag in events.Tags()["scalars"]:
    curves[tag] = [[one.step, one.value] for one in events.Scalars(tag)]
json.dump(curves, sys.stdout)
