"""Structural risk: the smallest bound wins, whatever was decided on the rows is paid for."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn import check_certificate
from surelearn.app.certify import certify_table, pose
from surelearn.app.choosing.rule_classes import Rules, find_rules, reading_bits
from surelearn.app.choosing.structural import choose_by_structural_risk
from surelearn.app.errors import TableError
from surelearn.app.problem.cells import Kind
from surelearn.app.tables.read import TableFile
from surelearn.bounds import vc
from surelearn.evaluate.rule_class import RuleClass
from surelearn.learners.trees._cut_back_tree import CutBackTree
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier


def table_of(**columns):
    return TableFile.of_table(pa.table(columns))


def noisy(n=500, seed=0, **more):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.where(x + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return table_of(x=x, noise=rng.normal(size=n), y=y, **more)


def posed(file, **options):
    return pose(file, target="y", **{"holdout": 0.2, "seed": 0, **options})


def chosen(problem, *names, delta=0.05):
    return choose_by_structural_risk(
        problem, find_rules(problem, delta=delta, names=names), delta=delta
    )


class TestTheChoice:
    def test_the_smallest_bound_wins_and_is_a_certificate_of_the_model(self):
        choice = chosen(posed(noisy()))
        bounds = [line.numbers[2] for line in choice.lines[:-1]]
        assert bounds == sorted(bounds)
        assert [line.chosen for line in choice.lines] == [True] + [False] * (len(bounds))
        certificate = choice.bound
        assert certificate.bound == bounds[0]
        assert certificate.delta == 0.05
        assert certificate.status == "valid"
        certificate.verify()
        check_certificate(certificate, choice.model)
        for error, price, bound in (line.numbers for line in choice.lines[:-1]):
            assert error + price == pytest.approx(bound)
        assert "the choice among all rules included" in certificate.claim
        assert f"at most {math.ceil(certificate.bound * 1e4) / 100:.2f}%" in choice.beforehand
        assert "both bounds hold together with confidence 90%" in choice.beforehand

    def test_only_the_draw_of_the_rows_and_the_labels_are_assumed(self):
        for name in ("CARTClassifier", "C45Classifier", "LogisticRegression", "MixedNaiveBayes"):
            found = chosen(posed(noisy()), name).bound.preconditions
            assert [p.status for p in found[:2]] == ["assumed", "assumed"]
            assert "paid for with" in found[1].evidence
            assert "the labels were read off these rows" in found[1].evidence
            assert {p.status for p in found[2:]} <= {"by-construction", "checked"}
            assert found[-1].evidence == "four classes, a quarter of delta each, whatever the table"

    def test_rows_without_a_target_are_not_meant(self):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=300), rng.choice(["yes", "no"], 300).astype(object)
        y[:40] = None
        claims = [chosen(posed(table_of(x=x, y=y))).bound.claim, chosen(posed(noisy())).bound.claim]
        assert ["Rows whose target is missing are not meant." in c for c in claims] == [True, False]

    def test_the_model_of_the_bound_is_the_one_that_is_deployed(self):
        run = certify_table(noisy(), target="y", select="structural-risk")
        assert run.model is run.choice.model
        assert run.choice.bound.reproduce["model"] == run.certificate.reproduce["model"]
        assert run.options["select"] == "structural-risk"

    def test_who_looks_on_hears_of_every_learner(self):
        heard = []
        problem = posed(noisy())
        rules = find_rules(problem, delta=0.05, names=["AveragedPerceptron", "MixedNaiveBayes"])
        choose_by_structural_risk(
            problem, rules, delta=0.05, on_trial=lambda trial, *place: heard.append((trial, place))
        )
        assert [place for _, place in heard] == [(1, 2), (2, 2)]
        assert all(0.0 < trial.score < 1.0 for trial, _ in heard)

    def test_a_learner_that_fails_is_told_and_the_others_go_on(self):
        class Failing(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):  # noqa: ARG002
                raise ValueError("no\nand more")

            def predict(self, X):
                return X

        problem = posed(noisy())
        good = find_rules(problem, delta=0.05, names=["MixedNaiveBayes"])
        bad = {"bad": Rules(RuleClass(model=Failing(), vc_dimension=3), 0.25)}
        choice = choose_by_structural_risk(problem, {**bad, **good}, delta=0.05)
        assert choice.name == "MixedNaiveBayes"
        assert choice.lines[1].note == "the model could not be fitted to all rows: no"
        with pytest.raises(TableError, match=r"no rule is bounded .*: no\): --select nested"):
            choose_by_structural_risk(problem, bad, delta=0.05)

    def test_noise_is_worth_no_rule_and_that_is_told(self):
        rng = np.random.default_rng(0)
        file = table_of(x=rng.normal(size=300), y=["yes"] * 180 + ["no"] * 120)
        run = certify_table(file, target="y", select="structural-risk")
        assert run.model.n_leaves_ == 1
        told = "no rule that its training rows can pay for beats"
        assert any(warning.startswith(told) for warning in run.warnings)


class TestWhatIsPaidFor:
    @pytest.mark.parametrize("n", [1, 2, 4])
    def test_the_weights_of_all_readings_of_a_table_sum_to_one(self, n):
        names = [f"x{i}" for i in range(n)]

        def weight(kinds):
            features = [
                {"name": name, "kind": kind, "categories": []}
                for name, kind in zip(names, kinds, strict=True)
                if kind != "left out"
            ]
            schema = {"columns": [*names, "y"], "features": features}
            return 2.0 ** -reading_bits(SimpleNamespace(schema=schema, target="y"))

        kinds = (*get_args(Kind), "left out")
        weights = [weight(reading) for reading in product(kinds, repeat=n)]
        assert math.fsum(weights) == pytest.approx(1.0)
        counts = Counter(round(w, 12) for w in weights)
        assert n == 1 or len(counts) > 1  # columns of one kind are cheaper than a mixture

    def test_affine_rules_pay_for_features_readings_and_marks_of_missing_cells(self):
        x = np.random.default_rng(0).normal(size=500)
        holes = [None if i % 50 == 0 else float(v) for i, v in enumerate(x)]
        colour = np.array(["red", "blue", "green"])[np.arange(500) % 3]
        file = table_of(x=holes, z=x[::-1].copy(), colour=colour, y=np.where(x > 0, "yes", "no"))
        problem = posed(file)
        choice = chosen(problem, "AveragedPerceptron")
        inputs = choice.bound.reproduce["inputs"]
        assert inputs["dimension"] == 2 + 1 + 3  # two numbers, a mark, three colours
        marks = 3 * 2  # none, one or both of two columns; which one
        share = 0.05 / 4 * 2.0 ** -reading_bits(problem) / marks
        assert inputs["delta"] == pytest.approx(share)
        expected = vc.linear(errors=inputs["errors"], n=400, dimension=6, delta=share)
        assert choice.bound.bound == pytest.approx(expected.bound)
        assert "and the categories of 1 columns" in choice.bound.preconditions[1].evidence

    def test_more_than_two_classes_are_told_apart_by_the_largest_score(self):
        x = np.random.default_rng(0).normal(size=600)
        words = np.array(["low", "middle", "high"])[np.digitize(x, [-0.5, 0.5])]
        choice = chosen(posed(table_of(x=x, y=words)), "LogisticRegression")
        assert choice.bound.method == "vc.linear_multiclass"
        assert choice.bound.reproduce["inputs"]["n_classes"] == 3

    def test_categories_seen_once_void_a_bound_and_another_class_is_taken(self):
        word = np.where(np.arange(500) == 7, "once", np.array(["a", "b"])[np.arange(500) % 2])
        problem = posed(noisy(word=word), seed=1)
        assert "once" in problem.training[0].column("word").to_pylist()
        choice = chosen(problem)
        affine = next(line for line in choice.lines if line.name.startswith("LogisticRegression"))
        assert "categories that a single training row has" in affine.note
        assert math.isnan(affine.numbers[2])
        assert choice.name.endswith("(cut back)")  # a tree that does not ask about the words
        with pytest.raises(TableError, match=r"column 'word' has categories .* --select nested"):
            chosen(problem, "LogisticRegression")

    def test_a_category_that_only_the_other_training_rows_have_is_refused(self):
        colours = np.array(["red", "green"])[np.arange(500) % 2]
        colours[[1, 2, 3]] = "blue"
        problem = posed(noisy(colour=colours))
        rare = np.isin(problem.split.train, [1, 2, 3])
        assert rare.any()
        sample = replace(problem.split, train=problem.split.train[~rare])
        with pytest.raises(TableError, match=r"has categories that none of the 39. rows has"):
            find_rules(replace(problem, split=sample), delta=0.05)

    def test_more_columns_than_delta_can_pay_for_are_refused(self):
        rng = np.random.default_rng(0)
        some = {f"flag {i}": rng.random(50) < 0.5 for i in range(600)}
        more = {f"size {i}": rng.normal(size=50) for i in range(600)}
        with pytest.raises(TableError, match=r"takes 1,2.. bits, more than"):
            find_rules(posed(noisy(n=50, **some, **more)), delta=0.05)


@pytest.mark.parametrize("learner", [CARTClassifier(min_samples_leaf=3), C45Classifier()])
def test_a_tree_that_is_cut_back_has_the_smallest_bound_of_its_subtrees(learner):
    X, y = posed(noisy()).training
    tree = CutBackTree(learner, delta=0.01).fit(X, y)
    grown = learner.fit(X, y)
    bounds = [
        candidate.certificates(delta=0.01)[0].bound
        for candidate in (grown, grown.snap(X, y), grown.prune_structural_risk(delta=0.01))
    ]
    assert tree.certificates(delta=0.01)[0].bound <= min(bounds) < bounds[0]
    cuts = tree.tree_.tree_.threshold[~np.isnan(tree.tree_.tree_.threshold)]
    assert set(cuts) <= {*X.column("x").to_pylist(), *X.column("noise").to_pylist()}
    assert list(tree.classes_) == ["no", "yes"]
    assert np.array_equal(tree.predict(X), tree.tree_.predict(X))


@pytest.mark.parametrize(
    ("options", "names", "sentence"),
    [
        ({"task": "regression", "target": "x"}, [], "bounds error rates, and 'x' is a number"),
        ({"group": "who"}, [], "independent draws, and --group says that they are not"),
        ({"time": "who"}, [], "independent draws, and --time says that they are not"),
        ({}, ["NearestNeighborsClassifier"], "no theorem bounds NearestNeighborsClassifier"),
        ({}, ["Oracle"], "no learner 'Oracle'"),
    ],
)
def test_where_there_is_no_bound_it_is_refused_in_one_sentence(options, names, sentence):
    file = noisy(who=np.arange(500) // 2)
    how = {"target": "y", "holdout": 0.3, **options}
    with pytest.raises(TableError, match=sentence):
        certify_table(file, select="structural-risk", learners=names, **how)
