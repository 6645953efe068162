"""Measurements of speed, memory and accuracy; make's ``bench`` targets run them."""

import zoo  # noqa: F401  before TensorFlow, which reads zoo's settings when it is imported
