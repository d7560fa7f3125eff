"""Learners fit a table in parts: the same model to the last bit wherever the parts are read."""

import dask.dataframe as dd
import numpy as np
import pytest

from scale.conftest import LEARNERS, NUMBERS, world
from surelearn import MixedNaiveBayes, RidgeRegression, scale
from surelearn.base.fingerprint import fingerprint


def parts_for(name, folder):
    make, target, columns = LEARNERS[name]
    return make(), scale.parts(folder, target=target, columns=columns)


OF_EACH_FAMILY = (
    *("ridge", "principal components", "mixed naive Bayes", "logistic regression"),
    *("maximum entropy by quasi-Newton", "Gaussian mixture", "boosted classes"),
    *("forest of classes", "neighbours of classes", "encoder"),
)


@pytest.mark.parametrize(
    ("name", "each"),
    [
        *((name, 3) for name in OF_EACH_FAMILY),
        *(pytest.param(name, 1, marks=pytest.mark.slow) for name in LEARNERS),
    ],
)
def test_processes_and_a_cluster_find_the_model_of_this_process_alone(
    name, each, folder, cluster, two_processes
):
    """Of every third part, so that few tasks are sent; `make slow` takes all parts and learners."""
    learner, parts = parts_for(name, folder)
    some = scale.Parts(parts[::each])
    alone = fingerprint(learner.fit(some))
    for executor in (two_processes, cluster):
        with scale.on(executor):
            assert fingerprint(parts_for(name, folder)[0].fit(some)) == alone


def test_the_order_of_the_parts_shows_in_the_last_bits(folder):
    """The control: a sum in another order is another one, so equality above says something."""
    parts = scale.parts(folder, target="y", columns=["a", "b", "c"])
    turned = scale.Parts(parts[::-1])
    assert (RidgeRegression().fit(parts).coef_ != RidgeRegression().fit(turned).coef_).any()


@pytest.mark.parametrize("name", LEARNERS)
def test_parts_teach_what_all_their_rows_do(name, folder):
    learner, parts = parts_for(name, folder)
    _, target, columns = LEARNERS[name]
    table = world()
    y = () if target is None else (table.column(target).to_numpy(zero_copy_only=False),)
    whole = parts_for(name, folder)[0].fit(table.select(columns), *map(np.array, y))
    learner.fit(parts)
    for attribute in (
        *("coef_", "components_", "theta_", "class_count_", "means_", "scales_"),
        *("intercept_", "weights_", "training_rows_", "covariances_", "probabilities_"),
    ):
        if hasattr(whole, attribute):
            found, wanted = getattr(learner, attribute), getattr(whole, attribute)
            assert np.allclose(found, wanted, rtol=1e-9, equal_nan=True)
    for attribute in ("training_errors_", "n_training_rows_", "undeclared_features_"):
        assert getattr(learner, attribute, None) == getattr(whole, attribute, None)


def test_a_learner_goes_on_after_its_parts(folder):
    learner, parts = parts_for("mixed naive Bayes", folder)
    more = world(8).select(parts[0].reading.names)
    assert learner.fit(parts).partial_fit(more, ["yes"] * 8).n_training_rows_ == 3008


def test_a_data_frame_of_dask_has_its_partitions_as_parts(cluster):
    frame = dd.from_pandas(world(400).to_pandas(), npartitions=4, sort=False)
    parts = scale.parts(frame[frame["a"] > -1.0], target="class", columns=["a", "word"])
    alone = MixedNaiveBayes().fit(parts)
    table = world(400)
    kept = table.filter(np.asarray(table["a"]) > -1.0)
    whole = MixedNaiveBayes().fit(kept.select(["a", "word"]), np.array(kept["class"].to_pylist()))
    assert len(parts) == 4
    assert (alone.class_count_ == whole.class_count_).all()
    assert alone.training_errors_ == whole.training_errors_
    with scale.on(cluster):
        assert fingerprint(MixedNaiveBayes().fit(parts)) == fingerprint(alone)


def test_the_three_steps_are_public_and_leave_the_learner_as_it_is():
    X, y = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 2.0, 0.0])
    model = RidgeRegression()
    both = model.add(model.summarise(X[:1], y[:1]), model.summarise(X[1:], y[1:]))
    assert not hasattr(model, "coef_")
    assert np.allclose(model.solve(both).coef_, RidgeRegression().fit(X, y).coef_)
    with pytest.raises(ValueError, match="2 features and others 1"):
        model.add(both, model.summarise(X[:, :1], y))


def test_targets_beside_parts_are_refused(folder):
    learner, parts = parts_for("mixed naive Bayes", folder)
    with pytest.raises(ValueError, match="bring their targets"):
        learner.fit(parts, ["yes"])
    assert not hasattr(learner, "classes_")


def test_words_that_a_part_lacks_and_classes_that_a_part_lacks_add_up(folder):
    learner, parts = parts_for("mixed naive Bayes", folder)
    learner.fit(parts)
    assert learner.classes_.tolist() == ["maybe", "no", "yes"]
    assert learner.categories_[3].tolist() == ["blue", "green", "rare", "red"]
    table = world()
    whole = MixedNaiveBayes().fit(
        table.select([*NUMBERS, "word"]), table.column("class").to_numpy()
    )
    (found,), (wanted,) = learner.certificates(), whole.certificates()
    assert (found.bound, found.n, found.preconditions) == (
        wanted.bound,
        wanted.n,
        wanted.preconditions,
    )
    with pytest.raises(ValueError, match="categories"):
        MixedNaiveBayes(most_categories=3).fit(parts)
