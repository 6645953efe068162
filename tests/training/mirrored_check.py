"""Trains on one and on two logical CPUs. Run by test_devices.py: DATA FOLDER OPTIONS.

The runs go to FOLDER/1 and FOLDER/2.
"""

import json
import sys

import pytest
import tensorflow as tf

import zoo

data, folder, options = sys.argv[1:]
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def train(devices, batch_size):
    zoo.train(
        "han",
        data,
        recipe="yang2016",
        options=json.loads(options),
        epochs=1,
        batch_size=batch_size,
        devices=devices,
        calibrate=False,
        keep="best",
        weights="none",
        output=f"{folder}/{devices}",
        verbose=0,
    )


with pytest.raises(zoo.UsageError, match="must be a multiple of the 2 devices: got 7"):
    train("2", 7)
with pytest.raises(zoo.UsageError, match="must be at most the 80 training texts: got 82"):
    train("2", 82)
with pytest.MonkeyPatch.context() as patch:  # nobody reads those two
    patch.setattr("zoo.shipping.saved_model.export_saved_model", lambda model, path: path.mkdir())
    train("1", 8)
    train("2", 8)
# A further model in the same process, by the default recipe, whose last bits would not agree.
run = zoo.train(
    "cnn_kim",
    data,
    epochs=9,
    learning_rate=0.01,
    devices="2",
    keep="best",
    weights="none",
    output=f"{folder}/more",
    verbose=0,
)
assert json.loads((run / "metrics.json").read_text())["accuracy"] > 0.9
