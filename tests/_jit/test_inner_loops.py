"""Loops without an entrance from Python are called by loops alone, compiled already or not."""

import numpy as np
import pytest
from numba import int64, typeof

from surelearn._jit import borrowing, jit
from surelearn.learners.ensembles._histogram.histogram import clear
from surelearn.learners.ensembles._histogram.splitting import sort_categories


def test_python_is_refused_by_a_sentence():
    sums = np.ones((3, 300), dtype=np.int64)
    for _ in range(2):
        with pytest.raises(TypeError, match="is called by compiled loops alone"):
            sort_categories(sums, 0, 3, 1.0, sums)
        with pytest.raises(TypeError, match="is called by compiled loops alone"):
            clear(sums, 0, 3)
        clear.compile((typeof(sums), int64, int64))
    assert clear.overloads
    clear.py_func(sums, 0, 3)
    assert sums.sum() == 900 - 6


def test_a_loop_that_borrows_hands_no_array_on():
    @borrowing
    def both(numbers):
        return 1, numbers

    @jit
    def count(numbers):
        return both(numbers)[0]

    with pytest.raises(Exception, match="only an inner loop may"):
        count(np.ones(3))
