"""A machine whose settings or features came from its own rows proves nothing by compression."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    StandardScaler,
)

from surelearn import SupportVectorClassifier, leave_one_out
from surelearn.kernels import Gaussian, Linear, Subsequence
from surelearn.learners.kernelized._fitted_around import fitted_around
from surelearn.persistence.model_files import load_model, save_model

KERNEL = Gaussian(gamma=0.5)
COMPRESSION, STABILITY = "compression.campi_garatti", "stability.svm"
MARGIN, COUNTING = "margin.pac_bayes_margin", "vc.linear"
AVERAGE = "compression.leave_one_out_support_vectors"


def draw(seed, n=120):
    """Return rows that no other test has fitted."""
    rng = np.random.default_rng([seed, n])
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return X, (X[:, 1] > np.sin(2.0 * X[:, 0])).astype(int)


def machine(**setting):
    return SupportVectorClassifier(**{"kernel": KERNEL, "penalize_intercept": True, **setting})


def stated(model, **asked):
    return {c.method: c for c in model.certificates(**asked)}


def reason(certificate):
    return " ".join(p.evidence for p in certificate.violated)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), MaxAbsScaler()])
def test_a_scaler_fitted_to_the_same_rows_voids_it(scaler):
    X, y = draw(0)
    found = stated(machine().fit(scaler.fit_transform(X), y))
    for method in (COMPRESSION, STABILITY, MARGIN, AVERAGE):
        assert found[method].status == "void", method
        assert "scaler fitted to them" in reason(found[method])
    elsewhere = type(scaler)().fit(draw(1)[0])
    assert stated(machine().fit(elsewhere.transform(X), y))[COMPRESSION].status == "valid"


def test_scaled_columns_leave_affine_rules_what_they_are():
    X, y = draw(2)
    model = machine(kernel=Linear()).fit(StandardScaler().fit_transform(X), y)
    found = stated(model, radius=5.0)
    assert found[COUNTING].status == "valid"
    assert found[COMPRESSION].status == "void"


def test_rows_normalised_one_by_one_are_as_good_as_any():
    X, y = draw(3)
    for scaled in (Normalizer().fit_transform(X), np.tanh(X), (X > 0.0).astype(float)):
        assert not stated(machine().fit(scaled, y))[COMPRESSION].violated


def test_a_stored_machine_still_knows_that_its_rows_were_scaled(tmp_path):
    X, y = draw(4)
    model = machine().fit(StandardScaler().fit_transform(X), y)
    save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    again = load_model(tmp_path / "model.surelearn").model
    assert stated(again)[COMPRESSION].to_json() == stated(model)[COMPRESSION].to_json()


def test_a_search_on_the_same_rows_voids_it_and_margins_do_not_mind_its_c():
    X, y = draw(5)
    search = GridSearchCV(machine(), {"C": [0.5, 1.0, 30.0]}, cv=3).fit(X, y)
    best = search.best_estimator_
    for asked, words in (
        ({}, "3 values of C from 0.5 to 30"),
        ({"within": search}, "a search chose among 3 settings"),
    ):
        found = stated(best, **asked)
        for method in (COMPRESSION, STABILITY, AVERAGE):
            assert found[method].status == "void"
            assert words in reason(found[method])
        assert not found[MARGIN].violated
    assert stated(machine().fit(*draw(6)))[COMPRESSION].status == "valid"


def test_a_search_for_gamma_voids_what_the_margins_say_too():
    X, y = draw(7)
    kernels = [Gaussian(gamma=0.3), Gaussian(gamma=0.9)]
    best = GridSearchCV(machine(), {"kernel": kernels}, cv=3).fit(X, y).best_estimator_
    found = stated(best)
    assert {found[method].status for method in (COMPRESSION, MARGIN, STABILITY)} == {"void"}
    assert "with 2 kernels" in reason(found[MARGIN])


def test_folds_by_hand_and_a_part_kept_for_choosing_are_searches():
    X, y = draw(8)
    for price in (1.0, 5.0):
        cross_val_score(machine(C=price), X, y, cv=3)
    assert "2 values of C from 1 to 5" in reason(stated(machine(C=5.0).fit(X, y))[COMPRESSION])
    X, y = draw(9)
    for price in (1.0, 5.0):
        machine(C=price).fit(X[:80], y[:80]).score(X[80:], y[80:])
    assert stated(machine(C=1.0).fit(X, y))[COMPRESSION].status == "void"


def test_a_setting_chosen_by_leaving_rows_out_voids_it():
    X, y = draw(10, n=60)
    for price in (1.0, 5.0):
        leave_one_out(machine(C=price), X, y)
    assert "2 values of C from 1 to 5" in reason(stated(machine(C=5.0).fit(X, y))[COMPRESSION])


def test_what_is_no_search_voids_nothing():
    X, y = draw(11)
    cross_val_score(machine(), X, y, cv=3)  # one setting: nothing was chosen
    machine(tol=1e-6).fit(X[:50], y[:50])  # the same minimum, sought with more patience
    assert stated(machine().fit(X, y))[COMPRESSION].status == "valid"
    for price in (2.0, 3.0):  # each is certified; which one is used afterwards cannot be known
        assert stated(machine(C=price).fit(X, y))[COMPRESSION].status == "valid"
    other = np.roll(y, 1)
    for price in (1.0, 5.0):  # other labels: another problem
        cross_val_score(machine(C=price), X, other, cv=3)
    assert stated(machine(C=1.0).fit(X, y))[COMPRESSION].status == "valid"


def test_draws_of_a_few_categories_do_not_pass_for_parts_of_each_other():
    rng = np.random.default_rng(12)
    for price in (1.0, 5.0):
        X = rng.integers(0, 2, size=(50, 4)).astype(float)
        machine(C=price).fit(X, X[:, 0])
    X = rng.integers(0, 2, size=(100, 4)).astype(float)
    assert not stated(machine().fit(X, X[:, 0]))[COMPRESSION].violated


def test_a_search_on_strings_voids_it():
    rng = np.random.default_rng(13)
    words = ["".join(rng.choice(list("abc"), 8)) for _ in range(60)]
    y = [int(word.count("a") > 2) for word in words]
    one = machine(kernel=Subsequence(order=2).normalised())
    search = GridSearchCV(one, {"C": [1.0, 5.0]}, cv=3).fit(words, y)
    assert "2 values of C from 1 to 5" in reason(stated(search.best_estimator_)[COMPRESSION])


def test_the_pipeline_around_it_says_what_was_fitted_to_the_rows():
    X, y = draw(14)
    whole = make_pipeline(PCA(2), machine()).fit(X, y)
    assert stated(whole[-1])[COMPRESSION].status == "valid"  # nothing shows in the rows
    found = stated(whole[-1], within=whole)
    assert "step 1 of the pipeline was fitted to the rows" in reason(found[COMPRESSION])
    assert found[MARGIN].status == "void"


@pytest.mark.parametrize(
    "step",
    [
        ColumnTransformer([("one", PCA(1), [0, 1])], remainder="passthrough"),
        FeatureUnion([("one", PCA(1)), ("two", FunctionTransformer(np.tanh))]),
        make_pipeline(Normalizer(), PCA(2)),
    ],
)
def test_it_is_found_wherever_it_stands(step):
    X, y = draw(15)
    whole = make_pipeline(step, machine()).fit(X, y)
    assert "step 1 of" in reason(stated(whole[-1], within=whole)[COMPRESSION])
    linear = make_pipeline(step, machine(kernel=Linear())).fit(X, y)
    assert stated(linear[-1], within=linear, radius=9.0)[COUNTING].status == "void"


def test_steps_that_learn_nothing_from_rows_and_scalers_fitted_elsewhere_are_harmless():
    X, y = draw(16)
    ready = FrozenEstimator(StandardScaler().fit(draw(17)[0]))
    whole = make_pipeline(Normalizer(), FunctionTransformer(np.tanh), ready, machine()).fit(X, y)
    assert stated(whole[-1], within=whole)[COMPRESSION].status == "valid"
    scaled = make_pipeline(StandardScaler(), machine(kernel=Linear())).fit(X, y)
    assert stated(scaled[-1], within=scaled, radius=9.0)[COUNTING].status == "valid"


def test_a_search_whose_fits_were_not_seen_is_told_of():
    X, y = draw(18)
    search = RandomizedSearchCV(
        make_pipeline(PCA(2), machine()),
        {"supportvectorclassifier__C": [1.0, 5.0, 7.0]},
        n_iter=2,
        cv=3,
        random_state=0,
    ).fit(X, y)
    best = search.best_estimator_[-1]
    found = stated(best, within=search)
    assert found[COMPRESSION].status == found[STABILITY].status == "void"
    only = GridSearchCV(machine(), {"tol": [1e-3, 1e-4]}, cv=3).fit(X, y)
    assert stated(only.best_estimator_, within=only)[COMPRESSION].status == "valid"


def test_a_search_in_other_processes_is_told_of(monkeypatch):
    X, y = draw(19)
    search = GridSearchCV(machine(), {"C": [0.5, 1.0, 30.0]}, cv=3).fit(X, y)
    best = machine(C=search.best_params_["C"])
    monkeypatch.setattr(
        "surelearn.learners.kernelized._tried_settings._fits", []
    )  # as if the folds had been fitted elsewhere
    search.best_estimator_ = best.fit(X, y)
    assert stated(best)[COMPRESSION].status == "valid"
    assert "a search chose among 3 settings" in reason(stated(best, within=search)[COMPRESSION])


def test_a_model_that_the_machine_is_no_part_of_is_refused():
    X, y = draw(20)
    whole = make_pipeline(PCA(2), machine()).fit(X, y)
    for other in (whole, machine().fit(X, y), "a pipeline", PCA(2)):
        with pytest.raises(ValueError, match="not what it ends with"):
            machine().fit(X, y).certificates(within=other)


def test_random_features_whose_gamma_comes_from_the_rows_void_it():
    X, y = draw(40)
    for gamma, status in (("scale", "void"), (0.5, "valid")):
        sampler = RBFSampler(gamma=gamma, n_components=20, random_state=0)
        pipeline = make_pipeline(sampler, machine(kernel=KERNEL)).fit(X, y)
        assert stated(pipeline[-1], within=pipeline)[MARGIN].status == status


def test_a_search_for_c_around_a_search_for_the_kernel_still_chose_the_kernel():
    X, y = draw(41, n=60)
    inner = GridSearchCV(machine(), {"kernel": [KERNEL, Gaussian(gamma=1.0)]}, cv=2)
    outer = GridSearchCV(inner, {"estimator__C": [0.5, 1.0]}, cv=2).fit(X, y)
    around = fitted_around(outer, outer.best_estimator_.best_estimator_)
    assert "2 settings" in around.settings
    assert "2 settings" in around.kernels


def test_a_search_that_chose_whether_there_is_an_intercept_chose_the_features():
    for seed, kernel in ((42, KERNEL), (44, Linear())):
        X, y = draw(seed)
        one = SupportVectorClassifier(kernel=kernel)
        search = GridSearchCV(one, {"fit_intercept": [True, False]}, cv=3).fit(X, y)
        for asked in ({}, {"within": search}):
            found = stated(search.best_estimator_, radius=9.0, **asked)
            assert found[MARGIN].status == "void"
            if kernel == Linear():  # all affine rules, whichever was chosen
                assert not found[COUNTING].violated
    again = GridSearchCV(machine(), {"penalize_intercept": [True, False]}, cv=3).fit(*draw(43))
    assert not stated(again.best_estimator_, within=again)[MARGIN].violated
