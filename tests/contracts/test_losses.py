"""What holds for every loss in `surelearn.losses`, discovered, never listed."""

import copy
import doctest
import inspect
import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from surelearn import losses
from surelearn.losses import Loss, ZeroOne

CLASSES = {
    name: member
    for name, member in vars(losses).items()
    if inspect.isclass(member) and issubclass(member, Loss) and not inspect.isabstract(member)
}
BOXES = {
    "reals": [((0, 1), None), ((-2, 3), (-1, 1)), ((2, 3), (0, 1)), ((0.0, 0.05), None)],
    "signs": [((-3, 2), None), ((0.5, 2), None), ((-1, 4), (1, 1)), ((-3, -1), None)],
    "fractions": [((0.1, 0.8), None), ((0.2, 0.3), (0.6, 0.9)), ((0.05, 0.95), (0.3, 0.7))],
    "bits": [((0.1, 0.8), None), ((0.2, 0.9), (1, 1)), ((0.05, 0.1), None)],
    "classes": [],
    "positions": [],
}
WIDTHS = [0.0, 0.7, 3.0, 9.0]
LABELS = {"reals": (0, 1), "signs": (-1, 1), "fractions": (0, 1), "bits": (0, 1)}


def example_of(name):
    """Return the loss that the docstring's example makes."""
    scope = dict(vars(losses))
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(CLASSES[name])):
        exec(example.source, scope)  # noqa: S102
        if "loss" in scope:
            return scope["loss"]
    raise AssertionError(f"the example of {name} assigns no `loss`")


def grid(loss, predictions, labels):
    """Return labels and predictions that fill a box, its corners and kinks included."""
    low, high = labels or (predictions if loss.label_set == "reals" else LABELS[loss.label_set])
    inside = np.linspace(low, high, 21) if loss.label_set in {"reals", "fractions"} else []
    y, p = np.meshgrid(np.unique([low, high, *inside]), np.linspace(*predictions, 241))
    return y, p


def scores_of(loss, labels, size):
    """Return the labels as predictions; where there is one score per class, `size` for theirs."""
    if loss.label_set != "positions":
        return labels
    return size * np.eye(loss.n_classes)[np.asarray(labels, dtype=int)]


every_loss = pytest.mark.parametrize("name", CLASSES)
ON_BOXES = [
    pytest.param(name, box, id=f"{name}-{i}")
    for name in CLASSES
    for i, box in enumerate(BOXES[example_of(name).label_set])
]
on_every_box = pytest.mark.parametrize(("name", "box"), ON_BOXES)


def losses_where(holds):
    """Parametrise over the losses of which something holds; there must be some."""
    names = [name for name in CLASSES if holds(example_of(name))]
    assert names
    return pytest.mark.parametrize("name", names)


def boxes_where(holds):
    """Parametrise over the losses and boxes of which something holds; there must be some."""
    cases = [case for case in ON_BOXES if holds(example_of(case.values[0]), case.values[1])]
    assert cases
    return pytest.mark.parametrize(("name", "box"), cases)


on_every_convex_box = boxes_where(lambda loss, _: loss.convex)


def test_the_losses_of_the_public_surface_are_all_there():
    assert set(CLASSES) >= {
        *("ZeroOne", "Square", "Absolute", "Hinge", "Logistic", "Exponential", "Logarithmic"),
        *("Entropic", "EpsilonInsensitive", "Huber", "CostMatrix", "PerceptronLoss"),
        *("QuantileLoss", "Multinomial"),
    }
    assert len(ON_BOXES) > 25


@every_loss
def test_it_survives_pickling_cloning_and_its_own_repr(name):
    loss = example_of(name)
    assert pickle.loads(pickle.dumps(loss)) == loss  # noqa: S301
    assert clone(loss, safe=False) == loss
    assert copy.deepcopy(loss) == loss
    assert eval(repr(loss), dict(vars(losses))) == loss  # noqa: S307
    assert hash(copy.deepcopy(loss)) == hash(loss)
    with pytest.raises(AttributeError):
        loss.anything = 1


@every_loss
def test_labels_and_predictions_must_pair_up(name):
    loss = example_of(name)
    y = np.array(loss.labels if name == "CostMatrix" else [1, 1])
    with pytest.raises(ValueError, match="one prediction for each label"):
        loss(y, y if loss.label_set == "positions" else y[:, None])


@every_loss
def test_it_needs_no_loss_of_a_label_with_itself_and_gives_one_number_for_one_pair(name):
    loss = example_of(name)
    label = loss.labels[0] if name == "CostMatrix" else 1.0
    value = loss(label, scores_of(loss, label, 800.0))
    assert np.ndim(value) == 0
    assert loss.is_margin or value == 0.0


WRONG_LABEL = {"signs": 0.0, "bits": 0.5, "fractions": 1.5}


@losses_where(lambda loss: loss.label_set in WRONG_LABEL)
def test_a_wrong_kind_of_label_is_refused(name):
    loss = example_of(name)
    with pytest.raises(ValueError, match="y must"):
        loss([1.0, WRONG_LABEL[loss.label_set]], [0.5, 0.5])
    with pytest.raises(ValueError, match="labels="):
        loss.lipschitz(labels=(0.0, 2.0))


@every_loss
def test_an_interval_upside_down_is_refused(name):
    loss = example_of(name)
    with pytest.raises(ValueError, match="predictions="):
        loss.range(predictions=(1.0, 0.0))


@on_every_convex_box
def test_the_gradient_is_the_finite_difference_wherever_there_is_one(name, box):
    loss = example_of(name)
    y, p = grid(loss, *box)
    p, y = p[1:-1], y[1:-1]
    step = 1e-6
    right = (loss(y, p + step) - loss(y, p)) / step
    left = (loss(y, p) - loss(y, p - step)) / step
    scale = 1.0 + np.abs(right)
    smooth = np.abs(right - left) < 1e-2 * scale
    assert smooth.mean() > 0.9
    gap = np.abs(loss.gradient(y, p) - (left + right) / 2) / scale
    assert gap[smooth].max() < 1e-4


@on_every_convex_box
def test_the_subgradient_inequality_holds_between_all_points_kinks_included(name, box):
    loss = example_of(name)
    y, p = grid(loss, *box)
    values, slopes = loss(y, p), loss.gradient(y, p)
    curvature = loss.strong_convexity(*box) / 2
    for shift in (1, 7, 60, 200):
        before, after = slice(-shift), slice(shift, None)
        for here, there in ((before, after), (after, before)):
            move = p[there] - p[here]
            floor = values[here] + slopes[here] * move + curvature * move**2
            assert (values[there] >= floor - 1e-9 * (1 + np.abs(floor))).all()


@losses_where(lambda loss: loss.convex and loss.label_set in {"signs", "reals"})
def test_the_subgradient_at_a_kink_is_the_one_that_the_loss_promises(name):
    loss = example_of(name)
    y, p = np.meshgrid([-1.0, 1.0], np.arange(-64, 65) / 16)  # exact floats hit the kinks
    step = 2.0**-20
    right = (loss(y, p + step) - loss(y, p)) / step
    left = (loss(y, p) - loss(y, p - step)) / step
    least = np.clip(0.0, left, right)
    if name == "PerceptronLoss":  # the other end, for from weights of 0 every margin is a kink
        least = np.where(y > 0.0, left, right)
    assert np.abs(loss.gradient(y, p) - least).max() < 1e-5 * np.abs(right).max()


@on_every_box
def test_the_range_is_never_left_and_its_ends_are_attained(name, box):
    loss = example_of(name)
    values = loss(*grid(loss, *box))
    low, high = loss.range(*box)
    assert low - 1e-12 <= values.min() <= low + 1e-3 * (high - low)
    assert values.max() == pytest.approx(high, rel=1e-12, abs=1e-12)


@on_every_box
def test_the_lipschitz_constant_is_never_exceeded_and_nearly_attained(name, box):
    loss = example_of(name)
    if not loss.convex:
        assert loss.lipschitz(*box) == math.inf
        return
    y, p = grid(loss, *box)
    slopes = np.abs(np.diff(loss(y, p), axis=0) / np.diff(p, axis=0))
    bound = loss.lipschitz(*box)
    assert slopes.max() <= bound * (1 + 1e-9) + 1e-12
    assert slopes.max() >= 0.9 * bound
    assert np.abs(loss.gradient(y, p)).max() <= bound * (1 + 1e-12)


@boxes_where(lambda loss, box: math.isfinite(loss.smoothness(*box)))
def test_the_smoothness_is_never_exceeded_and_nearly_attained(name, box):
    loss = example_of(name)
    bound = loss.smoothness(*box)
    y, p = grid(loss, *box)
    curvature = np.diff(loss.gradient(y, p), axis=0) / np.diff(p, axis=0)
    assert curvature.max() <= bound * (1 + 1e-9) + 1e-9
    assert curvature.max() >= 0.8 * bound


@boxes_where(lambda loss, box: loss.convex and loss.strong_convexity(*box) > 0.0)
def test_the_strong_convexity_is_nearly_attained(name, box):
    loss = example_of(name)
    y, p = grid(loss, *box)
    curvature = np.diff(loss.gradient(y, p), axis=0) / np.diff(p, axis=0)
    assert curvature.min() <= 1.1 * loss.strong_convexity(*box)


@on_every_box
def test_what_is_exp_concave_can_be_mixed_at_least_as_fast(name, box):
    loss = example_of(name)
    assert loss.mixability(*box) >= loss.exp_concavity(*box)


@boxes_where(lambda loss, box: 0.0 < loss.exp_concavity(*box) < math.inf)
def test_exp_of_minus_the_loss_is_concave_at_the_stated_rate(name, box):
    loss = example_of(name)
    potential = np.exp(-loss.exp_concavity(*box) * loss(*grid(loss, *box)))
    assert np.diff(potential, n=2, axis=0).max() <= 1e-12


@boxes_where(lambda loss, box: 0.0 < loss.mixability(*box) < math.inf)
def test_some_prediction_is_as_good_as_the_mixture_at_the_stated_rate(name, box):
    loss = example_of(name)
    rate = loss.mixability(*box)
    y, p = grid(loss, *box)
    candidates = np.linspace(min(y.min(), p.min()), max(y.max(), p.max()), 4001)
    candidates = p[:, 0] if loss.label_set == "signs" else candidates
    rng = np.random.default_rng(0)
    for _ in range(20):
        experts = rng.choice(p[[0, 40, -41, -1], 0] if rng.random() < 0.5 else p[:, 0], size=3)
        weights = rng.dirichlet(np.full(3, 0.5))
        outcomes = y[0]
        each = loss(*(a.ravel() for a in np.meshgrid(outcomes, experts)))
        mixture = -np.log(weights @ np.exp(-rate * each.reshape(3, -1))) / rate
        costs = loss(*(a.ravel() for a in np.meshgrid(outcomes, candidates)))
        excess = (costs.reshape(len(candidates), -1) - mixture).max(axis=1)
        assert excess.min() <= 2 * loss.lipschitz((candidates[0], candidates[-1]), box[1]) * (
            candidates[1] - candidates[0]
        )


@every_loss
def test_a_surrogate_lies_above_the_zero_one_loss_and_others_do_not(name):
    loss = example_of(name)
    y, scores = np.meshgrid([-1.0, 1.0], np.linspace(-5, 5, 2001))
    if loss.label_set in {"signs", "reals"}:
        above = loss(y, scores) >= ZeroOne(margin=True)(y, scores) - 1e-12
        assert above.all() == loss.is_surrogate
    else:
        assert not loss.is_surrogate


@every_loss
def test_inputs_are_left_alone_and_may_be_read_only_lists_or_single_precision(name):
    loss = example_of(name)
    labels = loss.labels if name == "CostMatrix" else [1, 1]
    scores = loss.labels[::-1] if name == "CostMatrix" else [0.25, 0.75]
    scores = scores_of(loss, scores, 0.25) if loss.label_set == "positions" else scores
    y, prediction = np.array(labels), np.array(scores)
    if prediction.dtype == np.float64:
        prediction = prediction.astype(np.float32)
    y.flags.writeable = prediction.flags.writeable = False
    expected = loss(labels, scores)
    assert np.array_equal(loss(y, prediction), expected)
    assert expected.dtype == np.float64
    assert loss.mean(y, prediction) == pytest.approx(expected.mean(), rel=1e-15)
    assert loss.mean(y, prediction, weights=[0.0, 2.0]) == expected[1]


@losses_where(lambda loss: loss.label_set not in {"classes", "positions"})
def test_a_prediction_that_is_not_a_number_is_never_a_good_one(name):
    loss = example_of(name)
    assert np.isnan(loss(1.0, math.nan))
    assert np.isnan(loss.gradient(1.0, math.nan))


of_scores = losses_where(lambda loss: loss.label_set == "positions")


def scores_in(loss, width, n_rows=400, seed=0):
    """Return labels and scores in a box of that width, corners and random points."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 2, (n_rows, loss.n_classes)) * width
    inside = rng.uniform(0.0, width, (n_rows, loss.n_classes))
    return rng.integers(0, loss.n_classes, 2 * n_rows), np.vstack([corners, inside])


@of_scores
def test_the_gradient_in_each_score_is_the_finite_difference(name):
    loss, step = example_of(name), 1e-6
    y, scores = scores_in(loss, 5.0)
    for j in range(loss.n_classes):
        shift = step * np.eye(loss.n_classes)[j]
        slope = (loss(y, scores + shift) - loss(y, scores - shift)) / (2 * step)
        assert np.abs(loss.gradient(y, scores)[:, j] - slope).max() < 1e-8


@of_scores
def test_the_subgradient_inequality_holds_between_rows_of_scores(name):
    loss = example_of(name)
    y, here = scores_in(loss, 5.0)
    there = here[::-1]
    floor = loss(y, here) + (loss.gradient(y, here) * (there - here)).sum(axis=1)
    assert (loss(y, there) >= floor - 1e-12).all()


@of_scores
@pytest.mark.parametrize("width", WIDTHS)
def test_the_constants_of_rows_of_scores_are_never_exceeded_and_nearly_attained(name, width):
    loss, box = example_of(name), (-1.0, width - 1.0)
    y, scores = scores_in(loss, width)
    values, slopes = loss(y, scores), np.linalg.norm(loss.gradient(y, scores), axis=1)
    low, high = loss.range(box)
    assert low - 1e-12 <= values.min() <= low + 1e-9
    assert high - 1e-9 <= values.max() <= high + 1e-12
    assert 1.0 - 1e-9 <= slopes.max() / loss.lipschitz(box) <= 1.0 + 1e-12
    probabilities = loss.gradient(y, scores) + np.eye(loss.n_classes)[y]
    bends = [np.linalg.eigvalsh(np.diag(p) - np.outer(p, p))[-1] for p in probabilities]
    assert 0.75 <= max(bends) / loss.smoothness(box) <= 1.0 + 1e-12
    assert loss.strong_convexity(box) == loss.exp_concavity(box) == 0.0


@of_scores
def test_scores_can_be_mixed_at_the_stated_rate(name):
    loss = example_of(name)
    _, scores = scores_in(loss, 5.0, n_rows=3)
    weights = np.random.default_rng(1).dirichlet(np.ones(len(scores)))
    labels = np.arange(loss.n_classes)
    each = np.array([loss(labels, np.tile(row, (len(labels), 1))) for row in scores])
    mixture = -np.log(weights @ np.exp(-loss.mixability() * each)) / loss.mixability()
    scores = np.log(weights @ np.exp(-each))
    assert np.ptp(scores) <= 5.0
    assert (loss(labels, np.tile(scores, (len(labels), 1))) <= mixture + 1e-12).all()


@of_scores
def test_a_score_that_is_not_a_number_is_never_a_good_one(name):
    loss = example_of(name)
    scores = np.full(loss.n_classes, math.nan)
    assert np.isnan(loss(1, scores))
    assert np.isnan(loss.gradient(1, scores)).all()


@of_scores
def test_labels_that_are_no_positions_and_rows_of_other_lengths_are_refused(name):
    loss = example_of(name)
    for label in (-1, loss.n_classes, 0.5, math.nan):
        with pytest.raises(ValueError, match="positions of classes"):
            loss([label], np.zeros((1, loss.n_classes)))
    with pytest.raises(ValueError, match="one for each class"):
        loss([0], np.zeros((1, loss.n_classes + 1)))
