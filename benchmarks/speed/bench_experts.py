"""Rounds per second of the learners of expert advice, and against plain NumPy, in one process."""

import argparse

import numpy as np
from _timing import best_of, machine, report

from surelearn.learners.experts.adahedge import AdaHedge
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.fixed_share import FixedShare
from surelearn.learners.experts.halving import Halving
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.experts.randomized_weighted_majority import RandomizedWeightedMajority
from surelearn.learners.experts.squint import Squint
from surelearn.learners.experts.weighted_majority import WeightedMajority


def numpy_hedge(losses, rate):
    """Return the learner's losses: a whole table at once, the fastest short NumPy there is."""
    before = np.vstack([np.zeros(losses.shape[1]), np.cumsum(losses[:-1], axis=0)])
    weights = np.exp(rate * (before.min(axis=1, keepdims=True) - before))
    return np.einsum("tk,tk->t", weights, losses) / weights.sum(axis=1)


def python_hedge(losses, rate):
    """Return the learner's losses, a round at a time as a user would write it."""
    cumulative, paid = np.zeros(losses.shape[1]), np.empty(len(losses))
    for t, row in enumerate(losses):
        weights = np.exp(rate * (cumulative.min() - cumulative))
        paid[t] = weights @ row / weights.sum()
        cumulative += row
    return paid


def throughput(name, learner, data):
    seconds = best_of(lambda: learner().learn(*data))
    n_rounds = len(data[0])
    print(f"   {name:<44} {n_rounds / seconds / 1e6:8.2f} million rounds per second")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    n_rounds = 10**5 if parser.parse_args().quick else 10**6
    rng = np.random.default_rng(0)
    machine()
    losses = rng.random((n_rounds, 20))
    print(f"\n{n_rounds} rounds, 20 experts")
    fixed = throughput("Hedge, fixed rate", lambda: Hedge(learning_rate=0.01), (losses,))
    throughput("Hedge, any time", Hedge, (losses,))
    throughput("Doubling(Hedge)", lambda: Doubling(Hedge()), (losses,))
    throughput("AdaHedge", AdaHedge, (losses,))
    throughput("FixedShare", FixedShare, (losses,))
    throughput("RandomizedWeightedMajority", RandomizedWeightedMajority, (losses,))
    few = losses[: n_rounds // 10]
    throughput("Squint, thirty rates (a tenth of the rounds)", Squint, (few,))
    said, outcomes = losses.round(), rng.integers(0, 2, n_rounds).astype(float)
    throughput("AggregatingAlgorithm, square loss", AggregatingAlgorithm, (losses, outcomes))
    throughput("WeightedMajority", WeightedMajority, (said, outcomes))
    throughput("Halving", Halving, (said, said[:, 3].copy()))
    report(
        "Hedge at a fixed rate: weights, losses, gaps and tallies against the losses alone",
        {
            "surelearn Hedge(learning_rate=0.01).learn": fixed,
            "NumPy, whole table": best_of(lambda: numpy_hedge(losses, 0.01), repeats=3),
            "NumPy, round by round": 10.0 * best_of(lambda: python_hedge(few, 0.01), repeats=1),
        },
        ours="surelearn Hedge(learning_rate=0.01).learn",
    )
    for size in (n_rounds // 4, n_rounds // 2, n_rounds):
        seconds = best_of(lambda size=size: AdaHedge().learn(losses[:size]))
        print(f"   AdaHedge, {size:>8} rounds: {seconds / size * 1e9:6.1f} ns per round")
    learner = AdaHedge()
    learner.learn(losses[:2])
    seconds = best_of(lambda: [learner.update(row) for row in losses[:2000]]) / 2000
    print(f"   AdaHedge.update, one round at a time: {seconds * 1e6:.1f} µs")


if __name__ == "__main__":
    main()
