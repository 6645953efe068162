"""Trains on one and on two logical CPUs. Run by test_devices.py: DATA FOLDER OPTIONS SETTINGS.

The runs go to FOLDER/1 and FOLDER/2, and to FOLDER/more one that the second of them teaches.
"""

import json
import sys

import pytest
import tensorflow as tf

import zoo

data, folder, options, settings = sys.argv[1:]
settings = json.loads(settings)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def train(devices, batch_size):
    return zoo.train(
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
        **settings,
    )


with pytest.raises(zoo.UsageError, match="must be a multiple of the 2 devices: got 7"):
    train("2", 7)
with pytest.raises(zoo.UsageError, match="must be at most the 80 training texts: got 82"):
    train("2", 82)
# Further models in the same process have the default recipe, whose last bits would not agree.
more = {
    "learning_rate": 0.01,
    "devices": "2",
    "weights": "none",
    "output": f"{folder}/more",
    "verbose": 0,
}
with pytest.MonkeyPatch.context() as patch:  # nobody reads a SavedModel or model.onnx
    patch.setattr(
        "zoo.shipping.saving.write_served", lambda run, model: (run / "saved_model").mkdir()
    )
    train("1", 8)
    teacher = train("2", 8)
    run = zoo.train("cnn_kim", data, epochs=9, keep="best", **more | settings)
    pupil = zoo.train("cnn_kim", data, teacher=teacher, variations=30, minutes=5, **more | settings)
scores = json.loads((run / "metrics.json").read_text())
assert scores["micro_f1" if "micro_f1" in scores else "accuracy"] > 0.9
assert zoo.load(pupil).thresholds == zoo.load(teacher).thresholds
