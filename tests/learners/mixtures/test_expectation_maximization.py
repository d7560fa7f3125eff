"""The engine of expectation maximisation: any model, monotone, in blocks, from several starts."""

import pathlib
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from reference import three_coins
from surelearn.learners.mixtures._model import normalise
from surelearn.learners.mixtures.expectation_maximization import (
    Expectation,
    LikelihoodFellError,
    expect,
    maximise,
)

TOSSES = np.array([1, 1, 0, 1, 0, 0, 1, 0, 1, 1])
START = (0.4, 0.6, 0.7)


def three_coins_of_the_documentation():
    page = pathlib.Path(__file__).parents[3] / "docs" / "how-to" / "write-a-mixture-by-em.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {}
    exec(code, names)  # noqa: S102 - the page is ours
    return names["ThreeCoins"]


class Wrong(three_coins_of_the_documentation()):
    """Its M-step leaves the hill."""

    def m_step(self, sums):
        return tuple(0.5 * p for p in super().m_step(sums))


@pytest.fixture
def coins():
    return three_coins_of_the_documentation()()


def test_the_page_prints_what_it_says(capsys):
    three_coins_of_the_documentation()
    assert capsys.readouterr().out == "[0.4064 0.5368 0.6432] True\n"


def test_three_coins_make_the_step_of_the_catalogue(coins):
    run = maximise(coins, [TOSSES], [START], max_iter=1)
    np.testing.assert_allclose(
        run.parameters, (0.4064171123, 0.5368421053, 0.6432432432), atol=1e-10
    )
    assert len(run.log_likelihoods) == 2


@pytest.mark.parametrize("start", [START, (0.5, 0.5, 0.5), (0.9, 0.1, 0.3), (0.2, 0.99, 0.01)])
def test_it_equals_the_plain_iteration(coins, start):
    plain = start
    for steps in range(1, 6):
        plain = three_coins.iterate(TOSSES.tolist(), *plain)
        run = maximise(coins, [TOSSES], [start], max_iter=steps, tol=-1.0)
        np.testing.assert_allclose(run.parameters, plain, rtol=1e-12)


def test_the_likelihood_never_falls_from_any_start(coins):
    rng = np.random.default_rng(0)
    for start in rng.random((50, 3)):
        path = maximise(coins, [TOSSES], [start], max_iter=30, tol=0.0).log_likelihoods
        assert np.diff(path).min() >= -1e-12 * abs(path[0])


def test_a_wrong_m_step_is_caught():
    with pytest.raises(LikelihoodFellError, match="M-step does not maximise"):
        maximise(Wrong(), [TOSSES], [START])
    run = maximise(Wrong(), [TOSSES], [START], rounding=np.inf)
    assert run.log_likelihoods[1] < run.log_likelihoods[0]


def test_blocks_and_workers_do_not_matter(coins):
    rng = np.random.default_rng(1)
    tosses = (rng.random(1000) < 0.3).astype(int)
    blocks = np.array_split(tosses, 7)
    whole = maximise(coins, [tosses], [START], max_iter=5)
    parts = maximise(coins, blocks, [START], max_iter=5)
    with ThreadPoolExecutor(3) as pool:
        threads = maximise(coins, blocks, [START], max_iter=5, mapper=pool.map)
    np.testing.assert_allclose(parts.parameters, whole.parameters, rtol=1e-12)
    assert threads.parameters == parts.parameters
    total = expect(coins, START, blocks)
    np.testing.assert_allclose(total.statistics, coins.e_step(START, tosses).statistics)


def test_the_best_of_several_starts_is_kept():
    class Hills:
        """Two hills, one higher; the hidden part is trivial, each step goes to the nearest top."""

        def e_step(self, place, heights):
            left, right = heights
            height = left - (place + 1) ** 2 if place < 0 else right - (place - 1) ** 2
            return Expectation(height, np.array(np.sign(place)))

        def m_step(self, side):
            return float(side)

    run = maximise(Hills(), [(3.0, 5.0)], [-0.5, 0.7, -2.0])
    assert (run.parameters, run.log_likelihoods[-1], run.converged) == (1.0, 5.0, True)


def test_it_stops_on_relative_change_or_says_that_it_did_not(coins):
    run = maximise(coins, [TOSSES], [(0.9, 0.1, 0.3)], tol=1e-3)
    last, before = run.log_likelihoods[-1], run.log_likelihoods[-2]
    assert run.converged
    assert 0.0 <= last - before <= 1e-3 * abs(before)
    assert not maximise(coins, [TOSSES], [(0.9, 0.1, 0.3)], max_iter=1, tol=0.0).converged


def test_an_impossible_start_is_refused(coins):
    with (
        np.errstate(divide="ignore", invalid="ignore"),
        pytest.raises(ValueError, match="impossible"),
    ):
        maximise(coins, [TOSSES], [(0.5, 1.0, 1.0)])


def test_shares_sum_to_one_and_negligible_ones_are_exactly_nothing():
    logs = np.array([[0.0, -2000.0, -np.inf], [-599.0, -1300.0, 5.0], [-601.0, -1300.0, -np.inf]])
    shares = logs.copy()
    evidence = normalise(shares)
    np.testing.assert_allclose(evidence, [0.0, np.log(2.0) - 1300.0, 5.0])
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    assert shares[1, 0] > 0.0
    assert shares[2, 0] == shares[0, 1] == shares[0, 2] == 0.0
