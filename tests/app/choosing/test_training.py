"""Training on very many rows: on a sample, or block by block, and never on a row held out."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline

from surelearn.app.choosing import training
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import understand
from surelearn.app.problem.split import split
from surelearn.app.tables.read import TableFile
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
from surelearn.learners.encoders.table_encoder import TableEncoder
from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
from surelearn.learners.linear.ridge_regression import RidgeRegression
from surelearn.learners.trees.cart_classifier import CARTClassifier

N = 2000


@pytest.fixture
def small_limits(monkeypatch):
    """Take little for much."""
    monkeypatch.setattr(training, "MOST_CELLS", 1000)
    monkeypatch.setattr(training, "_MOST_NUMBERS", 3000)
    monkeypatch.setattr(training, "FEWEST_ROWS", 100)
    monkeypatch.setattr(training, "_CHUNK", 1000)


def mixed(seed=0, **more):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, N))
    columns = {
        "x": pa.array(x, mask=rng.random(N) < 0.1),
        "z": 5.0 + z,
        "colour": pa.array(rng.choice(["red", "green", "blue"], N), mask=rng.random(N) < 0.1),
        # The first block of rows knows nothing of these columns.
        "late": [None] * 1500 + rng.choice(["u", "v"], N - 1500).tolist(),
        "later": [None] * 1600 + rng.normal(size=N - 1600).tolist(),
        "y": np.where(x + z + 0.3 * rng.normal(size=N) > 0, "yes", "no"),
        **more,
    }
    return TableFile.of_table(pa.table(columns))


def problem_of(file, **options):
    cut = partial(split, holdout=0.25, seed=3)
    return understand(file, target="y", cut=cut, **options)


def encoded(learner):
    return Pipeline([("encode", TableEncoder()), ("learn", learner)])


def predicted(model, problem):
    return model.predict(problem.X.take(problem.split.holdout))


def test_a_table_of_usual_size_is_compared_and_trained_on_as_it_is():
    problem = problem_of(mixed())
    assert training.to_compare_on(problem) is problem
    assert training.training_notes(problem, CARTClassifier()) == ()
    whole = CARTClassifier(max_leaf_nodes=8).fit(*problem.training)
    model = training.train(CARTClassifier(max_leaf_nodes=8), problem)
    assert model.to_text() == whole.to_text()


@pytest.mark.usefixtures("small_limits")
class TestTheSample:
    def test_it_has_the_stated_size_no_hold_out_and_rows_of_the_training_part(self):
        problem = problem_of(mixed(), keep=("z",))
        shown = training.to_compare_on(problem)
        assert shown.X.num_rows == len(shown.y) == len(shown.split.train) == 200  # 1000 / 5
        assert len(shown.split.holdout) == 0
        trained = set(problem.X.column("z").take(problem.split.train).to_pylist())
        assert set(shown.X.column("z").to_pylist()) <= trained
        labels = dict(zip(problem.X.column("z").to_pylist(), problem.y, strict=True))
        assert [labels[z] for z in shown.X.column("z").to_pylist()] == shown.y.tolist()

    def test_many_categories_make_it_smaller_but_not_too_small(self, monkeypatch):
        words = np.array([f"w{i % 40}" for i in range(N)])
        problem = problem_of(mixed(word=words))
        assert len(training.to_compare_on(problem).y) == 100
        monkeypatch.setattr(training, "FEWEST_ROWS", 10)
        assert len(training.to_compare_on(problem).y) == 3000 // (40 + 3 + 2 + 3)  # not 1000 / 6

    def test_it_is_drawn_by_the_seed_whatever_the_rows_hold(self):
        first, other = (training.to_compare_on(problem_of(mixed(seed))) for seed in (0, 1))
        place = {z: i for i, z in enumerate(mixed(0).table.column("z").to_pylist())}
        twin = {z: i for i, z in enumerate(mixed(1).table.column("z").to_pylist())}
        assert [place[z] for z in first.X.column("z").to_pylist()] == [
            twin[z] for z in other.X.column("z").to_pylist()
        ]
        moved = replace(problem_of(mixed()).split, seed=4)
        another = training.to_compare_on(replace(problem_of(mixed()), split=moved))
        assert another.X.column("z").to_pylist() != first.X.column("z").to_pylist()

    def test_groups_and_times_go_along(self):
        rng = np.random.default_rng(0)
        who, day = rng.integers(0, 50, N), rng.permutation(N)
        by_group = training.to_compare_on(problem_of(mixed(who=who), group="who"))
        assert len(by_group.groups) == len(by_group.y)
        by_time = training.to_compare_on(problem_of(mixed(day=day), time="day"))
        in_order = by_time.times[by_time.training_rows]
        assert (np.diff(in_order) > 0).all()

    def test_it_is_said_and_so_is_what_the_winner_learnt_from(self):
        problem = problem_of(mixed())
        blockwise = "\n".join(map(str, training.training_notes(problem, MixedNaiveBayes())))
        assert "compared on 200 of the 1,500 training rows, drawn by the seed" in blockwise
        assert "7,500 cells, more than 1,000" in blockwise
        assert "fitted to all 1,500 training rows" in blockwise
        sampled = "\n".join(map(str, training.training_notes(problem, CARTClassifier())))
        assert "fitted to the same 200 rows (it cannot learn block by block)" in sampled


@pytest.mark.usefixtures("small_limits")
class TestBlocks:
    def test_naive_bayes_learns_from_blocks_what_it_learns_from_all_rows(self):
        problem = problem_of(mixed())
        model = training.train(MixedNaiveBayes(), problem)
        whole = MixedNaiveBayes().fit(*problem.training)
        assert model.n_training_rows_ == len(problem.split.train)
        assert_allclose(model.theta_, whole.theta_)
        for mine, theirs in zip(model.feature_log_prob_, whole.feature_log_prob_, strict=True):
            if theirs is not None:
                assert_allclose(mine, theirs)
        assert predicted(model, problem).tolist() == predicted(whole, problem).tolist()

    def test_ridge_regression_behind_an_encoder_does_too(self):
        rng = np.random.default_rng(0)
        problem = problem_of(mixed(y=rng.normal(size=N)))
        model = training.train(encoded(RidgeRegression(alpha=2.0)), problem)
        whole = clone(model).fit(*problem.training)
        assert_allclose(model[-1].coef_, whole[-1].coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(predicted(model, problem), predicted(whole, problem), rtol=1e-9)

    def test_an_online_learner_goes_once_through_all_rows(self):
        problem = problem_of(mixed())
        model = training.train(encoded(AveragedPerceptron()), problem)
        assert model[-1].n_rounds_ == len(problem.split.train)
        assert np.mean(predicted(model, problem) != problem.y[problem.split.holdout]) < 0.15

    def test_classes_that_the_first_block_lacks_are_known(self):
        y = np.where(np.arange(N) < 1700, "first", "second")
        model = training.train(encoded(AveragedPerceptron()), problem_of(mixed(y=y)))
        assert model.classes_.tolist() == ["first", "second"]

    def test_who_cannot_learn_in_blocks_learns_from_the_sample(self):
        problem = problem_of(mixed())
        model = training.train(CARTClassifier(max_leaf_nodes=4), problem)
        twin = CARTClassifier(max_leaf_nodes=4).fit(*training.to_compare_on(problem).training)
        assert model.to_text() == twin.to_text()

    def test_rows_in_the_order_of_time_are_learnt_in_that_order(self):
        seen = []

        class Watching(ClassifierMixin, BaseEstimator):
            def partial_fit(self, X, y, classes):  # noqa: ARG002
                seen.extend(X.column("z").to_pylist())

        day = np.random.default_rng(0).permutation(N)
        problem = problem_of(mixed(day=day), time="day", drop=("late", "later"))
        training.train(Watching(), problem)
        z = problem.X.column("z").to_numpy()
        assert seen == z[problem.training_rows].tolist()

    def test_what_only_the_sample_could_teach_is_refused_in_a_sentence(self):
        problem = problem_of(mixed(word=[f"w{i % 60}" for i in range(N)]))
        with pytest.raises(TableError, match=r"MixedNaiveBayes was chosen and cannot .*--learner"):
            training.train(MixedNaiveBayes(most_categories=50), problem)

    def test_no_row_held_out_is_seen(self):
        seen = []

        class Watching(ClassifierMixin, BaseEstimator):
            def partial_fit(self, X, y, classes):  # noqa: ARG002
                seen.extend(X.column("z").to_pylist())

        problem = problem_of(mixed())
        training.train(Watching(), problem)
        z = problem.X.column("z").to_numpy()
        assert sorted(seen) == sorted(z[problem.split.train].tolist())


class TestTheEncoderInBlocks:
    def test_blocks_teach_what_all_rows_do(self):
        X, _ = problem_of(mixed()).training
        whole, parts = TableEncoder().fit(X), TableEncoder()
        rows = np.r_[X.num_rows - 1, 0 : X.num_rows - 1]  # so that each column is known at once
        X = X.take(rows)
        for start in range(0, X.num_rows, 170):
            parts.partial_fit(X.slice(start, 170))
        assert_allclose(parts.transform(X), whole.transform(X), rtol=1e-9, atol=1e-12)
        assert list(parts.get_feature_names_out()) == list(whole.get_feature_names_out())
        assert "colour = blue" in parts.get_feature_names_out()

    def test_a_block_that_is_refused_leaves_it_as_it_was(self):
        encoder = TableEncoder().partial_fit(pa.table({"a": [1.0, 2.0], "b": ["u", "v"]}))
        before = encoder.transform(pa.table({"a": [5.0], "b": ["v"]})).tolist()
        with pytest.raises(ValueError, match="held numbers in training"):
            encoder.partial_fit(pa.table({"a": ["x"], "b": ["w"]}))
        assert encoder.transform(pa.table({"a": [5.0], "b": ["v"]})).tolist() == before

    def test_rows_far_from_zero_lose_no_digits(self):
        a = 1e9 + np.random.default_rng(0).normal(size=400)
        whole, parts = TableEncoder().fit(pa.table({"a": a})), TableEncoder()
        for start in range(0, 400, 7):
            parts.partial_fit(pa.table({"a": a[start : start + 7]}))
        assert_allclose(parts.scales_, whole.scales_, rtol=1e-9)
        assert parts.scales_[0] == pytest.approx(a.std(), rel=1e-6)

    def test_what_was_fitted_at_once_has_no_record_to_add_to(self):
        table = pa.table({"a": [1.0, 2.0]})
        with pytest.raises(ValueError, match="kept no summary"):
            TableEncoder().fit(table).partial_fit(table)
        with pytest.raises(ValueError, match="no weights"):
            TableEncoder().fit(table, None, [1.0, 2.0])
