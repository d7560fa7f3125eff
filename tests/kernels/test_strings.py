"""The string kernel: the numbers of the catalogue, and equal to its definition."""

import math

import numpy as np
import pytest

from reference.subsequence_kernel import subsequence_kernel
from surelearn.kernels import Subsequence


def test_the_values_of_the_catalogue():
    kernel = Subsequence(order=2, decay=0.5)
    assert kernel(["cat"], ["car", "cat"]).tolist() == [[0.0625, 0.140625]]
    assert kernel.normalised()(["cat"], ["car"]).item() == pytest.approx(1 / 2.25, rel=1e-15)
    assert Subsequence(order=3, decay=0.5)(["abcab"], ["bacba"]).item() == 0.0234375


@pytest.mark.parametrize("order", [1, 2, 3, 6])
@pytest.mark.parametrize("decay", [1.0, 0.5, 0.3])
def test_the_recursion_is_the_definition(order, decay):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abα"), rng.integers(0, 10))) for _ in range(25)]
    expected = [[subsequence_kernel(s, t, order, decay) for t in words] for s in words]
    np.testing.assert_allclose(Subsequence(order=order, decay=decay)(words), expected, rtol=1e-13)


def test_compiled_and_interpreted_agree():
    from surelearn.kernels import strings  # noqa: PLC0415

    codes = np.frombuffer("gattaca".encode("utf-32-le"), dtype=np.uint32)[:, np.newaxis]
    found = []
    for run in (strings._common_subsequences, strings._common_subsequences.py_func):
        totals = np.zeros(1)
        scratch = np.empty((3, 6, 1)), np.empty((5, 1)), np.empty(1)
        run(codes[:5].copy(), codes[2:].copy(), 0.7, *scratch, totals)
        found.append(totals[0])
    assert found[0] > 0.0
    assert found[0] == pytest.approx(found[1], rel=1e-14)


@pytest.mark.parametrize("n", [1, 5, 70])
def test_strings_of_many_lengths_compared_side_by_side_are_as_if_alone(monkeypatch, n):
    from surelearn.kernels import strings  # noqa: PLC0415

    rng = np.random.default_rng(n)
    words = ["".join(rng.choice(list("ab"), rng.integers(0, 30))) for _ in range(n)]
    kernel = Subsequence(order=3, decay=0.5)
    together = kernel(words, words[::-1])
    monkeypatch.setattr(strings, "_SCRATCH", 0)  # one pair at a time
    alone = kernel(words, words[::-1])
    np.testing.assert_allclose(together, alone, rtol=1e-13)
    np.testing.assert_allclose(kernel(words)[:, ::-1], alone, rtol=1e-13)


def test_without_decay_it_counts_pairs_of_equal_subsequences():
    kernel = Subsequence(order=2, decay=1.0)
    assert kernel(["aaaa"], ["aaa"]).item() == 6 * 3


def test_a_string_that_is_too_short_has_no_features():
    kernel = Subsequence(order=3)
    assert kernel(["ab", "", "abc"]).tolist()[0] == [0.0, 0.0, 0.0]
    assert kernel.normalised()(["ab", "", "abc"]).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_an_order_beyond_all_strings_takes_no_memory():
    kernel = Subsequence(order=2**60, decay=1.0)
    assert kernel(["cat", "car"]).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_characters_beyond_the_basic_plane_are_one_character():
    kernel = Subsequence(order=1, decay=0.5)
    assert kernel(["𝛼𝛽"], ["𝛽", "𝛾"]).tolist() == [[0.25, 0.0]]


def test_arrays_of_strings_are_lists_of_strings():
    words = ["cat", "car", "bar"]
    expected = Subsequence()(words)
    assert np.array_equal(Subsequence()(np.array(words)), expected)
    assert np.array_equal(Subsequence()(np.array(words, dtype=object)), expected)


@pytest.mark.parametrize("decay", [0.0, -0.5, 1.5, math.nan, 1e-160])
def test_a_decay_outside_its_domain_is_refused(decay):
    with pytest.raises(ValueError, match="decay="):
        Subsequence(decay=decay)
