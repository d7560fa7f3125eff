"""PAC-Bayes, out-of-bag and vote bounds: values, worlds that meet or break their assumptions."""

import math

import numpy as np
import pytest
from scipy import special

from surelearn.bounds import inversions, votes
from surelearn.bounds._special import kl, log_xi, log_xi_all
from surelearn.evaluate.coverage import Coverage


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, 2.0), (2, 2.5), (10, 4.66021568), (100, 13.20996063), (1000, 40.30321293)],
)
def test_the_constant_of_pac_bayes_has_its_tabulated_values(n, expected):
    assert math.exp(log_xi(n)) == pytest.approx(expected, abs=6e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 50, 999, 1000, 1001, 20_000])
def test_the_poisson_form_of_the_constant_is_its_defining_sum_rounded_up(n):
    k = np.arange(n + 1.0)
    choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    terms = choose + special.xlogy(k, k / n) + special.xlogy(n - k, 1 - k / n)
    assert log_xi(n) == pytest.approx(special.logsumexp(terms), abs=1e-9)


def test_the_constant_lies_between_one_and_two_square_roots_of_n_however_large():
    n = np.unique(np.geomspace(1, 1e9, 200).round())
    xi = np.exp(log_xi_all(n))
    assert np.all(xi >= np.sqrt(n))
    assert np.all(xi <= 2.0 * np.sqrt(n) * (1 + 1e-10))
    assert np.all(np.diff(xi) > 0)


def test_pac_bayes_inverts_its_budget():
    bound = votes.pac_bayes_kl(gibbs_loss=0.1, divergence=5.0, n=1000, delta=0.05).bound
    budget = (5.0 + math.log(40.30321293 / 0.05)) / 1000
    assert bound == pytest.approx(inversions.kl_upper(0.1, budget), rel=1e-8)


def test_no_training_loss_gives_the_closed_form():
    bound = votes.pac_bayes_kl(gibbs_loss=0.0, divergence=2.0, n=100, delta=0.05).bound
    assert bound == pytest.approx(1.0 - math.exp(-(2.0 + math.log(13.20996063 / 0.05)) / 100))
    assert votes.pac_bayes_kl(gibbs_loss=1.0, divergence=2.0, n=100, delta=0.05).bound == 1.0


def test_the_best_trade_off_is_the_best_of_a_grid_and_never_beats_the_kl_form():
    for loss in (0.0, 0.02, 0.3, 1.0):
        inputs = {"gibbs_loss": loss, "divergence": 3.0, "n": 500, "delta": 0.05}
        best = votes.pac_bayes_lambda(**inputs).bound
        grid = [
            votes.pac_bayes_lambda(**inputs, trade_off=t).bound for t in np.arange(1, 200) / 100
        ]
        assert best == pytest.approx(min(grid), rel=1e-3)
        assert best <= min(grid) * (1 + 1e-9)
        assert best >= votes.pac_bayes_kl(**inputs).bound
    with pytest.raises(ValueError, match="trade_off"):
        votes.pac_bayes_lambda(**inputs, trade_off=2.0)


def best_of_a_class(rng, repetitions, size, n, theorem, divergence):
    """Return the coverage for the empirical best of `size` rules of risk 0.3 as the posterior."""
    loss = rng.binomial(n, 0.3, (repetitions, size)).min(axis=1) / n
    bounds = {
        q: theorem(gibbs_loss=q, divergence=divergence, n=n, delta=0.2).bound for q in set(loss)
    }
    values = np.array([bounds[q] for q in loss])
    return Coverage(np.full(repetitions, 0.3), values, 0.2)


@pytest.mark.parametrize("theorem", [votes.pac_bayes_kl, votes.pac_bayes_lambda])
def test_a_posterior_that_follows_the_data_misses_at_most_delta(theorem, repetitions):
    rng = np.random.default_rng(0)
    honest = best_of_a_class(rng, repetitions, 500, 40, theorem, math.log(500))
    assert not honest.refuted()


@pytest.mark.parametrize("theorem", [votes.pac_bayes_kl, votes.pac_bayes_lambda])
def test_a_prior_chosen_after_the_data_is_refuted(theorem):
    rng = np.random.default_rng(1)
    assert best_of_a_class(rng, 400, 20_000, 40, theorem, 0.0).refuted()


def test_losses_between_zero_and_one_are_covered(repetitions):
    rng = np.random.default_rng(2)
    losses = rng.beta(0.2, 0.8, (repetitions, 30)).mean(axis=1)
    bounds = [
        votes.pac_bayes_kl(gibbs_loss=q, divergence=0.0, n=30, delta=0.2).bound for q in losses
    ]
    assert not Coverage(np.full(repetitions, 0.2), np.array(bounds), 0.2).refuted()


# A world with known risks: y is 1 with probability 0.3 whatever x and a voter answers the more
# frequent label of its bag, so its risk is 0.3 or 0.7; voters err together iff they answer alike.


def bagged_world(rng, n=30, n_voters=8, bag=9):
    y = rng.random(n) < 0.3
    bags = rng.random((n_voters, n)).argsort(axis=1)[:, :bag]
    outside = np.ones((n_voters, n))
    np.put_along_axis(outside, bags, 0.0, axis=1)
    answers = y[bags].mean(axis=1) > 0.5
    wrong = answers[:, None] != y[None, :]
    sizes, pair_sizes = outside.sum(axis=1), outside @ outside.T
    losses = (wrong * outside).sum(axis=1) / sizes
    return {
        "inputs": {"losses": losses, "sizes": sizes},
        "tandem": {
            "losses": ((wrong * outside) @ (wrong * outside).T) / pair_sizes,
            "sizes": pair_sizes,
        },
        "risks": np.where(answers, 0.7, 0.3),
        "tandem_risk": np.mean(
            np.where(answers, 0.7, 0.3)[:, None] * np.equal.outer(answers, answers)
        ),
        "vote_risk": 0.7 if answers.mean() >= 0.5 else 0.3,
    }


def out_of_bag_vote(world, delta):
    tandem = {f"tandem_{key}": value for key, value in world["tandem"].items()}
    return votes.out_of_bag_vote(**world["inputs"], **tandem, delta=delta)


def test_out_of_bag_bounds_miss_at_most_delta(repetitions):
    rng = np.random.default_rng(3)
    truths, bounds = [], []
    for _ in range(repetitions):
        world = bagged_world(rng)
        favourite = np.eye(8)[np.argmin(world["inputs"]["losses"])]
        weighted = votes.out_of_bag_weighted(**world["inputs"], weights=favourite, delta=0.2)
        truths.append(
            (
                world["risks"].mean(),
                favourite @ world["risks"],
                world["tandem_risk"],
                world["vote_risk"],
            )
        )
        bounds.append(
            (
                votes.out_of_bag(**world["inputs"], delta=0.2).bound,
                weighted.bound,
                votes.out_of_bag_tandem(**world["tandem"], delta=0.2).bound,
                out_of_bag_vote(world, 0.2).bound,
            )
        )
    for truth, bound in zip(np.array(truths).T, np.array(bounds).T, strict=True):
        assert not Coverage(truth, bound, 0.2).refuted()


def test_voters_that_saw_the_examples_they_are_tested_on_break_every_bound():
    by_heart, sizes = np.zeros(5), np.full(5, 200)  # random labels, all learnt: the risk is 1/2
    pairs = {"losses": np.zeros((5, 5)), "sizes": np.full((5, 5), 200)}
    assert not votes.out_of_bag(losses=by_heart, sizes=sizes, delta=0.05).allows(0.5)
    weights = np.full(5, 0.2)
    weighted = votes.out_of_bag_weighted(losses=by_heart, sizes=sizes, weights=weights, delta=0.05)
    assert not weighted.allows(0.5)
    assert not votes.out_of_bag_tandem(**pairs, delta=0.05).allows(0.25)
    world = {"inputs": {"losses": by_heart, "sizes": sizes}, "tandem": pairs}
    assert not out_of_bag_vote(world, 0.05).allows(0.5)
    folds = votes.cross_validation_mean_risk(fold_losses=by_heart, fold_sizes=sizes, delta=0.05)
    assert not folds.allows(0.5)


def test_equal_weights_are_free_and_others_pay_their_divergence():
    inputs = {"losses": [0.1, 0.2, 0.3], "sizes": [50, 80, 200], "delta": 0.05}
    equal = votes.out_of_bag_weighted(**inputs, weights=[1 / 3] * 3).bound
    assert equal == pytest.approx(votes.out_of_bag(**inputs).bound, rel=1e-12)
    # All the weight on the last voter costs ln(1/prior) and has its 200 examples.
    prior = (1 / 200) / (1 / 50 + 1 / 80 + 1 / 200)
    xi = np.exp(log_xi_all(np.array([50.0, 80.0, 200.0])))
    priors = np.array([1 / 50, 1 / 80, 1 / 200]) / (1 / 50 + 1 / 80 + 1 / 200)
    budget = (-math.log(prior) + math.log(priors @ xi / 0.05)) / 200
    last = votes.out_of_bag_weighted(**inputs, weights=[0, 0, 1]).bound
    assert last == pytest.approx(inversions.kl_upper(0.3, budget), rel=1e-9)
    impossible = votes.out_of_bag_weighted(**inputs, weights=[0, 0, 1], prior=[0.5, 0.5, 0])
    assert impossible.bound == 1.0


def test_the_harmonic_mean_of_the_sizes_is_better_than_the_smallest():
    losses, sizes = np.full(60, 0.1), np.linspace(55, 110, 60).round()
    harmonic = votes.out_of_bag(losses=losses, sizes=sizes, delta=0.05).bound
    smallest = votes.out_of_bag(losses=losses, sizes=np.full(60, 55), delta=0.05).bound
    assert harmonic < smallest - 0.02


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"sizes": [50, 0]}, "sizes"),
        ({"sizes": [50, 20.5]}, "sizes"),
        ({"sizes": [50]}, "sizes"),
        ({"losses": [0.1, 1.2]}, "losses"),
        ({"weights": [0.5, 0.6]}, "weights"),
        ({"weights": [1.5, -0.5]}, "weights"),
        ({"prior": [1.0]}, "prior"),
    ],
)
def test_what_is_not_a_tested_vote_is_refused(changed, name):
    inputs = {"losses": [0.1, 0.2], "sizes": [50, 80], "weights": [0.5, 0.5], "delta": 0.05}
    with pytest.raises(ValueError, match=name):
        votes.out_of_bag_weighted(**{**inputs, **changed})


def test_pairs_are_a_square_matrix_with_a_row_for_each_voter():
    with pytest.raises(ValueError, match="square"):
        votes.out_of_bag_tandem(losses=[[0.1, 0.2]], sizes=[[5, 5]], delta=0.05)
    with pytest.raises(ValueError, match="each voter"):
        votes.out_of_bag_vote(
            losses=[0.1],
            sizes=[9],
            tandem_losses=np.eye(2),
            tandem_sizes=np.full((2, 2), 9),
            delta=0.1,
        )


def test_cross_validation_misses_at_most_delta_about_its_fold_models(repetitions):
    rng = np.random.default_rng(4)
    truths, bounds = [], []
    for _ in range(repetitions):
        folds = rng.random((5, 8)) < 0.4
        answers = np.array([np.delete(folds, i, axis=0).mean() > 0.5 for i in range(5)])
        losses = (folds != answers[:, None]).mean(axis=1)
        truths.append(np.where(answers, 0.6, 0.4).mean())
        bounds.append(
            votes.cross_validation_mean_risk(
                fold_losses=losses, fold_sizes=[8] * 5, delta=0.2
            ).bound
        )
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()


def test_cross_validation_says_nothing_about_the_refitted_model():
    # A learner that answers rightly unless it is given exactly 1000 examples.
    fold_models = votes.cross_validation_mean_risk(
        fold_losses=[0.0] * 5, fold_sizes=[200] * 5, delta=0.05
    )
    assert fold_models.bound < 0.05
    assert not fold_models.allows(1.0)


def plurality_risk(votes_cast, labels, weights, law):
    """Return the risk of a weighted plurality vote that loses every tie."""
    n_labels = max(votes_cast.max(), labels.max()) + 1
    mass = np.array([weights @ (votes_cast == label) for label in range(n_labels)])
    right = mass[labels, np.arange(len(labels))]
    mass[labels, np.arange(len(labels))] = -1.0
    return law @ (mass.max(axis=0) >= right - 1e-12)


def test_no_multi_class_vote_exceeds_its_bounds_even_if_it_loses_every_tie():
    rng = np.random.default_rng(5)
    for _ in range(500):
        n_voters, n_labels, n_points = rng.integers([1, 2, 1], [7, 5, 12])
        cast = rng.integers(0, n_labels, (n_voters, n_points))
        labels = rng.integers(0, n_labels, n_points)
        cast = np.where(rng.random(cast.shape) < rng.random(), labels, cast)
        weights, law = rng.dirichlet(np.ones(n_voters)), rng.dirichlet(np.ones(n_points))
        mass = weights @ (cast != labels)
        gibbs, tandem = law @ mass, min(1.0, law @ mass**2 * (1 + 1e-12))
        risk = plurality_risk(cast, labels, weights, law)
        low, high = max(0.0, gibbs - 1e-12), min(1.0, gibbs + 1e-12)
        assert votes.vote_first_order(gibbs_risk=high).allows(risk - 1e-12)
        assert votes.vote_tandem(tandem_risk=tandem).allows(risk - 1e-12)
        box = votes.vote_cantelli(gibbs_lower=low, gibbs_upper=high, tandem_upper=tandem)
        assert box.allows(risk - 1e-9)


@pytest.mark.parametrize("tied", [0.05, 0.2, 0.45])
def test_all_three_are_attained(tied):
    # Half the voters err on a fraction `tied` of the points and none elsewhere: ties are lost.
    gibbs, tandem = tied / 2, tied / 4
    assert votes.vote_first_order(gibbs_risk=gibbs).bound == pytest.approx(tied)
    assert votes.vote_tandem(tandem_risk=tandem).bound == pytest.approx(tied)
    # If a fifth of the voters err elsewhere, only Cantelli's inequality is still exact.
    gibbs, tandem = tied / 2 + (1 - tied) / 5, tied / 4 + (1 - tied) / 25
    exact = votes.vote_cantelli(gibbs_lower=gibbs, gibbs_upper=gibbs, tandem_upper=tandem)
    assert exact.bound == pytest.approx(tied)


def test_the_box_is_maximised():
    rng = np.random.default_rng(6)
    for _ in range(300):
        low, high = np.sort(rng.random(2) * rng.random())
        tandem = rng.random() ** 2
        bound = votes.vote_cantelli(gibbs_lower=low, gibbs_upper=high, tandem_upper=tandem).bound
        g, t = np.meshgrid(np.linspace(low, high, 60), np.linspace(0, tandem, 60))
        feasible = (g * g <= t) & (t <= g)
        variance = t - g * g
        with np.errstate(invalid="ignore", divide="ignore"):
            cantelli = np.where(g < 0.5, variance / (variance + (0.5 - g) ** 2), 1.0)
        best = np.minimum(np.minimum(cantelli, 2 * g), 4 * t)[feasible]
        assert bound >= best.max(initial=0.0) - 1e-12


def test_contradictory_limits_fall_back_on_the_simple_bounds():
    box = votes.vote_cantelli(gibbs_lower=0.3, gibbs_upper=0.35, tandem_upper=0.04)
    assert box.bound == 0.16
    vacuous = votes.vote_cantelli(gibbs_lower=0.1, gibbs_upper=0.6, tandem_upper=0.3)
    assert vacuous.vacuous
    with pytest.raises(ValueError, match="gibbs_lower"):
        votes.vote_cantelli(gibbs_lower=0.4, gibbs_upper=0.3, tandem_upper=0.2)
    assert votes.vote_cantelli(gibbs_lower=0.0, gibbs_upper=0.0, tandem_upper=0.0).bound == 0.0


def test_a_vote_with_other_weights_than_those_bounded_is_not_covered():
    # Voter 1 is always right, voters 2 and 3 always wrong; the limits were found for voter 1 alone.
    alone = {"gibbs_lower": 0.0, "gibbs_upper": 0.1, "tandem_upper": 0.01}
    assert not votes.vote_first_order(gibbs_risk=0.1).allows(1.0)
    assert not votes.vote_tandem(tandem_risk=0.01).allows(1.0)
    assert not votes.vote_cantelli(**alone).allows(1.0)


def test_the_vote_splits_its_delta_in_two_halves():
    world = bagged_world(np.random.default_rng(7), n=4000, bag=900)
    first = votes.out_of_bag(**world["inputs"], delta=0.025).bound
    tandem = votes.out_of_bag_tandem(**world["tandem"], delta=0.025).bound
    assert out_of_bag_vote(world, 0.05).bound <= min(2 * first, 4 * tandem)
    whole = votes.out_of_bag(**world["inputs"], delta=0.05).bound
    assert first > whole


@pytest.mark.parametrize(
    ("q", "p"), [(0.24928223248909526, 1.0 - 2.0**-53), (0.5, 5e-324), (5e-324, 0.5), (0.0, 0.5)]
)
def test_the_relative_entropy_is_finite_and_right_at_the_edge_of_the_floats(q, p):
    expected = special.rel_entr(q, p) + special.rel_entr(1.0 - q, 1.0 - p)
    assert kl(q, p) == pytest.approx(expected, rel=1e-9)
