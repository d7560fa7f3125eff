"""Rounds per second of every bandit, and EXP3-IX against its plain NumPy loop."""

import argparse
import math

import numpy as np
from _timing import best_of, machine, report

from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.bandits.exp3_ix import Exp3IX
from surelearn.learners.bandits.kl_ucb import KLUCB
from surelearn.learners.bandits.thompson_sampling import ThompsonSampling
from surelearn.learners.bandits.tsallis_inf import TsallisInf
from surelearn.learners.bandits.ucb1 import UCB1


def plain_exp3_ix(losses):
    """EXP3-IX without horizon, one NumPy expression per line of the paper; no certificate."""
    n_arms, rng = losses.shape[1], np.random.default_rng(0)
    estimates = np.zeros(n_arms)
    for t, row in enumerate(losses):
        rate = math.sqrt(math.log(n_arms) / (n_arms * (t + 1)))
        weights = np.exp(-rate * (estimates - estimates.min()))
        chances = weights / weights.sum()
        arm = int(np.searchsorted(np.cumsum(chances), rng.random()))
        estimates[arm] += row[arm] / (chances[arm] + rate / 2)


def round_by_round(losses):
    bandit = Exp3IX(n_arms=losses.shape[1])
    for row in losses:
        arm = bandit.select()
        bandit.update(arm, row[arm])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds")
    n_rounds = 10**5 if parser.parse_args().quick else 10**6
    losses = (np.random.default_rng(0).random((n_rounds, 10)) < [0.3] + 9 * [0.5]).astype(float)
    machine()
    print(f"\n{n_rounds:,} rounds x 10 arms, play")
    for learner in (Exp3, Exp3IX, TsallisInf, UCB1, KLUCB, ThompsonSampling):
        table = losses if learner is not ThompsonSampling else losses[: n_rounds // 50]
        seconds = best_of(lambda c=learner, t=table: c(n_arms=10).play(t), repeats=3)
        print(f"   {learner.__name__:<18} {seconds / len(table) * 1e9:9.0f} ns per round", end="")
        print(f"   {len(table) / seconds:12,.0f} rounds per second")
    few = losses[: n_rounds // 50]
    times = {
        "surelearn Exp3IX.play": best_of(lambda: Exp3IX(n_arms=10).play(few)),
        "surelearn Exp3IX, select and update": best_of(lambda: round_by_round(few), repeats=2),
        "plain NumPy loop, no certificate": best_of(lambda: plain_exp3_ix(few), repeats=2),
    }
    report(f"EXP3-IX, {len(few):,} rounds x 10 arms", times, ours="surelearn Exp3IX.play")


if __name__ == "__main__":
    main()
