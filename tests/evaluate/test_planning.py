"""Plans are enough and minimal: what they ask for certifies, one row fewer does not."""

import math

import pytest

from surelearn.bounds import concentration, pac, vc
from surelearn.evaluate.planning import plan_groups, plan_holdout, plan_sample


def certifies(n, target, error, delta):
    return (
        concentration.clopper_pearson(errors=math.ceil(error * n - 1e-9), n=n, delta=delta).bound
        <= target
    )


@pytest.mark.parametrize(
    ("target", "error", "delta", "n_models"),
    [(0.01, 0.0, 0.05, 1), (0.1, 0.05, 0.05, 1), (0.2, 0.1, 0.01, 7), (0.06, 0.05, 0.2, 3)],
)
def test_a_planned_hold_out_is_the_smallest_that_certifies(target, error, delta, n_models):
    plan = plan_holdout(target=target, error=error, delta=delta, n_models=n_models)
    share = delta / n_models
    assert certifies(plan.n, target, error, share)
    assert not any(certifies(n, target, error, share) for n in range(1, plan.n))
    assert plan.bound <= target
    more = concentration.clopper_pearson(errors=plan.errors + 1, n=plan.n, delta=share)
    assert more.bound > target


def test_the_plan_reads_as_sentences():
    text = str(plan_holdout(target=0.01, n_models=5))
    assert "for 5 models together" in text
    assert "none of them is wrong" in text
    assert "at most 79 of them are wrong" in str(plan_holdout(target=0.06, error=0.05))
    assert "best rule of the class" in str(plan_sample(error=0.2, n_hypotheses=9, agnostic=True))
    assert "Fewer than 33 rows" in str(plan_sample(error=1 / 16, vc_dimension=65))


@pytest.mark.parametrize(
    ("named", "agnostic", "theorem"),
    [
        ({"vc_dimension": 3}, False, vc.moment_realizable),
        ({"vc_dimension": 2}, True, vc.agnostic_excess),
        ({"n_hypotheses": 1000}, False, pac.finite_class_realizable_exact),
        ({"n_hypotheses": 50}, True, pac.erm_excess),
        ({"box_dimension": 2}, False, pac.rectangle_exact),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_planned_sample_is_the_smallest_of_its_theorem(named, agnostic, theorem):
    plan = plan_sample(error=0.1, delta=0.05, agnostic=agnostic, **named)
    asked = {("dimension" if k == "box_dimension" else k): v for k, v in named.items()}
    assert theorem(n=plan.n, delta=0.05, **asked).bound <= 0.1
    assert theorem(n=plan.n - 1, delta=0.05, **asked).bound > 0.1
    assert plan.too_few < plan.n
    assert plan.guarantee.bound <= 0.1


def test_the_catalogues_numbers():
    assert plan_sample(error=0.01, n_hypotheses=10**6).n == 1673
    assert plan_sample(error=0.1, box_dimension=2).n == 174
    assert plan_holdout(target=0.01).n == 299


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"error": 0.1}, "exactly one of vc_dimension, n_hypotheses, box_dimension; given: none"),
        ({"error": 0.1, "vc_dimension": 2, "n_hypotheses": 3}, "given: vc_dimension, n_hyp"),
        ({"error": 0.1, "box_dimension": 2, "agnostic": True}, "agnostic=False"),
        ({"error": 1.5, "vc_dimension": 2}, r"error must be in \(0, 1\)"),
        ({"error": 0.1, "vc_dimension": 0}, "vc_dimension must be an integer >= 1"),
        ({"error": 0.1, "delta": 2.0, "n_hypotheses": 3}, r"delta must be in \(0, 1\)"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        plan_sample(**asked)


def test_an_error_at_the_target_cannot_be_certified():
    with pytest.raises(ValueError, match=r"error=0.1 is outside its domain"):
        plan_holdout(target=0.1, error=0.1)


@pytest.mark.parametrize("error", [0.0, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("gap", [0.05, 0.15, 0.4])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_no_smaller_hold_out_would_do(error, gap, delta):
    plan = plan_holdout(target=error + gap, error=error, delta=delta)
    asked = error + gap, error, delta
    assert certifies(plan.n, *asked)
    assert not any(certifies(n, *asked) for n in range(1, plan.n))


@pytest.mark.parametrize(
    ("plan", "inputs"),
    [
        (plan_holdout, {"target": 5e-324}),
        (plan_holdout, {"target": 0.1, "error": 0.1 - 1e-12}),
        (plan_holdout, {"target": 0.1, "n_models": 10**400}),
        (plan_holdout, {"target": 0.1, "delta": 5e-324, "n_models": 2}),
        (plan_groups, {"target": 1e-300}),
        (plan_sample, {"error": 1e-300, "vc_dimension": 1}),
        (plan_sample, {"error": 1e-17, "n_hypotheses": 10}),
    ],
)
def test_plans_beyond_counting_are_refused_with_a_sentence(plan, inputs):
    with pytest.raises(ValueError, match=r"domain|counted"):
        plan(**inputs)


def test_a_plan_for_learning_names_its_error_in_all_digits():
    plan = plan_sample(error=0.10001, vc_dimension=10**6)
    assert "a risk of at most 10.001%" in str(plan)
    assert plan_sample(error=0.1001, vc_dimension=10**6).too_few < plan.too_few
    assert "a risk of at most 10.00%," in str(plan_sample(error=0.1, vc_dimension=3))
