"""Writes the small weight files of Keras 3 that weight_file_test reads:

    pip install keras jax; KERAS_BACKEND=jax python make_keras3.py

The arrays are those of make_foreign.py. The first convolution and the norm are a model within the model, which was trained, so that there
are an optimiser's arrays and the seed of a Dropout.
"""
from pathlib import Path

import keras
import numpy

HERE = Path(__file__).parent
EPSILON = 2e-5


def count(begin, *shape):
    return (begin + numpy.arange(int(numpy.prod(shape)), dtype=numpy.float32) / 8).reshape(shape)


def kernel(begin, *shape):
    return count(begin, *shape).transpose(2, 3, 1, 0)


inner_input = keras.Input((8, 8, 2))
made = keras.layers.Conv2D(3, 2, use_bias=False, name="conv2d_9")(inner_input)
made = keras.layers.BatchNormalization(epsilon=EPSILON, name="batch_normalization_9")(made)
made = keras.layers.Dropout(0.5)(keras.layers.LeakyReLU(0.1)(made))
inner = keras.Model(inner_input, made, name="backbone")
whole_input = keras.Input((8, 8, 2))
whole = keras.Model(whole_input, keras.layers.Conv2D(2, 1, name="conv2d_10")(inner(whole_input)))
whole.compile(keras.optimizers.Adam(), "mse")
whole.fit(numpy.zeros((2, 8, 8, 2)), numpy.zeros((2, 7, 7, 2)), verbose=0)
inner.get_layer("conv2d_9").set_weights([kernel(0, 3, 2, 2, 2)])
inner.get_layer("batch_normalization_9").set_weights([count(1000 * i, 3) for i in (1, 2, 3, 4)])
whole.get_layer("conv2d_10").set_weights([kernel(5000, 2, 3, 1, 1), count(6000, 2)])
whole.save_weights(HERE / "keras3.weights.h5")
whole.save(HERE / "keras3.keras")

half = keras.Sequential([keras.Input((8, 8, 2)), keras.layers.BatchNormalization(scale=False)])
half.save_weights(HERE / "keras3_half_norm.weights.h5")
