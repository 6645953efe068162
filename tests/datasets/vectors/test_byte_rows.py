"""A table in bytes: exact where it can be, and near otherwise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zoo.datasets.vectors.byte_rows import in_bytes, rounded
from zoo.datasets.vectors.english import english_vectors

SHAPES = st.tuples(st.integers(0, 6), st.integers(1, 9))
FLOATS = st.floats(-(2.0**66), 2.0**66, width=32, allow_subnormal=False)


@given(arrays("float32", SHAPES, elements=FLOATS))
def test_each_number_is_within_half_a_step_and_a_second_time_nothing_is_lost(matrix):
    numbers, scales, _ = in_bytes(matrix)
    assert numbers.dtype == "int8" and scales.dtype == "float32" and scales.shape[1] == 1
    half = np.abs(matrix).max(axis=1, keepdims=True) / 254
    assert (np.abs(numbers * scales - matrix) <= half * (1 + 1e-4)).all()
    again = rounded(matrix)
    np.testing.assert_allclose(rounded(again), again, rtol=1e-5)
    assert in_bytes(again)[2].all()


def test_the_english_vectors_lose_nothing_whatever_they_are_multiplied_by():
    matrix = english_vectors(120).vectors * np.float32(1 / 3)
    numbers, scales, exact = in_bytes(matrix)
    assert exact.all()
    np.testing.assert_array_equal(rounded(matrix), matrix)
    np.testing.assert_allclose(numbers * scales, matrix, rtol=1e-6)


def test_rows_of_any_numbers_are_not_exact():
    matrix = np.random.default_rng(0).normal(size=(5, 40)).astype("float32")
    assert not in_bytes(matrix)[2].any()


def test_rows_that_are_not_finite_are_not_exact_and_change_no_others():
    matrix = np.array([[1, 2], [np.nan, 1], [-np.inf, 1]], "float32")
    numbers, _, exact = in_bytes(matrix)
    assert exact.tolist() == [True, False, False] and not numbers[1:].any()
    np.testing.assert_array_equal(rounded(matrix)[0], matrix[0])
