"""Certificates from rows outside the bags hold where the truth is known, and say when void."""

import copy
import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from surelearn import BaggingClassifier, RandomForestClassifier, bounds
from surelearn.base.fingerprint import check_certificate
from surelearn.base.seal import sealed
from surelearn.learners.ensembles import _members, _out_of_bag
from surelearn.persistence.model_files import ModelFileError, load_model, save_model


def world(n, seed, *, noise=0.1):
    """Draw rows whose label is a sign, flipped with a known probability."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] > 0.0) ^ (rng.random(n) < noise)


def risk(model, noise=0.1):
    """Return the true risk of a rule in that world, by many rows without noise."""
    X, y = world(4000, 10**6, noise=0.0)
    wrong = float(np.mean(model.predict(X) != y))
    return wrong * (1 - noise) + (1 - wrong) * noise


def coverage(repetitions, delta, **parameters):
    missed = 0
    for seed in range(repetitions):
        X, y = world(150, seed)
        model = RandomForestClassifier(7, random_state=seed, n_jobs=1, **parameters).fit(X, y)
        missed += risk(model) > model.certificates(delta=delta)[0].bound
    return missed


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_the_certificate_holds_where_the_truth_is_known(voting):
    missed, repetitions, delta = coverage(40, 0.2, voting=voting, max_samples=0.3), 40, 0.2
    assert stats.binomtest(missed, repetitions, delta, alternative="greater").pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("splitter", ["histogram", "exact"])
def test_the_certificate_holds_in_many_worlds(voting, splitter):
    missed = coverage(1000, 0.2, voting=voting, splitter=splitter, max_samples=0.3)
    assert stats.binomtest(missed, 1000, 0.2, alternative="greater").pvalue > 1e-3


def test_the_mean_risk_of_the_trees_is_covered_closely_enough_to_be_able_to_fail():
    # The bound on the mean risk of members is much closer to it than the one on the vote.
    gaps = []
    for seed in range(30):
        X, y = world(400, seed)
        model = RandomForestClassifier(7, random_state=seed, max_samples=0.3, n_jobs=1).fit(X, y)
        record = model.out_of_bag_
        bound = bounds.votes.out_of_bag(losses=record.losses, sizes=record.sizes, delta=0.2).bound
        truth = np.mean(
            [risk(RandomForestClassifierOfOne(model, tree)) for tree in range(model.trees_.n_trees)]
        )
        gaps.append(bound - truth)
    assert sum(gap < 0.0 for gap in gaps) <= 14  # a binomial of 30 at .2 exceeds it once in 10^4
    assert np.median(gaps) < 0.12


class RandomForestClassifierOfOne:
    """One tree of a forest."""

    def __init__(self, model, tree):
        self.model, self.tree = model, tree

    def predict(self, X):
        leaves = self.model.apply(X)[:, self.tree]
        return self.model.classes_[self.model.trees_.leaves[leaves].argmax(axis=1)]


def test_shuffled_labels_give_a_vacuous_bound_that_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    for model in (RandomForestClassifier(50), BaggingClassifier(n_estimators=10)):
        certificate = model.fit(X, y).certificates()[0]
        assert certificate.status == "vacuous"
        assert "vacuous" in str(certificate)
        assert model.score(X, y) > 0.95  # although it fits the training rows


def test_losses_and_sizes_are_those_of_rows_outside_the_bags():
    X, y = world(60, 0)
    model = RandomForestClassifier(6, voting="hard").fit(X, y)
    reached = model.apply(X)
    wrong = model.classes_[model.trees_.leaves.argmax(axis=1)][reached] != y[:, None]
    outside = np.ones((60, 6), dtype=bool)
    for tree in range(6):
        outside[_members.draw_bag(0, tree, 60, 60, bootstrap=True).rows, tree] = False
    record = model.out_of_bag_
    for i in range(6):
        np.testing.assert_allclose(record.losses[i], wrong[outside[:, i], i].mean())
        for j in range(6):
            both = outside[:, i] & outside[:, j]
            assert record.tandem_sizes[i, j] == both.sum()
            expected = (wrong[both, i] & wrong[both, j]).mean()
            np.testing.assert_allclose(record.tandem_losses[i, j], expected)


def test_the_vote_of_dependent_voters_is_not_that_of_a_crowd():
    X, y = world(300, 0)
    _, crowd = RandomForestClassifier(31).fit(X, y).certificates()
    assert crowd.status == "void"
    assert "correlation 0." in crowd.preconditions[0].evidence


def test_soft_voters_that_say_nearly_the_same_are_told_to_be_correlated():
    X, y = world(400, 0)
    model = RandomForestClassifier(9, max_depth=1, max_features=None).fit(X, y)
    losses = 1.0 - model.trees_.leaves[model.apply(X), y.astype(int)[:, np.newaxis]]
    expected = np.corrcoef(losses.T)[np.triu_indices(9, 1)].mean()
    assert model.correlation_of_losses_ == pytest.approx(expected, abs=0.05)
    assert expected > 0.9
    evidence = model.certificates()[1].preconditions[0].evidence
    assert "the losses of two members" in evidence
    assert "mean share of the right label" in evidence


def test_no_correlation_beyond_1_is_told_of_few_rows():
    X, y = world(20, 6, noise=0.2)
    model = RandomForestClassifier(9, max_depth=1, max_features=None, voting="hard")
    assert 0.9 < model.fit(np.sign(X[:, :1]), y).correlation_of_losses_ <= 1.0


def losses_outside_both_bags(model, X, y, n, voting):
    """Return, for each pair of trees, the losses of both on the rows outside both bags."""
    shares = model.trees_.leaves
    if voting == "hard":
        shares = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    losses = 1.0 - shares[model.apply(X), y.astype(int)[:, np.newaxis]]
    outside = np.ones((n, model.n_estimators), dtype=bool)
    for tree in range(model.n_estimators):
        outside[_members.draw_bag(0, tree, n, n, bootstrap=True).rows, tree] = False
    for i, j in itertools.combinations(range(model.n_estimators), 2):
        both = outside[:, i] & outside[:, j]
        yield losses[both][:, [i, j]]


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("n", [12, 40, 300])
def test_the_correlation_of_two_trees_is_that_on_the_rows_that_neither_has_seen(n, voting):
    """Means over other rows than the products told 0.20 where just these rows give 0.60."""
    X, y = world(n, 1, noise=0.2)
    model = RandomForestClassifier(9, max_depth=2, voting=voting).fit(X, y)
    pairs = list(losses_outside_both_bags(model, X, y, n, voting))
    differ = [pair for pair in pairs if len(pair) and pair.var(axis=0).min() > 1e-12]
    expected = np.mean([np.corrcoef(pair.T)[0, 1] for pair in differ])
    assert model.correlation_of_losses_ == pytest.approx(expected)
    told = f"correlation {expected:.2f} on average"
    crowd = [c for c in model.certificates() if c.method == "tails_of_sums.majority_vote_exact"]
    assert all(told in c.preconditions[0].evidence for c in crowd)


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
def test_a_model_of_before_has_its_fingerprint_and_tells_no_correlation(cls, tmp_path):
    X, y = world(60, 0)
    model = cls(n_estimators=5).fit(X, y)
    vote = model.certificates()[0]
    before = copy.deepcopy(model)
    del before.correlation_of_losses_
    save_model(sealed(before), tmp_path / "old.model", schema={}, metadata={})
    old = load_model(tmp_path / "old.model").model
    check_certificate(vote, old)
    assert "fit it again" in old.certificates()[1].preconditions[0].evidence
    check_certificate(old.certificates()[0], model)


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
@pytest.mark.parametrize("forged", [1.5, float("nan"), -1e300, "0.1"])
def test_a_file_that_tells_no_correlation_is_refused(cls, forged, tmp_path):
    X, y = world(60, 0)
    model = cls(n_estimators=5).fit(X, y)
    model.correlation_of_losses_ = forged
    save_model(model, tmp_path / "forged.model", schema={}, metadata={})
    with pytest.raises(ModelFileError, match="correlation"):
        load_model(tmp_path / "forged.model")


@pytest.mark.parametrize(
    ("parameters", "key"),
    [
        ({"class_weight": "balanced"}, "unseen"),
        ({"class_weight": {False: 0.0}}, "independent"),
        ({"warm_start": True}, "bags"),
    ],
)
def test_what_breaks_an_assumption_voids_the_certificate(parameters, key):
    X, y = world(100, 0)
    model = RandomForestClassifier(5, **parameters).fit(X, y)
    if "warm_start" in parameters:
        model.set_params(n_estimators=7).fit(X, y)
    certificate = model.certificates()[0]
    assert certificate.status == "void"
    assert [p.key for p in certificate.preconditions if p.status == "violated"] == [key]


def test_balance_within_bags_keeps_the_certificate():
    X, y = world(100, 0)
    model = RandomForestClassifier(5, class_weight="balanced_subsample").fit(X, y)
    assert model.certificates()[0].status != "void"


def test_pairs_without_a_common_row_leave_the_mean_risk_of_members():
    X, y = world(8, 0)
    [certificate] = RandomForestClassifier(30).fit(X, y).certificates() or [None]
    assert certificate is None or certificate.subject.startswith("a member")


def test_every_row_in_every_bag_certifies_nothing():
    X, y = world(50, 0)
    assert RandomForestClassifier(5, bootstrap=False).fit(X, y).certificates() == ()


def test_variance_of_a_mean_of_correlated_members():
    found = bounds.votes.average_variance(variance=1.0, correlation=0.3, n_members=10)
    assert abs(found.bound - 0.37) < 1e-9
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 10))
    members = np.sqrt(0.3) * common + np.sqrt(0.7) * own
    assert abs(members.mean(axis=1).var() - 0.37) < 0.02
    with pytest.raises(ValueError, match="correlation"):
        bounds.votes.average_variance(variance=1.0, correlation=-0.5, n_members=10)


def test_rows_that_test_are_few_enough_and_none_that_decided_about_bins():
    references = np.arange(0, 100_000, 5)
    rows = _out_of_bag.rows_for_tests(0, 100_000, references)
    assert len(rows) == _out_of_bag.MOST_TESTED
    assert not np.isin(rows, references).any()


def names_and_gaps(n, seed):
    """Return rows of which no two have the same name; a third have none, and that is the label."""
    rng = np.random.default_rng(seed)
    names = np.array([f"name {i}" for i in rng.integers(10**9, size=n)], dtype=object)
    y = (rng.random(n) < 1 / 3).astype(int)
    names[y == 1] = None
    return pd.DataFrame({"name": names, "noise": rng.normal(size=n)}), y


@pytest.mark.parametrize("splitter", ["histogram", "exact"])
def test_a_category_outside_the_bag_is_answered_like_one_outside_the_table(splitter):
    X, y = names_and_gaps(300, 0)
    model = RandomForestClassifier(20, splitter=splitter, max_features=None).fit(X, y)
    strange = X.assign(name=X["name"].where(X["name"].isna(), "unheard of"))
    known, unknown = model.apply(X), model.apply(strange)
    for tree in range(20):
        outside = np.ones(300, dtype=bool)
        outside[_members.draw_bag(0, tree, 300, 300, bootstrap=True).rows] = False
        np.testing.assert_array_equal(known[outside, tree], unknown[outside, tree])


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
@pytest.mark.parametrize("parameters", [{"max_samples": 5}, {"bootstrap": False, "max_samples": 5}])
def test_members_that_were_kept_are_not_tested_on_rows_of_their_bags(cls, parameters):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = cls(n_estimators=10, warm_start=True).fit(X, y)
    assert model.certificates()[0].status == "vacuous"
    with pytest.raises(ValueError, match="bags of 300 rows"):
        model.set_params(**parameters).fit(X, y)


def test_members_of_a_learner_that_is_no_longer_told_of_certify_nothing():
    X, y = world(100, 0)
    model = BaggingClassifier(GaussianNB(), 10).fit(X, y)
    with pytest.warns(UserWarning, match="adds no member"):
        model.set_params(estimator=None, warm_start=True).fit(X, y)
    assert model.certificates()[0].status == "void"


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
@pytest.mark.parametrize("seed", [3, None, "state", "generator"])
def test_who_chose_the_seed_and_the_settings_is_assumed(cls, seed):
    """Wherever it comes from: one may fit until the result pleases, or let a search choose."""
    made = {"state": np.random.RandomState(3), "generator": np.random.default_rng(3)}
    X, y = world(100, 0)
    model = cls(n_estimators=5, random_state=made.get(seed, seed)).fit(X, y)
    model.set_params(random_state=None)
    said = {p.key: p for p in model.certificates()[0].preconditions}
    assert said["bags"].status == said["unseen"].status == "assumed"
    assert f"the seed {model.seed_}," in said["bags"].evidence
    assert "settings" in said["unseen"].evidence


@pytest.mark.parametrize("cls", [BaggingClassifier, RandomForestClassifier])
def test_weights_of_bagged_rows_are_assumed_to_know_no_other_row(cls):
    """A forest was silent of rows of weight 0, which it leaves out."""
    X, y = world(100, 0)
    left_out = np.where(np.arange(100) < 90, 1.0, 0.0)
    for weights, told in ((None, False), (np.where(y, 2.0, 1.0), True), (left_out, True)):
        model = cls(n_estimators=5).fit(X, y, weights)
        said = {p.key: p.evidence for p in model.certificates()[0].preconditions}
        assert ("weights" in said["unseen"]) == told


def test_trees_that_never_err_have_no_correlation_of_errors_that_could_be_told():
    X, _ = world(40, 0)
    X, y = np.repeat(X, 8, axis=0), np.repeat(X[:, 0] > 0.0, 8)
    model = RandomForestClassifier(5).fit(X, y)
    assert not model.out_of_bag_.losses.any()
    assert model.correlation_of_losses_ is None
    evidence = model.certificates()[1].preconditions[0].evidence
    assert "no correlation of their errors can be measured" in evidence
