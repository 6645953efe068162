"""Trains on one and on two logical CPUs. Run by test_devices.py: DATA FOLDER OPTIONS.

The runs go to FOLDER/1 and FOLDER/2.
"""

import json
import sys

import tensorflow as tf

import zoo

data, folder, options = sys.argv[1:]
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
for devices in ("1", "2"):
    zoo.train(
        "han",
        data,
        recipe="yang2016",
        options=json.loads(options),
        epochs=1,
        batch_size=8,
        devices=devices,
        output=f"{folder}/{devices}",
        verbose=0,
    )
